package project

import (
	"context"
	"sync/atomic"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// A call is what changes belong to that are undone together.
type call struct {
	id string
	// lasts ends with the call: nothing can be done for it any more, and nobody waits for the lock for it. It is nil
	// for what has no end of its own.
	lasts context.Context
	end   context.CancelFunc
	// scope is that in which the call holds the lock, or nil.
	scope atomic.Pointer[scope]
	// undoes and reverses mark what Undo does, and redoes what Redo does.
	undoes   string
	reverses int64
	redoes   string

	// The following belong to whoever has the lock.

	// parts is how many changes the call has made.
	parts int
	// written has the changes that wrote files, by path, as long as nobody else has changed anything; next is the
	// number of the change that would come after the call's last one.
	written map[string]written
	next    int64
	// trees are the directories that the call has restored.
	trees restoredTrees
}

func (c *call) ended() bool { return c != nil && c.lasts != nil && c.lasts.Err() != nil }

// written is how a call has written a file: the number of the change, and what the file has become, if that is known.
type written struct {
	number int64
	after  *Stamp
}

// WithCall implements [vfs.Project].
func (p *Project) WithCall(id string) vfs.Project { return p.withCall(id) }

func (p *Project) withCall(id string) *Project {
	c := &call{id: fsys.CallID(id)}
	c.lasts, c.end = context.WithCancel(context.Background())
	p.Core.Protection.begin()
	return &Project{Core: p.Core, opening: p.opening, call: c, scope: p.scope}
}

// EndCall implements [vfs.Project].
func (p *Project) EndCall() {
	if p.call != nil {
		if p.call.end != nil {
			p.call.end()
		}
		p.Core.discard(func(f openFile) bool { return f.owner().call == p.call })
	}
}

// Holding implements [vfs.Project].
func (p *Project) Holding() <-chan struct{} {
	if p.call == nil {
		return nil
	}
	if s := p.call.scope.Load(); s != nil {
		return s.over
	}
	return nil
}
