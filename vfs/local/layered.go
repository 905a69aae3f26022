package local

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// A layered is a backend that shows a directory of the host, and never changes it: everything that is different, and
// what is the project's own, is in another directory, the layer. What the layer has hides what is below. That something
// below is not to be seen is in the notes.
type layered struct {
	*disk // the layer
	below *disk
	notes layerNotes
	// durable says that changes outlast a failure of the system.
	durable bool
}

var _ project.Backend = (*layered)(nil)

func (l *layered) HostDir() *os.Root { return l.below.root }

// isOwn reports whether a name is for the project's own use, and not one of its files.
func isOwn(name string) bool { return vfs.Within(name, "/"+vfs.Reserved) }

// lookBelow describes what is below at a name, if it is to be seen.
func (l *layered) lookBelow(name string) (fs.FileInfo, error) {
	if isOwn(name) {
		return nil, syscall.ENOENT
	}
	hidden, err := l.notes.hide(name)
	if err != nil {
		return nil, err
	}
	if hidden != "" {
		return nil, syscall.ENOENT
	}
	return l.below.Lstat(name)
}

func (l *layered) Lstat(name string) (fs.FileInfo, error) {
	info, err := l.disk.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return l.lookBelow(name)
	}
	return info, err
}

func (l *layered) Open(name string, flag int, perm fs.FileMode) (project.Node, error) {
	if isOwn(name) {
		return l.disk.Open(name, flag, perm)
	}
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE) == 0 {
		n, err := l.disk.Open(name, flag, perm)
		if !errors.Is(err, fs.ErrNotExist) {
			return n, err
		}
		if _, err := l.lookBelow(name); err != nil {
			return nil, err
		}
		return l.below.Open(name, flag, perm)
	}
	if err := l.cover(name, flag&os.O_CREATE != 0); err != nil {
		return nil, err
	}
	return l.disk.Open(name, flag, perm)
}

func (l *layered) ReadDir(name string) ([]fs.FileInfo, error) {
	infos, err := l.disk.ReadDir(name)
	if isOwn(name) || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return infos, err
	}
	if info, belowErr := l.lookBelow(name); errors.Is(belowErr, fs.ErrNotExist) ||
		belowErr == nil && !info.IsDir() && err == nil {
		return infos, err
	} else if belowErr != nil {
		return nil, belowErr
	}
	more, err := l.below.ReadDir(name)
	if err != nil {
		return nil, err
	}
	seen := map[string]bool{vfs.Reserved: true}
	for _, info := range infos {
		seen[info.Name()] = true
	}
	for _, info := range more {
		clean, ok := vfs.CleanName(info.Name())
		if seen[info.Name()] || ok && seen[clean] {
			continue
		}
		if hidden, err := l.notes.hide(path.Join(name, clean)); err != nil {
			return nil, err
		} else if hidden == "" || !ok {
			infos = append(infos, info)
		}
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int { return strings.Compare(a.Name(), b.Name()) })
	return infos, nil
}

// cover gets ready to change something: it is copied into the layer with the directories that it is in, and noted as it
// is below. If it may be missing, only the directories are.
func (l *layered) cover(name string, missing bool) error {
	if err := l.coverAround(name); err != nil || name == "/" || isOwn(name) {
		return err
	}
	if _, err := l.disk.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	info, err := l.lookBelow(name)
	switch {
	case missing && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return l.coverDirs(name)
	}
	return l.copyUp(name, info)
}

// coverAround gets ready to put something else in the place of a file, or where there is none.
func (l *layered) coverAround(name string) error {
	if name == "/" || isOwn(name) {
		return nil
	}
	if err := l.coverDirs(path.Dir(name)); err != nil {
		return err
	}
	return l.notes.cover(name, l.below)
}

// coverDirs makes the directories of a path in the layer that are below.
func (l *layered) coverDirs(dir string) error {
	if _, err := l.disk.Lstat(dir); dir == "/" || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := l.coverDirs(path.Dir(dir)); err != nil {
		return err
	}
	info, err := l.lookBelow(dir)
	if err != nil {
		return err
	}
	if err := l.disk.Mkdir(dir, info.Mode().Perm()|0o700); err != nil {
		return err
	}
	return errors.Join(l.disk.Chmod(dir, info.Mode().Perm()|0o700), l.disk.Chtimes(dir, info.ModTime(), info.ModTime()))
}

// copyUp copies a file into the layer. What covers a file is whole before it does.
func (l *layered) copyUp(name string, info fs.FileInfo) error {
	temp := project.TempDir + "/layer-" + rand.Text()
	return project.Copier{From: l.below, To: l.disk, Durable: l.durable}.Whole(name, temp, name, info)
}

// coverTree covers a file, or a directory with all that is in it.
func (l *layered) coverTree(name string, info fs.FileInfo) error {
	if err := l.cover(name, false); err != nil || !info.IsDir() {
		return err
	}
	infos, err := l.ReadDir(name)
	if err != nil {
		return err
	}
	for _, inside := range infos {
		if clean, ok := reached(l.Lstat, name, inside); ok && (inside.IsDir() || inside.Mode().IsRegular()) {
			if err := l.coverTree(clean, inside); err != nil {
				return err
			}
		}
	}
	return nil
}

// reached returns the path that leads to an entry of a directory, if one does.
func reached(lstat func(name string) (fs.FileInfo, error), dir string, inside fs.FileInfo) (name string, ok bool) {
	name, err := vfs.Clean(dir + "/" + inside.Name())
	if err != nil || path.Dir(name) != dir {
		return "", false
	}
	if path.Base(name) != inside.Name() { // perhaps the host knows it only by its own form
		_, err = lstat(name)
	}
	return name, err == nil
}

// allCovered checks that coverTree skips nothing in a directory.
func (l *layered) allCovered(dir string) error {
	if _, err := l.below.Lstat(path.Join(dir, vfs.Reserved)); err == nil { // readDir does not show it
		if _, err := l.lookBelow(dir); err == nil {
			return &vfs.UncoveredError{Path: path.Join(dir, vfs.Reserved)}
		}
	}
	infos, err := l.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, inside := range infos {
		name, ok := reached(l.Lstat, dir, inside)
		if !ok || !inside.IsDir() && !inside.Mode().IsRegular() {
			return &vfs.UncoveredError{Path: path.Join(dir, inside.Name())}
		}
		if inside.IsDir() {
			if err := l.allCovered(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// allShown checks that a directory below has nothing in it that no path leads to, and that nobody has seen therefore.
func (l *layered) allShown(dir string) error {
	infos, err := l.below.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, inside := range infos {
		name, ok := reached(l.below.Lstat, dir, inside)
		if !ok {
			return &vfs.UncoveredError{Path: path.Join(dir, inside.Name())}
		}
		if inside.IsDir() {
			if err := l.allShown(name); err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *layered) Mkdir(name string, perm fs.FileMode) error {
	if isOwn(name) {
		return l.disk.Mkdir(name, perm)
	}
	if _, err := l.Lstat(name); err == nil {
		return syscall.EEXIST
	}
	if err := l.coverAround(name); err != nil {
		return err
	}
	return l.disk.Mkdir(name, perm)
}

func (l *layered) Link(old, name string) error {
	if _, err := l.disk.Lstat(old); err != nil {
		return syscall.EXDEV // what is below is not to have other names
	}
	return l.disk.Link(old, name)
}

func (l *layered) Rename(old, name string) error {
	if isOwn(old) {
		if err := l.coverAround(name); err != nil {
			return err
		}
		return l.disk.Rename(old, name)
	}
	info, err := l.Lstat(old)
	if err != nil {
		return err
	}
	if vfs.Within(name, project.TempDir) { // to be removed: what is below need not be copied for that
		if err := l.notes.cover(old, l.below); err != nil {
			return err
		}
	} else {
		if info.IsDir() && !isOwn(name) { // what goes into the history is removed as well
			if err := l.allCovered(old); err != nil {
				return err
			}
		}
		if err := l.coverTree(old, info); err != nil {
			return err
		}
		if err := l.coverAround(name); err != nil {
			return err
		}
	}
	// Until it is renamed, what is in the layer is still to be seen.
	if err := l.hide(old); err != nil {
		return err
	}
	err = l.disk.Rename(old, name)
	if errors.Is(err, fs.ErrNotExist) && vfs.Within(name, project.TempDir) {
		err = nil // there was nothing of it in the layer
	}
	if err != nil {
		return err
	}
	return l.notes.release(old, info.IsDir())
}

// hide hides what is below at a name, if there is something.
func (l *layered) hide(name string) error {
	if _, err := l.lookBelow(name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return l.notes.add(note{Path: name, Hidden: true}, l.below)
}

func (l *layered) Remove(name string) error {
	if isOwn(name) {
		return l.disk.Remove(name)
	}
	if infos, err := l.ReadDir(name); err == nil && len(infos) > 0 {
		return syscall.ENOTEMPTY
	}
	if _, err := l.Lstat(name); err != nil {
		return err
	}
	return l.RemoveAll(name)
}

func (l *layered) RemoveAll(name string) error {
	if isOwn(name) {
		return l.disk.RemoveAll(name)
	}
	if err := l.hide(name); err != nil {
		return err
	}
	if err := l.disk.RemoveAll(name); err != nil {
		return err
	}
	return l.notes.release(name, true)
}

func (l *layered) Chmod(name string, mode fs.FileMode) error {
	if err := l.cover(name, false); err != nil {
		return err
	}
	return l.disk.Chmod(name, mode)
}

func (l *layered) Chtimes(name string, atime, mtime time.Time) error {
	if err := l.cover(name, false); err != nil {
		return err
	}
	return l.disk.Chtimes(name, atime, mtime)
}

func (l *layered) Twin(dir, base string) (string, error) {
	if twin, err := l.disk.Twin(dir, base); twin != "" || err != nil {
		return twin, err
	}
	twin, err := l.below.Twin(dir, base)
	if twin == "" || err != nil {
		return "", err
	}
	if _, err := l.lookBelow(path.Join(dir, twin)); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return twin, nil
}

func (l *layered) Linked(name string) (bool, error) {
	if _, err := l.disk.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return false, nil // it is copied before it is changed
	}
	return l.disk.Linked(name)
}

// Sync makes what has changed in a directory durable, and what is noted: it can be all that has changed.
func (l *layered) Sync(dir string) error {
	if err := l.notes.sync(); err != nil {
		return err
	}
	return l.disk.Sync(dir)
}

func (l *layered) Close() error { return errors.Join(l.notes.close(), l.disk.Close(), l.below.Close()) }
