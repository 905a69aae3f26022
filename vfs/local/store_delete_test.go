package local_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestDeletingWhatOthersOpen deletes a project again and again while others open it, write to it and ask what it holds.
func TestDeletingWhatOthersOpen(t *testing.T) {
	rounds := 15
	if *soak {
		rounds = 1000
	}
	dir := t.TempDir()
	disk, err := local.OpenStore(dir, &vfs.Options{NoSync: true})
	require.NoError(t, err)
	defer disk.Close()
	for name, store := range map[string]vfs.Store{"on disk": disk, "in memory": local.NewMemoryStore(nil)} {
		t.Run(name, func(t *testing.T) {
			var opening, others sync.WaitGroup
			var deleted atomic.Int64
			stop := make(chan struct{})
			repeat := func(do func() error) {
				others.Go(func() {
					for {
						select {
						case <-stop:
							return
						default:
						}
						if err := do(); err != nil && !errors.Is(err, fs.ErrNotExist) {
							t.Error(err)
						}
					}
				})
			}
			for range 2 {
				repeat(func() error {
					err := store.Delete(t.Context(), "p")
					if err == nil {
						deleted.Add(1)
					}
					return err
				})
				repeat(func() error { _, err := vfs.StoreUsage(t.Context(), store, "p"); return err })
			}
			for range 2 {
				opening.Go(func() {
					for range rounds {
						p, err := store.Open(t.Context(), "p")
						if !assert.NoError(t, err) {
							return
						}
						for i := range 5 {
							if err := afero.WriteFile(p, fmt.Sprint("/", i), nil, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
								t.Error(err)
							}
						}
						assert.NoError(t, p.Close())
					}
				})
			}
			opening.Wait()
			if err := store.Delete(t.Context(), "p"); !errors.Is(err, fs.ErrNotExist) {
				require.NoError(t, err)
			}
			ids, err := store.List(t.Context(), "", 0)
			require.NoError(t, err)
			require.Empty(t, ids, "nobody opens it any more")
			close(stop)
			others.Wait()
			ids, err = store.List(t.Context(), "", 0)
			require.NoError(t, err)
			require.Empty(t, ids, "asking for its usage does not make a project")
			require.Positive(t, deleted.Load())
		})
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}
