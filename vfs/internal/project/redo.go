package project

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// CheckRedo implements [vfs.History].
func (p *Project) CheckRedo(ctx context.Context, id string) (unit string, err error) {
	return p.check(ctx, id, planRedo)
}

// Redo implements [vfs.History]: it reverses the changes by which Undo has reversed those of a call.
func (p *Project) Redo(ctx context.Context, id string) (redone []vfs.Change, err error) {
	err = p.Change(ctx, func(c *Core) error {
		u, err := c.possible(id, planRedo)
		if err != nil {
			return err
		}
		c.keepAll = true // what is needed must not make way for the record of redoing
		defer func() { c.keepAll = false }()
		redoing := *p
		redoing.call = &call{id: fsys.CallID("redo-" + rand.Text()), redoes: u.unit}
		if p.call != nil && p.call.id != "" {
			redoing.call.id, redoing.call.parts = p.call.id, p.call.parts
			defer func() { p.call.parts = redoing.call.parts }()
		}
		var trees restoredTrees
		for _, e := range slices.Backward(u.changes) {
			redone = append(redone, e.public())
			if u.left(e) {
				continue
			}
			if err := redoing.reverse(c, e, nil); err != nil {
				return fsys.PathError("redo", e.Path, err)
			}
			trees.reversed(e, redoing.call)
		}
		return c.stampTrees(trees)
	})
	if err != nil {
		return nil, err
	}
	return redone, nil
}

// planRedo finds the changes that undid a call, and those that have been made since.
func planRedo(c *Core, past past, unit string) (*undo, error) {
	if unit == "" {
		unit = c.latestUndone()
	}
	if unit == "" {
		return nil, fmt.Errorf("there is nothing to redo: %w", vfs.ErrNotKept)
	}
	own, err := past.of(unit)
	if err != nil {
		return nil, err
	}
	undone, redone := false, false
	u := &undo{unit: unit, redo: true}
	for _, e := range own {
		switch {
		case e.Redoes == unit:
			redone = true
		case e.Undoes == unit && e.Op == vfs.OpUndone:
			undone = true
		case e.Undoes == unit:
			u.changes = append(u.changes, e)
		}
	}
	switch {
	case !undone:
		return nil, fmt.Errorf("%s has not been undone: %w", unit, vfs.ErrNotKept)
	case redone:
		return nil, &vfs.UndoError{Call: unit, Redo: true, Reasons: []string{"it has been redone already"}}
	case len(u.changes) == 0:
		return u, nil
	}
	since, err := past.from(u.changes[0].Number)
	for _, e := range standing(since) {
		if e.Redoes == "" && e.Undoes != unit {
			u.later = append(u.later, e)
		}
	}
	return u, err
}

// latestUndone returns the unit that has been undone last and not redone, or "" if something else has changed since.
func (c *Core) latestUndone() string {
	redone := map[string]bool{}
	for e := range c.backwards() {
		if e.Op == vfs.OpUndone && !redone[e.Undoes] {
			return e.Undoes
		}
		if e.Redoes != "" {
			redone[e.Redoes] = true
		}
		if e.Undoes == "" && e.Redoes == "" && e.Op != vfs.OpPurged {
			break // after it, redoing is no longer what would be expected
		}
	}
	return ""
}
