package local

import (
	"context"
	"errors"
	"io/fs"

	"github.com/spf13/afero"
)

// Exclusively implements [vfs.Exclusive].
func (p *Project) Exclusively(ctx context.Context, do func(files afero.Fs) error) (err error) {
	if p.over() {
		return fs.ErrClosed
	}
	if p.scope != nil {
		p.scope.mu.Lock()
		active := p.scope.active
		p.scope.mu.Unlock()
		if active {
			return do(p)
		}
	}
	end, err := p.begin(ctx)
	if err != nil {
		return err
	}
	s := &scope{active: true, over: make(chan struct{})}
	if p.call != nil {
		p.call.scope.Store(s)
	}
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.active = false
		if p.call != nil {
			p.call.scope.Store(nil)
		}
		close(s.over)
		err = errors.Join(err, end())
	}()
	return do(&Project{core: p.core, opening: p.opening, call: p.call, scope: s})
}
