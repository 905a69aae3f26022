//go:build systemtest

package replicas_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/calls"
	"github.com/toolrun/toolrun/internal/test/commandtest"
	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/internal/test/toolruntest"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/waiting"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
	"github.com/toolrun/toolrun/vfs/postgres"
)

// TestACallIsStoppedByAnotherProcess has one process serve a model's call that does not end, and another one stop it,
// in a directory and in a database.
func TestACallIsStoppedByAnotherProcess(t *testing.T) {
	t.Parallel()
	t.Run("directory", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		store, err := local.OpenStore(dir+"/projects", nil)
		require.NoError(t, err)
		testStop(t, dir, store)
	})
	t.Run("database", func(t *testing.T) {
		t.Parallel()
		url := pgtest.URL(t)
		store, err := postgres.Open(t.Context(), url, nil)
		require.NoError(t, err)
		testStop(t, url, store)
	})
}

func testStop(t *testing.T, data string, store vfs.Store) {
	defer store.Close()
	file, tokens := toolruntest.Tokens(t, 1)
	server := commandtest.StartMCP(t, data, "--http", "localhost:0", "--tokens", file, "--timeout", "10m")
	session, err := server.Connect(t.Context(), tokens[0])
	require.NoError(t, err)
	defer session.Close()
	ended := make(chan error, 1)
	go func() {
		_, err := toolruntest.Call(t.Context(), session, "javascript",
			map[string]any{"code": "await new Promise((done) => setTimeout(done, 1e6))"})
		ended <- err
	}()
	log := calls.New(store, nil)
	defer log.Close()
	scope := waiting.ProjectScope("project-0")
	// until waits until a call is as wanted.
	until := func(wanted func(calls.Call) bool) (found calls.Call) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		known := false
		_ = log.Watch(ctx, scope, func() {
			latest, err := log.Shared(ctx, scope)
			if err == nil && len(latest) > 0 && wanted(latest[0]) {
				known, found = true, latest[0]
				cancel()
			}
		})
		require.True(t, known)
		return found
	}
	running := until(func(c calls.Call) bool { return c.State == registry.Running })
	command := func(args ...string) string {
		cmd := commandtest.Command(append([]string{"calls", "--project", "project-0", "--data", data}, args...)...)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	require.Contains(t, command("list", "--running"), running.ID)
	require.Equal(t, running.ID+" was asked to stop\n", command("stop", running.ID))
	require.ErrorContains(t, <-ended, "A person has stopped this call. Do not make it again unless they ask for it.")
	require.Equal(t, "canceled", string(until(func(c calls.Call) bool { return !c.Live() }).Code))
	require.Empty(t, command("list", "--running"))
}
