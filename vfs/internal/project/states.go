package project

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/fsys"
)

// stateDir is where the states of sessions are: files like others, but for that no path leads to them.
const stateDir = "/" + vfs.Reserved + "/sessions"

var _ vfs.States = (*Project)(nil)

// isState reports whether a path is that of a state.
func isState(name string) bool {
	if !strings.HasPrefix(name, stateDir) { // most
		return false
	}
	_, ok := vfs.ParseStatePath(name)
	return ok
}

// shown is a path as people read it.
func shown(name string) string {
	if id, ok := vfs.ParseStatePath(name); ok {
		return "the state of " + id.String()
	}
	return name
}

// stateError puts the name of a state into an error.
func stateError(op string, id vfs.StateID, err error) error {
	return fsys.PathError(op, id.String(), err)
}

// ReadState implements [vfs.States].
func (p *Project) ReadState(ctx context.Context, id vfs.StateID) (data []byte, info vfs.StateInfo, err error) {
	if err := errors.Join(id.Check(), ctx.Err()); err != nil {
		return nil, info, err
	}
	f, err := p.open(id.String(), id.Path(), os.O_RDONLY, 0)
	if err != nil {
		return nil, info, stateError("open", id, err)
	}
	defer f.Close()
	// It is replaced as a whole, so this is what is read, whatever happens meanwhile.
	is, err := f.Stat()
	if err == nil && is.IsDir() {
		err = stateError("open", id, fs.ErrInvalid) // in a directory that somebody else has filled
	}
	if err == nil {
		info = vfs.StateInfo{StateID: id, Size: is.Size(), Time: is.ModTime()}
		data = make([]byte, is.Size())
		_, err = io.ReadFull(f, data)
	}
	if err != nil {
		return nil, vfs.StateInfo{}, err
	}
	return data, info, nil
}

// WriteState implements [vfs.States].
func (p *Project) WriteState(ctx context.Context, id vfs.StateID, data []byte, before vfs.StateInfo) error {
	if err := errors.Join(id.Check(), ctx.Err()); err != nil {
		return err
	}
	name := id.Path()
	if _, err := p.view().Backend.Lstat(stateDir); errors.Is(err, fs.ErrNotExist) {
		if err := p.Change(ctx, func(c *Core) error { return c.makeMeta(stateDir) }); err != nil {
			return stateError("write", id, err)
		}
	}
	opened, err := p.open(id.String(), name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return stateError("write", id, err)
	}
	f := opened.(*File)
	f.allowed = func(c *Core) error { return c.isStill(name, before) }
	if _, err := f.Write(data); err != nil {
		f.Discard()
		return err
	}
	return f.Close()
}

// isStill checks that a state is what it was.
func (c *Core) isStill(name string, before vfs.StateInfo) error {
	now, err := c.Backend.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && before.Time.IsZero():
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return vfs.ErrStateChanged
	case err != nil:
		return err
	case now.Size() != before.Size || !now.ModTime().Equal(before.Time):
		return vfs.ErrStateChanged
	}
	return nil
}

// RemoveState implements [vfs.States].
func (p *Project) RemoveState(ctx context.Context, id vfs.StateID) error {
	if err := id.Check(); err != nil {
		return err
	}
	return stateError("remove", id, p.Change(ctx, func(c *Core) error { return p.remove(c, id.Path()) }))
}

// ListStates implements [vfs.States].
func (p *Project) ListStates(ctx context.Context) ([]vfs.StateInfo, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if p.Over() {
		return nil, fs.ErrClosed
	}
	found, err := p.view().states()
	if err != nil {
		return nil, err
	}
	var all []vfs.StateInfo
	for _, info := range found {
		id, _ := vfs.ParseStatePath(path.Join(stateDir, info.Name()))
		all = append(all, vfs.StateInfo{StateID: id, Size: info.Size(), Time: info.ModTime()})
	}
	slices.SortFunc(all, func(a, b vfs.StateInfo) int {
		if by := strings.Compare(a.Session, b.Session); by != 0 {
			return by
		}
		return strings.Compare(a.Tool, b.Tool)
	})
	return all, nil
}

// states describes the files that are states.
func (c *Core) states() ([]fs.FileInfo, error) {
	infos, err := c.Backend.ReadDir(stateDir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, fsys.ErrNotDir) {
		return nil, nil // in a directory that somebody else has filled, it can be anything
	}
	return slices.DeleteFunc(infos, func(info fs.FileInfo) bool {
		return !info.Mode().IsRegular() || !isState(path.Join(stateDir, info.Name()))
	}), err
}

// sizeOfAll measures all files and directories, and the states.
func (c *Core) sizeOfAll() (bytes, files int64, err error) {
	size, err := c.SizeOf("/")
	if err != nil {
		return 0, 0, err
	}
	states, err := c.states()
	if err != nil {
		return 0, 0, err
	}
	bytes, files = size.Bytes, size.Files-1 // but the root
	for _, info := range states {
		bytes, files = sum(bytes, info.Size()), files+1
	}
	return bytes, files, nil
}

// Recount counts what the project holds. Whoever has the lock calls it.
func (c *Core) Recount() error {
	bytes, files, err := c.sizeOfAll()
	c.State.Bytes, c.State.Files = bytes, files
	return err
}

// A SessionLocker is a backend whose sessions other processes can lock.
type SessionLocker interface {
	// LockSession takes the lock of a name that [vfs.CheckSession] accepts. In one process it is called by one at a
	// time for each name.
	LockSession(ctx context.Context, session string) (unlock func(), err error)
}

// sessionLocks are the locks of a project's sessions in this process.
type sessionLocks struct {
	mu   sync.Mutex
	held map[string]chan struct{} // closed when the lock is given back
}

// LockSession implements [vfs.States].
func (p *Project) LockSession(ctx context.Context, session string) (unlock func(), err error) {
	if err := vfs.CheckSession(session); err != nil {
		return nil, err
	}
	free, err := p.Core.sessions.lock(ctx, session)
	if err != nil {
		return nil, err
	}
	l, ok := p.Core.Backend.(SessionLocker)
	if !ok || p.Core.options.ReadOnly {
		return free, nil
	}
	release, err := l.LockSession(ctx, session)
	if err != nil {
		free()
		return nil, err
	}
	return sync.OnceFunc(func() {
		release()
		free()
	}), nil
}

func (s *sessionLocks) lock(ctx context.Context, name string) (unlock func(), err error) {
	mine := make(chan struct{})
	for {
		s.mu.Lock()
		other := s.held[name]
		if other == nil {
			if s.held == nil {
				s.held = map[string]chan struct{}{}
			}
			s.held[name] = mine
			s.mu.Unlock()
			return sync.OnceFunc(func() {
				s.mu.Lock()
				delete(s.held, name)
				s.mu.Unlock()
				close(mine)
			}), nil
		}
		s.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
