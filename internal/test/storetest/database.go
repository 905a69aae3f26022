//go:build systemtest

package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/postgres"
)

func init() {
	if !pgtest.Named() {
		return
	}
	clear(Stores)
	Stores["database"] = func(t testing.TB, options *vfs.Options) vfs.Store {
		return OpenDatabase(t, pgtest.URL(t), options)
	}
}

// OpenDatabase opens the store at a URL until the end of the test.
func OpenDatabase(t testing.TB, url string, options *vfs.Options) *postgres.Store {
	t.Helper()
	store, err := postgres.Open(t.Context(), url, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}
