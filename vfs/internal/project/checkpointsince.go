package project

import (
	"path"
	"slices"

	"github.com/toolrun/toolrun/vfs"
)

// changedSinceThen says which paths are different from a checkpoint, and which calls have changed them since.
func (c *Core) changedSinceThen(k *checkpoint, all []difference) ([]vfs.CheckpointChange, error) {
	if len(all) == 0 {
		return nil, nil
	}
	made, err := c.changes(max(c.State.Oldest, 1))
	if err != nil {
		return nil, err
	}
	first, _ := slices.BinarySearchFunc(made, k.Next, func(e Change, next int64) int { return int(e.Number - next) })
	before, since := made[:first], made[first:]
	by := authorsOf(since)
	out := make([]vfs.CheckpointChange, len(all))
	for i, d := range all {
		calls := by.of(d.path, d.then != nil && d.then.IsDir() || d.now != nil && d.now.IsDir())
		if len(calls) == 0 && d.now != nil && !d.now.IsDir() {
			// A call that had written the file before has gone on with that.
			for _, e := range slices.Backward(before) {
				if e.Path == d.path && (e.Op == vfs.OpCreate || e.Op == vfs.OpWrite) {
					if e.After != nil && e.After.matches(d.now) {
						calls = []string{e.unit()}
					}
					break
				}
			}
		}
		out[i] = vfs.CheckpointChange{Path: d.path, Op: d.op(), Calls: calls}
	}
	return out, nil
}

// authors are who has changed what.
type authors struct {
	// at are the units that have changed a path, and trees those that have changed all below one.
	at, trees map[string][]string
	// below are those that have changed something below a path.
	below map[string][]string
}

func authorsOf(changes []Change) *authors {
	a := &authors{map[string][]string{}, map[string][]string{}, map[string][]string{}}
	note := func(to map[string][]string, name, unit string) {
		if units := to[name]; len(units) == 0 || !slices.Contains(units, unit) {
			to[name] = append(units, unit)
		}
	}
	for _, e := range changes {
		if e.Op == vfs.OpPurged {
			continue
		}
		for _, name := range []string{e.Path, e.To} {
			if name == "" {
				continue
			}
			note(a.at, name, e.unit())
			if e.Op == vfs.OpRemove || e.Op == vfs.OpRename || e.Op == vfs.OpCreate {
				note(a.trees, name, e.unit())
			}
			for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
				note(a.below, dir, e.unit())
			}
		}
	}
	return a
}

// of returns who has changed a path, or, if it is a directory, something in it.
func (a *authors) of(name string, dir bool) []string {
	units := slices.Clone(a.at[name])
	add := func(more []string) {
		for _, unit := range more {
			if !slices.Contains(units, unit) {
				units = append(units, unit)
			}
		}
	}
	if dir {
		add(a.below[name])
	}
	for above := path.Dir(name); above != "/"; above = path.Dir(above) {
		add(a.trees[above])
	}
	return units
}
