package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/toolrun/toolrun/vfs"
)

// records are [vfs.Records] of one kind.
type records struct {
	s    *Store
	kind string
}

// Records implements [vfs.RecordStore].
func (s *Store) Records(kind string) vfs.Records {
	if err := vfs.CheckID(kind); err != nil {
		panic("postgres: Records: " + err.Error())
	}
	return &records{s, kind}
}

func recordError(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("record %s: %w", name, unavailable(err))
}

const getRecord = "SELECT data FROM record WHERE kind = $1 AND name = $2 AND " +
	"(until IS NULL OR until > clock_timestamp())"

// Get implements [vfs.Records].
func (r *records) Get(ctx context.Context, name string) (data []byte, err error) {
	if err := vfs.CheckID(name); err != nil {
		return nil, err
	}
	err = again(r.s.pool, func() error { return r.s.pool.QueryRow(ctx, getRecord, r.kind, name).Scan(&data) })
	if errors.Is(err, pgx.ErrNoRows) {
		err = fs.ErrNotExist
	}
	return data, recordError(name, err)
}

// Change implements [vfs.Records].
func (r *records) Change(ctx context.Context, name string, keep time.Duration,
	change func(data []byte) ([]byte, error)) error {
	if err := vfs.CheckID(name); err != nil {
		return err
	}
	if keep < 0 {
		return recordError(name, fmt.Errorf("%w: it is to be kept for a negative time", fs.ErrInvalid))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	tx, end, err := r.s.transact(ctx)
	if err != nil {
		return recordError(name, err)
	}
	defer end()
	changed := false
	var refused error
	committing := false
	err = func() error {
		// There need not be a row to lock.
		if _, err := tx.Exec(ctx, "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))",
			r.s.channel+"\n"+r.kind+"\n"+name); err != nil {
			return err
		}
		var before []byte
		if err := tx.QueryRow(ctx, getRecord, r.kind, name).Scan(&before); err != nil &&
			!errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		after, err := change(before)
		if err != nil {
			refused = err
			return err
		}
		if len(after) > vfs.MaxRecord {
			return vfs.ErrTooLarge
		}
		if before == nil && after == nil {
			return nil
		}
		if after == nil {
			_, err = tx.Exec(ctx, "DELETE FROM record WHERE kind = $1 AND name = $2", r.kind, name)
		} else {
			var seconds *float64
			if keep > 0 {
				s := keep.Seconds()
				seconds = &s
			}
			_, err = tx.Exec(ctx, "INSERT INTO record (kind, name, data, until) VALUES ($1, $2, $3, "+
				"clock_timestamp() + make_interval(secs => $4)) ON CONFLICT (kind, "+
				"name) DO UPDATE SET data = excluded.data, until = excluded.until",
				r.kind, name, after, seconds)
		}
		if err != nil {
			return err
		}
		changed, committing = true, true
		return tx.Commit(ctx)
	}()
	switch {
	case refused != nil:
		return refused
	case err != nil && committing && (isConnection(err) || isEnd(err)):
		return recordError(name, &vfs.UnavailableError{
			Reason: "the connection to the database was lost", Unknown: true, Err: opaque(err),
		})
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err == nil && changed:
		r.s.news.tell(recordNews + r.kind + "\n" + name)
	}
	return recordError(name, err)
}

// List implements [vfs.Records].
func (r *records) List(ctx context.Context, after string, limit int) ([]string, error) {
	return r.s.page(ctx, "SELECT name FROM record WHERE kind = $3 AND name > "+
		"$1 AND (until IS NULL OR until > clock_timestamp()) ORDER BY name LIMIT $2", after, limit, r.kind)
}

// Watch implements [vfs.Records].
func (r *records) Watch(ctx context.Context, changed func(name string)) error {
	err := r.s.news.listen(ctx, func(text string) {
		if name, ok := strings.CutPrefix(text, recordNews+r.kind+"\n"); ok || text == "" {
			changed(name)
		}
	})
	return unavailable(err)
}

// AllRecords implements [vfs.Store].
func (s *Store) AllRecords(ctx context.Context) iter.Seq2[vfs.RecordInfo, error] {
	return func(yield func(vfs.RecordInfo, error) bool) {
		for last := (vfs.RecordInfo{}); ; {
			page, err := query(ctx, s.pool, scanInfo, "SELECT kind, name, until FROM record WHERE (kind, "+
				"name) > ($1, $2) AND (until IS NULL OR until > clock_timestamp()) ORDER BY kind, name LIMIT $3",
				last.Kind, last.Name, vfs.DefaultPage)
			if err != nil {
				yield(vfs.RecordInfo{}, err)
				return
			}
			for _, one := range page {
				if !yield(one, nil) {
					return
				}
				last = one
			}
			if len(page) < vfs.DefaultPage {
				return
			}
		}
	}
}

func scanInfo(row pgx.CollectableRow) (one vfs.RecordInfo, err error) {
	var until *time.Time
	err = row.Scan(&one.Kind, &one.Name, &until)
	if until != nil {
		one.Until = *until
	}
	return one, err
}
