package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/project"
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

var _ project.Backend = (*apart)(nil)

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
		return nil, errors.Join(err, files.Close())
	}
	c := project.NewCore(nil, o)
	c.Protection = project.ProtectionOf(o, true)
	if o.ReadOnly {
		if _, err := os.Stat(own); errors.Is(err, fs.ErrNotExist) {
			c.Backend = files // there is nothing to read, and nothing is made
			return c.Project(c.Close), nil
		}
	}
	if err := os.MkdirAll(own, 0o700); err != nil {
		return nil, errors.Join(err, files.Close())
	}
	kept, err := openDisk(own)
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	c.Backend, c.OwnApart = &apart{files, kept, o.ReadOnly, !o.NoSync}, true
	if !o.ReadOnly && c.IsRestoring() {
		c.RecoverSoon()
	}
	return c.Project(c.Close), nil
}

// KeepsOwn reports whether a directory has a history of its own, or an empty ".toolrun" directory for one.
func KeepsOwn(dir string) bool {
	entries, err := os.ReadDir(filepath.Join(dir, vfs.Reserved))
	return err == nil && (len(entries) == 0 || slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() != path.Base(project.TempDir) && e.Name() != ".gitignore"
	}))
}

// on returns the directory that has a name.
func (a *apart) on(name string) *disk {
	if isOwn(name) && !vfs.Within(name, project.TempDir) {
		return a.own
	}
	return a.disk
}

func (a *apart) Lstat(name string) (fs.FileInfo, error) { return a.on(name).Lstat(name) }

func (a *apart) Open(name string, flag int, perm fs.FileMode) (project.Node, error) {
	return a.on(name).Open(name, flag, perm)
}

func (a *apart) ReadDir(name string) ([]fs.FileInfo, error) { return a.on(name).ReadDir(name) }

func (a *apart) Mkdir(name string, perm fs.FileMode) error {
	if name == project.TempDir {
		if err := a.disk.makeMeta(); err != nil {
			return err
		}
	}
	return a.on(name).Mkdir(name, perm)
}

func (a *apart) Link(old, name string) error {
	if a.on(old) != a.on(name) {
		return syscall.EXDEV // so that it is copied
	}
	return a.on(old).Link(old, name)
}

// Rename moves what is within one directory in one step. What goes from one to the other is there as a whole before it
// goes away.
func (a *apart) Rename(old, name string) error {
	from, to := a.on(old), a.on(name)
	if from == to {
		return from.Rename(old, name)
	}
	if err := errors.Join(to.makeMeta(), ignoreExists(to.Mkdir(project.TempDir, 0o700)),
		to.RemoveAll(moving)); err != nil {
		return err
	}
	err := project.Copier{From: from, To: to, Durable: a.durable}.Tree(old, moving)
	if err == nil {
		err = to.Rename(moving, name)
	}
	if err != nil {
		return errors.Join(err, to.RemoveAll(moving))
	}
	if a.durable {
		if err := to.Sync(path.Dir(name)); err != nil {
			return err
		}
	}
	if isOwn(old) {
		return from.RemoveAll(old)
	}
	// A directory goes in one step, too.
	if err := errors.Join(from.RemoveAll(moved), from.Rename(old, moved)); err != nil {
		return err
	}
	return from.RemoveAll(moved)
}

// What goes from one directory to the other is moving in the one where it comes to, and has moved from the other.
const (
	moving = project.TempDir + "/moving"
	moved  = project.TempDir + "/moved"
)

func (a *apart) Recovered() error { return a.own.RemoveAll(moving) }

func ignoreExists(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

func (a *apart) ReadLink(name string) (target string, err error) { return a.on(name).ReadLink(name) }
func (a *apart) MakeLink(target, name string) error              { return a.on(name).MakeLink(target, name) }

func (a *apart) Remove(name string) error    { return a.on(name).Remove(name) }
func (a *apart) RemoveAll(name string) error { return a.on(name).RemoveAll(name) }

func (a *apart) Chmod(name string, mode fs.FileMode) error { return a.on(name).Chmod(name, mode) }

func (a *apart) Chtimes(name string, atime, mtime time.Time) error {
	return a.on(name).Chtimes(name, atime, mtime)
}

func (a *apart) Linked(name string) (bool, error) { return a.on(name).Linked(name) }
func (a *apart) Sync(dir string) error            { return a.on(dir).Sync(dir) }

func (a *apart) Lock(wait bool) (func(), error) { return a.own.Lock(wait) }
func (a *apart) LockSession(ctx context.Context, session string) (func(), error) {
	return a.own.LockSession(ctx, session)
}
func (a *apart) ReadState(buf []byte) error  { return a.own.ReadState(buf) }
func (a *apart) WriteState(buf []byte) error { return a.own.WriteState(buf) }

func (a *apart) Close() error {
	if _, err := a.own.stateFile(false); err == nil && !a.readOnly { // something may have been changed
		// Nobody begins a session meanwhile.
		if unlock, err := a.own.Lock(false); err == nil {
			a.disk.tidy()
			unlock()
		}
	}
	return errors.Join(a.disk.Close(), a.own.Close())
}
