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
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

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

// at is another path of the server.
func (s *mcpServer) at(path string) string { return strings.TrimSuffix(s.url, "/mcp") + path }

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

func TestMCPTokens(t *testing.T) {
	const one, two, three = "one-1111111111111111111111111111", "two-2222222222222222222222222222",
		"three-33333333333333333333333333"
	tokens := filepath.Join(t.TempDir(), "tokens.json")
	require.NoError(t, os.WriteFile(tokens, []byte(`{"tokens": [
		{"name": "first", "token": "`+
		one+`", "project": "one", "tools": ["javascript"], "options": {"javascript": {"memory": 16}}, "limits": {"fileSize": 1000}},
		{"name": "third", "token": "`+three+`", "project": "one", "limits": {"timeout": "300ms"}},
		{"name": "second", "token": "`+two+`", "project": "two", "noResources": true, "metrics": true}]}`), 0o600))
	s := startMCP(t, t.TempDir(), "--http", "localhost:0", "--tokens", tokens)
	for _, wrong := range []string{"", "x", one + "x", one[:20], strings.ToUpper(one)} {
		_, err := s.connect(t.Context(), wrong)
		require.ErrorContains(t, err, "Unauthorized", wrong)
	}
	first, err := s.connect(t.Context(), one)
	require.NoError(t, err)
	defer first.Close()
	second, err := s.connect(t.Context(), two)
	require.NoError(t, err)
	defer second.Close()

	_, err = mcpCall(t.Context(), second, "filesystem",
		map[string]any{"command": "create", "path": "/secret", "file_text": "of the second"})
	require.NoError(t, err)
	_, err = mcpCall(t.Context(), first, "filesystem", map[string]any{"command": "view", "path": "/secret"})
	require.ErrorContains(t, err, "unknown tool")
	_, err = mcpCall(t.Context(), first, "javascript",
		map[string]any{"code": "return fs.readFileSync('/secret', 'utf8')"})
	require.ErrorContains(t, err, "ENOENT")
	for _, uri := range []string{"toolrun://two/secret", "toolrun://one/../two/secret",
		"toolrun://one/%2e%2e/two/secret"} {
		_, err = first.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		require.ErrorContains(t, err, "not found")
	}
	_, err = second.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "toolrun://two/secret"})
	require.ErrorContains(t, err, "not found") // the token says so
	third, err := s.connect(t.Context(), three)
	require.NoError(t, err)
	defer third.Close()
	_, err = mcpCall(t.Context(), third, "javascript", map[string]any{"code": "for (;;);"})
	require.ErrorContains(t, err, "300ms")
	_, err = mcpCall(t.Context(), first, "javascript",
		map[string]any{"code": "const a = []; for (;;) a.push(new ArrayBuffer(1e6))"})
	require.ErrorContains(t, err, "16 MiB")
	_, err = mcpCall(t.Context(), first, "javascript",
		map[string]any{"code": "fs.writeFileSync('/large', 'x'.repeat(2000))"})
	require.ErrorContains(t, err, "ENOSPC")

	status, _ := get(t, s.at("/healthz"), "")
	require.Equal(t, 200, status)
	status, _ = get(t, s.at("/readyz"), "")
	require.Equal(t, 200, status)
	for _, token := range []string{"", one} {
		status, _ = get(t, s.at("/metrics"), token)
		require.Equal(t, 401, status)
	}
	status, metrics := get(t, s.at("/metrics"), two)
	require.Equal(t, 200, status)
	for _, want := range []string{
		`toolrun_calls_total{project="two",tool="filesystem",outcome="ok"} 1`,
		`toolrun_calls_total{project="one",tool="javascript",outcome="timeout"} 1`,
		`toolrun_calls_running{project="one"} 0`,
		`toolrun_call_seconds_count{project="one",tool="javascript"} 4`,
		`toolrun_http_requests_total{method="POST",status="401"}`,
		`toolrun_project_bytes{project="two"} 13`, `toolrun_project_files{project="two"} 1`,
		`toolrun_project_quota_bytes{project="one"} 268435456`,
		`toolrun_project_history_bytes{project="one"} 0`, `toolrun_project_quota_files{project="one"} `,
		"process_resident_memory_bytes", "go_goroutines",
	} {
		require.Contains(t, metrics, want)
	}
	require.Regexp(t, `toolrun_sessions [0-3]\n`, metrics)
	require.Regexp(t, `"client":"first \(token [0-9a-f]{12}\)"`, s.logged())
	// Refusals are logged with the address, and the name of a token that is known.
	require.Regexp(t, `"level":"WARN","msg":"request refused","status":401,"address":"(127\.0\.0\.1|\[::1\]):\d+","method":"POST","path":"/mcp"\}`, s.logged())
	require.Regexp(t, `"msg":"request refused","status":401,"address":"[^"]+","method":"GET","path":"/metrics","token":"first"\}`, s.logged())
	require.Regexp(t, `"duration":"[\d.]+(µs|ms|s)"`, s.logged(), "durations can be read")
	require.NotContains(t, s.logged(), one)
	require.NotContains(t, s.logged(), two)
}

func TestMCPShutdown(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent a signal")
	}
	data := t.TempDir()
	s := startMCP(t, data, "--http", "localhost:0")
	session, err := s.connect(t.Context(), "")
	require.NoError(t, err)
	defer session.Close()
	type result struct {
		text string
		err  error
	}
	ended := make(chan result, 1)
	go func() {
		text, err := mcpCall(t.Context(), session, "javascript", map[string]any{
			"code": "fs.writeFileSync('/begun', ''); await new Promise(r => setTimeout(r, 1000)); return 'finished'",
		})
		ended <- result{text, err}
	}()
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(data, "projects", "default", "begun"))
		return err == nil
	}, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, result{"finishedFiles: created /begun", nil}, <-ended)
	<-s.end
	require.NoError(t, s.cmd.Wait())
}

func TestMCPSessionProjects(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	s := startMCP(t, t.TempDir(), "--http", "localhost:0", "--session-projects")
	sessions := make([]*mcp.ClientSession, 2)
	for i := range sessions {
		var err error
		sessions[i], err = s.connect(t.Context(), "")
		require.NoError(t, err)
		defer sessions[i].Close()
		_, err = mcpCall(t.Context(), sessions[i], "javascript",
			map[string]any{"code": fmt.Sprintf("fs.writeFileSync('/which', '%d', {flag: 'wx'})", i)})
		require.NoError(t, err)
	}
	for i, session := range sessions {
		text, err := mcpCall(t.Context(), session, "javascript",
			map[string]any{"code": "return fs.readFileSync('/which', 'utf8')"})
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(i), text)
	}
	projects := func() []string {
		found, err := filepath.Glob(filepath.Join(temp, "toolrun-sessions-*", "session-*"))
		require.NoError(t, err)
		return found
	}
	require.Len(t, projects(), 2)
	require.NoError(t, sessions[0].Close())
	require.Eventually(t, func() bool { return len(projects()) == 1 }, 2*time.Minute, 10*time.Millisecond)
	if runtime.GOOS == "windows" {
		return
	}
	require.NoError(t, s.cmd.Process.Signal(os.Interrupt))
	<-s.end
	_ = s.cmd.Wait()
	require.Equal(t, 130, s.cmd.ProcessState.ExitCode())
	left, err := filepath.Glob(filepath.Join(temp, "toolrun-sessions-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestMCPStdio(t *testing.T) {
	cmd := command("mcp", "--root", t.TempDir())
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err)
	text, err := mcpCall(t.Context(), session, "javascript",
		map[string]any{"code": "await fs.writeFile('a', 'b'); return fs.readdirSync('/')"})
	require.NoError(t, err)
	require.Contains(t, text, `"a"`)
	require.NoError(t, session.Close())
	require.Zero(t, cmd.ProcessState.ExitCode())
}

// TestMCPTokensChange: tokens come and go while the server runs, by SIGHUP and by the file's own change. Sessions of
// those that stay go on, and those of the others end.
func TestMCPTokensChange(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent a signal")
	}
	const one, two, three = "one-1111111111111111111111111111", "two-2222222222222222222222222222",
		"three-33333333333333333333333333"
	tokens := filepath.Join(t.TempDir(), "tokens.json")
	entry := func(token, project string) string {
		return fmt.Sprintf(`{"name": "%[2]s", "token": "%[1]s", "project": "%[2]s"}`, token, project)
	}
	write := func(entries ...string) {
		fresh := tokens + ".new"
		require.NoError(t, os.WriteFile(fresh, []byte(`{"tokens": [`+strings.Join(entries, ",")+`]}`), 0o600))
		require.NoError(t, os.Rename(fresh, tokens))
	}
	write(entry(one, "one"), entry(two, "two"))
	s := startMCP(t, t.TempDir(), "--http", "localhost:0", "--tokens", tokens, "--grace", "100ms")
	first, err := s.connect(t.Context(), one)
	require.NoError(t, err)
	defer first.Close()
	second, err := s.connect(t.Context(), two)
	require.NoError(t, err)
	defer second.Close()
	hello := map[string]any{"code": "return 'hello'"}
	ends := func(session *mcp.ClientSession) {
		t.Helper()
		require.Eventually(t, func() bool {
			_, err := mcpCall(t.Context(), session, "javascript", hello)
			return err != nil && strings.Contains(err.Error(), "Unauthorized")
		}, 20*time.Second, 10*time.Millisecond)
	}

	write(entry(three, "three"), entry(two, "two"))
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGHUP))
	ends(first)
	_, err = s.connect(t.Context(), one)
	require.ErrorContains(t, err, "Unauthorized")
	text, err := mcpCall(t.Context(), second, "javascript", hello)
	require.NoError(t, err, "its session goes on")
	require.Equal(t, "hello", text)
	third, err := s.connect(t.Context(), three)
	require.NoError(t, err)
	defer third.Close()
	require.Eventually(t, func() bool {
		return strings.Contains(s.logged(), `"tokens":2,"new or changed":1,"removed":1`)
	},
		20*time.Second, 10*time.Millisecond)

	// A file that is broken changes nothing.
	require.NoError(t, os.WriteFile(tokens, []byte(`{`), 0o600))
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGHUP))
	require.Eventually(t, func() bool {
		return strings.Contains(s.logged(),
			"the tokens cannot be read, and those before stay")
	}, 2*time.Minute, 10*time.Millisecond)
	_, err = mcpCall(t.Context(), third, "javascript", hello)
	require.NoError(t, err)

	// No signal is needed. A token can work on another project from then on.
	write(entry(two, "other"))
	ends(third)
	_, err = mcpCall(t.Context(), second, "javascript", hello)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return strings.Contains(s.logged(), `"project":"other"`) }, 2*time.Minute,
		10*time.Millisecond)
}

// TestMCPHangup: SIGHUP never ends a server, also if there is nothing that it could read again.
func TestMCPHangup(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent a signal")
	}
	s := startMCP(t, t.TempDir(), "--http", "localhost:0")
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGHUP))
	require.Eventually(t, func() bool { return strings.Contains(s.logged(), "SIGHUP changes nothing") }, 2*time.Minute,
		10*time.Millisecond)
	status, _ := get(t, s.at("/healthz"), "")
	require.Equal(t, 200, status)
	status, metrics := get(t, s.at("/metrics"), "")
	require.Equal(t, 200, status)
	require.Contains(t, metrics, `toolrun_project_bytes{project="default"} `)
}

// TestMCPSecondInterrupt: the first interrupt lets a call finish, the second does not.
func TestMCPSecondInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent a signal")
	}
	if signal.Ignored(os.Interrupt) { // as scripts have it in the background, and what they start inherits it
		t.Skip("interrupts are ignored")
	}
	dir := t.TempDir()
	cmd := command("mcp", "--root", dir, "--grace", "1h")
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer stdin.Close()
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"c","version":"1"},"capabilities":{}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"javascript","arguments":{"code":"fs.writeFileSync('/begun', ''); for (;;);"}}}`,
	} {
		_, err = io.WriteString(stdin, message+"\n")
		require.NoError(t, err)
	}
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(dir, "begun"))
		return err == nil
	}, 30*time.Second, 10*time.Millisecond)
	// When the second one comes depends on what the first one has done by then: further ones do no harm.
	for interrupts := 0; ; interrupts++ {
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		select {
		case <-ended:
			require.Positive(t, interrupts, "the first one waits for the call")
			return
		case <-time.After(200 * time.Millisecond):
			require.Less(t, interrupts, 50)
		}
	}
}
