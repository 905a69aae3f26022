//go:build suites

package toolhttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/guest/tool/toolhttp"
	"github.com/toolrun/toolrun/internal/net/egress"
	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/module"
)

// TestRequests are made by a tool with net/http, from a reactor. To compile it takes half a minute of a processor.
func TestRequests(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/echo", http.StatusFound)
		case "/away":
			http.Redirect(w, r, "/elsewhere/x", http.StatusFound)
		case "/missing":
			w.WriteHeader(404)
		case "/never":
			<-r.Context().Done()
		case "/slow":
			_, _ = io.WriteString(w, "some")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case "/large":
			_, _ = w.Write([]byte(strings.Repeat("x", 600_000)))
		default:
			body, _ := io.ReadAll(r.Body)
			w.Header().Set("X-Answer", "\xfc")
			fmt.Fprintf(w, "%s %s %s %q %s", r.Method, r.URL, body, r.Header.Get("X-Own"),
				r.Header.Get("Authorization"))
		}
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "requests.wasm")
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-buildmode=c-shared", "-o", file,
		"./testdata/requests")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	code, err := os.ReadFile(file)
	require.NoError(t, err)
	engine, err := sandbox.New(&sandbox.EngineOptions{CacheDir: enginetest.CacheDir()})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close(context.Background())) })
	m, err := module.Describe(t.Context(), engine, code)
	require.NoError(t, err)
	require.Equal(t, []string{"https://example.com"}, m.Asks.Network)

	policy := &network.Policy{}
	rule := "* " + server.URL
	secret := network.Secret{Name: "TOKEN", Value: "the token itself", Hosts: []string{"127.0.0.1"}, Plain: true}
	require.Equal(t, secret.Placeholder(), toolhttp.Secret("TOKEN"))
	policy.Secrets = []network.Secret{secret}
	for _, text := range []string{rule, "https://example.com"} {
		parsed, err := network.ParseRule(text)
		require.NoError(t, err)
		policy.Rules = append(policy.Rules, parsed)
	}
	gate, err := egress.New(egress.Options{Policy: policy})
	require.NoError(t, err)
	t.Cleanup(gate.Close)
	asked := []string{"* " + server.URL + "/*", "https://example.com"}
	m.Asks.Network = asked
	installed, err := module.OpenStore(t.TempDir()).Add(m, code, module.AddOptions{Grants: module.Grants{Clock: true,
		Network: asked[:1]}})
	require.NoError(t, err)
	tools, err := registry.New(module.New(installed, engine))
	require.NoError(t, err)
	env := registry.Env{Selection: registry.Selection{Network: gate}}
	env.Limits.Timeout = tool.NoTimeout
	call := func(env registry.Env, do, path string) tool.Result {
		input, err := json.Marshal(map[string]string{"do": do, "url": path})
		require.NoError(t, err)
		return tools.Dispatch(t.Context(), tool.Call{ID: "c", Tool: "requests", Input: input}, env)
	}
	for _, c := range []struct{ why, do, path, want string }{
		{"a response", "get", "/echo?a=b", `200 OK "\xfc" GET /echo?a=b  "" `},
		{"the default client", "default", "/echo", `200 OK "\xfc" GET /echo  "" `},
		{"a body, a header and a secret", "post", "/echo", `200 OK "\xfc" POST /echo ünï "\xe4" Bearer ` +
			secret.Placeholder()},
		{"a redirect", "get", "/redirect", `200 OK "\xfc" GET /echo  "" `},
		{"no success", "get", "/missing", `404 Not Found "" `},
		{"a large response", "get", "/large", `200 OK "" 600000 bytes`},
		{"several", "many", "/echo", strings.Join([]string{`200 OK "\xfc" GET /echo?0  "" <nil>`,
			`200 OK "\xfc" GET /echo?1  "" <nil>`,
			`200 OK "\xfc" GET /echo?2  "" <nil>`, `200 OK "\xfc" GET /echo?3  "" <nil>`,
			`200 OK "\xfc" GET /echo?4  "" <nil>`}, "\n")},
		{"a timeout", "timeout", "/never", "true"},
		{"a context that ends", "cancel", "/slow", "some context canceled"},
	} {
		t.Run(c.why, func(t *testing.T) {
			result := call(env, c.do, server.URL+c.path)
			require.False(t, result.IsError(), result.Text())
			require.Equal(t, strings.ReplaceAll(c.want, "BASE", server.URL), result.Text())
		})
	}
	for _, c := range []struct {
		why, url, want string
		env            func(env registry.Env) registry.Env
	}{
		{"what the project does not allow", server.URL + "/echo", "there is no network for this module",
			func(env registry.Env) registry.Env { env.Selection.Network = nil; return env }},
		{"what the project takes back", server.URL + "/echo", "there is no network for this module",
			func(env registry.Env) registry.Env {
				env.Selection = env.Selection.WithOption("requests", module.OptionNetwork, false)
				return env
			}},
		{"what is not granted", "https://example.com/",
			"GET https://example.com/ is not among the requests that were granted to the tool requests", nil},
		{"what is not asked for", "https://other.example/",
			"is not among the requests that were granted to the tool requests", nil},
		{"a redirect to what is not granted", server.URL + "/away",
			"is not among the requests that were granted to the tool requests", nil},
		{"no URL", "http://[", "missing ']' in host", nil},
	} {
		t.Run(c.why, func(t *testing.T) {
			env := env
			if c.env != nil {
				env = c.env(env)
			}
			result := call(env, "get", c.url)
			require.True(t, result.IsError())
			require.Contains(t, result.Text(), c.want)
		})
	}
	require.Contains(t, call(env, "get", server.URL+"/redirect").Status, ", 2 requests")

	describe := func(s registry.Selection) string {
		definitions, err := tools.Definitions(tool.MCP, s)
		require.NoError(t, err)
		return definitions[0].Description
	}
	require.Contains(t, describe(env.Selection),
		"This tool makes requests to these hosts only, as far as they are allowed: "+server.URL+" (any method).")
	require.Contains(t, describe(registry.Selection{}), "This tool has no network here")
}
