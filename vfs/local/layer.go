package local

import (
	"context"
	"errors"
	"os"
	"path"
	"slices"
	"syscall"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// A layerProject is a project whose backend is layered.
type layerProject struct {
	*project.Project
	l *layered
}

var _ vfs.Layer = (*layerProject)(nil)

// OpenLayer makes a project of a directory of the host as [OpenDir] does, but keeps all changes, and what a project
// keeps for itself, in another directory, the layer, which is made if it does not exist. Nothing is written to the
// directory until the layer is applied. The quota is for files, as always: neither the history nor the layer's notes
// about changed paths count, which have a limit of their own (64 MiB; beyond it, changes are a [*vfs.QuotaError]), nor
// copies of files of the directory that have not grown. While the layer is applied, the directory has a subdirectory
// ".toolrun" for files that are being written. Each layer belongs to one directory, and neither can be inside of the
// other.
func OpenLayer(dir, layer string, options *vfs.Options) (vfs.Layer, error) {
	o, err := options.WithDefaults()
	if err != nil {
		return nil, err
	}
	below, err := openDisk(dir)
	if err != nil {
		return nil, err
	}
	if err := separate(dir, layer); err != nil {
		return nil, errors.Join(err, below.Close())
	}
	if err := os.MkdirAll(layer, 0o700); err != nil {
		return nil, errors.Join(err, below.Close())
	}
	above, err := openDisk(layer)
	if err != nil {
		return nil, errors.Join(err, below.Close())
	}
	above.loose = above.loose || below.loose
	l := &layered{disk: above, below: below, durable: !o.NoSync}
	l.notes = layerNotes{layer: above, limit: maxLayerFile, durable: l.durable}
	c := project.NewCore(l, o)
	c.Protection, c.OwnApart = project.ProtectionOf(o, true), true
	if s, err := project.ReadState(l); err == nil && s.Dirty && !o.ReadOnly {
		c.RecoverSoon()
	}
	return &layerProject{c.Project(c.Close), l}, nil
}

// Below implements [vfs.Layer].
func (p *layerProject) Below() (vfs.Project, error) {
	return OpenDir(p.l.below.root.Name(), &vfs.Options{ReadOnly: true})
}

// Discard implements [vfs.Layer].
func (p *layerProject) Discard(ctx context.Context, names ...string) ([]vfs.Difference, error) {
	return p.settleLayer(ctx, "discard", names, nil)
}

// settleLayer does something with the differences at the names, if do is not nil, and drops them from the layer then.
// do returns how many it has done.
func (p *layerProject) settleLayer(
	ctx context.Context, op string, names []string, do func(c *project.Core, all []vfs.Difference) (int, error),
) (done []vfs.Difference, err error) {
	err = p.Change(ctx, func(c *project.Core) error {
		found, err := p.l.search(ctx)
		if err != nil {
			return err
		}
		tops, err := p.l.tops(op, names, found)
		if err != nil {
			return err
		}
		chosen := func(name string) bool {
			return slices.ContainsFunc(tops, func(top string) bool { return vfs.Within(name, top) })
		}
		var conflicts []string
		for _, d := range found {
			switch {
			// A directory that is not there yet is needed for what is in it.
			case chosen(d.Path), do != nil && d.Op == vfs.OpMkdir && slices.ContainsFunc(tops, func(top string) bool {
				return vfs.Within(top, d.Path)
			}):
				done = append(done, d)
				if d.Conflict {
					conflicts = append(conflicts, d.Path)
				}
			}
		}
		if do != nil && len(conflicts) > 0 {
			done = nil
			return &vfs.ConflictError{Paths: slices.Compact(conflicts)}
		}
		if do != nil {
			n, err := do(c, done)
			if done = done[:n]; err != nil {
				return err
			}
		}
		if err := p.l.drop(tops); err != nil {
			return err
		}
		return c.Recount()
	})
	return done, err
}

// tops returns the clean paths of names, or the root if there are none. What is in a directory that hides the one below
// is settled with that. There must be something different at each.
func (l *layered) tops(op string, names []string, found []vfs.Difference) ([]string, error) {
	if len(names) == 0 {
		return []string{"/"}, nil
	}
	tops := make([]string, len(names))
	for i, name := range names {
		clean, err := vfs.Clean(name)
		if err == nil && !l.differs(clean, found) {
			err = vfs.ErrNoDifference
		}
		if err != nil {
			return nil, fsys.PathError(op, name, err)
		}
		hidden, err := l.notes.hide(clean)
		if err != nil {
			return nil, err
		}
		if tops[i] = clean; hidden != "" {
			tops[i] = hidden
		}
	}
	return tops, nil
}

// differs reports whether there are differences at a path or below it, or it is in what is removed.
func (l *layered) differs(clean string, found []vfs.Difference) bool {
	return clean == "/" || slices.ContainsFunc(found, func(d vfs.Difference) bool {
		if vfs.Within(d.Path, clean) {
			return true
		}
		if d.Op != vfs.OpRemove || !vfs.Within(clean, d.Path) {
			return false
		}
		_, err := l.below.Lstat(clean)
		return err == nil
	})
}

// drop removes what is at some paths from the layer, and what is noted about them. Who begins this ends it, or else who
// comes next.
func (l *layered) drop(tops []string) error {
	// On a full disk, dropping is what makes room.
	if err := l.notes.beginDropping(tops); err != nil && !errors.Is(err, syscall.ENOSPC) {
		return err
	}
	for _, top := range tops {
		if err := l.dropFiles(top); err != nil {
			return err
		}
	}
	return l.notes.drop(tops)
}

// dropFiles removes what is at a path from the layer.
func (l *layered) dropFiles(top string) error {
	dropped := []string{top}
	if top == "/" {
		infos, err := l.disk.ReadDir("/")
		if err != nil {
			return err
		}
		dropped = nil
		for _, info := range infos {
			if name := "/" + info.Name(); !isOwn(name) {
				dropped = append(dropped, name)
			}
		}
	}
	for _, name := range dropped {
		if err := l.disk.RemoveAll(name); err != nil && !errors.Is(err, fsys.ErrNotDir) {
			return err
		}
	}
	// Directories that were only made for this are those below again.
	for dir := path.Dir(top); dir != "/"; dir = path.Dir(dir) {
		if _, err := l.below.Lstat(dir); err != nil || l.disk.Remove(dir) != nil {
			break
		}
	}
	return nil
}

// Recovered ends what processes have begun that are no more.
func (l *layered) Recovered() error {
	dropping, err := l.notes.dropping()
	if err != nil {
		return err
	}
	if err := l.drop(dropping); err != nil {
		return err
	}
	if _, err := l.below.Lstat("/" + vfs.Reserved); err == nil {
		// Nobody's work must fail because the directory below cannot be changed.
		_ = project.RemoveLeftovers(l.below, "")
		l.below.tidy()
	}
	return nil
}
