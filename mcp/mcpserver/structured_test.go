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

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
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

// TestDataFitsItsSchema calls the tools with output schemas by a client that checks the data, with results of all kinds.
func TestDataFitsItsSchema(t *testing.T) {
	type lines struct {
		Lines []string `json:"lines"`
	}
	tools := builtIn(t, registry.Func(registry.Spec{Name: "lines", Description: "Makes lines."},
		func(_ context.Context, in struct{ N int }, _ registry.Env) (lines, error) {
			return lines{make([]string, in.N)}, nil
		}))
	onEveryWay(t, []way{{"stdio", allOfThem[2:], overStdio}}, func(t *testing.T,
		connect func(*mcpserver.Server, *sdk.ClientOptions) *sdk.ClientSession) {
		session := connect(newServer(t, tools, newProject(t), nil), nil)
		list, err := session.ListTools(t.Context(), nil)
		require.NoError(t, err)
		schemas := map[string]*registry.Schema{}
		for _, tool := range list.Tools {
			raw, err := json.Marshal(tool.OutputSchema)
			require.NoError(t, err)
			schemas[tool.Name], err = registry.CompileSchema(raw)
			require.NoError(t, err, tool.Name)
		}
		require.Len(t, schemas, 4)
		for _, c := range []struct{ tool, input, want string }{
			{"javascript", `{"code": "console.warn(1); fs.writeFileSync('/b', ''); return 6 * 7"}`, `"value":42`},
			{"javascript", `{"code": ""}`, ""}, // an error
			{"javascript", `{"code": "console.log(1); throw new TypeError('no')"}`, `"kind":"exception"`},
			{"javascript", `{"code": "process.exit(3)"}`, `"status":3`},
			{"javascript", `{"code": "return 'x'.repeat(1e6)"}`, `"text":"xxx`},
			{"javascript", `{"code": "return '\\ud800\\u0000'"}`, "\ufffd"},
			{"filesystem", `{"command": "create", "path": "/a.txt", "file_text": "hello\n"}`, "File created"},
			{"filesystem", `{"command": "view", "path": "/a.txt"}`, "hello"},
			{"filesystem", `{"command": "view", "path": "/"}`, "a.txt"},
			{"memory", `{"command": "view", "path": "/memories"}`, "/memories"},
			{"lines", `{"N": 2}`, ""},
			{"lines", `{"N": 100000}`, ""},
		} {
			text, result := call(t, session, c.tool, json.RawMessage(c.input))
			if c.input == `{"code": ""}` {
				require.True(t, result.IsError)
				require.Nil(t, result.StructuredContent)
				continue
			}
			require.NoError(t, schemas[c.tool].Validate(result.StructuredContent), "%s %s", c.tool, c.input)
			data, err := json.Marshal(result.StructuredContent)
			require.NoError(t, err)
			require.Contains(t, string(data), c.want)
			if whole, ok := result.StructuredContent.(map[string]any)["text"].(string); ok && c.tool != "lines" {
				require.True(t, strings.HasPrefix(text, whole[:min(10, len(whole))]))
			}
		}
	})
}
