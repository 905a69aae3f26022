package local

import (
	"io/fs"
	"path"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/toolrun/toolrun/vfs"
)

// maxIndexed is how many directories a nameIndex remembers.
const maxIndexed = 64

// A nameIndex answers which names a directory has, regardless of case and Unicode form. It reads a directory once, and
// again when the time of its last change is another than it was. Hosts whose clocks are coarse can hide a change that
// somebody else makes at that very moment; then a name is allowed or refused that should not be, which harms nobody.
type nameIndex struct {
	read func(dir string) ([]string, error)
	stat func(name string) (fs.FileInfo, error)

	mu   sync.Mutex
	dirs map[string]*dirNames
}

type dirNames struct {
	changed time.Time
	byFold  map[string]string // folded to actual
}

// get returns the names of a directory, or nil if it cannot be read. x.mu must be held.
func (x *nameIndex) get(dir string) *dirNames {
	info, err := x.stat(local(dir))
	if err != nil {
		return nil
	}
	if known := x.dirs[dir]; known != nil && known.changed.Equal(info.ModTime()) {
		return known
	}
	names, err := x.read(dir)
	if err != nil {
		return nil
	}
	found := &dirNames{changed: info.ModTime(), byFold: make(map[string]string, len(names))}
	for _, name := range names {
		found.byFold[vfs.Fold(name)] = name
	}
	if len(x.dirs) >= maxIndexed || x.dirs == nil {
		x.dirs = map[string]*dirNames{}
	}
	x.dirs[dir] = found
	return found
}

// has reports whether there is a file of exactly this name, where the host would find it by others as well.
func (x *nameIndex) has(name string) bool {
	if name == "/" {
		return true
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	dir, base := path.Split(name)
	dir = path.Clean(dir)
	for range 2 {
		if names := x.get(dir); names != nil && norm.NFC.String(names.byFold[vfs.Fold(base)]) == base {
			return true
		}
		delete(x.dirs, dir) // the host has found something; its clock may have hidden that
	}
	return false
}

// twin returns the name in a directory that differs from base in case or Unicode form only.
func (x *nameIndex) twin(dir, base string) (string, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	names := x.get(dir)
	if names == nil {
		return "", nil // what comes next will find out why
	}
	if actual := names.byFold[vfs.Fold(base)]; actual != base {
		return actual, nil
	}
	return "", nil
}

// note is called before a name appears or disappears, and what it returns afterwards, so that the directory need not be
// read again.
func (x *nameIndex) note(name string) (done func(present bool)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	dir, base := path.Dir(name), path.Base(name)
	known := x.dirs[dir]
	info, err := x.stat(local(dir))
	if known == nil || err != nil || !known.changed.Equal(info.ModTime()) {
		delete(x.dirs, dir)
		return func(bool) {}
	}
	return func(present bool) {
		x.mu.Lock()
		defer x.mu.Unlock()
		info, err := x.stat(local(dir))
		if err != nil {
			delete(x.dirs, dir)
			return
		}
		known.changed = info.ModTime()
		if present {
			known.byFold[vfs.Fold(base)] = base
		} else if known.byFold[vfs.Fold(base)] == base {
			delete(known.byFold, vfs.Fold(base))
		}
	}
}

// forget drops what is known of a directory and those below it.
func (x *nameIndex) forget(dir string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for name := range x.dirs {
		if vfs.Within(name, dir) {
			delete(x.dirs, name)
		}
	}
}
