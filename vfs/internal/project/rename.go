package project

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"syscall"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// Rename implements [afero.Fs]. It replaces a file, but never a directory.
func (p *Project) Rename(from, to string) error {
	return onPath("rename", from, func(old string) error {
		name, err := vfs.Clean(to)
		if err != nil {
			return err
		}
		return p.changeAt(context.Background(), old, func(c *Core) error { return p.rename(c, old, name) })
	})
}

func (p *Project) rename(c *Core, old, name string) error {
	if old == "/" || name == "/" {
		return syscall.EBUSY
	}
	from, err := c.Backend.Lstat(old)
	if err != nil {
		return err
	}
	if old == name {
		return nil
	}
	if from.IsDir() && vfs.Within(name, old) {
		return syscall.EINVAL
	}
	for _, clean := range []string{old, name} {
		if err := c.Guard(clean, from.IsDir()); err != nil {
			return err
		}
	}
	to, err := c.Backend.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		to = nil
		if err := c.creatable(name, old); err != nil {
			return err
		}
	case err != nil:
		return err
	case to.IsDir():
		return syscall.EEXIST
	case from.IsDir():
		return fsys.ErrNotDir
	}
	if from.IsDir() {
		size, err := c.SizeOf(old)
		if err != nil {
			return err
		}
		if err := c.guardTree(old, size); err != nil {
			return err
		}
		if depth(name)+size.depth > vfs.MaxDepth || len(name)+size.longest > vfs.MaxPath {
			return syscall.ENAMETOOLONG
		}
		if err := p.settle(); err != nil {
			return err
		}
	}
	if _, _, err := p.recordReplacement(c, Change{Op: vfs.OpRename, Path: old, To: name}, name, to); err != nil {
		return err
	}
	if to != nil && c.Backend.Same(from, to) {
		err = c.Backend.Remove(old) // two names for one file, which renaming would leave as they are
	} else {
		err = c.Backend.Rename(old, name)
	}
	if err != nil {
		return err
	}
	if to != nil {
		c.State.Files--
		if to.Mode().IsRegular() {
			c.State.Bytes -= to.Size()
		}
	}
	c.moved(old, name, p.call)
	return p.sync(path.Dir(old), path.Dir(name))
}

// moved lets files that are open for writing in place go by their new name, if it is the same call that moves them.
// Others must not reach a place that may be forbidden to them.
func (c *Core) moved(old, name string, by *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for h := c.open; h != nil; h = h.next {
		if f, ok := h.of.(*File); ok && f.inPlace && f.project.call == by && vfs.Within(f.name, old) {
			f.name = name + f.name[len(old):]
		}
	}
}

// depth is how many names a clean path has.
func depth(name string) int {
	n := 0
	for i := range len(name) - 1 {
		if name[i] == '/' {
			n++
		}
	}
	return n
}
