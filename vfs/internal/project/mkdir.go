package project

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"syscall"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// creatable checks that a file or directory can be made at a path where there is none: that its parent is a directory,
// and that no other name is too much like its own. except is a path that will be gone.
func (c *Core) creatable(name, except string) error {
	dir := path.Dir(name)
	info, err := c.Backend.Lstat(dir)
	if err != nil {
		return err
	}
	if err := fsys.NotDirectory(info); err != nil {
		return err
	}
	twin, err := c.Backend.Twin(dir, path.Base(name))
	if err != nil {
		return err
	}
	if twin != "" && path.Join(dir, twin) != except {
		return &vfs.NameConflictError{Name: path.Base(name), Existing: twin}
	}
	return nil
}

// Mkdir implements [afero.Fs].
func (p *Project) Mkdir(name string, perm os.FileMode) error {
	return p.changePath("mkdir", name, func(c *Core, clean string) error {
		if _, err := c.Backend.Lstat(clean); err == nil {
			return syscall.EEXIST
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return p.mkdir(c, clean, perm)
	})
}

// mkdir makes a directory that is not there.
func (p *Project) mkdir(c *Core, clean string, perm fs.FileMode) error {
	if err := c.Guard(clean, true); err != nil {
		return err
	}
	if err := c.creatable(clean, ""); err != nil {
		return err
	}
	if err := c.room(c.State, 0, 0, 1); err != nil {
		return err
	}
	if _, err := p.record(c, Change{Op: vfs.OpMkdir, Path: clean}); err != nil {
		return err
	}
	if err := c.Backend.Mkdir(clean, perm.Perm()|0o700); err != nil {
		return err
	}
	c.State.Files++
	return p.sync(path.Dir(clean))
}

// MkdirAll implements [afero.Fs].
func (p *Project) MkdirAll(name string, perm os.FileMode) error {
	return p.changePath("mkdir", name, func(c *Core, clean string) error { return p.mkdirAll(c, clean, perm) })
}

func (p *Project) mkdirAll(c *Core, clean string, perm fs.FileMode) error {
	missing, err := c.missing(clean)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		if err := c.Guard(missing[0], true); err != nil {
			return err
		}
	}
	if err := c.roomFor(c.State, 0, int64(len(missing))); err != nil {
		return err
	}
	for _, dir := range slices.Backward(missing) {
		if err := p.mkdir(c, dir, perm); err != nil {
			return err
		}
	}
	return nil
}

// missing lists the directories that are missing for one to be there, itself first.
func (c *Core) missing(dir string) (missing []string, err error) {
	for at := dir; ; at = path.Dir(at) {
		info, err := c.Backend.Lstat(at)
		switch {
		case err == nil:
			return missing, fsys.NotDirectory(info)
		case !errors.Is(err, fs.ErrNotExist) || at == "/":
			return nil, err
		}
		missing = append(missing, at)
	}
}
