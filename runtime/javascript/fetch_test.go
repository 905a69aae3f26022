package javascript_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/net/egress"
	"github.com/toolrun/toolrun/internal/net/egress/egresstest"
	"github.com/toolrun/toolrun/network"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// networkTo returns a run that can make any request to a server.
func networkTo(t testing.TB, server *httptest.Server, limits network.Limits) network.Run {
	rule, err := network.ParseRule("* " + server.URL)
	require.NoError(t, err)
	gate, err := egress.New(egress.Options{Policy: &network.Policy{Rules: []network.Rule{rule}, Limits: limits}})
	require.NoError(t, err)
	t.Cleanup(gate.Close)
	return gate.Run("test")
}

// fetches runs a script with the address of a server as base.
func fetches(t testing.TB, handler http.HandlerFunc, limits network.Limits, script string) (*javascript.Result, error) {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return engine.Run(t.Context(), script, &javascript.RunOptions{
		Network: networkTo(t, server, limits), Globals: map[string]any{"base": server.URL},
	})
}

// echoRequest answers with what it gets.
func echoRequest(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Add("X-Twice", "a")
	w.Header().Add("X-Twice", "b\xe4")
	w.WriteHeader(201)
	fmt.Fprintf(w, "%s %s %s %q %s", r.Method, r.URL, r.Header.Get("X-Own"), body, r.Header.Get("Content-Type"))
}

func TestFetch(t *testing.T) {
	for name, test := range map[string]struct{ script, want string }{
		"text": {`const r = await fetch(base + '/a?b#c');
			return [r.status, r.statusText, r.ok, r.type, r.redirected, r.url === base + '/a?b',
			await r.text()].join()`, `201,Created,true,basic,false,true,GET /a?b  "" `},
		"header": {`const r = await fetch(base, { headers: { 'x-own': '\xe4' } });
			return [r.headers.get('x-twice'), (await r.text()).includes('\ufffd')].join('|')`,
			"a, b\u00e4|true"},
		"headers cannot be changed": {`const r = await fetch(base); r.headers.set('a', 'b')`, "TypeError: immutable"},
		"post": {`return await (await fetch(base, { method: 'post', body: JSON.stringify({ a: 1 }),
			headers: { 'content-type': 'application/json' } })).text()`,
			`POST /  "{\"a\":1}" application/json`},
		"text as body": {`return await (await fetch(base, { method: 'PUT', body: 'x' })).text()`,
			`PUT /  "x" text/plain;charset=UTF-8`},
		"form as body": {
			`return await (await fetch(base, { method: 'PUT', body: new URLSearchParams({ a: 'b c' }) })).text()`,
			`PUT /  "a=b+c" application/x-www-form-urlencoded;charset=UTF-8`,
		},
		"bytes as body": {
			`return await (await fetch(base, { method: 'PATCH', body: new Uint8Array([65, 0]) })).text()`,
			`PATCH /  "A\x00" `,
		},
		"blob as body": {
			`return await (await fetch(base, { method: 'POST', body: new Blob(['b'], { type: 'x/y' }) })).text()`,
			`POST /  "b" x/y`,
		},
		"stream as body": {
			`return await (
				await fetch(base, { method: 'POST', body: new Blob(['b', 'c']).stream(), duplex: 'half' })).text()`,
			`POST /  "bc" `,
		},
		"files as body": {`const f = new FormData(); f.append('a', 'b');
			f.append('f', new File(['x'], 'n.txt', { type: 'text/plain' }));
			const text = await (await fetch(base, { method: 'POST', body: f })).text();
				return /name=."a.*filename=."n.txt.*boundary=/.test(text)`,
			"true"},
		"a request": {`return await (await fetch(new Request(base, { method: 'DELETE' }))).text()`,
			`DELETE /  "" `},
		"null bodies": {
			`const r = await fetch(base + '/status/204');
				return [r.body, await r.text(), (await fetch(base, { method: 'HEAD' })).body].join('|')`,
			"||",
		},
		"json":   {`return (await (await fetch(base + '/json')).json()).a`, "1"},
		"bytes":  {`return (await (await fetch(base + '/large')).bytes()).length`, "1000000"},
		"a form": {`return (await (await fetch(base + '/form')).formData()).get('a')`, "b"},
		"clones": {
			`const r = await fetch(base + '/json'), c = r.clone();
				return await r.text() + await c.text() + r.bodyUsed + c.url.endsWith('/json')`,
			`{"a":1}{"a":1}truetrue`,
		},
		"read twice": {`const r = await fetch(base); await r.text(); await r.text()`,
			"TypeError: Body is unusable: Body has already been read"},
		"chunks": {
			`let n = 0, all = 0; for await (const c of (await fetch(base + '/large')).body) { n++; all += c.length }
				return [n > 1, all].join()`,
			"true,1000000",
		},
		"a byob reader": {
			`const r = (await fetch(base + '/json')).body.getReader({ mode: 'byob' });
				return (await r.read(new Uint8Array(3))).value.length`,
			"3",
		},
		"redirects": {
			`const r = await fetch(base + '/redirect');
				return [r.redirected, r.url.endsWith('/json'), await r.text()].join()`,
			`true,true,{"a":1}`,
		},
		"redirect error": {`await fetch(base + '/redirect', { redirect: 'error' })`,
			"TypeError: HOST redirects, and the request does not want to be redirected"},
		"redirect manual": {
			`const r = await fetch(base + '/redirect', { redirect: 'manual' });
				return [r.status, r.headers.get('location')].join()`,
			"302,/json"},
		"other hosts": {
			`try { await fetch('https://example.com/a?b') } catch (e) { return [e.name, e.code, e.message].join('|') }`,
			"TypeError|denied|no rule allows GET https://example.com/a: whoever runs this can add one with --allow " +
				"'GET https://example.com/a'"},
		"other schemes": {`await fetch('file:///etc/passwd')`,
			"TypeError: requests go to https: and http: only, not to file:"},
		"relative URLs": {`await fetch('/a')`, "TypeError: Failed to parse URL from /a"},
		"nothing":       {`await fetch()`, "TypeError: fetch: 1 argument required, but 0 found."},
		"data URLs": {
			`return await (await fetch('data:text/x;base64,aGk=')).text() +
				(await (await fetch('data:,a%20b')).blob()).type`,
			"hitext/plain;charset=us-ascii",
		},
		"chunks of clones": {`const first = new Response(
			new ReadableStream({ start(c) { c.enqueue(new Uint8Array([1, 2])); c.close(); } })), second = first.clone();
			(await first.body.getReader().read()).value[0] = 9; return (await second.bytes()).join()`, "1,2"},
		"types of data URLs": {`return (await Promise.all(
			['IMAGE/gif;CHARSET=x', ';charset= x', 'text/plain;a=""', 'x/x;base64;base64', ' ', 'x'].map(
			async (type) => (await fetch('data:' + type + ',WA')).headers.get('content-type')))).join('|')`,
			`image/gif;charset=x|text/plain;charset=" x"|text/plain;a=""|x/x|text/plain;` +
				`charset=US-ASCII|text/plain;charset=US-ASCII`},
		"types of bodies": {`return (await Promise.all(
			['TEXT/HTML;CHARSET=GBK', 'x/x;a=\u00ff', 'x/x;a="\\', 'x/x;a="\\"b', 'x', ''].map(
			async (type) => (await new Response('', { headers: { 'content-type': type } }).blob()).type))).join('|')`,
			`text/html;charset=gbk|x/x;a="` + "\u00ff" + `"|x/x;a="\\"|x/x;a="\"b"||`},
		"accessors of all objects": {`for (const name of ['type', 'size', 'start', 'highWaterMark', 'endings']) {
				Object.defineProperty(Object.prototype, name, { get() { throw new Error(name) }, configurable: true });
				try { await (await fetch(base + '/a')).blob() } finally { delete Object.prototype[name] }
			} return 'none'`, "none"},
		"ranges of blobs": {`const blob = URL.createObjectURL(new Blob(['0123456789'], { type: 'a/b' }));
			return (await Promise.all(['bytes=2-4', 'bytes=7-', 'bytes=-2', 'bytes=-20', 'bytes=8-99', 'bytes = 1 - 2',
				'bytes=10-', 'bytes=4-2', 'bytes=-', 'bytes=-0', 'bytes=1-2,4-5', ''].map(async (range) => {
				try {
					const r = await fetch(blob, { headers: { range } });
					return [r.status, r.headers.get('content-range'), r.headers.get('content-length'),
						r.headers.get('content-type'), await r.text()].join(' ');
				} catch (e) { return e.name }
			}))).join()`, "206 bytes 2-4/10 3 a/b 234,206 bytes 7-9/10 3 a/b 789,206 bytes 8-9/10 2 a/b 89,206 bytes " +
			"0-9/10 10 a/b 0123456789,206 bytes 8-9/10 2 a/b 89," +
			"206 bytes 1-2/10 2 a/b 12,TypeError,TypeError,TypeError,TypeError,TypeError,TypeError"},
		"a fragment that is empty": {`return (await fetch(base + '/json#')).url === base + '/json'`, "true"},
		"aborted after it has come": {`const c = new AbortController();
			const r = await fetch(base + '/json', { signal: c.signal }); c.abort();
			const first = await r.text().catch((e) => e.name);
				return [first, await r.text().catch((e) => e.name)].join()`,
			"AbortError,AbortError"},
		"a body of an aborted request": {`let reason; const body = new ReadableStream({ cancel(r) { reason = r } });
			const p = fetch(base, { method: 'POST', body, duplex: 'half', signal: AbortSignal.abort('mine') }).catch(
				(e) => e); return [reason, await p].join()`,
			"mine,mine"},
		"blob URLs": {`return await (await fetch(URL.createObjectURL(new Blob(['hi'])))).text()`, "hi"},
		"its shape": {
			`return [typeof fetch, fetch.name, fetch.length, Object.keys(globalThis).includes('fetch')].join()`,
			"function,fetch,1,false",
		},
		"another fetch": {`globalThis.fetch = () => 5; return fetch()`, "5"},
		"what is under it": {`return Object.getOwnPropertyNames(globalThis).filter((n) => /fetch/i.test(n)).join()`,
			"fetch"},
		"cookies": {
			`await fetch(base + '/cookie'); const r = await fetch(base + '/cookie');
				return [r.headers.get('set-cookie'), await r.text()].join('|')`,
			`|[]`,
		},
		"integrity": {`const digest = async (n, text) => 'sha' + n + '-' +
			Buffer.from(await crypto.subtle.digest('SHA-' + n, new TextEncoder().encode(text))).toString('base64');
			const text = await (await fetch(base + '/a')).text();
			const [d256, d384, d512] = await Promise.all([256, 384, 512].map((n) => digest(n, text)));
			const other = await digest(512, 'other');
			const got = [];
			for (const integrity of [d256, d384, d512, d512.toUpperCase().slice(0, 6) + d512.slice(6),
				d512.replace(/=+$/, ''), d256 + '?x', other + ' ' + d512,
				d256.replaceAll('+', '-').replaceAll('/', '_'), 'md5-x', 'nothing', '',
					'sha256-' + d512.slice(7), other, d256 + '\t' + other, 'sha256-' + d256.slice(7).toLowerCase()]) {
				got.push(await fetch(base + '/a', { integrity }).then(async (r) => await r.text() === text &&
					r.status === 201, (e) => e.name));
			}
			got.push(await fetch('data:,a', { integrity: other }).catch(
				(e) => e.message.includes('is not what integrity says')),
				await (await fetch('data:,other', { integrity: other })).text(),
					await fetch(base, { method: 'HEAD', integrity: d256 }).catch((e) => e.name));
			return got.join()`,
			"true,true,true,true,true,true,true,true,true,true,true," +
				"TypeError,TypeError,TypeError,TypeError,true,other,TypeError"},
		"many at once": {
			`return (await Promise.all(Array.from({ length: 20 },
				async (_, i) => (await fetch(base + '/' + i)).text()))).map((t) => /\d+/.exec(t)[0]).join()`,
			"0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19",
		},
		"nobody reads": {`for (let i = 0; i < 20; i++) await fetch(base + '/large'); return 'all'`, "all"},
		"aborted before": {`await fetch(base, { signal: AbortSignal.abort() })`,
			"AbortError: This operation was aborted"},
		"aborted": {
			`const c = new AbortController(); const p = fetch(base + '/never', { signal: c.signal });
				setTimeout(() => c.abort(), 5); await p`,
			"AbortError: This operation was aborted",
		},
		"aborted reason": {
			`const c = new AbortController(); const p = fetch(base + '/never', { signal: c.signal });
				setTimeout(() => c.abort(new RangeError('mine')), 5); await p`,
			"RangeError: mine",
		},
		"times out": {`await fetch(base + '/never', { signal: AbortSignal.timeout(5) })`,
			"TimeoutError: The operation was aborted due to timeout"},
		"aborted while it is read": {
			`const c = new AbortController(); const r = await fetch(base + '/slow', { signal: c.signal });
				setTimeout(() => c.abort(), 5); await r.text()`,
			"AbortError: This operation was aborted"},
		"aborted in a stream": {`const c = new AbortController();
			const r = (await fetch(base + '/slow', { signal: c.signal })).body.getReader();
			const first = (await r.read()).value.length; c.abort();
				try { await r.read() } catch (e) { return [first, e.name].join() }`,
			"4,AbortError"},
		"cancelled": {`const r = await fetch(base + '/slow'); await r.body.cancel(); return r.bodyUsed`, "true"},
		"modules": {`try { require('net') } catch (e) { return e.message.slice(0, 66) }`,
			`Cannot find module "net": there is no such module here: use fetch.`},
		"other APIs": {`new XMLHttpRequest()`, "ReferenceError: XMLHttpRequest is not defined (use fetch)"},
		"cut off": {`await (await fetch(base + '/short')).text()`,
			"TypeError: HOST: the response ended too early, or is damaged"},
		"too large": {`await (await fetch(base + '/endless')).text()`,
			"TypeError: HOST: the response has more than 2000000 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := fetches(t, internet, network.Limits{ResponseSize: 2e6}, test.script)
			text := result.Text
			if err != nil {
				text, _, _ = strings.Cut(addressOfServer.ReplaceAllString(err.Error(), "HOST"), "\n")
			}
			require.Equal(t, test.want, text)
		})
	}
}

var addressOfServer = regexp.MustCompile(`127\.0\.0\.1:\d+`)

// internet is a server with a few peculiar pages.
func internet(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; path {
	case "/json":
		fmt.Fprint(w, `{"a":1}`)
	case "/form":
		w.Header().Set("Content-Type", "application/x-www-form-urlencoded")
		fmt.Fprint(w, "a=b")
	case "/status/204":
		w.WriteHeader(204)
	case "/redirect":
		http.Redirect(w, r, "/json", http.StatusFound)
	case "/cookie":
		w.Header().Set("Set-Cookie", "a=b")
		fmt.Fprint(w, r.Header["Cookie"])
	case "/large":
		_, _ = w.Write(make([]byte, 1e6))
	case "/endless":
		for r.Context().Err() == nil {
			_, _ = w.Write(make([]byte, 1e5))
		}
	case "/short":
		w.Header().Set("Content-Length", "9")
		fmt.Fprint(w, "short")
	case "/slow", "/never":
		if path == "/slow" {
			fmt.Fprint(w, "some")
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	default:
		echoRequest(w, r)
	}
}

// TestFetchIsStopped: the end of a run ends its requests.
func TestFetchIsStopped(t *testing.T) {
	for _, script := range []string{`await fetch(base)`, `(await fetch(base + '/more')).text(); for (;;) {}`,
		`await (await fetch(base + '/more')).text()`} {
		begun, ended := make(chan struct{}), make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/more" {
				fmt.Fprint(w, "some")
				w.(http.Flusher).Flush()
			}
			close(begun)
			<-r.Context().Done()
			close(ended)
		}))
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			<-begun
			cancel()
		}()
		_, err := engine.Run(ctx, script, &javascript.RunOptions{
			Network: networkTo(t, server, network.Limits{}), Globals: map[string]any{"base": server.URL},
		})
		require.ErrorIs(t, err, context.Canceled)
		<-ended
		server.Close()
	}
}

// unanswered is a network whose requests last until they are given up.
type unanswered struct{ network.Run }

func (unanswered) Do(ctx context.Context, _ *network.Request) (*network.Response, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestFetchIsGivenUp: a request that is aborted as soon as it is begun does not last, whoever of the two comes first.
func TestFetchIsGivenUp(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		`for (let i = 0; i < 300; i++) {
			const c = new AbortController();
			fetch('https://example.com', { signal: c.signal }).catch(() => {});
			c.abort();
		}`,
		`for (let i = 0; i < 300; i++) {
			fetch('https://example.com', { signal: AbortSignal.timeout(i % 2) }).catch(() => {});
		}`,
		`const http = require('http');
		for (let i = 0; i < 300; i++) http.get('http://example.com').on('error', () => {}).destroy();`,
	} {
		result, err := engine.Run(t.Context(), script, &javascript.RunOptions{Network: unanswered{}})
		require.NoError(t, err)
		require.Empty(t, result.Console, "a request has lasted as long as the run may")
	}
}

// TestFetchInMemory: a body that does not fit into the run's memory ends the run, and the host does not keep it.
func TestFetchInMemory(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(internet))
	t.Cleanup(server.Close)
	_, err := engine.Run(t.Context(), `await (await fetch(base + '/endless')).text()`, &javascript.RunOptions{
		Network: networkTo(t, server, network.Limits{ResponseSize: network.Unlimited}),
		Globals: map[string]any{"base": server.URL},
		Limits:  sandbox.Limits{Memory: sandbox.MinMemory},
	})
	limit, ok := errors.AsType[*sandbox.LimitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, sandbox.LimitMemory, limit.Limit)
}

// TestFetchBackpressure: what nobody reads is not sent.
func TestFetchBackpressure(t *testing.T) {
	var sent atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil && sent.Load() < 1<<30 {
			n, _ := w.Write(make([]byte, 1<<16))
			sent.Add(int64(n))
		}
	}))
	t.Cleanup(server.Close)
	result, err := engine.Run(t.Context(), `
		const r = (await fetch(base)).body.getReader();
		let n = 0;
		while (n < 1e6) n += (await r.read()).value.length;
		await new Promise((resolve) => setTimeout(resolve, 50));
		await r.cancel();
		return 'read'`, &javascript.RunOptions{
		Network: networkTo(t, server, network.Limits{ResponseSize: network.Unlimited}),
		Globals: map[string]any{"base": server.URL},
	})
	require.NoError(t, err)
	require.Equal(t, "read", result.Text)
	require.Less(t, sent.Load(), int64(100<<20), "buffers of sockets are some megabytes")
}

// TestFetchInSessions: the network is that of each script, and requests do not outlive it.
func TestFetchInSessions(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(internet))
	t.Cleanup(server.Close)
	options := func() *javascript.RunOptions {
		return &javascript.RunOptions{Session: true, Network: networkTo(t, server, network.Limits{}),
			Globals: map[string]any{"base": server.URL}}
	}
	first, err := engine.Run(t.Context(),
		`var r = await fetch(base + '/slow'), whole = await fetch(base + '/json');
			return await (await fetch(base + '/json')).text()`,
		options())
	require.NoError(t, err)
	require.Equal(t, `{"a":1}`, first.Text)
	next := options()
	next.State = first.State
	second, err := engine.Run(t.Context(),
		`return await (await fetch(base + '/json')).text() + await r.text().catch((e) => e.message)`, next)
	require.NoError(t, err)
	require.Equal(
		t, `{"a":1}the response is not there any more: it was cancelled, `+
			`or the run was suspended meanwhile; make the request again`,
		second.Text,
	)
	without := &javascript.RunOptions{Session: true, State: first.State}
	_, err = engine.Run(t.Context(), `await fetch('https://example.com')`, without)
	require.ErrorContains(t, err, "TypeError: there is no network here any more")
}

// BenchmarkFetch compares fetch of a small body with net/http in the same process.
func BenchmarkFetch(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"a":1}`)
	}))
	b.Cleanup(server.Close)
	b.Run("http", func(b *testing.B) {
		for b.Loop() {
			response, err := http.Get(server.URL)
			require.NoError(b, err)
			_, err = io.ReadAll(response.Body)
			require.NoError(b, err)
			require.NoError(b, response.Body.Close())
		}
	})
	b.Run("fetch", func(b *testing.B) {
		run := networkTo(b, server, network.Limits{PerRun: network.Unlimited, PerMinute: network.Unlimited})
		script := fmt.Sprintf(`for (let i = 0; i < %d; i++) await (await fetch(base)).json()`, b.N)
		b.ResetTimer()
		_, err := engine.Run(b.Context(), script, &javascript.RunOptions{Network: run,
			Globals: map[string]any{"base": server.URL},
			Limits:  sandbox.Limits{Time: time.Hour, Work: sandbox.Unlimited}})
		require.NoError(b, err)
	})
}

// TestFetchCannotReachInward has attacks by addresses and redirects.
func TestFetchCannotReachInward(t *testing.T) {
	t.Parallel()
	urls := []any{}
	for _, address := range egresstest.Trapped() {
		urls = append(urls, address)
	}
	result, err := engine.Run(t.Context(), `
		const got = [];
		for (const url of urls) {
			try { got.push(await (await fetch(url)).text()) } catch (e) { got.push(e.name) }
		}
		return [got.length, got[0], ...new Set(got)].join()`,
		&javascript.RunOptions{Network: egresstest.Trap(t), Globals: map[string]any{"urls": urls}})
	require.NoError(t, err)
	// the trap fails the test if it must
	require.Equal(t, fmt.Sprint(len(urls), ",public,public,TypeError"), result.Text)
}
