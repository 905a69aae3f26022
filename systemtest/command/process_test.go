//go:build systemtest

package command_test

import (
	"bufio"
	"bytes"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/commandtest"
	"github.com/toolrun/toolrun/internal/test/toolruntest"
)

func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent an interrupt")
	}
	for name, args := range map[string][]string{
		"a running script":     {"js", "-e", `console.log('started'); for (;;);`},
		"a waiting script":     {"js", "-e", `console.log('started'); await new Promise((r) => setTimeout(r, 1e9))`},
		"a wait for the input": {"js", "-"},
		"a wait for entries":   {"repl", "--root", "."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := commandtest.Command(args...)
			cmd.Dir = t.TempDir()
			stdin, err := cmd.StdinPipe()
			require.NoError(t, err)
			defer stdin.Close()
			stdout, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			if args[0] == "repl" || args[1] == "-" {
				// More than a pipe holds: what has read some of it has its handler in place.
				_, err := stdin.Write(bytes.Repeat([]byte("\n"), 1<<20))
				require.NoError(t, err)
			} else {
				_, err := bufio.NewReader(stdout).ReadString('\n')
				require.NoError(t, err)
			}
			require.NoError(t, cmd.Process.Signal(os.Interrupt))
			_ = cmd.Wait()
			require.Equal(t, 130, cmd.ProcessState.ExitCode())
		})
	}
}

func TestMCPShutdown(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent a signal")
	}
	data := t.TempDir()
	s := commandtest.StartMCP(t, data, "--http", "localhost:0")
	session, err := s.Connect(t.Context(), "")
	require.NoError(t, err)
	defer session.Close()
	type result struct {
		text string
		err  error
	}
	ended := make(chan result, 1)
	go func() {
		text, err := toolruntest.Call(t.Context(), session, "javascript", map[string]any{
			"code": "fs.writeFileSync('/begun', ''); await new Promise(r => setTimeout(r, 1000)); return 'finished'",
		})
		ended <- result{text, err}
	}()
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(data, "projects", "default", "begun"))
		return err == nil
	}, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, s.Cmd.Process.Signal(syscall.SIGTERM))
	require.Equal(t, result{"finishedFiles: created /begun", nil}, <-ended)
	<-s.End
	require.NoError(t, s.Cmd.Wait())
}

func TestMCPStdio(t *testing.T) {
	cmd := commandtest.Command("mcp", "--root", t.TempDir())
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(),
		&mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err)
	text, err := toolruntest.Call(t.Context(), session, "javascript",
		map[string]any{"code": "await fs.writeFile('a', 'b'); return fs.readdirSync('/')"})
	require.NoError(t, err)
	require.Contains(t, text, `"a"`)
	require.NoError(t, session.Close())
	require.Zero(t, cmd.ProcessState.ExitCode())
}

// TestMCPHangup: SIGHUP never ends a server, also if there is nothing that it could read again.
func TestMCPHangup(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent a signal")
	}
	s := commandtest.StartMCP(t, t.TempDir(), "--http", "localhost:0")
	require.NoError(t, s.Cmd.Process.Signal(syscall.SIGHUP))
	s.Await(t, "SIGHUP changes nothing")
	status, _ := s.Get(t, s.At("/healthz"), "")
	require.Equal(t, 200, status)
	status, metrics := s.Get(t, s.At("/metrics"), "")
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
	cmd := commandtest.Command("mcp", "--root", dir, "--grace", "1h")
	stdin, err := cmd.StdinPipe()
	require.NoError(t, err)
	defer stdin.Close()
	require.NoError(t, cmd.Start())
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	for _, message := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize",` +
			`"params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"c","version":"1"},"capabilities":{}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call",` +
			`"params":{"name":"javascript","arguments":{"code":"fs.writeFileSync('/begun', ''); for (;;);"}}}`,
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

func TestMCPSessionProjects(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Setenv("TMP", temp)
	s := commandtest.StartMCP(t, t.TempDir(), "--http", "localhost:0", "--session-projects")
	sessions := make([]*mcp.ClientSession, 2)
	for i := range sessions {
		var err error
		sessions[i], err = s.Connect(t.Context(), "")
		require.NoError(t, err)
		defer sessions[i].Close()
		_, err = toolruntest.Call(t.Context(), sessions[i], "javascript",
			map[string]any{"code": fmt.Sprintf("fs.writeFileSync('/which', '%d', {flag: 'wx'})", i)})
		require.NoError(t, err)
	}
	for i, session := range sessions {
		text, err := toolruntest.Call(t.Context(), session, "javascript",
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
	require.NoError(t, s.Cmd.Process.Signal(os.Interrupt))
	<-s.End
	_ = s.Cmd.Wait()
	require.Equal(t, 130, s.Cmd.ProcessState.ExitCode())
	left, err := filepath.Glob(filepath.Join(temp, "toolrun-sessions-*"))
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestServeOpensABrowser has a program in the place of the browser's tell what it gets: a file that only this user can
// read, with the link, which the list of processes does not show.
func TestServeOpensABrowser(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("starts processes, one of which is a script")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\ncd " + dir + "\nstat -c %a \"$1\" >mode\ncat \"$1\" >page\necho \"$@\" >new\nmv new " +
		"arguments\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o755))
	cmd := commandtest.Command("serve", "localhost:0", "--open", "--data", t.TempDir())
	cmd.Env = append(cmd.Env, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		require.NoError(t, cmd.Wait())
	})
	link, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	link = strings.TrimSpace(link)
	told := func(name string) string {
		data, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(data)
	}
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(dir, "arguments")) // which is there last
		return err == nil
	}, time.Minute, 10*time.Millisecond)
	require.Equal(t, "600\n", told("mode"))
	require.Contains(t, told("page"), html.EscapeString(link))
	require.Contains(t, link, "/open?key=")
	require.NotContains(t, told("arguments"), "key")
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	response, err := (&http.Client{Jar: jar}).Get(link) // is the one that the browser has, and gets somebody in
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, 200, response.StatusCode)
}

// TestNothingPrintedIsLost stops scripts that have printed something.
func TestNothingPrintedIsLost(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot be sent an interrupt")
	}
	for name, test := range map[string]os.Signal{"by an interrupt": os.Interrupt, "by killing it": os.Kill} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := commandtest.Command("js", "-e",
				`console.log('printed'); process.stdout.write('unfinished'); for (;;);`)
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			printed := make([]byte, len("printed\nunfinished"))
			_, err = io.ReadFull(out, printed)
			require.NoError(t, err)
			require.Equal(t, "printed\nunfinished", string(printed))
			require.NoError(t, cmd.Process.Signal(test))
			rest, err := io.ReadAll(out)
			require.NoError(t, err)
			require.Empty(t, rest)
			_ = cmd.Wait()
		})
	}
}
