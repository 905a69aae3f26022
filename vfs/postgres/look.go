package postgres

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"

	"github.com/toolrun/toolrun/vfs/internal/project"
)

func (tx *transaction) Lstat(name string) (found fs.FileInfo, err error) {
	if h := tx.b.temp(name); h != nil {
		return h.Stat()
	}
	err = tx.read(func() error {
		e, err := tx.lookup(name)
		if err != nil {
			return err
		}
		if l := tx.b.live(e.ino); l != nil && !tx.files[l] && !e.isDir() {
			l.set(e, false) // nobody else changes it now
		}
		found = e.describe(lastName(name))
		return nil
	}, func() error {
		found, err = tx.b.Lstat(name)
		return err
	})
	return found, err
}

func (tx *transaction) Open(name string, flag int, perm fs.FileMode) (n project.Node, err error) {
	if path.Dir(name) == tempDir {
		return tx.b.openTemp(name, flag, perm)
	}
	err = tx.read(func() error {
		e, err := tx.find(name, flag == os.O_RDONLY)
		switch {
		case err == nil && flag&os.O_CREATE != 0 && flag&os.O_EXCL != 0:
			return syscall.EEXIST
		case err == nil:
			n, err = tx.b.handle(e, flag&os.O_RDWR != 0)
			return err
		case flag&os.O_CREATE == 0 || !errors.Is(err, syscall.ENOENT):
			return err
		}
		dir, base, err := tx.parent(name)
		if err != nil {
			return err
		}
		e = &entry{mode: int32(perm & fs.ModePerm)}
		e.setTime(now())
		tx.add(e)
		tx.place(e, dir.ino, base)
		n, err = tx.b.handle(e, flag&os.O_RDWR != 0)
		if err == nil {
			tx.edited(n.(*handle).live, e)
		}
		return err
	}, func() error {
		n, err = tx.b.Open(name, flag, perm)
		return err
	})
	return n, err
}

func (tx *transaction) ReadDir(name string) (infos []fs.FileInfo, err error) {
	err = tx.read(func() error {
		infos, err = tx.reader.readDir(name)
		return err
	}, func() error {
		infos, err = tx.b.ReadDir(name)
		return err
	})
	return infos, err
}

func (tx *transaction) Twin(dir, base string) (name string, err error) {
	err = tx.read(func() error {
		name, err = tx.twin(dir, base)
		return err
	}, func() error {
		name, err = tx.b.Twin(dir, base)
		return err
	})
	return name, err
}
