package mcpserver_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/tool"
)

// TestALineWithoutAnEnd has a client that sends one, and nothing else, until the server ends.
func TestALineWithoutAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which ends when nothing is read any more
		server := newServer(t, builtIn(t), newProject(t), nil)
		ctx, cancel := context.WithCancel(t.Context())
		in := &noNewline{most: 64 << 20, enough: cancel}
		require.ErrorIs(t, server.ServeStdio(ctx, in, io.Discard), context.Canceled)
	})
}

// noNewline is a line that goes on, and tells when it has become long.
type noNewline struct {
	n, most int
	enough  func()
}

func (r *noNewline) Read(p []byte) (int, error) {
	clear(p)
	if r.n += len(p); r.n > r.most {
		r.enough()
	}
	return len(p), nil
}

// TestStreamsThatAreQuiet has a client that gets nothing for longer than it may take to receive a message.
func TestStreamsThatAreQuiet(t *testing.T) {
	const most = 2 * time.Second
	for _, http2 := range []bool{false, true} {
		t.Run(fmt.Sprintf("HTTP/2 %v", http2), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				defer time.Sleep(time.Minute) // in which the connections end
				one := tool.Func(tool.Spec{Name: "quiet", Description: "Takes its time."},
					func(ctx context.Context, _ struct{}, env tool.Env) (string, error) {
						env.Report("begun", 1, 2)
						time.Sleep(5 * time.Second / 2)
						return "ended", nil
					})
				server := newServer(t, builtIn(t, one), newProject(t), nil)
				handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil },
					&mcpserver.HandlerOptions{WriteTimeout: most, ReadTimeout: most, Stateless: true})
				s := httptest.NewUnstartedServer(handler)
				require.NoError(t, s.Listener.Close())
				var err error
				s.Listener, err = network.Listen(t.Context(), "tcp", "localhost:0")
				require.NoError(t, err)
				s.EnableHTTP2 = http2
				s.Config.WriteTimeout, s.Config.ReadTimeout = most, most
				s.StartTLS()
				defer s.Close()
				s.Client().Transport.(*http.Transport).DialContext = network.DialContext
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL,
					strings.NewReader(
						`{"jsonrpc":"2.0","id":2,"method":"tools/call",`+
							`"params":{"name":"quiet","arguments":{},"_meta":{"progressToken":1}}}`,
					))
				require.NoError(t, err)
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Accept", "application/json, text/event-stream")
				response, err := s.Client().Do(r)
				require.NoError(t, err)
				defer response.Body.Close()
				text, err := io.ReadAll(response.Body)
				require.NoError(t, err, "%s", text)
				require.Equal(t, http2, response.ProtoMajor == 2)
				require.Contains(t, string(text), "begun")
				require.Contains(t, string(text), "ended")
			})
		})
	}
}

// TestRefusedClientsThatDoNotSend has some without a token that announce a body, which they do not send.
func TestRefusedClientsThatDoNotSend(t *testing.T) {
	bubble(t, func(t *testing.T) {
		handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) {
			return nil,
				mcpserver.ErrUnauthorized
		},
			&mcpserver.HandlerOptions{ReadTimeout: 200 * time.Millisecond})
		url := listen(t, handler)
		for _, host := range []string{"localhost", "evil.example.com"} {
			conn, err := network.DialContext(t.Context(), "tcp", strings.TrimPrefix(url, "http://"))
			require.NoError(t, err)
			defer conn.Close()
			_, err = fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: %s\r\nContent-Length: 1000\r\n\r\n{", host)
			require.NoError(t, err)
			require.NoError(t, conn.SetReadDeadline(time.Now().Add(10*time.Second)))
			_, err = io.ReadAll(conn) // until the server closes the connection
			require.False(t, errors.Is(err, context.DeadlineExceeded) || err != nil &&
				strings.Contains(err.Error(), "timeout"), "%v", err)
		}
	})
}
