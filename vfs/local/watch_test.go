package local_test

import (
	"context"
	"errors"
	"os"
	"testing"
	"testing/synctest"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestWatchProjects: a store in memory tells of each change of a project, and of its removal. A directory cannot.
func TestWatchProjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := local.NewMemoryStore(nil)
		project := openProject(t, store, "p")
		ctx, cancel := context.WithCancel(t.Context())
		told, done := map[string]bool{}, make(chan error)
		go func() { done <- store.WatchProjects(ctx, func(id string) { told[id] = true }) }()
		hears := func(what string, want map[string]bool) {
			t.Helper()
			synctest.Wait()
			require.Equal(t, want, told, what)
			clear(told)
		}
		ofP := map[string]bool{"p": true}
		hears("the beginning", map[string]bool{"": true})
		write(t, project, "/file", "one")
		hears("a new file", ofP)
		file, err := project.OpenFile("/file", os.O_RDWR, 0)
		require.NoError(t, err)
		hears("opening a file", ofP)
		for range 2 {
			_, err = file.WriteAt([]byte("two"), 0)
			require.NoError(t, err)
			hears("a change in place", ofP)
		}
		require.NoError(t, file.Close())
		hears("closing it", ofP)
		require.NoError(t, vfs.Exclusively(ctx, project, func(files afero.Fs) error {
			write(t, files, "/file", "three")
			hears("within an exclusive section", map[string]bool{})
			return nil
		}))
		hears("an exclusive section", ofP)
		_, err = afero.ReadFile(project, "/file")
		require.NoError(t, errors.Join(err, openProject(t, store, "q").Close()))
		hears("reading", map[string]bool{})
		require.NoError(t, store.Delete(ctx, "p"))
		hears("removal", ofP)
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
	})
	store, err := local.OpenStore(t.TempDir(), nil)
	require.NoError(t, err)
	defer store.Close()
	require.ErrorIs(t, store.WatchProjects(t.Context(), func(string) {}), errors.ErrUnsupported)
}
