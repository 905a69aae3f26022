package project

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// Changes implements [vfs.History].
func (p *Project) Changes(ctx context.Context, name string) ([]vfs.Change, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var found []vfs.Change
	err := onPath("history", name, func(clean string) error {
		s, _ := p.peek()
		all, err := p.view().changes(s.Oldest)
		if err != nil {
			return err
		}
		at := lineage{clean: true}
		for _, e := range slices.Backward(all) {
			if isState(e.Path) {
				continue
			}
			if clean == "/" || e.Op != vfs.OpUndone && at.concerns(e) {
				found = append(found, e.public())
			}
		}
		return nil
	})
	return found, err
}

// ChangesAfter implements [vfs.History].
func (p *Project) ChangesAfter(ctx context.Context, id int64) ([]vfs.Change, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var found []vfs.Change
	err := onPath("history", "/", func(string) error {
		s, _ := p.peek()
		all, err := p.view().changes(max(s.Oldest, id+1))
		for _, e := range slices.Backward(all) {
			if !isState(e.Path) {
				found = append(found, e.public())
			}
		}
		return err
	})
	return found, err
}

// LatestChanges implements [vfs.History].
func (p *Project) LatestChanges(ctx context.Context, n int) ([]vfs.Change, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var found []vfs.Change
	err := onPath("history", "/", func(string) error {
		s, ok := p.peek()
		if !ok {
			s = State{Next: maxNumber} // all that is there
		}
		return p.view().backward(s, func(e Change) bool {
			if len(found) < n && !isState(e.Path) {
				found = append(found, e.public())
			}
			return len(found) < n
		})
	})
	return found, err
}

// A lineage is the paths at which a file or directory, and what has come into it, was before a change. Changes are
// looked at from the latest on.
type lineage map[string]bool

// has reports whether a path is one of the lineage, or below one.
func (l lineage) has(name string) bool {
	for ; name != "/" && name != ""; name = path.Dir(name) {
		if l[name] {
			return true
		}
	}
	return false
}

// concerns reports whether a change is one of the lineage, and follows a rename to the old name.
func (l lineage) concerns(e Change) bool {
	if e.Op != vfs.OpRename {
		return l.has(e.Path)
	}
	if l.has(e.Path) {
		return true
	}
	if l.has(e.To) { // something came from outside
		l[e.Path] = true
		return true
	}
	moved := false
	for name := range l { // with the directory that it lies in
		if vfs.Within(name, e.To) {
			l[e.Path+name[len(e.To):]] = true
			moved = true
		}
	}
	return moved
}

// OpenVersion implements [vfs.History].
func (p *Project) OpenVersion(ctx context.Context, id int64) (afero.File, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e, err := p.view().version(id)
	if err != nil {
		return nil, err
	}
	n, err := p.view().Backend.Open(KeptFile(id), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) { // dropped meanwhile
		return nil, fmt.Errorf("change %d: %w", id, vfs.ErrNotKept)
	}
	if err != nil {
		return nil, fsys.PathError("open", e.target(), err)
	}
	f := &File{project: p, given: e.target(), base: path.Base(e.target()), name: e.target(), Node: n}
	if err := p.Core.opened(&f.handle, f); err != nil {
		return nil, errors.Join(fsys.PathError("open", e.target(), err), n.Close())
	}
	return f, nil
}

// version returns a change that has something kept.
func (c *Core) version(id int64) (Change, error) {
	e, err := c.readChange(id)
	if err == nil && e.spent() {
		return e, fmt.Errorf("change %d: %w", id, vfs.ErrPurged)
	}
	if err != nil || !e.Kept || isState(e.Path) {
		return e, fmt.Errorf("change %d: %w", id, vfs.ErrNotKept)
	}
	return e, nil
}

// target is the path of what the change replaced or removed.
func (e *Change) target() string {
	if e.Op == vfs.OpRename {
		return e.To
	}
	return e.Path
}

// Restore implements [vfs.History].
func (p *Project) Restore(ctx context.Context, id int64, to string) error {
	return p.Change(ctx, func(c *Core) error {
		e, err := c.version(id)
		if err != nil {
			return err
		}
		if to == "" {
			to, err = c.nowAt(e)
			if err != nil {
				return err
			}
			return fsys.PathError("restore", to, p.restore(c, KeptFile(id), to))
		}
		return onPath("restore", to, func(clean string) error { return p.restore(c, KeptFile(id), clean) })
	})
}

// RestoreMissing implements [vfs.History].
func (p *Project) RestoreMissing(ctx context.Context, id int64, name string, dry bool) (restored []string, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	find := func(c *Core) error {
		e, err := c.version(id)
		if err != nil {
			return err
		}
		return onPath("restore", cmp.Or(name, e.Path), func(clean string) error {
			if e.Op != vfs.OpRemove || !vfs.Within(clean, e.Path) {
				return fs.ErrNotExist
			}
			restored, err = c.notThere(KeptFile(id), e.Path, clean, nil)
			if e.Purged != 0 && errors.Is(err, fs.ErrNotExist) {
				err = vfs.ErrPurged
			}
			return err
		})
	}
	if dry {
		return restored, find(p.view())
	}
	err = p.Change(ctx, func(c *Core) error {
		if err := find(c); err != nil {
			return err
		}
		e, err := c.version(id)
		if err != nil {
			return err
		}
		kept := func(name string) string { return KeptFile(id) + name[len(e.Path):] }
		var whole treeSize
		for _, name := range restored {
			size, err := c.SizeOf(kept(name))
			if err != nil {
				return err
			}
			whole.Bytes, whole.Files = sum(whole.Bytes, size.Bytes), whole.Files+size.Files
		}
		if err := c.roomFor(c.State, whole.Bytes, whole.Files); err != nil {
			return err
		}
		for _, name := range restored {
			if err := p.restore(c, kept(name), name); err != nil {
				return fsys.PathError("restore", name, err)
			}
		}
		return nil
	})
	return restored, err
}

// notThere adds what is kept of a removed file or directory, at a path or below it, and has nothing in its place: of a
// directory that has none, only that. kept is where all of it is, and removed where that was.
func (c *Core) notThere(kept, removed, name string, found []string) ([]string, error) {
	kept += name[len(removed):]
	was, err := c.Backend.Lstat(kept)
	if err != nil {
		return found, err
	}
	now, err := c.Backend.Lstat(name)
	switch {
	case !was.IsDir() && !was.Mode().IsRegular(): // a history can come from anywhere
		return found, nil
	case errors.Is(err, fs.ErrNotExist):
		return append(found, name), nil
	case errors.Is(err, fsys.ErrNotDir), errors.Is(err, fsys.ErrNotFollowed),
		err == nil && !(was.IsDir() && now.IsDir()):
		return found, nil // something else is in its place
	case err != nil:
		return found, err
	}
	infos, err := c.Backend.ReadDir(kept)
	for _, info := range infos {
		if found, err = c.notThere(kept, name, path.Join(name, info.Name()), found); err != nil {
			break
		}
	}
	return found, err
}

// nowAt returns where something belongs that a change has replaced or removed: a content of a file goes where the file
// has been renamed to since.
func (c *Core) nowAt(e Change) (string, error) {
	name := e.target()
	if e.Op != vfs.OpWrite {
		return name, nil
	}
	later, err := c.changes(e.Number + 1)
	if err != nil {
		return "", err
	}
	for _, l := range later {
		switch {
		case l.Op == vfs.OpRename && vfs.Within(name, l.Path):
			name = l.To + name[len(l.Path):]
		case l.Op == vfs.OpRename && l.To == name, l.Op == vfs.OpRemove && vfs.Within(name, l.Path):
			return name, nil // another file now, or none
		}
	}
	return name, nil
}

// restore copies what is kept to where it was.
func (p *Project) restore(c *Core, kept, name string) error {
	info, err := c.Backend.Lstat(kept)
	if err != nil {
		return err
	}
	size, err := c.SizeOf(kept)
	if err != nil {
		return err
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return fsys.ErrNotFollowed // a history can come from anywhere
	}
	if err := c.Guard(name, info.IsDir()); err != nil {
		return err
	}
	if size.protected != "" { // as above
		return &vfs.ProtectedError{Path: name + strings.TrimPrefix(size.protected, kept)}
	}
	if info.IsDir() && (depth(name)+size.depth > vfs.MaxDepth || len(name)+size.longest > vfs.MaxPath) {
		return syscall.ENAMETOOLONG
	}
	switch there, err := c.Backend.Lstat(name); {
	case err == nil && (there.IsDir() || info.IsDir()):
		return syscall.EEXIST
	case err == nil:
		size.Bytes -= there.Size()
		size.Files--
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	missing, err := c.missing(path.Dir(name))
	if err != nil {
		return err
	}
	if err := c.roomFor(c.State, size.Bytes, size.Files+int64(len(missing))); err != nil {
		return err
	}
	if err := p.mkdirAll(c, path.Dir(name), 0o755); err != nil {
		return err
	}
	temp := c.temp()
	defer func() { _ = c.Backend.RemoveAll(temp) }() // it is gone if all went well
	if info.Mode().IsRegular() {
		if err := c.Copier().File(kept, temp, info); err != nil {
			return err
		}
		now, err := c.Backend.Lstat(temp)
		if err != nil {
			return err
		}
		if _, err = p.replace(c, name, temp, now); err != nil {
			return err
		}
		return p.sync(path.Dir(name))
	}
	if err := c.creatable(name, ""); err != nil {
		return err
	}
	if err := c.Copier().Tree(kept, temp); err != nil {
		return err
	}
	tree, err := Fingerprint(c.Backend, temp)
	if err != nil {
		return err
	}
	number, err := p.record(c, Change{Op: vfs.OpCreate, Path: name, After: &Stamp{Tree: tree}})
	if err != nil {
		return err
	}
	if err := c.Backend.Rename(temp, name); err != nil {
		return err
	}
	if p.call != nil && number >= 0 {
		p.call.trees = append(p.call.trees, restoredTree{number, name, tree})
	}
	c.State.Bytes += size.Bytes
	c.State.Files += size.Files
	return p.sync(path.Dir(name))
}
