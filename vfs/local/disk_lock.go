package local

import (
	"errors"
	"io/fs"
	"os"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

func (d *disk) Lock(wait bool) (unlock func(), err error) {
	for range 100 {
		f, err := d.stateFile(true)
		if err != nil {
			return nil, err
		}
		if err := lockFile(f, wait); err != nil {
			return nil, err
		}
		// Somebody may have removed the file, or the whole directory that it is in: then it locks nothing.
		is, err1 := d.root.Lstat(local(stateFile))
		was, err2 := f.Stat()
		if err1 == nil && err2 == nil && os.SameFile(is, was) {
			if was.Size() == 0 && d.isGone() { // since it was made
				_ = unlockFile(f)
				return nil, fs.ErrNotExist
			}
			return func() { _ = unlockFile(f) }, nil
		}
		_ = unlockFile(f)
		d.mu.Lock()
		if d.state == f {
			d.state = nil
			_ = f.Close()
		}
		d.mu.Unlock()
	}
	return nil, errors.New("the project's lock keeps being removed")
}

// stateFile returns the file with the state, open, and makes it if it should.
func (d *disk) stateFile(make bool) (*os.File, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.state != nil {
		return d.state, nil
	}
	flag := os.O_RDWR
	if make {
		flag |= os.O_CREATE
		if d.isGone() { // nothing must get in the way of who removes it
			return nil, fs.ErrNotExist
		}
		if err := d.makeMeta(); err != nil {
			return nil, err
		}
	}
	n, err := d.Open(stateFile, flag, 0o600)
	if err != nil {
		return nil, err
	}
	f := n.(*os.File)
	if info, err := f.Stat(); err != nil || linked(f, info) {
		// It is a file of somebody else as well, which must not be written to.
		if err := errors.Join(err, f.Close()); err != nil || !make {
			return nil, errors.Join(err, fsys.ErrNotFollowed)
		}
		if err := d.root.Remove(local(stateFile)); err != nil {
			return nil, err
		}
		if n, err = d.Open(stateFile, project.OpenNew, 0o600); err != nil {
			return nil, err
		}
		f = n.(*os.File)
	}
	d.state = f
	return d.state, nil
}

func (d *disk) isGone() bool { return d.gone != nil && d.gone() }

// makeMeta creates the directory for the lock, the history and so on, and makes Git ignore it.
func (d *disk) makeMeta() error {
	err := d.Mkdir("/"+vfs.Reserved, 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	f, err := d.root.OpenFile(vfs.Reserved+"/.gitignore", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) { // the directory has been removed and made again in between
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString("*\n")
	return errors.Join(err, f.Close())
}

// tidy removes the directory for files that are being written, if it is empty.
func (d *disk) tidy() {
	if err := d.Remove(project.TempDir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
	infos, err := d.ReadDir("/" + vfs.Reserved)
	if err == nil && len(infos) == 1 && infos[0].Name() == ".gitignore" {
		_ = d.Remove("/" + vfs.Reserved + "/.gitignore")
		_ = d.Remove("/" + vfs.Reserved)
	}
}

func (d *disk) ReadState(buf []byte) error {
	f, err := d.stateFile(false)
	if err != nil {
		return err
	}
	_, err = f.ReadAt(buf, 0)
	return err
}

func (d *disk) WriteState(buf []byte) error {
	f, err := d.stateFile(true)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(buf, 0)
	return err
}

func (d *disk) Claim(name string) (release func(), err error) {
	n, err := d.Open(name, project.OpenNew, 0o600)
	if err != nil {
		return nil, err
	}
	f := n.(*os.File)
	if err := lockFile(f, false); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}

func (d *disk) Alive(name string) (bool, error) {
	n, err := d.Open(name, os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer n.Close()
	err = lockFile(n.(*os.File), false)
	if err == project.ErrLocked {
		return true, nil
	}
	return false, err
}
