package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync/atomic"
	"syscall"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// A Project is a [vfs.Project] of a [Store], or of a directory of the host ([OpenDir]).
type Project struct {
	core *core
	// opening is shared by all that comes from opening the project once.
	opening *opening
	call    *call
	// scope is not nil on what Exclusively hands out.
	scope *scope
}

var _ vfs.Project = (*Project)(nil)

// An opening is one of perhaps several of a project in this process, which share its core.
type opening struct {
	closed atomic.Bool
	done   chan struct{} // closed with it
	// release gives the core back. Nil means that the project lasts as long as its store.
	release func() error
}

// project returns the project, opened once more.
func (c *core) project(release func() error) *Project {
	return &Project{core: c, opening: &opening{done: make(chan struct{}), release: release}}
}

// Close implements [vfs.Project]. A project in memory stays as it is.
func (p *Project) Close() error {
	o := p.opening
	if o.release == nil {
		return nil
	}
	if o.closed.Swap(true) {
		return fs.ErrClosed
	}
	close(o.done)
	p.core.discard(func(f openFile) bool { return f.owner().opening == o })
	return o.release()
}

// change runs do with the project's lock. do must not call change.
func (p *Project) change(ctx context.Context, do func(c *core) error) (err error) {
	if p.over() {
		return fs.ErrClosed
	}
	if p.core.options.ReadOnly {
		return syscall.EROFS
	}
	if p.scope != nil {
		p.scope.mu.Lock()
		if p.scope.active {
			defer p.scope.mu.Unlock()
			return p.attempt(p.core, do)
		}
		p.scope.mu.Unlock()
	}
	end, err := p.begin(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	return p.attempt(p.core, do)
}

// begin takes the lock, unless there is no more use for it.
func (p *Project) begin(ctx context.Context) (end func() error, err error) {
	if p.call == nil {
		p.core.protection.begin()
	}
	if p.call != nil && p.call.lasts != nil {
		var stop context.CancelFunc
		ctx, stop = context.WithCancel(ctx)
		defer stop()
		defer context.AfterFunc(p.call.lasts, stop)()
	}
	end, err = p.core.begin(ctx, p.opening.done)
	switch {
	case err == nil && p.over():
		return nil, errors.Join(fs.ErrClosed, end())
	case err != nil && p.over():
		return nil, fs.ErrClosed
	}
	return end, err
}

// over reports whether nothing can be done with the project any more: it has been closed, or the call has ended.
func (p *Project) over() bool { return p.opening.closed.Load() || p.call.ended() }

// attempt does something, and takes back what it has recorded last if it fails before that happens.
func (p *Project) attempt(c *core, do func(c *core) error) error {
	next := c.state.next
	err := do(c)
	if err != nil && c.state.next > next && c.unhappened(c.recorded) {
		err = errors.Join(err, c.forget(c.recorded))
	}
	return err
}

// peek returns the state, as far as it is known without waiting.
func (p *Project) peek() (s state, ok bool) {
	if p.scope != nil {
		p.scope.mu.Lock()
		defer p.scope.mu.Unlock()
		if p.scope.active {
			return p.core.state, true
		}
	}
	s, err := readState(p.core.b)
	return s, err == nil
}

// onPath does something with a clean path, and puts the path as it was given into the error.
func onPath(op, name string, do func(clean string) error) error {
	clean, err := vfs.Clean(name)
	if err == nil {
		err = do(clean)
	}
	return fsys.PathError(op, name, err)
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

// OpenFile implements [afero.Fs]. It knows os.O_RDONLY, O_WRONLY, O_RDWR, O_APPEND, O_CREATE, O_EXCL, O_TRUNC and
// O_SYNC; other flags are invalid. Of the permissions, those of the owner are always there.
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
	case p.over():
		return nil, fs.ErrClosed
	case flag&os.O_CREATE == 0:
		flag &^= os.O_EXCL
	case flag&os.O_EXCL != 0:
		flag &^= os.O_TRUNC // there is nothing to replace
	}
	if access == 0 && flag&os.O_CREATE == 0 {
		n, err := p.core.b.open(clean, os.O_RDONLY, 0)
		if errors.Is(err, syscall.EISDIR) {
			return p.openDir(given, clean)
		}
		if err != nil {
			return nil, err
		}
		f := &file{project: p, given: given, base: path.Base(clean), name: clean, flag: flag, node: n}
		if err := p.core.opened(&f.handle, f); err != nil {
			return nil, errors.Join(err, n.Close())
		}
		return f, nil
	}
	f := &file{project: p, given: given, base: path.Base(clean), name: clean, flag: flag}
	if err := p.core.opened(&f.handle, f); err != nil {
		return nil, err
	}
	open := f.openInPlace
	if flag&os.O_TRUNC != 0 {
		open = f.stage
	}
	f.mu.Lock() // until it is open, nobody may discard it
	defer f.mu.Unlock()
	if err := open(perm); err != nil {
		f.closed = true
		p.core.isClosed(&f.handle)
		return nil, err
	}
	return f, nil
}

// creatable checks that a file or directory can be made at a path where there is none: that its parent is a directory,
// and that no other name is too much like its own. except is a path that will be gone.
func (c *core) creatable(name, except string) error {
	dir := path.Dir(name)
	info, err := c.b.lstat(dir)
	if err != nil {
		return err
	}
	if err := fsys.NotDirectory(info); err != nil {
		return err
	}
	twin, err := c.b.twin(dir, path.Base(name))
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
	if err := c.guard(clean, true); err != nil {
		return err
	}
	if err := c.creatable(clean, ""); err != nil {
		return err
	}
	if err := c.room(c.state, 0, 0, 1); err != nil {
		return err
	}
	if _, err := p.record(c, change{Op: vfs.OpMkdir, Path: clean}); err != nil {
		return err
	}
	if err := c.b.mkdir(clean, perm.Perm()|0o700); err != nil {
		return err
	}
	c.state.files++
	return p.sync(path.Dir(clean))
}

// MkdirAll implements [afero.Fs].
func (p *Project) MkdirAll(name string, perm os.FileMode) error {
	return p.changePath("mkdir", name, func(c *core, clean string) error { return p.mkdirAll(c, clean, perm) })
}

func (p *Project) mkdirAll(c *core, clean string, perm fs.FileMode) error {
	missing, err := c.missing(clean)
	if err != nil {
		return err
	}
	if len(missing) > 0 {
		if err := c.guard(missing[0], true); err != nil {
			return err
		}
	}
	if err := c.roomFor(c.state, 0, int64(len(missing))); err != nil {
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
func (c *core) missing(dir string) (missing []string, err error) {
	for at := dir; ; at = path.Dir(at) {
		info, err := c.b.lstat(at)
		switch {
		case err == nil:
			return missing, fsys.NotDirectory(info)
		case !errors.Is(err, fs.ErrNotExist) || at == "/":
			return nil, err
		}
		missing = append(missing, at)
	}
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

// RemoveAll implements [afero.Fs]. Other processes see the tree as a whole or not at all, and so does whoever comes
// after a crash.
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
	if err := c.b.rename(clean, to); err != nil {
		return err
	}
	c.state.bytes -= size.bytes
	c.state.files -= size.files
	if kept == "" {
		c.cleanUp(to)
	}
	return p.sync(path.Dir(clean))
}

// Rename implements [afero.Fs]. It replaces a file, but never a directory.
func (p *Project) Rename(from, to string) error {
	return onPath("rename", from, func(old string) error {
		name, err := vfs.Clean(to)
		if err != nil {
			return err
		}
		return p.change(context.Background(), func(c *core) error { return p.rename(c, old, name) })
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
	if from.IsDir() && vfs.Within(name, old) {
		return syscall.EINVAL
	}
	for _, clean := range []string{old, name} {
		if err := c.guard(clean, from.IsDir()); err != nil {
			return err
		}
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
		return fsys.ErrNotDir
	}
	if from.IsDir() {
		size, err := c.sizeOf(old)
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
	if _, _, err := p.recordReplacement(c, change{Op: vfs.OpRename, Path: old, To: name}, name, to); err != nil {
		return err
	}
	if to != nil && c.b.same(from, to) {
		err = c.b.remove(old) // two names for one file, which renaming would leave as they are
	} else {
		err = c.b.rename(old, name)
	}
	if err != nil {
		return err
	}
	if to != nil {
		c.state.files--
		if to.Mode().IsRegular() {
			c.state.bytes -= to.Size()
		}
	}
	c.moved(old, name, p.call)
	return p.sync(path.Dir(old), path.Dir(name))
}

// moved lets files that are open for writing in place go by their new name, if it is the same call that moves them.
// Others must not reach a place that may be forbidden to them.
func (c *core) moved(old, name string, by *call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for h := c.open; h != nil; h = h.next {
		if f, ok := h.of.(*file); ok && f.inPlace && f.project.call == by && vfs.Within(f.name, old) {
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
