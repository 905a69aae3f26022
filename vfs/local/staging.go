package local

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// stage opens a file that is replaced when the handle is closed.
func (f *file) stage(perm fs.FileMode) error {
	c := f.project.core
	if err := c.guard(f.name, false); err != nil {
		return err
	}
	if c.session.Load() == nil { // the lock is needed once, to say that temporary files of this process are in use
		if err := f.project.change(context.Background(), func(*core) error { return nil }); err != nil {
			return err
		}
	}
	info, err := c.b.lstat(f.name)
	switch {
	case err == nil && fsys.NotFile(info) != nil:
		return fsys.NotFile(info)
	case err == nil:
		f.before = info
		perm = info.Mode().Perm() | 0o600
	case f.flag&os.O_CREATE == 0 || !errors.Is(err, fs.ErrNotExist):
		return err
	default:
		if err := c.creatable(f.name, ""); err != nil {
			return err
		}
		if s, ok := f.project.peek(); ok {
			if err := c.room(s, 0, 0, 1); err != nil {
				return err
			}
		}
	}
	temp := c.temp()
	if f.node, err = c.b.open(temp, openNew, perm); errors.Is(err, fs.ErrNotExist) {
		// Somebody has removed the directory for it, or the whole project.
		err = f.project.change(context.Background(), func(c *core) error { return c.makeMeta(tempDir) })
		if err == nil {
			f.node, err = c.b.open(temp, openNew, perm)
		}
	}
	if err != nil {
		return err
	}
	f.temp = temp
	return nil
}

// modifyStaged changes what is being written anew. Quotas are checked roughly, for the final check comes at the end;
// but what is being written is limited exactly.
func (f *file) modifyStaged(sizeAfter func(size int64) int64, do func() error) error {
	c := f.project.core
	info, err := f.node.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	after := sizeAfter(size)
	if err := c.room(state{}, after, size, 0); err != nil {
		return err
	}
	if s, ok := f.project.peek(); ok && after > size {
		if err := c.room(s, after, f.sizeBefore(), 0); err != nil {
			return err
		}
	}
	limit := c.options.Quota.Bytes
	if before := f.sizeBefore(); limit < vfs.Unlimited-before { // there may be more than is allowed to be added
		limit += before
	}
	if total := c.staged.Add(after - f.staged); after > f.staged && total > limit {
		c.staged.Add(f.staged - after)
		return &vfs.QuotaError{Limit: "bytes", Max: limit, Want: total}
	}
	f.staged = after
	return do()
}

func (f *file) sizeBefore() int64 {
	if f.before == nil {
		return 0
	}
	return f.before.Size()
}

// publish puts what has been written anew in the place of the file.
func (f *file) publish() error {
	if f.failed != nil {
		return f.failed
	}
	c := f.project.core
	if !c.options.NoSync {
		if err := f.node.Sync(); err != nil { // without the lock: this is what takes the time
			return err
		}
	}
	dir := ""
	err := f.project.change(context.Background(), func(c *core) error {
		now, err := f.node.Stat()
		if err != nil {
			return err
		}
		dir = path.Dir(f.name)
		f.recorded, err = f.project.replace(c, f.name, f.temp, now)
		f.checked = c.state.next
		return err
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	f.temp, f.inPlace = "", true
	c.mu.Unlock()
	c.staged.Add(-f.staged)
	f.staged = 0
	return f.project.sync(dir)
}

// drop gives up what has been written anew.
func (f *file) drop() {
	c := f.project.core
	_ = c.b.remove(f.temp)
	c.staged.Add(-f.staged)
	f.staged = 0
}

// Discard closes the file without finishing it: what has been written anew is dropped.
func (f *file) Discard() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	if f.temp != "" {
		f.drop()
	}
	f.closed = true
	f.project.core.isClosed(&f.handle)
	_ = f.node.Close()
}

// replace puts a temporary file in the place of a file, or where there is none, and returns the number of the change.
func (p *Project) replace(c *core, name, temp string, now fs.FileInfo) (number int64, err error) {
	if err := c.guard(name, false); err != nil {
		return 0, err
	}
	before, err := c.b.lstat(name)
	done := change{Op: vfs.OpWrite, Path: name, After: stampOf(now)}
	size, added := int64(0), int64(0)
	switch {
	case err == nil && fsys.NotFile(before) != nil:
		return 0, fsys.NotFile(before)
	case err == nil:
		size = before.Size()
	case !errors.Is(err, fs.ErrNotExist):
		return 0, err
	default:
		before, added = nil, 1
		done.Op = vfs.OpCreate
		if err := c.creatable(name, ""); err != nil {
			return 0, err
		}
	}
	if err := c.room(c.state, now.Size(), size, added); err != nil {
		return 0, err
	}
	if before != nil && before.Mode().Perm() != now.Mode().Perm() {
		if err := c.b.chmod(temp, before.Mode().Perm()|0o600); err != nil {
			return 0, err
		}
	}
	number, again, err := p.recordReplacement(c, done, name, before)
	if err != nil {
		return 0, err
	}
	if err := c.b.rename(temp, name); err != nil {
		return 0, err
	}
	c.state.bytes += now.Size() - size
	c.state.files += added
	if again {
		p.call.written[name] = written{number, stampOf(now)}
		err = c.describe(change{Number: number, After: stampOf(now)})
	}
	return number, err
}
