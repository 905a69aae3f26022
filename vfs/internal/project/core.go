package project

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolrun/toolrun/vfs"
)

// Where a project keeps what is its own.
const (
	TempDir    = "/" + vfs.Reserved + "/tmp"
	historyDir = "/" + vfs.Reserved + "/history"
)

// A Core is an open project, on its files as they are seen by whoever has it: with the lock of a [Transactional]
// backend, that is the transaction. All cores of a project share the rest.
type Core struct {
	Backend Backend
	*shared
}

// A shared is what all handles on an open project share.
type shared struct {
	options vfs.Options
	// Protection is what nobody may change, or nil.
	Protection *protection

	// turn has one element while somebody in this process has the lock.
	turn chan struct{}
	// orphaned says that a goroutine has the turn that waits for another process, for nobody.
	orphaned atomic.Bool
	// InStore says that the project is in a store, which can delete it.
	InStore bool
	// OwnApart says that what is the project's own is where nobody else can put something.
	OwnApart bool
	// Gone, if not nil, reports whether the directory is no longer in its place.
	Gone func() bool
	// Counted says that this process has seen to it that the state is right.
	Counted atomic.Bool
	// OnCounted, if not nil, is told when this process has seen to it that the state is right.
	OnCounted func()
	// OnChanged, if not nil, is told when something may have changed, after the lock was given back.
	OnChanged func()

	// The following belong to whoever has the lock.

	State State
	// oldestTime is when the oldest change in the history was made; zero if that has to be looked up.
	oldestTime time.Time
	// thinned is when this process has last looked whether the history has to be thinned out.
	thinned time.Time
	// oldPage reads the oldest changes.
	oldPage pageReader
	// recorded is the last change that has been recorded since taking the lock, and recorder the call that it belongs
	// to.
	recorded Change
	recorder *call
	// makers are the calls that have recorded changes since taking the lock, with how many each had made before.
	makers map[*call]int
	// lost is how often a transaction has come to nothing.
	lost int
	// keepAll says that nothing may be dropped from the history now.
	keepAll bool

	// session is what names of this process's temporary files begin with; "" before the first change.
	session atomic.Pointer[session]
	// base is what was there when the project was opened, if quotas are on growth.
	base struct{ bytes, files atomic.Int64 }
	// based says that base is set.
	based    atomic.Bool
	sessions sessionLocks
	// Staged is how many bytes lie in files that are being written.
	Staged atomic.Int64

	mu      sync.Mutex
	open    *handle // all that are open
	Handles int64   // how many that are
}

// A session stands for the process having the project open.
type session struct {
	name    string
	release func()
	temps   atomic.Int64
}

func NewCore(b Backend, options vfs.Options) *Core {
	c := &Core{b, &shared{options: options, Protection: ProtectionOf(options, false), turn: make(chan struct{}, 1)}}
	if _, ok := b.(Transactional); ok { // nobody else sees its temporary files
		c.session.Store(&session{name: strings.ToLower(rand.Text()), release: func() {}})
	}
	return c
}

// ClaimSuffix ends the name of the file that says that a session is alive.
const ClaimSuffix = ".lock"

// temp returns a name for a temporary file. The session must have begun.
func (c *Core) temp() string {
	s := c.session.Load()
	return fmt.Sprintf("%s/%s-%d", TempDir, s.name, s.temps.Add(1))
}

// replaceOwn replaces a file that is the project's own by one with this content, as a whole.
func (c *Core) replaceOwn(name string, data []byte, durable bool) error {
	temp := c.temp()
	n, err := c.Backend.Open(temp, OpenNew, 0o600)
	if err != nil {
		return err
	}
	_, err = n.WriteAt(data, 0)
	if err == nil && durable && !c.options.NoSync {
		err = n.Sync()
	}
	if err = errors.Join(err, n.Close()); err == nil {
		err = c.Backend.Rename(temp, name)
	}
	if err != nil {
		c.cleanUp(temp)
	}
	return err
}

// begin takes the lock and gets ready for changes, perhaps at the path hint; end must be called in any case. inside is
// the project as whoever has the lock sees it.
func (c *Core) begin(ctx context.Context, done <-chan struct{},
	hint string) (inside *Core, end func() error, err error) {
	if t, ok := c.Backend.(Transactional); ok {
		return c.beginTx(ctx, done, t, hint)
	}
	end, err = c.beginShared(ctx, done)
	return c, end, err
}

// beginShared is begin where others see each change at once.
func (c *Core) beginShared(ctx context.Context, done <-chan struct{}) (end func() error, err error) {
	unlock, err := c.Lock(ctx, done)
	if errors.Is(err, fs.ErrNotExist) { // the directory that the lock would be in
		return nil, vfs.ErrDeleted
	}
	if err != nil {
		return nil, err
	}
	c.recorded, c.makers = Change{}, nil
	prepared := false
	defer func() {
		if !prepared { // if it panics, too
			unlock()
		}
	}()
	if err := c.prepare(); err != nil {
		return nil, err
	}
	prepared = true
	return func() error {
		if c.OnChanged != nil {
			defer c.OnChanged()
		}
		defer unlock()
		// If this fails or is never reached, the next one to come counts again.
		c.State.Dirty = false
		if c.State.Bytes < 0 || c.State.Files < 0 { // what was removed had been made from outside
			c.Counted.Store(false)
		}
		return c.Backend.WriteState(c.State.Encode())
	}, nil
}

// prepare reads the state, or finds it out, and marks it as being changed.
func (c *Core) prepare() error {
	var err error
	oldest := c.State.Oldest
	c.State, err = ReadState(c.Backend)
	if c.State.Oldest != oldest { // another process has dropped some
		c.oldestTime = time.Time{}
	}
	if err == nil && c.State.Deleted {
		if c.InStore && c.deletedForGood() {
			return vfs.ErrDeleted
		}
		err = errBadState // nobody deletes a directory that is not a store's, or nobody has finished
	}
	if c.session.Load() == nil {
		if err := c.beginSession(); err != nil {
			return err
		}
	}
	switch {
	case err != nil:
		err = c.recover(1, 1) // nothing is known
	case c.State.Dirty:
		err = c.recover(c.State.Next, c.State.Oldest)
	case !c.Counted.Load():
		err = c.recover(maxNumber, c.State.Oldest)
	}
	if err != nil {
		return err
	}
	c.setBase()
	c.State.Dirty = true
	return c.Backend.WriteState(c.State.Encode())
}

// setBase notes what was there when the project was opened, if quotas are on growth.
func (c *Core) setBase() {
	if c.options.Quota.Growth && !c.based.Load() {
		c.base.bytes.Store(c.State.Bytes)
		c.base.files.Store(c.State.Files)
		c.based.Store(true)
	}
}

func (c *Core) beginSession() error {
	if err := c.makeMeta(TempDir); err != nil {
		return err
	}
	name := strings.ToLower(rand.Text())
	release, err := c.Backend.Claim(TempDir + "/" + name + ClaimSuffix)
	if err != nil {
		return err
	}
	c.session.Store(&session{name: name, release: release})
	return nil
}

// makeMeta makes a directory for the project's own use.
func (c *Core) makeMeta(dir string) error {
	for _, name := range []string{"/" + vfs.Reserved, dir} {
		if err := c.Backend.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// sync makes changes in directories durable.
func (c *Core) sync(dirs ...string) error {
	if c.options.NoSync {
		return nil
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		// A directory that is gone needs no syncing.
		if err := c.Backend.Sync(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Close is called when nobody in this process uses the project any more.
func (c *Core) Close() error {
	// Changes that are under way come to their end, but not what only waits for another process.
	for {
		select {
		case c.turn <- struct{}{}:
			defer func() { <-c.turn }()
			return c.release()
		case <-time.After(10 * time.Millisecond):
			if c.orphaned.Load() {
				go func() {
					c.turn <- struct{}{}
					_ = c.release()
					<-c.turn
				}()
				return nil
			}
		}
	}
}

// release gives back what the process holds of the host's.
func (c *Core) release() error {
	if _, ok := c.Backend.(Transactional); ok {
		return c.Backend.Close()
	}
	if s := c.session.Load(); s != nil {
		s.release()
		_ = c.Backend.RemoveAll(TempDir + "/" + s.name + ClaimSuffix)
	}
	return c.Backend.Close()
}
