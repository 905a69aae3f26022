package web_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/waiting"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/web"
)

// A description is what the tests need of /api/openapi.json.
type description struct {
	OpenAPI    string
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]json.RawMessage }
}

type operation struct {
	Summary     string
	OperationID string
	Parameters  []struct {
		Name, In, Description string
		Schema                json.RawMessage
	}
	RequestBody struct {
		Content map[string]struct{ Schema json.RawMessage }
	}
	Responses map[string]struct {
		Content map[string]struct{ Schema json.RawMessage }
	}
}

func describe(b *browser) (d description) {
	b.get("/api/openapi.json", &d)
	return d
}

// fits checks that a value fits a schema.
func fits(t *testing.T, raw json.RawMessage, data []byte, what string) {
	t.Helper()
	// A schema of tools is of an object.
	compiled, err := schema.CompileObject(raw)
	require.NoError(t, err, what)
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	require.NoError(t, decoder.Decode(&value), what)
	require.NoError(t, compiled.Validate(context.Background(), value), "%s: %s", what, data)
}

// TestEachOperationIsDescribed makes a request to each operation of the description, and checks that answers fit it,
// and that the page asks for nothing that is not described.
func TestEachOperationIsDescribed(t *testing.T) {
	b := begin(t, toolrun.Options{DataDir: t.TempDir()}, web.Options{})
	d := describe(b)
	require.Equal(t, "3.1.1", d.OpenAPI)
	b.project("p", map[string]string{"/a.txt": "one\ntwo\n", "/b/c.txt": "c"})
	b.project("gone", nil)
	b.post("/api/projects/delete", m{"project": "gone"}, nil)
	var made struct{ Call string }
	b.post("/api/calls", m{"project": "p", "tool": "javascript",
		"input": m{"code": `console.log(1); await fs.writeFile("/a.txt", "three\n")`}}, &made)
	await(b, "p", made.Call)
	b.post("/api/checkpoints", m{"project": "p", "name": "kept"}, nil)
	for _, session := range []string{"main", "dropped"} {
		b.post("/api/calls", m{"project": "p", "tool": "javascript", "input": m{"code": "globalThis.n = 1"},
			"options": m{"session": session}}, &made)
		await(b, "p", made.Call)
	}
	b.post("/api/calls", m{"project": "p", "tool": "javascript",
		"input": m{"code": `console.log(2); await fs.writeFile("/a.txt", "four\n")`}}, &made)
	await(b, "p", made.Call)
	var history struct {
		Changes []struct {
			ID   int64
			Path string
		}
	}
	b.get(q("/api/history", "project", "p"), &history)
	change := history.Changes[0].ID
	number := fmt.Sprint(change)

	viewed, _ := b.viewed(t, "p")

	// What is sent to each operation: a query, or a body.
	requests := map[string]any{
		"GET /api/openapi.json":         "",
		"GET /api/about":                "",
		"POST /api/login":               m{"token": "none"},
		"POST /api/links":               m{},
		"GET /api/projects":             "limit=1",
		"POST /api/projects":            m{"project": "new"},
		"GET /api/projects/one":         "project=p",
		"POST /api/projects/delete":     m{"project": "new"},
		"GET /api/projects/deleted":     "",
		"POST /api/projects/restore":    m{"project": "gone"},
		"GET /api/projects/export":      "project=p&format=tar",
		"GET /api/files":                "project=p&path=/",
		"GET /api/files/text":           "project=p&path=/a.txt",
		"GET /api/files/content":        "project=p&path=/a.txt",
		"POST /api/files/save":          m{"project": "p", "path": "/n.txt", "text": "n", "version": ""},
		"POST /api/files/upload":        "project=p&path=/u.bin",
		"POST /api/files/folder":        m{"project": "p", "path": "/folder"},
		"POST /api/files/move":          m{"project": "p", "path": "/n.txt", "to": "/m.txt"},
		"POST /api/files/copy":          m{"project": "p", "path": "/a.txt", "to": "/copied/a.txt"},
		"POST /api/projects/import":     "project=p&format=tar",
		"GET /api/layer":                "project=p",
		"POST /api/layer/apply":         m{"project": "p", "paths": []string{"/a.txt"}},
		"POST /api/layer/discard":       m{"project": "p"},
		"GET /api/history/compare":      "project=p&path=/a.txt",
		"POST /api/files/delete":        m{"project": "p", "path": "/m.txt"},
		"GET /api/files/search":         "project=p&text=c",
		"GET /api/history":              "project=p",
		"GET /api/history/diff":         "project=p&change=" + number,
		"POST /api/history/restore":     m{"project": "p", "change": change},
		"GET /api/history/undo":         "project=p&call=" + made.Call,
		"POST /api/history/undo":        m{"project": "p", "call": "nothing"},
		"POST /api/history/redo":        m{"project": "p", "call": "nothing"},
		"POST /api/history/purge":       m{"project": "p", "path": "/b/c.txt", "delete": false},
		"POST /api/history/compact":     m{"project": "p"},
		"GET /api/tools":                "project=p",
		"GET /api/tools/definitions":    "project=p&api=anthropic",
		"GET /api/servers":              "",
		"GET /api/modules":              "",
		"GET /api/calls":                "project=p",
		"POST /api/calls":               m{"project": "p", "tool": "javascript", "input": m{"code": "return 1"}},
		"GET /api/calls/one":            "project=p&call=" + made.Call,
		"GET /api/calls/picture":        "project=p&number=1&call=" + viewed,
		"POST /api/calls/stop":          m{"project": "p", "call": "none"},
		"GET /api/calls/output":         "project=p&call=" + made.Call,
		"GET /api/events":               "project=p",
		"GET /api/approvals":            "project=p",
		"GET /api/approvals/loss":       "project=p&token=none&call=none",
		"GET /api/checkpoints":          "project=p",
		"POST /api/checkpoints":         m{"project": "p", "name": "draft"},
		"GET /api/checkpoints/changes":  "project=p&name=draft",
		"POST /api/checkpoints/restore": m{"project": "p", "name": "draft"},
		"POST /api/checkpoints/delete":  m{"project": "p", "name": "kept"},
		"GET /api/sessions":             "project=p",
		"GET /api/sessions/one":         "project=p&session=main",
		"POST /api/sessions/fork":       m{"project": "p", "session": "main", "as": "try"},
		"POST /api/sessions/delete":     m{"project": "p", "session": "dropped"},
		"GET /api/settings":             "project=p",
		"POST /api/settings":            m{"project": "p", "changes": m{"ask": m{"set": []string{"writes"}}}},
		"POST /api/approvals":           m{"project": "p", "token": "none", "call": "none", "approved": true},
		"POST /api/logout":              m{}, // the last one
	}
	// in the order in which they are described, but for the one that ends the visit
	var ids []string
	check := func(path, method string, o operation) {
		name := strings.ToUpper(method) + " " + path
		in, known := requests[name]
		require.True(t, known, "say what to send to %s", name)
		require.NotEmpty(t, o.Summary, name)
		ids = append(ids, o.OperationID)
		if name == "GET /api/events" { // which does not end
			return
		}
		var w *httptest.ResponseRecorder
		switch in := in.(type) {
		case string:
			if method == "post" {
				require.Contains(t, o.RequestBody.Content, "application/octet-stream", name)
				body := []byte("bytes")
				if path == "/api/projects/import" {
					body = make([]byte, 1<<10) // an archive without files
				}
				w = b.do("POST", path+"?"+in, bytes.NewReader(body), func(r *http.Request) {
					r.Header.Set("Content-Type", "application/octet-stream")
				})
			} else {
				w = b.do("GET", path+"?"+in, nil, nil)
			}
			query, err := url.ParseQuery(in)
			require.NoError(t, err)
			for _, p := range o.Parameters {
				require.Equal(t, "query", p.In)
				delete(query, p.Name)
			}
			require.Empty(t, query, name)
		case m:
			data, err := json.Marshal(in)
			require.NoError(t, err)
			fits(t, o.RequestBody.Content["application/json"].Schema, data, name)
			w = b.send(path, in)
		}
		if w.Code != 200 {
			require.Contains(t, []string{"POST /api/login", "POST /api/history/undo", "POST /api/history/redo",
				"POST /api/calls/stop", "POST /api/approvals", "GET /api/approvals/loss",
				"GET /api/layer", "POST /api/layer/apply", "POST /api/layer/discard"}, name, w.Body.String())
			fits(t, d.Components.Schemas["Failed"], w.Body.Bytes(), name)
			return
		}
		for kind, content := range o.Responses["200"].Content {
			matches, err := filepath.Match(kind, w.Header().Get("Content-Type"))
			require.NoError(t, err)
			require.True(t, matches, "%s: %s", name, w.Header().Get("Content-Type"))
			if kind == "application/json" && string(content.Schema) != "{}" {
				fits(t, content.Schema, w.Body.Bytes(), name)
			}
		}
	}
	// What makes something comes before what uses it, and what purges before what keeps.
	first := []string{"/api/projects", "/api/files/save", "/api/files/move", "/api/files/folder",
		"/api/history/purge", "/api/checkpoints"}
	done := map[string]bool{"/api/logout": true}
	for _, path := range first {
		for method, o := range d.Paths[path] {
			check(path, method, o)
		}
		done[path] = true
	}
	for path, methods := range d.Paths {
		for method, o := range methods {
			if !done[path] {
				check(path, method, o)
			}
		}
	}
	check("/api/logout", "post", d.Paths["/api/logout"]["post"])
	require.Len(t, ids, len(requests))
	seen := map[string]bool{}
	for _, id := range ids {
		require.False(t, seen[id], id)
		seen[id] = true
	}
}

// TestThePageUsesTheAPIAlone looks for addresses in the scripts of the page.
func TestThePageUsesTheAPIAlone(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	d := describe(b)
	total := 0
	found := 0
	scripts, err := filepath.Glob("assets/*.js")
	require.NoError(t, err)
	require.Greater(t, len(scripts), 20)
	for _, name := range scripts {
		w := b.do("GET", "/"+filepath.ToSlash(name), nil, nil)
		require.Equal(t, 200, w.Code, name)
		source := w.Body.String()
		total += len(source)
		for _, call := range regexp.MustCompile(
			`\b(get|post|upload|follow|address)\("([a-z/.]+)"`).FindAllStringSubmatch(source, -1) {
			method := map[string]string{"post": "post", "upload": "post"}[call[1]]
			if method == "" {
				method = "get"
			}
			require.Contains(t, d.Paths["/api/"+call[2]], method, "%s: %s", name, call[0])
			found++
		}
		require.NotRegexp(
			t, `innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|https?://[a-z]`,
			strings.ReplaceAll(source, "https://example.com/", ""), name,
		)
	}
	require.Greater(t, found, 30)
	made := b.do("GET", "/assets/languages.js", nil, nil)
	require.Equal(t, "text/javascript; charset=utf-8", made.Header().Get("Content-Type"))
	require.Regexp(t, `^export const languages = \[{"id":"javascript",.*"id":"python",.*"module":"python"},`+
		`{"id":"bash",.*"argument":"command","module":"shell"}\];\n$`, made.Body)
	for _, name := range []string{"style.css", "icon.svg"} {
		total += b.do("GET", "/assets/"+name, nil, nil).Body.Len()
	}
	require.Less(t, total, 150<<10)
}

// A call is what the API says of one.
type call struct {
	Call, Tool, Code, Result, Input string
	State                           registry.State
	Known                           bool
	Changes                         int
	Console                         []struct{ Level, Text string }
	Files                           []struct{ Op, Path string }
	Data                            struct{ Value any }
}

// await waits until a call ends.
func await(b *browser, project, id string) (c call) {
	w := b.do("GET", q("/api/calls/output", "project", project, "call", id), nil, nil) // which ends with the call
	require.Contains(b.t, w.Body.String(), "event: done", w.Body.String())
	b.get(q("/api/calls/one", "project", project, "call", id), &c)
	require.Equal(b.t, registry.Ended, c.State)
	return c
}

func TestRunningCode(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	b.project("p", nil)
	run := func(in m) string {
		in["project"] = "p"
		var made struct{ Call string }
		b.post("/api/calls", in, &made)
		return made.Call
	}
	c := await(b, "p", run(m{"tool": "javascript",
		"input": m{"code": `console.log("hello"); await fs.writeFile("/a.txt", "a"); return 6 * 7`}}))
	require.EqualValues(t, 42, c.Data.Value)
	require.Equal(t, "hello", c.Console[0].Text)
	require.Equal(t, "/a.txt", c.Files[0].Path)
	require.True(t, c.Known)

	t.Run("a language", func(t *testing.T) {
		c := await(b, "p", run(m{"tool": "javascript", "options": m{"language": "typescript"},
			"input": m{"code": `const n: number = 2; return n`}}))
		require.EqualValues(t, 2, c.Data.Value)
	})
	t.Run("a tool that is off for models", func(t *testing.T) {
		b.post("/api/settings", changing("p", "tools", "remove", "javascript"), nil)
		c := await(b, "p", run(m{"tool": "javascript", "input": m{"code": `return 1`}}))
		require.Empty(t, c.Code)
	})
	t.Run("stopping", func(t *testing.T) {
		id := run(m{"tool": "javascript", "input": m{"code": `for (;;) {}`}})
		b.post("/api/calls/stop", m{"project": "p", "call": id}, nil)
		require.Equal(t, "canceled", await(b, "p", id).Code)
		b.fails(b.send("/api/calls/stop", m{"project": "p", "call": id}), 404)
	})
	t.Run("its time", func(t *testing.T) {
		require.NotEmpty(t, await(b, "p",
			run(m{"tool": "javascript", "seconds": 0.05, "input": m{"code": `for (;;) {}`}})).Code)
	})
	t.Run("what is wrong is at the field", func(t *testing.T) {
		require.Equal(t, "tool", b.fails(b.send("/api/calls", m{"project": "p", "tool": "none", "input": m{}}),
			400).Error.Field)
		require.Equal(t, "memory", b.fails(b.send("/api/calls", m{"project": "p", "tool": "javascript",
			"options": m{"memory": 1e9}, "input": m{}}), 400).Error.Field)
	})
	t.Run("much output is bounded", func(t *testing.T) {
		c := await(b, "p", run(m{"tool": "javascript", "input": m{"code": "for (let i = 0; i < 30000; i++) " +
			"console.log('x'.repeat(30))"}}))
		n := 0
		for _, line := range c.Console {
			n += len(line.Text)
		}
		require.LessOrEqual(t, n, 256<<10)
		require.Greater(t, n, 200<<10)
	})
}

// TestApprovalsShowWhatWouldBeLost: whoever approves a call sees what it would replace or delete.
func TestApprovalsShowWhatWouldBeLost(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	files := map[string]string{"/a.txt": "old\n", "/b.txt": "other\n", "/bin": "\x00", "/memories/m.md": "kept\n",
		"/keep.txt": "k"}
	for i := range 130 {
		files[fmt.Sprintf("/d/%03d/f.txt", i)] = "x"
	}
	b.project("p", nil)
	p, err := b.runner.Store().Open(t.Context(), "p")
	require.NoError(t, err)
	defer p.Close()
	for name, text := range files {
		require.NoError(t, vfs.WriteFile(t.Context(), p, name, []byte(text)))
	}
	require.NoError(t, p.Mkdir("/empty", 0o755))
	b.post("/api/settings", changing("p", "ask", "add", "filesystem"), nil)
	b.post("/api/settings", m{"project": "p", "changes": m{
		"ask": m{"add": []string{"memory"}}, "tools": m{"add": []string{"memory"}}}}, nil)
	session, err := b.runner.Session(t.Context(), "p", nil)
	require.NoError(t, err)
	defer session.Close()
	patch := func(lines ...string) m {
		return m{"input": "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch"}
	}
	var all []string
	for name := range files {
		all = append(all, "*** Delete File: "+name)
	}
	for name, test := range map[string]struct {
		tool        string
		input       m
		path        string
		diff, note  string
		files, more int
	}{
		"overwriting a file": {"filesystem", m{"command": "create", "path": "/a.txt", "file_text": "new\n",
			"overwrite": true}, "/a.txt", "-old\n+new\n", "", 0, 0},
		"a new file": {"filesystem", m{"command": "create", "path": "/new.txt", "file_text": "new\n",
			"overwrite": true}, "", "", "", 0, 0},
		"what fails": {"filesystem", m{"command": "create", "path": "/a.txt", "file_text": "new\n"}, "",
			"", "", 0, 0},
		"the same content": {"filesystem", m{"command": "create", "path": "/a.txt", "file_text": "old\n",
			"overwrite": true}, "/a.txt", "", "the content stays the same", 0, 0},
		"no text": {"filesystem", m{"command": "create", "path": "/bin", "file_text": "new\n",
			"overwrite": true}, "/bin", "", "not text", 0, 0},
		"a memory": {"memory", m{"command": "create", "path": "m.md", "file_text": "new\n",
			"overwrite": true}, "/memories/m.md", "-kept\n+new\n", "", 0, 0},
		"renaming over a file": {"filesystem", m{"command": "rename", "old_path": "/b.txt", "new_path": "/a.txt",
			"overwrite": true}, "/a.txt", "-old\n+other\n", "", 0, 0},
		"copying over a file": {"filesystem", m{"command": "copy", "old_path": "/b.txt", "new_path": "/a.txt",
			"overwrite": true}, "/a.txt", "-old\n+other\n", "", 0, 0},
		"deleting a file": {"filesystem", m{"command": "delete", "path": "/a.txt"}, "/a.txt", "-old\n",
			"", 0, 0},
		"deleting a folder": {"filesystem", m{"command": "delete", "path": "/d/"}, "/d", "", "", 100, 30},
		"deleting all in the memory": {"memory", m{"command": "delete", "path": "/memories"}, "/memories", "",
			"", 1, 0},
		"deleting an empty folder": {"filesystem", m{"command": "delete", "path": "/empty"}, "/empty", "", "", 0, 0},
		"a patch that deletes a file": {"apply_patch", patch("*** Add File: /new.txt", "+new",
			"*** Delete File: /a.txt"), "/a.txt", "-old\n", "", 0, 0},
		"a patch that deletes files": {"apply_patch", patch("*** Delete File: /a.txt", "*** Delete File: /b.txt"),
			"", "", "", 2, 0},
		"a patch that deletes many files": {"apply_patch", patch(all...), "", "", "", 100, 35},
		"a patch that deletes nothing": {"apply_patch", patch("*** Update File: /a.txt", "-old", "+new"),
			"", "", "", 0, 0},
		"a patch that fails": {"apply_patch", patch("*** Delete File: /none", "*** Delete File: /empty",
			"*** Delete File: ../\x00"), "", "", "", 0, 0},
		"no patch": {"apply_patch", m{"input": "*** Delete File: /a.txt"}, "", "", "", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if test.tool == "apply_patch" {
				b.post("/api/settings", changing("p", "options", "add", "filesystem.form=apply_patch"), nil)
				defer b.post("/api/settings", changing("p", "options", "remove", "filesystem.form"), nil)
			}
			input, err := json.Marshal(test.input)
			require.NoError(t, err)
			results, err := session.DispatchAll(t.Context(),
				[]tool.Call{{ID: "call", Tool: test.tool, Input: input}})
			require.NoError(t, err)
			require.NotNil(t, results[0].Pending, results[0].Text())
			token := results[0].Pending.Token
			var loss struct {
				Path, Diff, Note string
				Files            []string
				More             bool
				Count            int
			}
			b.get(q("/api/approvals/loss", "project", "p", "token", token, "call", "call"), &loss)
			_, diff, _ := strings.Cut(loss.Diff, "@@\n")
			require.Equal(t, []any{test.path, test.diff, test.note, test.files, test.files + test.more, test.more > 0},
				[]any{loss.Path, diff, loss.Note, len(loss.Files), loss.Count, loss.More})
			b.post("/api/projects", m{"project": "other"}, nil)
			b.fails(b.send("/api/approvals", m{"project": "other", "token": token, "call": "call", "approved": false}),
				404)
			b.fails(b.do("GET", q("/api/approvals/loss", "project", "other", "token", token, "call", "call"), nil,
				nil), 404)
			b.post("/api/approvals", m{"project": "p", "token": token, "call": "call", "approved": false}, nil)
			b.post("/api/projects/delete", m{"project": "other"}, nil)
		})
	}
}

// TestStoppingCallsOfModels: a person stops a call that was not made on the page, and the model is told.
func TestStoppingCallsOfModels(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	for _, project := range []string{"p", "other"} {
		b.project(project, nil)
	}
	session, err := b.runner.Session(t.Context(), "p", nil)
	require.NoError(t, err)
	defer session.Close()
	began, once := make(chan struct{}), sync.Once{}
	env, err := session.Env(t.Context())
	require.NoError(t, err)
	env.Progress = func(tool.Progress) { once.Do(func() { close(began) }) }
	done := make(chan tool.Result)
	call := tool.Call{ID: "toolu_1", Tool: "javascript",
		Input: []byte(`{"code": "console.log('so far'); for (;;) {}"}`)}
	go func() { done <- b.runner.Registry().Dispatch(t.Context(), call, env) }()
	<-began
	b.fails(b.send("/api/calls/stop", m{"project": "other", "call": "toolu_1"}), 404)
	b.post("/api/calls/stop", m{"project": "p", "call": "toolu_1"}, nil)
	result := <-done
	require.Equal(t, tool.CodeCanceled, result.Code)
	require.Regexp(t, "^A person has stopped this call.", result.Text())
	require.Contains(t, result.Text(), "so far")
	require.Contains(t, await(b, "p", "toolu_1").Result, "A person has stopped this call.")
	b.fails(b.send("/api/calls/stop", m{"project": "p", "call": "toolu_1"}), 404)
}

func TestEditing(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	b.project("p", map[string]string{"/a.txt": "one\n"})
	type text struct {
		Text, Version string
		Line, End     int64
		Binary        bool
	}
	read := func(name string) (f text) {
		b.get(q("/api/files/text", "project", "p", "path", name), &f)
		return f
	}
	mine, theirs := read("/a.txt"), read("/a.txt")
	b.post("/api/files/save", m{"project": "p", "path": "/a.txt", "text": "theirs\n", "version": theirs.Version}, nil)
	f := b.fails(b.send("/api/files/save", m{"project": "p", "path": "/a.txt", "text": "mine\n",
		"version": mine.Version}), 409)
	require.Equal(t, "changed", f.Error.Code)
	require.Contains(t, f.Error.Diff, "-theirs\n+mine\n")
	require.Equal(t, "theirs\n", read("/a.txt").Text)
	b.post("/api/files/save", m{"project": "p", "path": "/a.txt", "text": "mine\n", "version": f.Error.Version}, nil)
	require.Equal(t, "mine\n", read("/a.txt").Text)
	b.fails(b.send("/api/files/save", m{"project": "p", "path": "/a.txt", "text": "new\n", "version": ""}), 409)
	b.fails(b.send("/api/files/save", m{"project": "p", "path": "/gone.txt", "text": "new\n", "version": mine.Version}),
		409)

	t.Run("a large file by parts", func(t *testing.T) {
		var content strings.Builder
		for i := range 100_000 {
			fmt.Fprintf(&content, "line %d äöü\n", i+1)
		}
		upload := func(path string, data string) *httptest.ResponseRecorder {
			return b.do("POST", q("/api/files/upload", "project", "p", "path", path), strings.NewReader(data),
				func(r *http.Request) {
					r.Header.Set("Content-Type", "application/octet-stream")
				})
		}
		require.Equal(t, 200, upload("/large.txt", content.String()).Code)
		require.Equal(t, 409, upload("/large.txt", "x").Code)
		var all strings.Builder
		for offset := int64(0); offset < int64(content.Len()); {
			var part text
			b.get(q("/api/files/text", "project", "p", "path", "/large.txt", "offset", fmt.Sprint(offset), "limit",
				"300000"), &part)
			require.LessOrEqual(t, len(part.Text), 300000)
			require.True(t, strings.HasPrefix(part.Text, fmt.Sprintf("line %d ", part.Line)), part.Text[:20])
			require.Empty(t, part.Version)
			all.WriteString(part.Text)
			require.Greater(t, part.End, offset)
			offset = part.End
		}
		require.Equal(t, content.String(), all.String())
		// A line without an end is cut between characters.
		require.Equal(t, 200, upload("/long.txt", strings.Repeat("ä", 200_000)).Code)
		var part text
		b.get(q("/api/files/text", "project", "p", "path", "/long.txt", "limit", "1001"), &part)
		require.Equal(t, strings.Repeat("ä", 500), part.Text)
		b.get(q("/api/files/text", "project", "p", "path", "/long.txt", "offset", "200001", "limit", "999"), &part)
		require.Equal(t, strings.Trim(part.Text, "ä"), "")
	})
	t.Run("deleting is undone", func(t *testing.T) {
		var removed struct{ Call string }
		b.post("/api/files/delete", m{"project": "p", "path": "/a.txt"}, &removed)
		b.fails(b.do("GET", q("/api/files/text", "project", "p", "path", "/a.txt"), nil, nil), 404)
		b.post("/api/history/undo", m{"project": "p", "call": removed.Call}, nil)
		require.Equal(t, "mine\n", read("/a.txt").Text)
		b.fails(b.send("/api/files/delete", m{"project": "p", "path": "/"}), 400)
	})
	t.Run("a part of a deleted folder that exists again", func(t *testing.T) {
		for _, name := range []string{"one", "two"} {
			b.post("/api/files/save", m{"project": "p", "path": "/gone/" + name, "text": name, "version": ""}, nil)
		}
		b.post("/api/files/delete", m{"project": "p", "path": "/gone"}, nil)
		b.post("/api/files/folder", m{"project": "p", "path": "/gone"}, nil)
		var deleted struct{ Changes []service.ChangeInfo }
		b.get(q("/api/history", "project", "p", "path", "/gone", "removed", "true"), &deleted)
		require.Len(t, deleted.Changes, 2)
		require.Equal(t, "/gone/two", deleted.Changes[1].Path)
		part := m{"project": "p", "change": deleted.Changes[1].ID, "path": "/gone/two"}
		b.post("/api/history/restore", part, nil)
		require.Equal(t, "two", read("/gone/two").Text)
		b.fails(b.do("GET", q("/api/files/text", "project", "p", "path", "/gone/one"), nil, nil), 404)
		b.fails(b.send("/api/history/restore", part), 409)
		part["to"] = "/elsewhere"
		b.fails(b.send("/api/history/restore", part), 400)
		b.post("/api/files/delete", m{"project": "p", "path": "/gone"}, nil)
	})
	t.Run("an export has all files", func(t *testing.T) {
		w := b.do("GET", q("/api/projects/export", "project", "p"), nil, nil)
		archive, err := zip.NewReader(bytes.NewReader(w.Body.Bytes()), int64(w.Body.Len()))
		require.NoError(t, err)
		require.Len(t, archive.File, 3)
		require.Equal(t, `attachment; filename*=UTF-8''p.zip`, w.Header().Get("Content-Disposition"))
	})
	t.Run("an upload that breaks off leaves nothing", func(t *testing.T) {
		w := b.do("POST", q("/api/files/upload", "project", "p", "path", "/broken.txt"),
			io.MultiReader(strings.NewReader("begin"), failing{}), func(r *http.Request) {
				r.Header.Set("Content-Type", "application/octet-stream")
			})
		require.Equal(t, 500, w.Code)
		b.fails(b.do("GET", q("/api/files/text", "project", "p", "path", "/broken.txt"), nil, nil), 404)
	})
	t.Run("a file that is too large for the project", func(t *testing.T) {
		w := b.do("POST", q("/api/files/upload", "project", "p", "path", "/huge.bin"),
			io.LimitReader(zeros{}, vfs.DefaultFileSize+1), func(r *http.Request) {
				r.Header.Set("Content-Type", "application/octet-stream")
			})
		require.Equal(t, "quota", b.fails(w, 422).Error.Code)
	})
}

// TestEditingKeepsHowAFileIsWritten saves what a browser's editor makes of files: it knows only \n.
func TestEditingKeepsHowAFileIsWritten(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	b.project("p", nil)
	type file struct {
		Text, Version, Encoding, MIME string
		Size, End                     int64
		Binary                        bool
	}
	put := func(content string) (f file) {
		w := b.do("POST", q("/api/files/upload", "project", "p", "path", "/f.csv", "replace", "true"),
			strings.NewReader(content), func(r *http.Request) {
				r.Header.Set("Content-Type", "application/octet-stream")
			})
		require.Equal(t, 200, w.Code)
		b.get(q("/api/files/text", "project", "p", "path", "/f.csv"), &f)
		return f
	}
	for name, test := range map[string]struct{ content, text, encoding, edited, want string }{
		"the other line ends":  {"a\r\nb\r\n", "a\r\nb\r\n", "", "a\nx\nb\n", "a\r\nx\r\nb\r\n"},
		"mixed line ends":      {"a\r\nb\nc\r\nd\n", "a\r\nb\nc\r\nd\n", "", "a\nb\nx\nd\n", "a\r\nb\nx\r\nd\n"},
		"the usual line ends":  {"a\nb\n", "a\nb\n", "", "a\nx\n", "a\nx\n"},
		"those that are given": {"a\nb\n", "a\nb\n", "", "a\r\nx\n", "a\r\nx\n"},
		"those of old Macs":    {"a\rb\r", "a\nb\n", "", "a\nx\nb\n", "a\rx\rb\r"},
		"UTF-16": {"\xff\xfea\x00\r\x00\n\x00", "a\r\n", "UTF-16LE", "a\n€\n",
			"\xff\xfea\x00\r\x00\n\x00\xac\x20\r\x00\n\x00"},
		"Latin-1":              {"caf\xe9;1\n", "café;1\n", "Latin-1", "th\u00e9;1\n", "th\xe9;1\n"},
		"what Latin-1 has not": {"caf\xe9;1\n", "café;1\n", "Latin-1", "caf\u00e9;1 €\n", ""},
		"nothing of what was":  {"a\r\nb\r\n", "a\r\nb\r\n", "", "", ""},
		"one line becomes two": {"a", "a", "", "a\nb\n", "a\nb\n"},
	} {
		t.Run(name, func(t *testing.T) {
			f := put(test.content)
			require.Equal(t, test.text, f.Text)
			require.Equal(t, test.encoding, f.Encoding)
			require.Equal(t, "text/csv", f.MIME)
			require.False(t, f.Binary)
			require.Equal(t, f.Size, f.End)
			save := m{"project": "p", "path": "/f.csv", "text": test.edited, "version": f.Version}
			if test.want == "" && test.edited != "" {
				problem := b.fails(b.send("/api/files/save", save), 400).Error
				require.Equal(t, "text", problem.Field)
				require.Contains(t, problem.Message, "Latin-1 has no character € (U+20AC)")
				test.want = test.content
			} else {
				var saved file
				b.post("/api/files/save", save, &saved)
				b.get(q("/api/files/text", "project", "p", "path", "/f.csv"), &f)
				require.Equal(t, f.Version, saved.Version)
				// A conflict shows what differs, and not all lines.
				save["text"], save["version"] = test.edited+"x", "old"
				require.Contains(t, b.fails(b.send("/api/files/save", save), 409).Error.Diff, "+x")
			}
			require.Equal(t, test.want, b.do("GET", q("/api/files/content", "project", "p", "path", "/f.csv"), nil,
				nil).Body.String())
		})
	}
	put("caf\xe9 menu\n")
	var found struct {
		Matches []struct {
			Path, Text string
			Line       int
		}
	}
	b.get(q("/api/files/search", "project", "p", "text", "CAFÉ"), &found)
	require.Len(t, found.Matches, 1)
	require.Equal(t, "café menu", found.Matches[0].Text)
	put("\x89PNG\r\n\x1a\n\x00")
	b.get(q("/api/files/search", "project", "p", "text", "PNG"), &found)
	require.Empty(t, found.Matches)
	require.Empty(t, put(strings.Repeat("n\xe4h ", 250_000)).Version, "a text that is too large for the editor")
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestDifferencesOfChanges(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	b.project("p", map[string]string{"/a.txt": "one\ntwo\n"})
	run := func(code string) {
		var made struct{ Call string }
		b.post("/api/calls", m{"project": "p", "tool": "javascript", "input": m{"code": code}}, &made)
		require.Empty(t, await(b, "p", made.Call).Code)
	}
	run(`await fs.writeFile("/a.txt", "one\nzwei\n")`)
	run(`await fs.rename("/a.txt", "/b.txt")`)
	run(`await fs.writeFile("/b.txt", "eins\nzwei\n")`)
	run(`await fs.unlink("/b.txt")`)
	var history struct {
		Changes []struct {
			ID       int64
			Op, Path string
		}
	}
	b.get(q("/api/history", "project", "p"), &history)
	var got []string
	for _, c := range history.Changes {
		var d struct{ Diff, Note string }
		b.get(q("/api/history/diff", "project", "p", "change", fmt.Sprint(c.ID)), &d)
		got = append(got, c.Op+" "+c.Path+": "+d.Note+
			strings.ReplaceAll(regexp.MustCompile(`@@.*\n`).ReplaceAllString(d.Diff, ""), "\n", "|"))
	}
	require.Equal(t, []string{
		"remove /b.txt: -eins|-zwei|",
		"write /b.txt: -one|+eins| zwei|",
		"rename /a.txt: the content stayed the same",
		"write /a.txt:  one|-two|+zwei|",
		"create /a.txt: +one|+two|",
	}, got)
}

// TestEvents sees what others change, in the order in which it happens.
func TestEvents(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	b.project("p", map[string]string{"/a.txt": "a"})
	server := httptest.NewServer(b.server)
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+q("/api/events", "project", "p"), nil)
	require.NoError(t, err)
	u, err := url.Parse(server.URL)
	require.NoError(t, err)
	r.AddCookie(&http.Cookie{Name: "toolrun-" + u.Port(), Value: b.cookie.Value})
	response, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, "text/event-stream", response.Header.Get("Content-Type"))
	until := func(name string) {
		var text strings.Builder
		buffer := make([]byte, 1)
		for !strings.Contains(text.String(), "event: "+name+"\n") {
			_, err := response.Body.Read(buffer)
			require.NoError(t, err, text.String())
			text.Write(buffer)
		}
	}
	until("ready")
	b.post("/api/files/folder", m{"project": "p", "path": "/new"}, nil)
	until("changed")
	b.post("/api/calls", m{"project": "p", "tool": "javascript", "input": m{"code": "return 1"}}, nil)
	until("calls")
}

func TestTools(t *testing.T) {
	partly := tool.JSONFunc(tool.Spec{Name: "partly", Description: "Is of a server.",
		SchemaNotes: []string{"left out of its schema: /a"}},
		func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Text("done"), nil
		})
	b := begin(t, toolrun.Options{Tools: []tool.Tool{partly}}, web.Options{})
	b.project("p", nil)
	type option struct {
		ID         string
		Value      any
		Set        bool
		Min, Max   *float64
		Default    any
		Type, When string
	}
	var tools struct {
		Tools []struct {
			Name, Description string
			Enabled           bool
			Options           []option
			SchemaNotes       []string
		}
	}
	javascript := func() (enabled bool, memory option) {
		for _, one := range tools.Tools {
			if one.Name == "javascript" {
				require.NotEmpty(t, one.Description)
				return one.Enabled, one.Options[0]
			}
		}
		require.Fail(t, "no javascript")
		return false, option{}
	}
	b.get(q("/api/tools", "project", "p"), &tools)
	require.Equal(t, "partly", tools.Tools[len(tools.Tools)-1].Name)
	require.Equal(t, []string{"left out of its schema: /a"}, tools.Tools[len(tools.Tools)-1].SchemaNotes)
	on, memory := javascript()
	require.True(t, on)
	require.False(t, memory.Set)
	b.post("/api/settings", m{"project": "p", "changes": m{"tools": m{"remove": []string{"javascript"}},
		"options": m{"add": []string{"javascript.memory=100"}}}}, nil)
	b.get(q("/api/tools", "project", "p"), &tools)
	on, memory = javascript()
	require.False(t, on)
	require.True(t, memory.Set)
	require.EqualValues(t, 100, memory.Value)
	for _, bad := range []string{"many", "1", "1e9", "true", "[1]", "{}", ""} {
		f := b.fails(b.send("/api/settings", changing("p", "options", "add", "javascript.memory="+bad)), 400)
		require.Equal(t, "memory", f.Error.Field)
	}
	for _, bad := range []any{1, true, []int{1}, m{}, "javascript.memory=1"} {
		b.fails(b.send("/api/settings", m{"project": "p", "changes": m{"options": m{"add": bad}}}), 400)
	}
	b.post("/api/settings", changing("p", "options", "remove", "javascript.memory"), nil)
	b.get(q("/api/tools", "project", "p"), &tools)
	_, memory = javascript()
	require.False(t, memory.Set)
	require.Equal(t, "none", b.fails(b.send("/api/settings",
		changing("p", "options", "add", "javascript.none=1")), 400).Error.Field)
}

// changing is a request to add texts to a setting that is a list, or to remove them.
func changing(project, setting, action string, values ...string) m {
	return m{"project": project, "changes": m{setting: m{action: values}}}
}

// TestCallsOfOthers sees calls of other sessions, and those that the history alone knows.
func TestCallsOfOthers(t *testing.T) {
	runner, err := toolrun.Open(t.Context(), &toolrun.Options{Engine: engine.Engine(),
		NoteCalls: true})
	require.NoError(t, err)
	defer runner.Close()
	server, err := web.New(runner, nil)
	require.NoError(t, err)
	b := &browser{t: t, server: server, base: "http://localhost"}
	b.enter(server.Link(""))
	session, err := runner.Session(t.Context(), "p", &toolrun.SessionOptions{Client: "model"})
	require.NoError(t, err)
	_, err = session.DispatchAll(t.Context(), []tool.Call{
		{ID: "one", Tool: "filesystem", Input: []byte(`{"command": "create", "path": "/a.txt", "file_text": "a"}`)},
		{ID: "two", Tool: "none"},
		{Tool: "javascript", Input: []byte(`{"code": "return 1"}`)},
	})
	require.NoError(t, err)
	other := session.Project().WithCall("elsewhere")
	require.NoError(t, vfs.WriteFile(t.Context(), other, "/b.txt", []byte("b")))
	other.EndCall()
	var list struct{ Calls []call }
	b.get(q("/api/calls", "project", "p"), &list)
	var got []string
	for _, c := range list.Calls {
		c.Call, _, _ = strings.Cut(c.Call, "-") // that without an id has a random one
		got = append(got, fmt.Sprintf("%s %s %s %d", c.Call, c.Tool, c.Code, c.Changes))
	}
	require.ElementsMatch(t, []string{"one filesystem  1", "two none unknown_tool 0", "call javascript  0",
		"elsewhere   1"}, got)
	var c call
	b.get(q("/api/calls/one", "project", "p", "call", "elsewhere"), &c)
	require.False(t, c.Known)
	require.Equal(t, "/b.txt", c.Files[0].Path)
	b.fails(b.do("GET", q("/api/calls/one", "project", "p", "call", "none"), nil, nil), 404)
	require.NoError(t, session.Close())
	require.NoError(t, server.Shutdown(t.Context()))
	require.Equal(t, 503, b.send("/api/calls", m{"project": "p", "tool": "javascript",
		"input": m{"code": "return 1"}}).Code)
}

// TestTheFirstDecisionCounts has two people decide on a call at once, one this way and one that way.
func TestTheFirstDecisionCounts(t *testing.T) {
	runner, err := toolrun.Open(t.Context(), &toolrun.Options{Engine: engine.Engine(), DataDir: t.TempDir()})
	require.NoError(t, err)
	defer runner.Close()
	server, err := web.New(runner, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Shutdown(context.Background())) }()
	var people [2]*browser
	for i := range people {
		people[i] = &browser{t: t, server: server, base: "http://localhost"}
		people[i].enter(server.Link(""))
	}
	people[0].project("p", nil)
	people[0].post("/api/settings", changing("p", "ask", "add", "filesystem"), nil)
	session, err := runner.Session(t.Context(), "p", nil)
	require.NoError(t, err)
	defer session.Close()
	for n := range 10 {
		path, id := fmt.Sprintf("/%d.txt", n), fmt.Sprintf("call_%d", n)
		results, err := session.DispatchAll(t.Context(), []tool.Call{{ID: id, Tool: "filesystem",
			Input: fmt.Appendf(nil, `{"command": "create", "path": %q, "file_text": "x"}`, path)}})
		require.NoError(t, err)
		var answers [2]*httptest.ResponseRecorder
		var deciding sync.WaitGroup
		for i, b := range people {
			body, err := json.Marshal(m{"project": "p", "token": results[0].Pending.Token, "call": id,
				"approved": i == 0})
			require.NoError(t, err)
			deciding.Go(func() { answers[i] = b.do("POST", "/api/approvals", bytes.NewReader(body), nil) })
		}
		deciding.Wait()
		first := slices.IndexFunc(answers[:], func(w *httptest.ResponseRecorder) bool { return w.Code == 200 })
		require.GreaterOrEqual(t, first, 0)
		require.Contains(t, people[1-first].fails(answers[1-first], 409).Error.Message, []string{"was approved by page",
			"was refused by page"}[first])
		people[0].until("p", func() bool {
			_, err := runner.Waiting().Get(t.Context(), results[0].Pending.Token)
			return errors.Is(err, waiting.ErrNone)
		})
		made, err := afero.Exists(session.Project(), path)
		require.NoError(t, err)
		require.Equal(t, first == 0, made)
	}
}

// TestApprovals has a model's call, and one of a model's code, wait for a person.
func TestApprovals(t *testing.T) {
	runner, err := toolrun.Open(t.Context(), &toolrun.Options{Engine: engine.Engine(),
		NoteCalls: true, DataDir: t.TempDir()})
	require.NoError(t, err)
	defer runner.Close()
	server, err := web.New(runner, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Shutdown(context.Background())) }()
	b := &browser{t: t, server: server, base: "http://localhost"}
	b.enter(server.Link(""))
	b.project("p", nil)
	b.project("other", nil)
	b.post("/api/settings", changing("p", "ask", "add", "filesystem"), nil)
	b.post("/api/settings", changing("p", "options", "add", "javascript.toolCalls=true"), nil)
	session, err := runner.Session(t.Context(), "p", nil)
	require.NoError(t, err)
	defer session.Close()
	model := func(id, name, input string) tool.Result {
		results, err := session.DispatchAll(t.Context(), []tool.Call{{ID: id, Tool: name, Input: []byte(input)}})
		require.NoError(t, err)
		return results[0]
	}
	type approvals struct {
		Approvals []struct {
			Token, Call, Tool, Input string
			Code                     bool
			Waits                    []struct{ Call, Tool, Input, Rule string }
		}
	}
	waiting := func(project string) (a approvals) {
		b.get(q("/api/approvals", "project", project), &a)
		return a
	}
	const create = `{"command": "create", "path": "/a.txt", "file_text": "one"}`
	require.NotNil(t, model("one", "filesystem", create).Pending)
	a := waiting("p").Approvals
	require.Len(t, a, 1)
	require.Equal(t, "filesystem", a[0].Waits[0].Tool)
	require.Equal(t, "filesystem", a[0].Waits[0].Rule)
	require.JSONEq(t, create, a[0].Waits[0].Input)

	// A rule that is for nothing is shown.
	edit := func(ask ...string) {
		p, err := runner.Store().Open(t.Context(), "p")
		require.NoError(t, err)
		require.NoError(t, p.EditSettings(t.Context(), func(stored []byte) ([]byte, error) {
			settings, _, err := registry.ParseSettings(stored)
			require.NoError(t, err)
			settings.Ask = ask
			return json.Marshal(settings)
		}))
		require.NoError(t, p.Close())
	}
	var shown struct{ Warnings []string }
	edit("filesytem", "filesystem", "writes")
	b.get(q("/api/tools", "project", "p"), &shown)
	require.Equal(t, []string{`unknown approval rule "filesytem": did you mean filesystem?`}, shown.Warnings)
	edit("filesystem")

	// Nobody decides from another project, or with another token.
	require.Empty(t, waiting("other").Approvals)
	for _, with := range []m{{}, {"input": nil}, {"input": m{}}, {"input": m{"command": "delete", "path": "/"}},
		{"reason": "x"}} {
		for _, approved := range []bool{true, false} {
			decide := func(project, token, call string, status int) {
				in := m{"project": project, "token": token, "call": call, "approved": approved}
				maps.Copy(in, with)
				b.fails(b.send("/api/approvals", in), status)
			}
			decide("other", a[0].Token, a[0].Waits[0].Call, 404)
			decide("none", a[0].Token, a[0].Waits[0].Call, 404)
			decide("p", "none", a[0].Waits[0].Call, 404)
			decide("p", a[0].Token, "none", 409)
			run, err := runner.Waiting().Get(t.Context(), a[0].Token)
			require.NoError(t, err)
			require.Nil(t, run.Calls[0].Decision)
		}
	}
	require.Len(t, waiting("p").Approvals, 1)

	// Approved, with another input.
	b.post("/api/approvals", m{"project": "p", "token": a[0].Token, "call": a[0].Waits[0].Call, "approved": true,
		"input": m{"command": "create", "path": "/a.txt", "file_text": "edited"}}, nil)
	b.until("p", func() bool {
		return b.do("GET", q("/api/files/text", "project", "p", "path", "/a.txt"), nil, nil).Code == 200
	})
	var file struct{ Text string }
	b.get(q("/api/files/text", "project", "p", "path", "/a.txt"), &file)
	require.Equal(t, "edited", file.Text)

	// It is the same call, which waits no more.
	type listed struct {
		Call, Tool, Code string
		State            registry.State
	}
	list := func(id string) (found []listed) {
		var all struct{ Calls []listed }
		b.get(q("/api/calls", "project", "p"), &all)
		for _, c := range all.Calls {
			if c.Call == id {
				found = append(found, c)
			}
		}
		return found
	}
	b.until("p", func() bool {
		return slices.Equal(list("one"), []listed{{Call: "one", Tool: "filesystem", State: "ended"}})
	})

	// Refused, in the middle of code.
	pending := model("two", "javascript",
		`{"code": "console.log('before'); try { await tools.filesystem({command: `+
			`'create', path: '/b.txt', file_text: 'b'}) } catch (e) { console.log('after'); return e.message }"}`)
	require.NotNil(t, pending.Pending, pending.Text())
	b.until("p", func() bool { // the one before may still end
		a = waiting("p").Approvals
		return len(a) == 1
	})
	require.True(t, a[0].Code)
	require.Equal(t, []listed{{Call: "two", Tool: "javascript", Code: "pending", State: "waiting"}}, list("two"))
	b.post("/api/approvals", m{"project": "p", "token": a[0].Token, "call": a[0].Waits[0].Call, "approved": false,
		"reason": "not today"}, nil)
	b.until("p", func() bool { return len(waiting("p").Approvals) == 0 })
	// It waits for nothing as soon as that is decided, and goes on after that.
	b.until("p", func() bool {
		return slices.Equal(list("two"), []listed{{Call: "two", Tool: "javascript", State: "ended"}})
	})
	var detail struct{ Console []struct{ Text string } }
	b.get(q("/api/calls/one", "project", "p", "call", "two"), &detail)
	require.Equal(t, []struct{ Text string }{{"before"}, {"after"}}, detail.Console, "all that it has printed, once")
	b.fails(b.do("GET", q("/api/files/text", "project", "p", "path", "/b.txt"), nil, nil), 404)

	// Refused is refused, also when the rule is gone.
	require.NotNil(t, model("three", "filesystem",
		`{"command": "create", "path": "/gone.txt", "file_text": "one"}`).Pending)
	b.post("/api/settings", changing("p", "ask", "remove", "filesystem"), nil)
	b.until("p", func() bool { // the one before may still end
		a = waiting("p").Approvals
		return len(a) == 1
	})
	refusal := m{"project": "p", "token": a[0].Token, "call": a[0].Waits[0].Call, "approved": false, "reason": "no"}
	b.post("/api/approvals", refusal, nil)
	b.until("p", func() bool {
		return slices.Equal(list("three"), []listed{{Call: "three", Tool: "filesystem", Code: "refused",
			State: "ended"}})
	})
	b.fails(b.do("GET", q("/api/files/text", "project", "p", "path", "/gone.txt"), nil, nil), 404)

	// Who decides otherwise afterwards is told; the same again is no mistake.
	b.post("/api/approvals", refusal, nil)
	refusal["approved"] = true
	require.Contains(t, b.fails(b.send("/api/approvals", refusal), 409).Error.Message, " was refused by page at ")
	refusal["project"] = "other"
	b.fails(b.send("/api/approvals", refusal), 404)

	// Calls of a deleted project do not wait in a new one of its name.
	b.project("gone", nil)
	b.post("/api/settings", changing("gone", "ask", "add", "filesystem"), nil)
	gone, err := runner.Session(t.Context(), "gone", nil)
	require.NoError(t, err)
	results, err := gone.DispatchAll(t.Context(), []tool.Call{{ID: "of gone", Tool: "filesystem",
		Input: []byte(create)}})
	require.NoError(t, err)
	require.NotNil(t, results[0].Pending)
	require.NoError(t, gone.Close())
	require.Len(t, waiting("gone").Approvals, 1)
	b.post("/api/projects/delete", m{"project": "gone"}, nil)
	b.project("gone", nil)
	require.Empty(t, waiting("gone").Approvals)

	// What a person runs goes on with the options that it was run with.
	b.post("/api/settings", changing("other", "ask", "add", "filesystem"), nil)
	b.post("/api/calls", m{"project": "other", "tool": "javascript", "options": m{"toolCalls": true,
		"language": "typescript"}, "input": m{
		"code": `const path: string = '/c.txt'; await tools.filesystem({command: 'create', path, file_text: 'c'}); ` +
			`fs.writeFileSync('/done.txt', 'done')`}}, nil)
	b.until("other", func() bool {
		a = waiting("other").Approvals
		return len(a) == 1
	})
	b.post("/api/approvals", m{"project": "other", "token": a[0].Token, "call": a[0].Waits[0].Call, "approved": true},
		nil)
	for _, path := range []string{"/c.txt", "/done.txt"} {
		b.until("other", func() bool {
			return b.do("GET", q("/api/files/text", "project", "other", "path", path), nil, nil).Code == 200
		})
	}
}
