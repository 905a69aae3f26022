package mcpserver_test

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/leakcheck"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

func TestOptionsThatAreWrong(t *testing.T) {
	source := mcpserver.Fixed(builtIn(t), registry.Env{})
	for _, options := range []mcpserver.Options{{Calls: -1}, {Requests: -1}, {Rate: -1}, {Rate: math.NaN()},
		{Resource: -1}} {
		_, err := mcpserver.New(t.Context(), source, &options)
		require.ErrorContains(t, err, "must not be negative")
	}
	// Limits that are larger than anything are none.
	server := newServer(t, builtIn(t), newProject(t), &mcpserver.Options{Rate: math.Inf(1), Calls: math.MaxInt})
	url := serve(t, server, nil)
	for range 5 {
		response, text := post(t, url, initializeRequest)
		require.Equal(t, 200, response.StatusCode, text)
	}
}

// TestListeningInSessions has a client that listens, as versions without sessions have it, in a session, and goes
// away each time.
func TestListeningInSessions(t *testing.T) {
	server := newServer(t, builtIn(t), newProject(t), &mcpserver.Options{Rate: 1e6})
	url := serve(t, server, nil)
	response, _ := post(t, url, initializeRequest)
	session := response.Header.Get("Mcp-Session-Id")
	before := leakcheck.Take()
	for i := range 100 {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		body := fmt.Sprintf(
			`{"jsonrpc":"2.0","id":"l%d","method":"subscriptions/listen",`+
				`"params":{"notifications":{"toolsListChanged":true}}}`, i,
		)
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
		require.NoError(t, err)
		for k, v := range map[string]string{"Content-Type": "application/json",
			"Accept":         "application/json, text/event-stream",
			"Mcp-Session-Id": session, "Mcp-Protocol-Version": "2025-06-18", "Mcp-Method": "subscriptions/listen"} {
			r.Header.Set(k, v)
		}
		response, err := client.Do(r)
		if err == nil {
			_ = response.Body.Close()
		}
		cancel()
	}
	before.Require(t, leakcheck.Growth{Mappings: 50, Memory: 64 << 20})
}

// TestManyListenersOverStdio has a client of the newest version that listens again and again.
func TestManyListenersOverStdio(t *testing.T) {
	server := newServer(t, builtIn(t), newProject(t), nil)
	send, receive := newLines(t, server, initialize)
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}`
	refused := 0
	for i := range 1030 {
		send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"l%d","method":"subscriptions/listen","params":{`+meta+
			`,"notifications":{"toolsListChanged":true}}}`, i))
		if strings.Contains(receive(), "too many requests") {
			refused++
		}
	}
	require.NotZero(t, refused)
}

// TestNotificationsAreNotRefused has a client that says that it is there while the server is busy.
func TestNotificationsAreNotRefused(t *testing.T) {
	tool, begun, release := waits()
	server := newServer(t, builtIn(t, tool), newProject(t), &mcpserver.Options{Requests: 1})
	first := connect(t, overStdio(t, server), "2025-11-25", nil)
	send, receive := newLines(t, server, strings.SplitN(initialize, "\n", 2)[0])
	ended := start(t.Context(), first)
	<-begun
	send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	require.Contains(t, receive(), "too many requests")
	close(release)
	require.Equal(t, outcome{"finished", nil}, <-ended)
	send(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"waits"}}`)
	require.Contains(t, receive(), "finished")
}

// TestProgressThatIsTooMuch has a tool that reports without end what it should not.
func TestProgressThatIsTooMuch(t *testing.T) {
	bubble(t, func(t *testing.T) {
		one := tool.Func(tool.Spec{Name: "reports", Description: "Reports."},
			func(_ context.Context, _ struct{}, env tool.Env) (string, error) {
				env.Report("none", math.Inf(1), 0)
				env.Report("none", 1, math.Inf(1))
				for i := range 1000 {
					env.Report(strings.Repeat("x", 1<<16), float64(i), 1)
				}
				return "", nil
			})
		server := newServer(t, builtIn(t, one), newProject(t), nil)
		heard := make(chan *sdk.ProgressNotificationParams, 1000)
		session := connect(t, overStdio(t, server), "2025-11-25", &sdk.ClientOptions{
			ProgressNotificationHandler: func(_ context.Context,
				n *sdk.ProgressNotificationClientRequest) {
				heard <- n.Params
			},
		})
		params := &sdk.CallToolParams{Name: "reports"}
		params.SetProgressToken(1)
		_, err := session.CallTool(t.Context(), params)
		require.NoError(t, err)
		require.LessOrEqual(t, len(heard), 3)
		last := -1.0
		for range len(heard) {
			n := <-heard
			require.Greater(t, n.Progress, last)
			require.Less(t, len(n.Message), 5000)
			last = n.Progress
		}
	})
}

// TestSubscriptionsToManyNames has clients that subscribe to one file by names that are as long as can be, and go away.
func TestSubscriptionsToManyNames(t *testing.T) {
	bubble(t, func(t *testing.T) {
		project := newProject(t)
		require.NoError(t, vfs.WriteFile(t.Context(), project, "/a", nil))
		server := newServer(t, builtIn(t), project, nil)
		var before, after runtime.MemStats
		for i := range 60 {
			if i == 10 {
				synctest.Wait()
				runtime.GC()
				runtime.ReadMemStats(&before)
			}
			var out strings.Builder
			lines := initialize
			for j := range 16 {
				lines += fmt.Sprintf(
					`{"jsonrpc":"2.0","id":%d,"method":"resources/subscribe","params":{"uri":"toolrun://notes/%sa"}}`+
						"\n", 10+j,
					strings.Repeat("./", 5000-i*16-j))
			}
			require.NoError(t, server.ServeStdio(t.Context(), strings.NewReader(lines), &out))
			require.NotContains(t, out.String(), `"error"`)
		}
		synctest.Wait()
		runtime.GC()
		runtime.ReadMemStats(&after)
		require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(4<<20))
		// A name that is longer than any file's is none.
		answers := rawSession(t, server,
			`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"toolrun://notes/`+
				strings.Repeat("./", 20_000)+`a"}}`)
		require.Contains(t, answers[0], "not found")
	})
}

// TestSessionsOfOneServer has clients with tokens that begin as many sessions as they can, and take all together:
// others get theirs, also with a token that comes later.
func TestSessionsOfOneServer(t *testing.T) {
	servers := map[string]*mcpserver.Server{
		"mine": newServer(t, builtIn(t), newProject(t), nil), "theirs": newServer(t, builtIn(t), newProject(t), nil),
	}
	handler := mcpserver.NewHandler(func(r *http.Request) (*mcpserver.Server,
		error) {
		return servers[r.Header.Get("Authorization")], nil
	},
		&mcpserver.HandlerOptions{Sessions: 10, ServerSessions: 5})
	url := listen(t, handler)
	defer func() { require.NoError(t, handler.Shutdown(context.Background())) }()
	begin := func(who string, most int) {
		for i := range 10 {
			want := 200
			if i >= most {
				want = 503
			}
			response, text := post(t, url, initializeRequest, "Authorization", who)
			require.Equal(t, want, response.StatusCode, "%s %d: %s", who, i, text)
		}
	}
	begin("mine", 5)
	begin("theirs", 5)
	require.Equal(t, 10, handler.Sessions())
	for _, who := range []string{"later", "last"} {
		servers[who] = newServer(t, builtIn(t), newProject(t), nil)
		begin(who, 1)
	}
	require.Equal(t, 12, handler.Sessions())
}

// TestServersThatComeAndGo has a host that makes a server for each client, and shuts it down: a handler does not keep
// it.
func TestServersThatComeAndGo(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var server *mcpserver.Server
		handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil }, nil)
		url := listen(t, handler)
		var gone weak.Pointer[mcpserver.Server]
		func() {
			var err error
			server, err = mcpserver.New(t.Context(), mcpserver.Fixed(builtIn(t), registry.Env{}), nil)
			require.NoError(t, err)
			response, _ := post(t, url, initializeRequest)
			require.Equal(t, 200, response.StatusCode)
			require.NoError(t, server.Shutdown(t.Context()))
			_, text := post(t, url, initializeRequest)
			require.Contains(t, text, "shutting down")
			gone, server = weak.Make(server), nil
		}()
		synctest.Wait()
		runtime.GC()
		require.Zero(t, handler.Sessions())
		require.Nil(t, gone.Value())
	})
}

// TestOtherWaysCountForTheSameLimits: calls and requests that come by another way than the protocol, such as from a
// page, take the places of the clients' and count for their rate.
func TestOtherWaysCountForTheSameLimits(t *testing.T) {
	tool, begun, release := waits()
	server := newServer(t, builtIn(t, tool), newProject(t), &mcpserver.Options{Calls: 1, Rate: 0.001})
	session := connect(t, overStdio(t, server), "2025-11-25", nil)
	ended := start(t.Context(), session)
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := func(context.Context) { require.Fail(t, "there is no place") }
	require.ErrorIs(t, server.Call(ctx, never), context.Canceled)
	close(release)
	require.Equal(t, outcome{"finished", nil}, <-ended)
	require.NoError(t, server.Call(t.Context(), func(ctx context.Context) {
		ctx, cancel := context.WithCancel(ctx)
		cancel()
		require.ErrorIs(t, server.Call(ctx, never), context.Canceled) // its place is taken
	}))

	handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil }, nil)
	require.True(t, handler.Allow(server))
	require.False(t, handler.Allow(server))
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(initializeRequest))
	handler.ServeHTTP(w, r)
	require.Equal(t, http.StatusTooManyRequests, w.Code)

	stopping := make(chan error, 1)
	require.NoError(t, server.Call(t.Context(), func(call context.Context) { // which ends with the server's patience
		go func() { stopping <- server.Shutdown(ctx) }()
		<-call.Done()
	}))
	require.ErrorIs(t, <-stopping, context.Canceled)
	require.ErrorContains(t, server.Call(t.Context(), never), "shutting down")
	own := mcpserver.NewHandler(nil, &mcpserver.HandlerOptions{NewSession: func(context.Context) (*mcpserver.Server,
		func(), error) {
		return nil, nil, nil
	}})
	require.False(t, own.Allow(server))
}
