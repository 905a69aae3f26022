package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/web"
)

// A model is a client of an MCP server with a token.
type model struct {
	*browser
	client  *web.Access
	counted int // requests
}

// beginModel serves a project for a model, and for an operator, who is the browser.
func beginModel(t *testing.T, tools ...tool.Tool) (*browser, *model) {
	runner, err := toolrun.Open(t.Context(), &toolrun.Options{Engine: engine.Engine(), DataDir: t.TempDir(),
		Tools: tools})
	require.NoError(t, err)
	m := &model{}
	m.client = &web.Access{
		Name: "ci", Project: "ci", Client: "the model",
		Session: func(ctx context.Context) (*toolrun.Session, error) {
			return runner.Session(ctx, "ci", &toolrun.SessionOptions{Client: "the model",
				Select: func(s registry.Selection) registry.Selection {
					s.Ask = []string{"memory"}
					return s.Only("javascript", "memory", "relay").WithOption("javascript", "memory", 16)
				}})
		},
		Allow: func() bool { m.counted++; return true },
		Call:  func(ctx context.Context, do func(context.Context)) error { do(ctx); return nil },
	}
	server, err := web.New(runner, &web.Options{Token: func(r *http.Request) *web.Access {
		if r.Header.Get("Authorization") == "Bearer secret-of-ci" {
			return m.client
		}
		return nil
	}})
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, server.Shutdown(context.Background()))
		require.NoError(t, runner.Close())
	})
	b := &browser{t: t, server: server, base: "http://localhost:7311"}
	b.enter(server.Link(""))
	m.browser = b
	return b, m
}

// asks makes a request with the token.
func (m *model) asks(method, path, body string) *httptest.ResponseRecorder {
	return m.do(method, path, strings.NewReader(body), func(r *http.Request) {
		r.Header = http.Header{"Authorization": {"Bearer secret-of-ci"}, "Content-Type": {"application/json"}}
	})
}

// TestDocumentedRequests makes the requests of docs/page.md with a token, and gets the result that it says a program
// gets.
func TestDocumentedRequests(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "page.md"))
	require.NoError(t, err)
	_, api, _ := strings.Cut(string(text), "## The API\n")
	documented := regexp.MustCompile("`{\"call\": \"([a-z0-9-]+)\"}`").FindStringSubmatch(api)
	require.NotNil(t, documented, "the id of the call")
	_, m := beginModel(t)
	var id string
	var got []string
	curl := regexp.MustCompile(
		`(?m)^curl -H "Authorization: Bearer \$TOKEN" (?:-H 'Content-Type: application/json' )?` +
			`['"]?http://localhost:7311([^'" ]+)['"]?(?: \\\n  -d '(.*)')?$`)
	for _, request := range curl.FindAllStringSubmatch(strings.NewReplacer("notes", "ci", documented[1],
		"ID").Replace(api), -1) {
		if strings.Contains(request[1], "ID") {
			require.NotEmpty(t, id)
			done := m.asks("GET", q("/api/calls/output", "project", "ci", "call", id), "") // which ends with the call
			require.Equal(t, 200, done.Code)
		}
		method := "GET"
		if request[2] != "" {
			method = "POST"
		}
		answer := m.asks(method, strings.ReplaceAll(request[1], "ID", id), request[2])
		var made struct{ Call, Result string }
		m.read(answer, 200, &made)
		if made.Call != "" {
			id = made.Call
		}
		got = append(got, made.Result)
	}
	require.Equal(t, []string{"", "", "42"}, got)
}

// TestOperationsForModels: a model's token may use these operations. Each new one is for people until it is here.
func TestOperationsForModels(t *testing.T) {
	b, m := beginModel(t)
	b.project("ci", map[string]string{"/a.txt": "a"})
	reading := []string{"GET /api/files", "GET /api/files/text", "GET /api/files/content",
		"GET /api/files/search"}
	allowed := append([]string{"GET /api/openapi.json", "GET /api/about", "POST /api/login", "POST /api/logout",
		"GET /api/projects", "GET /api/projects/one",
		"GET /api/tools", "GET /api/tools/definitions", "GET /api/calls", "POST /api/calls", "GET /api/calls/one",
		"GET /api/calls/picture",
		"POST /api/calls/stop",
		"GET /api/calls/output", "GET /api/events"}, reading...)
	described := 0
	for _, m.client.NoFiles = range []bool{false, true} {
		for path, methods := range describe(b).Paths {
			for method := range methods {
				name := strings.ToUpper(method) + " " + path
				before := m.counted
				// which no operation gives
				w := m.asks(strings.ToUpper(method), path+"?project=none", `{"project": "none"}`)
				require.Equal(t, before+1, m.counted, "%s counts", name)
				if slices.Contains(allowed, name) && !(m.client.NoFiles && slices.Contains(reading, name)) {
					require.NotEqual(t, 403, w.Code, "%s: %s", name, w.Body)
					described++
				} else {
					require.Equal(t, 403, w.Code, "%s: %s", name, w.Body)
					require.Contains(t, w.Body.String(), "this token")
				}
			}
		}
	}
	require.Equal(t, 2*len(allowed)-len(reading), described)

	for _, m.client.NoFiles = range []bool{false, true} {
		for path, want := range map[string]int{"/": 200, "/run": 200, "/calls": 200, "/tools": 200, "/history": 404,
			"/servers": 404, "/files": 200} {
			if path == "/files" && m.client.NoFiles {
				want = 404
			}
			w := m.asks("GET", path+"?project=ci", "")
			require.Equal(t, want, w.Code, path)
			require.NotContains(t, w.Body.String(), `href="/history`)
		}
	}
	m.client.Allow = func() bool { return false }
	for _, path := range []string{"/", "/api/about", "/api/history?project=ci"} {
		w := m.asks("GET", path, "")
		require.Equal(t, http.StatusTooManyRequests, w.Code, path)
		require.Equal(t, "1", w.Header().Get("Retry-After"))
	}
	require.Equal(t, 200, b.do("GET", "/", nil, nil).Code) // the operator's requests are others
	require.Equal(t, 200, b.do("GET", q("/api/history", "project", "ci"), nil, nil).Code)
}

// TestModelsLogIn: a cookie for a model's token gives what the token gives.
func TestModelsLogIn(t *testing.T) {
	b, m := beginModel(t)
	b.project("ci", nil)
	person := *b
	person.cookie, person.csrf = nil, ""
	w := person.send("/api/login", map[string]string{"token": "secret-of-ci"})
	require.Equal(t, 200, w.Code)
	person.cookie = w.Result().Cookies()[0]
	var about struct {
		CSRF  string
		Model bool
	}
	person.get("/api/about", &about)
	require.True(t, about.Model)
	person.csrf = about.CSRF
	f := person.fails(person.send("/api/approvals", map[string]any{"project": "ci", "token": "x", "call": "x",
		"approved": true}), 403)
	require.Contains(t, f.Error.Message, "a person")
	require.Equal(t, 403, person.send("/api/links", struct{}{}).Code)
	require.Contains(t, person.do("GET", "/?x", nil, nil).Body.String(), `data-model="yes"`)
	require.NotContains(t, b.do("GET", "/?x", nil, nil).Body.String(), "data-model")
	require.Positive(t, m.counted)
}

// TestCallsOfModels: calls have a place before they begin, those of others are not seen, and those that wait for
// approval wait for somebody else.
func TestCallsOfModels(t *testing.T) {
	b, m := beginModel(t)
	b.project("ci", nil)
	var made struct{ Call string }
	b.post("/api/calls", map[string]any{"project": "ci", "tool": "javascript",
		"input": map[string]any{"code": "return 'of the operator'"}}, &made)
	await(b, "ci", made.Call)
	for _, path := range []string{"/api/calls/one", "/api/calls/output"} {
		require.Equal(t, 404, m.asks("GET", q(path, "project", "ci", "call", made.Call), "").Code)
	}
	require.JSONEq(t, `{"calls": [], "more": false}`, m.asks("GET", q("/api/calls", "project", "ci"), "").Body.String())

	const create = `{"project": "ci", "tool": "memory", ` +
		`"input": {"command": "create", "path": "/memories/a.txt", "file_text": "x"}}`
	m.read(m.asks("POST", "/api/calls", create), 200, &made)
	m.asks("GET", q("/api/calls/output", "project", "ci", "call", made.Call), "") // which ends with the call
	var call call
	m.read(m.asks("GET", q("/api/calls/one", "project", "ci", "call", made.Call), ""), 200, &call)
	require.Equal(t, "pending", call.Code)
	var waiting struct {
		Approvals []struct {
			Token, Client string
			Waits         []struct{ Call string }
		}
	}
	b.get(q("/api/approvals", "project", "ci"), &waiting)
	require.Len(t, waiting.Approvals, 1)
	require.Equal(t, "the model", waiting.Approvals[0].Client)
	a := waiting.Approvals[0]
	decision := map[string]any{"project": "ci", "token": a.Token, "call": a.Waits[0].Call, "approved": true}
	body, err := json.Marshal(decision)
	require.NoError(t, err)
	require.Equal(t, 403, m.asks("POST", "/api/approvals", string(body)).Code)
	b.get(q("/api/approvals", "project", "ci"), &waiting)
	require.Len(t, waiting.Approvals, 1)
	require.Equal(t, 200, b.send("/api/approvals", decision).Code) // the operator may

	// Without a place there is no call.
	m.client.Call = func(context.Context, func(context.Context)) error { return errors.New("the server ends") }
	require.Equal(t, 503, m.asks("POST", "/api/calls",
		`{"project": "ci", "tool": "javascript", "input": {"code": "return 1"}}`).Code)
	waits := make(chan struct{})
	m.client.Call = func(ctx context.Context, do func(context.Context)) error {
		close(waits)
		<-ctx.Done()
		return ctx.Err()
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-waits; cancel() }()
	w := m.do("POST", "/api/calls",
		strings.NewReader(`{"project": "ci", "tool": "javascript", "input": {"code": "return 1"}}`),
		func(r *http.Request) {
			*r = *r.WithContext(ctx)
			r.Header = http.Header{"Authorization": {"Bearer secret-of-ci"}, "Content-Type": {"application/json"}}
		})
	require.Equal(t, 503, w.Code)
	var list struct{ Calls []struct{ Call string } }
	m.read(m.asks("GET", q("/api/calls", "project", "ci"), ""), 200, &list)
	require.Len(t, list.Calls, 1)
}

// TestToolsOfModelsThatWait: a model's code that waited, and that a person lets go on, has the tools of the model and
// not those of the person.
func TestToolsOfModelsThatWait(t *testing.T) {
	relay := tool.JSONFunc(tool.Spec{Name: "relay", Description: "Calls two tools.",
		Schema: json.RawMessage(`{"type": "object"}`)},
		func(ctx context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
			create := tool.Call{Tool: "memory",
				Input: json.RawMessage(`{"command": "create", "path": "/memories/a.txt", "file_text": "x"}`)}
			if _, later := env.DispatchNumbered(ctx, create, 0); later {
				return tool.Suspended([]byte("state")), nil
			}
			return env.Dispatch(ctx, tool.Call{Tool: "filesystem",
				Input: json.RawMessage(`{"command": "view", "path": "/a.txt"}`)}), nil
		})
	b, m := beginModel(t, relay)
	b.project("ci", map[string]string{"/a.txt": "of the person"})
	b.post("/api/settings", changing("ci", "tools", "add", "filesystem"), nil)
	type detail struct{ Code, Result string }
	call := func() (d detail) {
		var made struct{ Call string }
		m.read(m.asks("POST", "/api/calls", `{"project": "ci", "tool": "relay", "input": {}}`), 200, &made)
		m.asks("GET", q("/api/calls/output", "project", "ci", "call", made.Call), "") // which ends with the call
		m.read(m.asks("GET", q("/api/calls/one", "project", "ci", "call", made.Call), ""), 200, &d)
		return d
	}
	require.Equal(t, "pending", call().Code)
	var waiting struct {
		Approvals []struct {
			Token string
			Waits []struct{ Call string }
		}
	}
	b.get(q("/api/approvals", "project", "ci"), &waiting)
	a := waiting.Approvals[0]
	b.post("/api/approvals", map[string]any{"project": "ci", "token": a.Token, "call": a.Waits[0].Call,
		"approved": true}, nil)
	var d detail
	b.until("ci", func() bool { // the same call gets the result once there is one
		d = call()
		return d.Code != "pending"
	})
	require.Equal(t, "tool_disabled", d.Code)
	require.Contains(t, d.Result, "Unknown tool: filesystem")
}

// TestSecondsOfModels: a model's call on the page has the time that it has over MCP, or less.
func TestSecondsOfModels(t *testing.T) {
	relay := tool.JSONFunc(tool.Spec{Name: "relay", Description: "Tells its time.",
		Schema: json.RawMessage(`{"type": "object"}`), Timeout: time.Minute},
		func(_ context.Context, _ tool.Call, env tool.Env) (tool.Result, error) {
			return tool.Text("it has " + env.Timeout.String()), nil
		})
	b, m := beginModel(t, relay)
	b.project("ci", nil)
	for seconds, want := range map[string]string{"0": "50s", "20": "20s", "55": "50s", "60": "50s", "3600": "50s"} {
		var made struct{ Call string }
		m.read(m.asks("POST", "/api/calls", `{"project": "ci", "tool": "relay", "input": {}, "seconds": `+seconds+`}`),
			200, &made)
		m.asks("GET", q("/api/calls/output", "project", "ci", "call", made.Call), "") // which ends with the call
		var detail struct{ Result string }
		m.read(m.asks("GET", q("/api/calls/one", "project", "ci", "call", made.Call), ""), 200, &detail)
		require.Equal(t, "it has "+want, detail.Result, seconds)
	}
}
