package vfs

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/afero"
)

// A Project is the files of one project, and nothing else. It is an [afero.Fs] with the semantics that the package describes, and
// safe for concurrent use; so are the files that it opens. Its methods wait as long as another process holds the project's lock.
type Project struct {
	core *core
	call *call
	// scope is not nil on what Exclusively hands out.
	scope *scope
}

var (
	_ afero.Fs  = (*Project)(nil)
	_ Exclusive = (*Project)(nil)
)

// A call is what changes belong to that are undone together.
type call struct {
	id string
	// undoes and reverses mark what Undo does.
	undoes   string
	reverses int64

	// The following belong to whoever has the lock.

	// parts is how many changes the call has made.
	parts int
	// written has the changes that wrote files, by path, as long as nobody else has changed anything; next is the number
	// of the change that would come after the call's last one.
	written map[string]int64
	next    int64
}

// WithCall returns the project as one call of a tool sees it: what is changed through it belongs together under the id, which
// [Project.Undo] takes. Without one, each change is by itself.
func (p *Project) WithCall(id string) *Project {
	return &Project{core: p.core, call: &call{id: id}, scope: p.scope}
}

// Close closes the project, for all that has come from it. What is being written in files that are not closed is dropped; files
// that are open for reading stay open.
func (p *Project) Close() error { return p.core.close() }

// Usage is what a project holds.
type Usage struct {
	// Bytes is the size of all files, and Files how many files and directories there are, as the quota counts them.
	Bytes, Files int64
	// HistoryBytes is what is kept in the history, as its limit counts it.
	HistoryBytes int64
}

// Usage says what the project holds.
func (p *Project) Usage() (Usage, error) {
	var usage Usage
	err := p.change(context.Background(), func(c *core) error {
		usage = Usage{c.state.bytes, c.state.files, c.state.kept}
		return nil
	})
	return usage, err
}

// A scope is the time in which Exclusively holds the lock. What it hands out may be used by several goroutines, and after the
// scope's end.
type scope struct {
	mu     sync.Mutex
	active bool
}

// change runs do with the project's lock. do must not call change.
func (p *Project) change(ctx context.Context, do func(c *core) error) (err error) {
	if p.scope != nil {
		p.scope.mu.Lock()
		if p.scope.active {
			defer p.scope.mu.Unlock()
			if p.core.closed.Load() {
				return fs.ErrClosed
			}
			return do(p.core)
		}
		p.scope.mu.Unlock()
	}
	end, err := p.core.begin(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	return do(p.core)
}

// onPath does something with a clean path, and puts the path as it was given into the error.
func onPath(op, name string, do func(clean string) error) error {
	clean, err := Clean(name)
	if err == nil {
		err = do(clean)
	}
	return pathError(op, name, err)
}

// changePath is onPath with the lock.
func (p *Project) changePath(op, name string, do func(c *core, clean string) error) error {
	return onPath(op, name, func(clean string) error {
		return p.change(context.Background(), func(c *core) error { return do(c, clean) })
	})
}

// Name implements [afero.Fs].
func (p *Project) Name() string { return "vfs.Project" }

// Create implements [afero.Fs].
func (p *Project) Create(name string) (afero.File, error) {
	return p.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// Open implements [afero.Fs].
func (p *Project) Open(name string) (afero.File, error) { return p.OpenFile(name, os.O_RDONLY, 0) }

// OpenFile implements [afero.Fs]. It knows os.O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_CREATE, O_EXCL, O_TRUNC and O_SYNC; other
// flags are invalid. Of the permissions, those of the owner are always there.
func (p *Project) OpenFile(name string, flag int, perm os.FileMode) (afero.File, error) {
	var opened afero.File
	err := onPath("open", name, func(clean string) (err error) {
		opened, err = p.open(name, clean, flag, perm.Perm()|0o600)
		return err
	})
	if err != nil {
		return nil, err
	}
	return opened, nil
}

func (p *Project) open(given, clean string, flag int, perm fs.FileMode) (afero.File, error) {
	const known = os.O_RDONLY | os.O_WRONLY | os.O_RDWR | os.O_APPEND | os.O_CREATE | os.O_EXCL | os.O_TRUNC | os.O_SYNC
	access := flag & (os.O_WRONLY | os.O_RDWR)
	switch {
	case flag&^known != 0, access == os.O_WRONLY|os.O_RDWR, flag&os.O_TRUNC != 0 && access == 0:
		return nil, syscall.EINVAL
	case p.core.closed.Load():
		return nil, fs.ErrClosed
	case flag&os.O_CREATE == 0:
		flag &^= os.O_EXCL
	case flag&os.O_EXCL != 0:
		flag &^= os.O_TRUNC // there is nothing to replace
	}
	f := &file{project: p, given: given, name: clean, flag: flag}
	switch {
	case access == 0 && flag&os.O_CREATE == 0:
		n, err := p.core.b.open(clean, os.O_RDONLY, 0)
		if errors.Is(err, syscall.EISDIR) {
			return &dir{core: p.core, given: given, name: clean}, nil
		}
		f.node = n
		return f, err
	case flag&os.O_TRUNC != 0:
		return f, f.stage(perm)
	}
	return f, f.openInPlace(perm)
}

// creatable checks that a file or directory can be made at a path where there is none: that its parent is a directory, and
// that no other name is too much like its own. except is a path that will be gone.
func (c *core) creatable(name, except string) error {
	dir := path.Dir(name)
	info, err := c.b.lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		if !info.Mode().IsRegular() {
			return errNotFollowed
		}
		return errNotDir
	}
	twin, err := c.b.twin(dir, path.Base(name))
	if err != nil {
		return err
	}
	if twin != "" && path.Join(dir, twin) != except {
		return &NameConflictError{path.Base(name), twin}
	}
	return nil
}

// Mkdir implements [afero.Fs].
func (p *Project) Mkdir(name string, perm os.FileMode) error {
	return p.changePath("mkdir", name, func(c *core, clean string) error {
		if _, err := c.b.lstat(clean); err == nil {
			return syscall.EEXIST
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return p.mkdir(c, clean, perm)
	})
}

// mkdir makes a directory that is not there.
func (p *Project) mkdir(c *core, clean string, perm fs.FileMode) error {
	if err := c.creatable(clean, ""); err != nil {
		return err
	}
	if err := c.room(c.state, 0, 0, 1); err != nil {
		return err
	}
	if _, err := p.record(c, change{Op: OpMkdir, Path: clean}); err != nil {
		return err
	}
	if err := c.b.mkdir(clean, perm.Perm()|0o700); err != nil {
		return err
	}
	c.state.files++
	return c.sync(path.Dir(clean))
}

// MkdirAll implements [afero.Fs].
func (p *Project) MkdirAll(name string, perm os.FileMode) error {
	return p.changePath("mkdir", name, func(c *core, clean string) error { return p.mkdirAll(c, clean, perm) })
}

func (p *Project) mkdirAll(c *core, clean string, perm fs.FileMode) error {
	var missing []string
	for at := clean; ; at = path.Dir(at) {
		info, err := c.b.lstat(at)
		if err == nil {
			switch {
			case info.IsDir():
			case info.Mode().IsRegular():
				return errNotDir
			default:
				return errNotFollowed
			}
			break
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		missing = append(missing, at)
	}
	if err := c.room(c.state, 0, 0, int64(len(missing))); err != nil {
		return err
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := p.mkdir(c, missing[i], perm); err != nil {
			return err
		}
	}
	return nil
}

// Remove implements [afero.Fs].
func (p *Project) Remove(name string) error {
	return p.changePath("remove", name, func(c *core, clean string) error {
		if clean == "/" {
			return syscall.EBUSY
		}
		info, err := c.b.lstat(clean)
		if err != nil {
			return err
		}
		if info.IsDir() {
			inside, err := c.b.readDir(clean)
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

// RemoveAll implements [afero.Fs]. Other processes see the tree as a whole or not at all, and so does whoever comes after a crash.
func (p *Project) RemoveAll(name string) error {
	return p.changePath("remove", name, func(c *core, clean string) error {
		if clean == "/" {
			return syscall.EBUSY
		}
		_, err := c.b.lstat(clean)
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
func (p *Project) remove(c *core, clean string) error {
	size, err := c.sizeOf(clean)
	if err != nil {
		return err
	}
	kept, err := p.recordRemoval(c, clean, size)
	if err != nil {
		return err
	}
	to := kept
	if kept == "" {
		to = c.temp()
	}
	if err := c.b.rename(clean, to); err != nil {
		return err
	}
	c.state.bytes -= size.bytes
	c.state.files -= size.files
	if kept == "" {
		if err := c.b.removeAll(to); err != nil {
			return err
		}
	}
	return c.sync(path.Dir(clean))
}

// Rename implements [afero.Fs]. It replaces a file, but never a directory.
func (p *Project) Rename(from, to string) error {
	return onPath("rename", from, func(old string) error {
		// An error about the new name has that name in it.
		if _, err := Clean(to); err != nil {
			return err
		}
		return p.changePath("rename", to, func(c *core, name string) error { return p.rename(c, old, name) })
	})
}

func (p *Project) rename(c *core, old, name string) error {
	if old == "/" || name == "/" {
		return syscall.EBUSY
	}
	from, err := c.b.lstat(old)
	if err != nil {
		return err
	}
	if old == name {
		return nil
	}
	if from.IsDir() && within(name, old) {
		return syscall.EINVAL
	}
	to, err := c.b.lstat(name)
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
		return errNotDir
	}
	if from.IsDir() {
		size, err := c.sizeOf(old)
		if err != nil {
			return err
		}
		if depth(name)+size.depth > MaxDepth || len(name)+size.longest > MaxPath {
			return syscall.ENAMETOOLONG
		}
	}
	if _, _, err := p.recordReplacement(c, change{Op: OpRename, Path: old, To: name}, name, to); err != nil {
		return err
	}
	if err := c.b.rename(old, name); err != nil {
		return err
	}
	if to != nil {
		c.state.files--
		if to.Mode().IsRegular() {
			c.state.bytes -= to.Size()
		}
	}
	c.moved(old, name)
	return c.sync(path.Dir(old), path.Dir(name))
}

// moved lets files that are open for writing in place go by their new name.
func (c *core) moved(old, name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for f := range c.files {
		if f.temp == "" && within(f.name, old) {
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

// Stat implements [afero.Fs]. Links are described themselves.
func (p *Project) Stat(name string) (os.FileInfo, error) {
	var info fs.FileInfo
	err := onPath("stat", name, func(clean string) (err error) {
		if p.core.closed.Load() {
			return fs.ErrClosed
		}
		if info, err = p.core.b.lstat(clean); err == nil {
			info = describe(path.Base(clean), info)
		}
		return err
	})
	return info, err
}

// Chmod implements [afero.Fs]: it sets the permission bits, except that the owner's always stay.
func (p *Project) Chmod(name string, mode os.FileMode) error {
	return p.changePath("chmod", name, func(c *core, clean string) error {
		info, err := c.ownFile(clean)
		if err != nil {
			return err
		}
		mode = mode.Perm() | 0o600
		if info.IsDir() {
			mode |= 0o700
		}
		return c.b.chmod(clean, mode)
	})
}

// Chown implements [afero.Fs]. Owners are not a project's business.
func (p *Project) Chown(name string, uid, gid int) error {
	return onPath("chown", name, func(clean string) error {
		if _, err := p.core.b.lstat(clean); err != nil {
			return err
		}
		return syscall.EPERM
	})
}

// Chtimes implements [afero.Fs].
func (p *Project) Chtimes(name string, atime, mtime time.Time) error {
	return p.changePath("chtimes", name, func(c *core, clean string) error {
		if _, err := c.ownFile(clean); err != nil {
			return err
		}
		return c.b.chtimes(clean, atime, mtime)
	})
}

// ownFile sees to it that changing a file in place changes nothing outside of the project, where it may have another name.
func (c *core) ownFile(name string) (fs.FileInfo, error) {
	info, err := c.b.lstat(name)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return info, nil
	}
	if linked, err := c.b.linked(name); err != nil || !linked {
		return info, err
	}
	temp := c.temp()
	if err := c.copyFile(name, temp, info); err != nil {
		return nil, errors.Join(err, c.b.removeAll(temp))
	}
	if err := c.b.rename(temp, name); err != nil {
		return nil, err
	}
	return c.b.lstat(name)
}

// copyFile copies a file, with its times and permissions, to a new one.
func (c *core) copyFile(from, to string, info fs.FileInfo) error {
	source, err := c.b.open(from, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := c.b.open(to, openNew, 0o600)
	if err != nil {
		return err
	}
	err = copyContent(target, source)
	if err == nil && !c.options.NoSync {
		err = target.Sync()
	}
	return errors.Join(err, target.Close(), c.b.chmod(to, info.Mode().Perm()|0o600), c.b.chtimes(to, info.ModTime(), info.ModTime()))
}

// A fileInfo describes a file by the name that it goes by here, and says nothing about the host.
type fileInfo struct {
	name    string
	size    int64
	mode    fs.FileMode
	modTime time.Time
}

func describe(name string, info fs.FileInfo) fileInfo {
	i := fileInfo{name: name, mode: info.Mode() & (fs.ModeType | fs.ModePerm), modTime: info.ModTime()}
	if i.mode.IsRegular() { // what a directory takes is the host's business
		i.size = info.Size()
	}
	return i
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return i.mode }
func (i fileInfo) ModTime() time.Time { return i.modTime }
func (i fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i fileInfo) Sys() any           { return nil }
