package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// A transaction is a project as whoever has its lock sees and changes it. It reads what it needs once, makes its
// changes in memory, and writes them all at once at the end, so that it takes few round trips. What is too large for
// that, the contents of files, goes to the database before.
type transaction struct {
	b    *backend
	conn *pgxpool.Conn

	mu sync.Mutex // guards the following, and the connection
	*reader
	over bool

	version int64
	token   int64
	before  project.State
	oldest  time.Time
	nextIno int64

	// was has the entries that have been changed, as they are in the database; nil if they are not there.
	was map[int64]*entry
	// linked are files that have got another name, by their own: see Link.
	linked map[*entry]*entry
	// touched are directories whose time has changed, but nothing else.
	touched map[int64]time.Time

	// parts has contents that are not in the database, or not known to be.
	parts map[[sha256.Size]byte][]byte
	bytes int
	// filling says that they belong to an entry that is still being made.
	filling bool
	// sent are those that this transaction has written already.
	sent map[[sha256.Size]byte]bool
	// objects are the names of those that it has written to the object storage.
	objects map[[sha256.Size]byte]string

	changes journal

	// files are those in this process whose content has been changed.
	files map[*live]bool
	// placed are temporary files that have been put in place, by their names.
	placed map[string]*handle
}

var _ project.Tx = (*transaction)(nil)

const lockStatement = "SELECT status, version, bytes, files, kept, oldest, next, ino, " +
	"(SELECT at FROM change c WHERE c.project = p.key AND c.number = p.oldest) " +
	"FROM project p WHERE key = $1 FOR UPDATE OF p"

// begin takes the lock of a project.
func begin(ctx context.Context, b *backend, hint string) (tx *transaction, err error) {
	err = again(b.s.locks, func() error {
		tx, err = beginOnce(ctx, b, hint)
		return err
	})
	if ctx.Err() != nil && err != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, unavailable(err)
	}
	b.current.Store(tx)
	return tx, nil
}

func beginOnce(ctx context.Context, b *backend, hint string) (*transaction, error) {
	conn, err := b.s.acquire(ctx)
	if err != nil {
		return nil, err
	}
	tx := &transaction{
		b: b, conn: conn, reader: newReader(b.key, conn), token: rand.Int64(),
		was: map[int64]*entry{}, linked: map[*entry]*entry{}, touched: map[int64]time.Time{},
		parts: map[[sha256.Size]byte][]byte{}, sent: map[[sha256.Size]byte]bool{},
		files: map[*live]bool{}, placed: map[string]*handle{},
	}
	status, err := tx.lock(ctx, hint)
	if err == nil && status != inUse && !b.shelved {
		err = vfs.ErrDeleted
	}
	if err != nil {
		rollback(conn)
		return nil, err
	}
	return tx, nil
}

// lock begins the transaction in the database.
func (tx *transaction) lock(ctx context.Context, hint string) (status int, err error) {
	batch := &pgx.Batch{}
	batch.Queue("BEGIN")
	batch.Queue(lockStatement, tx.project)
	start, names := split("/")
	if hint != "" {
		start, names = split(hint)
	}
	keys := folded(names)
	if len(keys) > 0 {
		batch.Queue(walkStatement, tx.project, start.ino, keys)
	}
	results := tx.conn.SendBatch(ctx, batch)
	defer results.Close()
	if _, err := results.Exec(); err != nil {
		return 0, err
	}
	var oldest *time.Time
	s := &tx.before
	err = results.QueryRow().Scan(&status, &tx.version, &s.Bytes, &s.Files, &s.Kept,
		&s.Oldest, &s.Next, &tx.nextIno, &oldest)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, vfs.ErrDeleted
	}
	if err != nil {
		return 0, err
	}
	if oldest != nil {
		tx.oldest = *oldest
	}
	if len(keys) > 0 {
		rows, err := results.Query()
		if err != nil {
			return 0, err
		}
		if err := tx.walked(rows, start.ino, keys); err != nil {
			return 0, err
		}
	}
	return status, results.Close()
}

// rollback ends what a connection has begun, and gives it back.
func rollback(conn *pgxpool.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if _, err := conn.Exec(ctx, "ROLLBACK"); err != nil {
		_ = conn.Conn().Close(ctx)
	}
	conn.Release()
}

// State implements [project.Tx].
func (tx *transaction) State() (project.State, time.Time) { return tx.before, tx.oldest }

// do does something with the transaction, unless it has come to its end.
func (tx *transaction) do(do func() error) error {
	tx.mu.Lock()
	defer tx.mu.Unlock()
	if tx.over {
		return fs.ErrClosed
	}
	return do()
}

// after does something with the files as they are if the transaction has come to its end.
func (tx *transaction) read(inside, after func() error) error {
	tx.mu.Lock()
	if tx.over {
		tx.mu.Unlock()
		return after()
	}
	defer tx.mu.Unlock()
	return inside()
}

func (tx *transaction) Same(x, y fs.FileInfo) bool   { return sameEntry(x, y) }
func (tx *transaction) Linked(string) (bool, error)  { return false, nil }
func (tx *transaction) Sync(string) error            { return nil }
func (tx *transaction) Lock(bool) (func(), error)    { return func() {}, nil }
func (tx *transaction) WriteState([]byte) error      { return nil } // it is written at the end
func (tx *transaction) Claim(string) (func(), error) { return func() {}, nil }
func (tx *transaction) Alive(string) (bool, error)   { return false, nil }
func (tx *transaction) Close() error                 { return nil }
func (tx *transaction) ReadState(buf []byte) error {
	copy(buf, tx.before.Encode())
	return nil
}
