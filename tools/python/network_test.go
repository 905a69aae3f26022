package python_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/net/egress"
	"github.com/toolrun/toolrun/internal/test/pythontest"
	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/python"
)

// networkClaims show that what the description says of the network is true. HOST stands for the server.
var networkClaims = map[string][]claim{
	"numpy, pandas, matplotlib and other packages that need native code or a network are not there, and pip cannot " +
		"install any": {
		{"import numpy", `^(?s).*ModuleNotFoundError`},
	},
	"There are also PACKAGES; scipy and other packages that need native code or a network are not there, and pip " +
		"cannot install any": {
		{"import scipy", `^(?s).*ModuleNotFoundError`},
	},
	"`urllib.request` and a module `requests` reach these hosts and no others: HOST (GET)": {
		{"import urllib.request\nurllib.request.urlopen('HOST/a').read()", `^b'GET /a False '$`},
		{"import requests\nrequests.get('HOST/a').text", `^'GET /a False '$`},
		{"import requests\nrequests.post('HOST/a')", `ConnectionError: no rule allows POST HOST/a: `},
	},
	"Where no rule allows a request, the error says which one is missing; whoever runs this can add it": {
		{"import requests\nrequests.get('https://example.com/a')",
			`no rule allows GET https://example.com/a: whoever runs ` +
				`this can add one with --allow 'GET https://example.com/a'`},
	},
	"There are no cookies": {{"import requests\n'set-cookie' in requests.get('HOST').headers", `^False$`}},
	`Secrets are put in outside of the sandbox: use these variables in a header ` +
		`or in the query, as if they had the values: os.environ["TOKEN"] for 127.0.0.1`: {
		{"import os, requests\nrequests.get('HOST/a', headers={'Authorization': 'Bearer ' + os.environ['TOKEN']}).text",
			`^'GET /a True Bearer secret-TOKEN-is-put-in-outside'$`},
	},
}

func TestNetworkDescription(t *testing.T) {
	r, packages := newRegistry(t), pythontest.Packages(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "a=b")
		given := r.Header.Get("Authorization")
		fmt.Fprintf(w, "%s %s %s %s", r.Method, r.URL.Path, map[bool]string{true: "True",
			false: "False"}[given == "Bearer the-secret-itself"], given)
	}))
	t.Cleanup(server.Close)
	rule, err := network.ParseRule(server.URL + "/**")
	require.NoError(t, err)
	gate, err := egress.New(egress.Options{Policy: &network.Policy{Rules: []network.Rule{rule},
		Secrets: []network.Secret{{Name: "TOKEN", Value: "the-secret-itself", Hosts: []string{"127.0.0.1"},
			Plain: true}}}})
	require.NoError(t, err)
	t.Cleanup(gate.Close)
	env := newEnv(t)
	env.Selection.Network = gate
	definitions, err := r.Definitions(tool.Anthropic, env.Selection)
	require.NoError(t, err)
	found := 0
	for _, d := range definitions {
		if d.Name != python.Name {
			continue
		}
		require.NotContains(t, d.Description, "the-secret-itself")
		for _, sentence := range sentences(strings.ReplaceAll(d.Description, server.URL, "HOST"), packages) {
			for _, c := range networkClaims[sentence] {
				code := strings.ReplaceAll(c.code, "HOST", server.URL)
				require.Regexp(t, strings.ReplaceAll(c.want, "HOST", server.URL), run(t, r, env, code).Text(), code)
				found++
			}
			if networkClaims[sentence] == nil {
				require.Contains(t, claimsOf(packages), sentence)
			}
		}
	}
	require.Equal(t, 7, found)
}
