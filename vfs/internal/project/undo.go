package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// A planner finds what undoing or redoing a call has to reverse, or what is undone or redone by default if there is no
// id.
type planner func(c *Core, past past, id string) (*undo, error)

// possible plans an undo or a redo, and checks that nothing is in its way.
func (c *Core) possible(id string, plan planner) (*undo, error) {
	past, err := c.past()
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(id, "#") {
		id = fsys.CallID(id)
	}
	u, err := plan(c, past, id)
	if err != nil {
		return nil, err
	}
	reasons := append(u.conflicts(), u.outside(c)...)
	if len(u.changes) > 0 && !slices.ContainsFunc(u.changes, func(e Change) bool { return !u.left(e) }) {
		for _, e := range u.changes[:min(maxReasons, len(u.changes))] {
			reasons = append(reasons, "what "+shown(e.Path)+" was before has been purged")
		}
	}
	if len(reasons) > 0 {
		return nil, &vfs.UndoError{Call: u.unit, Redo: u.redo, Reasons: reasons}
	}
	return u, nil
}

// check returns what an undo or a redo would be of, if it is possible.
func (p *Project) check(ctx context.Context, id string, plan planner) (unit string, err error) {
	err = p.Change(ctx, func(c *Core) error {
		u, err := c.possible(id, plan)
		if err == nil {
			unit = u.unit
		}
		return err
	})
	return unit, err
}

// CheckUndo implements [vfs.History].
func (p *Project) CheckUndo(ctx context.Context, id string) (unit string, err error) {
	return p.check(ctx, id, planUndo)
}

// Undo implements [vfs.History].
func (p *Project) Undo(ctx context.Context, id string) (undone []vfs.Change, err error) {
	err = p.Change(ctx, func(c *Core) error {
		u, err := c.possible(id, planUndo)
		if err != nil {
			return err
		}
		c.keepAll = true // what is needed must not make way for the record of undoing
		defer func() { c.keepAll = false }()
		var trees restoredTrees
		for _, e := range slices.Backward(u.changes) {
			undone = append(undone, e.public())
			if u.left(e) {
				continue
			}
			undoing := *p
			undoing.call = &call{undoes: u.unit, reverses: e.Number}
			if err := undoing.reverse(c, e, u.reversed[e.Number]); err != nil {
				return fsys.PathError("undo", e.Path, err)
			}
			trees.reversed(e, undoing.call)
		}
		if err := c.stampTrees(trees); err != nil {
			return err
		}
		c.keepAll = false
		done := *p
		done.call = &call{undoes: u.unit}
		_, err = done.record(c, Change{Op: vfs.OpUndone})
		return err
	})
	if err != nil {
		return nil, err
	}
	return undone, nil
}

// An undo is what is to be undone or redone.
type undo struct {
	unit    string
	redo    bool
	changes []Change
	// later are the changes of others that have not been undone.
	later []Change
	// reversed is what an undo that was interrupted has already done to reverse a change.
	reversed map[int64][]vfs.Op
}

func planUndo(c *Core, past past, call string) (*undo, error) {
	u := &undo{unit: call, reversed: map[int64][]vfs.Op{}}
	if u.unit == "" {
		var err error
		if u.unit, err = c.latest(past); err != nil {
			return nil, err
		}
	}
	own, err := past.of(u.unit)
	if err != nil {
		return nil, err
	}
	for _, e := range own {
		switch {
		case e.Op == vfs.OpUndone && e.Undoes == u.unit:
			return nil, &vfs.UndoError{Call: u.unit, Reasons: []string{"it has been undone already"}}
		case e.Undoes == u.unit:
			u.reversed[e.Reverses] = append(u.reversed[e.Reverses], e.Op)
		case e.Undoes == "" && e.unit() == u.unit:
			u.changes = append(u.changes, e)
		}
	}
	if len(u.changes) == 0 {
		return nil, fmt.Errorf("there are no changes by %s: %w", u.unit, vfs.ErrNotKept)
	}
	if u.changes[0].Part != 0 {
		return nil, &vfs.UndoError{Call: u.unit, Reasons: []string{"the history no longer has its first changes"}}
	}
	u.changes = slices.DeleteFunc(u.changes, func(e Change) bool { return e.Op == vfs.OpPurged })
	if len(u.changes) == 0 {
		return nil, fmt.Errorf("%s has purged the history, which cannot be undone: %w", u.unit, vfs.ErrNotKept)
	}
	since, err := past.from(u.changes[0].Number)
	for _, e := range standing(since) {
		if e.Undoes != u.unit && (e.Undoes != "" || e.unit() != u.unit) {
			u.later = append(u.later, e)
		}
	}
	return u, err
}

// latest returns the unit with the latest change that has not been undone.
func (c *Core) latest(past past) (unit string, err error) {
	undone := map[string]bool{}
	for e := range c.backwards() {
		if e.Op == vfs.OpUndone {
			undone[e.Undoes] = true
		}
		if e.Undoes != "" || undone[e.unit()] || e.Op == vfs.OpPurged || e.spent() {
			continue
		}
		own, err := past.of(e.unit())
		if err != nil {
			return "", err
		}
		// A call can go on after it has been undone; that cannot be undone again.
		if !slices.ContainsFunc(own, func(o Change) bool { return o.Op == vfs.OpUndone && o.Undoes == e.unit() }) {
			return e.unit(), nil
		}
		undone[e.unit()] = true
	}
	return "", fmt.Errorf("there is nothing to undo: %w", vfs.ErrNotKept)
}

// maxReasons is how many reasons an vfs.UndoError names.
const maxReasons = 20

// conflicts names what others have changed since.
func (u *undo) conflicts() []string {
	at, below := u.touched()
	seen := map[string]bool{}
	for _, e := range u.changes {
		if len(seen) == maxReasons {
			break
		}
		if u.left(e) {
			continue
		}
		if e.Lost && !u.own(e.target()) {
			seen[shown(e.target())+" was too large to keep"] = true
		}
		if e.Special && !u.own(e.target()) {
			seen[e.target()+" was a link or a special file, which the history does not keep"] = true
		}
		if e.Thinned && !u.own(e.target()) {
			seen["the former content of "+shown(e.target())+" is no longer kept"] = true
		}
		for _, name := range []string{e.Path, e.To} {
			if name == "" {
				continue
			}
			found, by := "", ""
			for dir := name; dir != "/" && by == ""; dir = path.Dir(dir) {
				found, by = dir, at[dir]
			}
			if by == "" && e.Op != vfs.OpMkdir { // a directory that has got something in it can stay
				found = below[name]
				by = at[found]
			}
			if by != "" {
				seen[shown(found)+" has been changed since by "+by] = true
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
		if e.Op == vfs.OpRename {
			return false // it is not easy to say what is where
		}
		made = made || (e.Op == vfs.OpCreate || e.Op == vfs.OpMkdir) && vfs.Within(name, e.Path)
	}
	return made
}

// spent reports whether all that a change could bring back has been purged.
func (e *Change) spent() bool {
	return e.Purged != 0 && !e.Kept && (e.Op == vfs.OpWrite || e.Op == vfs.OpRemove)
}

// left reports whether what a change is about is left as it is: what it was before has been purged, or all of it has
// been removed with that.
func (u *undo) left(e Change) bool {
	return e.spent() || e.Op != vfs.OpRename && slices.ContainsFunc(u.later, func(l Change) bool {
		return l.removesPurged() && vfs.Within(e.Path, l.Path)
	})
}

// unknown stands for a stamp that the history does not have.
var unknown = &Stamp{}

// as reports whether a file or directory is as a stamp says.
func (c *Core) as(s *Stamp, name string, info fs.FileInfo) bool {
	if s.Tree == "" || !info.IsDir() {
		return s.Tree == "" && !info.IsDir() && s.matches(info)
	}
	tree, err := Fingerprint(c.Backend, name)
	return err == nil && tree == s.Tree
}

// outside names files that are not as the changes left them, although the history knows of no change.
func (u *undo) outside(c *Core) []string {
	if len(u.reversed) > 0 {
		return nil
	}
	expect := map[string]*Stamp{} // nil for what should not be there
	for _, e := range u.changes {
		if !u.redo && e.Redoes == "" { // otherwise trees are stamped when all is done
			delete(expect, treeAround(expect, e.Path))
			delete(expect, treeAround(expect, e.To))
		}
		if u.left(e) {
			delete(expect, e.Path)
			continue
		}
		switch e.Op {
		case vfs.OpCreate, vfs.OpWrite:
			delete(expect, e.Path)
			if e.After != nil {
				expect[e.Path] = e.After
			} else if e.Op == vfs.OpCreate {
				expect[e.Path] = unknown
			}
		case vfs.OpRemove, vfs.OpRename:
			moved := map[string]*Stamp{}
			for name, s := range expect {
				if vfs.Within(name, e.Path) {
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
		case vfs.OpMkdir:
			delete(expect, e.Path)
		}
	}
	var reasons []string
	at, below := u.touched()
	for name, s := range expect {
		if len(reasons) == maxReasons {
			break
		}
		if below[name] != "" || changedAbove(at, name) { // a conflict, which names who has changed it
			continue
		}
		info, err := c.Backend.Lstat(name)
		switch {
		case s == unknown:
			if err == nil && info.IsDir() {
				reasons = append(reasons, "it is not known whether "+name+" has been changed since from outside")
			}
		case s == nil && err == nil:
			reasons = append(reasons, shown(name)+" is there again")
		case s != nil && err != nil:
			reasons = append(reasons, shown(name)+" is no longer there")
		case s != nil && !c.as(s, name, info):
			reasons = append(reasons, shown(name)+" has been changed since from outside")
		}
	}
	slices.Sort(reasons)
	return reasons
}

// changedAbove reports whether a path, or a directory that it is in, is among those that others have changed.
func changedAbove(at map[string]string, name string) bool {
	for ; name != "/" && at[name] == ""; name = path.Dir(name) {
	}
	return name != "/"
}

// treeAround returns the directory, of those that have been restored as a whole, in which a path is, or "". A call that
// changes something in it itself makes its stamp wrong; what else is in it can no longer be checked.
func treeAround(stamps map[string]*Stamp, name string) string {
	for name != "" && name != "/" {
		name = path.Dir(name)
		if s := stamps[name]; s != nil && s.Tree != "" {
			return name
		}
	}
	return ""
}

// reverse does the opposite of a change, as far as it has not been done.
func (p *Project) reverse(c *Core, e Change, done []vfs.Op) error {
	restored := slices.Contains(done, vfs.OpCreate) || slices.Contains(done, vfs.OpWrite)
	switch e.Op {
	case vfs.OpCreate:
		if slices.Contains(done, vfs.OpRemove) {
			return nil
		}
		return ignoreMissing(p.remove(c, e.Path))
	case vfs.OpMkdir:
		if slices.Contains(done, vfs.OpRemove) {
			return nil
		}
		infos, err := c.Backend.ReadDir(e.Path)
		if err != nil || len(infos) > 0 {
			return ignoreMissing(err)
		}
		return p.remove(c, e.Path)
	case vfs.OpWrite, vfs.OpRemove:
		if restored || e.Lost || e.Special {
			return nil
		}
		return p.restore(c, KeptFile(e.Number), e.Path)
	case vfs.OpRename:
		if !slices.Contains(done, vfs.OpRename) {
			if err := p.mkdirAll(c, path.Dir(e.Path), 0o755); err != nil {
				return err
			}
			if err := p.rename(c, e.To, e.Path); err != nil {
				return err
			}
		}
		if e.Kept && !restored {
			return p.restore(c, KeptFile(e.Number), e.To)
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
