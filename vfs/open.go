package vfs

import (
	"io/fs"
	"syscall"

	"github.com/spf13/afero"
)

// DefaultOpenFiles is how many files and directories of a project can be open unless another limit is set.
const DefaultOpenFiles = 256

// An openFile is a file or directory that is open.
type openFile interface {
	// by is the call that has opened it, or nil.
	by() *call
	// discard closes it, and drops what has been written anew in it.
	discard()
}

// A handle is the place of an open file in the list of all that are open.
type handle struct {
	of         openFile
	prev, next *handle
}

// opened notes that a file or directory is open, if there may be one more.
func (c *core) opened(h *handle, of openFile) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if of.by().ended() { // while it was being opened
		return fs.ErrClosed
	}
	if c.handles >= c.options.OpenFiles {
		return syscall.EMFILE
	}
	c.handles++
	h.of, h.next = of, c.open
	if h.next != nil {
		h.next.prev = h
	}
	c.open = h
	return nil
}

// isClosed notes that a file or directory is no longer open.
func (c *core) isClosed(h *handle) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h.of == nil {
		return
	}
	c.handles--
	if h.next != nil {
		h.next.prev = h.prev
	}
	if h.prev != nil {
		h.prev.next = h.next
	} else {
		c.open = h.next
	}
	*h = handle{}
}

// discard closes what is open and matches.
func (c *core) discard(which func(f openFile) bool) {
	c.mu.Lock()
	var found []openFile
	for h := c.open; h != nil; h = h.next {
		if which(h.of) {
			found = append(found, h.of)
		}
	}
	c.mu.Unlock()
	for _, f := range found {
		f.discard()
	}
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
