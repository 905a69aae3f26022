package project

import (
	"context"
	"errors"
	"io/fs"
	"sync/atomic"
	"syscall"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// A Project is a [vfs.Project] of a [Store], or of a directory of the host ([OpenDir]).
type Project struct {
	Core *Core
	// opening is shared by all that comes from opening the project once.
	opening *opening
	call    *call
	// scope is not nil on what Exclusively hands out.
	scope *scope
}

var _ vfs.Project = (*Project)(nil)

// An opening is one of perhaps several of a project in this process, which share its core.
type opening struct {
	closed atomic.Bool
	done   chan struct{} // closed with it
	// release gives the core back. Nil means that the project lasts as long as its store.
	release func() error
}

// Project returns the project, opened once more.
func (c *Core) Project(release func() error) *Project {
	return &Project{Core: c, opening: &opening{done: make(chan struct{}), release: release}}
}

// Close implements [vfs.Project]. A project in memory stays as it is.
func (p *Project) Close() error {
	o := p.opening
	if o.release == nil {
		return nil
	}
	if o.closed.Swap(true) {
		return fs.ErrClosed
	}
	close(o.done)
	p.Core.discard(func(f openFile) bool { return f.owner().opening == o })
	return o.release()
}

// Change runs do with the project's lock. do must not call change.
func (p *Project) Change(ctx context.Context, do func(c *Core) error) (err error) {
	return p.changeAt(ctx, "", do)
}

// view returns the project as this handle sees it: in an exclusive section with what has been changed in it.
func (p *Project) view() *Core {
	if s := p.scope; s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.active {
			return s.core
		}
	}
	return p.Core
}

// changeAt is Change for a path that is known.
func (p *Project) changeAt(ctx context.Context, hint string, do func(c *Core) error) (err error) {
	if p.Over() {
		return fs.ErrClosed
	}
	if p.Core.options.ReadOnly {
		return syscall.EROFS
	}
	if p.scope != nil {
		p.scope.mu.Lock()
		if p.scope.active {
			defer p.scope.mu.Unlock()
			return p.attempt(p.scope.core, do)
		}
		p.scope.mu.Unlock()
	}
	inside, end, err := p.begin(ctx, hint)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	return p.attempt(inside, do)
}

// begin takes the lock, unless there is no more use for it.
func (p *Project) begin(ctx context.Context, hint string) (inside *Core, end func() error, err error) {
	if p.call == nil {
		p.Core.Protection.begin()
	}
	if p.call != nil && p.call.lasts != nil {
		var stop context.CancelFunc
		ctx, stop = context.WithCancel(ctx)
		defer stop()
		defer context.AfterFunc(p.call.lasts, stop)()
	}
	inside, end, err = p.Core.begin(ctx, p.opening.done, hint)
	switch {
	case err == nil && p.Over():
		return nil, nil, errors.Join(fs.ErrClosed, end())
	case err != nil && p.Over():
		return nil, nil, fs.ErrClosed
	}
	return inside, end, err
}

// Over reports whether nothing can be done with the project any more: it has been closed, or the call has ended.
func (p *Project) Over() bool { return p.opening.closed.Load() || p.call.ended() }

// attempt does something, and takes back what it has recorded last if it fails before that happens.
func (p *Project) attempt(c *Core, do func(c *Core) error) error {
	next := c.State.Next
	err := do(c)
	if err != nil && c.State.Next > next && c.unhappened(c.recorded) {
		err = errors.Join(err, c.forget(c.recorded))
	}
	return err
}

// peek returns the state, as far as it is known without waiting.
func (p *Project) peek() (s State, ok bool) {
	if p.scope != nil {
		p.scope.mu.Lock()
		defer p.scope.mu.Unlock()
		if p.scope.active {
			return p.Core.State, true
		}
	}
	s, err := ReadState(p.Core.Backend)
	return s, err == nil
}

// peekRoughly is peek for what need not be exact.
func (p *Project) peekRoughly() (s State, ok bool) {
	if t, ok := p.view().Backend.(Transactional); ok {
		if s, ok := t.Known(); ok {
			return s, true
		}
	}
	return p.peek()
}

// peekOn is peek on what a handle sees.
func (p *Project) peekOn(c *Core) (s State, ok bool) {
	if p.holds() {
		return p.peek()
	}
	s, err := ReadState(c.Backend)
	return s, err == nil
}

// onPath does something with a clean path, and puts the path as it was given into the error.
func onPath(op, name string, do func(clean string) error) error {
	clean, err := vfs.Clean(name)
	if err == nil {
		err = do(clean)
	}
	return fsys.PathError(op, name, err)
}

// changePath is onPath with the lock.
func (p *Project) changePath(op, name string, do func(c *Core, clean string) error) error {
	return onPath(op, name, func(clean string) error {
		return p.changeAt(context.Background(), clean, func(c *Core) error { return do(c, clean) })
	})
}

// Name implements [afero.Fs].
func (p *Project) Name() string { return "vfs.Project" }
