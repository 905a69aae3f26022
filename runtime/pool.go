package runtime

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// pool keeps unused instances, each in the state of its image, so that most runs need not wait for a new one.
type pool struct {
	most     int           // instances
	idleTime time.Duration // after how long without runs they are closed

	mu      sync.Mutex
	idle    []*Instance // the most recently used is last
	timer   *time.Timer
	filling bool
	closed  bool
	work    sync.WaitGroup
}

// idleTime is after how long without runs the pool is emptied.
const idleTime = 30 * time.Second

// take returns an idle instance of the image whose memory can grow to limit bytes, or nil.
func (p *pool) take(i *Image, limit int64) *Instance {
	p.mu.Lock()
	defer p.mu.Unlock()
	for at := len(p.idle) - 1; at >= 0; at-- {
		if in := p.idle[at]; in.image == i && in.memory.Reserved() >= uint64(limit) {
			p.idle = slices.Delete(p.idle, at, at+1)
			return in
		}
	}
	return nil
}

// get returns an instance in the state of the image, whose memory can grow to limit bytes. If no such instance is idle,
// it converts one of the base image or makes one.
func (p *pool) get(i *Image, limit int64) (*Instance, error) {
	if in := p.take(i, limit); in != nil {
		return in, nil
	}
	base := i.program.base
	if i == base {
		return i.program.newSandbox(limit)
	}
	in, err := p.get(base, limit)
	if err != nil {
		return nil, err
	}
	if err := in.become(i); err != nil {
		return nil, errors.Join(fmt.Errorf("runtime: %w", err), in.close())
	}
	return in, nil
}

// drop closes the instances of an image that has been closed.
func (p *pool) drop(i *Image) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = slices.DeleteFunc(p.idle, func(in *Instance) bool {
		if in.image == i {
			in.close()
		}
		return in.image == i
	})
}

// put takes an instance back. If it cannot be reset, it is closed and replaced.
func (p *pool) put(in *Instance) {
	ok := in.reset()
	p.mu.Lock()
	defer p.mu.Unlock()
	ok = ok && !in.image.memory.Closed() // the image has just been dropped
	if !p.closed {
		if p.timer == nil {
			p.timer = time.AfterFunc(p.idleTime, p.empty)
		} else {
			p.timer.Reset(p.idleTime)
		}
	}
	if ok && !p.closed {
		p.add(in)
		return
	}
	p.work.Go(func() {
		in.close()
		if !ok {
			p.fill(in.program)
		}
	})
}

// add keeps an instance. If there are too many, it closes the least recently used one.
func (p *pool) add(in *Instance) {
	if len(p.idle) >= p.most {
		oldest := p.idle[0]
		p.idle = slices.Delete(p.idle, 0, 1)
		p.work.Go(func() { oldest.close() })
	}
	p.idle = append(p.idle, in)
}

// fill makes an instance of a program's base image if the pool has none.
func (p *pool) fill(program *Program) {
	base := program.base
	p.mu.Lock()
	enough := p.closed || p.filling || slices.ContainsFunc(p.idle, func(in *Instance) bool { return in.image == base })
	p.filling = p.filling || !enough
	p.mu.Unlock()
	if enough {
		return
	}
	in, err := program.newSandbox(DefaultMemory)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.filling = false
	switch {
	case err != nil: // the next run will see why
	case p.closed:
		in.close()
	default:
		p.add(in)
	}
}

func (p *pool) size() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.idle)
}

// empty closes all instances.
func (p *pool) empty() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, in := range p.idle {
		in.close()
	}
	p.idle = nil
}

// close empties the pool permanently, and waits for its work to end.
func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Unlock()
	p.empty()
	p.work.Wait()
}
