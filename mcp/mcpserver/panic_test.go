package mcpserver_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
)

// TestOddRequestsDoNotEndTheProcess has requests for all methods that are not what they should be, which the SDK
// handles in goroutines where a panic ends the process.
func TestOddRequestsDoNotEndTheProcess(t *testing.T) {
	server := newServer(t, builtIn(t), newProject(t), nil)
	url := serve(t, server, nil)
	response, text := post(t, url, initializeRequest)
	require.Equal(t, 200, response.StatusCode, text)
	session := response.Header.Get("Mcp-Session-Id")
	send := func(body string) {
		response, text := post(t, url, body, "Mcp-Session-Id", session, "Mcp-Protocol-Version", "2025-06-18")
		require.Less(t, response.StatusCode, 500, "%s: %s", body, text)
		rawSession(t, server, body)
	}
	send(initializeRequest) // a second time
	for _, method := range []string{"initialize", "ping", "completion/complete", "prompts/list", "prompts/get",
		"tools/list", "tools/call", "resources/list",
		"resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe",
		"logging/setLevel", "server/discover",
		"notifications/initialized", "notifications/cancelled", "notifications/progress",
		"notifications/roots/list_changed"} {
		for _, params := range []string{`null`, `{}`, `[]`,
			`{"_meta":null,"ref":null,"argument":null,"arguments":null,"uri":null,"name":null,"cursor":null}`,
			`{"_meta":{"progressToken":{}},"ref":{"type":"ref/resource"},` +
				`"argument":{"name":"path"},"arguments":[],"uri":"","name":"javascript","requestId":{}}`} {
			id := `"id":2,`
			if strings.HasPrefix(method, "notifications") {
				id = ""
			}
			send(`{"jsonrpc":"2.0",` + id + `"method":"` + method + `","params":` + params + `}`)
		}
	}
	response, _ = post(t, url, `{"jsonrpc":"2.0","id":2,"method":"ping"}`, "Mcp-Session-Id", session)
	require.Equal(t, 200, response.StatusCode)
}

func TestPanickingSource(t *testing.T) {
	panics := atomic.Bool{}
	server, err := mcpserver.New(t.Context(), func(context.Context) (*registry.Registry, registry.Env, error) {
		if panics.Load() {
			panic("/home/someone/projects")
		}
		return builtIn(t), registry.Env{}, nil
	}, nil)
	require.NoError(t, err)
	panics.Store(true)
	var out strings.Builder
	require.NoError(t, server.ServeStdio(context.Background(), strings.NewReader(initialize), &out))
	require.Contains(t, out.String(), "failed to do this")
	require.NotContains(t, out.String(), "someone")
}
