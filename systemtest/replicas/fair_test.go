//go:build systemtest

package replicas_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/commandtest"
	"github.com/toolrun/toolrun/internal/test/toolruntest"
)

// TestMCPSharesPlacesOfBusyScripts has one token ask for far more endless scripts than there are places. Others get a
// place at once: another project's token, and another token of the same project.
func TestMCPSharesPlacesOfBusyScripts(t *testing.T) {
	if !*soak {
		t.Skip("TestMCPSharesPlaces of the command has scripts that leave the processor to others")
	}
	const greedy, colleague, other = "greedy-111111111111111111111111", "colleague-22222222222222222222",
		"other-3333333333333333333333333"
	tokens := filepath.Join(t.TempDir(), "tokens.json")
	require.NoError(t, os.WriteFile(tokens, []byte(`{"tokens": [
		{"name": "greedy", "token": "`+greedy+`", "project": "one", "limits": {"timeout": "20s"}, "metrics": true},
		{"name": "colleague", "token": "`+colleague+`", "project": "one"},
		{"name": "other", "token": "`+other+`", "project": "two"}]}`), 0o600))
	s := commandtest.StartMCP(t, t.TempDir(), "--http", "localhost:0", "--tokens", tokens)
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	defer func() { cancel(); group.Wait() }()

	ended := make(chan error, 200)
	var sessions [20]*mcp.ClientSession // calls of one session wait for each other
	for i := range sessions {
		var err error
		sessions[i], err = s.Connect(ctx, greedy)
		require.NoError(t, err)
	}
	for i := range cap(ended) {
		group.Go(func() {
			_, err := toolruntest.Call(ctx, sessions[i%len(sessions)], "javascript",
				map[string]any{"code": "for (;;);"})
			ended <- err
		})
	}
	require.Eventually(t, func() bool { return s.Metric(t, greedy, "toolrun_calls_running") == 16 }, time.Minute,
		10*time.Millisecond)
	for _, token := range []string{other, colleague, other} {
		session, err := s.Connect(ctx, token)
		require.NoError(t, err)
		begin := time.Now()
		text, err := toolruntest.Call(ctx, session, "javascript", map[string]any{"code": "return 1"})
		require.NoError(t, err)
		require.Equal(t, "1", text)
		select {
		case err := <-ended:
			require.Fail(t, "a script had to end first", "%v", err)
		default:
		}
		t.Logf("%s waited %v", token, time.Since(begin).Round(time.Millisecond))
	}
}
