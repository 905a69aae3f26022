//go:build systemtest

package postgres_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/postgres"
	"github.com/toolrun/toolrun/vfs/vfstest"
)

// inDatabase reports whether a text is in any content.
func inDatabase(t *testing.T, url, text string) (found bool) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(t.Context())
	require.NoError(t, conn.QueryRow(t.Context(),
		"SELECT EXISTS (SELECT FROM part WHERE position($1::bytea in data) > 0)", []byte(text)).Scan(&found))
	return found
}

func TestPurge(t *testing.T) {
	t.Run("database", func(t *testing.T) {
		vfstest.TestPurge(t, func(t *testing.T) (vfs.Store, func(*testing.T, string) bool) {
			url := pgtest.URL(t)
			store := openAt(t, url, nil)
			t.Cleanup(func() { requireSound(t, store) })
			return store, func(t *testing.T, text string) bool {
				require.NoError(t, store.Sweep(t.Context(), 0))
				return inDatabase(t, url, text)
			}
		})
	})
	t.Run("objects", func(t *testing.T) {
		vfstest.TestPurge(t, func(t *testing.T) (vfs.Store, func(*testing.T, string) bool) {
			url, objects := pgtest.URL(t), newObjects()
			store := withObjects(t, url, objects)
			return store, func(t *testing.T, text string) bool {
				sweep(t, store)
				found := inDatabase(t, url, text)
				for _, data := range objects.all {
					found = found || strings.Contains(string(data), text)
				}
				return found
			}
		})
	})
}

// TestPurgedBytesLinger says how long the bytes of what was purged can stay, and that they do no longer.
func TestPurgedBytesLinger(t *testing.T) {
	url, objects := pgtest.URL(t), newObjects()
	for _, test := range []struct {
		options *postgres.Options
		within  time.Duration
	}{
		{nil, 12 * time.Minute},
		{&postgres.Options{Objects: objects, KeepObjects: time.Hour}, 74 * time.Minute},
	} {
		store, err := postgres.OpenWith(t.Context(), url, nil, test.options)
		require.NoError(t, err)
		p := storetest.Open(t, store, "p")
		storetest.Write(t, p, "/f", "secret")
		storetest.Write(t, p, "/f", "clean")
		done, err := p.Purge(t.Context(), "/f", nil)
		require.NoError(t, err)
		require.Equal(t, test.within, done.Within)
		require.True(t, inDatabase(t, url, "secret"), "an open file can still be read")
		require.NoError(t, store.Sweep(t.Context(), time.Minute))
		require.True(t, inDatabase(t, url, "secret"))
		require.NoError(t, store.Sweep(t.Context(), 0))
		require.False(t, inDatabase(t, url, "secret"))
		require.NoError(t, p.Close())
		require.NoError(t, store.Close())
	}
}
