package project

import (
	"iter"
	"slices"

	"github.com/toolrun/toolrun/vfs"
)

// A past is what undoing has to know of the changes until now. A journal finds it without reading all of them.
type past struct {
	// of returns the changes that concern a unit, and from all from a number on, the oldest first.
	of   func(unit string) ([]Change, error)
	from func(number int64) ([]Change, error)
}

func (c *Core) past() (past, error) {
	oldest := c.State.Oldest
	if j, ok := c.Backend.(Journal); ok {
		return past{
			of: func(unit string) ([]Change, error) {
				all, err := j.ChangesOf(unit)
				return slices.DeleteFunc(all, func(e Change) bool { return e.Number < oldest }), err
			},
			from: func(number int64) ([]Change, error) { return j.Changes(max(oldest, number)) },
		}, nil
	}
	all, err := c.changes(oldest)
	which := func(is func(e Change) bool) ([]Change, error) {
		return slices.DeleteFunc(slices.Clone(all), func(e Change) bool { return !is(e) }), nil
	}
	return past{
		of: func(unit string) ([]Change, error) {
			return which(func(e Change) bool { return e.Concerns(unit) })
		},
		from: func(number int64) ([]Change, error) {
			return which(func(e Change) bool { return e.Number >= number })
		},
	}, err
}

// backwards iterates over the changes that can be read, from the latest on.
func (c *Core) backwards() iter.Seq[Change] {
	return func(yield func(Change) bool) {
		r := pageReader{c: c}
		for number := c.State.Next - 1; number >= max(1, c.State.Oldest); number-- {
			e, err := r.read(number)
			if err == nil && !yield(e) {
				return
			}
		}
	}
}

// standing returns those of some changes that have not been undone since.
func standing(changes []Change) []Change {
	undone := map[string]bool{}
	var left []Change
	for _, e := range slices.Backward(changes) {
		if e.Op == vfs.OpPurged {
			continue
		}
		if e.Op == vfs.OpUndone {
			undone[e.Undoes] = true
		}
		if !undone[e.unit()] && !undone[e.Undoes] {
			left = append(left, e)
		}
	}
	slices.Reverse(left)
	return left
}
