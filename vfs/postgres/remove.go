package postgres

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// Delete implements [vfs.Store].
func (s *Store) Delete(ctx context.Context, id string) error {
	if err := vfs.CheckID(id); err != nil {
		return err
	}
	keys, err := s.mark(ctx,
		"UPDATE project SET status = 2, removed = now() WHERE id = $1 AND status < 2 RETURNING key", id)
	if err == nil && len(keys) == 0 {
		err = fs.ErrNotExist
	}
	if err != nil {
		return projectError(id, err)
	}
	s.committed(id)
	for _, key := range keys {
		if err := s.erase(ctx, key); err != nil {
			return projectError(id, err)
		}
	}
	return nil
}

// Discard implements [vfs.Store].
func (s *Store) Discard(ctx context.Context, id string) error {
	if s.options.History.Off {
		return s.Delete(ctx, id)
	}
	if err := vfs.CheckID(id); err != nil {
		return err
	}
	keys, err := s.mark(ctx,
		"UPDATE project SET status = 1, removed = now() WHERE id = $1 AND status = 0 RETURNING key", id)
	if err == nil && len(keys) == 0 {
		err = fs.ErrNotExist
	}
	if err == nil {
		s.committed(id)
	}
	return projectError(id, err)
}

// mark changes the status of projects, and returns their keys. It waits for whoever changes them.
func (s *Store) mark(ctx context.Context, statement string, args ...any) ([]int64, error) {
	tx, end, err := s.transact(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	rows, err := tx.Query(ctx, statement, args...)
	if err != nil {
		return nil, err
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return nil, err
	}
	return keys, tx.Commit(ctx)
}

// Discarded implements [vfs.Store].
func (s *Store) Discarded(ctx context.Context) ([]vfs.Discarded, error) {
	return query(ctx, s.pool, func(row pgx.CollectableRow) (d vfs.Discarded, err error) {
		err = row.Scan(&d.ID, &d.Time)
		d.Time = d.Time.UTC().Truncate(time.Second)
		d.Until = d.Time.Add(s.options.History.Age)
		return d, err
	}, "SELECT id, removed FROM project WHERE status = 1 AND removed > $1 ORDER BY removed DESC, key DESC", s.expired())
}

// expired returns when what was discarded then need no longer be kept.
func (s *Store) expired() time.Time {
	if s.options.History.Age > 100*365*24*time.Hour {
		return time.Unix(0, 0)
	}
	return time.Now().Add(-s.options.History.Age)
}

// Recover implements [vfs.Store].
func (s *Store) Recover(ctx context.Context, id, as string) error {
	for _, name := range []string{id, as} {
		if err := vfs.CheckID(name); err != nil {
			return err
		}
	}
	tag, err := s.pool.Exec(ctx, "UPDATE project SET status = 0, removed = NULL, id = $2, folded = $3 WHERE key = "+
		"(SELECT key FROM project WHERE id = $1 AND status = 1 AND removed > $4 ORDER BY removed DESC, "+
		"key DESC LIMIT 1)",
		id, as, fsys.FoldID(as), s.expired())
	if pe, ok := errors.AsType[*pgconn.PgError](err); ok && pe.Code == "23505" {
		err = fs.ErrExist
		var twin string
		if s.pool.QueryRow(ctx, "SELECT id FROM project WHERE folded = $1 AND status = 0",
			fsys.FoldID(as)).Scan(&twin) == nil && twin != as {
			err = &vfs.NameConflictError{Name: as, Existing: twin}
		}
	} else if err == nil && tag.RowsAffected() == 0 {
		err = fs.ErrNotExist
	}
	if err == nil {
		s.committed(as)
	}
	return projectError(id, err)
}

// erased is how many rows a statement removes of a project that is deleted: nobody should wait long for it.
const erased = 1000

// erase removes everything of a project that is marked as deleted.
func (s *Store) erase(ctx context.Context, key int64) error {
	for _, statement := range []string{
		"DELETE FROM entry WHERE project = $1 AND ino IN (SELECT ino FROM entry WHERE project = $1 LIMIT $2)",
		"DELETE FROM change WHERE project = $1 AND number IN (SELECT number FROM change WHERE project = $1 LIMIT $2)",
	} {
		for {
			tag, err := s.pool.Exec(ctx, statement, key, erased)
			if err != nil {
				return err
			}
			if tag.RowsAffected() < erased {
				break
			}
		}
	}
	parts := fmt.Sprintf(deleteParts,
		"project = $1 AND digest IN (SELECT digest FROM part WHERE project = $1 LIMIT $2)")
	for n := int64(erased); n >= erased; {
		if err := s.pool.QueryRow(ctx, parts, key, erased).Scan(&n); err != nil {
			return err
		}
	}
	_, err := s.pool.Exec(ctx, "DELETE FROM project WHERE key = $1 AND status = 2", key)
	return err
}

const (
	// firstSweep is when a store first looks for what nobody needs any more, which is not the work of short commands,
	// and sweepPause how often it does so.
	firstSweep = time.Minute
	sweepPause = 2 * time.Minute
	// keepUnused is how long contents stay that no file has any more, for handles that are still open.
	keepUnused = 10 * time.Minute
)

// sweepOften removes what nobody needs any more, until the context ends.
func (s *Store) sweepOften(ctx context.Context) {
	for pause := firstSweep; ; pause = sweepPause {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		_ = s.Sweep(ctx, keepUnused) // the next time, or another process, tries again
	}
}

// Sweep removes what nobody needs any more: projects that were deleted while the process died, or discarded too long
// ago; records whose time is over; contents that no file has had for so long; and objects that nothing has needed for
// [Options].KeepObjects. Stores do that by themselves every two minutes.
func (s *Store) Sweep(ctx context.Context, unused time.Duration) error {
	if _, err := s.pool.Exec(ctx, "UPDATE project SET status = 2 WHERE status = 1 AND removed <= $1",
		s.expired()); err != nil {
		return unavailable(err)
	}
	keys, err := query(ctx, s.pool, pgx.RowTo[int64], "SELECT key FROM project WHERE status = 2 AND removed < $1",
		time.Now().Add(-time.Minute))
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := s.erase(ctx, key); err != nil {
			return unavailable(err)
		}
	}
	if _, err := s.pool.Exec(ctx, "DELETE FROM record WHERE until < now()"); err != nil {
		return unavailable(err)
	}
	before := time.Now().Add(-unused)
	keys, err = query(ctx, s.pool, pgx.RowTo[int64],
		"SELECT DISTINCT project FROM part WHERE unused IS NOT NULL AND unused <= $1", before)
	if err != nil {
		return err
	}
	for _, key := range keys {
		// Whoever changes the project may be about to use them again.
		err := pgx.BeginFunc(ctx, s.pool, func(tx pgx.Tx) error {
			tag, err := tx.Exec(ctx, "SELECT FROM project WHERE key = $1 FOR UPDATE SKIP LOCKED", key)
			if err != nil || tag.RowsAffected() == 0 {
				return err
			}
			var n int64
			return tx.QueryRow(ctx, fmt.Sprintf(deleteParts, "project = $1 AND unused <= $2 AND refs = 0"),
				key, before).Scan(&n)
		})
		if err != nil {
			return unavailable(err)
		}
	}
	return s.collect(ctx)
}
