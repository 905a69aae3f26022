package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/cli"
	"github.com/toolrun/toolrun/internal/enginetest"
)

func TestMain(m *testing.M) {
	if os.Getenv("TOOLRUN_TEST_COMMAND") != "" {
		os.Exit(cli.Run(context.Background(), cli.Process(), os.Args[1:]))
	}
	os.Exit(m.Run())
}

// cacheEnv makes the command keep its compiled engine where all tests keep it.
func cacheEnv() []string {
	return []string{"XDG_CACHE_HOME=" + enginetest.CacheDir(), "HOME=" + enginetest.CacheDir(),
		"LocalAppData=" + enginetest.CacheDir()}
}

func command(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(append(os.Environ(), cacheEnv()...), "TOOLRUN_TEST_COMMAND=1", "TOOLRUN_PYTHON=",
		"TOOLRUN_DATA="+filepath.Join(enginetest.CacheDir(), "data"))
	return cmd
}

// mcpServer is toolrun mcp --http in a process of its own.
type mcpServer struct {
	url string // of MCP
	cmd *exec.Cmd

	mu  sync.Mutex
	log bytes.Buffer
	end chan struct{} // closed when all of the log is there
}

// startMCP starts a server on a free port, or on an address.
func startMCP(t *testing.T, data string, args ...string) *mcpServer {
	s := &mcpServer{cmd: command(append([]string{"mcp", "--log-format", "json"}, args...)...), end: make(chan struct{})}
	s.cmd.Env = append(s.cmd.Env, "TOOLRUN_DATA="+data)
	stderr, err := s.cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, s.cmd.Start())
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill()
		<-s.end
		_ = s.cmd.Wait()
	})
	serving := make(chan string, 1)
	go func() {
		defer close(s.end)
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			s.mu.Lock()
			s.log.Write(append(lines.Bytes(), '\n'))
			s.mu.Unlock()
			var record struct{ Msg, URL string }
			if json.Unmarshal(lines.Bytes(), &record) == nil && record.Msg == "serving" {
				serving <- record.URL
			}
		}
	}()
	select {
	case s.url = <-serving:
	case <-s.end:
		require.Fail(t, "the server has not begun", s.logged())
	}
	return s
}

func (s *mcpServer) logged() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.String()
}

// withToken adds a token to requests.
type withToken string

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	if w != "" {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+string(w))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// connect connects a client, which lasts as long as the context.
func (s *mcpServer) connect(ctx context.Context, token string) (*mcp.ClientSession, error) {
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	return client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: s.url,
		HTTPClient: &http.Client{Transport: withToken(token)}}, nil)
}

// mcpCall calls a tool, and returns the text of the result.
func mcpCall(ctx context.Context, session *mcp.ClientSession, tool string, arguments map[string]any) (string, error) {
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
		return "", fmt.Errorf("%s", &text)
	}
	return text.String(), nil
}

func get(t *testing.T, url, token string) (int, string) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	response, err := (&http.Client{Transport: withToken(token)}).Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response.StatusCode, string(body)
}
