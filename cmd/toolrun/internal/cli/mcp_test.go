package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/toolrun/toolrun/internal/test/toolruntest"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

func TestMCPTokens(t *testing.T) {
	const one, two, three = "one-1111111111111111111111111111", "two-2222222222222222222222222222",
		"three-33333333333333333333333333"
	tokens := filepath.Join(t.TempDir(), "tokens.json")
	require.NoError(t, os.WriteFile(tokens, []byte(`{"tokens": [
		{"name": "first", "token": "`+
		one+`", "project": "one", "tools": ["javascript"], "options": {"javascript": {"memory": 16}},
		"limits": {"fileSize": 1000}},
		{"name": "third", "token": "`+three+`", "project": "one", "limits": {"timeout": "100ms"}},
		{"name": "second", "token": "`+two+`", "project": "two", "noResources": true, "metrics": true}]}`), 0o600))
	s := serve(t, newHost(t), "--http", "localhost:0", "--tokens", tokens)
	for _, wrong := range []string{"", "x", one + "x", one[:20], strings.ToUpper(one)} {
		_, err := s.Connect(t.Context(), wrong)
		require.ErrorContains(t, err, "Unauthorized", wrong)
	}
	first, err := s.Connect(t.Context(), one)
	require.NoError(t, err)
	defer first.Close()
	second, err := s.Connect(t.Context(), two)
	require.NoError(t, err)
	defer second.Close()

	_, err = toolruntest.Call(t.Context(), second, "filesystem",
		map[string]any{"command": "create", "path": "/secret", "file_text": "of the second"})
	require.NoError(t, err)
	_, err = toolruntest.Call(t.Context(), first, "filesystem", map[string]any{"command": "view", "path": "/secret"})
	require.ErrorContains(t, err, "unknown tool")
	_, err = toolruntest.Call(t.Context(), first, "javascript",
		map[string]any{"code": "return fs.readFileSync('/secret', 'utf8')"})
	require.ErrorContains(t, err, "ENOENT")
	for _, uri := range []string{"toolrun://two/secret", "toolrun://one/../two/secret",
		"toolrun://one/%2e%2e/two/secret"} {
		_, err = first.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		require.ErrorContains(t, err, "not found")
	}
	_, err = second.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "toolrun://two/secret"})
	require.ErrorContains(t, err, "not found") // the token says so
	third, err := s.Connect(t.Context(), three)
	require.NoError(t, err)
	defer third.Close()
	_, err = toolruntest.Call(t.Context(), third, "javascript", map[string]any{"code": "for (;;);"})
	require.ErrorContains(t, err, "100ms")
	_, err = toolruntest.Call(t.Context(), first, "javascript",
		map[string]any{"code": "const a = []; for (;;) a.push(new ArrayBuffer(1e6))"})
	require.ErrorContains(t, err, "16 MiB")
	_, err = toolruntest.Call(t.Context(), first, "javascript",
		map[string]any{"code": "fs.writeFileSync('/large', 'x'.repeat(2000))"})
	require.ErrorContains(t, err, "ENOSPC")

	status, _ := s.Get(t, s.At("/healthz"), "")
	require.Equal(t, 200, status)
	status, _ = s.Get(t, s.At("/readyz"), "")
	require.Equal(t, 200, status)
	for _, token := range []string{"", one} {
		status, _ = s.Get(t, s.At("/metrics"), token)
		require.Equal(t, 401, status)
	}
	status, metrics := s.Get(t, s.At("/metrics"), two)
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
	require.Regexp(t, `"client":"first \(token [0-9a-f]{12}\)"`, s.Logged())
	// Refusals are logged with the address, and the name of a token that is known.
	require.Regexp(
		t, `"level":"WARN","msg":"request refused","status":401,"address":"(127\.0\.0\.1|\[::1\]):\d+",`+
			`"method":"POST","path":"/mcp"\}`,
		s.Logged(),
	)
	require.Regexp(
		t, `"msg":"request refused","status":401,"address":"[^"]+","method":"GET","path":"/metrics","token":"first"\}`,
		s.Logged(),
	)
	require.Regexp(t, `"duration":"[\d.]+(µs|ms|s)"`, s.Logged(), "durations can be read")
	require.NotContains(t, s.Logged(), one)
	require.NotContains(t, s.Logged(), two)
}

// TestMCPShutdown: a call that runs may finish after SIGTERM.
func TestMCPShutdown(t *testing.T) {
	m := meet(t)
	s := serve(t, newHost(t), "--http", "localhost:0", "--allow", m.URL)
	session, err := s.Connect(t.Context(), "")
	require.NoError(t, err)
	defer session.Close()
	type result struct {
		text string
		err  error
	}
	ended := make(chan result, 1)
	go func() {
		text, err := toolruntest.Call(t.Context(), session, "javascript",
			map[string]any{"code": m.wait + "; return 'finished'"})
		ended <- result{text, err}
	}()
	<-m.arrived
	require.True(t, s.signals.send(syscall.SIGTERM))
	s.Await(t, `"msg":"shutting down"`)
	m.leave <- struct{}{}
	require.Equal(t, result{"finished", nil}, <-ended)
	require.Zero(t, s.wait())
}

// TestMCPTokensChange: tokens come and go while the server runs, after SIGHUP. Sessions of those
// that stay go on, and those of the others end.
func TestMCPTokensChange(t *testing.T) {
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
	s := serve(t, newHost(t), "--http", "localhost:0", "--tokens", tokens, "--grace", "100ms")
	first, err := s.Connect(t.Context(), one)
	require.NoError(t, err)
	defer first.Close()
	second, err := s.Connect(t.Context(), two)
	require.NoError(t, err)
	defer second.Close()
	hello := map[string]any{"code": "return 'hello'"}
	reads := func(log string, entries ...string) {
		t.Helper()
		if entries != nil {
			write(entries...)
		}
		require.True(t, s.signals.send(syscall.SIGHUP))
		s.Await(t, log)
	}

	reads(`"tokens":2,"new or changed":1,"removed":1`, entry(three, "three"), entry(two, "two"))
	_, err = toolruntest.Call(t.Context(), first, "javascript", hello)
	require.ErrorContains(t, err, "Unauthorized")
	_, err = s.Connect(t.Context(), one)
	require.ErrorContains(t, err, "Unauthorized")
	text, err := toolruntest.Call(t.Context(), second, "javascript", hello)
	require.NoError(t, err, "its session goes on")
	require.Equal(t, "hello", text)
	third, err := s.Connect(t.Context(), three)
	require.NoError(t, err)
	defer third.Close()

	// A file that is broken changes nothing.
	require.NoError(t, os.WriteFile(tokens, []byte(`{`), 0o600))
	reads("the tokens cannot be read, and those before stay")
	_, err = toolruntest.Call(t.Context(), third, "javascript", hello)
	require.NoError(t, err)

	// A token can work on another project from then on.
	reads(`"tokens":1,"new or changed":1,"removed":1`, entry(two, "other"))
	_, err = toolruntest.Call(t.Context(), third, "javascript", hello)
	require.ErrorContains(t, err, "Unauthorized")
	_, err = toolruntest.Call(t.Context(), second, "javascript", hello)
	require.NoError(t, err)
	require.Contains(t, s.Logged(), `"project":"other"`)
}
