package postgres

import (
	"errors"
	"slices"
	"syscall"

	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// Rename implements [project.Backend].
func (tx *transaction) Rename(old, name string) error {
	return tx.do(func() error {
		h := tx.b.temp(old)
		var e *entry
		var err error
		if h == nil {
			if e, err = tx.lookup(old); err != nil {
				return err
			}
		}
		dir, base, err := tx.parent(name)
		if err != nil {
			return err
		}
		there, err := tx.lookup(name)
		switch {
		case err != nil && !errors.Is(err, syscall.ENOENT):
			return err
		case err == nil && there == e:
			return nil
		case err == nil && there.isDir():
			return syscall.EEXIST
		case err == nil && e != nil && e.isDir():
			return fsys.ErrNotDir
		case e != nil && e.isDir() && tx.isIn(dir.ino, e):
			return syscall.EINVAL
		}
		if h != nil {
			if e, err = tx.fill(h); err != nil {
				return err
			}
		} else {
			tx.take(e)
		}
		if there != nil {
			tx.replaced(there)
		}
		tx.place(e, dir.ino, base)
		if h != nil {
			tx.put(old, h, e)
		}
		return nil
	})
}

// isIn reports whether a directory is one, or in it.
func (tx *transaction) isIn(dir int64, e *entry) bool {
	for dir > tempIno {
		if dir == e.ino {
			return true
		}
		d, err := tx.byIno(dir)
		if err != nil {
			return true
		}
		dir = d.dir
	}
	return false
}

// replaced removes a file that another one replaces.
func (tx *transaction) replaced(e *entry) {
	kept := tx.linked[e]
	delete(tx.linked, e)
	if kept == nil || kept.dir == nowhere || !slices.Equal(kept.parts, e.parts) {
		tx.take(e)
		return
	}
	dir, name := kept.dir, kept.name
	tx.take(kept)
	delete(tx.was, kept.ino)
	delete(tx.entries, kept.ino)
	tx.take(e)
	e.mode, e.sec, e.nsec = kept.mode, kept.sec, kept.nsec
	tx.place(e, dir, name)
}
