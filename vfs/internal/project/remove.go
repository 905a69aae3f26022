package project

import (
	"errors"
	"io/fs"
	"path"
	"syscall"
)

// Remove implements [afero.Fs].
func (p *Project) Remove(name string) error {
	return p.changePath("remove", name, func(c *Core, clean string) error {
		if clean == "/" {
			return syscall.EBUSY
		}
		info, err := c.Backend.Lstat(clean)
		if err != nil {
			return err
		}
		if info.IsDir() {
			inside, err := c.Backend.ReadDir(clean)
			if err != nil {
				return err
			}
			if len(inside) > 0 {
				return syscall.ENOTEMPTY
			}
		}
		return p.remove(c, clean)
	})
}

// RemoveAll implements [afero.Fs]. Other processes see the tree as a whole or not at all, and so does whoever comes
// after a crash.
func (p *Project) RemoveAll(name string) error {
	return p.changePath("remove", name, func(c *Core, clean string) error {
		if clean == "/" {
			return syscall.EBUSY
		}
		_, err := c.Backend.Lstat(clean)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return p.remove(c, clean)
	})
}

// remove removes a file, or a directory with all that it contains: out of the way first, or into the history.
func (p *Project) remove(c *Core, clean string) error {
	size, err := c.SizeOf(clean)
	if err != nil {
		return err
	}
	if err := c.guardTree(clean, size); err != nil {
		return err
	}
	if size.special != "" && !c.options.History.Off { // undoing could not bring it back
		return specialError(size.special)
	}
	kept, err := p.recordRemoval(c, clean, size)
	if err != nil {
		return err
	}
	to := kept
	if kept == "" {
		to = c.temp()
	}
	if err := p.settle(); err != nil {
		return err
	}
	if err := c.Backend.Rename(clean, to); err != nil {
		return err
	}
	c.State.Bytes -= size.Bytes
	c.State.Files -= size.Files
	if kept == "" {
		c.cleanUp(to)
	}
	return p.sync(path.Dir(clean))
}
