package local

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"runtime"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// Differences implements [vfs.Layer].
func (p *layerProject) Differences(ctx context.Context) ([]vfs.Difference, error) {
	if p.Over() {
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
	shown, err := l.ReadDir(dir)
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, info := range shown {
		names[info.Name()] = true
	}
	// What is gone makes room first.
	below, err := l.below.ReadDir(dir)
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
		if _, err := l.disk.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			continue // it is what is below
		}
		was, err := l.below.Lstat(name)
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
	return project.SameContent(l.below, name, l.disk, name, was.Size())
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
	now, err := project.Fingerprint(l.below, at)
	if err != nil || now == known.Was || now == "" && known.Applying {
		return false, err
	}
	if !known.Applying {
		return true, nil
	}
	// Applying was interrupted: some of it is still what was there, and some already what is in the layer.
	info, err := l.below.Lstat(at)
	if err != nil {
		return false, err
	}
	return l.foreign(at, info, newEntrySet(known.Before), known.Hidden)
}

// foreign reports whether something below, at a path or, if the layer hides that, in it, is neither what was there
// before nor what is in the layer.
func (l *layered) foreign(name string, info fs.FileInfo, before entrySet, hidden bool) (bool, error) {
	if !before.has(name, info) {
		applied, err := l.disk.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fsys.ErrNotDir):
			return true, nil
		case err != nil:
			return false, err
		case applied.Mode().Type() != info.Mode().Type():
			return true, nil
		case info.Mode().IsRegular():
			same, err := l.sameFile(name, info, applied)
			return !same, err
		}
	}
	if !info.IsDir() || !hidden {
		return false, nil
	}
	infos, err := l.below.ReadDir(name)
	if err != nil {
		return false, err
	}
	for _, inside := range infos {
		if foreign, err := l.foreign(path.Join(name, inside.Name()), inside, before, true); foreign || err != nil {
			return foreign, err
		}
	}
	return false, nil
}
