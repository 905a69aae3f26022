package mcpclient_test

import (
	"context"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/mcptest"
	"github.com/toolrun/toolrun/mcp/mcpclient"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	js "github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/javascript"
)

// TestJavaScript runs a script that uses the tools of two servers and gets exact numbers from them.
func TestJavaScript(t *testing.T) {
	engine := enginetest.New(sandbox.EngineOptions{})
	defer func() { require.NoError(t, engine.Close(context.Background())) }()
	base, err := registry.New(javascript.New(func(context.Context) (*js.Interpreter, error) {
		return engine.Interpreter,
			nil
	}, nil))
	require.NoError(t, err)
	one, two := overHTTP(mcptest.Good(), nil), overHTTP(mcptest.Good(), nil)
	defer one.Close()
	defer two.Close()
	dies := answers(t, func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) { w.WriteHeader(500) })
	set := mcptest.Open(t, &mcpclient.Options{Base: base}, map[string]mcpclient.ServerConfig{
		"one": {URL: one.URL}, "two": {URL: two.URL}, "dies": {URL: dies.URL}})
	mcptest.Connected(t, set)
	input, err := json.Marshal(map[string]string{"code": `
		const [a, b] = await Promise.all([tools.one_echo({n: 20}), tools.two_echo({n: 22})]);
		const failures = await Promise.allSettled([tools.two_fail({}), tools.dies_t({}), tools.one_echo({n: "x"})]);
		return [a.n + b.n, ...failures.map((f) => f.reason.code + ": " + f.reason.message.slice(0, 30))].join("\n");`})
	require.NoError(t, err)
	result := set.Registry().Dispatch(t.Context(), tool.Call{Tool: javascript.Name, Input: input},
		registry.Env{Selection: registry.Selection{
			Options: map[string]map[string]any{javascript.Name: {code.OptionToolCalls: true}},
		}})
	require.Contains(t, result.Text(), "42\ntool_error: no such city\ntool_failed: The MCP server dies has not an\n"+
		"invalid_input: invalid tool call: the argumen\n", result.Text())
	require.NoError(t, set.Close())
}
