//go:build systemtest

package postgres_test

import (
	"context"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/admin"
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
	if from := os.Getenv(fromVariable); from != "" {
		copyAll(from, os.Getenv(toVariable))
		return
	}
	os.Exit(pgtest.Main(m))
}

// openAt opens the store at a URL, and open one in a schema of its own, until the end of the test.
var openAt = storetest.OpenDatabase

func open(t testing.TB, options *vfs.Options) *postgres.Store {
	return openAt(t, pgtest.URL(t), options)
}

// requireSound checks that everything in a store fits together.
func requireSound(t testing.TB, store vfs.Store) {
	t.Helper()
	require.NoError(t, admin.Check(context.Background(), store, func(id, problem string) {
		t.Errorf("project %s: %s", id, problem)
	}))
}

func TestStore(t *testing.T) {
	t.Parallel()
	vfstest.TestStore(t, func(t *testing.T) vfs.Store { return open(t, nil) })
}
