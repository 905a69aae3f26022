package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestDiscardedProjectsExpire: what was discarded goes when a store is opened after its time.
func TestDiscardedProjectsExpire(t *testing.T) {
	dir := t.TempDir()
	old, young := time.Now().Add(-2*time.Hour).Unix(), time.Now().Add(-time.Hour/2).Unix()
	for _, name := range []string{fmt.Sprintf(".a.%d-X.discarded", old), fmt.Sprintf(".a.%d-Y.discarded", young),
		".a.x-Y.discarded", ".discarded", ".a.discarded"} {
		require.NoError(t, os.Mkdir(filepath.Join(dir, name), 0o700))
	}
	store, err := local.OpenStore(dir, &vfs.Options{History: vfs.HistoryOptions{Age: time.Hour}})
	require.NoError(t, err)
	defer store.Close()
	discarded, err := store.Discarded(t.Context())
	require.NoError(t, err)
	require.Equal(t, []vfs.Discarded{{ID: "a", Time: time.Unix(young, 0).UTC(),
		Until: time.Unix(young, 0).UTC().Add(time.Hour)}},
		discarded)
}

func TestDiscardWithoutHistory(t *testing.T) {
	dir := t.TempDir()
	store, err := local.OpenStore(dir, &vfs.Options{History: vfs.HistoryOptions{Off: true}})
	require.NoError(t, err)
	defer store.Close()
	p, err := store.Open(t.Context(), "p")
	require.NoError(t, err)
	require.NoError(t, p.Close())
	require.NoError(t, store.Discard(t.Context(), "p"))
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}
