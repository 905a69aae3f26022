package postgres

import (
	"bytes"
	"errors"
	"io/fs"
	"syscall"
)

// Mkdir implements [project.Backend]. What is the project's own is always there.
func (tx *transaction) Mkdir(name string, perm fs.FileMode) error {
	if ownEntryOf(name) != nil {
		return syscall.EEXIST
	}
	return tx.do(func() error {
		if _, err := tx.lookup(name); !errors.Is(err, syscall.ENOENT) {
			return orExists(err)
		}
		dir, base, err := tx.parent(name)
		if err != nil {
			return err
		}
		e := &entry{mode: dirMode | int32(perm&fs.ModePerm)}
		e.setTime(now())
		tx.add(e)
		tx.place(e, dir.ino, base)
		return nil
	})
}

func orExists(err error) error {
	if err == nil {
		return syscall.EEXIST
	}
	return err
}

// Link implements [project.Backend]. Files have one name each, so this makes a copy. But if the file is then replaced,
// as after keeping what it was, it moves to where the copy is.
func (tx *transaction) Link(old, name string) error {
	return tx.do(func() error {
		e, err := tx.lookup(old)
		if err != nil {
			return err
		}
		if e.isDir() {
			return syscall.EPERM
		}
		copied, err := tx.clone(e, name)
		if err == nil {
			tx.linked[e] = copied
		}
		return err
	})
}

// Preload implements [project.Preloader].
func (tx *transaction) Preload(dir string) error {
	return tx.do(func() error {
		e, err := tx.lookup(dir)
		if err != nil {
			return err
		}
		return tx.tree(e.ino)
	})
}

// SameContent implements [project.Comparer].
func (tx *transaction) SameContent(a, b fs.FileInfo) bool {
	same := false
	err := tx.do(func() error {
		x, err1 := tx.byIno(inoOf(a))
		y, err2 := tx.byIno(inoOf(b))
		same = err1 == nil && err2 == nil && x.size == y.size && bytes.Equal(x.parts, y.parts)
		return nil
	})
	return err == nil && same
}

func inoOf(info fs.FileInfo) int64 {
	ino, _ := info.Sys().(int64)
	return ino
}

// clone makes a copy of a file under a name that is not taken.
func (tx *transaction) clone(e *entry, name string) (*entry, error) {
	dir, base, err := tx.parent(name)
	if err != nil {
		return nil, err
	}
	copied := *e
	tx.add(&copied)
	tx.place(&copied, dir.ino, base)
	return &copied, nil
}

// Clone implements [project.Cloner].
func (tx *transaction) Clone(old, name string) error {
	return tx.do(func() error {
		e, err := tx.lookup(old)
		if err != nil {
			return err
		}
		if e.isDir() {
			if err := tx.tree(e.ino); err != nil {
				return err
			}
		}
		return tx.cloneAll(e, name)
	})
}

func (tx *transaction) cloneAll(e *entry, name string) error {
	copied, err := tx.clone(e, name)
	if err != nil || !e.isDir() {
		return err
	}
	inside, err := tx.list(e.ino)
	if err != nil {
		return err
	}
	for _, in := range inside {
		if err := tx.cloneAll(in, name+"/"+in.name); err != nil {
			return err
		}
	}
	delete(tx.touched, copied.ino) // it has the time of the other one
	copied.sec, copied.nsec = e.sec, e.nsec
	return nil
}
