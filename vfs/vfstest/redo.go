package vfstest

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

func checkRedoing(t *testing.T, store vfs.Store) {
	p := project(t, store, "p")
	redo := func(call, id string) error {
		_, err := p.WithCall(call).Redo(t.Context(), id)
		return err
	}
	undo := func(id string) {
		t.Helper()
		_, err := p.Undo(t.Context(), id)
		require.NoError(t, err)
	}
	require.ErrorIs(t, redo("r", ""), vfs.ErrNotKept)
	require.NoError(t, p.Mkdir("/new", 0o755))
	write(t, p.WithCall("a"), "/f", "a")
	b := p.WithCall("b")
	write(t, b, "/f", "b")
	require.NoError(t, b.Mkdir("/made", 0o755))
	write(t, b, "/new/g", "b")
	require.NoError(t, b.Rename("/new/g", "/new/h"))
	write(t, p.WithCall("c"), "/f", "c")
	require.NoError(t, p.WithCall("c").Remove("/new/h"))
	require.ErrorIs(t, redo("r", "c"), vfs.ErrNotKept, "it has not been undone")

	undo("c")
	undo("b")
	require.Equal(t, "a", read(t, p, "/f"))
	absent(t, p, "/new/h")
	absent(t, p, "/made")
	require.NoError(t, redo("r1", ""))
	_, err := p.Stat("/made")
	require.NoError(t, err)
	require.Equal(t, "b", read(t, p, "/f"))
	require.Equal(t, "b", read(t, p, "/new/h"))
	changes, err := p.Changes(t.Context(), "/f")
	require.NoError(t, err)
	require.Equal(t, "r1", changes[0].Call)
	require.Equal(t, "b", changes[0].Redoes)
	require.ErrorContains(t, redo("r", "b"), "it has been redone already")
	require.NoError(t, redo("r2", ""))
	require.Equal(t, "c", read(t, p, "/f"))
	absent(t, p, "/new/h")
	require.ErrorIs(t, redo("r", ""), vfs.ErrNotKept, "all has been redone")

	// What was redone can be undone, and redone again.
	undo("")
	require.Equal(t, "b", read(t, p, "/f"))
	require.NoError(t, redo("r3", ""))
	require.Equal(t, "c", read(t, p, "/f"))
	undo("r3")
	undo("r1")
	require.Equal(t, "a", read(t, p, "/f"))

	// What others have changed since is not lost.
	write(t, p.WithCall("d"), "/other", "d")
	require.ErrorIs(t, redo("r", ""), vfs.ErrNotKept, "the last change was no undoing")
	write(t, p.WithCall("d"), "/f", "d")
	err = redo("r", "r1")
	require.ErrorContains(t, err, "/f has been changed since by d")
	require.Equal(t, "d", read(t, p, "/f"))
	absent(t, p, "/new/h")
	require.NotErrorIs(t, err, fs.ErrNotExist)
}
