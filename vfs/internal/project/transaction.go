package project

import (
	"context"
	"io/fs"
	"time"
)

// A Transactional is a [Backend] on which the changes that are made under the lock take effect together, when it is
// given back. Others do not see them before, and if that fails, nothing has happened. Lock is not called, nor Claim and
// Alive: temporary files are this process's own, and are gone with it.
type Transactional interface {
	Backend
	// Begin takes the lock. hint, if not "", is a path that is going to be looked at.
	Begin(ctx context.Context, hint string) (Tx, error)
	// Snapshot returns the files as they are now, for looking at some paths around a hint, and for nothing else but
	// temporary files.
	Snapshot(hint string) Backend
	// Known returns the state as this process has seen it last, if it has.
	Known() (s State, ok bool)
}

// A Tx is a project as whoever has its lock sees and changes it. After Commit it is what others see.
type Tx interface {
	Backend
	Journal
	// State returns the state, and when the oldest change in the history was made.
	State() (s State, oldest time.Time)
	// Commit gives the lock back. What has been changed takes effect with the state, durably, or not at all.
	Commit(s State) error
}

// A Journal is a [Backend] that keeps descriptions of changes by itself.
type Journal interface {
	// Describe adds a change, or changes its description: see [Change].
	Describe(e Change) error
	// ReadChange returns the change with a number. The error is fs.ErrNotExist if there is none.
	ReadChange(number int64) (Change, error)
	// Changes returns all changes from a number on, the oldest first.
	Changes(oldest int64) ([]Change, error)
	// ChangesOf returns all changes that concern a unit, the oldest first: see [Change.Concerns].
	ChangesOf(unit string) ([]Change, error)
	// DropChange drops the oldest change.
	DropChange(number int64) error
}

// A cloner is a [Backend] that can copy a file or a directory, with times and permissions, to a name that is not taken.
type cloner interface {
	Clone(old, name string) error
}

// beginTx is begin for a transaction.
func (c *Core) beginTx(
	ctx context.Context, done <-chan struct{}, t Transactional, hint string,
) (inside *Core, end func() error, err error) {
	if err := c.takeTurn(ctx, done); err != nil {
		return nil, nil, err
	}
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-done:
			stop()
		case <-waiting.Done():
		}
	}()
	tx, err := t.Begin(waiting, hint)
	if err != nil {
		<-c.turn
		if ctx.Err() == nil && waiting.Err() != nil {
			err = fs.ErrClosed
		}
		return nil, nil, err
	}
	c.recorded, c.makers = Change{}, nil
	c.State, c.oldestTime = tx.State()
	c.Counted.Store(true)
	c.setBase()
	return &Core{tx, c.shared}, func() error {
		defer func() { <-c.turn }()
		err := tx.Commit(c.State)
		if err != nil {
			c.forgetLost()
		}
		return err
	}, nil
}

// forgetLost forgets what has been recorded since taking the lock.
func (c *Core) forgetLost() {
	for own, parts := range c.makers {
		own.parts, own.written, own.next = parts, nil, 0
	}
	c.lost++
}
