package mcpserver_test

import (
	"bytes"
	"context"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/tool"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
	`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
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
	synctest.Test(t, func(t *testing.T) {
		one := tool.Func(tool.Spec{Name: "slow", Description: "Takes its time."},
			func(context.Context, struct{}, tool.Env) (string, error) {
				time.Sleep(5 * time.Second)
				return "late", nil
			})
		answers := rawSession(t, newServer(t, builtIn(t, one), newProject(t), nil), emptyCall(2, "slow"))
		require.Len(t, answers, 1)
		require.Contains(t, answers[0], "late")
	})
}

// slowly is a client that takes no answers before the server has seen the end of its input.
type slowly struct {
	in    io.Reader
	ended chan struct{}
	out   bytes.Buffer
}

func (s *slowly) Read(p []byte) (int, error) {
	n, err := s.in.Read(p)
	if err == io.EOF {
		close(s.ended)
	}
	return n, err
}

func (s *slowly) Write(p []byte) (int, error) {
	<-s.ended
	for range 1000 { // so that a server goes on that does not wait
		runtime.Gosched()
	}
	return s.out.Write(p)
}

// TestSlowClientsGetAnswers has one that ends its input and then takes its time for the answers.
func TestSlowClientsGetAnswers(t *testing.T) {
	server := newServer(t, builtIn(t), newProject(t), nil)
	client := &slowly{ended: make(chan struct{}), in: strings.NewReader(initialize + aPing + "\n" +
		strings.Replace(aPing, "ping", "other", 1))}
	require.NoError(t, server.ServeStdio(t.Context(), client, client))
	require.Equal(t, 3, strings.Count(client.out.String(), `"result"`), client.out.String())
}

// TestInputThatEndsAfterACanceledCall has a client that does not wait for an answer.
func TestInputThatEndsAfterACanceledCall(t *testing.T) {
	tool, begun, _ := waits()
	send, _ := newLines(t, newServer(t, builtIn(t, tool), newProject(t), nil), initialize)
	send(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"waits"}}`)
	<-begun
	send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`)
}
