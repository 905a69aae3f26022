package mcpserver_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpserver"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

// rawSession sends lines all at once, ends the input, and returns the answers but that to initialize.
func rawSession(t *testing.T, server *mcpserver.Server, lines ...string) []string {
	var out bytes.Buffer
	err := server.ServeStdio(context.Background(), strings.NewReader(initialize+strings.Join(lines, "\n")), &out)
	require.NoError(t, err)
	answers := strings.Split(strings.TrimSpace(out.String()), "\n")
	return slices.DeleteFunc(answers, func(answer string) bool { return strings.Contains(answer, `"serverInfo"`) })
}

func TestWhatIsNoMessage(t *testing.T) {
	server := newServer(t, builtIn(t), newProject(t), nil)
	for line, want := range map[string]string{
		`{`:        `"code":-32700`,
		"\xff\xfe": `"code":-32700`,
		`42`:       `"code":-32600`,
		`{}`:       `"code":-32600`,
		`[]`:       `"code":-32600`,
		`[{"jsonrpc":"2.0","id":9,"method":"ping"}]`:                 `"code":-32600`,
		`"` + strings.Repeat("x", 33<<20) + `"`:                      `"code":-32600`,
		`{"jsonrpc":"2.0","id":2,"method":"nothing"}`:                `"code":-32601`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":[]}`: `"code":-32602`,
	} {
		answers := rawSession(t, server, line, "", `{"jsonrpc":"2.0","id":3,"method":"ping"}`)
		require.Len(t, answers, 2, "%.50q", line)
		all := strings.Join(answers, "\n")
		require.Contains(t, all, want, "%.50q", line)
		require.Contains(t, all, `"id":3,"result"`, "%.50q", line)
	}
}

func TestInputThatEndsIsAnswered(t *testing.T) {
	server := newServer(t, builtIn(t), newProject(t), nil)
	answers := rawSession(t, server,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"javascript","arguments":{"code":"await new Promise(r => setTimeout(r, 300)); return 'late'"}}}`)
	require.Len(t, answers, 1)
	require.Contains(t, answers[0], "late")
}

// slowly is a client that takes its time for each line.
type slowly struct{ bytes.Buffer }

func (s *slowly) Write(p []byte) (int, error) {
	time.Sleep(500 * time.Millisecond)
	return s.Buffer.Write(p)
}

// TestSlowClientsGetAnswers has one that ends its input and then takes its time for the answers.
func TestSlowClientsGetAnswers(t *testing.T) {
	t.Parallel()
	server := newServer(t, builtIn(t), newProject(t), nil)
	var out slowly
	require.NoError(t, server.ServeStdio(t.Context(),
		strings.NewReader(initialize+aPing+"\n"+strings.Replace(aPing, "ping", "other", 1)), &out))
	require.Equal(t, 3, strings.Count(out.String(), `"result"`), out.String())
}

// TestInputThatEndsAfterACanceledCall has a client that does not wait for an answer.
func TestInputThatEndsAfterACanceledCall(t *testing.T) {
	tool, begun, _ := waits()
	send, _ := newLines(t, newServer(t, builtIn(t, tool), newProject(t), nil), initialize)
	send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"waits"}}`)
	<-begun
	send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
}
