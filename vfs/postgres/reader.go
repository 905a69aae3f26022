package postgres

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// A querier is a connection, a transaction or a pool.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// A reader finds entries, and remembers what it has found. So it is for one operation, or for a transaction, which has
// the project to itself.
type reader struct {
	project int64
	q       querier
	entries map[int64]*entry
	dirs    map[int64]*children
	// state is that of the project, once it has been read with something else.
	state    project.State
	hasState bool
	shelved  bool // see backend
}

// children are what is known of a directory's entries: all of them, or some and that others are not there (nil), by
// their folded names.
type children struct {
	all bool
	by  map[string]*entry
}

func newReader(project int64, q querier) *reader {
	return &reader{project: project, q: q, entries: map[int64]*entry{}, dirs: map[int64]*children{}}
}

// statementTime is how long a statement may take.
const statementTime = 30 * time.Second

func bounded() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), statementTime)
}

// read does something that changes nothing, for statementTime at most.
func read(q querier, do func(ctx context.Context) error) error {
	ctx, cancel := bounded()
	defer cancel()
	pool, _ := q.(*pgxpool.Pool)
	err := again(pool, func() error { return do(ctx) })
	if errors.Is(err, context.DeadlineExceeded) {
		err = errNoAnswer
	}
	return unavailable(err)
}

// split returns where a path begins, and the rest of its names, as they are and folded.
func split(name string) (start *entry, names []string) {
	if name == "/" {
		return &entry{ino: rootIno}, nil
	}
	names = strings.Split(name[1:], "/")
	if names[0] != vfs.Reserved {
		return &entry{ino: rootIno}, names
	}
	if len(names) > 1 {
		switch names[1] {
		case "history":
			return ownEntry(historyIno), names[2:]
		case "tmp":
			return ownEntry(tempIno), names[2:]
		}
	}
	return ownEntry(ownIno), names[1:]
}

// children returns what is known of a directory.
func (r *reader) children(ino int64) *children {
	c := r.dirs[ino]
	if c == nil {
		c = &children{by: map[string]*entry{}}
		r.dirs[ino] = c
	}
	return c
}

// lookup returns what a path stands for. ENOENT and ENOTDIR are its errors if nothing is wrong.
func (r *reader) lookup(name string) (*entry, error) { return r.find(name, false) }

// find is lookup, perhaps with the first part of a small file's content.
func (r *reader) find(name string, content bool) (*entry, error) {
	at, names := split(name)
	if at.ino == rootIno {
		if len(names) == 0 {
			return r.root()
		}
	} else if len(names) == 0 {
		return at, nil
	}
	for i, part := range names {
		if i > 0 && !at.isDir() {
			return nil, fsys.ErrNotDir
		}
		known := r.children(at.ino)
		found, ok := known.by[vfs.Fold(part)]
		if !ok && !known.all {
			if err := read(r.q, func(ctx context.Context) error {
				return r.fetch(ctx, at.ino, names[i:], content)
			}); err != nil {
				return nil, err
			}
			found = r.children(at.ino).by[vfs.Fold(part)]
		}
		if found == nil || found.name != part {
			return nil, syscall.ENOENT
		}
		at = found
	}
	return at, nil
}

// inlined is the size of the largest file whose content is read with its entry.
const inlined = "65536"

const walkStatement = "SELECT " + entryColumns + " FROM walk($1, $2, $3)"

const openStatement = "SELECT " + entryColumns + ", CASE WHEN size > 0 AND size <= " + inlined +
	" AND n = cardinality($3::text[]) THEN (SELECT data FROM part p WHERE p.project = $1 AND p.digest = w.parts) " +
	"END FROM walk($1, $2, $3) WITH ORDINALITY AS w(project, ino, dir, name, folded, mode, size, sec, nsec, parts, n)"

func folded(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = vfs.Fold(name)
	}
	return out
}

// fetch reads the entries at a path below a directory.
func (r *reader) fetch(ctx context.Context, start int64, names []string, content bool) error {
	keys := folded(names)
	if !content {
		rows, err := r.q.Query(ctx, walkStatement, r.project, start, keys)
		if err != nil {
			return err
		}
		return r.walked(rows, start, keys)
	}
	rows, err := r.q.Query(ctx, openStatement, r.project, start, keys)
	if err != nil {
		return err
	}
	defer rows.Close()
	var found []*entry
	for rows.Next() {
		e := &entry{}
		if err := rows.Scan(append(e.fields(), &e.first)...); err != nil {
			return err
		}
		found = append(found, e)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	r.note(found, start, keys)
	return nil
}

// walked notes the entries at a path.
func (r *reader) walked(rows pgx.Rows, start int64, keys []string) error {
	found, err := scanEntries(rows)
	if err != nil {
		return err
	}
	r.note(found, start, keys)
	return nil
}

func (r *reader) note(found []*entry, start int64, keys []string) {
	at := start
	for i, key := range keys {
		if i >= len(found) {
			if known := r.children(at); known.by[key] == nil {
				known.by[key] = nil
			}
			return
		}
		e := r.keep(found[i])
		r.children(at).by[key] = e
		at = e.ino
	}
}

// keep remembers an entry, unless it is known already.
func (r *reader) keep(e *entry) *entry {
	if known := r.entries[e.ino]; known != nil {
		return known
	}
	r.entries[e.ino] = e
	return e
}

// root returns the root.
func (r *reader) root() (*entry, error) { return r.byIno(rootIno) }

// byIno returns an entry by its number. The error is ENOENT if it is not there.
func (r *reader) byIno(ino int64) (*entry, error) {
	if e := r.entries[ino]; e != nil {
		return e, nil
	}
	e := &entry{}
	err := read(r.q, func(ctx context.Context) error {
		return r.q.QueryRow(ctx, "SELECT "+entryColumns+" FROM entry WHERE project = $1 AND ino = $2",
			r.project, ino).Scan(e.fields()...)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, syscall.ENOENT
	}
	if err != nil {
		return nil, err
	}
	return r.keep(e), nil
}

// list returns the entries of a directory, sorted by name.
func (r *reader) list(ino int64) ([]*entry, error) {
	known := r.children(ino)
	if !known.all {
		err := read(r.q, func(ctx context.Context) error {
			rows, err := r.q.Query(ctx, "SELECT "+entryColumns+" FROM entry WHERE project = $1 AND dir = $2",
				r.project, ino)
			if err != nil {
				return err
			}
			found, err := scanEntries(rows)
			if err != nil {
				return err
			}
			r.listed(ino, found)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	var all []*entry
	for e := range maps.Values(known.by) {
		if e != nil {
			all = append(all, e)
		}
	}
	slices.SortFunc(all, func(a, b *entry) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

// listed notes all entries of a directory, as they are in the database.
func (r *reader) listed(ino int64, found []*entry) {
	known := r.children(ino)
	for _, e := range found {
		if _, ok := known.by[e.folded]; ok {
			continue
		}
		// A transaction may have removed, moved or changed it.
		if e = r.keep(e); e.dir == ino {
			known.by[e.folded] = e
		}
	}
	known.all = true
}

// tree reads all that is in a directory at once.
func (r *reader) tree(ino int64) error {
	return read(r.q, func(ctx context.Context) error {
		rows, err := r.q.Query(ctx, "WITH RECURSIVE below AS ("+
			"SELECT e.* FROM entry e WHERE e.project = $1 AND e.dir = $2 UNION ALL "+
			"SELECT e.* FROM below b, LATERAL (SELECT * FROM entry e WHERE e.project = $1 AND "+
			"e.dir = b.ino OFFSET 0) e WHERE b.mode >= 16384) SELECT "+entryColumns+" FROM below", r.project, ino)
		if err != nil {
			return err
		}
		found, err := scanEntries(rows)
		if err != nil {
			return err
		}
		in := map[int64][]*entry{ino: nil}
		for _, e := range found {
			in[e.dir] = append(in[e.dir], e)
			if e.isDir() && in[e.ino] == nil {
				in[e.ino] = nil
			}
		}
		for dir, found := range in {
			if !r.children(dir).all {
				r.listed(dir, found)
			}
		}
		return nil
	})
}

// lstat is [project.Backend].Lstat.
func (r *reader) lstat(name string) (fs.FileInfo, error) {
	e, err := r.lookup(name)
	if err != nil {
		return nil, err
	}
	return e.describe(lastName(name)), nil
}

func lastName(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// readDir is [project.Backend].ReadDir.
func (r *reader) readDir(name string) ([]fs.FileInfo, error) {
	e, err := r.directory(name)
	if err != nil {
		return nil, err
	}
	all, err := r.list(e.ino)
	if err != nil {
		return nil, err
	}
	infos := make([]fs.FileInfo, len(all))
	for i, e := range all {
		infos[i] = e.describe(e.name)
	}
	return infos, nil
}

// directory is lookup for what must be a directory.
func (r *reader) directory(name string) (*entry, error) {
	e, err := r.lookup(name)
	if name == "/" && errors.Is(err, syscall.ENOENT) {
		return &entry{ino: rootIno, mode: dirMode | 0o755}, nil // of a project that has been deleted
	}
	if err == nil && !e.isDir() {
		err = fsys.ErrNotDir
	}
	return e, err
}

// twin is [project.Backend].Twin.
func (r *reader) twin(dir, base string) (string, error) {
	if _, err := r.lookup(strings.TrimSuffix(dir, "/") + "/" + base); err != nil && !errors.Is(err, syscall.ENOENT) {
		return "", err
	}
	e, err := r.directory(dir)
	if err != nil {
		return "", err
	}
	if there := r.children(e.ino).by[vfs.Fold(base)]; there != nil && there.name != base {
		return there.name, nil
	}
	return "", nil
}

// readState is [project.Backend].ReadState, perhaps together with what is at a path.
func (r *reader) readState(hint string) (project.State, error) {
	if r.hasState {
		return r.state, nil
	}
	start, names := split(hint)
	keys := folded(names)
	err := read(r.q, func(ctx context.Context) error {
		batch := &pgx.Batch{}
		batch.Queue(stateStatement, r.project)
		if len(keys) > 0 {
			batch.Queue(walkStatement, r.project, start.ino, keys)
		}
		results := r.q.SendBatch(ctx, batch)
		defer results.Close()
		s, err := scanState(results.QueryRow())
		if err != nil {
			return err
		}
		if len(keys) > 0 {
			rows, err := results.Query()
			if err != nil {
				return err
			}
			if err := r.walked(rows, start.ino, keys); err != nil {
				return err
			}
		}
		s.Deleted = s.Deleted && !r.shelved
		r.state, r.hasState = s, true
		return results.Close()
	})
	return r.state, err
}

const stateStatement = "SELECT status, bytes, files, kept, oldest, next FROM project WHERE key = $1"

// scanState reads the state. A project without a row is deleted.
func scanState(row pgx.Row) (project.State, error) {
	var s project.State
	var status int
	err := row.Scan(&status, &s.Bytes, &s.Files, &s.Kept, &s.Oldest, &s.Next)
	if errors.Is(err, pgx.ErrNoRows) {
		return project.State{Deleted: true, Oldest: 1, Next: 1}, nil
	}
	s.Deleted = status != inUse
	return s, err
}
