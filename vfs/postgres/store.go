package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// A Store is a [vfs.Store] in a database. Any number of processes can use the same one.
type Store struct {
	*database
	options vfs.Options

	// stop ends sweeping, if this store does that.
	stop     context.CancelFunc
	sweeping sync.WaitGroup

	mu     sync.Mutex
	shared map[string]*shared
	closed bool
}

// A database is the connections of stores that differ in their options only.
type database struct {
	// reads is for what takes no lock, and locks for transactions that hold one: whoever has a lock can always read.
	reads, locks *pgxpool.Pool
	pool         *pgxpool.Pool // reads, for what concerns the store
	channel      string
	storage      *storage // nil without object storage
	news         *notifier
	// users is how many stores and projects are open. The last one closes the connections.
	users atomic.Int64
}

func (d *database) release() {
	if d.users.Add(-1) == 0 {
		d.news.close()
		d.locks.Close()
		d.reads.Close()
	}
}

var _ vfs.Store = (*Store)(nil)

// A shared project belongs to all in this process that have it open.
type shared struct {
	key      int64
	core     *project.Core
	openings int
}

// The values of the column status.
const (
	inUse     = 0
	discarded = 1
	deleted   = 2
)

// defaultConnections is how many connections a store has at most. Three of four are for changes: each exclusive section
// needs one.
const defaultConnections = 20

// acquireTime is how long a change waits for a connection.
const acquireTime = 10 * time.Second

// openTime is how long the opener of a database may take.
const openTime = 30 * time.Second

// Opener returns the opener of databases, by their URLs, with the options of [OpenWith]. It takes up to 30 seconds for
// one.
func Opener(options *Options) vfs.Opener {
	return vfs.Opener{Opens: isURL, Open: func(ctx context.Context, databaseURL string,
		projects *vfs.Options) (vfs.Store, error) {
		ctx, cancel := context.WithTimeout(ctx, openTime)
		defer cancel()
		return OpenWith(ctx, databaseURL, projects, options)
	}}
}

// isURL reports whether a text is the URL of a database.
func isURL(text string) bool {
	return strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://")
}

// Open opens a store in a database, and brings the database's schema up to date. The error is a [*NewerSchemaError] if
// a newer version has used it. The context is for opening only.
func Open(ctx context.Context, databaseURL string, options *vfs.Options) (*Store, error) {
	return OpenWith(ctx, databaseURL, options, nil)
}

// Options say where a store keeps large contents. The zero value is that of [Open].
type Options struct {
	// Objects is a place for large contents: each full MiB of a file. They are in the database if it is nil. What is
	// there already stays where it is. Once used, it cannot be left out any more, and another database must not have
	// the same one.
	Objects Objects
	// KeepObjects is how long objects stay that nothing needs any more. A backup of the database that is not older fits
	// them. Transactions, which upload them, cannot take longer, so it should be several minutes at least. Zero means
	// 24 hours.
	KeepObjects time.Duration
	// OpenObjects opens Objects if the URL has a parameter objects, with its value, such as s3.Open does. The parameter
	// objects_keep is KeepObjects then, such as 72h. If it is nil, such a URL is an error.
	OpenObjects func(address string) (Objects, error)
}

// openObjects opens the objects that the parameters of a URL name.
func (o *Options) openObjects(parameters map[string]string) (err error) {
	address, keep := parameters["objects"], parameters["objects_keep"]
	switch {
	case address == "" && keep == "":
		return nil
	case address == "":
		return errors.New("the URL of the database has objects_keep, and no objects")
	case o.Objects != nil:
		return errors.New("the URL of the database has objects, and so have the options")
	case o.OpenObjects == nil:
		return errors.New("the URL of the database has objects: open it with postgres.OpenWith and package s3")
	}
	if keep != "" {
		if o.KeepObjects, err = time.ParseDuration(keep); err != nil || o.KeepObjects <= 0 {
			return errors.New("the URL of the database: objects_keep is a time such as 72h")
		}
	}
	o.Objects, err = o.OpenObjects(address)
	return err
}

// OpenWith is [Open] with more options. Both kinds can be nil.
func OpenWith(ctx context.Context, databaseURL string, projects *vfs.Options, options *Options) (*Store, error) {
	var own Options
	if options != nil {
		own = *options
	}
	o, err := projects.WithDefaults()
	if err != nil {
		return nil, err
	}
	if own.KeepObjects < 0 {
		return nil, fmt.Errorf("%w: KeepObjects is negative", fs.ErrInvalid)
	}
	databaseURL, parameters, err := cutParameters(databaseURL)
	if err != nil {
		return nil, err
	}
	if err := own.openObjects(parameters); err != nil {
		return nil, err
	}
	config, err := configOf(databaseURL, &o)
	if err != nil {
		return nil, err
	}
	listening, err := listenConfig(databaseURL, parameters["listen"], config, &o)
	if err != nil {
		return nil, err
	}
	d := &database{}
	if own.Objects != nil {
		d.storage = &storage{own.Objects, cmp.Or(own.KeepObjects, 24*time.Hour)}
	}
	if err := d.prepare(ctx, config.ConnConfig.Copy(), o.ReadOnly); err != nil {
		return nil, unavailable(err)
	}
	all := config.MaxConns
	reading := max(1, all/4)
	config.MaxConns = max(1, all-reading)
	if d.locks, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
		return nil, err
	}
	config = config.Copy()
	config.MaxConns = reading
	if d.reads, err = pgxpool.NewWithConfig(context.Background(), config); err != nil {
		d.locks.Close()
		return nil, err
	}
	d.pool = d.reads
	d.news = newNotifier(d.pool, listening, d.channel)
	d.users.Add(1)
	s := &Store{database: d, options: o, shared: map[string]*shared{}, stop: func() {}}
	if !o.ReadOnly {
		var background context.Context
		background, s.stop = context.WithCancel(context.Background())
		s.sweeping.Go(func() { s.sweepOften(background) })
	}
	return s, nil
}

// With returns a store with other options on the connections of this one, which must be open. Close it by itself.
// Options that concern connections, such as NoSync, stay as they are.
func (s *Store) With(options *vfs.Options) (vfs.Store, error) {
	o, err := options.WithDefaults()
	if err != nil {
		return nil, err
	}
	s.users.Add(1)
	return &Store{database: s.database, options: o, shared: map[string]*shared{}, stop: func() {}}, nil
}

// prepare checks the database, and brings it up to date.
func (d *database) prepare(ctx context.Context, config *pgx.ConnConfig, readOnly bool) error {
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var version int
	var encoding string
	var schema *string
	err = conn.QueryRow(ctx,
		"SELECT current_setting('server_version_num')::int, current_setting('server_encoding'), current_schema()").
		Scan(&version, &encoding, &schema)
	switch {
	case err != nil:
		return err
	case version < 140000:
		return fmt.Errorf("the database is PostgreSQL %d: 14 or later is needed", version/10000)
	case encoding != "UTF8":
		return fmt.Errorf("the database's encoding is %s: UTF8 is needed", encoding)
	case schema == nil:
		return errors.New("the database has no schema of the search path: " +
			"create one, or name one with search_path in the URL")
	}
	d.channel = "toolrun_" + *schema
	if err := migrate(ctx, conn); err != nil {
		return err
	}
	return d.adopt(ctx, conn, readOnly)
}

// acquire returns a connection for a transaction.
func (d *database) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	waiting, cancel := context.WithTimeout(ctx, acquireTime)
	defer cancel()
	conn, err := d.locks.Acquire(waiting)
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		return nil, &vfs.UnavailableError{Reason: "all connections to the database are in use"}
	}
	return conn, err
}

// transact begins a transaction. Unless there is an error, call end at last, whether it has been committed or not.
func (d *database) transact(ctx context.Context) (tx pgx.Tx, end func(), err error) {
	var conn *pgxpool.Conn
	err = again(d.locks, func() error {
		if conn, err = d.acquire(ctx); err != nil {
			return err
		}
		if tx, err = conn.Begin(ctx); err != nil {
			conn.Release()
		}
		return err
	})
	return tx, func() {
		_ = tx.Rollback(context.WithoutCancel(ctx)) // does nothing after a commit
		conn.Release()
	}, err
}

// again does something once more if its connection is lost. As the server may have been restarted, the pool's others
// are closed before, except for those in use. Without a pool, in a transaction, nothing is done again.
func again(pool *pgxpool.Pool, do func() error) error {
	err := do()
	if err != nil && pool != nil && isConnection(err) {
		pool.Reset()
		err = do()
	}
	return err
}

func projectError(id string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("project %s: %w", id, fsys.Bare(unavailable(err)))
}

// Open implements [vfs.Store].
func (s *Store) Open(ctx context.Context, id string) (vfs.Project, error) {
	return s.open(ctx, id, !s.options.ReadOnly)
}

// OpenExisting implements [vfs.Store].
func (s *Store) OpenExisting(ctx context.Context, id string) (vfs.Project, error) {
	return s.open(ctx, id, false)
}

func (s *Store) open(ctx context.Context, id string, create bool) (vfs.Project, error) {
	if err := vfs.CheckID(id); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var key int64
	err := again(s.pool, func() (err error) {
		key, err = s.keyOf(ctx, id, create)
		return err
	})
	if err != nil {
		return nil, projectError(id, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, projectError(id, fs.ErrClosed)
	}
	one := s.shared[id]
	if one == nil || one.key != key {
		core := project.NewCore(newBackend(s, key, id), s.options)
		core.InStore = true
		one = &shared{key: key, core: core}
		s.shared[id] = one
	}
	one.openings++
	s.users.Add(1)
	return one.core.Project(func() error { return s.release(id, one) }), nil
}

func (s *Store) release(id string, one *shared) error {
	s.mu.Lock()
	one.openings--
	last := one.openings == 0
	if last && s.shared[id] == one {
		delete(s.shared, id)
	}
	s.mu.Unlock()
	defer s.database.release()
	if !last {
		return nil
	}
	s.news.flush() // this may be the end of the process
	return one.core.Close()
}

// keyOf returns the key of a project, which is made if it is to be created.
func (s *Store) keyOf(ctx context.Context, id string, create bool) (key int64, err error) {
	for range 100 {
		err = s.pool.QueryRow(ctx, "SELECT key FROM project WHERE id = $1 AND status = 0", id).Scan(&key)
		if err == nil || !errors.Is(err, pgx.ErrNoRows) {
			return key, err
		}
		if !create {
			return 0, fs.ErrNotExist
		}
		at := now()
		err = s.pool.QueryRow(ctx, "WITH p AS (INSERT INTO project (id, folded) VALUES ($1, "+
			"$2) ON CONFLICT DO NOTHING RETURNING key), e AS (INSERT INTO entry (project, "+
			entryColumns+") SELECT key, 1, 0, '', '', $3, 0, $4, $5, '' FROM p) SELECT key FROM p",
			id, fsys.FoldID(id), int32(dirMode|0o755), at.Unix(), int32(at.Nanosecond())).Scan(&key)
		if err == nil || !errors.Is(err, pgx.ErrNoRows) {
			return key, err
		}
		var twin string
		err = s.pool.QueryRow(ctx, "SELECT id FROM project WHERE folded = $1 AND status = 0",
			fsys.FoldID(id)).Scan(&twin)
		if err == nil && twin != id {
			return 0, &vfs.NameConflictError{Name: id, Existing: twin}
		}
		// Somebody else has made it meanwhile, or removed it.
	}
	return 0, err
}

// List implements [vfs.Store].
func (s *Store) List(ctx context.Context, after string, limit int) ([]string, error) {
	return s.page(ctx, "SELECT id FROM project WHERE status = 0 AND id > $1 ORDER BY id LIMIT $2", after, limit)
}

// page returns a part of a list of texts. The statement's last two arguments are where it begins and how long it is.
func (s *Store) page(ctx context.Context, statement, after string, limit int, args ...any) (page []string, err error) {
	if limit < 0 {
		return nil, fmt.Errorf("%w: the limit of a page is negative", fs.ErrInvalid)
	}
	if limit == 0 {
		limit = vfs.DefaultPage
	}
	return query(ctx, s.pool, pgx.RowTo[string], statement,
		append([]any{strings.ToValidUTF8(after, "\uFFFD"), limit}, args...)...)
}

// query returns the rows that a statement finds.
func query[T any](ctx context.Context, pool *pgxpool.Pool, scan pgx.RowToFunc[T],
	statement string, args ...any) (all []T, err error) {
	err = again(pool, func() error {
		rows, err := pool.Query(ctx, statement, args...)
		if err == nil {
			all, err = pgx.CollectRows(rows, scan)
		}
		return err
	})
	return all, unavailable(err)
}

// Usage implements [vfs.Store].
func (s *Store) Usage(ctx context.Context, id string) (vfs.Usage, error) {
	if err := vfs.CheckID(id); err != nil {
		return vfs.Usage{}, err
	}
	usage := vfs.Usage{Quota: s.options.Quota}
	var checkpoints bool
	err := again(s.pool, func() error {
		return s.pool.QueryRow(ctx, "SELECT bytes, files, kept, EXISTS (SELECT FROM entry "+
			"e WHERE e.project = p.key AND e.dir = $2 AND e.folded = $3) FROM project p WHERE id = $1 AND status = 0",
			id, ownIno, vfs.Fold("checkpoints")).
			Scan(&usage.Bytes, &usage.Files, &usage.HistoryBytes, &checkpoints)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		err = fs.ErrNotExist
	}
	if err != nil {
		return vfs.Usage{}, projectError(id, err)
	}
	if checkpoints { // what they count is in their descriptions
		p, err := s.OpenExisting(ctx, id)
		if err != nil {
			return vfs.Usage{}, err
		}
		usage, err := p.Usage(ctx)
		return usage, errors.Join(err, p.Close())
	}
	if s.options.Quota.Growth {
		usage.Quota.Bytes = sum(usage.Quota.Bytes, usage.Bytes)
		usage.Quota.Files = sum(usage.Quota.Files, usage.Files)
	}
	return usage, nil
}

// sum adds sizes. The result is at most the largest int64.
func sum(a, b int64) int64 {
	if a > vfs.Unlimited-b {
		return vfs.Unlimited
	}
	return a + b
}

// Close implements [vfs.Store]. The connections stay until the last project is closed.
func (s *Store) Close() error {
	s.mu.Lock()
	first := !s.closed
	s.closed = true
	s.mu.Unlock()
	if first {
		s.stop()
		s.sweeping.Wait()
		s.news.flush()
		s.database.release()
	}
	return nil
}

// committed tells others that a project has changed.
func (s *Store) committed(id string) { s.news.tell(projectNews + id) }
