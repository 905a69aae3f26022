//go:build systemtest

package replicas_test

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/commandtest"
	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/internal/test/toolruntest"
)

// TestMCPSharesRates: servers with one database know how many of them share the rates of requests, also after one has
// been told to end and, with -soak, another has been killed.
func TestMCPSharesRates(t *testing.T) {
	t.Parallel() // it waits most of the time
	data := pgtest.URL(t)
	file, tokens := toolruntest.Tokens(t, loadProjects)
	var servers []*commandtest.Server
	for range 3 {
		servers = append(servers, commandtest.StartMCP(t, data, "--http", "localhost:0", "--tokens", file, "--grace",
			"1s"))
	}
	all := func() bool {
		for _, s := range servers { // only those that have something to do share
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader("{}"))
			require.NoError(t, err)
			response, err := (&http.Client{Transport: toolruntest.Bearer{Token: tokens[0]}}).Do(r)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
		}
		for _, s := range servers {
			if s.Metric(t, tokens[0], "toolrun_replicas") != float64(len(servers)) {
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
	if *soak { // until it is missed, which takes twelve seconds
		require.NoError(t, servers[0].Cmd.Process.Kill())
		servers = servers[1:]
		sharing()
	}
	require.NoError(t, servers[0].Cmd.Process.Signal(syscall.SIGTERM))
	<-servers[0].End
	servers = servers[1:]
	sharing()
}
