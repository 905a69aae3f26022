package postgres

import (
	"context"
	"encoding/json"
	"io/fs"
	"maps"
	"slices"
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
		if err != nil {
			return err
		}
		by := map[int64]project.Change{}
		for _, e := range found {
			by[e.Number] = e
		}
		for number := range tx.changes.written {
			delete(by, number)
			if e := tx.changes.known[number]; e != nil && number >= oldest && number > tx.changes.dropped {
				by[number] = *e
			}
		}
		for _, number := range slices.Sorted(maps.Keys(by)) {
			all = append(all, by[number])
		}
		return nil
	}, func() error {
		all, err = tx.b.Changes(oldest)
		return err
	})
	return all, err
}

// DropChange implements [project.Journal].
func (tx *transaction) DropChange(number int64) error {
	return tx.do(func() error {
		tx.changes.dropped = max(tx.changes.dropped, number)
		return nil
	})
}

// args returns what has been done: the number up to which changes have been dropped, those that have not happened, and the
// columns of those that have been written.
func (j *journal) args() []any {
	var voids, numbers []int64
	var ats []time.Time
	var calls, ops, paths, datas []string
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
			calls = append(calls, strings.ReplaceAll(e.Call, "\x00", " "))
			ops, paths, datas = append(ops, string(e.Op)), append(paths, e.Path), append(datas, string(data))
		}
	}
	return []any{j.dropped, voids, numbers, ats, calls, ops, paths, datas}
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

func changesBetween(q querier, key, first, last int64) (all []project.Change, err error) {
	err = twice(func() error {
		all = nil
		ctx, cancel := context.WithTimeout(context.Background(), statementTime)
		defer cancel()
		rows, err := q.Query(ctx, "SELECT number, data FROM change WHERE project = $1 AND number BETWEEN $2 AND $3 ORDER BY number",
			key, first, last)
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
