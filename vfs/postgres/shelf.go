package postgres

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// shelf opens a project that is discarded, or that is going to be, as if it were in use.
func (s *Store) shelf(key int64, id string) vfs.Project {
	b := newBackend(s, key, id)
	b.shelved = true
	core := project.NewCore(b, s.options)
	core.InStore = true
	s.users.Add(1)
	return core.Project(func() error {
		defer s.database.release()
		return core.Close()
	})
}

// OpenDiscarded implements [vfs.Store].
func (s *Store) OpenDiscarded(ctx context.Context, d vfs.Discarded, n int) (vfs.Project, error) {
	var key int64
	err := again(s.pool, func() error {
		return s.pool.QueryRow(ctx, "SELECT key FROM project WHERE id = $1 AND status "+
			"= 1 AND removed >= $2 AND removed < $3 AND removed > $4 ORDER BY removed DESC, key DESC OFFSET $5 LIMIT 1",
			d.ID, d.Time, d.Time.Add(time.Second), s.expired(), n).Scan(&key)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return nil, projectError(d.ID, err)
	}
	return s.shelf(key, d.ID), nil
}

// fillTime is how long a discarded project may be in the making. Then it is swept.
const fillTime = 24 * time.Hour

// AddDiscarded implements [vfs.Store]. Until it is complete, the project counts as deleted.
func (s *Store) AddDiscarded(ctx context.Context, d vfs.Discarded, fill func(p vfs.Project) error) error {
	if err := vfs.CheckID(d.ID); err != nil {
		return err
	}
	var key int64
	at := now()
	err := s.pool.QueryRow(ctx, "WITH p AS (INSERT INTO project (id, folded, "+
		"status, removed) VALUES ($1, $2, 2, $6) RETURNING key), e AS (INSERT INTO entry (project, "+
		entryColumns+") SELECT key, 1, 0, '', '', $3, 0, $4, $5, '' FROM p) SELECT key FROM p",
		d.ID, fsys.FoldID(d.ID), int32(dirMode|0o755), at.Unix(), int32(at.Nanosecond()), at.Add(fillTime)).Scan(&key)
	if err != nil {
		return projectError(d.ID, err)
	}
	p := s.shelf(key, d.ID)
	filled := fill(p)
	err = p.Close()
	if filled == nil && err == nil {
		_, err = s.pool.Exec(ctx, "UPDATE project SET status = 1, removed = $2 WHERE key = $1", key, d.Time)
		return projectError(d.ID, err)
	}
	return errors.Join(filled, projectError(d.ID, errors.Join(err, s.erase(context.WithoutCancel(ctx), key))))
}
