package vfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"syscall"
	"time"

	"github.com/spf13/afero"
)

// A Change is something that has happened to a project's files.
type Change struct {
	// ID is the number of the change. Later ones have larger numbers.
	ID int64
	// Time is when it happened.
	Time time.Time
	// Call is the id that [Project.WithCall] got, or "".
	Call string
	// Op is what happened to the file or directory Path. If it was renamed, To is the new name.
	Op       Op
	Path, To string
	// Kept says that what was replaced or removed can be had by [Project.OpenVersion] and [Project.Restore]. Lost says that
	// something was, but was too large to keep.
	Kept, Lost bool
	// Undoes is the call, or the number of the change behind a "#", that this change was made to undo, or "".
	Undoes string
}

// Changes lists what has happened to a file or directory and all below it, the latest first. The root stands for
// everything.
func (p *Project) Changes(name string) ([]Change, error) {
	var found []Change
	err := onPath("history", name, func(clean string) error {
		s, _ := p.peek()
		all, err := p.core.changes(s.oldest)
		if err != nil {
			return err
		}
		for _, e := range slices.Backward(all) {
			if clean == "/" || e.Op != OpUndone && (within(e.Path, clean) || e.To != "" && within(e.To, clean)) {
				found = append(found, Change{e.Number, e.Time, e.Call, e.Op, e.Path, e.To, e.Kept, e.Lost, e.Undoes})
			}
		}
		return nil
	})
	return found, err
}

// ErrNotKept means that the history does not have what was asked for, because it is too old or was too large. It is
// fs.ErrNotExist.
var ErrNotKept error = missingError("the history does not have it")

// OpenVersion opens what a file was before the change with this id, for reading. If the change removed a directory, that is
// syscall.EISDIR, and [Project.Restore] can bring it back. The error is ErrNotKept if there is nothing.
func (p *Project) OpenVersion(id int64) (afero.File, error) {
	e, err := p.core.version(id)
	if err != nil {
		return nil, err
	}
	n, err := p.core.b.open(keptFile(id), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) { // dropped meanwhile
		return nil, fmt.Errorf("change %d: %w", id, ErrNotKept)
	}
	if err != nil {
		return nil, pathError("open", e.target(), err)
	}
	f := &file{project: p, given: e.target(), base: path.Base(e.target()), name: e.target(), node: n}
	if err := p.core.opened(&f.handle, f); err != nil {
		return nil, errors.Join(pathError("open", e.target(), err), n.Close())
	}
	return f, nil
}

// version returns a change that has something kept.
func (c *core) version(id int64) (change, error) {
	e, err := c.readChange(id)
	if err != nil || !e.Kept {
		return e, fmt.Errorf("change %d: %w", id, ErrNotKept)
	}
	return e, nil
}

// target is the path of what the change replaced or removed.
func (e *change) target() string {
	if e.Op == OpRename {
		return e.To
	}
	return e.Path
}

// Restore puts back what the change with this id replaced or removed, to where it was. A file that is there now is
// replaced, which the history keeps; a directory is not replaced (fs.ErrExist).
func (p *Project) Restore(ctx context.Context, id int64) error {
	return p.change(ctx, func(c *core) error {
		e, err := c.version(id)
		if err != nil {
			return err
		}
		return pathError("restore", e.target(), p.restore(c, keptFile(id), e.target()))
	})
}

// restore copies what is kept to where it was.
func (p *Project) restore(c *core, kept, name string) error {
	info, err := c.b.lstat(kept)
	if err != nil {
		return err
	}
	size, err := c.sizeOf(kept)
	if err != nil {
		return err
	}
	switch there, err := c.b.lstat(name); {
	case err == nil && (there.IsDir() || info.IsDir()):
		return syscall.EEXIST
	case err == nil:
		size.bytes -= there.Size()
		size.files--
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	missing, err := c.missing(path.Dir(name))
	if err != nil {
		return err
	}
	if err := c.roomFor(c.state, size.bytes, size.files+int64(len(missing))); err != nil {
		return err
	}
	if err := p.mkdirAll(c, path.Dir(name), 0o755); err != nil {
		return err
	}
	temp := c.temp()
	defer func() { _ = c.b.removeAll(temp) }() // it is gone if all went well
	if info.Mode().IsRegular() {
		if err := c.copyFile(kept, temp, info); err != nil {
			return err
		}
		now, err := c.b.lstat(temp)
		if err != nil {
			return err
		}
		if _, err = p.replace(c, name, temp, now); err != nil {
			return err
		}
		return c.sync(path.Dir(name))
	}
	if err := c.creatable(name, ""); err != nil {
		return err
	}
	if err := c.copyTree(kept, temp); err != nil {
		return err
	}
	if size, err = c.sizeOf(temp); err != nil { // without what is not copied
		return err
	}
	if _, err := p.record(c, change{Op: OpCreate, Path: name}); err != nil {
		return err
	}
	if err := c.b.rename(temp, name); err != nil {
		return err
	}
	c.state.bytes += size.bytes
	c.state.files += size.files
	return c.sync(path.Dir(name))
}

// copyTree copies a directory with all files and directories in it.
func (c *core) copyTree(from, to string) error {
	info, err := c.b.lstat(from)
	if err != nil {
		return err
	}
	switch {
	case info.Mode().IsRegular():
		return c.copyFile(from, to, info)
	case !info.IsDir():
		return nil // links and the like are nobody's
	}
	if err := c.b.mkdir(to, info.Mode().Perm()|0o700); err != nil {
		return err
	}
	infos, err := c.b.readDir(from)
	if err != nil {
		return err
	}
	for _, inside := range infos {
		if _, ok := listed(inside.Name()); !ok {
			continue
		}
		if err := c.copyTree(path.Join(from, inside.Name()), path.Join(to, inside.Name())); err != nil {
			return err
		}
	}
	return c.sync(to)
}
