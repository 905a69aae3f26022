package postgres

import (
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/toolrun/toolrun/vfs/internal/project"
)

// A journal is what a transaction knows of the project's changes, and does to them.
type journal struct {
	// known has those that have been read or written, by number; nil if they are not there.
	known map[int64]*project.Change
	// written are the numbers of those that are not in the database as they are known.
	written map[int64]bool
	// dropped is the number up to which they have been dropped.
	dropped int64
}

func (j *journal) empty() bool { return len(j.written) == 0 && j.dropped == 0 }

func (j *journal) set(number int64, e *project.Change, written bool) {
	if j.known == nil {
		j.known, j.written = map[int64]*project.Change{}, map[int64]bool{}
	}
	j.known[number] = e
	if written {
		j.written[number] = true
	}
}

// Describe implements [project.Journal].
func (tx *transaction) Describe(e project.Change) error {
	return tx.do(func() error {
		switch {
		case e.Void:
			tx.changes.set(e.Number, nil, true)
		case e.Op != "":
			tx.changes.set(e.Number, &e, true)
		default:
			known, err := tx.changeOf(e.Number)
			if err != nil || known == nil {
				return err
			}
			after := *known
			after.After = e.After
			tx.changes.set(e.Number, &after, true)
		}
		return nil
	})
}

// ReadChange implements [project.Journal].
func (tx *transaction) ReadChange(number int64) (e project.Change, err error) {
	err = tx.read(func() error {
		known, err := tx.changeOf(number)
		if err != nil {
			return err
		}
		if known == nil {
			return fs.ErrNotExist
		}
		e = *known
		return nil
	}, func() error {
		e, err = tx.b.ReadChange(number)
		return err
	})
	return e, err
}

// around is how many changes are read with one, on either side.
const around = 32

// changeOf returns a change, or nil.
func (tx *transaction) changeOf(number int64) (*project.Change, error) {
	if e, ok := tx.changes.known[number]; ok || number <= tx.changes.dropped {
		return e, nil
	}
	found, err := changesBetween(tx.conn, tx.project, number-around, number+around)
	if err != nil {
		return nil, err
	}
	for n := max(1, number-around); n <= number+around; n++ {
		if _, ok := tx.changes.known[n]; !ok {
			tx.changes.set(n, nil, false)
		}
	}
	for _, e := range found {
		if !tx.changes.written[e.Number] {
			tx.changes.set(e.Number, &e, false)
		}
	}
	return tx.changes.known[number], nil
}

// Changes implements [project.Journal].
func (tx *transaction) Changes(oldest int64) (all []project.Change, err error) {
	err = tx.read(func() error {
		found, err := readChanges(tx.conn, tx.project, max(oldest, tx.changes.dropped+1))
		all = tx.changes.over(found, func(e *project.Change) bool { return e.Number >= oldest })
		return err
	}, func() error {
		all, err = tx.b.Changes(oldest)
		return err
	})
	return all, err
}

// ChangesOf implements [project.Journal].
func (tx *transaction) ChangesOf(unit string) (all []project.Change, err error) {
	err = tx.read(func() error {
		found, err := changesOf(tx.conn, tx.project, unit)
		all = tx.changes.over(found, func(e *project.Change) bool { return e.Concerns(unit) })
		return err
	}, func() error {
		all, err = tx.b.ChangesOf(unit)
		return err
	})
	return all, err
}

// over returns the changes that have been found in the database as the transaction has made them, the oldest first, and
// those of its own that are to be among them.
func (j *journal) over(found []project.Change, among func(e *project.Change) bool) (all []project.Change) {
	by := map[int64]project.Change{}
	for _, e := range found {
		by[e.Number] = e
	}
	for number := range j.written {
		delete(by, number)
		if e := j.known[number]; e != nil && among(e) {
			by[number] = *e
		}
	}
	for _, number := range slices.Sorted(maps.Keys(by)) {
		if number > j.dropped {
			all = append(all, by[number])
		}
	}
	return all
}

// DropChange implements [project.Journal].
func (tx *transaction) DropChange(number int64) error {
	return tx.do(func() error {
		tx.changes.dropped = max(tx.changes.dropped, number)
		return nil
	})
}

// args returns what has been done: the number up to which changes have been dropped, those that have not happened, and
// the columns of those that have been written.
func (j *journal) args() []any {
	var voids, numbers []int64
	var ats []time.Time
	var calls, units, ops, paths, datas []string
	for _, number := range slices.Sorted(maps.Keys(j.written)) {
		e := j.known[number]
		switch {
		case number <= j.dropped:
		case e == nil:
			voids = append(voids, number)
		default:
			data, err := json.Marshal(e)
			if err != nil { // it is made of texts and numbers
				data = []byte("{}")
			}
			numbers, ats = append(numbers, number), append(ats, e.Time)
			calls, units = append(calls, key(e.Call)), append(units, key(cmp.Or(e.Undoes, e.Redoes)))
			ops, paths, datas = append(ops, string(e.Op)), append(paths, e.Path), append(datas, string(data))
		}
	}
	return []any{j.dropped, voids, numbers, ats, calls, units, ops, paths, datas}
}

// maxKey is how much of a unit is in an index, whose entries have a limit.
const maxKey = 512

// key is a unit as the database finds it: changes with the same key can be of different units.
func key(unit string) string {
	unit = strings.ReplaceAll(unit, "\x00", " ")
	if len(unit) > maxKey {
		unit = strings.ToValidUTF8(unit[:maxKey], "")
	}
	return unit
}

func readChange(q querier, key, number int64) (project.Change, error) {
	found, err := changesBetween(q, key, number, number)
	if err != nil {
		return project.Change{}, err
	}
	if len(found) == 0 {
		return project.Change{}, fs.ErrNotExist
	}
	return found[0], nil
}

func readChanges(q querier, key, oldest int64) ([]project.Change, error) {
	return changesBetween(q, key, oldest, 1<<62)
}

func changesBetween(q querier, of, first, last int64) ([]project.Change, error) {
	return selectChanges(q, "SELECT number, data FROM change WHERE project = "+
		"$1 AND number BETWEEN $2 AND $3 ORDER BY number", of, first, last)
}

// changesOfStatement finds changes by one index each. With OR, or without the conditions of the indexes, the planner
// may decide to read everything.
const changesOfStatement = "SELECT number, data FROM change WHERE project = $1 AND call = $2 AND call <> '' " +
	"UNION SELECT number, data FROM change WHERE project = $1 AND unit = $2 AND unit <> '' " +
	"UNION SELECT number, data FROM change WHERE project = $1 AND number = $3 ORDER BY number"

// changesOf returns the changes that concern a unit.
func changesOf(q querier, of int64, unit string) ([]project.Change, error) {
	number := int64(-1)
	if digits, ok := strings.CutPrefix(unit, "#"); ok {
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			number = n
		}
	}
	all, err := selectChanges(q, changesOfStatement, of, key(unit), number)
	return slices.DeleteFunc(all, func(e project.Change) bool { return !e.Concerns(unit) }), err
}

func selectChanges(q querier, statement string, args ...any) (all []project.Change, err error) {
	err = read(q, func(ctx context.Context) error {
		all = nil
		rows, err := q.Query(ctx, statement, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var number int64
			var data []byte
			if err := rows.Scan(&number, &data); err != nil {
				return err
			}
			var e project.Change
			if json.Unmarshal(data, &e) == nil && e.Number == number && e.Valid() {
				all = append(all, e)
			}
		}
		return rows.Err()
	})
	return all, err
}
