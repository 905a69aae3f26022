package egress_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/net/egress"
	"github.com/toolrun/toolrun/internal/net/egress/egresstest"
	"github.com/toolrun/toolrun/internal/test/leakcheck"
	"github.com/toolrun/toolrun/network"
)

var soak = flag.Bool("soak", false, "run the long versions of tests")

// everywhere are rules that would allow any host, if it were public.
var everywhere = []string{"* https://*", "* http://*"}

// TestInward tries to reach the machine itself and what is near it. No connection may be made.
func TestInward(t *testing.T) {
	inner := egresstest.Inward()
	require.Greater(t, len(inner), 100)
	i := newInternet(t)
	i.name("loop.example", "127.0.0.1")
	i.name("loop6.example", "::1")
	i.name("mapped.example", "::ffff:10.0.0.1")
	i.name("private.example", "192.168.0.1")
	i.name("half.example", "93.184.216.34 10.0.0.1")
	i.name("half6.example", "93.184.216.34 fd00::1")
	i.name("zero.example", "0.0.0.0")
	i.name("cloud.example", "169.254.169.254")
	i.name("teredo.example", "2001:0:53aa:64c::1")
	i.name("sixtofour.example", "2002:7f00:1::")
	i.name("nat64.example", "64:ff9b::7f00:1")
	i.name("cloud6.example", "fd00:ec2::254")
	i.name("overlay.example", "200::1")
	i.name("127.0.0.1.nip.example", "127.0.0.1")
	i.name("public.example", "93.184.216.34")
	i.name("localhost", "127.0.0.1")
	i.name("a.localhost", "127.0.0.1")
	g := i.gate(network.Policy{Rules: rules(t, everywhere...)})
	for _, address := range inner {
		_, _, err := get(t, g, address)
		require.Error(t, err, address)
		e := err.(*network.Error)
		require.Contains(t, []network.Kind{network.KindDenied, network.KindAddress, network.KindNetwork,
			network.KindInvalid}, e.Kind, address)
	}
	require.Empty(t, i.connections())
}

// TestThisMachine has public addresses that are those of this machine: what listens there may be for the machine
// itself, whatever a firewall keeps from others.
func TestThisMachine(t *testing.T) {
	i := newInternet(t)
	i.name("this.example", "93.184.216.34")
	i.name("this6.example", "2606:4700::34")
	i.name("half.example", "93.184.216.35 2606:4700::34")
	i.name("other.example", "93.184.216.35")
	for _, address := range []string{"93.184.216.34:80", "93.184.216.35:80"} {
		i.serve(address, func(w http.ResponseWriter, r *http.Request) {
			if to := r.URL.Query().Get("to"); to != "" {
				w.Header().Set("Location", to)
				w.WriteHeader(http.StatusFound)
			}
			_, _ = io.WriteString(w, "reached")
		})
	}
	policy := network.Policy{Rules: rules(t, everywhere...)}
	gate := func() *egress.Gate {
		own := func(a netip.Addr) bool { return a.String() == "93.184.216.34" || a.String() == "2606:4700::34" }
		g, err := egress.New(egress.Options{Policy: &policy, Resolve: i.resolve, Dial: i.dial, Own: own})
		require.NoError(t, err)
		t.Cleanup(g.Close)
		return g
	}
	for _, address := range []string{
		"http://this.example/", "http://THIS.example/", "http://this6.example/", "http://half.example/",
		"http://other.example/?to=http://this.example/",
	} {
		_, _, err := get(t, gate(), address)
		requireKind(t, err, network.KindAddress)
	}
	require.Equal(t, []string{"93.184.216.35:80"}, i.connections())

	policy.Reachable = []netip.Prefix{netip.MustParsePrefix("93.184.216.32/30")}
	_, body, err := get(t, gate(), "http://this.example/")
	require.NoError(t, err)
	require.Equal(t, "reached", body)
	policy = network.Policy{Rules: rules(t, "http://93.184.216.34")}
	_, body, err = get(t, gate(), "http://93.184.216.34/")
	require.NoError(t, err)
	require.Equal(t, "reached", body)
}

func TestIsOwn(t *testing.T) {
	addresses, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, address := range addresses {
		prefix, err := netip.ParsePrefix(address.String())
		require.NoError(t, err)
		require.True(t, egress.IsOwn(prefix.Addr()), address)
	}
	for _, address := range []string{"93.184.216.34", "2606:4700::34", "192.0.2.1"} {
		require.False(t, egress.IsOwn(netip.MustParseAddr(address)), address)
	}
}

// TestLookAlikes of the host of a rule are other hosts, and are refused.
func TestLookAlikes(t *testing.T) {
	i := newInternet(t)
	g := i.gate(network.Policy{Rules: rules(t, "* https://example.com", "* https://*.example.org")})
	for _, address := range []string{
		"https://\u0435xample.com/", "https://ex\u0430mple.com/", "https://xn--xample-2of.com/", "https://examp1e.com/",
		"https://example.com./",
		"https://example.com.evil.test/", "https://evil.test/example.com", "https://evil.test#example.com",
		"https://evil.test?@example.com",
		"https://example.com@evil.test/", "https://example.com%2eevil.test/", "https://example.com\\@evil.test/",
		"https://evilexample.com/",
		"https://example.com:444/", "http://example.com/", "https://example.org/", "https://a.example.org.evil.test/",
		"https://evilexample.org/",
		"https://a\u2024example.org/", "https://example\u00b7com/",
	} {
		_, _, err := get(t, g, address)
		require.Error(t, err, address)
		if e := err.(*network.Error); e.Kind != network.KindInvalid && e.Kind != network.KindNetwork {
			require.Equal(t, network.KindDenied, e.Kind, address)
		}
	}
	require.Empty(t, i.connections())
}

// TestSecretsThatAreNotFound has what SECURITY.md says: a server that wants to can hand a secret back.
func TestSecretsThatAreNotFound(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	const value = "s3cr3t-token"
	turned := []byte(value)
	slices.Reverse(turned)
	answers := []string{string(turned), value[:6] + " " + value[6:],
		base64.StdEncoding.EncodeToString([]byte(base64.StdEncoding.EncodeToString([]byte(value)))),
		strings.ToUpper(value), fmt.Sprint([]byte(value)),
		strings.Join(strings.Split(value, ""), "\x00")} // UTF-16
	i.serve("93.184.216.34:443", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Join(answers, "\n"))
	})
	secret := network.Secret{Name: "KEY", Value: value, Hosts: []string{"a.example"}}
	g := i.gate(network.Policy{Rules: rules(t, everywhere...), Secrets: []network.Secret{secret}})
	_, body, err := get(t, g, "https://a.example/", network.Field{Name: "Authorization", Value: secret.Placeholder()})
	require.NoError(t, err)
	require.Equal(t, strings.Join(answers, "\n"), body)
}

// TestAnswersThatChange: what was checked is what is dialled, and a later connection is checked again.
func TestAnswersThatChange(t *testing.T) {
	i := newInternet(t)
	i.name("change.example", "93.184.216.34", "127.0.0.1")
	i.serve("93.184.216.34:80", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
		_, _ = io.WriteString(w, "outside")
	})
	i.serve("127.0.0.1:80", func(http.ResponseWriter, *http.Request) { t.Error("reached") })
	g := i.gate(network.Policy{Rules: rules(t, everywhere...)})
	_, body, err := get(t, g, "http://change.example/")
	require.NoError(t, err)
	require.Equal(t, "outside", body)
	_, _, err = get(t, g, "http://change.example/")
	requireKind(t, err, network.KindAddress)
	require.Equal(t, []string{"93.184.216.34:80"}, i.connections())
}

func TestRedirects(t *testing.T) {
	i := newInternet(t)
	i.name("a.example.com", "93.184.216.34")
	i.name("b.example.com", "93.184.216.35")
	i.name("loop.example.com", "127.0.0.1")
	i.name("elsewhere.test", "93.184.216.36")
	var seen atomic.Pointer[http.Request]
	i.serve("93.184.216.34:443", func(w http.ResponseWriter, r *http.Request) {
		if query := r.URL.Query(); query.Has("empty") && r.Method == http.MethodPost {
			w.Header().Set("Location", "")
			w.WriteHeader(http.StatusFound)
			return
		} else if query.Has("nowhere") {
			w.WriteHeader(http.StatusFound)
			return
		}
		if to := r.URL.Query().Get("to"); to != "" {
			status := 302
			_, _ = fmt.Sscan(r.URL.Query().Get("status"), &status)
			w.Header().Set("Location", to)
			w.WriteHeader(status)
			return
		}
		seen.Store(r)
		_, _ = io.WriteString(w, "a")
	})
	i.serve("93.184.216.35:443", func(w http.ResponseWriter, r *http.Request) {
		seen.Store(r)
		_, _ = io.WriteString(w, "b")
	})
	i.serve("93.184.216.35:80", func(http.ResponseWriter, *http.Request) { t.Error("reached without TLS") })
	g := i.gate(network.Policy{Rules: rules(t, "* https://*.example.com", "* http://*.example.com",
		"https://elsewhere.test/only")})
	to := func(to, more string) string { return "https://a.example.com/?to=" + url.QueryEscape(to) + more }
	for address, kind := range map[string]network.Kind{
		to("http://127.0.0.1/", ""):             network.KindRedirect,
		to("https://127.0.0.1/", ""):            network.KindDenied,
		to("https://loop.example.com/", ""):     network.KindAddress,
		to("http://b.example.com/", ""):         network.KindRedirect,
		to("file:///etc/passwd", ""):            network.KindRedirect,
		to("ftp://a.example.com/", ""):          network.KindRedirect,
		to("javascript:1", ""):                  network.KindRedirect,
		to("https://elsewhere.test/more", ""):   network.KindDenied,
		to("https://nosuch.test/", ""):          network.KindDenied,
		to("https://user:p@b.example.com/", ""): network.KindRedirect,
		to("https://[/", ""):                    network.KindRedirect,
	} {
		_, _, err := get(t, g, address)
		requireKind(t, err, kind)
	}
	i.serve("93.184.216.36:443", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/only", http.StatusFound)
	})
	_, _, err := get(t, g, "https://elsewhere.test/only")
	requireKind(t, err, network.KindLimit)

	run := g.Run("test")
	response, body, err := do(t, run, &network.Request{Method: "post", URL: to("https://b.example.com/x", ""),
		Body: []byte("text"),
		Header: []network.Field{{Name: "Authorization", Value: "mine"}, {Name: "X-Other", Value: "kept"},
			{Name: "Content-Type", Value: "text/plain"}}})
	require.NoError(t, err)
	require.Equal(t, "b", body)
	require.True(t, response.Redirected)
	require.Equal(t, "https://b.example.com/x", response.URL)
	require.Equal(t, "GET", seen.Load().Method)
	require.Empty(t, seen.Load().Header.Get("Authorization"), "it was for another host")
	require.Empty(t, seen.Load().Header.Get("Content-Type"))
	require.Equal(t, "kept", seen.Load().Header.Get("X-Other"))
	_, _, err = do(t, run, &network.Request{Method: "POST", URL: to("/again", "&status=307"), Body: []byte("text"),
		Header: []network.Field{{Name: "Authorization", Value: "mine"}}})
	require.NoError(t, err)
	require.Equal(t, "POST", seen.Load().Method)
	require.Equal(t, "mine", seen.Load().Header.Get("Authorization"))
	response, _, err = do(t, run, &network.Request{URL: to("https://127.0.0.1/", ""), Redirect: "manual"})
	require.NoError(t, err)
	require.Equal(t, 302, response.Status)
	_, _, err = do(t, run, &network.Request{URL: to("/again", ""), Redirect: "error"})
	requireKind(t, err, network.KindRedirect)

	const empty, nowhere = "https://a.example.com/?empty=1", "https://a.example.com/?nowhere=1"
	response, body, err = do(t, run, &network.Request{Method: "POST", URL: empty, Body: []byte("text")})
	require.NoError(t, err)
	require.Equal(t, "a", body)
	require.True(t, response.Redirected)
	require.Equal(t, empty, response.URL, "an empty Location is relative to the URL")
	require.Equal(t, "GET", seen.Load().Method)
	response, _, err = do(t, run, &network.Request{Method: "POST", URL: empty, Redirect: "manual"})
	require.NoError(t, err)
	require.Equal(t, 302, response.Status)
	response, _, err = do(t, run, &network.Request{URL: nowhere})
	require.NoError(t, err, "without a Location, the redirect is the response")
	require.Equal(t, 302, response.Status)
	for _, address := range []string{empty, nowhere} {
		_, _, err = do(t, run, &network.Request{Method: "POST", URL: address, Redirect: "error"})
		requireKind(t, err, network.KindRedirect)
	}
}

// TestSmuggling: what is in a request cannot become another request, or one to another host.
func TestSmuggling(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	var seen atomic.Pointer[http.Request]
	var bodies atomic.Int64
	i.serve("93.184.216.34:80", func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		bodies.Add(int64(len(data)))
		seen.Store(r)
	})
	g := i.gate(network.Policy{Rules: rules(t, everywhere...)})
	for _, request := range []network.Request{
		{URL: "http://a.example/", Method: "GET /x HTTP/1.1\r\nHost: evil\r\n\r\nGET"},
		{URL: "http://a.example/", Method: "CONNECT"}, {URL: "http://a.example/", Method: "trace"},
		{URL: "http://a.example/", Method: "Track"},
		{URL: "http://a.example/", Header: []network.Field{{Name: "X", Value: "a\r\nHost: evil"}}},
		{URL: "http://a.example/", Header: []network.Field{{Name: "X", Value: "a\nb"}}},
		{URL: "http://a.example/", Header: []network.Field{{Name: "X", Value: "a\x00b"}}},
		{URL: "http://a.example/", Header: []network.Field{{Name: "X: y\r\nHost", Value: "evil"}}},
		{URL: "http://a.example/", Header: []network.Field{{Name: "", Value: "x"}}},
		{URL: "http://a.example/", Header: []network.Field{{Name: "Host ", Value: "x"}}},
		{URL: "http://user:secret@a.example/"}, {URL: "http://@:80/"}, {URL: "gopher://a.example/"}, {URL: "http:///"},
		{URL: "http://"}, {URL: "/"}, {URL: ""},
		{URL: "http://a.example/", Method: "GET", Body: []byte("x")},
		{URL: "http://a.example:99999/"}, {URL: "http://a.exa mple/"}, {URL: "http://a.example%0d%0aHost:evil/"},
		{URL: "data:,x"}, {URL: "file:///etc/passwd"},
	} {
		_, _, err := do(t, g.Run("test"), &request)
		requireKind(t, err, network.KindInvalid)
	}
	require.Empty(t, i.connections())

	_, _, err := do(t, g.Run("test"), &network.Request{URL: "http://a.example/a\r\n b?x\ty", Method: "PUT",
		Body: []byte("12345"), Header: []network.Field{
			{Name: "Host", Value: "evil.example"}, {Name: "Content-Length", Value: "1"}, {Name: "Transfer-Encoding",
				Value: "chunked"}, {Name: "Connection", Value: "X-Mine"}, {Name: "Upgrade", Value: "h2c"},
			{Name: "Cookie", Value: "a=b"}, {Name: "Proxy-Authorization", Value: "x"},
			{Name: "Sec-Fetch-Site", Value: "x"}, {Name: "TE", Value: "trailers"},
			{Name: "Expect", Value: "100-continue"}, {Name: "Accept-Encoding", Value: "br"},
			{Name: "X-Mine", Value: "kept"}, {Name: "User-Agent", Value: "own"},
		}})
	require.NoError(t, err)
	r := seen.Load()
	require.Equal(t, "a.example", r.Host)
	require.Equal(t, "/a%20b?xy", r.RequestURI, "line breaks and tabs are not part of URLs")
	require.EqualValues(t, 5, r.ContentLength)
	require.EqualValues(t, 5, bodies.Load())
	require.Equal(t, http.Header{"X-Mine": {"kept"}, "User-Agent": {"own"}, "Accept": {"*/*"},
		"Accept-Encoding": {"gzip, deflate"},
		"Content-Length":  {"5"}}, r.Header)

	_, _, err = do(t, g.Run("test"), &network.Request{URL: "http://a.example/",
		Header: []network.Field{{Name: "Range", Value: "bytes=1-2"}}})
	require.NoError(t, err)
	require.Equal(t, "identity", seen.Load().Header.Get("Accept-Encoding"),
		"a part of what is compressed cannot be decompressed")
}

// TestOverrides: no header makes a server that goes by it take the request for one that no rule allows.
func TestOverrides(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	var seen atomic.Pointer[http.Request]
	i.serve("93.184.216.34:80", func(_ http.ResponseWriter, r *http.Request) { seen.Store(r) })
	g := i.gate(network.Policy{Rules: rules(t, "GET,POST http://a.example/public/**", "PUT http://a.example/public/x")})
	const address = "http://a.example/public/y"
	for _, name := range []string{"X-HTTP-Method-Override", "x-http-method", "X-Method-Override",
		"X_HTTP_Method_Override",
		"x.http.method", "X-Method_Override", "X-Forwarded-Method", "X_Forwarded_Method", "X-Original-Method",
		"X-Rewrite-Method",
		"X-Override-Method", "Method", "_method", "X-HTTP-Verb", "XHTTPMethodOverride", "X~Http!Method"} {
		for _, value := range []string{"DELETE", "delete", " Delete ", "GET, DELETE", "DELETE,GET", "PUT",
			"get,,mkcol"} {
			_, _, err := get(t, g, address, network.Field{Name: name, Value: value})
			requireKind(t, err, network.KindDenied)
			_, _, err = get(t, g, address, network.Field{Name: name, Value: "GET"}, network.Field{Name: name,
				Value: value})
			requireKind(t, err, network.KindDenied)
			run := g.Run("test")
			own := rules(t, "GET http://a.example/**")
			post := []network.Field{{Name: name, Value: "POST"}}
			_, _, err = do(t, run, &network.Request{URL: address, Rules: own, Header: post})
			requireKind(t, err, network.KindDenied)
		}
		require.Nil(t, seen.Load(), "nothing was sent")
		for value, want := range map[string]string{
			"GET": "GET", "post": "post", "": "", "GETTRACE \"": "GETTRACE \"", // the last one is no method
			"TRACE": "", "GET,track ": "", "connect": "", // as browsers do
		} {
			_, _, err := get(t, g, address, network.Field{Name: name, Value: value})
			require.NoError(t, err, value)
			require.Equal(t, want, seen.Load().Header.Get(name), value)
		}
		_, _, err := get(t, g, "http://a.example/public/x", network.Field{Name: name, Value: "PUT"})
		require.NoError(t, err)
		seen.Store(nil)
	}
	for _, name := range []string{
		"X-Original-URL", "x-rewrite-url", "X-Forwarded-Host", "X-Forwarded-Server", "Forwarded", "X-Host",
		"X-Original-Host", "X-HTTP-Host-Override", "X-Forwarded-Prefix", "X-Forwarded-Path", "X-Forwarded-Uri",
		"X-Original-URI",
		"X_Original_URL", "X_Rewrite_URL", "X_Forwarded_Host", "x.original.url", "X-Original_URL", "X~Original~URL",
		"X_Host",
		"XOriginalURL", "X-Override-URL", "X_Override_URL", "X-Forwarded-For", "X-Forwarded-Proto", "X_Forwarded_Port",
		"X-Forwarded", "X-Forward-Host", "Forwarded-Host", "X-Envoy-Original-Path", "X-Original-Authority",
		"X-WAWS-Unencoded-URL", "X-Replaced-Path", "X-HTTP-DestinationURL", "X-Proxy-URL", "Base-Url", "Request-Uri",
		"X-URL",
		"X-Script-Name", "Destination", "destination",
		"Transfer_Encoding", "Content_Length", "Transfer.Encoding", "Keep_Alive", "Proxy", "Proxy_Authorization",
		"Sec_Fetch_Site",
		"HTTP2-Settings", "HTTP2_Settings", "Accept_Encoding",
	} {
		_, _, err := get(t, g, address, network.Field{Name: name, Value: "/admin"})
		require.NoError(t, err)
		for have, values := range seen.Load().Header {
			require.NotContains(t, values, "/admin", "%s: %s", name, have)
		}
	}
	for _, name := range []string{"X-Payment-Method", "X-Original-Filename", "X-Request-ID", "X-API-Path-Root",
		"Prefix", "X_Mine"} {
		_, _, err := get(t, g, address, network.Field{Name: name, Value: "/admin"})
		require.NoError(t, err)
		require.Contains(t, seen.Load().Header, http.CanonicalHeaderKey(name))
	}
	seen.Store(nil)
	for query, denied := range map[string]bool{
		"_method=DELETE": true, "x=1&_method=delete": true, "_Method=%44elete": true, "%5fmethod=DELETE": true,
		"x;_method=DELETE":  true,
		"_HttpMethod=PATCH": true, "x-http-method-override=DELETE": true, "X_HTTP_METHOD=DELETE": true,
		"method=delete": true,
		"_method=POST":  false, "_method=": false, "method=flickr.photos.search": false, "payment_method=delete": false,
		"method=%zz": false, "q=_method=DELETE": false,
	} {
		_, _, err := get(t, g, address+"?"+query)
		if denied {
			requireKind(t, err, network.KindDenied)
			require.Nil(t, seen.Load(), query)
			continue
		}
		require.NoError(t, err, query)
		seen.Store(nil)
	}
}

// TestDestination: a request that names another address, as WebDAV does, needs a rule for that, too.
func TestDestination(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	var seen atomic.Pointer[http.Request]
	i.serve("93.184.216.34:80", func(w http.ResponseWriter, r *http.Request) {
		seen.Store(r)
		if r.URL.Path == "/public/moved" {
			http.Redirect(w, r, "http://other.example/", http.StatusTemporaryRedirect)
		}
	})
	i.name("other.example", "93.184.216.35")
	i.serve("93.184.216.35:80", func(_ http.ResponseWriter, r *http.Request) { seen.Store(r) })
	g := i.gate(network.Policy{Rules: rules(t, "MOVE http://a.example/public/**", "MOVE http://other.example",
		"GET http://a.example")})
	for _, test := range []struct{ url, destination, want string }{
		{"http://a.example/public/x", "http://a.example/public/y", "http://a.example/public/y"},
		{"http://a.example/public/x", "/public/a b", "http://a.example/public/a%20b"},
		{"http://a.example/public/x", "http://other.example/y", "http://other.example/y"},
		{"http://a.example/public/x", "http://a.example/admin", ""},
		{"http://a.example/public/x", "/public/../admin", ""},
		{"http://a.example/public/x", "/public/..%2fadmin", ""},
		{"http://a.example/public/x", "http://evil.example/public/x", ""},
		{"http://a.example/public/x", "http://", ""},
		{"http://a.example/public/moved", "/public/y", "http://other.example/public/y"},
	} {
		_, _, err := do(t, g.Run("test"), &network.Request{URL: test.url, Method: "MOVE",
			Header: []network.Field{{Name: "Destination", Value: test.destination}}})
		require.NoError(t, err)
		require.Equal(t, test.want, seen.Load().Header.Get("Destination"), test)
	}
}

func TestEndlessResponses(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	bomb := func(compress func(io.Writer) io.WriteCloser) []byte {
		var b bytes.Buffer
		w := compress(&b)
		_, err := io.CopyN(w, zeros{}, 8<<20)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return b.Bytes()
	}
	gzipped := bomb(func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	deflated := bomb(func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) })
	i.serve("93.184.216.34:80", func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/endless":
			_, _ = io.Copy(w, zeros{})
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(gzipped)
		case "/deflate":
			w.Header().Set("Content-Encoding", "deflate")
			_, _ = w.Write(deflated)
		case "/damaged":
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write(gzipped[:200])
		case "/headers":
			for n := range 10_000 {
				w.Header().Set(fmt.Sprint("X-", n), strings.Repeat("x", 100))
			}
		case "/short":
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("short"))
		}
	})
	i.raw("93.184.216.34:81", strings.Repeat("no http ", 100_000))
	i.raw("93.184.216.34:82", "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 10<<20))
	i.raw("93.184.216.34:83", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx")
	i.raw("93.184.216.34:84", "")
	g := i.gate(network.Policy{Rules: rules(t, append(everywhere, "http://a.example:81", "http://a.example:82",
		"http://a.example:83", "http://a.example:84")...),
		Limits: network.Limits{ResponseSize: 1 << 18}})
	for path, kind := range map[string]network.Kind{
		"/endless": network.KindLimit, "/gzip": network.KindLimit, "/deflate": network.KindLimit,
		"/damaged": network.KindNetwork, "/headers": network.KindLimit,
		"/short": network.KindNetwork, ":81/": network.KindLimit, ":82/": network.KindLimit,
		":83/": network.KindNetwork, ":84/": network.KindNetwork,
	} {
		_, body, err := get(t, g, "http://a.example"+path)
		requireKind(t, err, kind)
		require.LessOrEqual(t, len(body), 1<<18, path)
	}
}

// TestCompressedNothing: what has no end in compressed form is bounded even if nothing comes out of it.
func TestCompressedNothing(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	var empty bytes.Buffer
	require.NoError(t, gzip.NewWriter(&empty).Close())
	incompressible := make([]byte, 1<<18)
	_, err := rand.NewChaCha8([32]byte{}).Read(incompressible)
	require.NoError(t, err)
	i.serve("93.184.216.34:80", func(w http.ResponseWriter, r *http.Request) {
		coding, what := r.URL.Query().Get("coding"), []byte{}
		w.Header().Set("Content-Encoding", coding)
		switch r.URL.Path {
		case "/most":
			z := gzip.NewWriter(w)
			_, _ = z.Write(incompressible)
			_ = z.Close()
			return
		case "/members":
			what = empty.Bytes()
		case "/blocks": // each stored, and of no bytes
			what = []byte{0, 0, 0, 0xff, 0xff}
			if coding == "gzip" {
				_, _ = w.Write(empty.Bytes()[:10])
			}
		}
		for err := error(nil); err == nil; {
			_, err = w.Write(bytes.Repeat(what, 1000))
		}
	})
	limits := network.Limits{ResponseSize: int64(len(incompressible))}
	g := i.gate(network.Policy{Rules: rules(t, everywhere...), Limits: limits})
	for _, path := range []string{"/members?coding=gzip", "/blocks?coding=gzip", "/blocks?coding=deflate"} {
		_, body, err := get(t, g, "http://a.example"+path)
		require.EqualError(t, err, "a.example: the response has more than 262144 bytes", path)
		require.Empty(t, body)
	}
	_, body, err := get(t, g, "http://a.example/most?coding=gzip")
	require.NoError(t, err, "it is larger than allowed only in compressed form")
	require.Len(t, body, len(incompressible))
	g = i.gate(network.Policy{Rules: rules(t, everywhere...), Limits: network.Limits{ResponseSize: math.MaxInt64}})
	_, body, err = get(t, g, "http://a.example/most?coding=gzip")
	require.NoError(t, err)
	require.Len(t, body, len(incompressible))
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestSecrets: code has placeholders, hosts of the secret get the secret, and nobody else.
func TestSecrets(t *testing.T) {
	const value = `s3cr3t/+"value"&more`
	i := newInternet(t)
	i.name("api.example", "93.184.216.34")
	i.name("other.example", "93.184.216.35")
	echo := func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/echo":
			for name, values := range r.Header {
				w.Header()["X-"+name] = values
			}
			everything, _ := json.Marshal(map[string]any{"header": r.Header, "url": r.URL.String(),
				"query": r.URL.Query()})
			_, _ = w.Write(everything)
			_, _ = io.WriteString(w, "\n"+r.Header.Get("Authorization")+"\n"+r.URL.RawQuery)
			for n := range 3 {
				_, _ = io.WriteString(w, "\n"+base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", n)+
					value+"yy")))
				_, _ = io.WriteString(w, "\n"+base64.URLEncoding.EncodeToString([]byte(strings.Repeat("x", n)+
					value+"yy")))
			}
			_, _ = io.WriteString(w, "\n"+hex.EncodeToString([]byte(value))+"\n"+
				strings.ToUpper(hex.EncodeToString([]byte(value))))
			for _, part := range strings.SplitAfter("\n"+value, "") { // byte by byte
				_, _ = io.WriteString(w, part)
				w.(http.Flusher).Flush()
			}
		case "/to-other":
			http.Redirect(w, r, "https://other.example/echo?key="+url.QueryEscape(value), http.StatusFound)
		case "/to-http":
			http.Redirect(w, r, "http://api.example/echo", http.StatusFound)
		case "/status":
			w.WriteHeader(http.StatusUnauthorized)
		}
	}
	i.serve("93.184.216.34:443", echo)
	i.serve("93.184.216.34:80", func(_ http.ResponseWriter, r *http.Request) { t.Error("without TLS", r.Header) })
	var other atomic.Pointer[http.Request]
	i.serve("93.184.216.35:443", func(w http.ResponseWriter, r *http.Request) { other.Store(r) })
	secret := network.Secret{Name: "TOKEN", Value: value, Hosts: []string{"api.example"}}
	g := i.gate(network.Policy{Rules: rules(t, everywhere...), Secrets: []network.Secret{secret}})
	placeholder := secret.Placeholder()
	basic := base64.StdEncoding.EncodeToString([]byte("me:" + placeholder))
	for _, header := range []network.Field{{Name: "Authorization", Value: "Bearer " + placeholder},
		{Name: "X-Key", Value: placeholder}, {Name: "Authorization", Value: "Basic " + basic}} {
		response, body, err := get(t, g, "https://api.example/echo?key="+placeholder, header)
		require.NoError(t, err)
		require.Contains(t, body, placeholder)
		require.Contains(t, response.URL, placeholder)
		for _, text := range append(fieldTexts(response), body, response.URL) {
			require.NotContains(t, text, "s3cr3t")
			require.NotContains(t, strings.ToLower(text), hex.EncodeToString([]byte("s3cr3t")))
		}
		for line := range strings.Lines(body) {
			decoded, _ := base64.StdEncoding.DecodeString(strings.TrimSpace(line))
			require.NotContains(t, string(decoded), "s3cr3t")
		}
	}

	for _, request := range []network.Request{
		{URL: "https://other.example/echo", Header: []network.Field{{Name: "Authorization", Value: placeholder}}},
		{URL: "https://other.example/echo?key=" + placeholder},
		{URL: "http://api.example/echo", Header: []network.Field{{Name: "Authorization", Value: placeholder}}},
		{URL: "https://other.example/", Header: []network.Field{{Name: "Authorization", Value: "Basic " + basic}}},
		{URL: "https://api.example/to-other", Header: []network.Field{{Name: "X-Key", Value: placeholder}}},
		{URL: "https://api.example/to-other"}, // the redirect has the secret, which becomes its placeholder
	} {
		_, _, err := do(t, g.Run("test"), &request)
		requireKind(t, err, network.KindSecret)
		require.NotContains(t, err.Error(), "s3cr3t")
	}
	_, _, err := get(t, g, "https://api.example/to-http", network.Field{Name: "Authorization", Value: placeholder})
	requireKind(t, err, network.KindRedirect)
	require.Nil(t, other.Load(), "nothing has come there")

	i.mu.Lock()
	defer i.mu.Unlock()
	for _, r := range i.records {
		require.NotContains(t, fmt.Sprintf("%+v", r), "s3cr3t")
	}
}

func fieldTexts(r *network.Response) (texts []string) {
	for _, f := range r.Header {
		texts = append(texts, f.Name+": "+f.Value)
	}
	return append(texts, r.StatusText)
}

func TestManyRequests(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	i.serve("93.184.216.34:80", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	g := i.gate(network.Policy{Rules: rules(t, everywhere...), Limits: network.Limits{PerRun: 5, PerMinute: 12}})
	run, done, began := g.Run("one"), 0, time.Now()
	for range 100 {
		if _, _, err := do(t, run, &network.Request{URL: "http://a.example/"}); err == nil {
			done++
		} else {
			requireKind(t, err, network.KindLimit)
		}
	}
	require.Equal(t, 5, done)
	for n := range 10 {
		if _, _, err := do(t, g.Run(fmt.Sprint(n)), &network.Request{URL: "http://a.example/"}); err == nil {
			done++
		}
	}
	require.GreaterOrEqual(t, done, 12)
	require.LessOrEqual(t, done, 12+int(time.Since(began)/(time.Minute/12)),
		"on a slow machine some more become free meanwhile")
	require.Len(t, i.connections(), 1, "connections are used again")
}

// TestRequestsWithoutEnd cost the server and the log no more than a few.
func TestRequestsWithoutEnd(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	i.serve("93.184.216.34:80", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	g := i.gate(network.Policy{Rules: rules(t, everywhere...), Limits: network.Limits{PerRun: 5}})
	run, times := g.Run("one"), 1000
	if *soak {
		times = 100_000
	}
	for range times {
		_, _, _ = do(t, run, &network.Request{URL: "http://a.example/"})
	}
	require.Equal(t, network.Usage{Requests: 5}, run.Usage(), "what was refused was not sent")
	require.Len(t, i.records, 10, "the log has as many that were refused as of others")
	for _, r := range i.records[5:] {
		require.Error(t, r.Err)
	}
}

// TestManyRequestsAreMade: one run makes as many as it may, several at once, which leave nothing behind and are all
// counted.
func TestManyRequestsAreMade(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	i.serve("93.184.216.34:80", func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, strings.Repeat("x", int(n)))
	})
	times := 2000
	if *soak {
		times = 100_000
	}
	policy := &network.Policy{Rules: rules(t, everywhere...), Limits: network.Limits{PerRun: times,
		PerMinute: network.Unlimited}}
	g, err := egress.New(egress.Options{Policy: policy, Resolve: i.resolve, Dial: i.dial})
	require.NoError(t, err)
	t.Cleanup(g.Close)
	run := g.Run("one")
	before := memory()
	const together = 20 // of which 8 are in progress
	var group sync.WaitGroup
	for range together {
		group.Go(func() {
			for range times / together {
				if _, body, err := do(t, run, &network.Request{Method: "PUT", URL: "http://a.example/",
					Body: []byte("12345")}); err != nil || body != "xxxxx" {
					t.Error(body, err)
					return
				}
			}
		})
	}
	group.Wait()
	require.Equal(t, network.Usage{Requests: int64(times), Sent: 5 * int64(times), Received: 5 * int64(times)},
		run.Usage())
	_, _, err = do(t, run, &network.Request{URL: "http://a.example/"})
	requireKind(t, err, network.KindLimit)
	require.Less(t, memory(), before+8<<20)
	require.Less(t, runtime.NumGoroutine(), 100)
}

// memory is how many bytes are in use.
func memory() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// TestSlowServers has no clock but that of the test.
func TestSlowServers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// The connections are pipes, since others are not part of the bubble.
		hang := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		g, err := egress.New(egress.Options{
			Policy:  &network.Policy{Rules: rules(t, everywhere...), Limits: network.Limits{Time: time.Minute}},
			Resolve: func(ctx context.Context, _ string) ([]netip.Addr, error) { return nil, hang(ctx) },
		})
		require.NoError(t, err)
		began := time.Now()
		_, _, err = get(t, g, "http://a.example/")
		requireKind(t, err, network.KindNetwork)
		require.Equal(t, 10*time.Second, time.Since(began))

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = g.Run("test").Do(ctx, &network.Request{URL: "http://a.example/"})
		require.ErrorIs(t, err, context.DeadlineExceeded, "the run has ended")
		time.Sleep(time.Minute) // what was left behind has ended
	})
}

// TestSlowBody: the end of the run ends a response in the middle.
func TestSlowBody(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	gone := make(chan struct{})
	i.serve("93.184.216.34:80", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "some")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	})
	g := i.gate(network.Policy{Rules: rules(t, everywhere...)})
	ctx, cancel := context.WithCancel(t.Context())
	response, err := g.Run("test").Do(ctx, &network.Request{URL: "http://a.example/"})
	require.NoError(t, err)
	some := make([]byte, 4)
	_, err = io.ReadFull(response.Body, some)
	require.NoError(t, err)
	cancel()
	_, err = io.ReadAll(response.Body)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, response.Body.Close())
	<-gone
}

// TestDrippingBody: the time of a request is that of its whole response, however often there is a little more.
func TestDrippingBody(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	gone := make(chan struct{}, 2)
	i.serve("93.184.216.34:80", func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/gzip" {
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = io.WriteString(w, "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff")
		}
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte{0, 0, 0, 0xff, 0xff})
			w.(http.Flusher).Flush()
			time.Sleep(time.Millisecond)
		}
		gone <- struct{}{}
	})
	g := i.gate(network.Policy{Rules: rules(t, everywhere...), Limits: network.Limits{Time: 100 * time.Millisecond}})
	for _, path := range []string{"/", "/gzip"} {
		_, _, err := get(t, g, "http://a.example"+path)
		require.EqualError(t, err, "a.example: there was no whole response after 100ms")
		<-gone
	}
}

// TestConnectionsAreNotShared between hosts or gates: neither connections of HTTP/2 nor sessions of TLS, even if the
// address and the certificate are the same.
func TestConnectionsAreNotShared(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	i.name("b.example", "93.184.216.34")
	var mu sync.Mutex
	connections := map[string]string{} // the hosts that were asked for, by the address of the client
	i.serve("93.184.216.34:443", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		connections[r.RemoteAddr] += r.Host + " "
		w.Header().Set("Alt-Svc", `h3=":443"; ma=1000, h2="b.example:443"`)
		if r.TLS.DidResume {
			t.Error("a session of TLS is taken up again")
		}
	})
	policy := network.Policy{Rules: rules(t, everywhere...)}
	for range 2 {
		g := i.gate(policy)
		for range 2 {
			for _, host := range []string{"a.example", "b.example"} {
				_, _, err := get(t, g, "https://"+host+"/")
				require.NoError(t, err)
			}
		}
		g.Close()
		_, _, err := get(t, g, "https://a.example/") // by a new connection
		require.NoError(t, err)
	}
	hosts := slices.Sorted(maps.Values(connections))
	require.Equal(t, []string{
		"a.example ", "a.example ", "a.example a.example ", "a.example a.example ",
		"b.example b.example ", "b.example b.example ",
	}, hosts)
}

// TestLargeRequests are refused before anything is sent.
func TestLargeRequests(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	i.serve("93.184.216.34:80", func(http.ResponseWriter, *http.Request) {})
	limits := network.Limits{RequestSize: 1000, HeaderSize: 2000}
	g := i.gate(network.Policy{Rules: rules(t, everywhere...), Limits: limits})
	many := make([]network.Field, 100)
	for n := range many {
		many[n] = network.Field{Name: fmt.Sprint("X-", n), Value: strings.Repeat("x", 20)}
	}
	for name, request := range map[string]network.Request{
		"a body":  {Method: "PUT", URL: "http://a.example/", Body: make([]byte, 1001)},
		"a URL":   {URL: "http://a.example/" + strings.Repeat("x", 2000)},
		"a query": {URL: "http://a.example/?" + strings.Repeat("\u00fc", 400)},
		"a header": {URL: "http://a.example/",
			Header: []network.Field{{Name: "X", Value: strings.Repeat("x", 2000)}}},
		"a name": {URL: "http://a.example/", Header: []network.Field{{Name: strings.Repeat("x", 2000),
			Value: "x"}}},
		"many headers": {URL: "http://a.example/", Header: many},
	} {
		_, _, err := do(t, g.Run("test"), &request)
		require.Error(t, err, name)
		requireKind(t, err, network.KindLimit)
	}
	require.Empty(t, i.connections())
	allowed := &network.Request{Method: "PUT", URL: "http://a.example/", Body: make([]byte, 1000), Header: many[:50]}
	_, _, err := do(t, g.Run("test"), allowed)
	require.NoError(t, err)
}

// TestSecretsDoNotDelay what comes before them: if a server rests, only what may be the beginning of one waits.
func TestSecretsDoNotDelay(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	goOn := make(chan string)
	i.serve("93.184.216.34:80", func(w http.ResponseWriter, _ *http.Request) {
		for text := range goOn {
			_, _ = io.WriteString(w, text)
			w.(http.Flusher).Flush()
		}
	})
	secret := network.Secret{Name: "KEY", Value: "12345678", Hosts: []string{"a.example"}}
	g := i.gate(network.Policy{Rules: rules(t, everywhere...), Secrets: []network.Secret{secret}})
	go func() { goOn <- "data: 1\n\n" }()
	response, err := g.Run("test").Do(t.Context(), &network.Request{URL: "http://a.example/"})
	require.NoError(t, err)
	defer response.Body.Close()
	for _, part := range []struct{ sent, want string }{
		{"", "data: 1\n\n"}, {"more 123", "more "}, {"45", ""}, {"!", "12345!"}, {"1234567", ""},
		{"8.", secret.Placeholder() + "."},
	} {
		if part.sent != "" {
			goOn <- part.sent
		}
		got := make([]byte, len(part.want))
		_, err := io.ReadFull(response.Body, got)
		require.NoError(t, err)
		require.Equal(t, part.want, string(got))
	}
	close(goOn)
	rest, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Empty(t, rest)
}

func TestFailures(t *testing.T) {
	i := newInternet(t)
	for n, name := range []string{"expired.example", "other.example", "refused.example", "plain.example"} {
		i.name(name, fmt.Sprintf("93.184.216.%d", n+1))
	}
	i.serve("93.184.216.1:443", func(http.ResponseWriter, *http.Request) {})
	i.serve("93.184.216.2:443", func(http.ResponseWriter, *http.Request) {})
	i.raw("93.184.216.4:443", "HTTP/1.0 400 Bad Request\r\n\r\n")
	g := i.gate(network.Policy{Rules: rules(t, everywhere...)})
	for address, want := range map[string]string{
		"https://expired.example/": "expired.example: its certificate has expired",
		"https://other.example/":   "other.example: its certificate is for another host",
		"https://refused.example/": "refused.example: the connection was refused",
		"https://nosuch.example/":  "nosuch.example: there is no host of this name",
		"https://plain.example/":   "plain.example: it does not speak TLS",
		"https://1.1.1.1/a?b": "no rule allows GET https://1.1.1.1/a: whoever runs this can add one with " +
			"--allow 'GET https://1.1.1.1/a'",
	} {
		_, _, err := get(t, g, address)
		require.EqualError(t, err, want)
	}
	_, _, err := get(t, i.gate(network.Policy{}), "https://a.example/")
	require.EqualError(t, err, "there is no network here: whoever runs this can allow the request with --allow 'GET "+
		"https://a.example/'")
}

// TestProxies: what the environment says of proxies is not for code.
func TestProxies(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, "http://127.0.0.1:9")
	}
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	i.serve("93.184.216.34:443", func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) })
	_, body, err := get(t, i.gate(network.Policy{Rules: rules(t, everywhere...)}), "https://a.example/")
	require.NoError(t, err)
	require.Equal(t, "HTTP/2.0", body)
}

func TestAudit(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	i.serve("93.184.216.34:443", func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "answer")
	})
	secret := network.Secret{Name: "KEY", Value: "12345678", Hosts: []string{"*.example.com", "a.example"}}
	g := i.gate(network.Policy{Rules: rules(t, "POST https://a.example/x/**"), Secrets: []network.Secret{secret}})
	run := g.Run("run 1")
	_, _, err := do(t, run, &network.Request{Method: "POST", URL: "https://a.example/x/y?z=" + secret.Placeholder(),
		Body: []byte("four")})
	require.NoError(t, err)
	_, _, err = do(t, run, &network.Request{URL: "https://a.example/x/y"})
	require.Error(t, err)
	require.Equal(t, network.Usage{Requests: 1, Sent: 4, Received: 6}, run.Usage())
	require.Len(t, i.records, 2)
	first, second := i.records[0], i.records[1]
	require.Positive(t, first.Duration)
	first.Time, first.Duration = time.Time{}, 0
	require.Equal(t, network.Record{Run: "run 1", Method: "POST", Host: "https://a.example", Path: "/x/y",
		Rule:    "POST https://a.example/x/**",
		Secrets: []string{"KEY"}, Status: 200, Sent: 4, Received: 6}, first)
	require.Error(t, second.Err)
	require.Empty(t, second.Rule)
}

// TestEscapedSecrets are found however their characters are escaped, each in its own way.
func TestEscapedSecrets(t *testing.T) {
	const value = `Ab/+"C &d'<e=%\z`
	secret := network.Secret{Name: "KEY", Value: value, Hosts: []string{"a.example"}}
	each := func(format string) (text string) {
		for _, c := range []byte(value) {
			text += fmt.Sprintf(format, c)
		}
		return text
	}
	echoes := map[string]string{
		"QueryEscape":           url.QueryEscape(value),
		"PathEscape":            url.PathEscape(value),
		"encodeURIComponent":    "Ab%2F%2B%22C%20%26d'%3Ce%3D%25%5Cz",
		"Python's quote":        "Ab/%2B%22C%20%26d%27%3Ce%3D%25%5Cz",
		"lower case":            "Ab%2f%2b%22C+%26d%27%3ce%3d%25%5cz",
		"every character":       each("%%%02X"),
		"JSON":                  `Ab/+\"C &d'<e=%\\z`,
		"JSON of PHP":           `Ab\/+\"C &d'<e=%\\z`,
		"JSON for HTML":         `Ab/+\"C \u0026d\u0027\u003Ce=%\\z`,
		"JSON, every character": each(`\u%04x`),
		"JavaScript":            each(`\x%02X`),
		"HTML":                  `Ab/+&quot;C &amp;d&#39;&lt;e=%\z`,
		"HTML of Python":        `Ab/+&#34;C &amp;d&#x27;&lt;e=%\z`,
		"HTML, every character": each("&#%d;"),
		"HTML by names":         `Ab&sol;&plus;&QUOT;C &AMP;d&apos;&LT;e&equals;&percnt;&bsol;z`,
		"a mixture":             `Ab%2F&#43;\u0022C+&amp;d%27&lt;e=%25\x5Cz`,
		"braces":                each(`\u{%x}`),
		"braces and zeros":      each(`\u{%012X}`),
		"braces of Perl":        each(`\x{%x}`),
		"octal":                 each(`\%03o`),
		"octal of Python":       each(`\%o`),
		"octal in braces":       each(`\o{%o}`),
		"eight digits":          each(`\U%08x`),
		"Java":                  each(`\uuu%04x`),
		"CSS":                   each(`\%06x`),
		"short CSS":             each(`\%x `),
		"a shell":               `Ab/+\"C\ \&d\'\<e\=\%\\z`,
		"every one escaped":     each(`\%c`),
		"%u":                    each("%%u%04X"),
		"%u in small letters":   each("%%u%04x"),
		"HTML, no semicolons":   each("&#%d"),
		"HTML, hexadecimal":     each("&#x%x;"),
		"HTML, X":               each("&#X%X"),
		"HTML, zeros":           each("&#%020d;"),
		"HTML, zeros, X":        each("&#x%020X"),
		"HTML, long names":      `Ab/+&quot;C &ampd&apos;&lte=%&bsol;z`,
		"quoted-printable":      each("=%02X"),
		"percent, twice":        each("%%25%02X"),
		"query of a query":      url.QueryEscape(url.QueryEscape(value)),
		"path of a query":       url.QueryEscape(url.PathEscape(value)),
		"JSON in JSON":          `Ab/+\\\"C &d'<e=%\\\\z`,
		"JSON in JSON, all":     each(`\\u%04x`),
		"HTML in JSON":          each(`\u0026#%d;`),
		"HTML in JSON, names":   `Ab/+\u0026quot;C \u0026amp;d\u0026#39;\u0026lt;e=%\\z`,
		"HTML in HTML":          each("&amp;#%d;"),
		"HTML in a query":       each("%%26%%23%d%%3B"),
		"JSON in a query":       each(`%%5Cu%04x`),
		"octal in JSON":         each(`\\%03o`),
		"braces in HTML":        each(`&#92;u&#123;%x&#125;`),
		"percent in HTML":       each(`&#37;%02x`),
		"percent in JSON":       each(`\u0025%02x`),
		"all in all":            `&#65\142%2F\u{2B}%2522\u0043&#x20;&amp;amp;\144%u0027\3c e%3D=25\\\\&#122`,
		"base64":                url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(value))),
		"base64 in JSON":        strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte(value)), "Q", `\u0051`),
		"hexadecimal": strings.ToUpper(hex.EncodeToString([]byte(value[:5]))) +
			hex.EncodeToString([]byte(value[5:])),
	}
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	i.serve("93.184.216.34:443", func(w http.ResponseWriter, r *http.Request) {
		text := echoes[r.URL.Query().Get("as")]
		w.Header().Set("X-Echo", text)
		for n := range len(text) { // byte by byte
			_, _ = io.WriteString(w, text[n:n+1])
			w.(http.Flusher).Flush()
		}
	})
	g := i.gate(network.Policy{Rules: rules(t, everywhere...), Secrets: []network.Secret{secret}})
	for as := range echoes {
		response, body, err := get(t, g, "https://a.example/?as="+url.QueryEscape(as))
		require.NoError(t, err, as)
		want := secret.Placeholder()
		if strings.HasPrefix(as, "base64") { // its last letters depend on what is behind the secret, too
			require.Less(t, len(body), len(want)+8)
			want += body[min(len(body), len(want)):]
		}
		require.Equal(t, want, body, as)
		require.Contains(t, fieldTexts(response), "x-echo: "+want, as)
	}
}

// spellings are ways of writing a character, of those that need to know nothing of what follows.
var spellings = []string{"%c", `\%03o`, `\u%04x`, `\u{%x}`, `\u{00000%X}`, `\x%02x`, `\x{%x}`, `\U%08X`, `\%06x`,
	`\%x `, "%%%02x",
	"%%u%04x", "&#%d", "&#%d;", "&#x%x", "&#x00000%X;", "&#0000%d;", "=%02X", `\\u%04x`, "%%25%02x", "&amp;#%d;",
	`\u0026#x%x;`,
	"%%26%%23%d%%3b", `%%5C%03o`, "&#37;%02X"}

// FuzzEscapedSecrets compares what is struck with a regular expression that has most spellings of each character, and
// whole responses with those that come in parts.
func FuzzEscapedSecrets(f *testing.F) {
	f.Add("s3cr3t-token", "a ", []byte{0, 3, 1, 12, 12, 6, 7, 9, 0, 0, 12, 14}, "5;", byte(3))
	f.Add(`\\\\\\\\x`, `\\\\\\\\\\\\\\\\\\x`, []byte{1}, `\\\\\\\\x`, byte(1))
	f.Add("%25%25&amp;", "%2525%2525", []byte{13, 19, 20, 21, 22, 23, 24}, "&amp;amp;&#37;25%25&amp;", byte(2))
	f.Add("11111111", "&#0000491111&#49;&#49;1", []byte{12, 14, 1, 18, 0, 0, 16}, `\61\611\0611111`, byte(7))
	f.Fuzz(func(t *testing.T, value, before string, choices []byte, after string, size byte) {
		secret := network.Secret{Name: "KEY", Value: value, Hosts: []string{"a.example"}}
		if (&network.Policy{Secrets: []network.Secret{secret}}).Check() != nil || len(value) > 16 ||
			len(choices) == 0 ||
			len(before)+len(after) > 200 || strings.Contains(secret.Placeholder(), value) {
			return
		}
		pattern, text := "", before
		for i, c := range []byte(value) {
			text += fmt.Sprintf(spellings[int(choices[i%len(choices)])%len(spellings)], c)
			pattern += fmt.Sprintf(
				`(?:%[1]s|\\%[1]s|\\0?0?%[2]o|\\x(?i:%02[3]x)|\\u+(?i:%04[3]x)|\\[ux]\{(?i:0{0,20}%[3]x)\}|`+
					`[%%=](?i:%02[3]x)|%%[uU](?i:%04[3]x)|&#0{0,20}%[3]d;?|&#[xX](?i:0{0,20}%[3]x);?`,
				regexp.QuoteMeta(string(c)), c, c)
			if c == ' ' {
				pattern += `|\+`
			}
			pattern += ")"
		}
		text += after
		i := newInternet(t)
		i.name("a.example", "93.184.216.34")
		i.serve("93.184.216.34:443", func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/whole" {
				_, _ = io.WriteString(w, text)
				return
			}
			for part := range slices.Chunk([]byte(text), 1+int(size&15)) {
				_, _ = w.Write(part)
				w.(http.Flusher).Flush()
			}
		})
		g := i.gate(network.Policy{Rules: rules(t, everywhere...), Secrets: []network.Secret{secret}})
		_, whole, err := get(t, g, "https://a.example/whole")
		require.NoError(t, err)
		require.Contains(t, whole, secret.Placeholder())
		require.NotRegexp(t, regexp.MustCompile(pattern), strings.ReplaceAll(whole, secret.Placeholder(), "\n"))
		_, parts, err := get(t, g, "https://a.example/parts")
		require.NoError(t, err)
		require.Equal(t, whole, parts)
	})
}

// TestSecretsCannotBeGuessed: a host that has no secret cannot find out how one begins, from what becomes of a response
// that ends with a guess. What one of its hosts sends is held back, and lost if the response is cut off there.
func TestSecretsCannotBeGuessed(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	i.name("evil.example", "93.184.216.35")
	done := make(chan struct{})
	for _, address := range []string{"93.184.216.34:443", "93.184.216.35:443"} {
		i.serve(address, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/whole" {
				_, _ = io.WriteString(w, "s3cr3t-token")
				return
			}
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "s3cr")
			w.(http.Flusher).Flush()
			if r.URL.Path == "/waits" {
				<-done
			}
		})
	}
	secret := network.Secret{Name: "KEY", Value: "s3cr3t-token", Hosts: []string{"a.example"}}
	g := i.gate(network.Policy{Rules: rules(t, everywhere...), Secrets: []network.Secret{secret}})
	response, err := g.Run("test").Do(t.Context(), &network.Request{URL: "https://evil.example/waits"})
	require.NoError(t, err)
	got := make([]byte, 4)
	_, err = io.ReadFull(response.Body, got) // without more of the response
	require.NoError(t, err)
	require.Equal(t, "s3cr", string(got))
	close(done)
	require.NoError(t, response.Body.Close())
	_, body, err := get(t, g, "https://evil.example/cut")
	requireKind(t, err, network.KindNetwork)
	require.Equal(t, "s3cr", body)
	_, body, err = get(t, g, "https://a.example/cut")
	requireKind(t, err, network.KindNetwork)
	require.Empty(t, body)
	_, body, err = get(t, g, "https://a.example/whole")
	require.NoError(t, err)
	require.Equal(t, secret.Placeholder(), body)
}

// TestPartsDoNotTell: code that has a text at a host of a secret, and reads it, cannot tell from the sizes of its parts
// whether it has the beginning of the secret.
func TestPartsDoNotTell(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	i.serve("93.184.216.34:443", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip") // so that all of it comes at once
		z := gzip.NewWriter(w)
		_, _ = io.WriteString(z, strings.Repeat(strings.Repeat("x", 1024-7)+r.URL.Query().Get("guess"), 64))
		_ = z.Close()
	})
	secret := network.Secret{Name: "KEY", Value: "s3cr3t-token", Hosts: []string{"a.example"}}
	g := i.gate(network.Policy{Rules: rules(t, everywhere...), Secrets: []network.Secret{secret}})
	parts := func(guess string) (sizes []int) {
		response, err := g.Run("test").Do(t.Context(), &network.Request{URL: "https://a.example/?guess=" + guess})
		require.NoError(t, err)
		defer response.Body.Close()
		for buffer := make([]byte, 1<<20); ; {
			n, err := response.Body.Read(buffer)
			sizes = append(sizes, n)
			if err == io.EOF {
				return sizes
			}
			require.NoError(t, err)
		}
	}
	want := parts("wrong-1")
	for _, guess := range []string{"wrong-2", "wrong-s", "wrons3c", "s3cr3t-", "x%26%23115%3B"} {
		require.Equal(t, want, parts(guess), guess)
	}
}

// TestStoppedResponses leave nothing behind, however they are stopped.
func TestStoppedResponses(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	i.serve("93.184.216.34:443", func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			_, _ = w.Write(make([]byte, 1000))
			w.(http.Flusher).Flush()
			if r.URL.Path == "/rests" {
				<-r.Context().Done()
			}
		}
	})
	secret := network.Secret{Name: "KEY", Value: "s3cr3t-token", Hosts: []string{"a.example"}}
	g := i.gate(network.Policy{Rules: rules(t, everywhere...), Secrets: []network.Secret{secret},
		Limits: network.Limits{PerRun: network.Unlimited, AtOnce: 1}})
	run := g.Run("test")
	stopped := func(path string, read int64, stop func(*network.Response, context.CancelFunc)) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		response, err := run.Do(ctx, &network.Request{URL: "https://a.example" + path})
		require.NoError(t, err)
		_, err = io.CopyN(io.Discard, response.Body, read)
		require.NoError(t, err)
		stop(response, cancel)
		require.NoError(t, response.Body.Close())
	}
	stopped("/", 1, func(*network.Response, context.CancelFunc) {}) // which makes the connection
	before := leakcheck.Take()
	for range 2 {
		for _, path := range []string{"/", "/rests"} {
			for _, read := range []int64{0, 1, 900} {
				stopped(path, read, func(*network.Response, context.CancelFunc) {})
				stopped(path, read, func(_ *network.Response, cancel context.CancelFunc) { cancel() })
				stopped(path, read, func(response *network.Response, cancel context.CancelFunc) {
					go cancel()
					_, err := io.Copy(io.Discard, response.Body)
					require.ErrorIs(t, err, context.Canceled)
				})
			}
		}
	}
	before.Require(t, leakcheck.Growth{Mappings: 50})
}

// TestPathsAreSentAsTheyWereChecked: what the rules have seen is what the server gets.
func TestPathsAreSentAsTheyWereChecked(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	var seen atomic.Pointer[string]
	handler := func(_ http.ResponseWriter, r *http.Request) { seen.Store(&r.RequestURI) }
	i.serve("93.184.216.34:80", handler)
	i.serve("93.184.216.34:443", handler)
	g := i.gate(network.Policy{Rules: rules(t, everywhere...)})
	for sent, want := range map[string]string{
		"/a|b": "/a|b", "/a|%62": "/a|%62", "/%41|%2f%2E/": "/%41|%2f%2E/", "/[x]/%2F": "/[x]/%2F", "/a/../b": "/b",
		"/a/%2e%2e/b": "/b", "/a/.%2E/b": "/b",
		`/a\..\b`: "/b", "//a//b": "//a//b", "/;/..;/": "/;/..;/", "/%3b%3F%23": "/%3b%3F%23", "/\u00fc": "/%C3%BC",
		"/%c0%ae": "/%c0%ae", "/x?a|b=[^]": "/x?a|b=[^]",
		"/x?/../y": "/x?/../y", "/x?a#/../y": "/x?a", "?x": "/?x", "/*": "/*", "*": "",
	} {
		for _, scheme := range []string{"http", "https"} {
			if want == "" {
				continue
			}
			_, _, err := get(t, g, scheme+"://a.example"+sent)
			require.NoError(t, err, sent)
			require.Equal(t, want, *seen.Load(), "%s %s", scheme, sent)
		}
	}
}

// TestOddResponses are errors, or harmless.
func TestOddResponses(t *testing.T) {
	i := newInternet(t)
	i.name("a.example", "93.184.216.34")
	for n, text := range []string{
		"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\nanything",
		strings.Repeat("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 10_000),
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nAlt-Svc: h2=\":443\"; ma=100\r\n\r\nxHTTP/1.1 200 " +
			"OK\r\nContent-Length: 4\r\n\r\nevil",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n1\r\nx\r\n0\r\nTrailer: x\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
		"HTTP/1.1 302 Found\r\nLocation: \r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 302 Found\r\nLocation: /\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX: a\r\n b\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 999 \xff\xfe\r\nX\xff: \x00\r\n\r\n",
		"HTTP/1.1 -1 x\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x=\"" + strings.Repeat("x", 1<<20) +
			"\r\nx\r\n0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1;"+strings.Repeat("x", 1000)+
			"\r\nx\r\n", 1000),
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X, Set-Cookie\r\n\r\n1\r\nx\r\n0\r\nX: " +
			"y\r\nSet-Cookie: a=b\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX: " + strings.Repeat("x", 1<<20) +
			"\r\n\r\n",
		"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Negotiate\r\nContent-Length: 1\r\n\r\nx",
		"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\nContent-Length: 1\r\n\r\nx",
		"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 9-1/2\r\nContent-Length: 1\r\n\r\nx",
	} {
		i.raw(fmt.Sprint("93.184.216.34:", 8000+n), text)
	}
	g := i.gate(network.Policy{Rules: rules(t, everywhere...)})
	for n, want := range []string{"network", "limit", "x", "x", "network", "network", "limit", "limit", "", "network",
		"network", "network", "network", "x", "network", "x", "x", "x"} {
		for range 2 { // what one response leaves behind is no part of the next
			_, body, err := get(t, i.gate(network.Policy{Rules: rules(t, fmt.Sprint("http://a.example:", 8000+n))}),
				fmt.Sprint("http://a.example:", 8000+n, "/"))
			if e, ok := errors.AsType[*network.Error](err); ok {
				body = string(e.Kind)
			}
			require.Equal(t, want, body, n)
		}
	}
	_, _, err := get(t, g, "https://a.example/")
	requireKind(t, err, network.KindNetwork)
	for _, at := range i.connections() {
		require.NotContains(t, at, "127.0.0.1")
	}
}
