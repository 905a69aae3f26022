package sdktest

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// mcpServer returns an SDK server with the registry's tools. Its handlers append the params they receive to params.
func mcpServer(t *testing.T, reg *registry.Registry, params *[]json.RawMessage) *mcp.Server {
	t.Helper()
	definitions, err := provider.Definitions(reg, tool.MCP, registry.Selection{}, nil)
	require.NoError(t, err)
	var tools []*mcp.Tool
	require.NoError(t, strictly(definitions, &tools))
	requireSame(t, definitions, encode(t, tools))
	server := mcp.NewServer(&mcp.Implementation{Name: "toolrun", Version: "1"}, nil)
	for _, one := range tools {
		server.AddTool(one, func(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			data, err := json.Marshal(request.Params)
			if err != nil {
				return nil, err
			}
			*params = append(*params, data)
			calls, err := provider.Calls(tool.MCP, data)
			if err != nil {
				return nil, err
			}
			messages, err := provider.Results(tool.MCP, reg.DispatchAll(ctx, calls, registry.Env{}))
			if err != nil {
				return nil, err
			}
			return mcpResult(messages)
		})
	}
	return server
}

// mcpResult converts the only element of the messages from provider.Results to the SDK's type.
func mcpResult(messages json.RawMessage) (*mcp.CallToolResult, error) {
	var results []*mcp.CallToolResult
	if err := json.Unmarshal(messages, &results); err != nil {
		return nil, err
	}
	// The SDK has decoded the data into float64, but sends raw JSON unchanged.
	var raw []struct {
		StructuredContent json.RawMessage `json:"structuredContent"`
	}
	if err := json.Unmarshal(messages, &raw); err != nil {
		return nil, err
	}
	if raw[0].StructuredContent != nil {
		results[0].StructuredContent = raw[0].StructuredContent
	}
	return results[0], nil
}

// connect returns a client session with the server.
func connect(t *testing.T, server *mcp.Server) *mcp.ClientSession {
	t.Helper()
	clientEnd, serverEnd := mcp.NewInMemoryTransports()
	serving, err := server.Connect(t.Context(), serverEnd, nil)
	require.NoError(t, err)
	t.Cleanup(func() { serving.Wait() })
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		clientEnd, nil)
	require.NoError(t, err)
	t.Cleanup(func() { session.Close() })
	return session
}

func TestMCPDefinitions(t *testing.T) {
	reg := newRegistry(t)
	listed, err := connect(t, mcpServer(t, reg, new([]json.RawMessage))).ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, listed.Tools, len(reg.Specs()))
	definitions, err := provider.Definitions(reg, tool.MCP, registry.Selection{}, nil)
	require.NoError(t, err)
	byName := map[string]*mcp.Tool{} // the server lists them in another order
	for _, one := range listed.Tools {
		byName[one.Name] = one
	}
	for _, definition := range elements(t, definitions) {
		name, _ := decode(t, at(t, definition, "name")).(string)
		require.Contains(t, byName, name)
		requireSame(t, definition, encode(t, byName[name]))
	}
	require.Equal(t, "Find an order", byName["find_order"].Title)
	require.True(t, byName["find_order"].Annotations.ReadOnlyHint)
	require.True(t, *byName["edit_text"].Annotations.DestructiveHint)
	require.False(t, *byName["remind"].Annotations.DestructiveHint)
}

func TestMCPCalls(t *testing.T) {
	for _, test := range []struct {
		name, tool, arguments string
		want                  string
		// data is the structured content as a client decodes it, into float64.
		data    map[string]any
		isError bool
	}{
		{
			name: "a number keeps its digits", tool: "find_order", arguments: `{"order":` + order + `}`,
			want: "Order " + order + " is open & größer als <1>.",
			data: map[string]any{"order": float64(9007199254740992), "status": "open"},
		},
		{name: "no arguments", tool: "list_zones", want: "list_zones got {}"},
		{name: "empty arguments", tool: "list_zones", arguments: `{}`, want: "list_zones got {}"},
		{name: "unicode", tool: "remind", arguments: `{"at":"2030-01-01T00:00:00Z","note":"größer 📦"}`,
			want: `remind got {"at":"2030-01-01T00:00:00Z","note":"größer 📦"}`},
		{
			name: "wrong arguments", tool: "find_order", arguments: `{"order":"none","page":1}`, isError: true,
			want: "invalid tool call: the arguments do not fit the schema of find_order:",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var params []json.RawMessage
			session := connect(t, mcpServer(t, newRegistry(t), &params))
			call := &mcp.CallToolParams{Name: test.tool}
			if test.arguments != "" {
				call.Arguments = json.RawMessage(test.arguments)
			}
			result, err := session.CallTool(t.Context(), call)
			require.NoError(t, err)
			require.Len(t, params, 1)
			if test.arguments != "" {
				requireSame(t, []byte(test.arguments), at(t, params[0], "arguments"))
			}
			require.Equal(t, test.isError, result.IsError)
			require.Len(t, result.Content, 1)
			text := result.Content[0].(*mcp.TextContent).Text
			if test.isError {
				require.Contains(t, text, test.want)
			} else {
				require.Equal(t, test.want, text)
			}
			if test.data == nil {
				require.Nil(t, result.StructuredContent)
			} else {
				require.Equal(t, test.data, result.StructuredContent)
			}
		})
	}
}

// TestMCPDigits shows that the server sends all digits of structured content.
func TestMCPDigits(t *testing.T) {
	messages, err := provider.Results(tool.MCP,
		[]tool.Result{{Data: map[string]any{"order": json.Number(order)}}})
	require.NoError(t, err)
	result, err := mcpResult(messages)
	require.NoError(t, err)
	requireSame(t, []byte(`{"order":`+order+`}`), at(t, encode(t, result), "structuredContent"))
}

// TestMCPResults compares results of all kinds with what a client receives.
func TestMCPResults(t *testing.T) {
	results := []tool.Result{
		{CallID: "a", Content: []tool.Part{{Text: "fünf & <mehr> 📦"}}},
		{CallID: "b"},
		{CallID: "c", Data: map[string]any{"order": 1}},
		{CallID: "d", Content: []tool.Part{{Text: "before"}, {Data: []byte("\x89PNG\r\n\x1a\n"), MIME: "image/png"},
			{Text: "after"}}},
		{CallID: "e", Content: []tool.Part{{Data: []byte("RIFF"), MIME: "audio/wav"}}},
		{CallID: "f", Content: []tool.Part{{Data: []byte("%PDF-1.7"), MIME: "application/pdf"}}},
		{CallID: "g", Content: []tool.Part{{Text: ""}}},
		{CallID: "h", Code: tool.CodeTool, Content: []tool.Part{{Text: "there is no such order"}}},
	}
	for _, result := range results {
		t.Run(result.CallID, func(t *testing.T) {
			messages, err := provider.Results(tool.MCP, []tool.Result{result})
			require.NoError(t, err)
			sent, err := mcpResult(messages)
			require.NoError(t, err)
			server := mcp.NewServer(&mcp.Implementation{Name: "toolrun", Version: "1"}, nil)
			server.AddTool(&mcp.Tool{Name: "any", InputSchema: json.RawMessage(`{"type":"object"}`)},
				func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return sent, nil })
			got, err := connect(t, server).CallTool(t.Context(), &mcp.CallToolParams{Name: "any"})
			require.NoError(t, err)
			received, _ := decode(t, encode(t, got)).(map[string]any)
			delete(received, "_meta") // the SDK's server adds both
			delete(received, "resultType")
			require.Equal(t, decode(t, elements(t, messages)[0]), received)
		})
	}
}
