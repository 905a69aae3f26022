package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/race"
	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// TestStructuredContentIsBounded has a tool with a short text and data of very many values: they are neither sent
// beyond the limit nor ever decoded.
func TestStructuredContentIsBounded(t *testing.T) {
	const size = 4 << 20
	data := json.RawMessage(`{"a":[` + strings.Repeat("[],", size/3) + `[]]}`)
	tools := builtIn(t, tool.JSONFunc(tool.Spec{Name: "lists", Description: "Lists.",
		Schema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Result{Content: []tool.Part{{Text: "short"}}, Data: data}, nil
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
		in := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
			`"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}
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

// TestDataFitsItsSchema calls the tools with output schemas by a client that checks the data, with results of all
// kinds.
func TestDataFitsItsSchema(t *testing.T) {
	type lines struct {
		Lines []string `json:"lines"`
	}
	tools := builtIn(t, tool.Func(tool.Spec{Name: "lines", Description: "Makes lines."},
		func(_ context.Context, in struct{ N int }, _ tool.Env) (lines, error) {
			return lines{make([]string, in.N)}, nil
		}))
	onEveryWay(t, []way{{"stdio", allOfThem[2:], overStdio}}, func(t *testing.T,
		connect func(*mcpserver.Server, *sdk.ClientOptions) *sdk.ClientSession) {
		session := connect(newServer(t, tools, newProject(t), nil), nil)
		list, err := session.ListTools(t.Context(), nil)
		require.NoError(t, err)
		schemas := map[string]*schema.Schema{}
		for _, one := range list.Tools {
			if one.OutputSchema == nil {
				continue
			}
			raw, err := json.Marshal(one.OutputSchema)
			require.NoError(t, err)
			schemas[one.Name], err = schema.CompileObject(raw)
			require.NoError(t, err, one.Name)
		}
		for _, one := range list.Tools {
			require.Equal(t, one.Name == "javascript" || one.Name == "lines", one.OutputSchema != nil, one.Name)
		}
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
			if schemas[c.tool] == nil { // its results are texts
				require.Contains(t, text, c.want)
				require.Nil(t, result.StructuredContent)
				continue
			}
			if c.input == `{"code": ""}` {
				require.True(t, result.IsError)
				require.Nil(t, result.StructuredContent)
				continue
			}
			require.NoError(t, schemas[c.tool].Validate(t.Context(), result.StructuredContent), "%s %s",
				c.tool, c.input)
			data, err := json.Marshal(result.StructuredContent)
			require.NoError(t, err)
			require.Contains(t, string(data), c.want)
			if whole, ok := result.StructuredContent.(map[string]any)["text"].(string); ok && c.tool != "lines" {
				require.True(t, strings.HasPrefix(text, whole[:min(10, len(whole))]))
			}
		}
	})
}

// TestBinariesAreSentOnce checks that structured content does not repeat images and other binaries, or stand in their
// place: clients that prefer it would show nothing else.
func TestBinariesAreSentOnce(t *testing.T) {
	binary := bytes.Repeat([]byte("\x89PNG\r\n\x1a\n\xff\xff\xff\xfe"), 5000)
	encoded := base64.StdEncoding.EncodeToString(binary)
	of := func(name, mime string, data any, schema string) tool.Tool {
		spec := tool.Spec{Name: name, Description: "Returns a binary.",
			Schema: json.RawMessage(`{"type":"object"}`)}
		if schema != "" {
			spec.OutputSchema = json.RawMessage(schema)
		}
		return tool.JSONFunc(spec, func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Result{Content: []tool.Part{{Data: binary, MIME: mime, Text: "data:" + mime +
				";base64," + encoded}}, Data: data}, nil
		})
	}
	const schema = `{"type":"object","properties":{"size":{"type":"integer"},"bytes":{"type":"string"}},` +
		`"required":["bytes"]}`
	again := map[string]any{"size": 1, "bytes": "data:image/png;base64," + encoded}
	tools := builtIn(t, of("image", "image/png", nil, ""), of("audio", "audio/wav", nil, ""), of("blob",
		"application/zip", nil, ""),
		of("again", "image/png", again, ""), of("escaped", "image/png",
			json.RawMessage(`{"bytes":"`+strings.ReplaceAll(encoded, "/", `\/`)+`"}`), ""),
		of("other", "image/png", map[string]any{"size": 1}, ""), of("promised", "image/png", again, schema))
	project := newProject(t)
	png, err := base64.StdEncoding.DecodeString(
		"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
	require.NoError(t, err)
	require.NoError(t, vfs.WriteFile(t.Context(), project, "/small.png", png))
	require.NoError(t, vfs.WriteFile(t.Context(), project, "/large.png", append(bytes.Clone(png), binary...)))
	env := registry.Env{Project: "notes", Files: project, Limits: registry.Limits{Inline: 1 << 20}}
	for _, env := range []registry.Env{env, {Project: "notes", Files: project}} {
		server, err := mcpserver.New(t.Context(), mcpserver.Fixed(tools, env), nil)
		require.NoError(t, err)
		session := connect(t, overStdio(t, server), "2025-11-25", nil)
		for _, c := range []struct {
			tool, input, kind string
			structured        any
		}{
			{"filesystem", `{"command":"view","path":"/small.png"}`, "image", nil},
			{"filesystem", `{"command":"view","path":"/large.png"}`, "image", nil},
			{"image", `{}`, "image", nil},
			{"audio", `{}`, "audio", nil},
			{"blob", `{}`, "resource", nil},
			{"again", `{}`, "image", nil},
			{"escaped", `{}`, "image", nil},
			{"other", `{}`, "image", map[string]any{"size": 1.0}},
			{"promised", `{}`, "image", map[string]any{"size": 1.0, "bytes": "data:image/png;base64,(in the content)"}},
		} {
			_, result := call(t, session, c.tool, json.RawMessage(c.input))
			require.False(t, result.IsError, c.tool)
			raw, err := json.Marshal(result)
			require.NoError(t, err)
			var sent struct{ Content []struct{ Type, Text string } }
			require.NoError(t, json.Unmarshal(raw, &sent))
			require.Equal(t, c.kind, sent.Content[0].Type, c.tool)
			for _, more := range sent.Content[1:] { // that the data is too long, for example
				require.Equal(t, "text", more.Type)
				require.Less(t, len(more.Text), 200, c.tool)
			}
			if env.Limits.Inline > 0 || c.tool == "other" {
				require.Equal(t, c.structured, result.StructuredContent, c.tool)
			}
			require.Less(t, len(raw), 2*len(encoded), c.tool)
		}
	}
}
