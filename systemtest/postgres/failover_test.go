//go:build systemtest

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
)

// A promise is what writers have been told: which files are there, and of which nobody knows.
type promise struct {
	mu            sync.Mutex
	done, unknown map[string]bool
}

// write writes a file with its name as the call's id and as its content, and notes what the writer is told.
func (p *promise) write(t *testing.T, store vfs.Store, id, name string) error {
	err := func() error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		project, err := store.Open(ctx, id)
		if err != nil {
			return err
		}
		defer project.Close()
		call := project.WithCall(name)
		defer call.EndCall()
		return vfs.WriteFile(ctx, call, name, []byte(contentOf(name)))
	}()
	u, unavailable := errors.AsType[*vfs.UnavailableError](err)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err == nil:
		p.done[id+name] = true
	case unavailable && u.Unknown:
		p.unknown[id+name] = true
	case !unavailable:
		t.Errorf("not a typed error: %v", err)
	}
	return err
}

// require checks that all files are there that a writer was told of, that nobody was told the contrary of others, and
// that the history knows each.
func (p *promise) require(t *testing.T, store vfs.Store, ids ...string) {
	t.Helper()
	for _, id := range ids {
		project := storetest.Open(t, store, id)
		there := storetest.Snapshot(t, project)
		changes, err := project.Changes(t.Context(), "/")
		require.NoError(t, err)
		calls := map[string]bool{}
		for _, change := range changes {
			calls[change.Call] = true
		}
		for name, content := range there {
			if content == "directory" {
				continue
			}
			require.True(t, content == contentOf(name), "%s is whole", name)
			require.True(t, p.done[id+name] || p.unknown[id+name], "%s: nobody was told that it is not there", name)
			require.True(t, calls[name], "%s: the history knows", name)
			delete(p.done, id+name)
		}
	}
	require.Empty(t, p.done, "each was told to be there")
	requireSound(t, store)
}

// TestFailover: the primary fails in the middle of changes, its synchronous standby takes over, and whoever has both
// addresses goes on there. What was told is there.
func TestFailover(t *testing.T) {
	if !*soak {
		t.Skip("takes long")
	}
	primary := pgtest.StartFor(t)
	_, schema, _ := strings.Cut(primary.URL(t), "search_path=")
	standby := primary.Standby(t)
	do := func(server *pgtest.Server, sql string) (answer string) {
		conn, err := pgx.Connect(t.Context(), server.Base(0))
		require.NoError(t, err)
		defer conn.Close(context.Background())
		err = conn.QueryRow(t.Context(), sql).Scan(&answer)
		if !errors.Is(err, pgx.ErrNoRows) {
			require.NoError(t, err)
		}
		return answer
	}
	conn, err := pgx.Connect(t.Context(), primary.Base(0))
	require.NoError(t, err)
	_, err = conn.Exec(t.Context(), "ALTER SYSTEM SET synchronous_standby_names = '*'")
	require.NoError(t, errors.Join(err, conn.Close(t.Context())))
	require.Equal(t, "true", do(primary, "SELECT pg_reload_conf()::text"))
	for deadline := time.Now().Add(2 * time.Minute); do(primary,
		"SELECT sync_state FROM pg_stat_replication") != "sync"; {
		require.True(t, time.Now().Before(deadline), "the standby does not follow")
		time.Sleep(20 * time.Millisecond)
	}

	url := fmt.Sprintf(
		"postgres://postgres@127.0.0.1:%d,127.0.0.1:%d/postgres?sslmode=disable"+
			"&target_session_attrs=read-write&search_path=%s",
		primary.Port, standby.Port, schema)
	store := openAt(t, url, nil)
	told := promise{done: map[string]bool{}, unknown: map[string]bool{}}
	const writers, each = 4, 20
	written := make(chan struct{}, 1000)
	failed := make(chan struct{})
	var group sync.WaitGroup
	for writer := range writers {
		group.Go(func() {
			deadline := time.Now().Add(3 * time.Minute)
			for i, after := 0, 0; after < each; i++ {
				select {
				case <-failed: // goes on until it has done so much on the standby
					after++
				default:
				}
				if told.write(t, store, fmt.Sprint("p", writer%2), fmt.Sprintf("/d/%d-%d", writer, i)) != nil {
					after = 0
					if time.Now().After(deadline) {
						t.Error("nobody can write any more")
						return
					}
					time.Sleep(20 * time.Millisecond)
					continue
				}
				select {
				case written <- struct{}{}:
				default:
				}
			}
		})
	}
	for range 50 {
		<-written
	}
	primary.Stop(true)
	require.Equal(t, "true", do(standby, "SELECT pg_promote()::text"))
	close(failed)
	group.Wait()
	t.Logf("%d changes were done, of %d nobody knew", len(told.done), len(told.unknown))
	told.require(t, openAt(t, url, nil), "p0", "p1")
	_, err = storetest.Open(t, store, "p0").Undo(t.Context(), "")
	require.NoError(t, err)
}
