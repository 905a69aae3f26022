package selftest

import (
	goruntime "runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/toolrun/toolrun/internal/procmem"
)

// A Process describes what the attacks did to their process.
type Process struct {
	// Stall is the longest time that an unrelated goroutine had to wait during the concurrent attacks.
	Stall time.Duration `json:"stall"`

	// Collections is the number of garbage collections meanwhile.
	Collections int `json:"collections"`

	// MemoryBefore, MemoryMost and MemoryAfter are the resident memory of the process in bytes. They are zero
	// except on Linux.
	MemoryBefore int64 `json:"memoryBefore"`
	MemoryMost   int64 `json:"memoryMost"`
	MemoryAfter  int64 `json:"memoryAfter"`
}

// tick is the interval of measurements.
const tick = time.Millisecond

// watch forces garbage collections and measures the process until stop is called.
func watch(p *Process) (stop func()) {
	done := make(chan struct{})
	var watchers sync.WaitGroup
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
			last = time.Now() // measuring takes time, too
		}
	})
	return func() {
		close(done)
		watchers.Wait()
	}
}

// settled is the resident memory of the process after it has returned what it can.
func settled() int64 {
	debug.FreeOSMemory()
	return procmem.Resident()
}

// eager is how much garbage there may be while memory is measured, in percent of what is in use. Otherwise the peak
// would depend on when Go finds the time to collect it, which is late on a busy machine.
const eager = 10

// measure calls do, and returns the resident memory of the process before it and its peak, with hardly any garbage.
// Both are zero where memory cannot be measured.
func measure(do func()) (before, most int64) {
	defer debug.SetGCPercent(debug.SetGCPercent(eager))
	before = settled()
	if before == 0 {
		do()
		return 0, 0
	}
	if procmem.ResetPeak() {
		do()
		return before, procmem.Peak()
	}
	done := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		for {
			most = max(most, procmem.Resident())
			select {
			case <-done:
				return
			case <-time.After(tick):
			}
		}
	})
	do()
	close(done)
	watcher.Wait()
	return before, most
}
