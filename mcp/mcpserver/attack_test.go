package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/leakcheck"
	"github.com/toolrun/toolrun/internal/test/mcptest"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

const initializeRequest = `{"jsonrpc":"2.0","id":1,"method":"initialize",` +
	`"params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// post sends a message, and returns the answer and all of its body.
func post(t *testing.T, url, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	response, err := client.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(text)
}

func TestForeignHostsAndOrigins(t *testing.T) {
	url := serve(t, newServer(t, builtIn(t), newProject(t), nil), &mcpserver.HandlerOptions{
		Hosts: []string{"tools.example.com"}, Origins: []string{"https://app.example.com"},
	})
	own := strings.TrimPrefix(url, "http://")
	for _, test := range []struct {
		host, origin string
		want         int
	}{
		{own, "", 200},
		{"localhost", "", 200},
		{"LOCALHOST:1", "", 200},
		{"[::1]:80", "", 200},
		{"tools.example.com", "", 200},
		{"tools.example.com:443", "", 200},
		{"evil.example.com", "", 403},
		{"localhost.evil.example.com", "", 403},
		{"127.0.0.1.evil.example.com", "", 403},
		{"tools.example.com.evil.example.com", "", 403},
		{"169.254.169.254", "", 403},
		{"0.0.0.0", "", 403},
		{own, "http://" + own, 200},
		{own, "https://app.example.com", 200},
		{own, "http://app.example.com", 403},
		{own, "https://evil.example.com", 403},
		{own, "http://localhost:1", 403},
		{own, "null", 403},
		{own, "http://" + own + "@evil.example.com", 403},
		{"evil.example.com", "http://evil.example.com", 403},
	} {
		headers := []string{"Host", test.host}
		if test.origin != "" {
			headers = append(headers, "Origin", test.origin)
		}
		response, text := post(t, url, initializeRequest, headers...)
		require.Equal(t, test.want, response.StatusCode, "%v: %s", test, text)
	}
	// A browser asks first.
	r, err := http.NewRequestWithContext(t.Context(), http.MethodOptions, url, nil)
	require.NoError(t, err)
	r.Header.Set("Origin", "https://app.example.com")
	r.Header.Set("Access-Control-Request-Method", "POST")
	response, err := client.Do(r)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, "https://app.example.com", response.Header.Get("Access-Control-Allow-Origin"))
	// clients of the newest version send these
	for _, name := range []string{"Mcp-Session-Id", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name"} {
		require.Contains(t, response.Header.Get("Access-Control-Allow-Headers"), name)
	}
}

// TestOthersSessionsAndFiles has two clients with a token each, one of which wants what is the other's.
func TestOthersSessionsAndFiles(t *testing.T) {
	store := local.NewMemoryStore(nil)
	defer store.Close()
	servers := map[string]*mcpserver.Server{}
	for _, id := range []string{"mine", "theirs"} {
		project, err := store.Open(t.Context(), id)
		require.NoError(t, err)
		require.NoError(t, vfs.WriteFile(t.Context(), project, "/secret", []byte("of "+id)))
		server, err := mcpserver.New(t.Context(), mcpserver.Fixed(builtIn(t),
			registry.Env{Project: id, Files: project}), nil)
		require.NoError(t, err)
		servers["Bearer "+id] = server
	}
	handler := mcpserver.NewHandler(func(r *http.Request) (*mcpserver.Server, error) {
		if server := servers[r.Header.Get("Authorization")]; server != nil {
			return server, nil
		}
		return nil, mcpserver.ErrUnauthorized
	}, nil)
	url := listen(t, handler)
	defer func() { require.NoError(t, handler.Shutdown(context.Background())) }()

	for _, token := range []string{"", "Bearer", "Bearer x", "Basic mine", "mine", "bearer mine"} {
		response, text := post(t, url, initializeRequest, "Authorization", token)
		require.Equal(t, 401, response.StatusCode, token)
		require.Contains(t, response.Header.Get("WWW-Authenticate"), "Bearer")
		require.NotContains(t, text, "mine")
	}
	sessions := map[string]string{}
	for token := range servers {
		response, _ := post(t, url, initializeRequest, "Authorization", token)
		require.Equal(t, 200, response.StatusCode)
		sessions[token] = response.Header.Get("Mcp-Session-Id")
		require.NotEmpty(t, sessions[token])
	}
	const list = `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"toolrun://theirs/secret"}}`
	for _, test := range []struct {
		token, session string
		status         int
		want           string
	}{
		{"Bearer theirs", sessions["Bearer theirs"], 200, "of theirs"},
		{"Bearer mine", sessions["Bearer mine"], 200, "not found"},
		{"Bearer mine", sessions["Bearer theirs"], 404, "session not found"},
		{"", sessions["Bearer theirs"], 401, ""},
		{"Bearer mine", "guessed", 404, ""},
	} {
		response, text := post(t, url, list, "Authorization", test.token, "Mcp-Session-Id", test.session,
			"Mcp-Protocol-Version", "2025-06-18")
		require.Equal(t, test.status, response.StatusCode, text)
		require.Contains(t, text, test.want)
		if test.token != "Bearer theirs" {
			require.NotContains(t, text, "of theirs")
		}
	}
	// Nor can it end the session, listen to it, or do without one.
	for _, method := range []string{http.MethodDelete, http.MethodGet} {
		r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer mine")
		r.Header.Set("Mcp-Session-Id", sessions["Bearer theirs"])
		r.Header.Set("Accept", "text/event-stream")
		response, err := client.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, 404, response.StatusCode, method)
	}
	response, text := post(t, url, list, "Authorization", "Bearer theirs", "Mcp-Session-Id",
		sessions["Bearer theirs"])
	require.Equal(t, 200, response.StatusCode)
	require.Contains(t, text, "of theirs")
}

func TestOversizedRequests(t *testing.T) {
	bubble(t, func(t *testing.T) {
		url := serve(t, newServer(t, builtIn(t), newProject(t), nil), &mcpserver.HandlerOptions{Body: 1 << 20})
		large := `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("x", 1<<20) + `"}}`
		response, text := post(t, url, large)
		require.Equal(t, 413, response.StatusCode, text)
		// One that does not say how large it is.
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url,
			io.MultiReader(strings.NewReader(large)))
		require.NoError(t, err)
		response, err = client.Do(r)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, 413, response.StatusCode)

		// Many that say that they are large, and then send nothing, do not make the process grow, and hold nobody up.
		url = serve(t, newServer(t, builtIn(t), newProject(t), nil), nil)
		address := strings.TrimPrefix(url, "http://")
		for _, length := range []string{fmt.Sprintf("Content-Length: %d\r\n\r\n{", 32<<20),
			"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"} {
			for range 20 {
				conn, err := network.DialContext(t.Context(), "tcp", address)
				require.NoError(t, err)
				defer conn.Close()
				_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: localhost\r\n"+length)
				require.NoError(t, err)
			}
			synctest.Wait()
			response, text = post(t, url, initializeRequest)
			require.Equal(t, 200, response.StatusCode, text)
		}
		// Those that send all but the end are refused when they are too many.
		refused := make(chan int, 20)
		almost := "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 6000000\r\n\r\n" + strings.Repeat(" ",
			5_999_999)
		for range 20 {
			go func() {
				conn, err := network.DialContext(t.Context(), "tcp", address)
				if err != nil {
					return
				}
				t.Cleanup(func() { _ = conn.Close() })
				go func() { _, _ = io.WriteString(conn, almost) }()
				if answer, err := http.ReadResponse(bufio.NewReader(conn), nil); err == nil {
					refused <- answer.StatusCode
				}
			}()
		}
		require.Equal(t, 503, <-refused)
	})
}

func TestSlowClients(t *testing.T) {
	bubble(t, func(t *testing.T) {
		project := newProject(t)
		require.NoError(t, vfs.WriteFile(t.Context(), project, "/large", bytes.Repeat([]byte("x"), 3<<20)))
		server := newServer(t, builtIn(t, mcptest.Measured()...), project, &mcpserver.Options{Requests: 4})
		url := serve(t, server, &mcpserver.HandlerOptions{ReadTimeout: 200 * time.Millisecond,
			WriteTimeout: time.Second,
			Stateless:    true})
		dial := func(request string) net.Conn {
			conn, err := network.DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
			require.NoError(t, err)
			t.Cleanup(func() { _ = conn.Close() })
			_, err = io.WriteString(conn, request)
			require.NoError(t, err)
			return conn
		}
		const head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: " +
			"application/json, text/event-stream\r\nContent-Length: "
		// One that does not send what it has announced.
		answer, err := http.ReadResponse(bufio.NewReader(dial(head+"100\r\n\r\n{")), nil)
		require.NoError(t, err)
		require.Equal(t, 408, answer.StatusCode)
		// Some that do not take what they have asked for.
		const read = `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"toolrun://notes/large"}}`
		for range 20 {
			dial(fmt.Sprintf("%s%d\r\n\r\n%s", head, len(read), read))
		}
		time.Sleep(2 * time.Second)
		response, text := post(t, url,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"length","arguments":{"text":"four"}}}`)
		require.Equal(t, 200, response.StatusCode)
		require.Contains(t, text, "4 bytes")
	})
}

func TestInvalidUTF8(t *testing.T) {
	url := serve(t, newServer(t, builtIn(t), newProject(t), nil), &mcpserver.HandlerOptions{Stateless: true})
	for _, body := range []string{
		"\xff\xfe\x00", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":\"\xff\",\"method\":\"ping\"}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"\xff\"}}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"," +
			"\"params\":{\"name\":\"filesystem\",\"arguments\":{\"command\":\"view\",\"path\":\"\xff\xfe\"}}}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"," +
			"\"params\":{\"name\":\"javascript\",\"arguments\":{\"code\":\"return " +
			"'\xff\xed\xa0\x80'\"}}}",
		`{"jsonrpc":"2.0","id":1,"method":"tools/call",` +
			`"params":{"name":"javascript","arguments":{"code":"return '\ud800'"}}}`,
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{\"uri\":\"toolrun://notes/\xff\"}}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"completion/complete\"," +
			"\"params\":{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"\xff\"}," +
			"\"argument\":{\"name\":\"path\",\"value\":\"\xff\"}}}",
		"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"prompts/get\",\"params\":{\"name\":\"\xff\"}}",
		`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":"_w"}}`,
		strings.Repeat("[", 100_000), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` +
			strings.Repeat(`{"a":`, 100_000),
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"javascript","arguments":{"code":` +
			strings.Repeat("[", 50_000) + strings.Repeat("]", 50_000) + `}}}`,
		`{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, `{"jsonrpc":"2.0","id":{},"method":"ping"}`,
		`{"jsonrpc":"2.0","id":null,"method":"tools/list"}`,
	} {
		response, text := post(t, url, body)
		require.Less(t, response.StatusCode, 500, "%.100q: %s", body, text)
		require.Equal(t, text, strings.ToValidUTF8(text, ""), "%.100q", body)
	}
	response, _ := post(t, url, initializeRequest)
	require.Equal(t, 200, response.StatusCode)
}

// TestTenThousandSessions has a client that begins one session after the other and never comes back.
func TestTenThousandSessions(t *testing.T) {
	for name, test := range map[string]func(t *testing.T, options *mcpserver.HandlerOptions) *mcpserver.Handler{
		"of one project": func(t *testing.T, options *mcpserver.HandlerOptions) *mcpserver.Handler {
			server := newServer(t, builtIn(t), newProject(t), &mcpserver.Options{Rate: 1e6})
			return mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil }, options)
		},
		"with a project each": func(t *testing.T, options *mcpserver.HandlerOptions) *mcpserver.Handler {
			tools, project := builtIn(t), newProject(t)
			var made, ended atomic.Int64
			t.Cleanup(func() {
				require.EqualValues(t, 100, made.Load())
				require.EqualValues(t, 100, ended.Load())
			})
			options.NewSession = func(ctx context.Context) (*mcpserver.Server, func(), error) {
				made.Add(1)
				server, err := mcpserver.New(ctx, mcpserver.Fixed(tools, registry.Env{Files: project}), nil)
				return server, func() { ended.Add(1) }, err
			}
			return mcpserver.NewHandler(nil, options)
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := leakcheck.Take()
			const room = 100
			handler := test(t, &mcpserver.HandlerOptions{Sessions: room})
			var begun, refused, other atomic.Int64
			var group sync.WaitGroup
			for range 16 {
				group.Go(func() {
					for range 10_000 / 16 {
						r := httptest.NewRequest(http.MethodPost, "http://localhost/",
							strings.NewReader(initializeRequest))
						r.Header.Set("Content-Type", "application/json")
						r.Header.Set("Accept", "application/json, text/event-stream")
						w := httptest.NewRecorder()
						handler.ServeHTTP(w, r)
						switch w.Code {
						case 200:
							begun.Add(1)
						case 503, 429:
							refused.Add(1)
						default:
							other.Add(1)
						}
					}
				})
			}
			group.Wait()
			require.EqualValues(t, room, begun.Load())
			require.Equal(t, room, handler.Sessions())
			require.EqualValues(t, 10_000-room, refused.Load())
			require.Zero(t, other.Load())
			require.NoError(t, handler.Shutdown(context.Background()))
			before.Require(t, leakcheck.Growth{Mappings: 50, Memory: 64 << 20})
			require.Zero(t, handler.Sessions())
		})
	}
}

func TestSessionsThatDoNothingEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		server := newServer(t, builtIn(t), newProject(t), nil)
		handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil },
			&mcpserver.HandlerOptions{SessionTimeout: time.Minute - time.Second})
		url := listen(t, handler)
		defer func() { require.NoError(t, handler.Shutdown(t.Context())) }()
		response, _ := post(t, url, initializeRequest)
		require.Equal(t, 200, response.StatusCode)
		time.Sleep(time.Minute)
		require.Zero(t, handler.Sessions())
		response, _ = post(t, url, `{"jsonrpc":"2.0","id":2,"method":"ping"}`, "Mcp-Session-Id",
			response.Header.Get("Mcp-Session-Id"))
		require.Equal(t, 404, response.StatusCode)
	})
}

func TestFailingSource(t *testing.T) {
	fails := atomic.Bool{}
	server, err := mcpserver.New(t.Context(), func(context.Context) (*registry.Registry, registry.Env, error) {
		if fails.Load() {
			return nil, registry.Env{}, errors.New("/home/someone/projects is not there")
		}
		return builtIn(t), registry.Env{}, nil
	}, nil)
	require.NoError(t, err)
	fails.Store(true)
	var out bytes.Buffer
	require.NoError(t, server.ServeStdio(context.Background(), strings.NewReader(initialize), &out))
	require.Contains(t, out.String(), "cannot open the project")
	require.NotContains(t, out.String(), "someone")
}
