package selftest

import (
	goruntime "runtime"
	"sync"
	"time"

	"github.com/toolrun/toolrun/internal/procmem"
)

// Process is what the scripts have done to the process that runs them.
type Process struct {
	// Stall is the longest time that a goroutine, which has nothing to do with scripts, was kept from running.
	Stall time.Duration `json:"stall"`

	// Collections is how many garbage collections there were meanwhile.
	Collections int `json:"collections"`

	// MemoryBefore, MemoryMost and MemoryAfter are the resident memory of the process, in bytes. They are zero where that cannot be
	// read, which is anywhere but on Linux.
	MemoryBefore int64 `json:"memoryBefore"`
	MemoryMost   int64 `json:"memoryMost"`
	MemoryAfter  int64 `json:"memoryAfter"`
}

// tick is how often the process is looked at.
const tick = time.Millisecond

// watch forces garbage collections, and looks at the process, until the function that it returns is called.
func watch(p *Process) (stop func()) {
	done := make(chan struct{})
	var watchers sync.WaitGroup
	goruntime.GC()
	p.MemoryBefore = procmem.Resident()
	watchers.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(tick):
				goruntime.GC()
				p.Collections++
			}
		}
	})
	watchers.Go(func() {
		for last := time.Now(); ; {
			select {
			case <-done:
				return
			case <-time.After(tick):
			}
			now := time.Now()
			p.Stall = max(p.Stall, now.Sub(last)-tick)
			p.MemoryMost = max(p.MemoryMost, procmem.Resident())
			last = time.Now() // looking takes its time, too
		}
	})
	return func() {
		close(done)
		watchers.Wait()
		goruntime.GC()
		p.MemoryAfter = procmem.Resident()
	}
}
