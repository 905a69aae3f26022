package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/toolruntest"
)

// A tokenHolder makes requests to the page's API with a token.
type tokenHolder struct {
	t           *testing.T
	base, token string
	project     string
}

// do makes a request, again when there have been too many, and returns the answer.
func (h tokenHolder) do(method, path string, body any) (int, string) {
	for {
		if status, text := h.try(method, path, body); status != http.StatusTooManyRequests {
			return status, text
		}
	}
}

func (h tokenHolder) try(method, path string, body any) (int, string) {
	var sent io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		require.NoError(h.t, err)
		sent = strings.NewReader(string(data))
	}
	r, err := http.NewRequestWithContext(h.t.Context(), method, h.base+path, sent)
	require.NoError(h.t, err)
	r.Header.Set("Content-Type", "application/json")
	response, err := (&http.Client{Transport: toolruntest.Bearer{Token: h.token}}).Do(r)
	require.NoError(h.t, err)
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	require.NoError(h.t, err)
	return response.StatusCode, string(data)
}

// A pageCall is a call as the page has it.
type pageCall struct {
	Call, Tool, Client, Code, Result, State string
}

// call makes a call that begins, and waits for its end.
func (h tokenHolder) call(tool string, input, more map[string]any) pageCall {
	h.t.Helper()
	request := map[string]any{"project": h.project, "tool": tool, "input": input}
	for name, value := range more {
		request[name] = value
	}
	status, text := h.do("POST", "/api/calls", request)
	require.Equal(h.t, 200, status, text)
	var made, call pageCall
	require.NoError(h.t, json.Unmarshal([]byte(text), &made))
	h.ended(made.Call)
	status, text = h.do("GET", "/api/calls/one?project="+h.project+"&call="+made.Call, nil)
	require.Equal(h.t, 200, status, text)
	require.NoError(h.t, json.Unmarshal([]byte(text), &call))
	require.Contains(h.t, []string{"ended", "waiting"}, call.State)
	return call
}

// ended waits for the end of a call: until then there can be output.
func (h tokenHolder) ended(call string) {
	h.t.Helper()
	status, text := h.do("GET", "/api/calls/output?project="+h.project+"&call="+call, nil)
	require.Equal(h.t, 200, status, text)
}

const (
	adaToken = "ada-1111111111111111111111111111"
	bobToken = "bob-2222222222222222222222222222"
	oneToken = "one-3333333333333333333333333333"
	fewToken = "few-4444444444444444444444444444"
	nilToken = "nil-5555555555555555555555555555"
	hasToken = "has-6666666666666666666666666666"
	eveToken = "eve-7777777777777777777777777777"
	opsToken = "ops-8888888888888888888888888888"
	setToken = "set-9999999999999999999999999999"
)

// pageTokenFile has a token for each kind of limit.
func pageTokenFile(t *testing.T) string {
	file := filepath.Join(t.TempDir(), "tokens.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"tokens": [
		{"name": "ada", "token": "`+adaToken+`", "project": "notes", "tools": ["javascript", "memory"],
			"options": {"javascript": {"memory": 16}}, "limits": {"timeout": "2s", "fileSize": 1000}},
		{"name": "bob", "token": "`+bobToken+`", "project": "notes"},
		{"name": "one", "token": "`+oneToken+`", "project": "one", "limits": {"calls": 1}},
		{"name": "few", "token": "`+fewToken+`", "project": "few", "limits": {"rate": 0.001}},
		{"name": "nil", "token": "`+nilToken+`", "project": "notes", "noResources": true},
		{"name": "has", "token": "`+hasToken+`", "project": "notes", "limits": {"timeout": "100ms"}},
		{"name": "eve", "token": "`+eveToken+`", "project": "notes", "role": "person", "limits": {"timeout": "100ms"}},
		{"name": "ops", "token": "`+opsToken+`", "project": "notes", "role": "operator"},
		{"name": "set", "token": "`+setToken+`", "project": "notes", "role": "person", "tools": ["memory"]}]}`),
		0o600))
	return file
}

// TestTokensOnThePage: on the page and its API a token may do what it may do over MCP, and nothing else, whichever
// command serves the page.
func TestTokensOnThePage(t *testing.T) {
	t.Run("beside MCP", func(t *testing.T) {
		s := serve(t, newHost(t), "--http", "localhost:0", "--tokens", pageTokenFile(t), "--page")
		limitsHold(t, s.At(""))
	})
	t.Run("alone", func(t *testing.T) { limitsHold(t, startPage(t, t.TempDir(), "--tokens", pageTokenFile(t))) })
}

func limitsHold(t *testing.T, base string) {
	ada := tokenHolder{t, base, adaToken, "notes"}
	bob := tokenHolder{t, base, bobToken, "notes"}
	blind := tokenHolder{t, base, nilToken, "notes"}
	hasty := tokenHolder{t, base, hasToken, "notes"}
	js := func(code string) map[string]any { return map[string]any{"code": code} }
	require.Empty(t, bob.call("filesystem", map[string]any{"command": "create", "path": "/a.txt", "file_text": "a"},
		nil).Code)

	t.Run("options and time", func(t *testing.T) {
		const hog = "const a = []; for (;;) a.push(new ArrayBuffer(1e6))"
		require.Contains(t, ada.call("javascript", js(hog), nil).Result, "16 MiB")
		for _, value := range []any{1024, 17, 8} { // over MCP a call has no options
			status, text := ada.do("POST", "/api/calls", map[string]any{"project": "notes", "tool": "javascript",
				"input":   js(hog),
				"options": map[string]any{"memory": value}})
			require.Equal(t, 403, status, text)
			require.Contains(t, text, "the token decides on the options")
		}
		require.Contains(t, ada.call("javascript", js(hog),
			map[string]any{"options": map[string]any{"memory": 16}}).Result, "16 MiB")
		require.Contains(t, hasty.call("javascript", js("for (;;);"), map[string]any{"seconds": 3600}).Result, "100ms")
		require.Contains(t, ada.call("javascript", js("for (;;);"), map[string]any{"seconds": 0.05}).Result, "50ms")
	})
	t.Run("tools and quota", func(t *testing.T) {
		require.NotEmpty(t, ada.call("filesystem", map[string]any{"command": "view", "path": "/a.txt"}, nil).Code)
		require.Contains(t, ada.call("javascript", js("fs.writeFileSync('/large', 'x'.repeat(2000))"), nil).Result,
			"ENOSPC")
		status, text := ada.do("GET", "/api/tools?project=notes", nil)
		require.Equal(t, 200, status)
		require.NotContains(t, text, `"filesystem"`)
	})
	t.Run("files", func(t *testing.T) {
		for path, reads := range map[string]int{
			"/api/files?project=notes&path=/": 200, "/api/files/text?project=notes&path=/a.txt": 200,
			"/api/files/content?project=notes&path=/a.txt":          200,
			"/api/files/text?project=notes&path=/a.txt&change=1":    403,
			"/api/files/content?project=notes&path=/a.txt&change=1": 403,
			"/api/files/search?project=notes&text=a":                200, "/api/projects/export?project=notes": 403,
			"/api/history?project=notes": 403, "/api/history/diff?project=notes&change=1": 403,
			"/api/checkpoints?project=notes": 403, "/api/approvals?project=notes": 403,
		} {
			status, text := ada.do("GET", path, nil)
			require.Equal(t, reads, status, "%s: %s", path, text)
			status, text = blind.do("GET", path, nil)
			require.Equal(t, 403, status, "%s: %s", path, text)
		}
	})
	t.Run("what is for people", func(t *testing.T) {
		for path, more := range map[string]map[string]any{
			"/api/approvals":         {"token": "run-x", "call": "x", "approved": true},
			"/api/files/save":        {"path": "/b.txt", "text": "b", "version": ""},
			"/api/files/delete":      {"path": "/a.txt"},
			"/api/history/undo":      {"call": "x"},
			"/api/settings":          {"changes": map[string]any{"network": map[string]any{}}},
			"/api/projects":          {},
			"/api/projects/delete":   {},
			"/api/links":             {},
			"/api/checkpoints":       {"name": "x"},
			"/api/sessions/delete":   {"session": "x"},
			"/api/projects/restore":  {},
			"/api/files/upload?path": {},
		} {
			body := map[string]any{"project": "notes"}
			for name, value := range more {
				body[name] = value
			}
			if path == "/api/links" {
				delete(body, "project")
			}
			status, text := bob.do("POST", strings.TrimSuffix(path, "?path"), body)
			require.Equal(t, 403, status, "%s: %s", path, text)
			require.Contains(t, text, "a person")
		}
	})
	t.Run("roles", func(t *testing.T) {
		eve, ops, set := tokenHolder{t, base, eveToken, "notes"}, tokenHolder{t, base, opsToken, "notes"},
			tokenHolder{t, base, setToken, "notes"}
		require.Contains(t, eve.call("javascript", js("for (;;);"), nil).Result, "100ms", "the token's limit")
		for _, who := range []tokenHolder{eve, ops} {
			saved := map[string]any{"project": "notes", "path": "/of-people.txt", "text": "a", "version": ""}
			status, text := who.do("POST", "/api/files/save", saved)
			require.Equal(t, 200, status, text)
			status, text = who.do("POST", "/api/files/delete", map[string]any{"project": "notes",
				"path": "/of-people.txt"})
			require.Equal(t, 200, status, text)
			for _, path := range []string{"/api/history", "/api/approvals", "/api/checkpoints", "/api/sessions",
				"/api/settings"} {
				status, text = who.do("GET", path+"?project=notes", nil)
				require.Equal(t, 200, status, text)
			}
			status, text = who.do("POST", "/api/settings", map[string]any{"project": "notes",
				"changes": map[string]any{"ask": map[string]any{"remove": []string{"memory"}}}})
			require.Equal(t, 200, status, text)
		}
		status, text := set.do("POST", "/api/settings", map[string]any{"project": "notes",
			"changes": map[string]any{"ask": map[string]any{"add": []string{"memory"}}}})
		require.Equal(t, 403, status, text)
		require.Contains(t, text, "the token, or the server's flags, decide on the tools")
		status, text = ops.do("POST", "/api/projects", map[string]any{"project": "other"})
		require.Equal(t, 200, status, text)
		for path, statuses := range map[string][2]int{
			"/api/projects/one?project=other": {404, 200}, "/api/files?project=other&path=/": {404, 200},
			"/api/servers": {403, 200}, "/api/projects/deleted": {403, 200}, "/servers": {404, 200},
		} {
			for i, who := range []tokenHolder{eve, ops} {
				status, text := who.do("GET", path, nil)
				require.Equal(t, statuses[i], status, "%s: %s", path, text)
			}
		}
		status, text = eve.do("POST", "/api/projects/delete", map[string]any{"project": "notes"})
		require.Equal(t, 403, status, text)
	})
	t.Run("calls of others", func(t *testing.T) {
		secret := bob.call("javascript", js("return 'of bob'"), nil)
		for _, path := range []string{"/api/calls/one", "/api/calls/output"} {
			status, text := ada.do("GET", path+"?project=notes&call="+secret.Call, nil)
			require.Equal(t, 404, status, text)
		}
		status, text := ada.do("GET", "/api/calls?project=notes", nil)
		require.Equal(t, 200, status)
		require.NotContains(t, text, secret.Call)
		_, text = bob.do("GET", "/api/calls?project=notes", nil)
		require.Contains(t, text, secret.Call)
	})
	t.Run("calls at once", func(t *testing.T) {
		one := tokenHolder{t, base, oneToken, "one"}
		const alone = `fs.mkdirSync('/running'); await new Promise(r => setTimeout(r, 20)); fs.rmdirSync('/running')`
		var group sync.WaitGroup
		var begun atomic.Int32
		for range 16 {
			group.Go(func() {
				if status, _ := one.try("POST", "/api/calls", map[string]any{"project": "one", "tool": "javascript",
					"input": js(alone)}); status == 200 {
					begun.Add(1)
				}
			})
		}
		group.Wait()
		require.Positive(t, begun.Load())
		var list struct{ Calls []pageCall }
		for range 2 { // what runs at first has ended then
			_, text := one.do("GET", "/api/calls?project=one", nil)
			require.NoError(t, json.Unmarshal([]byte(text), &list))
			for _, c := range list.Calls {
				one.ended(c.Call)
			}
		}
		require.Len(t, list.Calls, int(begun.Load()))
		for _, c := range list.Calls {
			require.Empty(t, c.Code, "two calls at once")
		}
	})
	t.Run("requests a second", func(t *testing.T) {
		few := tokenHolder{t, base, fewToken, "few"}
		accepted := 0
		for i := range 60 {
			path := []string{"/api/about", "/api/projects", "/api/calls?project=few", "/",
				"/api/files/search?project=few&text=a"}[i%5]
			if status, _ := few.try("GET", path, nil); status != http.StatusTooManyRequests {
				accepted++
			}
		}
		require.Equal(t, 1, accepted)
	})
}

// TestTokensOnThePageAndOverMCP: both doors count for the same limits, and a call that waits at one is the same at the
// other. Its token decides on it at neither.
func TestTokensOnThePageAndOverMCP(t *testing.T) {
	data := t.TempDir()
	m := meet(t)
	s := serve(t, newHost(t, "TOOLRUN_DATA="+data), "--http", "localhost:0", "--tokens", pageTokenFile(t), "--page",
		"--ask", "memory", "--allow", m.URL)
	one := tokenHolder{t, s.At(""), oneToken, "one"}
	session, err := s.Connect(t.Context(), oneToken)
	require.NoError(t, err)
	defer session.Close()
	ended := make(chan error, 1)
	go func() {
		_, err := toolruntest.Call(t.Context(), session, "javascript", map[string]any{
			"code": "fs.mkdirSync('/running'); " + m.wait + "; fs.rmdirSync('/running')"})
		ended <- err
	}()
	<-m.arrived
	made := make(chan string, 1)
	go func() {
		status, text := one.try("POST", "/api/calls", map[string]any{"project": "one", "tool": "javascript",
			"input": map[string]any{"code": `fs.mkdirSync('/running')`}})
		if status != http.StatusOK {
			text = "{}"
		}
		made <- text
	}()
	_, text := one.do("GET", "/api/calls?project=one", nil)
	require.Equal(t, 1, strings.Count(text, `"state":"running"`), text)
	m.leave <- struct{}{}
	require.NoError(t, <-ended)
	var second pageCall
	require.NoError(t, json.Unmarshal([]byte(<-made), &second))
	if second.Call != "" {
		one.ended(second.Call)
	}
	_, text = one.do("GET", "/api/calls?project=one", nil)
	require.NotContains(t, text, `"state":"running"`)
	require.NotContains(t, text, `"code":"failed"`)
	require.NotContains(t, text, "EEXIST")

	few, err := s.Connect(t.Context(), fewToken)
	if err == nil { // a burst of one request
		_, err = few.ListTools(t.Context(), nil)
	}
	require.Error(t, err)
	status, _ := tokenHolder{t, s.At(""), fewToken, "few"}.try("GET", "/api/about", nil)
	require.Equal(t, http.StatusTooManyRequests, status)

	// A call that waits is the same at both doors.
	bob := tokenHolder{t, s.At(""), bobToken, "notes"}
	input := map[string]any{"command": "create", "path": "/memories/a.txt", "file_text": "x"}
	waits := bob.call("memory", input, nil)
	require.Equal(t, "pending", waits.Code)
	run := toolruntest.WaitingToken.FindString(waits.Result)
	require.NotEmpty(t, run)
	model, err := s.Connect(t.Context(), bobToken)
	require.NoError(t, err)
	defer model.Close()
	_, err = toolruntest.Call(t.Context(), model, "memory", input)
	require.ErrorContains(t, err, run)
	for name, more := range map[string]map[string]any{
		"approves": {"approved": true}, "refuses": {"approved": false}, "changes": {"approved": true,
			"input": map[string]any{"command": "view", "path": "/memories"}},
	} {
		for _, project := range []string{"notes", "one"} {
			for _, token := range []string{bobToken, adaToken, oneToken} {
				for _, call := range []string{waits.Call, run, "call"} {
					body := map[string]any{"project": project, "token": run, "call": call}
					for name, value := range more {
						body[name] = value
					}
					status, text := tokenHolder{t, s.At(""), token, project}.do("POST", "/api/approvals", body)
					require.Equal(t, 403, status, "%s: %s", name, text)
				}
			}
		}
	}
	for i, more := range []map[string]any{nil, {"options": map[string]any{}}, {"seconds": 5}} {
		other := map[string]any{"command": "create", "path": fmt.Sprintf("/memories/%d.txt", i), "file_text": "x"}
		require.Equal(t, "pending", bob.call("memory", other, more).Code, "it asks whatever the request says")
	}
	mustRun(t, newHost(t), "approvals", "--data", data, "approve", run, "--decide-only")
	got := bob.call("memory", input, nil)
	require.Empty(t, got.Code, got.Result)
	require.FileExists(t, filepath.Join(data, "projects", "notes", "memories", "a.txt"))
}
