package mcpserver_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
)

// counted counts what is read.
type counted struct {
	io.Reader
	n atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// flood sends a line again and again, with another id each time.
type flood struct {
	line string
	n    int
	rest string
}

func (e *flood) Read(p []byte) (int, error) {
	if e.rest == "" {
		e.n++
		e.rest = fmt.Sprintf(e.line, e.n) + "\n"
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}

// TestClientsThatDoNotRead has one that sends requests without end, and takes no answers: it is not read from any
// more, and does not keep the server from ending.
func TestClientsThatDoNotRead(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"pings":              `{"jsonrpc":"2.0","id":"p%d","method":"ping"}`,
		"calls":              `{"jsonrpc":"2.0","id":"c%d","method":"tools/call","params":{"name":"javascript","arguments":{"code":"1"}}}`,
		"what is no message": `{%d`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newServer(t, builtIn(t), newProject(t), nil)
			unread, out := io.Pipe()
			defer unread.Close()
			in := &counted{Reader: io.MultiReader(strings.NewReader(initialize), &flood{line: line})}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() { ended <- server.ServeStdio(ctx, in, out) }()
			_, err := bufio.NewReaderSize(unread, 16).ReadString('\n') // the answer to initialize
			require.NoError(t, err)
			requireQuiet(t, in)
			require.Less(t, in.n.Load(), int64(2<<20))
			cancel()
			select {
			case err := <-ended:
				require.ErrorIs(t, err, context.Canceled)
			case <-time.After(2 * time.Minute):
				require.FailNow(t, "the server does not end")
			}
			require.NoError(t, server.Shutdown(t.Context()))
			requireQuiet(t, in)
		})
	}
}

// requireQuiet checks that after a while nothing reads any more.
func requireQuiet(t *testing.T, in *counted) {
	require.Eventually(t, func() bool {
		before := in.n.Load()
		time.Sleep(300 * time.Millisecond)
		return before == in.n.Load()
	}, 2*time.Minute, time.Millisecond)
}

// TestALineWithoutAnEnd has a client that sends one, and nothing else, until the server ends.
func TestALineWithoutAnEnd(t *testing.T) {
	t.Parallel()
	server := newServer(t, builtIn(t), newProject(t), nil)
	ctx, cancel := context.WithCancel(t.Context())
	in := &counted{Reader: noNewline{}}
	ended := make(chan error, 1)
	go func() { ended <- server.ServeStdio(ctx, in, io.Discard) }()
	require.Eventually(t, func() bool { return in.n.Load() > 64<<20 }, 2*time.Minute, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
	requireQuiet(t, in)
}

type noNewline struct{}

func (noNewline) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestStreamsThatAreQuiet has a client that gets nothing for longer than it may take to receive a message.
func TestStreamsThatAreQuiet(t *testing.T) {
	t.Parallel()
	const most = 2 * time.Second // also for the handshake
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP/2 %v", http2), func(t *testing.T) {
			t.Parallel()
			tool := registry.Func(registry.Spec{Name: "quiet", Description: "Takes its time."},
				func(ctx context.Context, _ struct{}, env registry.Env) (string, error) {
					env.Report("begun", 1, 2)
					time.Sleep(5 * time.Second / 2)
					return "ended", nil
				})
			server := newServer(t, builtIn(t, tool), newProject(t), nil)
			handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil },
				&mcpserver.HandlerOptions{WriteTimeout: most, ReadTimeout: most, Stateless: true})
			s := httptest.NewUnstartedServer(handler)
			s.EnableHTTP2 = http2
			s.Config.WriteTimeout, s.Config.ReadTimeout = most, most
			s.StartTLS()
			defer s.Close()
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL,
				strings.NewReader(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"quiet","arguments":{},"_meta":{"progressToken":1}}}`))
			require.NoError(t, err)
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			response, err := s.Client().Do(r)
			require.NoError(t, err)
			defer response.Body.Close()
			text, err := io.ReadAll(response.Body)
			require.NoError(t, err, "%s", text)
			require.Contains(t, string(text), "begun")
			require.Contains(t, string(text), "ended")
		})
	}
}

// TestRefusedClientsThatDoNotSend has some without a token that announce a body, which they do not send.
func TestRefusedClientsThatDoNotSend(t *testing.T) {
	t.Parallel()
	handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) {
		return nil,
			mcpserver.ErrUnauthorized
	},
		&mcpserver.HandlerOptions{ReadTimeout: 200 * time.Millisecond})
	s := httptest.NewServer(handler)
	defer s.Close()
	for _, host := range []string{"localhost", "evil.example.com"} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
		require.NoError(t, err)
		defer conn.Close()
		_, err = fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000\r\n\r\n{", host)
		require.NoError(t, err)
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(10*time.Second)))
		_, err = io.ReadAll(conn) // until the server closes the connection
		require.False(t, errors.Is(err, context.DeadlineExceeded) || err != nil &&
			strings.Contains(err.Error(), "timeout"), "%v", err)
	}
}
