package postgres

import (
	"path"
	"syscall"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// change is called before an entry changes.
func (tx *transaction) change(e *entry) {
	if _, ok := tx.was[e.ino]; !ok {
		was := *e
		tx.was[e.ino] = &was
	}
}

// add makes a new entry.
func (tx *transaction) add(e *entry) {
	e.ino = tx.nextIno
	tx.nextIno++
	tx.was[e.ino] = nil
	tx.entries[e.ino] = e
	if e.isDir() {
		tx.children(e.ino).all = true
	}
}

// place puts an entry, which is nowhere, into a directory.
func (tx *transaction) place(e *entry, dir int64, name string) {
	tx.change(e)
	e.dir, e.name, e.folded = dir, name, vfs.Fold(name)
	tx.children(dir).by[e.folded] = e
	tx.touch(dir)
}

// take takes an entry out of its directory.
func (tx *transaction) take(e *entry) {
	tx.change(e)
	tx.children(e.dir).by[e.folded] = nil
	tx.touch(e.dir)
	e.dir = nowhere
}

// nowhere is the directory of entries that have been removed.
const nowhere = -1

// touch notes that a directory has changed.
func (tx *transaction) touch(dir int64) {
	if dir != rootIno && dir <= tempIno {
		return
	}
	at := now()
	tx.touched[dir] = at
	if e := tx.entries[dir]; e != nil {
		e.setTime(at)
	}
}

// parent returns the directory of a path, and the last name of it.
func (tx *transaction) parent(name string) (dir *entry, base string, err error) {
	if name == "/" {
		return nil, "", syscall.EBUSY
	}
	if dir, base = ownEntryOf(path.Dir(name)), path.Base(name); dir != nil {
		return dir, base, nil
	}
	dir, err = tx.lookup(path.Dir(name))
	if err == nil && !dir.isDir() {
		err = fsys.ErrNotDir
	}
	return dir, base, err
}

// ownEntryOf returns the entry of a directory that is the project's own, or nil.
func ownEntryOf(name string) *entry {
	switch name {
	case ownDir:
		return ownEntry(ownIno)
	case historyDir:
		return ownEntry(historyIno)
	case tempDir:
		return ownEntry(tempIno)
	}
	return nil
}

// edited tells those in this process who have a file open that its content is another one.
func (tx *transaction) edited(l *live, e *entry) {
	tx.files[l] = true
	l.set(e, true)
}

// tell tells those who have a file open what it is like now.
func (tx *transaction) tell(e *entry) error {
	if l := tx.b.live(e.ino); l != nil {
		tx.edited(l, e)
	}
	return nil
}
