package project

import (
	"io/fs"
	"syscall"
)

// An openFile is a file or directory that is open.
type openFile interface {
	// owner is the project, as it was when it has opened this.
	owner() *Project
	// Discard closes it, and drops what has been written anew in it.
	Discard()
}

// A handle is the place of an open file in the list of all that are open.
type handle struct {
	of         openFile
	prev, next *handle
}

// opened notes that a file or directory is open, if there may be one more.
func (c *Core) opened(h *handle, of openFile) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if of.owner().Over() { // while it was being opened
		return fs.ErrClosed
	}
	if c.Handles >= c.options.OpenFiles {
		return syscall.EMFILE
	}
	c.Handles++
	h.of, h.next = of, c.open
	if h.next != nil {
		h.next.prev = h
	}
	c.open = h
	return nil
}

// isClosed notes that a file or directory is no longer open.
func (c *Core) isClosed(h *handle) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if h.of == nil {
		return
	}
	c.Handles--
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
func (c *Core) discard(which func(f openFile) bool) {
	c.mu.Lock()
	var found []openFile
	for h := c.open; h != nil; h = h.next {
		if which(h.of) {
			found = append(found, h.of)
		}
	}
	c.mu.Unlock()
	for _, f := range found {
		f.Discard()
	}
}
