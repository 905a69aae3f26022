package project

import (
	"context"
	"errors"
	"io/fs"

	"github.com/toolrun/toolrun/vfs"
)

// Delete marks the project as deleted, for all that have it open, and has it put away.
func (c *Core) Delete(ctx context.Context, away func() error) error {
	unlock, err := c.Lock(ctx, nil)
	if err != nil {
		return err
	}
	defer unlock()
	if s, err := ReadState(c.Backend); err == nil && s.Deleted && c.deletedForGood() {
		return vfs.ErrDeleted
	}
	gone := State{Deleted: true, Oldest: 1, Next: 1}
	if err := c.Backend.WriteState(gone.Encode()); err != nil {
		return err
	}
	if err := away(); err != nil {
		return errors.Join(err, c.Backend.WriteState(State{Dirty: true}.Encode()))
	}
	return nil
}

// deletedForGood reports, to whoever has the lock, whether a project that is marked as deleted is. Otherwise the
// process that marked it was killed before it could put it away.
func (c *Core) deletedForGood() bool { return c.Gone == nil || c.Gone() }

// IsDeleted reports whether the project has been deleted from its store, without waiting for the lock.
func (c *Core) IsDeleted() bool {
	if !c.InStore {
		return false // nobody deletes a directory that is not a store's
	}
	s, err := ReadState(c.Backend)
	return err == nil && s.Deleted || err != nil && c.Gone != nil && c.Gone()
}

// Revive takes back that a project is deleted if the process that was about to delete it was killed before that. It
// can then be used, or deleted again.
func (c *Core) Revive() error {
	if !c.IsDeleted() {
		return nil
	}
	unlock, err := c.Backend.Lock(false)
	if err == ErrLocked || errors.Is(err, fs.ErrNotExist) {
		return nil // it is just being deleted
	}
	if err != nil {
		return err
	}
	defer unlock()
	if s, err := ReadState(c.Backend); err != nil || !s.Deleted || c.Gone() {
		return nil
	}
	return c.Backend.WriteState(State{Dirty: true}.Encode())
}
