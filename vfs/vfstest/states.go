package vfstest

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

var someState = vfs.StateID{Session: "main", Tool: "javascript"}

// statesOf returns the states of a project, which need not keep any.
func statesOf(t *testing.T, files afero.Fs) vfs.States {
	t.Helper()
	states, ok := vfs.StatesOf(files)
	if !ok {
		t.Skip("the project keeps no states")
	}
	return states
}

func writeState(t *testing.T, states vfs.States, id vfs.StateID, data string) {
	t.Helper()
	_, before, err := states.ReadState(t.Context(), id)
	if !errors.Is(err, fs.ErrNotExist) {
		require.NoError(t, err)
	}
	require.NoError(t, states.WriteState(t.Context(), id, []byte(data), before))
}

func readState(t *testing.T, states vfs.States, id vfs.StateID) string {
	t.Helper()
	data, info, err := states.ReadState(t.Context(), id)
	if errors.Is(err, fs.ErrNotExist) {
		require.Zero(t, info)
		return ""
	}
	require.NoError(t, err)
	require.Equal(t, id, info.StateID)
	require.EqualValues(t, len(data), info.Size)
	return string(data)
}

func checkStates(t *testing.T, store vfs.Store) {
	ctx := t.Context()
	p := project(t, store, "p")
	states := statesOf(t, p)
	all, err := states.ListStates(ctx)
	require.NoError(t, err)
	require.Empty(t, all)
	require.NoError(t, afero.WriteFile(p, "/file", []byte("x"), 0o644))
	before, err := p.Usage(ctx)
	require.NoError(t, err)

	writeState(t, states, someState, "secret")
	other := vfs.StateID{Session: "main", Tool: "python"}
	writeState(t, states, other, "")
	require.Equal(t, "secret", readState(t, states, someState))
	all, err = states.ListStates(ctx)
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.Equal(t, []vfs.StateID{someState, other}, []vfs.StateID{all[0].StateID, all[1].StateID})
	require.EqualValues(t, 6, all[0].Size)
	require.False(t, all[0].Time.IsZero())

	// Quotas count them, but nothing shows them.
	now, err := p.Usage(ctx)
	require.NoError(t, err)
	require.EqualValues(t, before.Bytes+6, now.Bytes)
	require.EqualValues(t, before.Files+2, now.Files)
	require.Equal(t, map[string]string{"/file": "x"}, tree(t, p))

	// No path leads there, however it is written, and whatever is done with it.
	real := someState.Path()
	for _, name := range []string{
		real, real[1:], "/x/.." + real, strings.ToUpper(real), "//" + real, real + "/",
		strings.Replace(real, ".", "./.", 1),
		strings.Replace(real, "t", "\u200ct", 1), vfs.Reserved, "/" + vfs.Reserved + "/sessions",
	} {
		attempts := map[string]func() error{
			"open":   func() error { _, err := p.Open(name); return err },
			"write":  func() error { return afero.WriteFile(p, name, []byte("forged"), 0o644) },
			"stat":   func() error { _, err := p.Stat(name); return err },
			"remove": func() error { return p.Remove(name) },
			"remove all": func() error {
				if err := p.RemoveAll(name); err != nil || !strings.HasPrefix(name, "/./.") {
					return err
				}
				return fs.ErrNotExist // which is no error there
			},
			"rename from":  func() error { return p.Rename(name, "/stolen") },
			"rename to":    func() error { return p.Rename("/file", name) },
			"copy":         func() error { return vfs.Copy(ctx, p, name, "/stolen") },
			"make":         func() error { return p.MkdirAll(name, 0o755) },
			"change times": func() error { return p.Chtimes(name, all[0].Time, all[0].Time) },
			"change mode":  func() error { return p.Chmod(name, 0o777) },
			"history":      func() error { _, err := p.Changes(ctx, name); return err },
		}
		for what, attempt := range attempts {
			require.Error(t, attempt(), "%s %q", what, name)
		}
	}
	require.Equal(t, map[string]string{"/file": "x"}, tree(t, p))
	require.Equal(t, "secret", readState(t, states, someState))

	// Names are checked here as well, and states of other projects are others.
	for _, id := range []vfs.StateID{
		{}, {Session: "main"}, {Tool: "javascript"}, {Session: "../x", Tool: "javascript"}, {Session: "a/b", Tool: "x"},
		{Session: "A", Tool: "x"}, {Session: "é", Tool: "x"}, {Session: "a.b", Tool: "x"}, {Session: "-a", Tool: "x"},
		{Session: "a", Tool: "x-y"}, {Session: "a", Tool: ".."},
		{Session: strings.Repeat("a", vfs.MaxSession+1), Tool: "x"},
	} {
		_, _, err := states.ReadState(ctx, id)
		require.ErrorIs(t, err, fs.ErrInvalid, "%v", id)
		require.ErrorIs(t, states.WriteState(ctx, id, nil, vfs.StateInfo{}), fs.ErrInvalid, "%v", id)
		require.ErrorIs(t, states.RemoveState(ctx, id), fs.ErrInvalid, "%v", id)
	}
	require.Empty(t, readState(t, statesOf(t, project(t, store, "q")), someState))

	// Views of all of the project have its states, and those of a part of it none.
	for name, view := range map[string]afero.Fs{
		"protected": vfs.ReadOnly(p, "/memories"),
		"call":      p.WithCall("call"),
	} {
		require.Equal(t, "secret", readState(t, statesOf(t, view), someState), name)
	}
	for name, view := range map[string]afero.Fs{"part": vfs.Sub(p, "/dir"), "read-only": vfs.ReadOnly(p, "/")} {
		_, ok := vfs.StatesOf(view)
		require.False(t, ok, name)
	}

	// A store that is opened anew has them, and deletes them with the project.
	require.NoError(t, p.Close())
	p = project(t, store, "p")
	require.Equal(t, "secret", readState(t, statesOf(t, p), someState))
	require.NoError(t, statesOf(t, p).RemoveState(ctx, someState))
	require.ErrorIs(t, statesOf(t, p).RemoveState(ctx, someState), fs.ErrNotExist)
	require.NoError(t, p.Close())
	require.NoError(t, store.Delete(ctx, "p"))
	all, err = statesOf(t, project(t, store, "p")).ListStates(ctx)
	require.NoError(t, err)
	require.Empty(t, all)
}

func checkStateHistory(t *testing.T, store vfs.Store) {
	ctx := t.Context()
	p := project(t, store, "p")
	statesOf(t, p)
	write := func(call, file, state string) {
		c := p.WithCall(call)
		defer c.EndCall()
		require.NoError(t, afero.WriteFile(c, "/file", []byte(file), 0o644))
		writeState(t, statesOf(t, c), someState, state)
	}
	write("first", "1", "one")
	write("second", "2", "two")

	// What is not as it was expected to be stays.
	states := statesOf(t, p)
	data, was, err := states.ReadState(ctx, someState)
	require.NoError(t, err)
	require.Equal(t, "two", string(data))
	require.ErrorIs(t, states.WriteState(ctx, someState, []byte("x"), vfs.StateInfo{}), vfs.ErrStateChanged)
	wrong := was
	wrong.Size++
	require.ErrorIs(t, states.WriteState(ctx, someState, []byte("x"), wrong), vfs.ErrStateChanged)
	none := vfs.StateID{Session: "other", Tool: "javascript"}
	require.ErrorIs(t, states.WriteState(ctx, none, []byte("x"), was), vfs.ErrStateChanged)
	require.Equal(t, "two", readState(t, states, someState))
	require.Empty(t, readState(t, states, none))

	// The history does not show them, and does not hand out what they were.
	changes, err := p.Changes(ctx, "/")
	require.NoError(t, err)
	last := int64(0)
	for _, e := range changes {
		require.NotContains(t, e.Path+e.To, vfs.Reserved)
		last = max(last, e.ID)
	}
	for id := int64(0); id <= last+3; id++ {
		f, err := p.OpenVersion(ctx, id)
		if err == nil {
			content, err := afero.ReadAll(f)
			require.NoError(t, errors.Join(err, f.Close()))
			require.False(t, bytes.Contains(content, []byte("one")))
			continue
		}
		require.ErrorIs(t, err, vfs.ErrNotKept)
		require.ErrorIs(t, p.Restore(ctx, id, ""), vfs.ErrNotKept)
		require.ErrorIs(t, p.Restore(ctx, id, "/stolen"), vfs.ErrNotKept)
	}
	require.ErrorIs(t, p.Restore(ctx, last, someState.Path()), syscall.EINVAL)

	// Undoing a call brings back the state of before, and so does redoing.
	_, err = p.Undo(ctx, "first")
	var conflict *vfs.UndoError
	require.ErrorAs(t, err, &conflict)
	require.Contains(t, conflict.Error(), "the state of session main of javascript has been changed since by second")
	undone, err := p.Undo(ctx, "second")
	require.NoError(t, err)
	require.Len(t, undone, 2)
	id, ok := vfs.ParseStatePath(undone[0].Path)
	require.True(t, ok)
	require.Equal(t, someState, id)
	require.Equal(t, "one", readState(t, states, someState))
	require.Equal(t, map[string]string{"/file": "1"}, tree(t, p))
	_, err = p.Redo(ctx, "second")
	require.NoError(t, err)
	require.Equal(t, "two", readState(t, states, someState))
	require.Equal(t, map[string]string{"/file": "2"}, tree(t, p))

	// So is one that a call has removed, or made.
	c := p.WithCall("removing")
	require.NoError(t, statesOf(t, c).RemoveState(ctx, someState))
	writeState(t, statesOf(t, c), none, "made")
	c.EndCall()
	require.ErrorIs(t, statesOf(t, c).WriteState(ctx, none, nil, vfs.StateInfo{}), fs.ErrClosed)
	_, err = p.Undo(ctx, "removing")
	require.NoError(t, err)
	require.NotEmpty(t, readState(t, states, someState))
	require.Empty(t, readState(t, states, none))
	usage, err := p.Usage(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 2, usage.Files)
	require.EqualValues(t, 4, usage.Bytes)
}

func checkSessionLocks(t *testing.T, store vfs.Store) {
	ctx := t.Context()
	p := project(t, store, "p")
	one, other := statesOf(t, p), statesOf(t, project(t, store, "p"))
	_, err := one.LockSession(ctx, "../x")
	require.ErrorIs(t, err, fs.ErrInvalid)
	unlock, err := one.LockSession(ctx, "main")
	require.NoError(t, err)
	unlockOther, err := one.LockSession(ctx, "other")
	require.NoError(t, err)
	unlockOther()
	ended, end := context.WithCancel(ctx)
	end()
	_, err = other.LockSession(ended, "main")
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, tree(t, p))
	unlock()
	unlock() // does nothing

	// Whoever has the lock is alone.
	var group sync.WaitGroup
	n := 0
	for i := range 8 {
		group.Go(func() {
			states := []vfs.States{one, other}[i%2]
			unlock, err := states.LockSession(ctx, "main")
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			n++ // the race detector would tell
		})
	}
	group.Wait()
	require.Equal(t, 8, n)
	usage, err := p.Usage(ctx)
	require.NoError(t, err)
	require.Zero(t, usage.Files)
}

func checkSealKey(t *testing.T, store vfs.Store) {
	keys := make([][]byte, 4)
	var group sync.WaitGroup
	for i := range keys {
		group.Go(func() {
			key, err := vfs.SealKey(t.Context(), store)
			if err != nil {
				t.Error(err)
			}
			keys[i] = key
		})
	}
	group.Wait()
	for _, key := range keys {
		require.Len(t, key, vfs.SealKeySize)
		require.Equal(t, keys[0], key)
	}
}
