package javascript_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// asked is a function of scripts that makes a request and returns the response's status, its text, and what went wrong.
const asked = `const http = require('http'), https = require('https');
	const ask = (make) => new Promise((resolve) => make((res) => {
		let text = '';
		res.setEncoding('utf8').on('data', (part) => { text += part }).on('end',
			() => resolve(res.statusCode + ' ' + text)).on('error', (e) => resolve(e.code + ': ' + e.message));
	}).on('error', (e) => resolve(e.code + ': ' + e.message)));
	`

// TestHTTP: requests of http and https, beside those that .ci/suites compares with Node's.
func TestHTTP(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ script, want string }{
		"get": {`return ask((f) => http.get(base + '/a?b', f))`, `201 GET /a?b  "" `},
		"options": {
			`const { hostname, port } = new URL(base);
				return ask((f) => http.get({ host: hostname, port, path: '/o' }, f))`,
			`201 GET /o  "" `,
		},
		"post": {`return ask((f) => http.request(base,
			{ method: 'post', headers: { 'content-type': 'text/plain', 'x-own': 'me' } }, f).end('x'))`,
			`201 POST / me "x" text/plain`},
		"many writes": {
			`return ask((f) => { const r = http.request(base, { method: 'PUT' }, f);
				r.write('a'); r.write('b', () => r.end('c')); return r })`,
			`201 PUT /  "abc" `,
		},
		"large": {`return (await ask((f) => http.get(base + '/large', f))).length`, "1000004"},
		"redirects are not followed": {
			`return ask((f) => http.get(base + '/redirect', (res) => { console.log(res.headers.location); f(res) }))`,
			"302 <a href=\"/json\">Found</a>.\n\n"},
		"what no rule allows": {`return ask((f) => https.get('https://example.com/a', f))`,
			"denied: no rule allows GET https://example.com/a: whoever runs this can add one with --allow 'GET " +
				"https://example.com/a'"},
		"a host in the path": {`return ask((f) => http.get(base, { path: '//example.com/a' }, f))`,
			`201 GET //example.com/a  "" `},
		"a host in place of it": {`return ask((f) => http.get(base, { path: 'http://example.com/a' }, f))`,
			`201 GET /http://example.com/a  "" `},
		"a header Host": {`return ask((f) => http.get(base, { headers: { host: 'example.com' } }, f))`,
			`201 GET /  "" `},
		"two lines in a header": {
			`return ask((f) => http.get(base, { headers: { a: 'b\r\nc: d' } }, f)).catch((e) => e.code)`,
			"ERR_INVALID_CHAR",
		},
		"the same, unseen": {
			`return ask((f) => { const r = http.request(base, f); r.getHeaders = () => ({ host: 'x\r\ny' });
				return r.end() })`,
			"invalid: the header host has a line break or another control character",
		},
		"a host with more in it": {`http.get({ host: 'example.com/?', port: 80 })`,
			`Error: "example.com/?" is not the name of a host`},
		"a body where none can be": {`return ask((f) => http.request(base, f).end('x'))`,
			"invalid: a request with the method GET has no body"},
		"cut off": {`return ask((f) => http.get(base + '/short', f))`,
			"ECONNRESET: HOST: the response ended too early, or is damaged"},
		"servers": {`http.createServer(() => {}).listen(80)`,
			"Error: http.createServer is not available: nothing can connect to code here, which can only make " +
				"requests; to test a handler, call it with a request of its own"},
		"nobody listens": {`http.get('https://example.com')`,
			`TypeError: Protocol "https:" not supported. Expected "http:"`},
		"nobody hears errors": {`https.get('https://example.com/a')`, "Uncaught Error: no rule allows GET " +
			"https://example.com/a: whoever runs this can add one with --allow 'GET https://example.com/a'"},
		"their names": {`return [http.get.name, Object.keys(https).join()].join()`,
			"get,Agent,globalAgent,request,get,createServer,Server"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(internet))
			t.Cleanup(server.Close)
			result, err := engine.Run(t.Context(), asked+test.script, &javascript.RunOptions{
				Network: networkTo(t, server, network.Limits{}), Globals: map[string]any{"base": server.URL},
			})
			text := result.Text
			if err != nil {
				text, _, _ = strings.Cut(err.Error(), "\n")
			}
			require.Equal(t, test.want, addressOfServer.ReplaceAllString(text, "HOST"))
		})
	}
	result, err := engine.Run(t.Context(), asked+`return ask((f) => https.get('https://example.com', f))`, nil)
	require.NoError(t, err)
	require.Equal(t, "denied: there is no network here: whoever runs this can allow hosts, as in --allow 'GET "+
		"https://example.com/**'", result.Text)
}
