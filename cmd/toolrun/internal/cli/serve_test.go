package cli_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// startPage starts toolrun serve and returns what it prints first.
func startPage(t *testing.T, data string, args ...string) (link string) {
	return startServer(t, data, append([]string{"serve", "localhost:0"}, args...)...)
}

// startServer starts a command that prints a link, and returns that.
func startServer(t *testing.T, data string, args ...string) (link string) {
	link, _ = startLogged(t, data, args...)
	return link
}

// startLogged also returns the command.
func startLogged(t *testing.T, data string, args ...string) (link string, s *started) {
	s = start(t, newHost(t, "TOOLRUN_DATA="+data), args...)
	t.Cleanup(func() {
		require.True(t, s.signals.send(syscall.SIGTERM))
		require.Zero(t, s.wait())
	})
	return strings.TrimSpace(s.out.Await(t, "http://")), s
}

func TestServe(t *testing.T) {
	link := startPage(t, t.TempDir())
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	client := &http.Client{Jar: jar}
	get := func(address string) (int, string) {
		response, err := client.Get(address)
		require.NoError(t, err)
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		return response.StatusCode, string(body)
	}
	u, err := url.Parse(link)
	require.NoError(t, err)
	base := "http://" + u.Host
	status, _ := get(base + "/api/projects")
	require.Equal(t, 401, status)
	status, _ = get(link)
	require.Equal(t, 200, status)
	status, body := get(base + "/api/projects")
	require.Equal(t, 200, status)
	require.JSONEq(t, `{"projects": []}`, body)
	status, body = get(base + "/")
	require.Equal(t, 200, status)
	require.Contains(t, body, "Projects")
	for path, want := range map[string]int{"/healthz": 200, "/mcp": 404, "/metrics": 404} {
		status, _ = get(base + path)
		require.Equal(t, want, status, path)
	}
	status, _ = (get(link))
	require.Equal(t, 200, status) // going back leads to the page
	jar, err = cookiejar.New(nil)
	require.NoError(t, err)
	client = &http.Client{Jar: jar}
	status, _ = get(link)
	require.Equal(t, 403, status)
}

func TestServeWithTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.json")
	require.NoError(t, os.WriteFile(file,
		[]byte(`{"tokens": [{"name": "ci", "token": "secret-secret-secret-secret", "project": "ci"}]}`), 0o600))
	base := startPage(t, t.TempDir(), "--tokens", file)
	require.NotContains(t, base, "key=")
	for token, want := range map[string]int{"": 401, "guessed": 401, "secret-secret-secret-secret": 200} {
		r, err := http.NewRequest("GET", base+"/api/projects", nil)
		require.NoError(t, err)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.NoError(t, response.Body.Close())
		require.Equal(t, want, response.StatusCode)
		if want == 200 {
			require.Contains(t, string(body), `"name":"ci"`)
		}
	}
	for problem, args := range map[string][]string{
		"other machines can reach": {"0.0.0.0:0"}, // an address for others needs tokens
		"did you mean javascript?": {"localhost:0", "--ask", "javascirpt"},
	} {
		_, errs, status := run(t, newHost(t), append([]string{"serve"}, args...)...)
		require.NotZero(t, status)
		require.Contains(t, errs, problem)
	}
}

// TestServedTokensAskByTheRules: with the rules of toolrun mcp, calls of a token wait on the page as over MCP.
func TestServedTokensAskByTheRules(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.json")
	require.NoError(t, os.WriteFile(file,
		[]byte(`{"tokens": [{"name": "ci", "token": "secret-secret-secret-secret", "project": "ci"}]}`), 0o600))
	base := startPage(t, t.TempDir(), "--tokens", file, "--ask", "javascript")
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	v := &visitor{t: t, client: &http.Client{Jar: jar}, base: base}
	require.Equal(t, 200, v.do("POST", "/api/login", `{"token": "secret-secret-secret-secret"}`, nil))
	var about struct{ CSRF string }
	require.Equal(t, 200, v.do("GET", "/api/about", "", &about))
	v.csrf = about.CSRF
	require.Contains(t, v.runs("ci", "{}", "return 1"), "waits for the approval of a person")
}

// A visitor has followed a link.
type visitor struct {
	t      *testing.T
	client *http.Client
	base   string
	csrf   string
}

func visit(t *testing.T, link string) *visitor {
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	u, err := url.Parse(link)
	require.NoError(t, err)
	v := &visitor{t: t, client: &http.Client{Jar: jar}, base: "http://" + u.Host}
	response, err := v.client.Get(link)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, 200, response.StatusCode)
	var about struct{ CSRF string }
	require.Equal(t, 200, v.do("GET", "/api/about", "", &about))
	v.csrf = about.CSRF
	return v
}

func (v *visitor) do(method, path, body string, out any) int {
	r, err := http.NewRequest(method, v.base+path, strings.NewReader(body))
	require.NoError(v.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Toolrun-CSRF", v.csrf)
	response, err := v.client.Do(r)
	require.NoError(v.t, err)
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	require.NoError(v.t, err)
	if out != nil {
		require.NoError(v.t, json.Unmarshal(data, out), "%s", data)
	}
	return response.StatusCode
}

// runs runs code on the page, and returns what the model would get.
func (v *visitor) runs(project, options, code string) string {
	var made struct{ Call string }
	input, err := json.Marshal(map[string]any{"code": code})
	require.NoError(v.t, err)
	require.Equal(v.t, 200, v.do("POST", "/api/calls", `{"project": "`+project+`", "tool": "javascript", "options": `+
		options+`, "input": `+string(input)+`}`, &made))
	v.ended(project, made.Call)
	var call struct{ Result string }
	require.Equal(v.t, 200, v.do("GET", "/api/calls/one?project="+project+"&call="+made.Call, "", &call))
	return call.Result
}

// ended waits for the end of a call.
func (v *visitor) ended(project, call string) {
	response, err := v.client.Get(v.base + "/api/calls/output?project=" + project + "&call=" + call)
	require.NoError(v.t, err)
	_, err = io.Copy(io.Discard, response.Body)
	require.NoError(v.t, errors.Join(err, response.Body.Close()))
}

func TestServedSessionsGoOnElsewhere(t *testing.T) {
	data := t.TempDir()
	mustRun(t, newHost(t, "TOOLRUN_DATA="+data), "js", "--project", "notes", "--session", "mine", "-e",
		"globalThis.kept = 41")
	require.Contains(t, visit(t, startPage(t, data)).runs("notes", `{"session": "mine"}`, "return ++kept"), "42")
	require.Contains(t, visit(t, startPage(t, data)).runs("notes", `{"session": "mine"}`, "return ++kept"), "43")
}

func TestServeDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "work")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".git"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plan.txt"), []byte("one\n"), 0o644))
	v := visit(t, startPage(t, t.TempDir(), "--root", dir))
	var projects struct{ Projects []struct{ Name string } }
	require.Equal(t, 200, v.do("GET", "/api/projects", "", &projects))
	require.Len(t, projects.Projects, 1)
	require.Equal(t, "work", projects.Projects[0].Name)
	require.Contains(t, v.runs("work", "{}",
		`await fs.writeFile("/plan.txt", "two\n"); return await fs.readFile("/plan.txt", "utf8")`), "two")
	require.Contains(t, v.runs("work", "{}", `await fs.writeFile("/.git/config", "x")`), "protected")
	now, err := os.ReadFile(filepath.Join(dir, "plan.txt"))
	require.NoError(t, err)
	require.Equal(t, "two\n", string(now))
	var history struct{ Changes []struct{ Call, Path string } }
	require.Equal(t, 200, v.do("GET", "/api/history?project=work", "", &history))
	require.Len(t, history.Changes, 1)
	require.Equal(t, 200, v.do("POST", "/api/history/undo", `{"project": "work", "call": "`+history.Changes[0].Call+
		`"}`, nil))
	now, err = os.ReadFile(filepath.Join(dir, "plan.txt"))
	require.NoError(t, err)
	require.Equal(t, "one\n", string(now))
	// It cannot be deleted, nothing else is there, and what is chosen would not hold.
	require.Equal(t, 403, v.do("POST", "/api/projects/delete", `{"project": "work"}`, nil))
	require.DirExists(t, dir)
	require.Equal(t, 404, v.do("POST", "/api/projects", `{"project": "other"}`, nil))
	require.Equal(t, 404, v.do("GET", "/api/files?project=other&path=/", "", nil))
	require.Equal(t, 403, v.do("POST", "/api/settings",
		`{"project": "work", "changes": {"tools": {"remove": ["javascript"]}}}`, nil))

	v = visit(t, startPage(t, t.TempDir(), "--root", dir, "--read-only"))
	require.Equal(t, 403, v.do("POST", "/api/files/save",
		`{"project": "work", "path": "/new.txt", "text": "x", "version": ""}`, nil))
	require.NoFileExists(t, filepath.Join(dir, "new.txt"))
}

func TestMCPWithPage(t *testing.T) {
	link, s := startLogged(t, t.TempDir(), "mcp", "--http", "localhost:0", "--project", "notes", "--page", "--ask",
		"filesystem")
	v := visit(t, link)
	ctx := t.Context()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).
		Connect(ctx, &mcp.StreamableClientTransport{Endpoint: v.base + "/mcp"}, nil)
	require.NoError(t, err)
	defer session.Close()
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "javascript",
		Arguments: map[string]any{"code": `await fs.writeFile("/a.txt", "a"); return 6 * 7`}})
	require.NoError(t, err)
	require.False(t, result.IsError)
	var calls struct {
		Calls []struct {
			Call, Tool string
			Changes    int
		}
	}
	require.Equal(t, 200, v.do("GET", "/api/calls?project=notes", "", &calls))
	require.Len(t, calls.Calls, 1)
	require.Equal(t, "javascript", calls.Calls[0].Tool)
	require.Equal(t, 1, calls.Calls[0].Changes)
	require.Equal(t, 200, v.do("POST", "/api/history/undo", `{"project": "notes", "call": "`+calls.Calls[0].Call+
		`"}`, nil))

	// What waits for a person, a person approves on the page.
	_, err = session.CallTool(ctx, &mcp.CallToolParams{Name: "filesystem",
		Arguments: map[string]any{"command": "create", "path": "/b.txt", "file_text": "b"}})
	require.NoError(t, err)
	var waiting struct {
		Approvals []struct {
			Token string
			Waits []struct{ Call string }
		}
	}
	require.Equal(t, 200, v.do("GET", "/api/approvals?project=notes", "", &waiting))
	require.Len(t, waiting.Approvals, 1)
	require.Equal(t, 200, v.do("POST", "/api/approvals", `{"project": "notes", "token": "`+waiting.Approvals[0].Token+
		`", "call": "`+waiting.Approvals[0].Waits[0].Call+`", "approved": true}`, nil))
	s.Await(t, "approved_by=page")
	require.Equal(t, 200, v.do("GET", "/api/files/text?project=notes&path=/b.txt", "", nil))

	// Those who have not followed the link see nothing of it.
	response, err := http.Get(v.base + "/api/calls?project=notes")
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, 401, response.StatusCode)
}
