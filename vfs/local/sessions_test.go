package local_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

var sessionState = vfs.StateID{Session: "main", Tool: "javascript"}

// TestStatesInDirectories keeps states of sessions where the history is, and never among the files of a directory.
func TestStatesInDirectories(t *testing.T) {
	for name, open := range map[string]func(dir, own string) (vfs.Project, error){
		"beside the files": func(dir, _ string) (vfs.Project, error) { return local.OpenDir(dir, nil) },
		"apart":            func(dir, own string) (vfs.Project, error) { return local.OpenDirApart(dir, own, nil) },
		"layer":            func(dir, own string) (vfs.Project, error) { return local.OpenLayer(dir, own, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			dir, own := t.TempDir(), t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o600))
			p, err := open(dir, own)
			require.NoError(t, err)
			states, ok := vfs.StatesOf(p)
			require.True(t, ok)
			call := p.WithCall("call")
			inCall, ok := vfs.StatesOf(call)
			require.True(t, ok)
			require.NoError(t, inCall.WriteState(t.Context(), sessionState, []byte("secret"), vfs.StateInfo{}))
			call.EndCall()
			data, info, err := states.ReadState(t.Context(), sessionState)
			require.NoError(t, err)
			require.Equal(t, "secret", string(data))
			usage, err := p.Usage(t.Context())
			require.NoError(t, err)
			require.EqualValues(t, 7, usage.Bytes)
			require.NoError(t, states.WriteState(t.Context(), sessionState, []byte("more secret"), info))
			_, err = p.Undo(t.Context(), "")
			require.NoError(t, err)
			data, _, err = states.ReadState(t.Context(), sessionState)
			require.NoError(t, err)
			require.Equal(t, "secret", string(data))

			if l, ok := p.(vfs.Layer); ok {
				different, err := l.Differences(t.Context())
				require.NoError(t, err)
				require.Empty(t, different)
			}
			unlock, err := states.LockSession(t.Context(), "main")
			require.NoError(t, err)
			unlock()
			require.NoError(t, p.Close())
			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			for _, e := range entries {
				require.Contains(t, []string{"file", vfs.Reserved}, e.Name())
			}
			_, err = os.Stat(filepath.Join(dir, vfs.Reserved, "sessions"))
			require.Equal(t, name == "beside the files", err == nil)
		})
	}
}

// TestSessionsAreLockedAcrossStores takes a lock in one store that another one of the same directory has, as another
// process would.
func TestSessionsAreLockedAcrossStores(t *testing.T) {
	dir := t.TempDir()
	var all []vfs.States
	for range 2 {
		store, err := local.OpenStore(dir, nil)
		require.NoError(t, err)
		p, err := store.Open(t.Context(), "p")
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, errors.Join(p.Close(), store.Close())) })
		states, _ := vfs.StatesOf(p)
		all = append(all, states)
	}
	unlock, err := all[0].LockSession(t.Context(), "main")
	require.NoError(t, err)
	short, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	_, err = all[1].LockSession(short, "main")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	got := make(chan error)
	go func() {
		unlock, err := all[1].LockSession(t.Context(), "main")
		if err == nil {
			unlock()
		}
		got <- err
	}()
	unlock()
	require.NoError(t, <-got)
	left, err := filepath.Glob(filepath.Join(dir, "*", vfs.Reserved, "session-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestForeignStates has directories in which somebody else has put something where states are. None of that leads out
// of the directory, or fails worse than a state that is not there.
func TestForeignStates(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.WriteFile(outside, []byte("outside"), 0o600))
	for name, prepare := range map[string]func(sessions string) error{
		"the directory is a link": func(sessions string) error { return os.Symlink(filepath.Dir(outside), sessions) },
		"the directory is a file": func(sessions string) error { return os.WriteFile(sessions, nil, 0o600) },
		"a state is a link": func(sessions string) error {
			return errors.Join(os.Mkdir(sessions, 0o700),
				os.Symlink(outside, filepath.Join(sessions, "javascript-main")))
		},
		"a state is a directory": func(sessions string) error {
			return os.MkdirAll(filepath.Join(sessions, "javascript-main"), 0o700)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(dir, vfs.Reserved), 0o700))
			if err := prepare(filepath.Join(dir, vfs.Reserved, "sessions")); err != nil {
				t.Skip(err)
			}
			p, err := local.OpenDir(dir, nil)
			require.NoError(t, err)
			defer p.Close()
			states, _ := vfs.StatesOf(p)
			_, _, err = states.ReadState(t.Context(), sessionState)
			require.Error(t, err)
			require.Error(t, states.WriteState(t.Context(), sessionState, []byte("x"), vfs.StateInfo{}))
			all, _ := states.ListStates(t.Context())
			require.Empty(t, all)
			content, err := os.ReadFile(outside)
			require.NoError(t, err)
			require.Equal(t, "outside", string(content))
			_, err = p.Usage(t.Context())
			require.NoError(t, err)
			require.NoError(t, p.Mkdir("/dir", 0o755))
		})
	}
}
