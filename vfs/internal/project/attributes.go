package project

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"
	"time"

	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// Stat implements [afero.Fs]. Links are described themselves.
func (p *Project) Stat(name string) (os.FileInfo, error) {
	var info fs.FileInfo
	err := onPath("stat", name, func(clean string) (err error) {
		if p.Over() {
			return fs.ErrClosed
		}
		if info, err = p.view().Backend.Lstat(clean); err == nil {
			info = fsys.Describe(path.Base(clean), info)
		}
		return err
	})
	return info, err
}

// Chmod implements [afero.Fs]: it sets the permission bits, except that the owner's always stay.
func (p *Project) Chmod(name string, mode os.FileMode) error {
	return p.changePath("chmod", name, func(c *Core, clean string) error {
		info, err := c.ownFile(clean)
		if err != nil {
			return err
		}
		mode = mode.Perm() | 0o600
		if info.IsDir() {
			mode |= 0o700
		}
		return c.Backend.Chmod(clean, mode)
	})
}

// Chown implements [afero.Fs]. Owners are not a project's business.
func (p *Project) Chown(name string, uid, gid int) error {
	return onPath("chown", name, func(clean string) error {
		if _, err := p.view().Backend.Lstat(clean); err != nil {
			return err
		}
		return syscall.EPERM
	})
}

// Chtimes implements [afero.Fs].
func (p *Project) Chtimes(name string, atime, mtime time.Time) error {
	return p.changePath("chtimes", name, func(c *Core, clean string) error {
		before, err := c.ownFile(clean)
		if err != nil {
			return err
		}
		if err := c.Backend.Chtimes(clean, atime, mtime); err != nil {
			return err
		}
		info, err := c.Backend.Lstat(clean)
		if err == nil && info.IsDir() {
			c.Protection.forget() // which watches directories by their times
		}
		if err != nil || info.IsDir() {
			return err
		}
		return c.stamp(clean, stampOf(info), func(until *Stamp) bool { return until != nil && until.matches(before) })
	})
}

// ownFile sees to it that changing a file in place changes nothing outside of the project, where it may have another
// name.
func (c *Core) ownFile(name string) (fs.FileInfo, error) {
	info, err := c.Backend.Lstat(name)
	if err != nil {
		return nil, err
	}
	if err := c.Guard(name, info.IsDir()); err != nil {
		return nil, err
	}
	if info.IsDir() {
		return info, nil
	}
	linked, err := c.Backend.Linked(name)
	if err == nil && linked && c.InStore {
		if err = c.separate(name, info); err == nil {
			linked, err = c.Backend.Linked(name)
		}
	}
	if err != nil || !linked {
		return info, err
	}
	if err := c.room(c.State, info.Size(), 0, 0); err != nil { // a copy takes as much once more
		return nil, err
	}
	temp := c.temp()
	if err := c.Copier().File(name, temp, info); err != nil {
		return nil, errors.Join(err, c.Backend.RemoveAll(temp))
	}
	if err := c.Backend.Rename(temp, name); err != nil {
		return nil, err
	}
	return c.Backend.Lstat(name)
}
