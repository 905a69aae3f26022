package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/toolruntest"
)

// A call that waits is that of the client which has made it, on each server of the store, and also after the tokens
// were changed; and it is nobody else's.
func TestMCPCallsThatWaitAreOfOneClient(t *testing.T) {
	const ada, bob = "ada-1111111111111111111111111111", "bob-2222222222222222222222222222"
	dir, host := t.TempDir(), newHost(t)
	entry := func(token, more string) string { // the names are the same
		return fmt.Sprintf(`{"name": "notes", "token": "%s", "project": "notes"%s}`, token, more)
	}
	const nameless = `{"token": "eve-3333333333333333333333333333", "project": "notes"}`
	server := func(name, entries string) *started {
		file := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(file, []byte(`{"tokens": [`+entries+`]}`), 0o600))
		return serve(t, host, "--http", "localhost:0", "--tokens", file, "--ask", "memory")
	}
	first := server("first.json", entry(ada, "")+","+entry(bob, "")+","+nameless)
	call := func(s *started, token, path string) (string, error) {
		session, err := s.Connect(t.Context(), token)
		require.NoError(t, err)
		defer session.Close()
		return toolruntest.Call(t.Context(), session, "memory", map[string]any{"command": "create", "path": path,
			"file_text": "x"})
	}
	waits := func(s *started, token, path string) string {
		t.Helper()
		_, err := call(s, token, path)
		require.ErrorContains(t, err, "The call has not been made yet")
		return toolruntest.WaitingToken.FindString(err.Error())
	}
	const path = "/memories/a.txt"
	run := waits(first, ada, path)
	require.NotEqual(t, run, waits(first, bob, path), "that of another client with the same name")

	// Another server, with the tokens in another order, and other rights.
	second := server("second.json", nameless+","+entry(bob, "")+","+entry(ada, `, "limits": {"calls": 3}`))
	const eve = "eve-3333333333333333333333333333"
	require.Equal(t, waits(first, eve, path), waits(second, eve, path))
	require.Equal(t, run, waits(second, ada, path))
	mustRun(t, host, "approvals", "approve", run, "--decide-only")
	text, err := call(second, ada, path)
	require.NoError(t, err)
	require.Contains(t, text, "[This is the result of the same call, which had to wait for approval: "+run)
	_, err = call(first, ada, path)
	require.ErrorContains(t, err, "The call has not been made yet", "the result is given once, on all servers")
	require.NotContains(t, err.Error(), run)
}
