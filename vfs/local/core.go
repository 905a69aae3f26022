package local

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolrun/toolrun/vfs"
)

// Where a project keeps what is its own.
const (
	tempDir    = "/" + vfs.Reserved + "/tmp"
	historyDir = "/" + vfs.Reserved + "/history"
)

// A core is what all handles on an open project share.
type core struct {
	b       backend
	options vfs.Options
	// protection is what nobody may change, or nil.
	protection *protection

	// turn has one element while somebody in this process has the lock.
	turn chan struct{}
	// orphaned says that a goroutine has the turn that waits for another process, for nobody.
	orphaned atomic.Bool
	// inStore says that the project is in a store, which can delete it.
	inStore bool
	// gone, if not nil, reports whether the directory is no longer in its place.
	gone func() bool
	// counted says that this process has seen to it that the state is right.
	counted atomic.Bool
	// onCounted, if not nil, is told when this process has seen to it that the state is right.
	onCounted func()

	// The following belong to whoever has the lock.

	state state
	// oldestTime is when the oldest change in the history was made; zero if that has to be looked up.
	oldestTime time.Time
	// thinned is when this process has last looked whether the history has to be thinned out.
	thinned time.Time
	// oldPage reads the oldest changes.
	oldPage pageReader
	// recorded is the last change that has been recorded since taking the lock, and recorder the call that it belongs to.
	recorded change
	recorder *call
	// keepAll says that nothing may be dropped from the history now.
	keepAll bool

	// session is what names of this process's temporary files begin with; "" before the first change.
	session atomic.Pointer[session]
	// base is what was there when the project was opened, if quotas are on growth.
	base struct{ bytes, files atomic.Int64 }
	// based says that base is set.
	based atomic.Bool
	// staged is how many bytes lie in files that are being written.
	staged atomic.Int64

	mu      sync.Mutex
	open    *handle // all that are open
	handles int64   // how many that are
}

// A session stands for the process having the project open.
type session struct {
	name    string
	release func()
	temps   atomic.Int64
}

func newCore(b backend, options vfs.Options) *core {
	return &core{b: b, options: options, protection: protectionOf(options, false), turn: make(chan struct{}, 1)}
}

// claimSuffix ends the name of the file that says that a session is alive.
const claimSuffix = ".lock"

// temp returns a name for a temporary file. The session must have begun.
func (c *core) temp() string {
	s := c.session.Load()
	return fmt.Sprintf("%s/%s-%d", tempDir, s.name, s.temps.Add(1))
}

// replaceOwn replaces a file that is the project's own by one with this content, as a whole.
func (c *core) replaceOwn(name string, data []byte, durable bool) error {
	temp := c.temp()
	n, err := c.b.open(temp, openNew, 0o600)
	if err != nil {
		return err
	}
	_, err = n.WriteAt(data, 0)
	if err == nil && durable && !c.options.NoSync {
		err = n.Sync()
	}
	if err = errors.Join(err, n.Close()); err == nil {
		err = c.b.rename(temp, name)
	}
	if err != nil {
		c.cleanUp(temp)
	}
	return err
}

// lock takes the project's lock: first among the goroutines of this process, then among processes. It gives up when
// done is closed.
func (c *core) lock(ctx context.Context, done <-chan struct{}) (unlock func(), err error) {
	select {
	case c.turn <- struct{}{}:
	default:
		select {
		case c.turn <- struct{}{}:
		case <-done:
			return nil, fs.ErrClosed
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	select {
	case <-done:
		<-c.turn
		return nil, fs.ErrClosed
	default:
	}
	release, err := c.b.lock(false)
	if err == errLocked {
		release, err = c.waitForOthers(ctx, done)
	} else if err != nil {
		<-c.turn
	}
	if err != nil {
		return nil, err
	}
	return func() {
		release()
		<-c.turn
	}, nil
}

// waitForOthers waits until other processes have released the lock. This wait cannot be stopped: if the caller
// gives up, a goroutine takes the lock, releases it, and keeps the turn until then.
func (c *core) waitForOthers(ctx context.Context, done <-chan struct{}) (release func(), err error) {
	type outcome struct {
		release func()
		err     error
	}
	waiting := make(chan outcome)
	given := make(chan struct{})
	go func() {
		release, err := c.b.lock(true)
		select {
		case waiting <- outcome{release, err}:
		case <-given:
			if err == nil {
				release()
			}
			c.orphaned.Store(false)
			<-c.turn
		}
	}()
	select {
	case got := <-waiting:
		if got.err != nil {
			<-c.turn
		}
		return got.release, got.err
	case <-ctx.Done():
		err = ctx.Err()
	case <-done:
		err = fs.ErrClosed
	}
	c.orphaned.Store(true)
	close(given)
	return nil, err
}

// begin takes the lock and gets ready for changes; end must be called in any case.
func (c *core) begin(ctx context.Context, done <-chan struct{}) (end func() error, err error) {
	unlock, err := c.lock(ctx, done)
	if errors.Is(err, fs.ErrNotExist) { // the directory that the lock would be in
		return nil, vfs.ErrDeleted
	}
	if err != nil {
		return nil, err
	}
	c.recorded = change{}
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
		defer unlock()
		// If this fails or is never reached, the next one to come counts again.
		c.state.dirty = false
		if c.state.bytes < 0 || c.state.files < 0 { // what was removed had been made from outside
			c.counted.Store(false)
		}
		return c.b.writeState(c.state.encode())
	}, nil
}

// prepare reads the state, or finds it out, and marks it as being changed.
func (c *core) prepare() error {
	var err error
	c.state, err = readState(c.b)
	if err == nil && c.state.deleted {
		if c.inStore && c.deletedForGood() {
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
	case c.state.dirty:
		err = c.recover(c.state.next, c.state.oldest)
	case !c.counted.Load():
		err = c.recover(maxNumber, c.state.oldest)
	}
	if err != nil {
		return err
	}
	if c.options.Quota.Growth && !c.based.Load() {
		c.base.bytes.Store(c.state.bytes)
		c.base.files.Store(c.state.files)
		c.based.Store(true)
	}
	c.state.dirty = true
	return c.b.writeState(c.state.encode())
}

func (c *core) beginSession() error {
	if err := c.makeMeta(tempDir); err != nil {
		return err
	}
	name := strings.ToLower(rand.Text())
	release, err := c.b.claim(tempDir + "/" + name + claimSuffix)
	if err != nil {
		return err
	}
	c.session.Store(&session{name: name, release: release})
	return nil
}

// makeMeta makes a directory for the project's own use.
func (c *core) makeMeta(dir string) error {
	for _, name := range []string{"/" + vfs.Reserved, dir} {
		if err := c.b.mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// recover determines the state from the files, when this process begins, and after a process has died during a
// change. Changes from doubtful on may not have happened, and those before oldest have been dropped.
func (c *core) recover(doubtful, oldest int64) error {
	if err := removeLeftovers(c.b, c.session.Load().name); err != nil {
		return err
	}
	if b, ok := c.b.(recoverer); ok {
		if err := b.recovered(); err != nil {
			return err
		}
	}
	s := state{}
	if err := c.recoverHistory(&s, doubtful, oldest); err != nil {
		return err
	}
	size, err := c.sizeOf("/")
	if err != nil {
		return err
	}
	s.bytes, s.files = size.bytes, size.files-1 // but the root
	c.oldestTime = time.Time{}
	c.state = s
	c.counted.Store(true)
	if c.onCounted != nil {
		c.onCounted()
	}
	return nil
}

// recoverSoon ends what a process has left that was killed, unless somebody is at work. If that fails, the next change
// tries again.
func (c *core) recoverSoon() {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	default:
		return
	}
	release, err := c.b.lock(false)
	if err != nil {
		return
	}
	defer release()
	if c.prepare() == nil {
		c.state.dirty = false
		_ = c.b.writeState(c.state.encode())
	}
}

// A recoverer is a backend that has leftovers of its own of processes that are no more. It is called with the lock.
type recoverer interface{ recovered() error }

// removeLeftovers removes temporary files of processes that are no more. own is the name of this one's session.
func removeLeftovers(b backend, own string) error {
	infos, err := b.readDir(tempDir)
	if err != nil {
		return err
	}
	alive := map[string]bool{own: true}
	for _, info := range infos {
		name, isClaim := strings.CutSuffix(info.Name(), claimSuffix)
		if isClaim && !alive[name] {
			// Errors mean that it is nothing that a process claims.
			alive[name], _ = b.alive(tempDir + "/" + info.Name())
		}
	}
	// Claims sort behind the files, so that those go first.
	for _, isClaim := range []bool{false, true} {
		for _, info := range infos {
			name, claim := strings.CutSuffix(info.Name(), claimSuffix)
			if !claim {
				name, _, _ = strings.Cut(name, "-")
			}
			if claim == isClaim && !alive[name] {
				cleanUp(b, tempDir+"/"+info.Name())
			}
		}
	}
	return nil
}

// cleanUp removes what is the project's own. What cannot be removed stays; nobody's work must fail because of that.
func (c *core) cleanUp(name string) { cleanUp(c.b, name) }

func cleanUp(b backend, name string) {
	if b.removeAll(name) == nil {
		return
	}
	unlock(b, name)
	_ = b.removeAll(name)
}

// unlock lets the owner change all directories in one.
func unlock(b backend, dir string) {
	if info, err := b.lstat(dir); err != nil || !info.IsDir() || len(dir) > 2*vfs.MaxPath {
		return
	}
	_ = b.chmod(dir, 0o700)
	infos, _ := b.readDir(dir)
	for _, info := range infos {
		if info.IsDir() {
			unlock(b, path.Join(dir, info.Name()))
		}
	}
}

// sync makes changes in directories durable.
func (c *core) sync(dirs ...string) error {
	if c.options.NoSync {
		return nil
	}
	slices.Sort(dirs)
	for _, dir := range slices.Compact(dirs) {
		// A directory that is gone needs no syncing.
		if err := c.b.sync(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// close is called when nobody in this process uses the project any more.
func (c *core) close() error {
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
func (c *core) release() error {
	if s := c.session.Load(); s != nil {
		s.release()
		_ = c.b.removeAll(tempDir + "/" + s.name + claimSuffix)
	}
	return c.b.close()
}
