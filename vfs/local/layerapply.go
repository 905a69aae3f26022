package local

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// Apply implements [vfs.Layer].
func (p *layerProject) Apply(ctx context.Context, names ...string) ([]vfs.Difference, error) {
	return p.settleLayer(ctx, "apply", names, func(c *project.Core, all []vfs.Difference) (done int, err error) {
		infos := make([]fs.FileInfo, len(all))
		for i, d := range all {
			if infos[i], err = p.l.applicable(c, d); err != nil {
				return 0, fsys.PathError("apply", d.Path, err)
			}
		}
		if err := p.l.beginApplying(all); err != nil {
			return 0, err
		}
		a := application{l: p.l}
		defer a.end()
		for i, d := range all {
			if err = ctx.Err(); err == nil {
				err = a.apply(d, infos[i])
			}
			if err != nil {
				return i, errors.Join(fsys.PathError("apply", d.Path, err), a.sync(), p.l.endApplying(all, i))
			}
		}
		return len(all), a.sync()
	})
}

// applicable checks that a difference can be applied, before anything is changed, and describes what the layer has.
func (l *layered) applicable(c *project.Core, d vfs.Difference) (fs.FileInfo, error) {
	// No layer may hold anything that is protected, but who knows who has made this one.
	if err := c.Guard(d.Path, d.Op == vfs.OpMkdir); err != nil {
		return nil, err
	}
	if d.Op != vfs.OpRemove {
		info, err := l.Lstat(d.Path)
		if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			err = fsys.ErrNotFollowed
		}
		return info, err
	}
	info, err := l.below.Lstat(d.Path)
	if err == nil && info.IsDir() {
		err = l.allShown(d.Path)
	}
	return nil, err
}

// beginApplying notes that what covers the differences is going to change below.
func (l *layered) beginApplying(all []vfs.Difference) error {
	var begun []note
	seen := map[string]bool{}
	for _, d := range all {
		at, err := l.covering(d.Path)
		if err != nil {
			return err
		}
		if known, ok := l.notes.get(at); ok && !known.Applying && !seen[at] {
			known.Applying, seen[at] = true, true
			if strings.HasPrefix(known.Was, project.DirectoryPrint) {
				if known.Before, err = entriesOf(l.below, at); err != nil {
					return err
				}
			}
			begun = append(begun, known)
		}
	}
	if begun == nil {
		return nil
	}
	if err := l.notes.put(math.MaxInt64, begun...); err != nil {
		return err
	}
	return l.notes.sync()
}

// endApplying makes the notes right after applying has failed: what is done is noted as it is now, or dropped.
func (l *layered) endApplying(all []vfs.Difference, done int) error {
	var ended []note
	var applied []string
	seen := map[string]bool{}
	for i, d := range all {
		at, err := l.covering(d.Path)
		if err != nil {
			return err
		}
		known, ok := l.notes.get(at)
		if !ok || seen[at] {
			continue
		}
		seen[at] = true
		_, statErr := l.disk.Lstat(at)
		switch whole := i < done && at == d.Path; {
		case whole && (d.Op == vfs.OpCreate || d.Op == vfs.OpWrite):
			applied = append(applied, at)
			continue
		case whole && (d.Op == vfs.OpMkdir || errors.Is(statErr, fs.ErrNotExist)):
			known.Dropped = true
		case i <= done: // what failed may have been done in part
			if known.Was, err = project.Fingerprint(l.below, at); err != nil {
				return err
			}
		}
		known.Applying, known.Before = false, nil
		ended = append(ended, known)
	}
	if ended != nil {
		if err := l.notes.put(math.MaxInt64, ended...); err != nil {
			return err
		}
	}
	return l.drop(applied)
}

// An application makes what is below as it is in the layer. Files are written in the directory ".toolrun" below, which
// is there only meanwhile, so that each is put in its place in one step, and what is left of a process that was killed
// can be found.
type application struct {
	l *layered
	// session is what names of temporary files begin with; "" before the first.
	session string
	release func()
	temps   int
	// changed are the directories to be synced.
	changed map[string]bool
}

// temp returns a name for a temporary file below.
func (a *application) temp() (string, error) {
	if a.session == "" {
		name := strings.ToLower(rand.Text())
		b := a.l.below
		if err := errors.Join(b.makeMeta(), ignoreExists(b.Mkdir(project.TempDir, 0o700))); err != nil {
			return "", err
		}
		release, err := b.Claim(project.TempDir + "/" + name + project.ClaimSuffix)
		if err != nil {
			return "", err
		}
		a.session, a.release = name, release
	}
	a.temps++
	return fmt.Sprintf("%s/%s-%d", project.TempDir, a.session, a.temps), nil
}

// end removes what is no longer needed.
func (a *application) end() {
	if a.session == "" {
		return
	}
	a.release()
	_ = a.l.below.RemoveAll(project.TempDir + "/" + a.session + project.ClaimSuffix)
	a.l.below.tidy()
}

// apply makes what is below as it is in the layer, at one path.
func (a *application) apply(d vfs.Difference, info fs.FileInfo) error {
	below, dir := a.l.below, path.Dir(d.Path)
	if err := below.parents(d.Path); err != nil {
		return err
	}
	if a.changed == nil {
		a.changed = map[string]bool{}
	}
	a.changed[dir] = true
	defer below.names.forget(dir)
	name := local(d.Path)
	switch d.Op {
	case vfs.OpRemove:
		return below.root.RemoveAll(name)
	case vfs.OpMkdir:
		if err := below.root.Mkdir(name, info.Mode().Perm()); err != nil {
			return err
		}
		return below.root.Chmod(name, info.Mode().Perm())
	}
	temp, err := a.temp()
	if err != nil {
		return err
	}
	err = project.Copier{From: a.l, To: below, Durable: a.l.durable}.File(d.Path, temp, info)
	if err == nil {
		err = below.root.Rename(local(temp), name)
	}
	if err != nil {
		return errors.Join(err, below.RemoveAll(temp))
	}
	return nil
}

// sync makes what has been applied durable. The layer must not forget it before.
func (a *application) sync() error {
	if !a.l.durable {
		return nil
	}
	for _, dir := range slices.Sorted(maps.Keys(a.changed)) {
		if err := a.l.below.Sync(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
