package project

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
func (f *File) stage(perm fs.FileMode) error {
	c := f.project.view()
	if t, ok := c.Backend.(Transactional); ok {
		c = &Core{t.Snapshot(f.name), c.shared}
	}
	if err := c.Guard(f.name, false); err != nil {
		return err
	}
	if c.session.Load() == nil { // the lock is needed once, to say that temporary files of this process are in use
		if err := f.project.Change(context.Background(), func(*Core) error { return nil }); err != nil {
			return err
		}
	}
	info, err := c.Backend.Lstat(f.name)
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
		if s, ok := f.project.peekOn(c); ok {
			if err := c.room(s, 0, 0, 1); err != nil {
				return err
			}
		}
	}
	temp := c.temp()
	if f.Node, err = c.Backend.Open(temp, OpenNew, perm); errors.Is(err, fs.ErrNotExist) {
		// Somebody has removed the directory for it, or the whole project.
		err = f.project.Change(context.Background(), func(c *Core) error { return c.makeMeta(TempDir) })
		if err == nil {
			f.Node, err = c.Backend.Open(temp, OpenNew, perm)
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
func (f *File) modifyStaged(sizeAfter func(size int64) int64, do func() error) error {
	c := f.project.Core
	info, err := f.Node.Stat()
	if err != nil {
		return err
	}
	size := info.Size()
	after := sizeAfter(size)
	if err := c.room(State{}, after, size, 0); err != nil {
		return err
	}
	if s, ok := f.project.peekRoughly(); ok && after > size {
		if err := c.room(s, after, f.sizeBefore(), 0); err != nil {
			return err
		}
	}
	limit := c.options.Quota.Bytes
	if before := f.sizeBefore(); limit < vfs.Unlimited-before { // there may be more than is allowed to be added
		limit += before
	}
	if total := c.Staged.Add(after - f.staged); after > f.staged && total > limit {
		c.Staged.Add(f.staged - after)
		return &vfs.QuotaError{Limit: "bytes", Max: limit, Want: total}
	}
	f.staged = after
	return do()
}

func (f *File) sizeBefore() int64 {
	if f.before == nil {
		return 0
	}
	return f.before.Size()
}

// publish puts what has been written anew in the place of the file.
func (f *File) publish() error {
	if f.failed != nil {
		return f.failed
	}
	c := f.project.Core
	if !c.options.NoSync {
		if err := f.Node.Sync(); err != nil { // without the lock: this is what takes the time
			return err
		}
	}
	dir := ""
	err := f.project.changeAt(context.Background(), f.name, func(c *Core) error {
		now, err := f.Node.Stat()
		if err != nil {
			return err
		}
		if f.allowed != nil {
			if err := f.allowed(c); err != nil {
				return err
			}
		}
		dir = path.Dir(f.name)
		f.recorded, err = f.project.replace(c, f.name, f.temp, now)
		f.checked, f.lost = c.State.Next, c.lost
		return err
	})
	if err != nil {
		return err
	}
	c.mu.Lock()
	f.temp, f.inPlace = "", true
	c.mu.Unlock()
	c.Staged.Add(-f.staged)
	f.staged = 0
	return f.project.sync(dir)
}

// drop gives up what has been written anew.
func (f *File) drop() {
	c := f.project.Core
	_ = c.Backend.Remove(f.temp)
	c.Staged.Add(-f.staged)
	f.staged = 0
}

// Discard closes the file without finishing it: what has been written anew is dropped.
func (f *File) Discard() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	if f.temp != "" {
		f.drop()
	}
	f.closed = true
	f.project.Core.isClosed(&f.handle)
	_ = f.Node.Close()
}

// replace puts a temporary file in the place of a file, or where there is none, and returns the number of the change.
func (p *Project) replace(c *Core, name, temp string, now fs.FileInfo) (number int64, err error) {
	if err := c.Guard(name, false); err != nil {
		return 0, err
	}
	before, err := c.Backend.Lstat(name)
	done := Change{Op: vfs.OpWrite, Path: name, After: stampOf(now)}
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
	if err := c.room(c.State, now.Size(), size, added); err != nil {
		return 0, err
	}
	if before != nil && before.Mode().Perm() != now.Mode().Perm() {
		if err := c.Backend.Chmod(temp, before.Mode().Perm()|0o600); err != nil {
			return 0, err
		}
	}
	number, again, err := p.recordReplacement(c, done, name, before)
	if err != nil {
		return 0, err
	}
	if again {
		if err := c.unstamp(number); err != nil {
			return 0, err
		}
	}
	if err := c.Backend.Rename(temp, name); err != nil {
		return 0, err
	}
	c.State.Bytes += now.Size() - size
	c.State.Files += added
	if again {
		p.call.written[name] = written{number, stampOf(now)}
		err = c.describe(Change{Number: number, After: stampOf(now)})
	}
	return number, err
}
