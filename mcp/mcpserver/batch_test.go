package mcpserver_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpserver"
)

// withBatches begins sessions of the one version that has batches.
var withBatches = strings.Replace(initialize, "2025-06-18", "2025-03-26", 1)

const (
	aNotification = `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`
	aPing         = `{"jsonrpc":"2.0","id":"ping","method":"ping"}`
)

func TestBatchesOverStdio(t *testing.T) {
	tool, begun, release := waits()
	server := newServer(t, builtIn(t, tool), newProject(t), nil)
	const waitsOne = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"waits"}}`
	many := "[" + strings.Repeat(aNotification+",", 1000) + aPing + "]"
	for _, test := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"two requests", []string{
			`[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":"ping"}]`,
		},
			[]string{`[{"jsonrpc":"2.0","id":2,"result":{}},{"jsonrpc":"2.0","id":3,"result":{}}]`}},
		{"a notification in it", []string{`[` + aNotification + `,` + aPing + `]`},
			[]string{`[{"jsonrpc":"2.0","id":"ping","result":{}}]`}},
		{"notifications alone", []string{`[` + aNotification + `,` + aNotification + `]`, aPing},
			[]string{`{"jsonrpc":"2.0","id":"ping","result":{}}`}},
		{"an id twice", []string{`[` + aPing + `,` + aPing + `]`, aPing},
			[]string{`id twice`, `{"jsonrpc":"2.0","id":"ping","result":{}}`}},
		{"an id that is under way", []string{waitsOne, waitsOne, `[` + waitsOne + `]`},
			[]string{`under way`, `under way`, `finished`}},
		{"an id that is under way in a batch", []string{`[` + waitsOne + `]`, `[` + waitsOne + `]`, waitsOne},
			[]string{`under way`, `under way`, `finished`}},
		{"an id that is used again", []string{aPing, aPing}, nil},
		{"too many messages", []string{many, aPing}, []string{`too many`, `{"jsonrpc":"2.0","id":"ping","result":{}}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			in, out := newLines(t, server, withBatches)
			for i, line := range test.lines {
				in(line)
				if i == 0 && strings.Contains(line, "waits") {
					<-begun
				}
			}
			for _, want := range test.want {
				if want == "finished" {
					release <- struct{}{}
				}
				require.Contains(t, out(), want)
			}
		})
	}
}

func TestBatchesOverHTTP(t *testing.T) {
	server := newServer(t, builtIn(t), newProject(t), nil)
	handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil }, nil)
	url := listen(t, handler)
	t.Cleanup(func() { require.NoError(t, handler.Shutdown(context.Background())) })
	// A session begins once, and counts as one.
	var all []string
	for i := range 50 {
		all = append(all, strings.Replace(initializeRequest, `"id":1`, fmt.Sprintf(`"id":%d`, i), 1))
	}
	response, text := post(t, url, "["+strings.Join(all, ",")+"]")
	require.Equal(t, 200, response.StatusCode, text)
	require.Equal(t, 1, handler.Sessions())
	session := response.Header.Get("Mcp-Session-Id")
	// A batch is not more than one request may be.
	response, text = post(t, url, "["+strings.Repeat(aNotification+",", 1000)+aPing+"]", "Mcp-Session-Id", session)
	require.Equal(t, 400, response.StatusCode)
	require.Contains(t, text, "too many")
	response, text = post(t, url, "["+strings.Repeat(aNotification+",", 10)+aPing+"]", "Mcp-Session-Id", session)
	require.Equal(t, 200, response.StatusCode)
	require.Contains(t, text, `"id":"ping"`)
}
