package module_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/net/egress"
	asm "github.com/toolrun/toolrun/internal/wasm/wasmasm"
	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/module"
)

// requesting is a module that makes a request, waits for the response, prints its head or the error, and ends with the
// status.
func requesting(url string) []byte {
	head := `{"url":"` + url + `"}`
	m := &asm.Module{}
	request, response, result := m.Import("toolrun", "request", "iiii:I"), m.Import("toolrun", "response", "ii:I"),
		m.Import("toolrun", "result", "ii:i")
	write, exit := m.Import(wasi, "fd_write", "iiii:i"), m.Import(wasi, "proc_exit", "i:")
	status := asm.Code(asm.LocalGet, 0, 0x42, 32, 0x88, 0xa7)
	m.Export("_start", m.Func(":", "I",
		asm.I32(1000), asm.I32(int32(len(head))), asm.I32(0), asm.I32(0), asm.Call(request), asm.LocalSet, 0,
		status, 0x45, asm.If, asm.Empty, asm.LocalGet, 0, 0xa7, asm.I32(-1), asm.Call(response), asm.LocalSet, 0,
		asm.End,
		asm.I32(0), asm.I32(4096), asm.Store(), asm.I32(4), asm.I32(4096), asm.I32(60000), asm.Call(result),
		asm.Store(),
		asm.I32(1), asm.I32(0), asm.I32(1), asm.I32(8), asm.Call(write), asm.Drop, status, asm.Call(exit)))
	m.Data(1000, head)
	m.Memory(2)
	return m.Bytes()
}

// TestRequests has what a module gets by what it asks for, was granted, and what the project allows: all three must.
func TestRequests(t *testing.T) {
	t.Parallel()
	engine, err := sandbox.New(nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close(context.Background())) })
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/redirect" {
			http.Redirect(w, r, "/other", http.StatusFound)
			return
		}
		w.Header().Set("X-Answer", "here")
		_, _ = io.WriteString(w, "answer")
	}))
	t.Cleanup(server.Close)
	one, redirect, other := server.URL+"/one", server.URL+"/redirect", server.URL+"/other"
	asked := []string{one, redirect, "https://example.com"}
	const denied = "is not among the requests that were granted to the tool thing"
	for _, c := range []struct {
		why, url         string
		granted, allowed []string
		option           any
		text             string
		code             tool.Code
	}{
		{"a request", one, asked, []string{server.URL}, nil, `"status":200,`, ""},
		{"no grant", one, nil, []string{server.URL}, nil, "there is no network for this module", tool.CodeTool},
		{"an option without a grant", one, nil, []string{server.URL}, true, "there is no network for this module",
			tool.CodeTool},
		{"a grant that the project takes back", one, asked, []string{server.URL}, false,
			"there is no network for this module", tool.CodeTool},
		{"a project without a network", one, asked, nil, nil, "there is no network for this module", tool.CodeTool},
		{"what the project does not allow", "https://example.com/", asked, []string{server.URL}, nil,
			"no rule allows GET https://example.com/", tool.CodeTool},
		{"what is not asked for", other, asked, []string{server.URL}, nil, denied, tool.CodeTool},
		{"what is not granted", one, asked[1:], []string{server.URL}, nil, denied, tool.CodeTool},
		{"a redirect to what is not granted", redirect, asked, []string{server.URL}, nil,
			other + " is not among the requests that this code may make",
			tool.CodeTool},
		{"no URL", "http://[", asked, []string{server.URL}, nil, "http://[", tool.CodeTool},
	} {
		t.Run(c.why, func(t *testing.T) {
			installed := add(t, requesting(c.url), module.Grants{Network: c.granted}, func(m *module.Manifest) {
				m.Asks.Network = asked
			})
			r, err := registry.New(module.New(installed, engine))
			require.NoError(t, err)
			policy := &network.Policy{}
			for _, text := range c.allowed {
				rule, err := network.ParseRule(text)
				require.NoError(t, err)
				policy.Rules = append(policy.Rules, rule)
			}
			gate, err := egress.New(egress.Options{Policy: policy})
			require.NoError(t, err)
			t.Cleanup(gate.Close)
			env := registry.Env{Selection: registry.Selection{Network: gate}}
			if c.option != nil {
				env.Selection = env.Selection.WithOption("thing", module.OptionNetwork, c.option)
			}
			result := r.Dispatch(t.Context(), tool.Call{ID: "c1", Tool: "thing", Input: json.RawMessage(`{}`)}, env)
			require.Contains(t, result.Text(), c.text)
			require.Equal(t, c.code, result.Code)
			if c.code == "" {
				require.Contains(t, result.Status, ", 1 request")
			}
			definitions, err := r.Definitions(tool.MCP, env.Selection)
			require.NoError(t, err)
			hosts := "This tool makes requests to these hosts only, as far as they are allowed: " + server.URL +
				" (GET)"
			if len(c.granted) == 0 || c.allowed == nil || c.option == false {
				hosts = "This tool has no network here"
			}
			require.Contains(t, definitions[0].Description, hosts)
			require.True(t, definitions[0].Annotations.OpenWorld)
		})
	}
}

// TestRequestsOfAManifest are rules, and granted only if they are asked for.
func TestRequestsOfAManifest(t *testing.T) {
	t.Parallel()
	_, err := module.ParseManifest([]byte(`{"name":"a","description":"b","asks":{"network":["example.com"]}}`))
	require.ErrorContains(t, err, "asks: the network rule \"example.com\": write it with its scheme")
	m := &module.Manifest{Name: "a", Description: "b", Asks: module.Asks{Network: []string{"https://example.com"}}}
	_, err = module.OpenStore(t.TempDir()).Add(m, echo(),
		module.AddOptions{Grants: module.Grants{Network: []string{"https://example.org"}}})
	require.EqualError(t, err, `grant: the tool does not ask for the requests "https://example.org"`)
}
