package postgres

import (
	"errors"
	"syscall"
)

func (tx *transaction) Remove(name string) error { return tx.remove(name, false) }

func (tx *transaction) RemoveAll(name string) error {
	err := tx.remove(name, true)
	if errors.Is(err, syscall.ENOENT) {
		return nil
	}
	return err
}

func (tx *transaction) remove(name string, all bool) error {
	if tx.b.temp(name) != nil {
		return tx.b.Remove(name)
	}
	return tx.do(func() error {
		if name == "/" || ownEntryOf(name) != nil {
			return syscall.EBUSY
		}
		e, err := tx.lookup(name)
		if err != nil {
			return err
		}
		if e.isDir() {
			if all {
				err = tx.tree(e.ino)
			}
			if err != nil {
				return err
			}
			inside, err := tx.list(e.ino)
			if err != nil {
				return err
			}
			if len(inside) > 0 && !all {
				return syscall.ENOTEMPTY
			}
		}
		return tx.takeAll(e)
	})
}

func (tx *transaction) takeAll(e *entry) error {
	if e.isDir() {
		inside, err := tx.list(e.ino)
		if err != nil {
			return err
		}
		for _, in := range inside {
			if err := tx.takeAll(in); err != nil {
				return err
			}
		}
	}
	tx.take(e)
	return nil
}
