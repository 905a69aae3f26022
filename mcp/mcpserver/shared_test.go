package mcpserver_test

//lint:file-ignore SA1019 What the newest version of the protocol discourages is tested as long as it is there.

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/memnet"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// replicas are handlers with the same store behind a balancer, all in this process.
type replicas struct {
	network  *memnet.Network
	url      string // of the balancer
	handlers []*mcpserver.Handler
	servers  []*http.Server
	urls     []string // of the servers
	project  vfs.Project
	records  vfs.Records
	// next is the replica that gets the next request. pick, if not nil, decides instead.
	next atomic.Int64
	pick atomic.Pointer[func(r *http.Request) int]
}

// newReplicas starts n replicas. Every request goes to another one than the request before.
func newReplicas(t *testing.T, n int, identity string, options mcpserver.HandlerOptions,
	more ...tool.Tool) *replicas {
	store := local.NewMemoryStore(nil)
	project, err := store.Open(t.Context(), "notes")
	require.NoError(t, err)
	r := &replicas{network: memnet.New(), project: project, records: store.Records("sessions")}
	options.Shared = r.records
	watch := func(ctx context.Context, changed func()) error {
		return store.WatchProjects(ctx, func(string) { changed() })
	}
	for range n {
		server, err := mcpserver.New(context.Background(),
			mcpserver.Fixed(builtIn(t, more...), registry.Env{Project: "notes", Files: project}),
			&mcpserver.Options{Identity: identity, Watch: watch})
		require.NoError(t, err)
		handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil }, &options)
		r.handlers = append(r.handlers, handler)
		served, at := serveOn(t, r.network, handler)
		r.servers, r.urls = append(r.servers, served), append(r.urls, at)
	}
	transport := r.network.Transport()
	proxy := &httputil.ReverseProxy{FlushInterval: -1, Transport: transport, ErrorLog: log.New(io.Discard, "", 0)}
	proxy.Rewrite = func(p *httputil.ProxyRequest) {
		at := int(r.next.Add(1)) % n
		if pick := r.pick.Load(); pick != nil {
			at = (*pick)(p.In)
		}
		target, err := url.Parse(r.urls[at])
		if err != nil {
			panic(err)
		}
		p.SetURL(target)
	}
	balancer, at := serveOn(t, r.network, http.HandlerFunc(func(w http.ResponseWriter, in *http.Request) {
		// The answer can be there before the proxy has seen the end of the request.
		require.NoError(t, http.NewResponseController(w).EnableFullDuplex())
		proxy.ServeHTTP(w, in)
	}))
	r.url = at
	t.Cleanup(func() {
		require.NoError(t, balancer.Close())
		for i := range r.handlers {
			r.stop(t, i)
		}
		transport.CloseIdleConnections()
		require.NoError(t, store.Close())
	})
	return r
}

// overMemory serves over HTTP, in a bubble.
func overMemory(t *testing.T, server *mcpserver.Server) sdk.Transport {
	network := memnet.New()
	handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil }, nil)
	served, at := serveOn(t, network, handler)
	transport := network.Transport()
	t.Cleanup(func() {
		require.NoError(t, handler.Shutdown(context.Background()))
		transport.CloseIdleConnections()
		require.NoError(t, served.Close())
	})
	return &sdk.StreamableClientTransport{Endpoint: at, HTTPClient: &http.Client{Transport: transport}}
}

// serveOn serves on a network, and returns the URL.
func serveOn(t *testing.T, network *memnet.Network, handler http.Handler) (*http.Server, string) {
	listener, err := network.Listen(t.Context(), "tcp", "localhost:0")
	require.NoError(t, err)
	server := &http.Server{Handler: handler}
	go func() { _ = server.Serve(listener) }()
	return server, "http://" + listener.Addr().String()
}

// sessions returns the names of the records of sessions.
func (r *replicas) sessions(t *testing.T) ([]string, error) {
	names, err := r.records.List(t.Context(), "", 0)
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasPrefix(name, "replica.") }), err
}

// inBubble is a test in a bubble.
func inBubble(test func(t *testing.T)) func(t *testing.T) {
	return func(t *testing.T) { bubble(t, test) }
}

func (r *replicas) stop(t *testing.T, i int) {
	require.NoError(t, r.handlers[i].Shutdown(context.Background()))
	require.NoError(t, r.servers[i].Close())
}

func (r *replicas) connect(t *testing.T, version string, options *sdk.ClientOptions) *sdk.ClientSession {
	transport := r.network.Transport()
	t.Cleanup(transport.CloseIdleConnections)
	return connect(t, &sdk.StreamableClientTransport{Endpoint: r.url, HTTPClient: &http.Client{Transport: transport}},
		version, options)
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
		t.Run(version, inBubble(func(t *testing.T) {
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
			synctest.Wait()
			for i, h := range r.handlers {
				require.Zero(t, h.Sessions(), "it ends everywhere, at %d, too", i)
			}
			names, err = r.sessions(t)
			require.NoError(t, err)
			require.Empty(t, names)
		}))
	}
}

// A session goes on at the servers that are left. What a server is told to end has begun it may finish; what one that
// is killed has begun is lost.
func TestSessionsOutlastReplicas(t *testing.T) {
	for name, killed := range map[string]bool{"told to end": false, "killed": true} {
		t.Run(name, inBubble(func(t *testing.T) {
			began, end := make(chan struct{}), make(chan struct{})
			waits := tool.Func(tool.Spec{Name: "waits", Description: "Waits until it may end."},
				func(ctx context.Context, _ struct{}, _ tool.Env) (string, error) {
					close(began)
					<-end
					return "ended", nil
				})
			r := newReplicas(t, 3, "token", mcpserver.HandlerOptions{}, waits)
			session := r.connect(t, "2025-11-25", nil)
			only := func(at int) {
				pick := func(*http.Request) int { return at }
				r.pick.Store(&pick)
			}
			_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "filesystem",
				Arguments: map[string]any{"command": "create", "path": "/a", "file_text": "text\n"}})
			require.NoError(t, err)
			only(0)
			ended := make(chan error)
			go func() {
				_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "waits"})
				ended <- err
			}()
			<-began
			only(2)
			if killed {
				require.NoError(t, r.servers[0].Close())
				require.Error(t, <-ended)
			} else {
				stopped := make(chan struct{})
				go func() { defer close(stopped); r.stop(t, 0) }()
				require.Contains(t, viewFile(t, session, "/a"), "text", "another goes on meanwhile")
				end <- struct{}{}
				require.NoError(t, <-ended)
				<-stopped
			}
			r.stop(t, 1)
			for range 3 {
				require.Contains(t, viewFile(t, session, "/a"), "text")
			}
			require.Equal(t, 1, r.handlers[2].Sessions())
			close(end)
		}))
	}
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
	synctest.Test(t, func(t *testing.T) {
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
		changes := func(name, text string) {
			synctest.Wait() // both replicas know what is subscribed to
			require.NoError(t, vfs.WriteFile(t.Context(), r.project, name, []byte(text)))
		}
		began := time.Now()
		changes("/b", "changed")
		changes("/a", "changed")
		require.Equal(t, a, <-updates)
		require.Zero(t, time.Since(began), "it is told at once")
		require.NoError(t, session.Subscribe(t.Context(), &sdk.SubscribeParams{URI: b}))
		changes("/b", "changed again")
		require.Equal(t, b, <-updates)
		synctest.Wait()
		require.Empty(t, updates)
	})
}

// A request is canceled through another replica than the one that works on it.
func TestSharedCancellation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, ended := make(chan struct{}), make(chan struct{})
		waits := tool.Func(tool.Spec{Name: "waits", Description: "Waits until it is stopped."},
			func(ctx context.Context, _ struct{}, _ tool.Env) (string, error) {
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
		require.Equal(t, http.StatusAccepted, postTo(r.handlers[1], id,
			`{"jsonrpc":"2.0","method":"notifications/initialized"}`).Code)
		answer := make(chan *httptest.ResponseRecorder, 1)
		go func() {
			answer <- postTo(r.handlers[0], id,
				`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"waits","arguments":{}}}`)
		}()
		<-began
		require.Equal(t, http.StatusAccepted, postTo(r.handlers[1], id,
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`).Code)
		<-ended
		<-answer
	})
}

// What one replica learns of a session's level of logs holds for the others.
func TestSharedLevel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReplicas(t, 2, "token", mcpserver.HandlerOptions{})
		session := r.connect(t, "2025-11-25", nil)
		require.NoError(t, session.SetLoggingLevel(t.Context(), &sdk.SetLoggingLevelParams{Level: "warning"}))
		var record struct{ State sdk.ServerSessionState }
		synctest.Wait() // the client does not wait until its notification has been seen
		data, err := r.records.Get(t.Context(), session.ID())
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(data, &record))
		require.Equal(t, sdk.LoggingLevel("warning"), record.State.LogLevel)
		require.NotNil(t, record.State.InitializedParams)
		require.Equal(t, "2025-11-25", record.State.InitializeParams.ProtocolVersion)
	})
}

func TestSharedSessionsAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
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
	})
}
