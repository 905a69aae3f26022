package postgres_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/pgtest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/postgres"
	"github.com/toolrun/toolrun/vfs/vfstest"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(replicaVariable); url != "" {
		replica(url, os.Stdout)
		return
	}
	if url := os.Getenv(restorerVariable); url != "" {
		restorer(url, os.Stdout)
		return
	}
	os.Exit(pgtest.Main(m))
}

// open opens a store in a schema of its own, until the end of the test.
func open(t testing.TB, options *vfs.Options) *postgres.Store {
	return openAt(t, pgtest.URL(t), options)
}

func openAt(t testing.TB, url string, options *vfs.Options) *postgres.Store {
	t.Helper()
	store, err := postgres.Open(t.Context(), url, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return store
}

func TestStore(t *testing.T) {
	vfstest.TestStore(t, func(t *testing.T) vfs.Store { return open(t, nil) })
}
