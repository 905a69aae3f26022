package project

import (
	"context"
	"errors"
	"io/fs"
	"sync"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// A scope is the time in which Exclusively holds the lock. What it hands out may be used by several goroutines, and
// after the scope's end.
type scope struct {
	mu     sync.Mutex
	active bool
	// core is the project as whoever has the lock sees it.
	core *Core
	// over is closed when the lock is about to be given back.
	over chan struct{}

	unsynced sync.Mutex // guards the following
	// dirs are directories whose changes are made durable at the end; settled says that this is past.
	dirs    []string
	settled bool
}

// Exclusively implements [vfs.Exclusive].
func (p *Project) Exclusively(ctx context.Context, do func(files afero.Fs) error) (err error) {
	if p.Over() {
		return fs.ErrClosed
	}
	if p.Core.options.ReadOnly {
		if err := ctx.Err(); err != nil {
			return err
		}
		return do(p) // it cannot change anything, and the lock is a file
	}
	if p.scope != nil {
		p.scope.mu.Lock()
		active := p.scope.active
		p.scope.mu.Unlock()
		if active {
			return do(p)
		}
	}
	hint, err := vfs.Clean(fsys.Hint(ctx))
	if err != nil {
		hint = ""
	}
	locked, end, err := p.begin(ctx, hint)
	if err != nil {
		return err
	}
	s := &scope{active: true, core: locked, over: make(chan struct{})}
	if p.call != nil {
		p.call.scope.Store(s)
	}
	inside := &Project{Core: p.Core, opening: p.opening, call: p.call, scope: s}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.active = false
		if p.call != nil {
			p.call.scope.Store(nil)
		}
		close(s.over)
		err = errors.Join(err, inside.settle(), end())
	}()
	return do(inside)
}

// sync makes changes in directories durable: now, or at the end of the scope, once for all that happens in it.
func (p *Project) sync(dirs ...string) error {
	if s := p.scope; s != nil {
		s.unsynced.Lock()
		defer s.unsynced.Unlock()
		if !s.settled {
			s.dirs = append(s.dirs, dirs...)
			return nil
		}
	}
	return p.Core.sync(dirs...)
}

// settle makes durable what has been left for later. This cannot wait until a directory goes by another name.
func (p *Project) settle() error {
	s := p.scope
	if s == nil {
		return nil
	}
	s.unsynced.Lock()
	defer s.unsynced.Unlock()
	dirs := s.dirs
	s.dirs, s.settled = nil, !s.active
	return p.Core.sync(dirs...)
}
