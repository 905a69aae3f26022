package javascript_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/net/egress"
	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/javascript"
)

// networkEnv is an Env with a server that code can reach, and a secret for it.
func networkEnv(t testing.TB, rule string) (env registry.Env, server *httptest.Server) {
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "a=b")
		fmt.Fprintf(w, "%s %s %t %s", r.Method, r.URL.Path, r.Header.Get("Authorization") == "Bearer the-secret-itself",
			r.Header.Get("Authorization"))
	}))
	t.Cleanup(server.Close)
	parsed, err := network.ParseRule(fmt.Sprintf(rule, server.URL))
	require.NoError(t, err)
	gate, err := egress.New(egress.Options{Policy: &network.Policy{Rules: []network.Rule{parsed},
		Secrets: []network.Secret{{Name: "TOKEN", Value: "the-secret-itself", Hosts: []string{"127.0.0.1"},
			Plain: true}}}})
	require.NoError(t, err)
	t.Cleanup(gate.Close)
	env = newEnv(t)
	env.Selection.Network = gate
	return env, server
}

// networkClaims show that what the description says of the network is true. HOST stands for the server.
var networkClaims = map[string][]claim{
	"There is no DOM, no WebAssembly and no other process": {
		{`return [typeof document, typeof window, typeof WebAssembly].join()`, `^(undefined,?)+$`},
	},
	"`fetch` reaches these hosts and no others: HOST (GET)": {
		{`return await (await fetch('HOST/a')).text()`, `^GET /a false $`},
		{`await fetch('https://example.com')`, `^TypeError: no rule allows GET https://example.com/: `},
		{`await fetch('HOST/a', { method: 'POST' })`, `^TypeError: no rule allows POST HOST/a: `},
	},
	"Where no rule allows a request, the error says which one is missing; whoever runs this can add it": {
		{`await fetch('https://example.com/a')`,
			`^TypeError: no rule allows GET https://example.com/a: ` +
				`whoever runs this can add one with --allow 'GET https://example.com/a'`},
	},
	"There are no cookies and no sockets; `http` and `https` make the same requests": {
		{`return (await fetch('HOST')).headers.get('set-cookie')`, `^null$`},
		{`require('net')`, `^Error: Cannot find module "net"`},
		{`return new Promise((resolve) => require('http').get('HOST/a',
			(r) => r.on('data', (d) => resolve(d.toString()))))`,
			`^GET /a false $`},
		{`return new Promise((resolve) => require('https').get('https://example.com').on('error',
			(e) => resolve(e.message)))`,
			`^no rule allows GET https://example.com/: `},
	},
	"Secrets are put in outside of the sandbox: use these variables in a header or in the query, as if they had the " +
		"values: process.env.TOKEN for 127.0.0.1": {
		{`return await (await fetch('HOST/a', { headers: { authorization: 'Bearer ' + process.env.TOKEN } })).text()`,
			`^GET /a true Bearer secret-TOKEN-is-put-in-outside$`},
		{`return process.env.TOKEN`, `^secret-TOKEN-is-put-in-outside$`},
	},
}

func TestNetworkDescription(t *testing.T) {
	r := newRegistry(t)
	env, server := networkEnv(t, "GET %s/**")
	definitions, err := r.Definitions(tool.Anthropic, env.Selection)
	require.NoError(t, err)
	text := strings.ReplaceAll(definitions[0].Description, server.URL, "HOST")
	require.NotContains(t, text, "the-secret-itself")
	n := 0
	for _, sentence := range sentences(text) {
		for _, c := range networkClaims[sentence] {
			code := strings.ReplaceAll(c.code, "HOST", server.URL)
			require.Regexp(t, strings.ReplaceAll(c.want, "HOST", server.URL), run(t, r, env, code).Text(), c.code)
			n++
		}
		if networkClaims[sentence] == nil {
			require.Contains(t, claims, sentence)
		}
	}
	require.Equal(t, 11, n)
}

func TestNetworkUsage(t *testing.T) {
	r := newRegistry(t)
	env, server := networkEnv(t, "* %s")
	result := run(t, r, env, `await (await fetch('`+server.URL+`/a', { method: 'POST', body: 'four' })).text()`)
	var out struct{ Usage code.Usage }
	require.NoError(t, json.Unmarshal(result.Data.(json.RawMessage), &out))
	require.EqualValues(t, 1, out.Usage.Requests)
	require.EqualValues(t, 4, out.Usage.Sent)
	require.EqualValues(t, len("POST /a false "), out.Usage.Received)
}

// TestNetworkApproval: a person decides on requests, and on each once.
func TestNetworkApproval(t *testing.T) {
	r := newRegistry(t)
	env, server := networkEnv(t, "* %s")
	get := `return await (await fetch('` + server.URL + `/a')).text()`
	for _, rule := range []string{"netwrok", "network:requset", registry.AskNetwork} { // also one that is misspelt
		env.Selection.Ask = []string{rule}
		require.Contains(t, run(t, r, env, get).Text(),
			"needs the approval of a person, and there is nobody here who could give it")
	}

	var asked []registry.ApprovalRequest
	decision := registry.Decision{Approved: true}
	env.Approve = func(_ context.Context, request registry.ApprovalRequest) (registry.Decision, error) {
		asked = append(asked, request)
		return decision, nil
	}
	require.Equal(t, "GET /a false ", run(t, r, env, get).Text())
	require.Len(t, asked, 1)
	require.JSONEq(t, fmt.Sprintf(`{"method": "GET", "url": "%s/a", "bytes": 0}`, server.URL),
		string(asked[0].Call.Input))
	run(t, r, env, `return await (await fetch('`+server.URL+
		`/a', { method: 'POST', body: 'text', headers: { 'x-one': '1' } })).text()`)
	run(t, r, env, `return await (await fetch('`+server.URL+
		`/a', { method: 'POST', body: new Uint8Array([255]) })).text()`)
	require.Len(t, asked, 3)
	require.JSONEq(t,
		fmt.Sprintf(`{"method": "POST", "url": "%s/a",
			"headers": {"x-one": ["1"], "content-type": ["text/plain;charset=UTF-8"]},
		"body": "text", "bytes": 4}`, server.URL), string(asked[1].Call.Input))
	require.JSONEq(t, fmt.Sprintf(`{"method": "POST", "url": "%s/a", "bytes": 1}`, server.URL),
		string(asked[2].Call.Input))
	asked = asked[:1]
	require.Equal(t, registry.NetworkTool, asked[0].Spec.Name)
	require.Equal(t, "javascript", asked[0].Callers[0].Tool)

	require.Contains(t, run(t, r, env, `await fetch('https://example.com')`).Text(), "no rule allows")
	require.Len(t, asked, 1, "nobody is asked for what is not allowed")

	env.Selection.Ask = []string{registry.AskDestructive}
	code := `const a = await (await fetch('` + server.URL + `/a')).text(); await fetch('` + server.URL +
		`/b', { method: 'DELETE' }); return a`
	decision = registry.Decision{Reason: "not today."}
	env.Approve = func(_ context.Context, request registry.ApprovalRequest) (registry.Decision, error) {
		asked = append(asked, request)
		return registry.Decision{Approved: request.Spec.Name == "javascript", Reason: "not today."}, nil
	}
	text := run(t, r, env, code).Text()
	require.Contains(t, text, "TypeError: a person has refused the request DELETE "+server.URL+"/b: not today")
	require.Len(t, asked, 3, "the call and the deletion")

	// What makes some servers take a request for another one.
	for _, get := range []string{
		`/a', { headers: { 'X-HTTP-Method-Override': 'Delete' } })`, `/a', { headers: { 'X_HTTP_Method': 'Delete' } })`,
		`/a', { headers: { 'X-Forwarded-Method': 'Delete' } })`, `/a?_method=delete')`,
	} {
		text = run(t, r, env, `await fetch('`+server.URL+get).Text()
		require.Contains(t, text, "TypeError: a person has refused the request GET as DELETE "+server.URL)
	}
}

// TestToolNamedNetwork: who always approves a tool of that name has approved no requests, and the other way round.
func TestToolNamedNetwork(t *testing.T) {
	r, err := registry.New(toolOn(engine),
		tool.Func(tool.Spec{Name: "network", Description: "Draws a network."},
			func(context.Context, struct{}, tool.Env) (string, error) { return "drawn", nil }))
	require.NoError(t, err)
	env, server := networkEnv(t, "* %s")
	env.Selection = env.Selection.WithOption(javascript.Name, code.OptionToolCalls, true)
	env.Selection.Ask = []string{"network"}
	const draw = `await tools.network({});`
	fetching := `await (await fetch('` + server.URL + `/a')).text();`
	for _, c := range []struct{ always, other string }{{draw, fetching}, {fetching, draw}} {
		var asked []string
		env.Approve = registry.RememberApprovals(func(_ context.Context, request registry.ApprovalRequest) (
			registry.Decision, error) {
			asked = append(asked, request.Call.Tool)
			return registry.Decision{Approved: len(asked) == 1, Always: true}, nil
		})
		result := run(t, r, env, c.always+c.always+"return 'done'")
		require.True(t, strings.HasPrefix(result.Text(), "done"), result.Text())
		require.Len(t, asked, 1, "it is remembered")
		result = run(t, r, env, c.other)
		require.Contains(t, result.Text(), "person has refused")
		require.Len(t, asked, 2, "the other one is asked for")
		require.ElementsMatch(t, []string{"network", registry.NetworkTool}, asked)
	}
}
