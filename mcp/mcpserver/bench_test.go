package mcpserver_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// BenchmarkCall does a call of a tool that does nothing: by the registry alone, and by clients over streams and HTTP.
func BenchmarkCall(b *testing.B) {
	nothing := tool.Func(tool.Spec{Name: "nothing", Description: "Does nothing."},
		func(context.Context, struct{}, tool.Env) (string, error) {
			return "done", nil
		})
	tools, err := registry.New(nothing)
	require.NoError(b, err)
	server, err := mcpserver.New(b.Context(), mcpserver.Fixed(tools, registry.Env{}), &mcpserver.Options{Rate: 1e9})
	require.NoError(b, err)
	b.Run("registry", func(b *testing.B) {
		for b.Loop() {
			result := tools.Dispatch(b.Context(), tool.Call{Tool: "nothing", Input: json.RawMessage(`{}`)},
				registry.Env{})
			require.False(b, result.IsError())
		}
	})
	clients := map[string]func(b *testing.B) sdk.Transport{
		"streams": func(b *testing.B) sdk.Transport {
			in, toServer := io.Pipe()
			fromServer, out := io.Pipe()
			go func() { _ = server.ServeStdio(context.Background(), in, out) }()
			return &sdk.IOTransport{Reader: fromServer, Writer: toServer}
		},
	}
	for name, options := range map[string]*mcpserver.HandlerOptions{"HTTP": nil,
		"HTTP without sessions": {Stateless: true}} {
		clients[name] = func(b *testing.B) sdk.Transport {
			handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil },
				options)
			s := httptest.NewServer(handler)
			b.Cleanup(s.CloseClientConnections)
			return &sdk.StreamableClientTransport{Endpoint: s.URL, DisableStandaloneSSE: true}
		}
	}
	for _, name := range []string{"streams", "HTTP", "HTTP without sessions"} {
		b.Run(name, func(b *testing.B) {
			session, err := sdk.NewClient(&sdk.Implementation{Name: "bench", Version: "1"}, nil).Connect(b.Context(),
				clients[name](b), &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
			require.NoError(b, err)
			defer session.Close()
			for b.Loop() {
				_, err := session.CallTool(b.Context(), &sdk.CallToolParams{Name: "nothing"})
				require.NoError(b, err)
			}
		})
	}
}
