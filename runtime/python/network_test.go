package python_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/net/egress"
	"github.com/toolrun/toolrun/internal/net/egress/egresstest"
	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/runtime/python"
)

func internet(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/redirect":
		http.Redirect(w, r, "/echo", http.StatusFound)
	case "/redirects":
		http.Redirect(w, r, "/redirect", http.StatusMovedPermanently)
	case "/loop":
		http.Redirect(w, r, "/loop", http.StatusFound)
	case "/again":
		http.Redirect(w, r, "/echo", http.StatusTemporaryRedirect)
	case "/elsewhere":
		http.Redirect(w, r, "http://"+strings.Replace(r.Host, "127.0.0.1", "127.0.0.2", 1)+"/echo", http.StatusFound)
	case "/links":
		w.Header().Set("Link", `<http://a/?page=2>; rel="next", <http://a/?page=9>; rel=last; title="a; b"`)
	case "/missing":
		w.WriteHeader(404)
		fmt.Fprint(w, "none")
	case "/never":
		<-r.Context().Done()
	case "/large":
		_, _ = w.Write(make([]byte, 1e6))
	case "/latin":
		w.Header().Set("X-Latin", "\xe4"+r.Header.Get("X-Own"))
	case "/lines":
		fmt.Fprint(w, "a\nb\r\nc")
	default:
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(map[string]any{"method": r.Method, "url": r.URL.String(), "body": string(body),
			"type": r.Header.Get("Content-Type"), "own": r.Header.Get("X-Own"), "auth": r.Header.Get("Authorization")})
	}
}

func networkTo(t testing.TB, server *httptest.Server) network.Run {
	rule, err := network.ParseRule("* " + server.URL)
	require.NoError(t, err)
	gate, err := egress.New(egress.Options{Policy: &network.Policy{Rules: []network.Rule{rule}}})
	require.NoError(t, err)
	t.Cleanup(gate.Close)
	return gate.Run("test")
}

func TestNetwork(t *testing.T) {
	t.Parallel()
	needPython(t)
	server := httptest.NewServer(http.HandlerFunc(internet))
	t.Cleanup(server.Close)
	for name, test := range map[string]struct{ code, want string }{
		"urlopen": {`import urllib.request, json
with urllib.request.urlopen('BASE/a?b=c#d') as r:
    out = r.status, r.reason, r.headers['content-type'], r.getheader('Content-Type'), r.geturl(), json.load(r)['url']
out`, "(200, 'OK', 'application/json', 'application/json', 'BASE/a?b=c', '/a?b=c')"},
		"a request of urllib": {`import urllib.request, json
r = urllib.request.Request('BASE/a', data=b'x=1', headers={'X-Own': 'me'}, method='PUT')
d = json.loads(urllib.request.urlopen(r).read()); d['method'], d['body'], d['type'], d['own']`,
			"('PUT', 'x=1', 'application/x-www-form-urlencoded', 'me')"},
		"errors of urllib": {`import urllib.request, urllib.error
try: urllib.request.urlopen('BASE/missing')
except urllib.error.HTTPError as e: out = e.code, e.read()
out`, "(404, b'none')"},
		"bytes of headers": {`import requests, urllib.request
r = urllib.request.Request('BASE/latin', headers={'X-Own': 'ü'})
n = urllib.request.Request('BASE/latin', headers={'X-Own': 1})
out = [urllib.request.urlopen(r).headers['x-latin'], urllib.request.urlopen(n).headers['x-latin'],
    requests.get('BASE/latin', headers={'X-Own': b'\xfc'}).headers['x-latin']]
try: requests.get('BASE/latin', headers={'X-Own': '\u010a'})
except Exception as e: out.append(str(e))
out`, "['äü', 'ä1', 'äü', 'the header \"X-Own\" has a character above U+00FF: each stands for one byte']"},
		"redirects of urllib": {`import urllib.request
urllib.request.urlopen('BASE/redirect').geturl()`, "'BASE/echo'"},
		"urlretrieve": {`import urllib.request
urllib.request.urlopen('BASE/large').read().__len__()`, "1000000"},
		"what is not allowed": {`import urllib.request
urllib.request.urlopen('https://example.com/a')`,
			"urllib.error.URLError: <urlopen error no rule allows GET https://example.com/a: whoever runs this can " +
				"add one with --allow 'GET https://example.com/a'>"},
		"urlopen of ftp": {`import urllib.request
urllib.request.urlopen('ftp://example.com/a')`,
			"urllib.error.URLError: <urlopen error requests go to https: and http: only, not to ftp:>"},
		"requests": {`import requests
r = requests.get('BASE/a', params={'b': ['c', 'd'], 'e': None}, headers={'x-own': 'me'}, auth=('u', 'p'))
d = r.json()
r.status_code, r.ok, r.headers['CONTENT-TYPE'], d['url'], d['own'], d['auth'], r.encoding, bool(r), r.reason`,
			"(200, True, 'application/json', '/a?b=c&b=d', 'me', 'Basic dTpw', 'utf-8', True, 'OK')"},
		"bodies": {`import requests
[(d['body'], d['type']) for d in (
    requests.post('BASE', json={'a': 1}).json(), requests.put('BASE', data={'a': 'b c'}).json(),
    requests.patch('BASE', data='x').json())]`,
			`[('{"a": 1}', 'application/json'), ('a=b+c', 'application/x-www-form-urlencoded'), ('x', '')]`},
		"files": {`import requests, io
d = requests.post('BASE', files={'f': ('n.txt', b'content', 'text/plain')}, data={'a': 'b'}).json()
'filename="n.txt"' in d['body'], 'name="a"' in d['body'], d['type'].startswith('multipart/form-data; boundary=')`,
			"(True, True, True)"},
		"failures": {`import requests
r = requests.get('BASE/missing')
try: r.raise_for_status()
except requests.HTTPError as e: out = str(e), e.response.status_code
out`, "('404 Client Error: Not Found for url: BASE/missing', 404)"},
		"a session": {`import requests
with requests.Session() as s:
    s.headers['X-Own'] = 'me'
    d = s.get('BASE').json()['own']
d`, "'me'"},
		"redirects": {`import requests
r = requests.get('BASE/redirect'); n = requests.get('BASE/redirect', allow_redirects=False)
r.url, len(r.history), n.status_code, n.is_redirect`, "('BASE/echo', 1, 302, True)"},
		"streams": {`import requests
with requests.get('BASE/large', stream=True) as r: n = sum(len(c) for c in r.iter_content(8192))
n, list(requests.get('BASE/lines').iter_lines(decode_unicode=True)), list(
    requests.get('BASE/lines', stream=True).iter_lines(2))`,
			"(1000000, ['a', 'b', 'c'], [b'a', b'b', b'c'])"},
		"a timeout": {`import requests
try: requests.get('BASE/never', timeout=0.01)
except requests.exceptions.Timeout as e: out = str(e)
out`, "'there was no response after 0.01 seconds'"},
		"what requests cannot reach": {`import requests
try: requests.get('https://example.com')
except requests.exceptions.ConnectionError as e: out = str(e)
out`, "\"no rule allows GET https://example.com/: whoever runs this can add one with --allow 'GET " +
			"https://example.com/'\""},
		"no JSON": {`import requests
try: requests.get('BASE/lines').json()
except ValueError as e: out = type(e).__name__
out`, "'JSONDecodeError'"},
		"no URL": {`import requests
try: requests.get('example.com')
except requests.exceptions.MissingSchema as e: out = str(e)
out`, "\"Invalid URL 'example.com': No scheme supplied. Perhaps you meant https://example.com?\""},
		"a timeout of urllib": {`import urllib.request
try: urllib.request.urlopen('BASE/never', timeout=0.01)
except TimeoutError as e: out = str(e)
out`, "'timed out'"},
		"a space in a URL of urllib": {`import http.client, urllib.request
try: urllib.request.urlopen('BASE/a b')
except http.client.InvalidURL as e: out = str(e)
out`, `"URL can't contain control characters. '/a b' (found at least ' ')"`},
		"the history of redirects": {`import requests
r = requests.get('BASE/redirects')
[(h.status_code, h.url, h.is_permanent_redirect, len(h.history))
    for h in r.history], r.url, requests.get('BASE/redirect', allow_redirects=False).next.url`,
			"([(301, 'BASE/redirects', True, 0),\n  (302, 'BASE/redirect', False, 1)],\n 'BASE/echo', 'BASE/echo')"},
		"methods after redirects": {`import requests
[(d['method'], d['body'])
    for d in (requests.post('BASE/redirect', data='x').json(), requests.post('BASE/again', data='x').json())]`,
			"[('GET', ''), ('POST', 'x')]"},
		"redirects without end": {`import requests
try: requests.get('BASE/loop')
except requests.TooManyRedirects as e: out = str(e), e.response.status_code
out`, "('Exceeded 30 redirects.', 302)"},
		"redirects to what is not allowed": {`import requests
try: requests.get('BASE/elsewhere')
except requests.ConnectionError as e: out = 'no rule allows GET http://127.0.0.2' in str(e)
out`, "True"},
		"credentials after redirects": {`import requests
s, at = requests.Session(), 'http://a:80/'
[s.should_strip_auth(*urls) for urls in ((at, 'http://a/b'), (at, 'https://a/b'),
    (at, 'http://b/'), ('https://a/', at), ('http://a:8080', at))]`,
			"[False, False, True, True, True]"},
		"hooks": {`import requests
seen = []
requests.get('BASE/redirect', hooks={'response': 
    lambda r, *args, **kwargs: seen.append((r.status_code, kwargs['stream']))})
s = requests.Session()
s.hooks['response'].append(lambda r, *args, **kwargs: r.raise_for_status())
try: s.get('BASE/missing')
except requests.HTTPError as e: seen.append(e.response.status_code)
seen`, "[(302, False), (200, False), 404]"},
		"adapters": {`import requests
from requests.adapters import HTTPAdapter
class Own(HTTPAdapter):
    def send(self, request, **options):
        request.headers['X-Own'] = 'adapter'
        return super().send(request, **options)
s = requests.Session()
s.mount('BASE/own', Own())
s.get('BASE/own').json()['own'], s.get('BASE/other').json()['own']`, "('adapter', '')"},
		"a prepared request": {`import requests
s = requests.Session()
p = s.prepare_request(requests.Request('POST', 'BASE/a', json={'a': 1}))
p.headers['X-Own'] = 'me'
d = s.send(p).json(); p.method, p.path_url, p.headers['content-length'], d['body'], d['own']`,
			`('POST', '/a', '8', '{"a": 1}', 'me')`},
		"modules of requests": {`import requests.packages, urllib3
from requests.packages.urllib3.util.retry import Retry
urllib3.disable_warnings()
requests.codes.NOT_FOUND, requests.codes['teapot'], requests.utils.quote('a b'), \
    requests.cookies.RequestsCookieJar(), Retry is urllib3.Retry`,
			"(404, 418, 'a%20b', <RequestsCookieJar[]>, True)"},
		"links": {`import requests
requests.get('BASE/links').links`,
			"{'next': {'url': 'http://a/?page=2', 'rel': 'next'},\n 'last': {'url': 'http://a/?page=9', 'rel': " +
				"'last', 'title': 'a; b'}}"},
		"bad headers and schemes": {`import requests
out = []
for url, headers in (('BASE', {'a': 'b\nc'}), ('ftp://a', {}), ('BASE', {'a b\n': 'c'}), ('http://', {})):
    try: requests.get(url, headers=headers)
    except ValueError as e: out.append(type(e).__name__)
out`, "['InvalidHeader', 'InvalidSchema', 'InvalidHeader', 'InvalidURL']"},
		"a stream that was read": {`import requests
r = requests.get('BASE/lines', stream=True)
out = list(r.iter_content(100))
try: next(r.iter_content())
except requests.exceptions.StreamConsumedError: out.append('read')
out`, `[b'a\nb\r\nc', 'read']`},
		"names": {`[n for n in dir() if 'ool' in n]`, "[]"},
	} {
		t.Run(name, func(t *testing.T) {
			code := strings.ReplaceAll(test.code, "BASE", server.URL)
			result, err := interpreter.Run(t.Context(), code, &python.RunOptions{Network: networkTo(t, server)})
			text := result.Text
			if err != nil {
				lines := strings.Split(strings.TrimSpace(err.Error()), "\n")
				text = lines[len(lines)-1]
			}
			require.Equal(t, strings.ReplaceAll(test.want, "BASE", server.URL), text)
		})
	}
}

// TestRetries: an adapter makes requests again that fail, as often as it is told to, and no others.
func TestRetries(t *testing.T) {
	t.Parallel()
	needPython(t)
	for name, test := range map[string]struct {
		code, want string
		requests   int64
	}{
		"of a status":             {"s.get(BASE).text", "'at last'", 3},
		"that are too many":       {"failure(lambda: s.get(BASE + '/always'))", "'RetryError'", 4},
		"without an error":        {"retry(raise_on_status=False).get(BASE + '/always').status_code", "503", 4},
		"of a method with effect": {"s.post(BASE).status_code", "503", 1},
		"of all methods":          {"retry(allowed_methods=None).post(BASE).text", "'at last'", 3},
		"of a lost connection":    {"failure(lambda: s.get(BASE + '/lost'))", "'ConnectionError'", 4},
		"not by default":          {"requests.get(BASE).status_code", "503", 1},
		"of what is not allowed":  {"failure(lambda: s.get('http://127.0.0.2:1/'))", "'ConnectionError'", 0},
		"as the server says":      {"session(3).get(BASE + '/later').text", "'at last'", 3},
	} {
		t.Run(name, func(t *testing.T) {
			var made atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				n := made.Add(1)
				switch {
				case r.URL.Path == "/lost":
					panic(http.ErrAbortHandler)
				case r.URL.Path == "/later":
					w.Header().Set("Retry-After", "0")
				}
				if n <= 2 || r.URL.Path == "/always" {
					w.WriteHeader(http.StatusServiceUnavailable)
					return
				}
				fmt.Fprint(w, "at last")
			}))
			t.Cleanup(server.Close)
			result, err := interpreter.Run(t.Context(), `import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry
BASE = '`+server.URL+`'

def session(retries):
    s = requests.Session()
    s.mount('http://', HTTPAdapter(max_retries=retries))
    return s

def retry(**options):
    return session(Retry(total=3, backoff_factor=0.001, status_forcelist=[503], **options))

def failure(f):
    try: f()
    except requests.RequestException as e: return type(e).__name__

s = retry()
`+test.code, &python.RunOptions{Network: networkTo(t, server)})
			require.NoError(t, err)
			require.Equal(t, test.want, result.Text)
			require.Equal(t, test.requests, made.Load())
		})
	}
}

func TestEnvironment(t *testing.T) {
	result := run(t, "import os\nos.environ['A'], os.environ['B'], 'PYTHONHASHSEED' in os.environ",
		python.RunOptions{Environment: map[string]string{"A": "x", "B": "ü"}})
	require.Equal(t, "('x', 'ü', False)", result.Text)
}

// TestNetworkIsStopped: the end of a run ends its requests.
func TestNetworkIsStopped(t *testing.T) {
	needPython(t)
	begun, ended := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(begun)
		<-r.Context().Done()
		close(ended)
	}))
	t.Cleanup(server.Close)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	_, err := interpreter.Run(ctx, "import requests\nrequests.get('"+server.URL+"')",
		&python.RunOptions{Network: networkTo(t, server)})
	require.ErrorIs(t, err, context.Canceled)
	<-ended
}

// TestRequestsCannotReachInward has attacks by addresses and redirects, for both modules.
func TestRequestsCannotReachInward(t *testing.T) {
	t.Parallel()
	needPython(t)
	urls, err := json.Marshal(egresstest.Trapped())
	require.NoError(t, err)
	result, err := interpreter.Run(t.Context(), `import json, requests, urllib.request
got = []
for url in json.loads(`+strconv.QuoteToASCII(string(urls))+`):
    for get in lambda u: urllib.request.urlopen(u).read().decode(), lambda u: requests.get(u).text:
        try: got.append(get(url))
        except (OSError, ValueError): got.append('refused')
len(got), got[0], got[1], sorted(set(got))`, &python.RunOptions{Network: egresstest.Trap(t)})
	require.NoError(t, err)
	require.Equal(t, fmt.Sprintf("(%d, 'public', 'public', ['public', 'refused'])", 2*len(egresstest.Trapped())),
		result.Text)
}
