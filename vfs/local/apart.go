package local

import (
	"errors"
	"fmt"
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
}

var _ backend = (*apart)(nil)

// OpenDirApart makes a project of a directory of the host as [OpenDir] does, but keeps the history, the lock and the
// settings in another directory, own, which is made if it does not exist. It must not be inside of the directory
// (fs.ErrInvalid): code could change the history there. The directory itself has a subdirectory ".toolrun" only while a
// process that has changed something has it open, or if it was killed. All who change the directory by way of this package
// should use the same own directory, or else none: they do not know of each other.
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
	c.b = &apart{files, kept, o.ReadOnly}
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
	temp := tempDir + "/moving"
	if err := errors.Join(to.makeMeta(), ignoreExists(to.mkdir(tempDir, 0o700)), to.removeAll(temp)); err != nil {
		return err
	}
	err := copyBetween(from, to, old, temp)
	if err == nil {
		err = to.rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, to.removeAll(temp))
	}
	if isOwn(old) {
		return from.removeAll(old)
	}
	// A directory goes in one step, too.
	gone := tempDir + "/moved"
	if err := errors.Join(from.removeAll(gone), from.rename(old, gone)); err != nil {
		return err
	}
	return from.removeAll(gone)
}

func ignoreExists(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// copyBetween copies a file, a link, or a directory with all that is in it, whatever its name, from one directory to
// another.
func copyBetween(from, to *disk, old, name string) error {
	info, err := from.lstat(old)
	switch {
	case err != nil:
		return err
	case info.Mode().IsRegular():
		return copyFileBetween(from, to, old, name, info)
	case info.Mode()&fs.ModeSymlink != 0:
		return copyLink(from, to, old, name)
	case !info.IsDir():
		return specialError(old)
	}
	if err := to.mkdir(name, info.Mode().Perm()|0o700); err != nil {
		return err
	}
	infos, err := from.readDir(old)
	if err != nil {
		return err
	}
	for _, inside := range infos {
		if err := copyBetween(from, to, path.Join(old, inside.Name()), path.Join(name, inside.Name())); err != nil {
			return err
		}
	}
	return nil
}

// copyLink makes a link that is like another. It follows neither.
func copyLink(from, to *disk, old, name string) error {
	if err := errors.Join(from.parents(old), to.parents(name)); err != nil {
		return err
	}
	target, err := from.root.Readlink(local(old))
	if err != nil {
		return err
	}
	note := to.names.note(name)
	if err = to.root.Symlink(target, local(name)); err == nil {
		note(true)
	}
	return err
}

// specialError says that what is neither a file nor a directory nor a link cannot be copied.
func specialError(name string) error {
	return fmt.Errorf("%s is a pipe, a socket or a device, of which the history cannot keep a copy: %w", name, errors.ErrUnsupported)
}

func copyFileBetween(from, to *disk, old, name string, info fs.FileInfo) error {
	source, err := from.open(old, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := to.open(name, openNew, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(copyContent(target, source), target.Sync(), target.Close(),
		to.chmod(name, info.Mode().Perm()|0o600), to.chtimes(name, info.ModTime(), info.ModTime()))
}

func (a *apart) copyLink(old, name string) error { return copyLink(a.on(old), a.on(name), old, name) }

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
			a.tidy()
			unlock()
		}
	}
	return errors.Join(a.disk.close(), a.own.close())
}

// tidy removes the directory for files that are being written, if it is empty.
func (a *apart) tidy() {
	if a.disk.remove(tempDir) != nil {
		return
	}
	infos, err := a.disk.readDir("/" + vfs.Reserved)
	if err == nil && len(infos) == 1 && infos[0].Name() == ".gitignore" {
		_ = a.disk.remove("/" + vfs.Reserved + "/.gitignore")
		_ = a.disk.remove("/" + vfs.Reserved)
	}
}
