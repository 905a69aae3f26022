package vfstest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

// content returns the content of all files, and "directory" for each directory.
func content(t *testing.T, files afero.Fs) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, afero.Walk(files, "/", func(name string, info fs.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			all[name] = "directory"
			return err
		}
		all[name] = read(t, files, name)
		return nil
	}))
	return all
}

// putFile writes a file, and makes its parents.
func putFile(t *testing.T, files afero.Fs, name, text string) {
	t.Helper()
	require.NoError(t, vfs.WriteFile(t.Context(), files, name, []byte(text)))
}

func checkpoint(t *testing.T, p vfs.Project, name string) vfs.Checkpoint {
	t.Helper()
	made, err := p.CreateCheckpoint(t.Context(), name, nil)
	require.NoError(t, err)
	return made
}

func restore(t *testing.T, p vfs.Project, name string) *vfs.Restored {
	t.Helper()
	done, err := p.RestoreCheckpoint(t.Context(), name, nil)
	require.NoError(t, err)
	return done
}

func checkpointNames(t *testing.T, p vfs.Project) []string {
	t.Helper()
	all, err := p.Checkpoints(t.Context())
	require.NoError(t, err)
	names := []string{}
	for _, k := range all {
		names = append(names, k.Name)
	}
	return names
}

func checkCheckpoints(t *testing.T, store vfs.Store) {
	p := project(t, store, "one")
	require.Empty(t, checkpointNames(t, p))
	_, err := p.RestoreCheckpoint(t.Context(), "first", nil)
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.ErrorIs(t, p.DeleteCheckpoint(t.Context(), "first"), fs.ErrNotExist)
	for _, name := range []string{"", "a\nb", "\xff", " a", "a ", strings.Repeat("x", vfs.MaxCheckpointName+1)} {
		_, err := p.CreateCheckpoint(t.Context(), name, nil)
		require.ErrorIs(t, err, fs.ErrInvalid, "%q", name)
		_, err = p.RestoreCheckpoint(t.Context(), name, nil)
		require.ErrorIs(t, err, fs.ErrInvalid, "%q", name)
		require.ErrorIs(t, p.DeleteCheckpoint(t.Context(), name), fs.ErrInvalid, "%q", name)
	}

	putFile(t, p, "/kept", "same")
	putFile(t, p, "/changed", "before")
	putFile(t, p, "/dir/removed", "gone")
	putFile(t, p, "/dir/deep/er/file", "deep")
	putFile(t, p, "/moved", "moved")
	putFile(t, p, "/file-or-dir", "file")
	require.NoError(t, p.Mkdir("/empty", 0o755))
	require.NoError(t, p.Chmod("/changed", 0o640))
	then := content(t, p)
	usage, err := p.Usage(t.Context())
	require.NoError(t, err)
	require.Zero(t, usage.CheckpointBytes)
	made := checkpoint(t, p, "../first é")
	require.Equal(t, usage.Bytes, made.Bytes)
	require.Equal(t, usage.Files, made.Files)
	require.False(t, made.Automatic)
	_, err = p.CreateCheckpoint(t.Context(), "../first é", nil)
	require.ErrorIs(t, err, fs.ErrExist)
	all, err := p.Checkpoints(t.Context())
	require.NoError(t, err)
	require.Equal(t, []vfs.Checkpoint{made}, all)
	after, err := p.Usage(t.Context())
	require.NoError(t, err)
	require.Equal(t, made.Cost(), after.CheckpointBytes)
	after.CheckpointBytes = 0
	require.Equal(t, usage, after, "it is counted by itself")
	require.Equal(t, then, content(t, p), "and is nowhere to be seen")

	nothing := restore(t, p, "../first é")
	require.Empty(t, nothing.Call)
	require.Empty(t, nothing.Changed)

	// Two calls and somebody else change things.
	one := p.WithCall("call one")
	putFile(t, one, "/changed", "after!")
	require.NoError(t, one.RemoveAll("/dir"))
	one.EndCall()
	two := p.WithCall("call two")
	require.NoError(t, two.Rename("/moved", "/moved-to"))
	putFile(t, two, "/new/file", "new")
	require.NoError(t, two.Remove("/file-or-dir"))
	require.NoError(t, two.Mkdir("/file-or-dir", 0o755))
	putFile(t, two, "/file-or-dir/inside", "x")
	require.NoError(t, two.Remove("/empty"))
	two.EndCall()
	putFile(t, p, "/alone", "alone")
	changed := content(t, p)

	dry, err := p.RestoreCheckpoint(t.Context(), "../first é", &vfs.RestoreOptions{DryRun: true})
	require.NoError(t, err)
	require.Equal(t, changed, content(t, p))
	require.Empty(t, dry.Call)
	require.Equal(t, made, dry.Checkpoint)
	require.False(t, dry.Incomplete)
	changes, err := p.Changes(t.Context(), "/alone")
	require.NoError(t, err)
	require.Equal(t, []vfs.CheckpointChange{
		{Path: "/alone", Op: vfs.OpCreate, Calls: []string{fmt.Sprintf("#%d", changes[0].ID)}},
		{Path: "/changed", Op: vfs.OpWrite, Calls: []string{"call one"}},
		{Path: "/dir", Op: vfs.OpRemove, Calls: []string{"call one"}},
		{Path: "/empty", Op: vfs.OpRemove, Calls: []string{"call two"}},
		{Path: "/file-or-dir", Op: vfs.OpWrite, Calls: []string{"call two"}},
		{Path: "/moved", Op: vfs.OpRemove, Calls: []string{"call two"}},
		{Path: "/moved-to", Op: vfs.OpCreate, Calls: []string{"call two"}},
		{Path: "/new", Op: vfs.OpCreate, Calls: []string{"call two"}},
	}, dry.Changed)

	done := restore(t, p, "../first é")
	require.Equal(t, dry.Changed, done.Changed)
	require.Equal(t, then, content(t, p))
	checkMode(t, p, "/changed", 0o640)
	now, err := p.Usage(t.Context())
	require.NoError(t, err)
	require.Equal(t, usage.Bytes, now.Bytes)
	require.Equal(t, usage.Files, now.Files)

	// Restoring is one call.
	require.NotEmpty(t, done.Call)
	unit, err := p.CheckUndo(t.Context(), "")
	require.NoError(t, err)
	require.Equal(t, done.Call, unit)
	_, err = p.Undo(t.Context(), done.Call)
	require.NoError(t, err)
	require.Equal(t, changed, content(t, p))
	_, err = p.Undo(t.Context(), "call two")
	require.NoError(t, err)
	require.Equal(t, "moved", read(t, p, "/moved"))

	// Within a call, it is a part of that.
	call := p.WithCall("a call")
	putFile(t, call, "/more", "more")
	within := restore(t, call, "../first é")
	require.Equal(t, "a call", within.Call)
	call.EndCall()
	require.Equal(t, then, content(t, p))
	undone, err := p.Undo(t.Context(), "a call")
	require.NoError(t, err)
	require.Equal(t, "/more", undone[len(undone)-1].Path)
	absent(t, p, "/more")

	require.NoError(t, p.DeleteCheckpoint(t.Context(), "../first é"))
	require.Empty(t, checkpointNames(t, p))
	require.ErrorIs(t, p.DeleteCheckpoint(t.Context(), "../first é"), fs.ErrNotExist)
	now, err = p.Usage(t.Context())
	require.NoError(t, err)
	require.Zero(t, now.CheckpointBytes)
}

func checkMode(t *testing.T, files afero.Fs, name string, mode fs.FileMode) {
	t.Helper()
	info, err := files.Stat(name)
	require.NoError(t, err)
	if runtime.GOOS != "windows" {
		require.Equal(t, mode, info.Mode().Perm())
	}
}

// checkCheckpointsShare checks that what is shared with a checkpoint does not change with the file.
func checkCheckpointsShare(t *testing.T, store vfs.Store) {
	p := project(t, store, "one")
	for _, name := range []string{"/open", "/opened", "/cut", "/mode", "/times", "/renamed", "/replaced"} {
		putFile(t, p, name, "before")
	}
	openInPlace := func(name string) afero.File {
		f, err := p.OpenFile(name, os.O_RDWR, 0)
		require.NoError(t, err)
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	early, second := openInPlace("/open"), openInPlace("/open")
	then := content(t, p)
	checkpoint(t, p, "one")
	checkpoint(t, p, "two")
	reader, err := p.Open("/open")
	require.NoError(t, err)
	defer reader.Close()
	for _, f := range []afero.File{early, second} { // both go on writing to the one file
		_, err := f.WriteAt([]byte("AFTER"), 0)
		require.NoError(t, err)
	}
	seen := make([]byte, 5)
	_, err = reader.ReadAt(seen, 0)
	require.NoError(t, err)
	require.Equal(t, "AFTER", string(seen), "who has it open sees it at once")
	_, err = openInPlace("/opened").WriteAt([]byte("AFTER"), 2)
	require.NoError(t, err)
	require.NoError(t, openInPlace("/cut").Truncate(2))
	require.NoError(t, p.Chmod("/mode", 0o666))
	require.NoError(t, p.Chtimes("/times", time.Unix(1, 0), time.Unix(1, 0)))
	require.NoError(t, p.Rename("/renamed", "/to"))
	_, err = openInPlace("/to").WriteAt([]byte("AFTER"), 0)
	require.NoError(t, err)
	putFile(t, p, "/replaced", "AFTER")
	changed := content(t, p)
	for _, name := range []string{"one", "two", "one"} {
		done := restore(t, p, name)
		require.Equal(t, then, content(t, p))
		// And what has been put back can be written to as well.
		_, err := openInPlace("/open").WriteAt([]byte("AGAIN"), 0)
		require.NoError(t, err)
		require.NotEmpty(t, done.Call)
	}
	require.NoError(t, p.DeleteCheckpoint(t.Context(), "one"))
	restore(t, p, "two")
	require.Equal(t, then, content(t, p))
	require.NotEqual(t, then, changed)
}

// checkCheckpointLimits checks that there are not too many, and that automatic ones make room.
func checkCheckpointLimits(t *testing.T, store vfs.Store) {
	p := project(t, store, "one")
	putFile(t, p, "/file", "0")
	automatic := &vfs.CheckpointOptions{Automatic: true}
	create := func(name string, options *vfs.CheckpointOptions) {
		t.Helper()
		made, err := p.CreateCheckpoint(t.Context(), name, options)
		require.NoError(t, err)
		require.Equal(t, options != nil, made.Automatic)
	}
	for i := range vfs.MaxAutomaticCheckpoints + 2 {
		create(fmt.Sprint("before ", i), automatic)
	}
	names := checkpointNames(t, p)
	require.Len(t, names, vfs.MaxAutomaticCheckpoints)
	require.Equal(t, "before 2", names[len(names)-1])
	putFile(t, p, "/file", "1")
	create("before 5", automatic)
	require.Len(t, checkpointNames(t, p), vfs.MaxAutomaticCheckpoints, "it replaces the other one")
	restored := restore(t, p, "before 5")
	require.Empty(t, restored.Changed)
	_, err := p.CreateCheckpoint(t.Context(), "before 5", nil)
	require.ErrorIs(t, err, fs.ErrExist)

	const most = 32 // by default
	for i := range most {
		create(fmt.Sprint("own ", i), nil)
	}
	require.Len(t, checkpointNames(t, p), most, "automatic ones have made room")
	for _, options := range []*vfs.CheckpointOptions{nil, automatic} {
		_, err := p.CreateCheckpoint(t.Context(), "one more", options)
		quota, ok := errors.AsType[*vfs.QuotaError](err)
		require.True(t, ok, err)
		require.Equal(t, "checkpoints", quota.Limit)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = p.CreateCheckpoint(ended, "late", nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = p.RestoreCheckpoint(ended, "own 1", nil)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, p.DeleteCheckpoint(ended, "own 1"), context.Canceled)
	_, err = p.Checkpoints(ended)
	require.ErrorIs(t, err, context.Canceled)
}

// checkCheckpointsLast checks what becomes of checkpoints when the project goes and comes back, and who sees them.
func checkCheckpointsLast(t *testing.T, store vfs.Store) {
	p := project(t, store, "one")
	putFile(t, p, "/file", "before")
	checkpoint(t, p, "mine")
	other := project(t, store, "two")
	require.Empty(t, checkpointNames(t, other))
	second := project(t, store, "one")
	require.Equal(t, []string{"mine"}, checkpointNames(t, second))

	// In an exclusive section as well.
	require.NoError(t, p.Exclusively(t.Context(), func(files afero.Fs) error {
		inside := files.(vfs.Project)
		putFile(t, inside, "/file", "inside")
		checkpoint(t, inside, "within")
		require.Equal(t, []string{"within", "mine"}, checkpointNames(t, inside))
		restore(t, inside, "mine")
		require.Equal(t, "before", read(t, inside, "/file"))
		restore(t, inside, "within")
		return nil
	}))
	require.Equal(t, "inside", read(t, second, "/file"))
	require.Equal(t, []string{"within", "mine"}, checkpointNames(t, second))

	require.NoError(t, store.Discard(t.Context(), "one"))
	_, err := p.CreateCheckpoint(t.Context(), "late", nil)
	require.ErrorIs(t, err, vfs.ErrDeleted)
	_, err = p.RestoreCheckpoint(t.Context(), "mine", nil)
	require.ErrorIs(t, err, vfs.ErrDeleted)
	_, err = p.Checkpoints(t.Context())
	require.ErrorIs(t, err, vfs.ErrDeleted)
	if found, err := store.Discarded(t.Context()); err == nil && len(found) > 0 {
		require.NoError(t, store.Recover(t.Context(), "one", "three"))
		back := project(t, store, "three")
		require.Equal(t, []string{"within", "mine"}, checkpointNames(t, back))
		restore(t, back, "mine")
		require.Equal(t, "before", read(t, back, "/file"))
	}
	require.Empty(t, checkpointNames(t, project(t, store, "one")))
}

// checkCheckpointsOfStates checks that states of sessions come back with the files.
func checkCheckpointsOfStates(t *testing.T, store vfs.Store) {
	p := project(t, store, "one")
	states := statesOf(t, p)
	other := vfs.StateID{Session: "other", Tool: "python"}
	checkpoint(t, p, "none")
	write(t, p, "/file", "before")
	writeState(t, states, someState, "state before")
	usage, err := p.Usage(t.Context())
	require.NoError(t, err)
	made := checkpoint(t, p, "one")
	require.Equal(t, usage.Bytes, made.Bytes)
	require.Equal(t, usage.Files, made.Files)

	call := p.WithCall("a call")
	write(t, call, "/file", "after")
	inCall := statesOf(t, call)
	writeState(t, inCall, someState, "state after")
	writeState(t, inCall, other, "another")
	call.EndCall()
	done := restore(t, p, "one")
	require.Equal(t, []vfs.CheckpointChange{
		{Path: "/file", Op: vfs.OpWrite, Calls: []string{"a call"}},
		{Path: someState.Path(), Op: vfs.OpWrite, Calls: []string{"a call"}},
		{Path: other.Path(), Op: vfs.OpCreate, Calls: []string{"a call"}},
	}, done.Changed)
	require.Equal(t, "before", read(t, p, "/file"))
	require.Equal(t, "state before", readState(t, states, someState))
	require.Empty(t, readState(t, states, other))
	now, err := p.Usage(t.Context())
	require.NoError(t, err)
	require.Equal(t, usage.Bytes, now.Bytes)
	require.Equal(t, usage.Files, now.Files)

	_, err = p.Undo(t.Context(), done.Call)
	require.NoError(t, err)
	require.Equal(t, "after", read(t, p, "/file"))
	require.Equal(t, "state after", readState(t, states, someState))
	require.Equal(t, "another", readState(t, states, other))

	restore(t, p, "none")
	require.Empty(t, readState(t, states, someState))
	absent(t, p, "/file")
	restore(t, p, "one")
	require.Equal(t, "state before", readState(t, states, someState))
}
