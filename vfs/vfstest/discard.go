package vfstest

import (
	"io/fs"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
)

func checkDiscarding(t *testing.T, store vfs.Store) {
	require.ErrorIs(t, store.Discard(t.Context(), "one"), fs.ErrNotExist)
	require.ErrorIs(t, store.Discard(t.Context(), "a\x00"), fs.ErrInvalid)
	require.ErrorIs(t, store.Recover(t.Context(), "one", "one"), fs.ErrNotExist)
	require.ErrorIs(t, store.Recover(t.Context(), "one", "a\x00"), fs.ErrInvalid)
	old := project(t, store, "one")
	write(t, old, "/file", "before")
	write(t, old, "/file", "text")
	require.NoError(t, old.EditSettings(t.Context(), func([]byte) ([]byte, error) { return []byte(`{"a":1}`), nil }))
	usage, err := old.Usage(t.Context())
	require.NoError(t, err)
	require.NoError(t, store.Discard(t.Context(), "one"))
	require.ErrorIs(t, old.Mkdir("/d", 0o755), vfs.ErrDeleted)
	_, err = old.Settings(t.Context())
	require.ErrorIs(t, err, vfs.ErrDeleted)
	_, err = store.OpenExisting(t.Context(), "one")
	require.ErrorIs(t, err, fs.ErrNotExist)
	ids, err := store.List(t.Context(), "", 0)
	require.NoError(t, err)
	require.Empty(t, ids)

	discarded, err := store.Discarded(t.Context())
	require.NoError(t, err)
	if len(discarded) == 0 { // a store that loses all with its process keeps nothing
		require.ErrorIs(t, store.Recover(t.Context(), "one", "one"), fs.ErrNotExist)
		return
	}
	require.Len(t, discarded, 1)
	require.Equal(t, "one", discarded[0].ID)
	require.WithinDuration(t, time.Now(), discarded[0].Time, time.Minute)
	require.True(t, discarded[0].Until.After(time.Now()))
	require.NoError(t, old.Close())

	// A new project of this id is another one, in whose way the old one is not, nor is it in that of the old one.
	fresh := project(t, store, "one")
	absent(t, fresh, "/file")
	require.ErrorIs(t, store.Recover(t.Context(), "one", "one"), fs.ErrExist)
	require.ErrorIs(t, store.Recover(t.Context(), "one", "ONE"), fs.ErrExist)
	require.NoError(t, store.Recover(t.Context(), "one", "two"))
	require.ErrorIs(t, store.Recover(t.Context(), "one", "three"), fs.ErrNotExist, "it is kept once")
	back := project(t, store, "two")
	require.Equal(t, "text", read(t, back, "/file"))
	settings, err := back.Settings(t.Context())
	require.NoError(t, err)
	require.JSONEq(t, `{"a":1}`, string(settings))
	changes, err := back.Changes(t.Context(), "/file")
	require.NoError(t, err)
	require.Len(t, changes, 2)
	write(t, back, "/file", "text")
	now, err := back.Usage(t.Context())
	require.NoError(t, err)
	require.Equal(t, usage.Bytes, now.Bytes)
	require.NoError(t, back.Restore(t.Context(), changes[0].ID, ""))
	require.Equal(t, "before", read(t, back, "/file"))

	// Deleting is for good.
	require.NoError(t, store.Discard(t.Context(), "two"))
	require.NoError(t, store.Delete(t.Context(), "two"))
	require.ErrorIs(t, store.Delete(t.Context(), "two"), fs.ErrNotExist)
	require.NoError(t, store.Discard(t.Context(), "one"))
	write(t, project(t, store, "one"), "/new", "")
	require.NoError(t, store.Delete(t.Context(), "one"))
	discarded, err = store.Discarded(t.Context())
	require.NoError(t, err)
	require.Empty(t, discarded)
}
