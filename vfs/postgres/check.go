package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// checks find what does not fit together in a project. Each statement returns descriptions.
var checks = []string{
	// All that the root leads to, and the states of sessions, are what the project's counts say.
	`WITH RECURSIVE tree AS (
		SELECT ino, mode, size, 0 AS depth FROM entry WHERE project = $1 AND (ino = 1 OR dir = 2 AND name = 'sessions')
		UNION ALL
		SELECT e.ino, e.mode, e.size, t.depth + 1 FROM tree t
		JOIN entry e ON e.project = $1 AND e.dir = t.ino WHERE t.depth < 1000
	), counted AS (
		SELECT coalesce(sum(CASE WHEN mode < 16384 THEN size END), 0) AS bytes,
			count(*) FILTER (WHERE depth > 0) AS files FROM tree
	)
	SELECT format('it is said to have %s bytes in %s files and directories, and has %s in %s',
		p.bytes, p.files, c.bytes, c.files)
	FROM project p, counted c WHERE p.key = $1 AND (p.bytes <> c.bytes OR p.files <> c.files)`,
	`SELECT 'it has no root' WHERE NOT EXISTS (SELECT FROM entry WHERE project = $1 AND ino = 1 AND mode >= 16384)`,
	`SELECT format('%s is in a directory that is not there', e.name) FROM entry e
	WHERE e.project = $1 AND e.dir NOT IN (0, 2, 3, 4)
	AND NOT EXISTS (SELECT FROM entry d WHERE d.project = $1 AND d.ino = e.dir AND d.mode >= 16384)`,
	`SELECT format('the temporary file %s is left over', name) FROM entry WHERE project = $1 AND dir = 4`,
	`SELECT format('%s has the number %s, and the next is to be %s', e.name, e.ino, p.ino) FROM entry e, project p
	WHERE e.project = $1 AND p.key = $1 AND e.ino >= p.ino`,
	// Contents are there, as long as they should be, and what they are called.
	`SELECT format('the content of %s has %s parts for %s bytes', name, length(parts) / 32, size) FROM entry
	WHERE project = $1 AND mode < 16384 AND length(parts) <> (size + 1048575) / 1048576 * 32`,
	`WITH used AS (
		SELECT substr(e.parts, i * 32 + 1, 32) AS digest, min(e.name) AS name, count(*) AS n,
			max(CASE WHEN i = length(e.parts) / 32 - 1 THEN e.size - i::bigint * 1048576 ELSE 1048576 END) AS most
		FROM entry e, generate_series(0, length(e.parts) / 32 - 1) AS i WHERE e.project = $1 GROUP BY 1
	)
	SELECT CASE WHEN p.digest IS NULL THEN format('a part of the content of %s is missing', u.name)
		WHEN u.digest IS NULL THEN format('the part %s is said to be used %s times, and is not',
			encode(p.digest, 'hex'), p.refs)
		WHEN p.object IS NULL AND length(p.data) <> u.most THEN
			format('a part of the content of %s has %s bytes instead of %s', u.name, length(p.data), u.most)
		ELSE format('a part of the content of %s is said to be used %s times, and is used %s times',
			u.name, p.refs, u.n) END
	FROM (SELECT * FROM part WHERE project = $1) p FULL JOIN used u ON u.digest = p.digest
	WHERE p.digest IS NULL OR coalesce(u.n, 0) <> p.refs
		OR u.digest IS NOT NULL AND p.object IS NULL AND length(p.data) <> u.most`,
	`SELECT format('the part %s has another content', encode(digest, 'hex')) FROM part
	WHERE project = $1 AND object IS NULL AND sha256(data) <> digest`,
	`SELECT format('the part %s is used, and marked as unused', encode(digest, 'hex')) FROM part
	WHERE project = $1 AND (refs > 0) = (unused IS NOT NULL)`,
	// The history has what it says, and nothing else.
	`SELECT format('change %s is not between %s and %s', c.number, p.oldest, p.next - 1) FROM change c, project p
	WHERE c.project = $1 AND p.key = $1 AND (c.number < p.oldest OR c.number >= p.next)`,
	// JSON escapes quotes in texts, so this is not part of one. To read it as JSON would fail with some texts.
	`SELECT format('what change %s is said to have kept is not there', c.number) FROM change c
	WHERE c.project = $1 AND c.data LIKE '%,"kept":true%'
	AND NOT EXISTS (SELECT FROM entry e WHERE e.project = $1 AND e.dir = 3
		AND e.name = lpad(c.number::text, 16, '0') || '.kept')`,
	`SELECT format('%s in the history belongs to no change', e.name) FROM entry e WHERE e.project = $1 AND e.dir = 3
	AND NOT EXISTS (SELECT FROM change c WHERE c.project = $1 AND e.name = lpad(c.number::text, 16, '0') || '.kept')`,
}

// Check looks whether everything in the database fits together, and calls report with what does not. Each project is
// looked at as it is at one moment, and can be used meanwhile. All contents are read.
func (s *Store) Check(ctx context.Context, report func(id, problem string)) error {
	keys, err := query(ctx, s.pool, pgx.RowTo[int64], "SELECT key FROM project WHERE status < 2 ORDER BY id, key")
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := s.checkProject(ctx, key, report); err != nil {
			return unavailable(err)
		}
	}
	for table, column := range map[string]string{"entry": "project", "part": "project", "change": "project"} {
		var lost int64
		err := s.pool.QueryRow(ctx, fmt.Sprintf("SELECT count(*) FROM %s t WHERE "+
			"NOT EXISTS (SELECT FROM project p WHERE p.key = t.%s)", table, column)).Scan(&lost)
		if err != nil {
			return unavailable(err)
		}
		if lost > 0 {
			report("", fmt.Sprintf("%d rows of the table %s belong to no project", lost, table))
		}
	}
	lost, err := s.FindLostObjects(ctx, true)
	if lost > 0 {
		report("", fmt.Sprintf("%d objects in the object storage belong to nothing: "+
			"`toolrun store sweep` removes them", lost))
	}
	return err
}

func (s *Store) checkProject(ctx context.Context, key int64, report func(id, problem string)) error {
	return pgx.BeginTxFunc(ctx, s.pool, pgx.TxOptions{IsoLevel: pgx.RepeatableRead,
		AccessMode: pgx.ReadOnly}, func(tx pgx.Tx) error {
		var id string
		err := tx.QueryRow(ctx, "SELECT id FROM project WHERE key = $1 AND status < 2", key).Scan(&id)
		if err != nil {
			if err == pgx.ErrNoRows { // deleted meanwhile
				err = nil
			}
			return err
		}
		for _, check := range checks {
			rows, err := tx.Query(ctx, check, key)
			if err != nil {
				return err
			}
			problems, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				return err
			}
			for _, problem := range problems {
				report(id, problem)
			}
		}
		return s.checkObjects(ctx, tx, key, func(problem string) { report(id, problem) })
	})
}
