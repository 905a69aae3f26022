// Package toolruntest has what tests of the toolrun command need, in whichever process it runs: a server's log, clients
// of its ways in, and the command's help.
package toolruntest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// A Server is toolrun mcp --http that logs as JSON.
type Server struct {
	URL string // of MCP
	Log *Log
	// Transport makes the requests. Nil means [http.DefaultTransport].
	Transport http.RoundTripper
}

// Started returns the server that writes to a log, once it serves.
func Started(t testing.TB, log *Log) *Server {
	t.Helper()
	line := log.Await(t, `"msg":"serving"`)
	var record struct{ URL string }
	require.NoError(t, json.Unmarshal([]byte(line), &record), line)
	return &Server{URL: record.URL, Log: log}
}

// Logged is what the server has logged.
func (s *Server) Logged() string { return s.Log.String() }

// Await waits until something is logged, and returns its line.
func (s *Server) Await(t testing.TB, text string) string {
	t.Helper()
	return s.Log.Await(t, text)
}

// At is another path of the server.
func (s *Server) At(path string) string { return strings.TrimSuffix(s.URL, "/mcp") + path }

// Client makes requests with a token, or none if it is empty.
func (s *Server) Client(token string) *http.Client {
	return &http.Client{Transport: Bearer{Token: token, Base: s.Transport}}
}

// Connect connects a client of MCP, which lasts as long as the context.
func (s *Server) Connect(ctx context.Context, token string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	return client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: s.Client(token)}, nil)
}

// Get returns the status and the body of an address, which Client gets with a token.
func (s *Server) Get(t testing.TB, address, token string) (status int, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	require.NoError(t, err)
	response, err := s.Client(token).Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(data)
}

// Bearer adds a token to requests, unless it is empty.
type Bearer struct {
	Token string
	Base  http.RoundTripper // nil means http.DefaultTransport
}

// RoundTrip is that of [http.RoundTripper].
func (b Bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.Token != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+b.Token)
	}
	if b.Base == nil {
		return http.DefaultTransport.RoundTrip(r)
	}
	return b.Base.RoundTrip(r)
}

// WaitingToken finds the token of a call that waits for approval.
var WaitingToken = regexp.MustCompile(`run-[a-z0-9]{20}`)

// Call calls a tool, and returns the text of its result. An error of the tool is an error.
func Call(ctx context.Context, session *mcp.ClientSession, tool string, arguments map[string]any) (string, error) {
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, content := range result.Content {
		if c, ok := content.(*mcp.TextContent); ok {
			text.WriteString(c.Text)
		}
	}
	if result.IsError {
		return "", errors.New(text.String())
	}
	return text.String(), nil
}

// A Log keeps what is written to it, and tells those who wait for some of it. It is safe for concurrent use.
type Log struct {
	mu      sync.Mutex
	text    bytes.Buffer
	closed  bool
	changed chan struct{} // closed with the next change; nil if nobody waits
}

// Write adds to the log.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tell()
	return l.text.Write(p)
}

// Close says that nothing will follow.
func (l *Log) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.tell()
	return nil
}

func (l *Log) tell() {
	if l.changed != nil {
		close(l.changed)
		l.changed = nil
	}
}

// String is what has been written.
func (l *Log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Await waits until the log has a text in a whole line, and returns the first line that has it. The test fails if the
// log ends without.
func (l *Log) Await(t testing.TB, text string) (line string) {
	t.Helper()
	l.Until(t, text, func(written string) bool {
		for line = range strings.Lines(written) {
			if strings.HasSuffix(line, "\n") && strings.Contains(line, text) {
				return true
			}
		}
		return false
	})
	return line
}

// patience is how long Until waits before it says what is missing: the test would be stopped soon, and say nothing.
const patience = 5 * time.Minute

// Until waits until what has been written is as it should be. The test fails if the log ends before; what says what is
// missing then.
func (l *Log) Until(t testing.TB, what string, is func(written string) bool) {
	t.Helper()
	late := time.After(patience)
	for {
		l.mu.Lock()
		written, closed := l.text.String(), l.closed
		if l.changed == nil {
			l.changed = make(chan struct{})
		}
		changed := l.changed
		l.mu.Unlock()
		if is(written) {
			return
		}
		if closed {
			require.FailNow(t, "the log has ended", "without %s:\n%s", what, written)
		}
		select {
		case <-changed:
		case <-late:
			require.FailNow(t, "the log lacks something", "%s:\n%s", what, written)
		}
	}
}
