// Package sessions lists, copies and deletes the sessions of code that a project keeps. Code runs in a session if
// [registry.Selection].Session, or the option "session" of its tool, names one; then its variables stay from call to
// call.
//
// [registry.Selection].Session: https://pkg.go.dev/github.com/toolrun/toolrun/registry#Selection
package sessions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/spf13/afero"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/vfs"
)

// A Session is a session of a project.
type Session struct {
	// Name is its name.
	Name string
	// States are its states, one for each tool whose code has run in it, sorted by tool.
	States []vfs.StateInfo
}

// Size is the size of all its states in bytes.
func (s *Session) Size() (size int64) {
	for _, state := range s.States {
		size += state.Size
	}
	return size
}

// Used is when a call has last left variables in it.
func (s *Session) Used() (used time.Time) {
	for _, state := range s.States {
		if state.Time.After(used) {
			used = state.Time
		}
	}
	return used
}

// List returns the sessions of a project, sorted by name. The error is errors.ErrUnsupported if it keeps none.
func List(ctx context.Context, files afero.Fs) ([]Session, error) {
	states, err := statesOf(files)
	if err != nil {
		return nil, err
	}
	all, err := states.ListStates(ctx)
	var found []Session
	for _, s := range all {
		if n := len(found); n == 0 || found[n-1].Name != s.Session {
			found = append(found, Session{Name: s.Session})
		}
		last := &found[len(found)-1]
		last.States = append(last.States, s)
	}
	return found, err
}

// Get returns a session of a project. The error is fs.ErrNotExist if there is none of that name.
func Get(ctx context.Context, files afero.Fs, name string) (Session, error) {
	if err := vfs.CheckSession(name); err != nil {
		return Session{}, err
	}
	all, err := List(ctx, files)
	if err != nil {
		return Session{}, err
	}
	for _, s := range all {
		if s.Name == name {
			return s, nil
		}
	}
	return Session{}, fmt.Errorf("no session named %s: %w", name, fs.ErrNotExist)
}

func statesOf(files afero.Fs) (vfs.States, error) {
	if states, ok := vfs.StatesOf(files); ok {
		return states, nil
	}
	return nil, fmt.Errorf("sessions: the project keeps none: %w", errors.ErrUnsupported)
}

// A Project is a project that keeps sessions.
type Project struct {
	// Files are its files, as the call sees them that copying belongs to, or the project itself.
	Files afero.Fs
	// ID is its id, as [tool.Env] has it for calls, and Key the secret of its store: see [vfs.SealKey].
	ID  string
	Key []byte
}

// Copy copies a session, in the same project or into another one, so that both can go on from where it is. It waits
// until no call uses it. The error is fs.ErrExist if there is a session of the new name, and fs.ErrNotExist if there is
// none of the old one.
func Copy(ctx context.Context, from Project, name string, to Project, newName string) error {
	if err := vfs.CheckSession(newName); err != nil {
		return err
	}
	source, err := statesOf(from.Files)
	if err != nil {
		return err
	}
	target, err := statesOf(to.Files)
	if err != nil {
		return err
	}
	unlock, err := source.LockSession(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	session, err := Get(ctx, from.Files, name)
	if err != nil {
		return err
	}
	if _, err := Get(ctx, to.Files, newName); err == nil {
		return fmt.Errorf("there is a session named %s: %w", newName, fs.ErrExist)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, state := range session.States {
		sealed, _, err := source.ReadState(ctx, state.StateID)
		if err != nil {
			return err
		}
		id := vfs.StateID{Session: newName, Tool: state.Tool}
		sealed, err = sandbox.Reseal(sealed, vfs.StateKey(from.Key, from.ID, state.StateID),
			vfs.StateKey(to.Key, to.ID, id))
		if err != nil {
			return fmt.Errorf("%v: %w", state.StateID, err)
		}
		if err := target.WriteState(ctx, id, sealed, vfs.StateInfo{}); err != nil {
			return err
		}
	}
	return nil
}

// Open opens one of the states of a session, as the language of its tool does, so that its variables can be listed. The
// error is fs.ErrNotExist if there is none, and a [*sandbox.StateError] if it cannot be used.
func Open(ctx context.Context, from Project, id vfs.StateID,
	open func(sealed, key []byte, memory int64) (*sandbox.State, error)) (*sandbox.State, error) {
	states, err := statesOf(from.Files)
	if err != nil {
		return nil, err
	}
	sealed, _, err := states.ReadState(ctx, id)
	if err != nil {
		return nil, err
	}
	return open(sealed, vfs.StateKey(from.Key, from.ID, id), sandbox.MaxMemory)
}

// Delete deletes a session. It waits until no call uses it. The error is fs.ErrNotExist if there is none.
func Delete(ctx context.Context, files afero.Fs, name string) error {
	states, err := statesOf(files)
	if err != nil {
		return err
	}
	unlock, err := states.LockSession(ctx, name)
	if err != nil {
		return err
	}
	defer unlock()
	session, err := Get(ctx, files, name)
	if err != nil {
		return err
	}
	for _, state := range session.States {
		if err := states.RemoveState(ctx, state.StateID); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
