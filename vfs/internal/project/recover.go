package project

import (
	"path"
	"strings"
	"time"

	"github.com/toolrun/toolrun/vfs"
)

// recover determines the state from the files, when this process begins, and after a process has died during a
// change. Changes from doubtful on may not have happened, and those before oldest have been dropped.
func (c *Core) recover(doubtful, oldest int64) error {
	if err := RemoveLeftovers(c.Backend, c.session.Load().name); err != nil {
		return err
	}
	if b, ok := c.Backend.(recoverer); ok {
		if err := b.Recovered(); err != nil {
			return err
		}
	}
	s := State{}
	if err := c.recoverHistory(&s, doubtful, oldest); err != nil {
		return err
	}
	var err error
	if s.Bytes, s.Files, err = c.sizeOfAll(); err != nil {
		return err
	}
	c.oldestTime = time.Time{}
	c.State = s
	if err := c.resumePurging(doubtful); err != nil {
		return err
	}
	if err := c.recoverCheckpoints(); err != nil {
		return err
	}
	c.Counted.Store(true)
	if c.OnCounted != nil {
		c.OnCounted()
	}
	return nil
}

// RecoverSoon ends what a process has left that was killed, unless somebody is at work. If that fails, the next change
// tries again.
func (c *Core) RecoverSoon() {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	default:
		return
	}
	release, err := c.Backend.Lock(false)
	if err != nil {
		return
	}
	defer release()
	if c.prepare() == nil {
		c.State.Dirty = false
		_ = c.Backend.WriteState(c.State.Encode())
	}
}

// A recoverer is a backend that has leftovers of its own of processes that are no more. It is called with the lock.
type recoverer interface{ Recovered() error }

// RemoveLeftovers removes temporary files of processes that are no more. own is the name of this one's session.
func RemoveLeftovers(b Backend, own string) error {
	infos, err := b.ReadDir(TempDir)
	if err != nil {
		return err
	}
	alive := map[string]bool{own: true}
	for _, info := range infos {
		name, isClaim := strings.CutSuffix(info.Name(), ClaimSuffix)
		if isClaim && !alive[name] {
			// Errors mean that it is nothing that a process claims.
			alive[name], _ = b.Alive(TempDir + "/" + info.Name())
		}
	}
	// Claims sort behind the files, so that those go first.
	for _, isClaim := range []bool{false, true} {
		for _, info := range infos {
			name, claim := strings.CutSuffix(info.Name(), ClaimSuffix)
			if !claim {
				name, _, _ = strings.Cut(name, "-")
			}
			if claim == isClaim && !alive[name] {
				cleanUp(b, TempDir+"/"+info.Name())
			}
		}
	}
	return nil
}

// cleanUp removes what is the project's own. What cannot be removed stays; nobody's work must fail because of that.
func (c *Core) cleanUp(name string) { cleanUp(c.Backend, name) }

func cleanUp(b Backend, name string) {
	if b.RemoveAll(name) == nil {
		return
	}
	unlock(b, name)
	_ = b.RemoveAll(name)
}

// unlock lets the owner change all directories in one.
func unlock(b Backend, dir string) {
	if info, err := b.Lstat(dir); err != nil || !info.IsDir() || len(dir) > 2*vfs.MaxPath {
		return
	}
	_ = b.Chmod(dir, 0o700)
	infos, _ := b.ReadDir(dir)
	for _, info := range infos {
		if info.IsDir() {
			unlock(b, path.Join(dir, info.Name()))
		}
	}
}
