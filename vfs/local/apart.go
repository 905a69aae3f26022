package local

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/toolrun/toolrun/vfs"
)

// An apart is a backend that has the files of a project in one directory, and what is the project's own in another,
// perhaps on another file system. Only files that are being written are where they belong in the end, so that putting
// them in place stays one step; their directory goes when nobody needs it.
type apart struct {
	*disk // the files
	own   *disk
	// readOnly says that nothing is written to either.
	readOnly bool
	// durable says that what goes from one to the other outlasts a failure of the system.
	durable bool
}

var _ backend = (*apart)(nil)

// OpenDirApart makes a project of a directory of the host as [OpenDir] does, but keeps the history, the lock and the
// settings in another directory, own, which is made if it does not exist. It must not be inside of the directory
// (fs.ErrInvalid): code could change the history there. The directory itself has a subdirectory ".toolrun" only while a
// process that has changed something has it open, or if it was killed. All who change the directory by way of this
// package should use the same own directory, or else none: they do not know of each other.
func OpenDirApart(dir, own string, options *vfs.Options) (vfs.Project, error) {
	o, err := options.WithDefaults()
	if err != nil {
		return nil, err
	}
	files, err := openDisk(dir)
	if err != nil {
		return nil, err
	}
	if err := separate(dir, filepath.Join(own, vfs.Reserved)); err != nil {
		return nil, errors.Join(err, files.close())
	}
	c := newCore(nil, o)
	c.protection = protectionOf(o, true)
	if o.ReadOnly {
		if _, err := os.Stat(own); errors.Is(err, fs.ErrNotExist) {
			c.b = files // there is nothing to read, and nothing is made
			return c.project(c.close), nil
		}
	}
	if err := os.MkdirAll(own, 0o700); err != nil {
		return nil, errors.Join(err, files.close())
	}
	kept, err := openDisk(own)
	if err != nil {
		return nil, errors.Join(err, files.close())
	}
	c.b = &apart{files, kept, o.ReadOnly, !o.NoSync}
	return c.project(c.close), nil
}

// KeepsOwn reports whether a directory has a history of its own, or an empty ".toolrun" directory for one.
func KeepsOwn(dir string) bool {
	entries, err := os.ReadDir(filepath.Join(dir, vfs.Reserved))
	return err == nil && (len(entries) == 0 || slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() != path.Base(tempDir) && e.Name() != ".gitignore"
	}))
}

// on returns the directory that has a name.
func (a *apart) on(name string) *disk {
	if isOwn(name) && !vfs.Within(name, tempDir) {
		return a.own
	}
	return a.disk
}

func (a *apart) lstat(name string) (fs.FileInfo, error) { return a.on(name).lstat(name) }

func (a *apart) open(name string, flag int, perm fs.FileMode) (node, error) {
	return a.on(name).open(name, flag, perm)
}

func (a *apart) readDir(name string) ([]fs.FileInfo, error) { return a.on(name).readDir(name) }

func (a *apart) mkdir(name string, perm fs.FileMode) error {
	if name == tempDir {
		if err := a.disk.makeMeta(); err != nil {
			return err
		}
	}
	return a.on(name).mkdir(name, perm)
}

func (a *apart) link(old, name string) error {
	if a.on(old) != a.on(name) {
		return syscall.EXDEV // so that it is copied
	}
	return a.on(old).link(old, name)
}

// rename moves what is within one directory in one step. What goes from one to the other is there as a whole before it
// goes away.
func (a *apart) rename(old, name string) error {
	from, to := a.on(old), a.on(name)
	if from == to {
		return from.rename(old, name)
	}
	if err := errors.Join(to.makeMeta(), ignoreExists(to.mkdir(tempDir, 0o700)), to.removeAll(moving)); err != nil {
		return err
	}
	err := copier{from, to, a.durable}.tree(old, moving)
	if err == nil {
		err = to.rename(moving, name)
	}
	if err != nil {
		return errors.Join(err, to.removeAll(moving))
	}
	if a.durable {
		if err := to.sync(path.Dir(name)); err != nil {
			return err
		}
	}
	if isOwn(old) {
		return from.removeAll(old)
	}
	// A directory goes in one step, too.
	if err := errors.Join(from.removeAll(moved), from.rename(old, moved)); err != nil {
		return err
	}
	return from.removeAll(moved)
}

// What goes from one directory to the other is moving in the one where it comes to, and has moved from the other.
const (
	moving = tempDir + "/moving"
	moved  = tempDir + "/moved"
)

func (a *apart) recovered() error { return a.own.removeAll(moving) }

func ignoreExists(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func (a *apart) readLink(name string) (target string, err error) { return a.on(name).readLink(name) }
func (a *apart) makeLink(target, name string) error              { return a.on(name).makeLink(target, name) }

func (a *apart) remove(name string) error    { return a.on(name).remove(name) }
func (a *apart) removeAll(name string) error { return a.on(name).removeAll(name) }

func (a *apart) chmod(name string, mode fs.FileMode) error { return a.on(name).chmod(name, mode) }

func (a *apart) chtimes(name string, atime, mtime time.Time) error {
	return a.on(name).chtimes(name, atime, mtime)
}

func (a *apart) linked(name string) (bool, error) { return a.on(name).linked(name) }
func (a *apart) sync(dir string) error            { return a.on(dir).sync(dir) }

func (a *apart) lock(wait bool) (func(), error) { return a.own.lock(wait) }
func (a *apart) readState(buf []byte) error     { return a.own.readState(buf) }
func (a *apart) writeState(buf []byte) error    { return a.own.writeState(buf) }

func (a *apart) close() error {
	if _, err := a.own.stateFile(false); err == nil && !a.readOnly { // something may have been changed
		// Nobody begins a session meanwhile.
		if unlock, err := a.own.lock(false); err == nil {
			a.disk.tidy()
			unlock()
		}
	}
	return errors.Join(a.disk.close(), a.own.close())
}
