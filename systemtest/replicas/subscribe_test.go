//go:build systemtest

package replicas_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/commandtest"
	"github.com/toolrun/toolrun/internal/test/pgtest"
	"github.com/toolrun/toolrun/internal/test/toolruntest"
)

// TestMCPSubscriptionsAcrossServers subscribes at one of two servers with one database, and changes the file at the
// other, and by the command.
func TestMCPSubscriptionsAcrossServers(t *testing.T) {
	t.Parallel()
	data := pgtest.URL(t)
	file, tokens := toolruntest.Tokens(t, loadProjects)
	one := commandtest.StartMCP(t, data, "--http", "localhost:0", "--tokens", file)
	other := commandtest.StartMCP(t, data, "--http", "localhost:0", "--tokens", file)
	updates := make(chan string, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
			updates <- r.Params.URI
		}})
	subscriber, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: one.URL,
		HTTPClient: &http.Client{Transport: toolruntest.Bearer{Token: tokens[0]}}}, nil)
	require.NoError(t, err)
	defer subscriber.Close()
	writer, err := other.Connect(t.Context(), tokens[0])
	require.NoError(t, err)
	defer writer.Close()
	write := func(text string) {
		_, err := toolruntest.Call(t.Context(), writer, "filesystem", map[string]any{"command": "create",
			"path": "/a.txt", "file_text": text, "overwrite": true})
		require.NoError(t, err)
	}
	told := func(what string) {
		t.Helper()
		select {
		case uri := <-updates:
			require.Equal(t, "toolrun://project-0/a.txt", uri)
		case <-time.After(20 * time.Second):
			require.Fail(t, "no news", what)
		}
	}
	write("one")
	require.NoError(t, subscriber.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "toolrun://project-0/a.txt"}))
	write("two")
	told("of a change at the other server")
	cmd := commandtest.Command("js", "--project", "project-0", "-e", "fs.writeFileSync('/a.txt', 'three')")
	cmd.Env = append(cmd.Env, "TOOLRUN_DATA="+data)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	told("of a change by another process")
}

// TestTokensOfDeletedProjectsInADatabase: what is open at a server reads no project that another process has deleted,
// and its token is for that project only.
func TestTokensOfDeletedProjectsInADatabase(t *testing.T) {
	t.Parallel()
	data := pgtest.URL(t)
	file, tokens := toolruntest.Tokens(t, loadProjects)
	s := commandtest.StartMCP(t, data, "--http", "localhost:0", "--tokens", file)
	session, err := s.Connect(t.Context(), tokens[0])
	require.NoError(t, err)
	defer session.Close()
	call := func(command string) error {
		_, err := toolruntest.Call(t.Context(), session, "filesystem", map[string]any{"command": command,
			"path": "/a.txt", "file_text": "mine"})
		return err
	}
	command := func(args ...string) {
		cmd := commandtest.Command(args...)
		cmd.Env = append(cmd.Env, "TOOLRUN_DATA="+data)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	require.NoError(t, call("create"))
	command("project", "delete", "project-0", "--yes")
	require.ErrorContains(t, call("view"), "the project has been deleted")
	command("project", "restore", "project-0")
	require.NoError(t, call("view"))
	command("project", "delete", "project-0", "--yes")
	command("js", "--project", "project-0", "-e", "fs.writeFileSync('/a.txt', 'theirs')")
	require.ErrorContains(t, call("view"), "the project has been deleted")
}
