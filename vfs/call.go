package vfs

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/spf13/afero"
)

// A call is what changes belong to that are undone together.
type call struct {
	id string
	// lasts ends with the call: nothing can be done for it any more, and nobody waits for the lock for it. It is nil for what
	// has no end of its own.
	lasts context.Context
	end   context.CancelFunc
	// scope is that in which the call holds the lock, or nil.
	scope atomic.Pointer[scope]
	// undoes and reverses mark what Undo does.
	undoes   string
	reverses int64

	// The following belong to whoever has the lock.

	// parts is how many changes the call has made.
	parts int
	// written has the changes that wrote files, by path, as long as nobody else has changed anything; next is the number
	// of the change that would come after the call's last one.
	written map[string]written
	next    int64
}

func (c *call) ended() bool { return c != nil && c.lasts != nil && c.lasts.Err() != nil }

// written is how a call has written a file: the number of the change, and what the file has become, if that is known.
type written struct {
	number int64
	after  *stamp
}

// WithCall returns the project as one call of a tool sees it: what is changed through it belongs together under the id,
// which [Project.Undo] takes and which should not be used for another call. Without one, each change is by itself. An
// id that begins with "#" gets a "call " in front, and one that is longer than 256 bytes is kept in part, with a hash.
// [Project.EndCall] ends the call.
func (p *Project) WithCall(id string) *Project {
	c := &call{id: callID(id)}
	c.lasts, c.end = context.WithCancel(context.Background())
	return &Project{core: p.core, call: c, scope: p.scope}
}

// callID is an id as the history has it.
func callID(id string) string {
	const limit, part = 256, 180
	id = strings.ToValidUTF8(id, "\uFFFD")
	if strings.HasPrefix(id, "#") {
		id = "call " + id
	}
	if len(id) > limit {
		id = fmt.Sprintf("%s...%x", strings.ToValidUTF8(id[:part], ""), sha256.Sum256([]byte(id)))
	}
	return id
}

// EndCall ends the call that [Project.WithCall] has begun: files that have been opened for it and are still open are
// closed, what has been written in those that would replace a file when they are closed is dropped, and from now on
// everything that is attempted for it is fs.ErrClosed. Whoever runs code for a call ends the call with this, since code
// that is stopped in the middle closes nothing, and code that cannot be stopped would go on.
func (p *Project) EndCall() {
	if p.call != nil {
		if p.call.end != nil {
			p.call.end()
		}
		p.core.discard(func(f openFile) bool { return f.by() == p.call })
	}
}

// BeginCall returns the file system as one call of a tool sees it, if it is a [*Project] or a view of one: as
// [Project.WithCall] does. end is [Project.EndCall]. Any other file system comes back as it is, and end does nothing.
func BeginCall(files afero.Fs, id string) (_ afero.Fs, end func()) {
	if c, ok := files.(interface {
		beginCall(id string) (afero.Fs, func())
	}); ok {
		return c.beginCall(id)
	}
	return files, func() {}
}

func (p *Project) beginCall(id string) (afero.Fs, func()) {
	call := p.WithCall(id)
	return call, call.EndCall
}

func (v *readOnly) beginCall(id string) (afero.Fs, func()) {
	files, end := BeginCall(v.files, id)
	return &readOnly{files: files, protected: v.protected}, end
}

func (v *sub) beginCall(id string) (afero.Fs, func()) {
	files, end := BeginCall(v.files, id)
	return &sub{files: files, dir: v.dir}, end
}

// Holding returns a channel that is closed when the call that sees this file system, by [BeginCall], no longer keeps others from
// changing it. It is nil if the call does not do so now, or if that is not known.
func Holding(files afero.Fs) <-chan struct{} {
	if h, ok := files.(interface{ holding() <-chan struct{} }); ok {
		return h.holding()
	}
	return nil
}

func (p *Project) holding() <-chan struct{} {
	if p.call == nil {
		return nil
	}
	if s := p.call.scope.Load(); s != nil {
		return s.over
	}
	return nil
}

func (v *readOnly) holding() <-chan struct{} { return Holding(v.files) }
func (v *sub) holding() <-chan struct{}      { return Holding(v.files) }
