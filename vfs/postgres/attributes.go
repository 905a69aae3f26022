package postgres

import (
	"io/fs"
	"time"
)

func (tx *transaction) Chmod(name string, mode fs.FileMode) error {
	if h := tx.b.temp(name); h != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.mode = int32(mode & fs.ModePerm)
		return nil
	}
	return tx.do(func() error {
		e, err := tx.lookup(name)
		if err != nil {
			return err
		}
		tx.change(e)
		e.mode = e.mode&dirMode | int32(mode&fs.ModePerm)
		return tx.tell(e)
	})
}

// Chtimes leaves the time as it is if mtime is zero, as [os.Chtimes] does. There are no times of access.
func (tx *transaction) Chtimes(name string, _, mtime time.Time) error {
	if mtime.IsZero() {
		return nil
	}
	if h := tx.b.temp(name); h != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.changed = mtime.Round(0).Local()
		return nil
	}
	return tx.do(func() error {
		e, err := tx.lookup(name)
		if err != nil {
			return err
		}
		tx.change(e)
		e.setTime(mtime)
		delete(tx.touched, e.ino)
		return tx.tell(e)
	})
}
