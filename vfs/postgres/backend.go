package postgres

import (
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"os"
	"path"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
	"github.com/toolrun/toolrun/vfs/internal/project"
)

// A backend is the files of one project. Looking at them takes no lock; changing them takes a [transaction].
type backend struct {
	s   *Store
	key int64
	id  string
	// shelved says that the project is treated as if it were not discarded.
	shelved bool

	known atomic.Pointer[project.State]
	// current is the transaction that has the lock, or nil.
	current atomic.Pointer[transaction]

	mu    sync.Mutex // guards the following
	temps map[string]*handle
	open  map[int64]*live
}

var (
	_ project.Transactional = (*backend)(nil)
	_ project.Journal       = (*backend)(nil)
)

func newBackend(s *Store, key int64, id string) *backend {
	return &backend{s: s, key: key, id: id, temps: map[string]*handle{}, open: map[int64]*live{}}
}

// Lingers returns how long bytes stay at most that nothing needs any more.
func (b *backend) Lingers() time.Duration {
	within := keepUnused + sweepPause
	if b.s.storage != nil {
		within += b.s.storage.keep + sweepPause
	}
	return within
}

// reader returns one for the files as they are now.
func (b *backend) reader() *reader {
	r := newReader(b.key, b.s.reads)
	r.shelved = b.shelved
	return r
}

// change does something in the transaction that has the lock.
func (b *backend) change(do func(tx *transaction) error) error {
	tx := b.current.Load()
	if tx == nil {
		return errNoLock
	}
	return do(tx)
}

var (
	errNoLock  = errors.New("a file is changed without the lock of its project")
	errDamaged = errors.New("the database has not all of the file's content: see `toolrun store check`")
)

// Known implements [project.Transactional].
func (b *backend) Known() (project.State, bool) {
	if s := b.known.Load(); s != nil {
		return *s, true
	}
	return project.State{}, false
}

func (b *backend) Lstat(name string) (fs.FileInfo, error) {
	if h := b.temp(name); h != nil {
		return h.Stat()
	}
	return b.reader().lstat(name)
}

func (b *backend) Open(name string, flag int, perm fs.FileMode) (project.Node, error) {
	if path.Dir(name) == tempDir {
		return b.openTemp(name, flag, perm)
	}
	if flag != os.O_RDONLY {
		return nil, errNoLock
	}
	e, err := b.reader().find(name, true)
	if err != nil {
		return nil, err
	}
	return b.handle(e, false)
}

func (b *backend) temp(name string) *handle {
	if path.Dir(name) != tempDir {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.temps[name]
}

// openTemp makes a temporary file.
func (b *backend) openTemp(name string, flag int, perm fs.FileMode) (project.Node, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.temps[name]
	switch {
	case flag&os.O_CREATE == 0 && h == nil:
		return nil, syscall.ENOENT
	case flag&os.O_CREATE == 0:
		// the one that made it owns the content
		return &handle{b: b, name: h.name, mode: h.mode, changed: h.changed, spool: h.spool}, nil
	case h != nil:
		return nil, syscall.EEXIST
	}
	h = &handle{
		b: b, name: path.Base(name), writable: true, mode: int32(perm & fs.ModePerm), changed: now(),
		spool: &fsys.Spool{Memory: partSize},
	}
	b.temps[name] = h
	return h, nil
}

// handle opens an entry.
func (b *backend) handle(e *entry, writable bool) (project.Node, error) {
	if e.isDir() {
		return nil, syscall.EISDIR
	}
	return &handle{b: b, name: e.name, writable: writable, live: b.acquire(e)}, nil
}

// acquire returns the live file of an entry, for one more handle.
func (b *backend) acquire(e *entry) *live {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := b.open[e.ino]
	if l == nil {
		l = &live{b: b, ino: e.ino}
		l.set(e, false)
		b.open[e.ino] = l
	}
	l.handles++
	return l
}

// release is called when a handle is closed.
func (b *backend) release(l *live) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l.handles--; l.handles == 0 && b.open[l.ino] == l {
		delete(b.open, l.ino)
	}
}

// live returns the live file of an entry if it is open.
func (b *backend) live(ino int64) *live {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.open[ino]
}

// part returns a part of a content.
func (b *backend) part(digest [sha256.Size]byte) (data []byte, err error) {
	if tx := b.current.Load(); tx != nil {
		if data, err := tx.partData(digest); data != nil || err != nil {
			return data, err
		}
	}
	return b.s.readPart(b.s.reads, b.key, digest)
}

func (d *database) readPart(q querier, key int64, digest [sha256.Size]byte) (data []byte, err error) {
	var object *string
	err = read(q, func(ctx context.Context) error {
		return q.QueryRow(ctx, "SELECT data, object FROM part WHERE project = $1 AND digest = $2",
			key, digest[:]).Scan(&data, &object)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, errDamaged
	}
	if err == nil && object != nil {
		return d.storage.get(*object, digest)
	}
	return data, err
}

func (b *backend) ReadDir(name string) ([]fs.FileInfo, error) { return b.reader().readDir(name) }
func (b *backend) Twin(dir, base string) (string, error)      { return b.reader().twin(dir, base) }
func (b *backend) Same(x, y fs.FileInfo) bool                 { return sameEntry(x, y) }
func (b *backend) Linked(string) (bool, error)                { return false, nil }
func (b *backend) Sync(string) error                          { return nil }
func (b *backend) Lock(bool) (func(), error)                  { return nil, errors.ErrUnsupported }
func (b *backend) WriteState([]byte) error                    { return errNoLock }
func (b *backend) Claim(string) (func(), error)               { return nil, errors.ErrUnsupported }
func (b *backend) Alive(string) (bool, error)                 { return false, errors.ErrUnsupported }
func (b *backend) Mkdir(string, fs.FileMode) error            { return errNoLock }
func (b *backend) Link(string, string) error                  { return errNoLock }
func (b *backend) Rename(string, string) error                { return errNoLock }
func (b *backend) Chtimes(string, time.Time, time.Time) error { return errNoLock }
func (b *backend) Describe(project.Change) error              { return errNoLock }
func (b *backend) DropChange(int64) error                     { return errNoLock }
func (b *backend) Close() error                               { return nil }
func (b *backend) Chmod(name string, mode fs.FileMode) error  { return errNoLock }
func (b *backend) RemoveAll(name string) error                { return b.Remove(name) }
func (b *backend) ReadChange(number int64) (project.Change, error) {
	return readChange(b.s.reads, b.key, number)
}
func (b *backend) Changes(oldest int64) ([]project.Change, error) {
	return readChanges(b.s.reads, b.key, oldest)
}
func (b *backend) ChangesOf(unit string) ([]project.Change, error) {
	return changesOf(b.s.reads, b.key, unit)
}

// Remove removes a temporary file.
func (b *backend) Remove(name string) error {
	if path.Dir(name) != tempDir {
		return errNoLock
	}
	b.mu.Lock()
	h := b.temps[name]
	delete(b.temps, name)
	b.mu.Unlock()
	if h != nil {
		h.remove()
	}
	return nil
}

func (b *backend) ReadState(buf []byte) error { return encodeState(b.reader(), "/", buf) }

func encodeState(r *reader, hint string, buf []byte) error {
	s, err := r.readState(hint)
	if err != nil {
		return err
	}
	copy(buf, s.Encode())
	return nil
}

func sameEntry(a, b fs.FileInfo) bool {
	x, ok := a.Sys().(int64)
	y, _ := b.Sys().(int64)
	return ok && x == y && x != 0
}

// A snapshot is a backend that reads each thing once.
type snapshot struct {
	*backend
	r    *reader
	hint string
}

// Snapshot implements [project.Transactional].
func (b *backend) Snapshot(hint string) project.Backend { return &snapshot{b, b.reader(), hint} }

func (s *snapshot) Lstat(name string) (fs.FileInfo, error) {
	if h := s.temp(name); h != nil {
		return h.Stat()
	}
	state, err := s.r.readState(s.hint)
	if err == nil && state.Deleted {
		err = vfs.ErrDeleted
	}
	if err != nil {
		return nil, err
	}
	return s.r.lstat(name)
}

func (s *snapshot) ReadDir(name string) ([]fs.FileInfo, error) { return s.r.readDir(name) }
func (s *snapshot) Twin(dir, base string) (string, error)      { return s.r.twin(dir, base) }
func (s *snapshot) ReadState(buf []byte) error                 { return encodeState(s.r, s.hint, buf) }

// Begin implements [project.Transactional].
func (b *backend) Begin(ctx context.Context, hint string) (project.Tx, error) {
	tx, err := begin(ctx, b, hint)
	if err != nil {
		return nil, err
	}
	return tx, nil
}
