package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/memnet"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	js "github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/tools/memory"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

var engine *enginetest.Engine

func TestMain(m *testing.M) {
	engine = enginetest.New(sandbox.EngineOptions{})
	code := m.Run()
	_ = engine.Close(context.Background())
	os.Exit(code)
}

// builtIn returns the three tools, and others.
func builtIn(t *testing.T, more ...tool.Tool) *registry.Registry {
	tools, err := registry.New(memory.New(), javascript.New(func(context.Context) (*js.Interpreter,
		error) {
		return engine.Interpreter, nil
	}, nil), filesystem.New())
	require.NoError(t, err)
	tools, err = tools.With(more...)
	require.NoError(t, err)
	return tools
}

// newProject returns a project in memory.
func newProject(t *testing.T) vfs.Project {
	store := local.NewMemoryStore(nil)
	project, err := store.Open(t.Context(), "notes")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	return project
}

// newServer returns a server of the tools on a project.
func newServer(t *testing.T, tools *registry.Registry, project vfs.Project,
	options *mcpserver.Options) *mcpserver.Server {
	server, err := mcpserver.New(context.Background(),
		mcpserver.Fixed(tools, registry.Env{Project: "notes", Files: project}), options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Shutdown(context.Background())) })
	return server
}

// A way is how a client reaches a server.
type way struct {
	name     string
	versions []string
	connect  func(t *testing.T, server *mcpserver.Server) sdk.Transport
}

// shutdown ends a server as its host would: through its handler, if there is one.
func shutdown(ctx context.Context, server *mcpserver.Server) error {
	if handler, ok := handlers.Load(server); ok {
		return handler.(*mcpserver.Handler).Shutdown(ctx)
	}
	return server.Shutdown(ctx)
}

var handlers sync.Map // by server

var (
	handshake = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"}
	allOfThem = append(handshake[:4:4], "2026-07-28")
	everyWay  = []way{{"stdio", allOfThem, overStdio}, {"HTTP", allOfThem, overHTTP(nil)},
		{"HTTP without sessions", allOfThem, overHTTP(&mcpserver.HandlerOptions{Stateless: true})}}
	statefully = []way{{"stdio", handshake, overStdio}, {"HTTP", handshake, overHTTP(nil)}}
)

// onEveryWay runs a test for each way and version.
func onEveryWay(t *testing.T, ways []way, test func(t *testing.T,
	connect func(server *mcpserver.Server, options *sdk.ClientOptions) *sdk.ClientSession)) {
	for _, way := range ways {
		for _, version := range way.versions {
			t.Run(way.name+" "+version, func(t *testing.T) {
				test(t, func(server *mcpserver.Server, options *sdk.ClientOptions) *sdk.ClientSession {
					return connect(t, way.connect(t, server), version, options)
				})
			})
		}
	}
}

// bubble runs a test by a clock that does not wait. Connections end before it does.
func bubble(t *testing.T, test func(t *testing.T)) {
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(func() {
			client.CloseIdleConnections()
			time.Sleep(time.Minute)
		})
		test(t)
	})
}

// onEveryWayInBubbles is the same, by clocks that do not wait.
func onEveryWayInBubbles(t *testing.T, ways []way, test func(t *testing.T,
	connect func(server *mcpserver.Server, options *sdk.ClientOptions) *sdk.ClientSession)) {
	for _, way := range ways {
		for _, version := range way.versions {
			t.Run(way.name+" "+version, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					test(t, func(server *mcpserver.Server, options *sdk.ClientOptions) *sdk.ClientSession {
						return connect(t, way.connect(t, server), version, options)
					})
				})
			})
		}
	}
}

// connect makes a session of the SDK's client.
func connect(t *testing.T, transport sdk.Transport, version string, options *sdk.ClientOptions) *sdk.ClientSession {
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, options)
	session, err := client.Connect(t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func overStdio(t *testing.T, server *mcpserver.Server) sdk.Transport {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	go func() {
		_ = server.ServeStdio(context.Background(), in, out)
		_ = out.Close()
	}()
	return &sdk.IOTransport{Reader: fromServer, Writer: toServer}
}

func overHTTP(options *mcpserver.HandlerOptions) func(*testing.T, *mcpserver.Server) sdk.Transport {
	return func(t *testing.T, server *mcpserver.Server) sdk.Transport {
		return &sdk.StreamableClientTransport{Endpoint: serve(t, server, options), HTTPClient: client}
	}
}

// newLines begins a session over streams, and returns what sends and what receives a line.
func newLines(t *testing.T, server *mcpserver.Server, begin string) (send func(line string), receive func() string) {
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- server.ServeStdio(context.Background(), in, out)
		_ = out.Close()
	}()
	lines := make(chan string, 100)
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(fromServer); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	t.Cleanup(func() {
		require.NoError(t, toServer.Close())
		require.NoError(t, <-ended)
	})
	send = func(line string) {
		_, err := io.WriteString(toServer, line+"\n")
		require.NoError(t, err)
	}
	receive = func() string {
		line, ok := <-lines
		require.True(t, ok, "the session has ended")
		return line
	}
	send(strings.TrimSpace(begin))
	require.Contains(t, receive(), "serverInfo")
	return send, receive
}

// serve serves over HTTP, and returns the URL.
func serve(t *testing.T, server *mcpserver.Server, options *mcpserver.HandlerOptions) string {
	handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil }, options)
	url := listen(t, handler)
	handlers.Store(server, handler)
	t.Cleanup(func() { require.NoError(t, handler.Shutdown(context.Background())) })
	return url
}

// listen serves in memory, for client, until the test ends, and returns the URL.
func listen(t *testing.T, handler http.Handler) string {
	listener, err := network.Listen(t.Context(), "tcp", "localhost:0")
	require.NoError(t, err)
	server := &http.Server{Handler: handler}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(listener)
	}()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		<-ended
	})
	return "http://" + listener.Addr().String()
}

var (
	network = memnet.New()
	client  = &http.Client{Transport: network.Transport()}
)

// call calls a tool, and returns all text of the result.
func call(t *testing.T, session *sdk.ClientSession, tool string, arguments any) (string, *sdk.CallToolResult) {
	raw, err := json.Marshal(arguments)
	require.NoError(t, err)
	result, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(raw)})
	require.NoError(t, err)
	text := ""
	for _, content := range result.Content {
		if c, ok := content.(*sdk.TextContent); ok {
			text += c.Text
		}
	}
	return text, result
}
