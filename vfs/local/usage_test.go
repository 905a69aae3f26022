package local_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

func TestListingAndUsageWriteNothing(t *testing.T) {
	dir := t.TempDir()
	store, err := local.OpenStore(dir, nil)
	require.NoError(t, err)
	want := map[string]vfs.Usage{}
	for _, id := range []string{"empty", "written", "interrupted", "foreign"} {
		project, err := store.Open(t.Context(), id)
		require.NoError(t, err)
		if id == "written" || id == "interrupted" {
			write(t, project, "/d/f", "12345")
			write(t, project, "/d/f", "123")
			require.NoError(t, project.Remove("/d/f"))
			write(t, project, "/d/g", "1234567")
		}
		want[id], err = project.Usage(t.Context())
		require.NoError(t, err)
		require.NoError(t, project.Close())
	}
	require.Equal(t, want["written"], want["interrupted"])
	require.EqualValues(t, 7, want["written"].Bytes)
	// A process that was killed in the middle of a change has left the mark for that, in the flags behind the magic
	// number.
	state, err := os.OpenFile(filepath.Join(dir, "interrupted", vfs.Reserved, "state"), os.O_RDWR, 0)
	require.NoError(t, err)
	_, err = state.WriteAt([]byte{1}, 8)
	require.NoError(t, err)
	require.NoError(t, state.Close())
	// Somebody has put a directory there.
	require.NoError(t, os.WriteFile(filepath.Join(dir, "foreign", "file"), []byte("12"), 0o600))
	want["foreign"] = vfs.Usage{Bytes: 2, Files: 1, Quota: want["foreign"].Quota}
	require.NoError(t, store.Close())

	before := filesOfTheHost(t, dir)
	store, err = local.OpenStore(dir, nil)
	require.NoError(t, err)
	for id, err := range vfs.IDs(t.Context(), store) {
		require.NoError(t, err)
		usage, err := store.Usage(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, want[id], usage, id)
		project, err := store.OpenExisting(t.Context(), id)
		require.NoError(t, err)
		_, err = project.Settings(t.Context())
		require.NoError(t, err)
		require.NoError(t, project.Close())
		delete(want, id)
	}
	require.Empty(t, want)
	_, err = store.OpenExisting(t.Context(), "missing")
	require.ErrorIs(t, err, fs.ErrNotExist)
	require.NoError(t, store.Close())
	require.Equal(t, before, filesOfTheHost(t, dir))
}

func BenchmarkUsageOfProjects(b *testing.B) {
	store, err := local.OpenStore(b.TempDir(), &vfs.Options{NoSync: true})
	require.NoError(b, err)
	for i := range 100 {
		project, err := store.Open(b.Context(), fmt.Sprint("p", i))
		require.NoError(b, err)
		require.NoError(b, vfs.WriteFile(b.Context(), project, "/d/f", []byte("text")))
		require.NoError(b, project.Close())
	}
	for b.Loop() {
		for id, err := range vfs.IDs(b.Context(), store) {
			require.NoError(b, err)
			_, err := store.Usage(b.Context(), id)
			require.NoError(b, err)
		}
	}
}
