package mcpclient_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/leakcheck"
	"github.com/toolrun/toolrun/internal/test/mcptest"
	"github.com/toolrun/toolrun/mcp/mcpclient"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

func secretEnv(name string) (string, bool) {
	value, ok := map[string]string{"MY_TOKEN": "s3cr3t-value"}[name]
	return value, ok
}

// openURL opens the server at a URL, with a secret in a header.
func openURL(t testing.TB, url string, options *mcpclient.Options) *mcpclient.Set {
	t.Helper()
	if options == nil {
		options = &mcpclient.Options{}
	}
	options.LookupEnv = secretEnv
	return mcptest.Open(t, options, map[string]mcpclient.ServerConfig{"web": {
		URL: url, Headers: map[string]string{"Authorization": "Bearer ${MY_TOKEN}"},
	}})
}

// overHTTP starts an HTTP server with the SDK's handler.
func overHTTP(server *sdk.Server, options *sdk.StreamableHTTPOptions) *httptest.Server {
	return httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, options))
}

func TestHTTP(t *testing.T) {
	for name, test := range map[string]struct {
		options  *sdk.StreamableHTTPOptions
		versions []string
	}{
		"with events":        {nil, nil},
		"with JSON":          {&sdk.StreamableHTTPOptions{JSONResponse: true}, nil},
		"without sessions":   {&sdk.StreamableHTTPOptions{Stateless: true}, nil},
		"the oldest version": {nil, []string{"2024-11-05"}},
		"the newest version": {&sdk.StreamableHTTPOptions{Stateless: true}, []string{"2026-07-28"}},
	} {
		t.Run(name, func(t *testing.T) {
			before := leakcheck.Take()
			web := overHTTP(mcptest.Good(test.versions...), test.options)
			set := openURL(t, web.URL, nil)
			mcptest.Connected(t, set)
			require.Equal(t, `{"n":9007199254740993}`, mcptest.Call(t, set, "web_echo",
				`{"n":9007199254740993}`).Text())
			require.Equal(t, `{"n":9007199254740993}`,
				fmt.Sprintf("%s", mcptest.Call(t, set, "web_echo", `{"n":9007199254740993}`).Data))
			require.Len(t, mcptest.Call(t, set, "web_parts", `{}`).Content, 6)
			require.Contains(t, mcptest.Call(t, set, "web_refuse", `{}`).Text(), "refused")
			require.NoError(t, set.Close())
			web.CloseClientConnections()
			web.Close()
			before.Require(t, leakcheck.Growth{Mappings: 20})
		})
	}
}

func TestHTTPListChanged(t *testing.T) {
	web := overHTTP(mcptest.Good(), nil)
	defer web.Close()
	set := openURL(t, web.URL, nil)
	mcptest.Connected(t, set)
	mcptest.Call(t, set, "web_grow", `{}`)
	mcptest.Until(t, set, func() bool { return mcptest.Call(t, set, "web_grown", `{}`).Text() == "tall" })
	require.NoError(t, set.Close())
}

func TestOlderHTTP(t *testing.T) {
	server := mcptest.Good()
	web := httptest.NewServer(sdk.NewSSEHandler(func(*http.Request) *sdk.Server { return server }, nil))
	defer web.Close()
	set := mcptest.Open(t, nil, map[string]mcpclient.ServerConfig{"web": {URL: web.URL, Transport: mcpclient.SSE}})
	mcptest.Connected(t, set)
	require.Equal(t, `{"n":9007199254740993}`, mcptest.Call(t, set, "web_echo", `{"n":9007199254740993}`).Text())
	require.NoError(t, set.Close())
}

// TestLostSession has a server that forgets its sessions, as if it had been restarted.
func TestLostSession(t *testing.T) {
	var handler atomic.Pointer[http.Handler]
	renew := func() {
		server := mcptest.Good()
		h := http.Handler(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, nil))
		handler.Store(&h)
	}
	renew()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		r *http.Request) {
		(*handler.Load()).ServeHTTP(w, r)
	}))
	defer web.Close()
	set := openURL(t, web.URL, nil)
	mcptest.Connected(t, set)
	changed := set.Changed()
	renew()
	require.Equal(t, tool.CodeFailed, mcptest.Call(t, set, "web_echo", `{}`).Code)
	<-changed
	mcptest.Until(t, set, func() bool { return mcptest.Call(t, set, "web_echo", `{}`).Code == "" })
	require.NoError(t, set.Close())
	web.CloseClientConnections()
}

// answers starts a server that answers calls with answer, and everything else correctly.
func answers(t testing.TB, answer func(w http.ResponseWriter, r *http.Request, id json.RawMessage)) *httptest.Server {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if err != nil || r.Method != http.MethodPost || json.Unmarshal(body, &m) != nil {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		switch m.Method {
		case "initialize":
			fmt.Fprintf(
				w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18",`+
					`"capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}}`,
				m.ID,
			)
		case "tools/list":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"tools":[`+mcptest.PlainTool+`]}}`, m.ID)
		case "tools/call":
			answer(w, r, m.ID)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	t.Cleanup(func() { web.CloseClientConnections(); web.Close() })
	return web
}

func TestHTTPErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer func(w http.ResponseWriter, r *http.Request, id json.RawMessage)
		code   tool.Code
		text   string
	}{
		"401": {func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) { w.WriteHeader(401) },
			tool.CodeFailed, "has not answered the call: Unauthorized. It"},
		"500": {func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) { w.WriteHeader(500) },
			tool.CodeFailed, "has not answered the call: Internal Server Error. It"},
		"an error that repeats a header": {func(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
			w.WriteHeader(400)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"bad %s"}}`, id,
				r.Header.Get("Authorization"))
		}, tool.CodeTool, "has refused the call: bad Bearer [redacted]"},
		"another kind of body": {func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<p>hello")
		}, tool.CodeFailed, "unsupported content type"},
		"no JSON": {func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) { fmt.Fprint(w, "{") },
			tool.CodeFailed, "has not answered the call"},
		"an endless body": {func(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
			for r.Context().Err() == nil {
				fmt.Fprint(w, strings.Repeat(" ", 1000))
			}
		}, tool.CodeFailed, "more than 1 MiB at once"},
		"an endless event": {func(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				fmt.Fprint(w, "data: x\n")
			}
		}, tool.CodeFailed, "more than 1 MiB at once"},
		"events without an end": {func(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, ": hello\n\nevent: other\ndata: x\n\nnonsense\n\ndata: {\"jsonrpc\":\"2.0\",\ndata: "+
				"\"id\":%s,\"result\":{\"content\":[]}}\n\n", id)
			for r.Context().Err() == nil {
				fmt.Fprint(w, "data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n")
			}
		}, "", ""},
		"a stream that ends": {func(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
			w.Header().Set("Content-Type", "text/event-stream")
		}, tool.CodeFailed, "request terminated without response"},
		"an endless error": {func(w http.ResponseWriter, r *http.Request, id json.RawMessage) {
			w.WriteHeader(404)
			for r.Context().Err() == nil {
				fmt.Fprint(w, "not here")
			}
		}, tool.CodeFailed, "Not Found"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := openURL(t, answers(t, test.answer).URL, &mcpclient.Options{MaxMessage: 1 << 20})
			mcptest.Connected(t, set)
			result := mcptest.Call(t, set, "web_t", `{}`)
			require.Equal(t, test.code, result.Code, result.Text())
			require.Contains(t, result.Text(), test.text)
			require.NotContains(t, result.Text(), "s3cr3t")
			if result.Err != nil {
				require.NotContains(t, result.Err.Error(), "s3cr3t")
			}
			require.NoError(t, set.Close())
		})
	}
}

// TestHTTPCallEnds has a server that does not answer a call.
func TestHTTPCallEnds(t *testing.T) {
	set := openURL(t, answers(t, func(_ http.ResponseWriter, r *http.Request,
		_ json.RawMessage) {
		<-r.Context().Done()
	}).URL, nil)
	mcptest.Connected(t, set)
	result := set.Registry().Dispatch(t.Context(), tool.Call{Tool: "web_t"},
		registry.Env{Limits: registry.Limits{Timeout: 50 * time.Millisecond}})
	require.Equal(t, tool.CodeTimeout, result.Code)
	require.NotErrorIs(t, result.Err, registry.ErrAbandoned)
}

// TestRedirects has servers that redirect requests to other servers.
func TestRedirects(t *testing.T) {
	var mu sync.Mutex
	var stolen []http.Header
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		stolen = append(stolen, r.Header)
	}))
	defer thief.Close()
	good := mcptest.Good()
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return good }, nil)
	mux := http.NewServeMux()
	mux.Handle("/away", http.RedirectHandler(thief.URL, http.StatusTemporaryRedirect))
	mux.Handle("/round", http.RedirectHandler("/round", http.StatusTemporaryRedirect))
	mux.Handle("/moved", http.RedirectHandler("/mcp", http.StatusPermanentRedirect))
	mux.Handle("/mcp", handler)
	mux.HandleFunc("/sse", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "event: endpoint\ndata: %s/x\n\n", thief.URL)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	web := httptest.NewServer(mux)
	defer web.Close()
	defer web.CloseClientConnections()

	for path, want := range map[string]string{"/away": "the server sends requests on to another one, " + thief.URL,
		"/round": "redirects too often"} {
		set := openURL(t, web.URL+path, nil)
		require.ErrorContains(t, set.Status()[0].Err, want)
		require.NoError(t, set.Close())
	}
	set := mcptest.Open(t, &mcpclient.Options{LookupEnv: secretEnv}, map[string]mcpclient.ServerConfig{"web": {
		URL: web.URL + "/sse", Transport: mcpclient.SSE, Headers: map[string]string{"Authorization": "${MY_TOKEN}"},
	}})
	require.ErrorContains(t, set.Status()[0].Err, "to another one")
	require.NoError(t, set.Close())
	set = openURL(t, web.URL+"/moved", nil)
	mcptest.Connected(t, set)
	require.NoError(t, set.Close())
	require.Empty(t, stolen)
}

// TestUnreachable has a URL with a secret, which the errors of package net/http repeat.
func TestUnreachable(t *testing.T) {
	web := httptest.NewServer(nil)
	web.Close()
	set := openURL(t, web.URL+"/?api_key=${MY_TOKEN}", nil)
	err := set.Status()[0].Err
	require.ErrorContains(t, err, "api_key=[redacted]")
	require.NotContains(t, err.Error(), "s3cr3t")
}

// TestSecretsOfAddresses has variables that are secrets by their place in the URL, not by their names.
func TestSecretsOfAddresses(t *testing.T) {
	web := httptest.NewServer(nil)
	web.Close()
	lookup := func(string) (string, bool) { return "s3cr3t/v+lue", true }
	for _, address := range []string{web.URL + "/?api_key=${MINE}", web.URL + "/?a=1&access_token=x${MINE}",
		strings.Replace(web.URL, "//", "//u:${MINE2:-}@", 1)} {
		set := mcptest.Open(t, &mcpclient.Options{LookupEnv: lookup},
			map[string]mcpclient.ServerConfig{"web": {URL: address}})
		err := set.Status()[0].Err
		require.Error(t, err)
		require.NotContains(t, err.Error(), "s3cr3t", address)
	}
}

// FuzzAnswers answers calls with arbitrary data.
func FuzzAnswers(f *testing.F) {
	for _, answer := range []string{
		`{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"x"}],"structuredContent":{"a":1}}}`,
		"event: message\nid: 1\nretry: 5\ndata: {\"jsonrpc\":\"2.0\",\ndata: " +
			"\"id\":3,\"result\":{\"content\":[{\"type\":\"resource\",\"resource\":{\"text\":\"\"}}]}}\n\n",
		`{"jsonrpc":"2.0","id":3,"error":{"code":-32602,"message":"no","data":[]}}`,
		`{"jsonrpc":"2.0","id":"3","method":"ping"}`,
		`{"method":"notifications/progress","params":{"progressToken":"1","progress":1e999}}`,
		`{"method":"notifications/message","params":{"data":{}}}`,
		`{"jsonrpc":"2.0","id":3,"result":{"protocolVersion":1}}`,
	} {
		f.Add(answer, false)
		f.Add(answer, true)
	}
	f.Fuzz(func(t *testing.T, answer string, events bool) {
		web := answers(t, func(w http.ResponseWriter, _ *http.Request, _ json.RawMessage) {
			if events {
				w.Header().Set("Content-Type", "text/event-stream")
			}
			_, _ = io.WriteString(w, answer)
		})
		set := openURL(t, web.URL, nil)
		result := set.Registry().Dispatch(t.Context(), tool.Call{Tool: "web_t"},
			registry.Env{Limits: registry.Limits{Timeout: 100 * time.Millisecond}})
		require.NotEmpty(t, result.Content)
		require.True(t, utf8.ValidString(result.Text()))
		require.NoError(t, set.Close())
	})
}

// TestPlainSecrets has secrets in the configuration itself. They are redacted in everything that the server repeats.
func TestPlainSecrets(t *testing.T) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var request struct{ ID json.RawMessage }
		if json.NewDecoder(r.Body).Decode(&request) != nil {
			return
		}
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"%s is no token, %s"}}`,
			request.ID, token,
			r.Header.Get("X-Api-Key"))
	}))
	defer web.Close()
	set := mcptest.Open(t, nil, map[string]mcpclient.ServerConfig{"web": {URL: web.URL, Headers: map[string]string{
		"Authorization": "Bearer hunter22", "X-Api-Key": "${NONE:-hunter23}"}}})
	err := set.Status()[0].Err
	require.ErrorContains(t, err, "[redacted] is no token, [redacted]")
	require.NotContains(t, err.Error(), "hunter2")
}
