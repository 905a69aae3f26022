// Package mcptest has what tests of MCP need, in whichever process clients and servers run: a server that behaves well,
// sets of servers, and tools that measure what reaches them.
package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpclient"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// PlainTool is what a list of tools says of one.
const PlainTool = `{"name":"t","description":"d","inputSchema":{"type":"object"}}`

// Open opens a set of servers, and closes it when the test ends.
func Open(t testing.TB, options *mcpclient.Options, servers map[string]mcpclient.ServerConfig) *mcpclient.Set {
	t.Helper()
	set, err := mcpclient.Open(t.Context(), mcpclient.Config{Servers: servers}, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, set.Close()) })
	return set
}

// Connected fails the test unless all servers are connected.
func Connected(t testing.TB, set *mcpclient.Set) {
	t.Helper()
	for _, status := range set.Status() {
		require.NoError(t, status.Err)
		require.True(t, status.Connected)
	}
}

// Call calls a tool of a set.
func Call(t testing.TB, set *mcpclient.Set, name, input string) tool.Result {
	t.Helper()
	return set.Registry().Dispatch(t.Context(), tool.Call{Tool: name, Input: json.RawMessage(input)},
		registry.Env{})
}

// Names returns the names of the tools of a registry.
func Names(r *registry.Registry) []string {
	list := []string{}
	for _, spec := range r.Specs() {
		list = append(list, spec.Name)
	}
	return list
}

// Until waits for a condition that depends on the servers.
func Until(t testing.TB, set *mcpclient.Set, condition func() bool) {
	t.Helper()
	for changed := set.Changed(); !condition(); changed = set.Changed() {
		<-changed
	}
}

// Good returns a well-behaved server, made with the SDK.
func Good(versions ...string) *sdk.Server {
	server := sdk.NewServer(&sdk.Implementation{Name: "good", Version: "1"}, &sdk.ServerOptions{
		Instructions: "Be \u202eepolite\x07.", SupportedProtocolVersions: versions,
	})
	object := json.RawMessage(`{"type":"object"}`)
	add := func(tool *sdk.Tool, do func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error)) {
		if tool.InputSchema == nil {
			tool.InputSchema = object
		}
		server.AddTool(tool, do)
	}
	text := func(s string) *sdk.CallToolResult {
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: s}}}
	}
	closed := false
	add(&sdk.Tool{
		Name: "echo", Title: "Echo", Description: "Says it.",
		InputSchema: json.RawMessage(`{"type":"object","properties":{` +
			`"n":{"type":"integer","maximum":9007199254740993},"x":{"$ref":"#/$defs/x"}},` +
			`"$defs":{"x":{"enum":[1,"a",null]}}}`),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
		Annotations:  &sdk.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &closed},
	}, func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		result := text(string(req.Params.Arguments))
		result.StructuredContent = req.Params.Arguments
		return result, nil
	})
	add(&sdk.Tool{Name: "parts"}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return &sdk.CallToolResult{Content: []sdk.Content{
			&sdk.TextContent{Text: "a\x1b[1mb"},
			&sdk.ImageContent{Data: []byte("\x89PNG"), MIMEType: "image/png"},
			&sdk.AudioContent{Data: []byte("RIFF"), MIMEType: "audio/wav"},
			&sdk.ResourceLink{URI: "file:///x", Name: "x", MIMEType: "text/plain", Description: "an x"},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///y", Text: "why"}},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///z", Blob: []byte{1, 2}}},
		}}, nil
	})
	add(&sdk.Tool{Name: "fail"}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		result := text("no such city")
		result.IsError = true
		return result, nil
	})
	add(&sdk.Tool{Name: "refuse"}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return nil, fmt.Errorf("refused")
	})
	add(&sdk.Tool{Name: "environment"}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text(strings.Join(os.Environ(), "\n")), nil
	})
	add(&sdk.Tool{Name: "progress"}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		err := req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
			ProgressToken: req.Params.GetProgressToken(), Message: "half\x00way", Progress: 1, Total: 2,
		})
		return text("done"), err
	})
	add(&sdk.Tool{Name: "grow"}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		add(&sdk.Tool{Name: "grown"}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult,
			error) {
			return text("tall"), nil
		})
		return text("growing"), nil
	})
	add(&sdk.Tool{Name: "hang", InputSchema: object},
		func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var in struct{ File string }
			if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
				return nil, err
			}
			if err := os.WriteFile(in.File, []byte("started"), 0o600); err != nil {
				return nil, err
			}
			<-ctx.Done()
			return nil, os.WriteFile(in.File, []byte("cancelled"), 0o600)
		})
	add(&sdk.Tool{Name: "die"}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		os.Exit(3)
		return nil, nil
	})
	add(&sdk.Tool{Name: "pid"}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		return text(strconv.Itoa(os.Getpid())), nil
	})
	add(&sdk.Tool{Name: "ask"}, func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		var said []string
		_, err := req.Session.Elicit(ctx, &sdk.ElicitParams{Message: "your password?",
			RequestedSchema: map[string]any{"type": "object"}})
		said = append(said, fmt.Sprint(err))
		//lint:ignore SA1019 servers of today have them
		_, err = req.Session.ListRoots(ctx, nil)
		said = append(said, fmt.Sprint(err))
		//lint:ignore SA1019 servers of today have it
		_, err = req.Session.CreateMessage(ctx, &sdk.CreateMessageParams{MaxTokens: 1})
		said = append(said, fmt.Sprint(err), fmt.Sprint(req.Session.Ping(ctx, nil)))
		return text(strings.Join(said, "\n")), nil
	})
	return server
}

// Measured returns tools that say what has reached them.
func Measured() []tool.Tool {
	return []tool.Tool{
		tool.Func(tool.Spec{Name: "length", Description: "Says how long a text is."},
			func(_ context.Context, in struct {
				Text string `json:"text"`
			}, _ tool.Env) (string, error) {
				return fmt.Sprintf("%d bytes", len(in.Text)), nil
			}),
		tool.Func(tool.Spec{Name: "values", Description: "Says how many values a list has."},
			func(_ context.Context, in struct {
				List []any `json:"list"`
			}, _ tool.Env) (string, error) {
				return fmt.Sprintf("%d values", len(in.List)), nil
			}),
		tool.Func(tool.Spec{Name: "free", Description: "Gives back what is free, so that growth can be seen."},
			func(context.Context, struct{}, tool.Env) (string, error) {
				debug.FreeOSMemory()
				return "freed", nil
			}),
	}
}

// Arrays returns JSON of n bytes that consists mostly of empty arrays.
func Arrays(n int) string { return "[" + strings.Repeat("[],", n/3) + "0]" }
