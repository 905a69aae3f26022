package vfs

import "syscall"

// DefaultOpenFiles is how many files and directories of a project can be open unless another limit is set.
const DefaultOpenFiles = 256

// An openFile is a file or directory that is open.
type openFile interface {
	// by is the call that has opened it, or nil.
	by() *call
	// discard closes it, and drops what has been written anew in it.
	discard()
}

// opened notes that a file or directory is open, if there may be one more.
func (c *core) opened(f openFile) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if int64(len(c.files)) >= c.options.OpenFiles {
		return syscall.EMFILE
	}
	c.files[f] = struct{}{}
	return nil
}

func (c *core) isClosed(f openFile) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.files, f)
}

// discard closes what is open and matches.
func (c *core) discard(which func(f openFile) bool) {
	c.mu.Lock()
	var found []openFile
	for f := range c.files {
		if which(f) {
			found = append(found, f)
		}
	}
	c.mu.Unlock()
	for _, f := range found {
		f.discard()
	}
}

// EndCall closes all files that have been opened through what [Project.WithCall] has returned and are still open, and
// drops what has been written in those that would replace a file when they are closed. Whoever runs code for a call
// ends the call with this, since code that is stopped in the middle closes nothing.
func (p *Project) EndCall() {
	if p.call != nil {
		p.core.discard(func(f openFile) bool { return f.by() == p.call })
	}
}
