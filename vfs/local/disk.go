package local

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unicode"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// disk is a directory of the host. All access goes through os.Root, which keeps inside even if somebody puts links in
// the way meanwhile. Links that stay inside are refused by looking before; whoever can win that race could change the
// files anyway.
type disk struct {
	root *os.Root
	// loose says that the host finds files by names that differ in case.
	loose bool
	names *nameIndex
	quick quick
	// gone, if not nil, reports whether the directory is no longer in its place, because it is being removed.
	gone func() bool

	mu    sync.Mutex // guards state
	state *os.File   // the file with the state, which is also what is locked; nil until it is needed
}

// openDisk opens a directory of the host.
func openDisk(dir string) (*disk, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return newDisk(root, dir), nil
}

// newDisk makes a backend of a directory that is open, and says where that is on the host.
func newDisk(root *os.Root, dir string) *disk {
	d := &disk{root: root, loose: ignoresCase(root, dir)}
	d.names = &nameIndex{read: d.rawNames, stat: d.root.Lstat}
	return d
}

// ignoresCase finds out whether the file system that a directory is on finds it by a name in another case.
func ignoresCase(root *os.Root, dir string) bool {
	if runtime.GOOS == "windows" {
		return true // and by short names as well
	}
	usual := runtime.GOOS == "darwin"
	dir, err := filepath.Abs(dir)
	if err != nil {
		return usual
	}
	other := strings.Map(func(c rune) rune {
		if unicode.IsUpper(c) {
			return unicode.ToLower(c)
		}
		return unicode.ToUpper(c)
	}, filepath.Base(dir))
	if other == filepath.Base(dir) {
		return usual
	}
	self, err := root.Stat(".")
	if err != nil {
		return usual
	}
	twin, err := os.Stat(filepath.Join(filepath.Dir(dir), other))
	return err == nil && os.SameFile(self, twin)
}

func (d *disk) HostDir() *os.Root { return d.root }

// local returns a clean path as os.Root wants it.
func local(name string) string {
	if name == "/" {
		return "."
	}
	return name[1:]
}

// parents checks all of a path but its last name: they must be directories, and not links to some.
func (d *disk) parents(name string) error {
	for i := 1; i < len(name); i++ {
		if name[i] != '/' {
			continue
		}
		info, err := d.root.Lstat(name[1:i])
		switch {
		case err != nil:
			return err
		case !info.IsDir():
			return fsys.NotDirectory(info)
		case d.loose && !d.names.has(name[:i]):
			return syscall.ENOENT
		}
	}
	return nil
}

func (d *disk) Lstat(name string) (fs.FileInfo, error) {
	if !d.loose {
		if info, known, err := d.quick.lstat(d.root, name); known {
			return info, err
		}
	}
	if err := d.parents(name); err != nil {
		return nil, err
	}
	info, err := d.root.Lstat(local(name))
	if err == nil && d.loose && !d.names.has(name) {
		return nil, syscall.ENOENT
	}
	return info, err
}

func (d *disk) Open(name string, flag int, perm fs.FileMode) (project.Node, error) {
	if !d.loose && flag == os.O_RDONLY {
		if f, ok := d.quick.open(d.root, name); ok {
			return f, nil
		}
	}
	info, err := d.Lstat(name)
	switch {
	case err == nil && flag&os.O_EXCL != 0:
		return nil, syscall.EEXIST
	case err == nil && fsys.NotFile(info) != nil:
		return nil, fsys.NotFile(info)
	case err == nil:
		flag &^= os.O_CREATE
	case flag&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	note := func(bool) {}
	if flag&os.O_CREATE != 0 {
		note = d.names.note(name)
	}
	// A pipe that has got there meanwhile must not block.
	f, err := d.root.OpenFile(local(name), flag|nonblocking, perm)
	if err != nil {
		return nil, err
	}
	opened, err := f.Stat()
	if err == nil && (!opened.Mode().IsRegular() || info != nil && !os.SameFile(info, opened) && d.isLink(name)) {
		err = fsys.ErrNotFollowed
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	note(true)
	return f, nil
}

func (d *disk) isLink(name string) bool {
	info, err := d.root.Lstat(local(name))
	return err == nil && !info.Mode().IsRegular()
}

func (d *disk) ReadDir(name string) ([]fs.FileInfo, error) {
	info, err := d.Lstat(name)
	if err == nil {
		err = fsys.NotDirectory(info)
	}
	if err != nil {
		return nil, err
	}
	f, err := d.root.OpenFile(local(name), os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	infos, err := f.Readdir(-1)
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return infos, err
}

// rawNames lists a directory for the index of names.
func (d *disk) rawNames(dir string) ([]string, error) {
	f, err := d.root.OpenFile(local(dir), os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Readdirnames(-1)
}

func (d *disk) Mkdir(name string, perm fs.FileMode) error {
	if _, err := d.Lstat(name); err == nil {
		return syscall.EEXIST
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	note := d.names.note(name)
	err := d.root.Mkdir(local(name), perm)
	if err == nil {
		note(true)
	}
	return err
}

func (d *disk) Link(old, name string) error {
	if err := d.parents(old); err != nil {
		return err
	}
	if err := d.parents(name); err != nil {
		return err
	}
	note := d.names.note(name)
	err := d.root.Link(local(old), local(name))
	if err == nil {
		note(true)
	}
	return err
}

// LinkFiles implements [project.FileLinker].
func (d *disk) LinkFiles(old, name string, files []string) int {
	if d.loose {
		return 0
	}
	defer d.names.forget(name)
	return d.quick.links(d.root, old, name, files)
}

func (d *disk) ReadLink(name string) (target string, err error) {
	if err := d.parents(name); err != nil {
		return "", err
	}
	return d.root.Readlink(local(name))
}

func (d *disk) MakeLink(target, name string) error {
	if err := d.parents(name); err != nil {
		return err
	}
	note := d.names.note(name)
	err := d.root.Symlink(target, local(name))
	if err == nil {
		note(true)
	}
	return err
}

func (d *disk) Rename(old, name string) error {
	if old == "/" || name == "/" {
		return syscall.EBUSY
	}
	from, err := d.Lstat(old)
	if err != nil {
		return err
	}
	to, err := d.Lstat(name)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err == nil && old == name:
		return nil
	case from.IsDir() && vfs.Within(name, old):
		return syscall.EINVAL
	case err != nil:
	case to.IsDir():
		return syscall.EEXIST
	case from.IsDir():
		return fsys.ErrNotDir
	}
	noteOld, noteNew := d.names.note(old), d.names.note(name)
	if err := d.root.Rename(local(old), local(name)); err != nil {
		return err
	}
	noteOld(false)
	noteNew(true)
	if from.IsDir() {
		d.names.forget(old)
		d.names.forget(name)
	}
	return nil
}

func (d *disk) Remove(name string) error {
	if name == "/" {
		return syscall.EBUSY
	}
	if _, err := d.Lstat(name); err != nil {
		return err
	}
	note := d.names.note(name)
	err := d.root.Remove(local(name))
	if err == nil {
		note(false)
		d.names.forget(name)
	}
	if errors.Is(err, syscall.EEXIST) && !errors.Is(err, syscall.ENOTEMPTY) {
		return syscall.ENOTEMPTY // some Unixes say it so
	}
	return err
}

func (d *disk) RemoveAll(name string) error {
	if name == "/" {
		return syscall.EBUSY
	}
	if _, err := d.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	d.names.forget(name)
	d.names.forget(path.Dir(name))
	return d.root.RemoveAll(local(name))
}

func (d *disk) Chmod(name string, mode fs.FileMode) error {
	if err := d.changeable(name); err != nil {
		return err
	}
	return d.root.Chmod(local(name), mode.Perm())
}

func (d *disk) Chtimes(name string, atime, mtime time.Time) error {
	if err := d.changeable(name); err != nil {
		return err
	}
	return d.root.Chtimes(local(name), atime, mtime)
}

func (d *disk) changeable(name string) error {
	info, err := d.Lstat(name)
	if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
		return fsys.ErrNotFollowed
	}
	return err
}

func (d *disk) Twin(dir, base string) (string, error) { return d.names.twin(dir, base) }

func (d *disk) Same(a, b fs.FileInfo) bool { return os.SameFile(a, b) }

func (d *disk) Linked(name string) (bool, error) {
	n, err := d.Open(name, os.O_RDONLY, 0)
	if err != nil {
		return false, err
	}
	defer n.Close()
	info, err := n.Stat()
	return err == nil && linked(n.(*os.File), info), err
}

// Shared implements [project.Sharer].
func (d *disk) Shared(n project.Node, info fs.FileInfo) bool {
	f, ok := n.(*os.File)
	return ok && linked(f, info)
}

func (d *disk) Sync(dir string) error { return syncDir(d.root, local(dir)) }

// syncDir makes changes in a directory durable.
func syncDir(root *os.Root, dir string) error {
	if !canSyncDirectories {
		return nil
	}
	f, err := root.OpenFile(dir, os.O_RDONLY|nonblocking, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// The lock and the state are one file. It is opened by way of the root, so that a link in its place leads nowhere;
// libraries for lock files take a path.
const stateFile = "/" + vfs.Reserved + "/state"

func (d *disk) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var err error
	if d.state != nil {
		err = d.state.Close()
		d.state = nil
	}
	d.quick.close()
	return errors.Join(err, d.root.Close())
}
