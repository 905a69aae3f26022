package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// waitingToken finds the token of a call that waits.
var waitingToken = regexp.MustCompile(`run-[a-z0-9]{20}`)

// A call that waits is that of the client which has made it, on each server of the store, and also after the tokens
// were changed; and it is nobody else's.
func TestMCPCallsThatWaitAreOfOneClient(t *testing.T) {
	const ada, bob = "ada-1111111111111111111111111111", "bob-2222222222222222222222222222"
	dir, data := t.TempDir(), t.TempDir()
	entry := func(token, more string) string { // the names are the same
		return fmt.Sprintf(`{"name": "notes", "token": "%s", "project": "notes"%s}`, token, more)
	}
	const nameless = `{"token": "eve-3333333333333333333333333333", "project": "notes"}`
	serve := func(name, entries string) *mcpServer {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(`{"tokens": [`+entries+`]}`), 0o600))
		return startMCP(t, data, "--http", "localhost:0", "--tokens", file, "--ask", "memory")
	}
	first := serve("first.json", entry(ada, "")+","+entry(bob, "")+","+nameless)
	call := func(s *mcpServer, token, path string) (string, error) {
		session, err := s.connect(t.Context(), token)
		require.NoError(t, err)
		defer session.Close()
		return mcpCall(t.Context(), session, "memory", map[string]any{"command": "create", "path": path,
			"file_text": "x"})
	}
	waits := func(s *mcpServer, token, path string) string {
		t.Helper()
		_, err := call(s, token, path)
		require.ErrorContains(t, err, "The call has not been made yet")
		return waitingToken.FindString(err.Error())
	}
	const path = "/memories/a.txt"
	run := waits(first, ada, path)
	require.NotEqual(t, run, waits(first, bob, path), "that of another client with the same name")

	// Another server, with the tokens in another order, and other rights.
	second := serve("second.json", nameless+","+entry(bob, "")+","+entry(ada, `, "limits": {"calls": 3}`))
	const eve = "eve-3333333333333333333333333333"
	require.Equal(t, waits(first, eve, path), waits(second, eve, path))
	require.Equal(t, run, waits(second, ada, path))
	require.NoError(t, command("approvals", "--data", data, "approve", run, "--decide-only").Run())
	text, err := call(second, ada, path)
	require.NoError(t, err)
	require.Contains(t, text, "[This is the result of the same call, which had to wait for approval: "+run)
	_, err = call(first, ada, path)
	require.ErrorContains(t, err, "The call has not been made yet", "the result is given once, on all servers")
	require.NotContains(t, err.Error(), run)
}
