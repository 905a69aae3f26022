package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/race"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
)

// TestStructuredContentIsBounded has a tool with a short text and data of very many values: they are neither sent
// beyond the limit nor ever decoded.
func TestStructuredContentIsBounded(t *testing.T) {
	const size = 4 << 20
	data := json.RawMessage(`{"a":[` + strings.Repeat("[],", size/3) + `[]]}`)
	tools := builtIn(t, registry.ToolFunc(registry.Spec{Name: "lists", Description: "Lists.",
		Schema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, registry.Call, registry.Env) (registry.Result, error) {
			return registry.Result{Content: []registry.Part{{Text: "short"}}, Data: data}, nil
		}))
	for _, test := range []struct {
		inline int
		sent   bool
		most   int
	}{
		{0, false, 4 * size},
		{2 * size, true, 32 * size},
	} {
		env := registry.Env{Project: "notes", Files: newProject(t), Limits: registry.Limits{Inline: test.inline}}
		server, err := mcpserver.New(t.Context(), mcpserver.Fixed(tools, env), nil)
		require.NoError(t, err)
		in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"lists","arguments":{}}}
`
		out := bytes.NewBuffer(make([]byte, 0, 2*size))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		require.NoError(t, server.ServeStdio(t.Context(), io.NopCloser(strings.NewReader(in)), nopCloser{out}))
		runtime.ReadMemStats(&after)
		line := out.String()
		require.Equal(t, test.sent, strings.Contains(line, `"structuredContent":{"a":[[],[],`))
		note := fmt.Sprintf("[The text is whole. The structured data is left out: it has %d bytes, more than %d.]",
			len(data), registry.DefaultInline)
		require.Equal(t, !test.sent, strings.Contains(line, note))
		if !race.Enabled { // with which more is allocated
			require.Less(t, int(after.TotalAlloc-before.TotalAlloc), test.most)
		}
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
