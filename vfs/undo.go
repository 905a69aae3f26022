package vfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// An UndoError says why the changes of a call cannot be undone. Nothing has been changed.
type UndoError struct {
	// Call is the call, or the number of the change behind a "#".
	Call string
	// Reasons say what is in the way, each with the path; not more than 20.
	Reasons []string
}

func (e *UndoError) Error() string {
	return fmt.Sprintf("cannot undo %s: %s", e.Call, strings.Join(e.Reasons, "; "))
}

// Undo undoes the changes of a call, all of them or none, and lists them, latest first. The id is one that
// [Project.WithCall] got, or the number of a change behind a "#"; "" means the latest call that has not been undone.
// The error is an [*UndoError] if files have been changed since, by another call or from outside, and ErrNotKept if
// there is nothing to undo.
//
// Permissions and times are not undone. Undoing is recorded in the history like other changes. If it is interrupted, by
// a quota or the end of the process, doing it again completes it.
func (p *Project) Undo(ctx context.Context, id string) (undone []Change, err error) {
	err = p.change(ctx, func(c *core) error {
		all, err := c.changes(c.state.oldest)
		if err != nil {
			return err
		}
		if !strings.HasPrefix(id, "#") {
			id = callID(id)
		}
		u, err := planUndo(all, id)
		if err != nil {
			return err
		}
		if reasons := append(u.conflicts(), u.outside(c)...); len(reasons) > 0 {
			return &UndoError{u.unit, reasons}
		}
		c.keepAll = true // what is needed must not make way for the record of undoing
		defer func() { c.keepAll = false }()
		for _, e := range slices.Backward(u.changes) {
			undone = append(undone, Change{e.Number, e.Time, e.Call, e.Op, e.Path, e.To, e.Kept, e.Lost, e.Undoes})
			undoing := *p
			undoing.call = &call{undoes: u.unit, reverses: e.Number}
			if err := undoing.reverse(c, e, u.reversed[e.Number]); err != nil {
				return pathError("undo", e.Path, err)
			}
		}
		c.keepAll = false
		done := *p
		done.call = &call{undoes: u.unit}
		_, err = done.record(c, change{Op: OpUndone})
		return err
	})
	if err != nil {
		return nil, err
	}
	return undone, nil
}

// An undo is what is to be undone.
type undo struct {
	unit    string
	changes []change
	// later are the changes of others that have not been undone.
	later []change
	// reversed is what an undo that was interrupted has already done to reverse a change.
	reversed map[int64][]Op
}

func planUndo(all []change, call string) (*undo, error) {
	undone := map[string]bool{}
	for _, e := range all {
		if e.Op == OpUndone {
			undone[e.Undoes] = true
		}
	}
	u := &undo{unit: call, reversed: map[int64][]Op{}}
	for _, e := range slices.Backward(all) {
		if u.unit == "" && e.Undoes == "" && !undone[e.unit()] {
			u.unit = e.unit()
		}
	}
	if undone[u.unit] {
		return nil, &UndoError{u.unit, []string{"it has been undone already"}}
	}
	for _, e := range all {
		switch {
		case e.Undoes == u.unit:
			u.reversed[e.Reverses] = append(u.reversed[e.Reverses], e.Op)
		case e.Undoes == "" && e.unit() == u.unit:
			u.changes = append(u.changes, e)
		case len(u.changes) > 0 && !undone[e.unit()] && !undone[e.Undoes]:
			u.later = append(u.later, e)
		}
	}
	if len(u.changes) == 0 {
		if call == "" {
			return nil, fmt.Errorf("there is nothing to undo: %w", ErrNotKept)
		}
		return nil, fmt.Errorf("there are no changes by %s: %w", call, ErrNotKept)
	}
	if u.changes[0].Part != 0 {
		return nil, &UndoError{u.unit, []string{"the history no longer has its first changes"}}
	}
	return u, nil
}

// maxReasons is how many reasons an UndoError names.
const maxReasons = 20

// conflicts names what others have changed since.
func (u *undo) conflicts() []string {
	at, below := u.touched()
	seen := map[string]bool{}
	for _, e := range u.changes {
		if len(seen) == maxReasons {
			break
		}
		if e.Lost && !u.own(e.target()) {
			seen[e.target()+" was too large to keep"] = true
		}
		for _, name := range []string{e.Path, e.To} {
			if name == "" {
				continue
			}
			found, by := "", ""
			for dir := name; dir != "/" && by == ""; dir = path.Dir(dir) {
				found, by = dir, at[dir]
			}
			if by == "" && e.Op != OpMkdir { // a directory that has got something in it can stay
				found = below[name]
				by = at[found]
			}
			if by != "" {
				seen[found+" has been changed since by "+by] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// touched returns who has changed a path since, and for each directory such a path below it.
func (u *undo) touched() (at, below map[string]string) {
	at, below = map[string]string{}, map[string]string{}
	for _, l := range u.later {
		by := "change " + l.unit()
		if l.Call != "" {
			by = l.Call
		}
		for _, name := range []string{l.Path, l.To} {
			if name == "" {
				continue
			}
			at[name] = by
			for dir := path.Dir(name); dir != "/" && below[dir] == ""; dir = path.Dir(dir) {
				below[dir] = name
			}
		}
	}
	return at, below
}

// own reports whether the changes made something themselves, so that its loss is none.
func (u *undo) own(name string) bool {
	made := false
	for _, e := range u.changes {
		if e.Op == OpRename {
			return false // it is not easy to say what is where
		}
		made = made || (e.Op == OpCreate || e.Op == OpMkdir) && within(name, e.Path)
	}
	return made
}

// outside names files that are not as the changes left them, although the history knows of no change.
func (u *undo) outside(c *core) []string {
	if len(u.reversed) > 0 {
		return nil
	}
	expect := map[string]*stamp{} // nil for what should not be there
	for _, e := range u.changes {
		switch e.Op {
		case OpCreate, OpWrite:
			delete(expect, e.Path)
			if e.After != nil {
				expect[e.Path] = e.After
			}
		case OpRemove, OpRename:
			moved := map[string]*stamp{}
			for name, s := range expect {
				if within(name, e.Path) {
					delete(expect, name)
					if e.To != "" && s != nil {
						moved[e.To+name[len(e.Path):]] = s
					}
				}
			}
			expect[e.Path] = nil
			delete(expect, e.To)
			for name, s := range moved {
				expect[name] = s
			}
		case OpMkdir:
			delete(expect, e.Path)
		}
	}
	var reasons []string
	for name, s := range expect {
		if len(reasons) == maxReasons {
			break
		}
		info, err := c.b.lstat(name)
		switch {
		case s == nil && err == nil:
			reasons = append(reasons, name+" is there again")
		case s != nil && err != nil:
			reasons = append(reasons, name+" is no longer there")
		case s != nil && !s.matches(info):
			reasons = append(reasons, name+" has been changed since from outside")
		}
	}
	slices.Sort(reasons)
	return reasons
}

// reverse does the opposite of a change, as far as it has not been done.
func (p *Project) reverse(c *core, e change, done []Op) error {
	restored := slices.Contains(done, OpCreate) || slices.Contains(done, OpWrite)
	switch e.Op {
	case OpCreate:
		if slices.Contains(done, OpRemove) {
			return nil
		}
		return ignoreMissing(p.remove(c, e.Path))
	case OpMkdir:
		if slices.Contains(done, OpRemove) {
			return nil
		}
		infos, err := c.b.readDir(e.Path)
		if err != nil || len(infos) > 0 {
			return ignoreMissing(err)
		}
		return p.remove(c, e.Path)
	case OpWrite, OpRemove:
		if restored || e.Lost {
			return nil
		}
		return p.restore(c, keptFile(e.Number), e.Path)
	case OpRename:
		if !slices.Contains(done, OpRename) {
			if err := p.mkdirAll(c, path.Dir(e.Path), 0o755); err != nil {
				return err
			}
			if err := p.rename(c, e.To, e.Path); err != nil {
				return err
			}
		}
		if e.Kept && !restored {
			return p.restore(c, keptFile(e.Number), e.To)
		}
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
