package local

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// A layerProject is a project whose backend is layered.
type layerProject struct {
	*Project
	l *layered
}

var _ vfs.Layer = (*layerProject)(nil)

// OpenLayer makes a project of a directory of the host as [OpenDir] does, but keeps all changes, and what a project
// keeps for itself, in another directory, the layer, which is made if it does not exist. Nothing is written to the
// directory until the layer is applied. Each layer belongs to one directory, and neither can be inside
// of the other.
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
		return nil, errors.Join(err, below.close())
	}
	if err := os.MkdirAll(layer, 0o700); err != nil {
		return nil, errors.Join(err, below.close())
	}
	above, err := openDisk(layer)
	if err != nil {
		return nil, errors.Join(err, below.close())
	}
	above.loose = above.loose || below.loose
	l := &layered{disk: above, below: below}
	l.notes.layer, l.notes.limit = above, maxLayerFile
	c := newCore(l, o)
	c.protection = protectionOf(o, true)
	return &layerProject{c.project(c.close), l}, nil
}

// Differences implements [vfs.Layer].
func (p *layerProject) Differences(ctx context.Context) ([]vfs.Difference, error) {
	if p.over() {
		return nil, fs.ErrClosed
	}
	return p.l.search(ctx)
}

// A search finds what is different in a layer.
type search struct {
	*layered
	found []vfs.Difference
	// conflicts says of what covers differences whether it has changed below.
	conflicts map[string]bool
}

// search returns all that is different in the layer.
func (l *layered) search(ctx context.Context) ([]vfs.Difference, error) {
	s := search{layered: l, conflicts: map[string]bool{}}
	err := s.differences(ctx, "/")
	return s.found, err
}

// differences adds what is different in a directory.
func (l *search) differences(ctx context.Context, dir string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	add := func(name string, op vfs.Op) error {
		conflict, err := l.conflict(ctx, name)
		l.found = append(l.found, vfs.Difference{Path: name, Op: op, Conflict: conflict})
		return err
	}
	shown, err := l.readDir(dir)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, info := range shown {
		names[info.Name()] = true
	}
	// What is gone makes room first.
	below, err := l.below.readDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fsys.ErrNotDir) {
		return err
	}
	for _, info := range below {
		clean, ok := vfs.CleanName(info.Name())
		if !ok || names[info.Name()] || names[clean] {
			continue
		}
		if err := add(path.Join(dir, clean), vfs.OpRemove); err != nil {
			return err
		}
	}
	for _, info := range shown {
		clean, ok := vfs.CleanName(info.Name())
		if !ok {
			continue
		}
		name := path.Join(dir, clean)
		if _, err := l.disk.lstat(name); errors.Is(err, fs.ErrNotExist) {
			continue // it is what is below
		}
		was, err := l.below.lstat(name)
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fsys.ErrNotDir) {
			return err
		}
		missing := err != nil
		switch {
		case missing:
		case was.IsDir() && info.IsDir():
		case was.Mode().Type() != info.Mode().Type():
			if err := add(name, vfs.OpRemove); err != nil {
				return err
			}
			missing = true
		default:
			same, err := l.sameFile(name, was, info)
			if err != nil {
				return err
			}
			if !same {
				if err := add(name, vfs.OpWrite); err != nil {
					return err
				}
			}
			continue
		}
		if missing {
			op := vfs.OpCreate
			if info.IsDir() {
				op = vfs.OpMkdir
			}
			if err := add(name, op); err != nil {
				return err
			}
		}
		if info.IsDir() {
			if err := l.differences(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// sameFile reports whether a file in the layer is as the one below.
func (l *layered) sameFile(name string, was, now fs.FileInfo) (bool, error) {
	if was.Size() != now.Size() || runtime.GOOS != "windows" && was.Mode().Perm()|0o600 != now.Mode().Perm() {
		return false, nil
	}
	a, err := l.below.open(name, os.O_RDONLY, 0)
	if err != nil {
		return false, err
	}
	defer a.Close()
	b, err := l.disk.open(name, os.O_RDONLY, 0)
	if err != nil {
		return false, err
	}
	defer b.Close()
	var parts [2][]byte
	parts[0], parts[1] = make([]byte, 64<<10), make([]byte, 64<<10)
	for at := int64(0); ; at += int64(len(parts[0])) {
		n, errA := a.ReadAt(parts[0], at)
		m, errB := b.ReadAt(parts[1], at)
		if !bytes.Equal(parts[0][:n], parts[1][:m]) {
			return false, nil
		}
		if errA == io.EOF && errB == io.EOF {
			return true, nil
		}
		if errA != nil || errB != nil {
			return false, errors.Join(errA, errB)
		}
	}
}

// conflict reports whether what is below has changed since the layer covered it, or a directory that it is in.
func (l *search) conflict(ctx context.Context, name string) (bool, error) {
	at, err := l.covering(name)
	if err != nil {
		return false, err
	}
	if conflict, known := l.conflicts[at]; known {
		return conflict, ctx.Err()
	}
	conflict, err := l.changedBelow(at)
	l.conflicts[at] = conflict
	return conflict, errors.Join(err, ctx.Err())
}

// covering returns the path of the note that covers a path.
func (l *layered) covering(name string) (string, error) {
	at, err := l.notes.hide(name)
	if at == "" {
		at = name
	}
	return at, err
}

// changedBelow reports whether what is below is not as it was noted.
func (l *layered) changedBelow(at string) (bool, error) {
	known, _ := l.notes.get(at)
	now, err := fingerprint(l.below, at)
	if err != nil || now == known.Was || !known.Applying {
		return now != known.Was, err
	}
	// Applying was interrupted: it may be what is in the layer already. How far that had got in a directory is not known.
	info, err := l.disk.lstat(at)
	if errors.Is(err, fs.ErrNotExist) {
		return now != "" && !strings.HasPrefix(known.Was, directoryPrint), nil
	}
	if err != nil || info.IsDir() || now == "" {
		return false, err
	}
	applied, err := fingerprint(l.disk, at)
	return now != applied && !strings.HasPrefix(known.Was, directoryPrint), err
}

// Apply implements [vfs.Layer].
func (p *layerProject) Apply(ctx context.Context, names ...string) ([]vfs.Difference, error) {
	return p.settleLayer(ctx, names, func(c *core, all []vfs.Difference) (done int, err error) {
		infos := make([]fs.FileInfo, len(all))
		for i, d := range all {
			if infos[i], err = p.l.applicable(c, d); err != nil {
				return 0, fsys.PathError("apply", d.Path, err)
			}
		}
		if err := p.l.beginApplying(all); err != nil {
			return 0, err
		}
		for i, d := range all {
			if err = ctx.Err(); err == nil {
				err = p.l.apply(d, infos[i])
			}
			if err != nil {
				return i, errors.Join(fsys.PathError("apply", d.Path, err), p.l.endApplying(all, i))
			}
		}
		return len(all), nil
	})
}

// applicable checks that a difference can be applied, before anything is changed, and describes what the layer has.
func (l *layered) applicable(c *core, d vfs.Difference) (fs.FileInfo, error) {
	// No layer may hold anything that is protected, but who knows who has made this one.
	if err := c.guard(d.Path, d.Op == vfs.OpMkdir); err != nil {
		return nil, err
	}
	if d.Op != vfs.OpRemove {
		info, err := l.lstat(d.Path)
		if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			err = fsys.ErrNotFollowed
		}
		return info, err
	}
	info, err := l.below.lstat(d.Path)
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
			begun = append(begun, known)
		}
	}
	if begun == nil {
		return nil
	}
	return l.notes.put(math.MaxInt64, begun...)
}

// endApplying makes the notes right after applying has failed: what is done is noted as it is now, or dropped.
func (l *layered) endApplying(all []vfs.Difference, done int) error {
	var ended []note
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
		_, statErr := l.disk.lstat(at)
		switch applied := i < done && at == d.Path; {
		case applied && (d.Op == vfs.OpCreate || d.Op == vfs.OpWrite):
			if err := l.dropFiles(at); err != nil {
				return err
			}
			known.Dropped = true
		case applied && (d.Op == vfs.OpMkdir || errors.Is(statErr, fs.ErrNotExist)):
			known.Dropped = true
		case i <= done: // what failed may have been done in part
			if known.Was, err = fingerprint(l.below, at); err != nil {
				return err
			}
		}
		known.Applying = false
		ended = append(ended, known)
	}
	if ended == nil {
		return nil
	}
	return l.notes.put(math.MaxInt64, ended...)
}

// Discard implements [vfs.Layer].
func (p *layerProject) Discard(ctx context.Context, names ...string) ([]vfs.Difference, error) {
	return p.settleLayer(ctx, names, nil)
}

// settleLayer does something with the differences at the names, if do is not nil, and drops them from the layer then.
// do returns how many it has done.
func (p *layerProject) settleLayer(
	ctx context.Context, names []string, do func(c *core, all []vfs.Difference) (int, error),
) (done []vfs.Difference, err error) {
	err = p.change(ctx, func(c *core) error {
		tops, err := p.l.tops(names)
		if err != nil {
			return err
		}
		found, err := p.l.search(ctx)
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
		size, err := c.sizeOf("/")
		c.state.bytes, c.state.files = size.bytes, size.files-1
		return err
	})
	return done, err
}

// tops returns the clean paths of names, or the root if there are none. What is in a directory that hides the one below
// is settled with that.
func (l *layered) tops(names []string) ([]string, error) {
	if len(names) == 0 {
		return []string{"/"}, nil
	}
	tops := make([]string, len(names))
	for i, name := range names {
		clean, err := vfs.Clean(name)
		if err != nil {
			return nil, fsys.PathError("apply", name, err)
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

// apply makes what is below as it is in the layer, at one path.
func (l *layered) apply(d vfs.Difference, info fs.FileInfo) error {
	if err := l.below.parents(d.Path); err != nil {
		return err
	}
	defer l.below.names.forget(path.Dir(d.Path))
	name := local(d.Path)
	switch d.Op {
	case vfs.OpRemove:
		return l.below.root.RemoveAll(name)
	case vfs.OpMkdir:
		if err := l.below.root.Mkdir(name, info.Mode().Perm()); err != nil {
			return err
		}
		return l.below.root.Chmod(name, info.Mode().Perm())
	}
	source, err := l.open(d.Path, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer source.Close()
	temp := path.Join(path.Dir(name), vfs.Reserved+"-"+rand.Text())
	target, err := l.below.root.OpenFile(temp, openNew, 0o600)
	if err != nil {
		return err
	}
	err = errors.Join(copyContent(target, source), target.Sync(), target.Close(),
		l.below.root.Chmod(temp, info.Mode().Perm()), l.below.root.Chtimes(temp, info.ModTime(), info.ModTime()))
	if err == nil {
		err = l.below.root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, l.below.root.Remove(temp))
	}
	return l.below.sync(path.Dir(d.Path))
}

// drop removes what is at some paths from the layer, and what is noted about them.
func (l *layered) drop(tops []string) error {
	for _, top := range tops {
		if err := l.dropFiles(top); err != nil {
			return err
		}
		if err := l.notes.drop(top); err != nil {
			return err
		}
	}
	return nil
}

// dropFiles removes what is at a path from the layer.
func (l *layered) dropFiles(top string) error {
	dropped := []string{top}
	if top == "/" {
		infos, err := l.disk.readDir("/")
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
		if err := l.disk.removeAll(name); err != nil && !errors.Is(err, fsys.ErrNotDir) {
			return err
		}
	}
	// Directories that were only made for this are those below again.
	for dir := path.Dir(top); dir != "/"; dir = path.Dir(dir) {
		if _, err := l.below.lstat(dir); err != nil || l.disk.remove(dir) != nil {
			break
		}
	}
	return nil
}
