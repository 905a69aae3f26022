package shell

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// A process is a shell, a subshell or a command: what can be killed by itself.
type process struct {
	parent *process
	id     int
	// signal is what ends it, or 0.
	signal atomic.Int32
	// ignored are the signals that it does nothing about.
	ignored []string

	mu       sync.Mutex
	children map[*process]bool
	waiting  *sync.Cond    // what it waits for
	done     chan struct{} // made when somebody asks for it

	turns uint8
}

// ended is what a process panics with that a signal ends: its exit status.
type ended struct{ status int }

var lastID atomic.Int32

func newProcess(parent *process) *process {
	p := &process{parent: parent, id: int(lastID.Add(1))}
	if parent != nil {
		p.ignored = parent.ignored
		parent.mu.Lock()
		if parent.children == nil {
			parent.children = map[*process]bool{}
		}
		parent.children[p] = true
		parent.mu.Unlock()
		p.signal.Store(parent.signal.Load())
	}
	return p
}

// over forgets a process that has ended.
func (p *process) over() {
	if p.parent != nil {
		p.parent.mu.Lock()
		delete(p.parent.children, p)
		p.parent.mu.Unlock()
	}
}

func (p *process) ignores(signal string) bool { return slices.Contains(p.ignored, signal) }

// check ends the process if it was killed, and lets others have a turn now and then.
func (p *process) check() {
	if p.turns++; p.turns == 0 {
		runtime.Gosched()
	}
	if signal := p.signal.Load(); signal != 0 {
		panic(ended{128 + int(signal)})
	}
}

// wait waits for a condition, whose lock is held, and ends the process if it is killed meanwhile.
func (p *process) wait(c *sync.Cond) {
	p.mu.Lock()
	p.waiting = c
	p.mu.Unlock()
	if p.signal.Load() == 0 {
		c.Wait()
	}
	p.mu.Lock()
	p.waiting = nil
	p.mu.Unlock()
	if signal := p.signal.Load(); signal != 0 {
		panic(ended{128 + int(signal)})
	}
}

// kill ends a process, and those that it has begun, by a signal.
func (p *process) kill(signal syscall.Signal) {
	p.signal.CompareAndSwap(0, int32(signal))
	p.mu.Lock()
	c, done := p.waiting, p.done
	children := slices.Collect(maps.Keys(p.children))
	p.mu.Unlock()
	if done != nil {
		select {
		case <-done:
		default:
			close(done)
		}
	}
	if c != nil {
		c.L.Lock()
		c.Broadcast()
		c.L.Unlock()
	}
	for _, child := range children {
		child.kill(signal)
	}
}

// outcome is the status of a process that has ended: that of a signal, if it got one, whatever it has returned.
func (p *process) outcome(status int) int {
	if signal := p.signal.Load(); signal != 0 {
		return 128 + int(signal)
	}
	return status
}

// guard calls a function and returns its status, or that of a signal that has ended it.
func guard(do func() int) (status int) {
	defer func() {
		if e := recover(); e != nil {
			end, ok := e.(ended)
			if !ok {
				panic(e)
			}
			status = end.status
		}
	}()
	return do()
}

// Deadline, Done, Err and Value make a process a context, which is done when it is killed.
func (p *process) Deadline() (time.Time, bool) { return time.Time{}, false }

// Done is described at Deadline.
func (p *process) Done() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done == nil {
		p.done = make(chan struct{})
		if p.signal.Load() != 0 {
			close(p.done)
		}
	}
	return p.done
}

// Err is described at Deadline.
func (p *process) Err() error {
	if p.signal.Load() != 0 {
		return context.Canceled
	}
	return nil
}

// Value is described at Deadline.
func (p *process) Value(any) any { return nil }
