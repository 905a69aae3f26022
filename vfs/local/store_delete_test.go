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
				repeat(func() error { _, err := store.Usage(t.Context(), "p"); return err })
			}
			for range 2 {
				opening.Go(func() {
					for n := 0; n < rounds || deleted.Load() == 0; n++ {
						p, err := store.Open(t.Context(), "p")
						if !assert.NoError(t, err) {
							return
						}
						for i := range 5 {
							if err := afero.WriteFile(p, fmt.Sprint("/", i), nil, 0o600); err != nil &&
								!errors.Is(err, fs.ErrNotExist) {
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

// A process that is killed after it has marked a project as deleted, and before it has put it away, loses nothing.
func TestKilledWhileDeleting(t *testing.T) {
	for name, then := range map[string]func(t *testing.T, store vfs.Store){
		"used": func(t *testing.T, store vfs.Store) {
			p, err := store.OpenExisting(t.Context(), "p")
			require.NoError(t, err)
			require.Equal(t, "x", read(t, p, "/f"))
			write(t, p, "/f", "y")
			changes, err := p.Changes(t.Context(), "/f")
			require.NoError(t, err)
			require.Len(t, changes, 2)
			require.NoError(t, p.Close())
		},
		"listed": func(t *testing.T, store vfs.Store) {
			usage, err := store.Usage(t.Context(), "p")
			require.NoError(t, err)
			require.EqualValues(t, 1, usage.Bytes)
		},
		"deleted":   func(t *testing.T, store vfs.Store) { require.NoError(t, store.Delete(t.Context(), "p")) },
		"discarded": func(t *testing.T, store vfs.Store) { require.NoError(t, store.Discard(t.Context(), "p")) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			open := func() vfs.Store {
				store, err := local.OpenStore(dir, &vfs.Options{NoSync: true})
				require.NoError(t, err)
				t.Cleanup(func() { _ = store.Close() })
				return store
			}
			still, err := open().Open(t.Context(), "p")
			require.NoError(t, err)
			defer still.Close()
			write(t, still, "/f", "x")
			killed, err := open().Open(t.Context(), "p")
			require.NoError(t, err)
			require.NoError(t, local.MarkDeleted(killed))
			require.NoError(t, killed.Close())
			if name == "used" {
				require.NoError(t, still.Mkdir("/d", 0o755), "by who has had it open")
				require.NoError(t, local.MarkDeleted(still))
			}
			then(t, open())
			ids, err := open().List(t.Context(), "", 0)
			require.NoError(t, err)
			require.Equal(t, name == "used" || name == "listed", len(ids) == 1)
			if len(ids) == 0 {
				require.ErrorIs(t, still.Mkdir("/e", 0o755), vfs.ErrDeleted)
			}
		})
	}
}
