package cli_test

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/pgtest"
)

// TestMCPSharesRates: servers with one database know how many of them share the rates of requests, also after one has
// been killed and another told to end.
func TestMCPSharesRates(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Parallel() // it waits most of the time
	data := pgtest.StartFor(t).Base(0)
	file, tokens := loadTokens(t)
	var servers []*mcpServer
	for range 3 {
		servers = append(servers, startMCP(t, data, "--http", "localhost:0", "--tokens", file, "--grace", "1s"))
	}
	all := func() bool {
		for _, s := range servers { // only those that have something to do share
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url, strings.NewReader("{}"))
			require.NoError(t, err)
			response, err := (&http.Client{Transport: withToken(tokens[0])}).Do(r)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
		}
		for _, s := range servers {
			if s.metric(t, tokens[0], "toolrun_replicas") != float64(len(servers)) {
				return false
			}
		}
		return true
	}
	sharing := func() {
		t.Helper()
		for deadline := time.Now().Add(2 * time.Minute); !all(); time.Sleep(200 * time.Millisecond) {
			require.True(t, time.Now().Before(deadline), "they do not count each other")
		}
	}
	sharing()
	require.NoError(t, servers[0].cmd.Process.Kill())
	servers = servers[1:]
	sharing()
	require.NoError(t, servers[0].cmd.Process.Signal(syscall.SIGTERM))
	<-servers[0].end
	servers = servers[1:]
	sharing()
}
