package mcpserver_test

//lint:file-ignore SA1019 What the newest version of the protocol discourages is tested as long as it is there.

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// replicas are handlers with the same store behind a balancer.
type replicas struct {
	url      string // of the balancer
	handlers []*mcpserver.Handler
	servers  []*httptest.Server
	project  vfs.Project
	records  vfs.Records
	// next is the replica that gets the next request. pick, if not nil, decides instead.
	next atomic.Int64
	pick atomic.Pointer[func(r *http.Request) int]
}

// newReplicas starts n replicas. Every request goes to another one than the request before.
func newReplicas(t *testing.T, n int, identity string, options mcpserver.HandlerOptions, more ...registry.Tool) *replicas {
	store := local.NewMemoryStore(nil)
	project, err := store.Open(t.Context(), "notes")
	require.NoError(t, err)
	r := &replicas{project: project, records: store.Records("sessions")}
	options.Shared = r.records
	for range n {
		server, err := mcpserver.New(context.Background(),
			mcpserver.Fixed(builtIn(t, more...), registry.Env{Project: "notes", Files: project}), &mcpserver.Options{Identity: identity})
		require.NoError(t, err)
		handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil }, &options)
		r.handlers = append(r.handlers, handler)
		r.servers = append(r.servers, httptest.NewServer(handler))
	}
	balancer := httptest.NewServer(&httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(p *httputil.ProxyRequest) {
		at := int(r.next.Add(1)) % n
		if pick := r.pick.Load(); pick != nil {
			at = (*pick)(p.In)
		}
		target, err := url.Parse(r.servers[at].URL)
		if err != nil {
			panic(err)
		}
		p.SetURL(target)
	}})
	r.url = balancer.URL
	t.Cleanup(func() {
		balancer.CloseClientConnections()
		for i := range r.handlers {
			r.stop(t, i)
		}
		balancer.Close()
		require.NoError(t, store.Close())
	})
	return r
}

// sessions returns the names of the records of sessions.
func (r *replicas) sessions(t *testing.T) ([]string, error) {
	names, err := r.records.List(t.Context(), "", 0)
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "replica.") }), err
}

func (r *replicas) stop(t *testing.T, i int) {
	require.NoError(t, r.handlers[i].Shutdown(context.Background()))
	r.servers[i].CloseClientConnections()
	r.servers[i].Close()
}

func (r *replicas) connect(t *testing.T, version string, options *sdk.ClientOptions) *sdk.ClientSession {
	return connect(t, &sdk.StreamableClientTransport{Endpoint: r.url}, version, options)
}

// viewFile calls the tool filesystem, and returns the text of the result.
func viewFile(t *testing.T, session *sdk.ClientSession, name string) string {
	t.Helper()
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "filesystem",
		Arguments: map[string]any{"command": "view", "path": name}})
	require.NoError(t, err)
	return result.Content[0].(*sdk.TextContent).Text
}

func TestSessionsReachAnyReplica(t *testing.T) {
	for _, version := range handshake[1:] {
		t.Run(version, func(t *testing.T) {
			r := newReplicas(t, 3, "token", mcpserver.HandlerOptions{})
			session := r.connect(t, version, nil)
			for i := range 7 {
				name := fmt.Sprintf("/%d.txt", i)
				_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "filesystem",
					Arguments: map[string]any{"command": "create", "path": name, "file_text": "text\n"}})
				require.NoError(t, err)
				require.Contains(t, viewFile(t, session, name), "text")
			}
			tools, err := session.ListTools(t.Context(), nil)
			require.NoError(t, err)
			require.NotEmpty(t, tools.Tools)
			require.Equal(t, version, session.InitializeResult().ProtocolVersion)
			sessions := 0
			for _, h := range r.handlers {
				sessions += h.Sessions()
			}
			require.Equal(t, 3, sessions, "each has it")

			names, err := r.sessions(t)
			require.NoError(t, err)
			require.Equal(t, []string{session.ID()}, names)
			require.NoError(t, session.Close())
			require.Eventually(t, func() bool {
				left := 0
				for _, h := range r.handlers {
					left += h.Sessions()
				}
				names, err := r.sessions(t)
				return err == nil && left == 0 && len(names) == 0
			}, 10*time.Second, 5*time.Millisecond, "it ends everywhere")
		})
	}
}

func TestSessionsOutlastReplicas(t *testing.T) {
	r := newReplicas(t, 3, "token", mcpserver.HandlerOptions{})
	session := r.connect(t, "2025-11-25", nil)
	_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "filesystem",
		Arguments: map[string]any{"command": "create", "path": "/a", "file_text": "text\n"}})
	require.NoError(t, err)
	left := 2
	only := func(*http.Request) int { return left }
	r.pick.Store(&only)
	r.stop(t, 0)
	r.stop(t, 1)
	for range 3 {
		require.Contains(t, viewFile(t, session, "/a"), "text")
	}
	require.Equal(t, 1, r.handlers[2].Sessions())
}

// Whoever knows a session's id cannot have it with another token, and an id without a record is none.
func TestSharedSessionsOfOthers(t *testing.T) {
	r := newReplicas(t, 1, "token of one", mcpserver.HandlerOptions{})
	session := r.connect(t, "2025-11-25", nil)
	viewFile(t, session, "/")
	for name, test := range map[string]struct {
		identity, id string
		status       int
	}{
		"the same":           {"token of one", session.ID(), http.StatusOK},
		"another token":      {"token of two", session.ID(), http.StatusNotFound},
		"without identity":   {"", session.ID(), http.StatusNotFound},
		"no such session":    {"token of one", "nosuch", http.StatusNotFound},
		"an impossible id":   {"token of one", "\x7f", http.StatusNotFound},
		"the id of a path":   {"token of one", "../" + session.ID(), http.StatusNotFound},
		"in another case":    {"token of one", strings.ToLower(session.ID()), http.StatusNotFound},
		"a record of others": {"token of one", "damaged", http.StatusNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, r.records.Change(t.Context(), "damaged", time.Minute,
				func([]byte) ([]byte, error) { return []byte(`{"identity":"token of one"}`), nil }))
			server, err := mcpserver.New(context.Background(), mcpserver.Fixed(builtIn(t),
				registry.Env{Project: "notes", Files: r.project}), &mcpserver.Options{Identity: test.identity})
			require.NoError(t, err)
			handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil },
				&mcpserver.HandlerOptions{Shared: r.records})
			defer func() { require.NoError(t, handler.Shutdown(context.Background())) }()
			answer := postTo(handler, test.id, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			require.Equal(t, test.status, answer.Code, answer.Body.String())
			if test.status != http.StatusOK {
				deleted := httptest.NewRequest(http.MethodDelete, "http://localhost/mcp", nil)
				deleted.Header.Set("Mcp-Session-Id", test.id)
				answer = httptest.NewRecorder()
				handler.ServeHTTP(answer, deleted)
				require.Equal(t, test.status, answer.Code, answer.Body.String())
			}
		})
	}
	viewFile(t, session, "/") // it is still there
}

func newPost(body string) *http.Request {
	request := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	return request
}

func postTo(handler http.Handler, session, body string) *httptest.ResponseRecorder {
	request := newPost(body)
	request.Header.Set("Mcp-Session-Id", session)
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	return answer
}

func TestSharedSubscriptions(t *testing.T) {
	r := newReplicas(t, 2, "token", mcpserver.HandlerOptions{})
	for _, name := range []string{"/a", "/b"} {
		require.NoError(t, vfs.WriteFile(t.Context(), r.project, name, []byte("before")))
	}
	// The client's stream is at the first replica, and what it says goes to the second.
	split := func(in *http.Request) int {
		if in.Method == http.MethodGet {
			return 0
		}
		return 1
	}
	r.pick.Store(&split)
	updates := make(chan string, 100)
	session := r.connect(t, "2025-11-25", &sdk.ClientOptions{
		ResourceUpdatedHandler: func(_ context.Context, request *sdk.ResourceUpdatedNotificationRequest) {
			updates <- request.Params.URI
		}})
	a, b := "toolrun://notes/a", "toolrun://notes/b"
	require.NoError(t, session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: a}))
	require.NoError(t, session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: b}))
	require.NoError(t, session.Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: b}))
	n := 0
	require.Eventually(t, func() bool { // the first replica has to learn of it
		n++
		require.NoError(t, vfs.WriteFile(t.Context(), r.project, "/b", []byte(fmt.Sprint(n))))
		require.NoError(t, vfs.WriteFile(t.Context(), r.project, "/a", []byte(fmt.Sprint(n, n))))
		select {
		case uri := <-updates:
			require.Equal(t, a, uri)
			return true
		default:
			return false
		}
	}, 20*time.Second, 50*time.Millisecond)
}

// A request is canceled through another replica than the one that works on it.
func TestSharedCancellation(t *testing.T) {
	began, ended := make(chan struct{}), make(chan struct{})
	waits := registry.Func(registry.Spec{Name: "waits", Description: "Waits until it is stopped."},
		func(ctx context.Context, _ struct{}, _ registry.Env) (string, error) {
			close(began)
			<-ctx.Done()
			close(ended)
			return "", ctx.Err()
		})
	r := newReplicas(t, 2, "token", mcpserver.HandlerOptions{}, waits)
	first := httptest.NewRecorder()
	r.handlers[0].ServeHTTP(first, newPost(initializeRequest))
	id := first.Header().Get("Mcp-Session-Id")
	require.NotEmpty(t, id, first.Body.String())
	require.Equal(t, http.StatusAccepted, postTo(r.handlers[1], id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`).Code)
	answer := make(chan *httptest.ResponseRecorder, 1)
	go func() {
		answer <- postTo(r.handlers[0], id, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"waits","arguments":{}}}`)
	}()
	<-began
	require.Equal(t, http.StatusAccepted, postTo(r.handlers[1], id,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`).Code)
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		require.FailNow(t, "the call goes on")
	}
	<-answer
}

// What one replica learns of a session's level of logs holds for the others.
func TestSharedLevel(t *testing.T) {
	r := newReplicas(t, 2, "token", mcpserver.HandlerOptions{})
	session := r.connect(t, "2025-11-25", nil)
	require.NoError(t, session.SetLoggingLevel(t.Context(), &sdk.SetLoggingLevelParams{Level: "warning"}))
	var record struct{ State sdk.ServerSessionState }
	require.Eventually(t, func() bool { // the client does not wait until its notification has been seen
		data, err := r.records.Get(t.Context(), session.ID())
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &record))
		return record.State.InitializedParams != nil
	}, 10*time.Second, time.Millisecond)
	require.Equal(t, sdk.LoggingLevel("warning"), record.State.LogLevel)
	require.NotNil(t, record.State.InitializedParams)
	require.Equal(t, "2025-11-25", record.State.InitializeParams.ProtocolVersion)
}

func TestSharedSessionsAreLimited(t *testing.T) {
	r := newReplicas(t, 2, "token", mcpserver.HandlerOptions{Sessions: 2})
	begin := func(at int) string {
		answer := httptest.NewRecorder()
		r.handlers[at].ServeHTTP(answer, newPost(initializeRequest))
		require.Equal(t, http.StatusOK, answer.Code)
		return answer.Header().Get("Mcp-Session-Id")
	}
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	first, second := begin(0), begin(0)
	begin(1)
	require.Equal(t, http.StatusOK, postTo(r.handlers[1], second, list).Code)
	require.Equal(t, 2, r.handlers[1].Sessions())
	require.Equal(t, http.StatusServiceUnavailable, postTo(r.handlers[1], first, list).Code)
	require.Equal(t, http.StatusOK, postTo(r.handlers[0], first, list).Code)
}
