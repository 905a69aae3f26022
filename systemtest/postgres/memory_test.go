//go:build systemtest

package postgres_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/vfs"
)

// TestMemoryOfManyProjects: a process keeps nothing of the projects that it has had open.
func TestMemoryOfManyProjects(t *testing.T) {
	const warm = 20
	count := 100
	if *soak {
		count = 10_000
	}
	url := pgtest.URL(t)
	store := openAt(t, pgtest.With(url, "pool_max_conns", "2"), nil) // connections have memory of their own
	conn, err := pgx.Connect(t.Context(), url)
	require.NoError(t, err)
	defer conn.Close(context.Background())
	for _, sql := range []string{
		"INSERT INTO project (id, folded, files) SELECT 'p' || i, 'P' || i, 0 FROM generate_series(1, $1::int) i",
		"INSERT INTO entry SELECT key, 1, 0, '', '', 16877, 0, 0, 0, '' FROM project WHERE $1::int > 0",
	} {
		_, err := conn.Exec(t.Context(), sql, warm+count)
		require.NoError(t, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	watching := make(chan error, 1)
	go func() { watching <- store.WatchProjects(ctx, func(string) {}) }()
	serve := func(i int) {
		other, err := store.With(nil) // as each token of a server has one
		require.NoError(t, err)
		p, err := other.OpenExisting(t.Context(), fmt.Sprint("p", i))
		require.NoError(t, err)
		call := p.WithCall("call")
		require.NoError(t, vfs.WriteFile(t.Context(), call, "/file", []byte(fmt.Sprint(i))))
		_, err = afero.ReadFile(call, "/file")
		require.NoError(t, err)
		call.EndCall()
		require.NoError(t, p.Close())
		require.NoError(t, other.Close())
	}
	live := func() int64 {
		runtime.GC()
		runtime.GC() // what finalizers and pools have held
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	for i := range warm {
		serve(i + 1)
	}
	before := live()
	for i := range count {
		serve(warm + i + 1)
	}
	require.Less(t, live()-before, int64(100<<10), "bytes more than before %d projects", count)
	cancel()
	require.ErrorIs(t, <-watching, context.Canceled)
}
