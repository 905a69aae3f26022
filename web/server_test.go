package web_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/web"
)

// A browser is somebody at a page, with a cookie.
type browser struct {
	t      *testing.T
	runner *toolrun.Runner
	server *web.Server
	base   string
	cookie *http.Cookie
	csrf   string
}

// begin serves a runner that has the given options, in memory, and returns somebody who has come by a link.
func begin(t *testing.T, options toolrun.Options, page web.Options) *browser {
	options.Engine, options.NoteCalls = engine.Engine(), true
	runner, err := toolrun.Open(t.Context(), &options)
	require.NoError(t, err)
	server, err := web.New(runner, &page)
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, server.Shutdown(context.Background()))
		require.NoError(t, runner.Close())
	})
	b := &browser{t: t, runner: runner, server: server, base: "http://localhost:7311"}
	b.enter(server.Link(""))
	return b
}

// enter follows a link.
func (b *browser) enter(link string) {
	w := b.do("GET", link, nil, nil)
	require.Equal(b.t, 200, w.Code)
	require.Len(b.t, w.Result().Cookies(), 1)
	b.cookie = w.Result().Cookies()[0]
	var about struct{ CSRF string }
	b.get("/api/about", &about)
	b.csrf = about.CSRF
	require.NotEmpty(b.t, b.csrf)
}

// do makes a request as a page of our own does.
func (b *browser) do(method, path string, body io.Reader, change func(r *http.Request)) *httptest.ResponseRecorder {
	r := b.request(method, path, body)
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	b.server.ServeHTTP(w, r)
	return w
}

func (b *browser) request(method, path string, body io.Reader) *http.Request {
	r := httptest.NewRequest(method, b.base+path, body)
	if method != "GET" {
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Origin", b.base)
		r.Header.Set("X-Toolrun-CSRF", b.csrf)
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	if b.cookie != nil {
		r.AddCookie(b.cookie)
	}
	return r
}

// A streamed response is read while it is written.
type streamed struct {
	*io.PipeWriter
	header http.Header
}

func (s streamed) Header() http.Header { return s.header }
func (s streamed) WriteHeader(int)     {}
func (s streamed) Flush()              {}

// events begins to listen to the events of a project, and returns what reads the name of the next one, and what ends
// it.
func (b *browser) events(project string) (next func() string, end func()) {
	ctx, cancel := context.WithCancel(b.t.Context())
	in, out := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.server.ServeHTTP(streamed{out, http.Header{}}, b.request("GET", q("/api/events", "project", project),
			nil).WithContext(ctx))
		_ = out.Close()
	}()
	lines := bufio.NewScanner(in)
	next = func() string {
		for lines.Scan() {
			if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				return name
			}
		}
		require.FailNow(b.t, "the events end")
		return ""
	}
	return next, func() {
		cancel()
		_ = in.Close()
		<-done
	}
}

// until waits until something holds of which the events of a project tell.
func (b *browser) until(project string, holds func() bool) {
	next, end := b.events(project)
	defer end()
	for next(); !holds(); next() {
	}
}

// get and post call an operation that must succeed.
func (b *browser) get(path string, out any) { b.read(b.do("GET", path, nil, nil), 200, out) }

func (b *browser) post(path string, in, out any) { b.read(b.send(path, in), 200, out) }

func (b *browser) send(path string, in any) *httptest.ResponseRecorder {
	data, err := json.Marshal(in)
	require.NoError(b.t, err)
	return b.do("POST", path, bytes.NewReader(data), nil)
}

func (b *browser) read(w *httptest.ResponseRecorder, status int, out any) {
	b.t.Helper()
	require.Equal(b.t, status, w.Code, w.Body.String())
	if out != nil {
		require.NoError(b.t, json.Unmarshal(w.Body.Bytes(), out), w.Body.String())
	}
}

// A failure is the answer of a request that fails.
type failure struct {
	Error struct {
		Code, Message, Field, Version, Diff string
		Reasons                             []string
	}
}

func (b *browser) fails(w *httptest.ResponseRecorder, status int) failure {
	b.t.Helper()
	var f failure
	b.read(w, status, &f)
	require.NotEmpty(b.t, f.Error.Message)
	return f
}

type m = map[string]any

// project makes a project with files.
func (b *browser) project(id string, files map[string]string) {
	b.post("/api/projects", m{"project": id}, nil)
	for name, text := range files {
		b.post("/api/files/save", m{"project": id, "path": name, "text": text, "version": ""}, nil)
	}
}

func q(path string, pairs ...string) string {
	query := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		query.Set(pairs[i], pairs[i+1])
	}
	return path + "?" + query.Encode()
}

func TestWhoGetsIn(t *testing.T) {
	now := time.Now()
	var mu sync.Mutex
	later := func(d time.Duration) { mu.Lock(); defer mu.Unlock(); now = now.Add(d) }
	b := begin(t, toolrun.Options{}, web.Options{Now: func() time.Time { mu.Lock(); defer mu.Unlock(); return now }})
	require.True(t, b.cookie.HttpOnly)
	require.Equal(t, http.SameSiteStrictMode, b.cookie.SameSite)
	require.Equal(t, "toolrun-7311", b.cookie.Name)
	require.Equal(t, "/", b.cookie.Path)
	mine := b.cookie

	t.Run("a link opens the page once", func(t *testing.T) {
		link := b.server.Link("")
		b.cookie = nil
		require.Equal(t, 200, b.do("GET", link, nil, nil).Code)
		again := b.do("GET", link, nil, nil)
		require.Equal(t, 403, again.Code)
		require.Empty(t, again.Result().Cookies())
		b.cookie = mine
	})
	t.Run("and not for long", func(t *testing.T) {
		link := b.server.Link("")
		later(10*time.Minute + time.Second)
		b.cookie = nil
		require.Equal(t, 403, b.do("GET", link, nil, nil).Code)
		b.cookie = mine
		require.Equal(t, 200, b.do("GET", "/", nil, nil).Code)
	})
	t.Run("nobody else gets in", func(t *testing.T) {
		for _, cookie := range []*http.Cookie{nil, {Name: mine.Name, Value: "guessed"}, {Name: mine.Name, Value: ""},
			{Name: "toolrun-1", Value: mine.Value}} {
			b.cookie = cookie
			for _, path := range []string{"/", "/files?project=x", "/nothing"} {
				w := b.do("GET", path, nil, nil)
				require.Equal(t, 401, w.Code)
				require.NotContains(t, w.Body.String(), "csrf")
			}
			require.Equal(t, 401, b.do("GET", "/api/projects", nil, nil).Code)
		}
		b.cookie = mine
	})
	t.Run("a key in the address or a guessed token is nothing", func(t *testing.T) {
		b.cookie = nil
		for _, path := range []string{q("/api/projects", "key", mine.Value), q("/api/projects", "token", mine.Value),
			q("/", "key", mine.Value)} {
			require.Equal(t, 401, b.do("GET", path, nil, nil).Code)
		}
		w := b.do("GET", "/api/projects", nil, func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+mine.Value)
		})
		require.Equal(t, 401, w.Code)
		b.cookie = mine
	})
	t.Run("a new link is for those who are in", func(t *testing.T) {
		var link struct{ Path string }
		b.post("/api/links", m{}, &link)
		require.Equal(t, 200, b.do("GET", link.Path, nil, nil).Code)
	})
	t.Run("who leaves is out", func(t *testing.T) {
		other := *b
		other.enter(b.server.Link(""))
		other.post("/api/logout", m{}, nil)
		require.Equal(t, 401, other.do("GET", "/api/projects", nil, nil).Code)
		require.Equal(t, 200, b.do("GET", "/api/projects", nil, nil).Code)
	})
	t.Run("a visit ends when nobody uses it", func(t *testing.T) {
		later(11 * time.Hour)
		require.Equal(t, 200, b.do("GET", "/api/projects", nil, nil).Code)
		later(13 * time.Hour)
		require.Equal(t, 401, b.do("GET", "/api/projects", nil, nil).Code)
	})
}

func TestForeignRequestsAreRefused(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{Hosts: []string{"tools.example.com"}})
	body := func() io.Reader { return strings.NewReader(`{"project": "made"}`) }
	for name, change := range map[string]func(r *http.Request){
		"a name that points to this machine": func(r *http.Request) { r.Host = "evil.example:7311" },
		"a page of another server": func(r *http.Request) {
			r.Header.Set("Origin", "https://evil.example")
		},
		"a page of another port": func(r *http.Request) {
			r.Header.Set("Origin", "http://localhost:9999")
		},
		"a page without an origin":       func(r *http.Request) { r.Header.Set("Origin", "null") },
		"without the header of our page": func(r *http.Request) { r.Header.Del("X-Toolrun-CSRF") },
		"with another one":               func(r *http.Request) { r.Header.Set("X-Toolrun-CSRF", "x") },
		"a form": func(r *http.Request) {
			r.Header.Set("Content-Type",
				"application/x-www-form-urlencoded")
		},
		"a form of text": func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") },
		"another site, as the browser says": func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Del("Origin")
		},
		"another port, as the browser says": func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "same-site")
			r.Header.Del("Origin")
		},
		"a cookie of ours and a token of nobody": func(r *http.Request) { r.Header.Set("Authorization", "Bearer x") },
		"a form that claims to be a navigation": func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
			r.Header.Del("Origin")
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := b.do("POST", "/api/projects", body(), change)
			require.GreaterOrEqual(t, w.Code, 400)
			var list struct{ Projects []any }
			b.get("/api/projects", &list)
			require.Empty(t, list.Projects)
			require.Empty(t, w.Header().Get("Access-Control-Allow-Origin"))
		})
	}
	t.Run("reading from elsewhere", func(t *testing.T) {
		for _, path := range []string{"/api/projects", "/api/files/content?project=a&path=b", "/", "/assets/main.js"} {
			w := b.do("GET", path, nil, func(r *http.Request) {
				r.Header.Set("Sec-Fetch-Site", "cross-site")
				r.Header.Set("Sec-Fetch-Mode", "no-cors")
			})
			require.Equal(t, 403, w.Code)
		}
	})
	t.Run("a link that is followed is fine, also from elsewhere", func(t *testing.T) {
		w := b.do("GET", "/", nil, func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
			r.Header.Set("Sec-Fetch-Dest", "document")
		})
		require.Equal(t, 200, w.Code)
	})
	t.Run("a frame is not", func(t *testing.T) {
		w := b.do("GET", "/", nil, func(r *http.Request) {
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			r.Header.Set("Sec-Fetch-Mode", "navigate")
			r.Header.Set("Sec-Fetch-Dest", "iframe")
		})
		require.Equal(t, 403, w.Code)
	})
	require.Equal(t, 200, b.do("POST", "/api/projects", body(), nil).Code) // the control
}

func TestHeaders(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	b.project("p", map[string]string{"/a.txt": "a"})
	for _, path := range []string{"/", "/nothing", "/files?project=p", "/api/projects", "/api/nothing",
		"/assets/main.js", "/assets/nothing.js", "/open?key=x", "/api/openapi.json"} {
		h := b.do("GET", path, nil, nil).Header()
		require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"), path)
		require.Equal(t, "DENY", h.Get("X-Frame-Options"), path)
		require.Equal(t, "no-referrer", h.Get("Referrer-Policy"), path)
		require.Equal(t, "same-origin", h.Get("Cross-Origin-Resource-Policy"), path)
		policy := h.Get("Content-Security-Policy")
		require.Contains(t, policy, "default-src 'none'", path)
		require.Contains(t, policy, "frame-ancestors 'none'", path)
		require.Contains(t, policy, "require-trusted-types-for 'script'", path)
		require.NotContains(t, policy, "unsafe", path)
		if !strings.HasPrefix(path, "/assets/main") {
			require.Equal(t, "no-store", h.Get("Cache-Control"), path)
		}
	}
	// No page has a script or a style of its own.
	page := b.do("GET", "/files?project=p", nil, nil).Body.String()
	require.NotRegexp(t, `<script[^>]*>[^<]|<style|\son\w+=|style=`, page)
	// Assets are asked for anew, and sent once.
	w := b.do("GET", "/assets/main.js", nil, nil)
	require.Equal(t, "text/javascript; charset=utf-8", w.Header().Get("Content-Type"))
	w = b.do("GET", "/assets/main.js", nil, func(r *http.Request) {
		r.Header.Set("If-None-Match", w.Header().Get("ETag"))
	})
	require.Equal(t, 304, w.Code)
}

func TestTokens(t *testing.T) {
	valid := true
	access := &web.Access{Name: "ci", Role: web.Person, Project: "ci",
		Select: func(s registry.Selection) registry.Selection { return s.Only("memory") }}
	b := begin(t, toolrun.Options{}, web.Options{Token: func(r *http.Request) *web.Access {
		if valid && r.Header.Get("Authorization") == "Bearer secret-of-ci" {
			return access
		}
		return nil
	}})
	b.project("other", map[string]string{"/a.txt": "a"})
	bearer := func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer secret-of-ci")
		r.Header.Del("Cookie")
		r.Header.Del("X-Toolrun-CSRF")
		r.Header.Del("Origin")
		r.Header.Del("Sec-Fetch-Site")
	}
	var list struct{ Projects []struct{ Name string } }
	b.read(b.do("GET", "/api/projects", nil, bearer), 200, &list)
	require.Len(t, list.Projects, 1)
	require.Equal(t, "ci", list.Projects[0].Name)

	t.Run("its holder sees one project, and no sign of others", func(t *testing.T) {
		for _, path := range []string{"/api/projects/one", "/api/files?path=/", "/api/files/text?path=/a.txt",
			"/api/files/content?path=/a.txt", "/api/history",
			"/api/tools", "/api/calls", "/api/events", "/api/projects/export", "/api/files/search?text=a"} {
			u, err := url.Parse(path)
			require.NoError(t, err)
			var messages []string
			for _, project := range []string{"other", "none"} {
				query := u.Query()
				query.Set("project", project)
				f := b.fails(b.do("GET", u.Path+"?"+query.Encode(), nil, bearer), 404)
				messages = append(messages, strings.ReplaceAll(f.Error.Message, project, "it"))
			}
			require.Equal(t, messages[0], messages[1], path)
		}
		require.Equal(t, 404, b.do("POST", "/api/projects", strings.NewReader(`{"project":"more"}`), bearer).Code)
		for _, path := range []string{"/api/projects/delete", "/api/projects/restore"} {
			require.Equal(t, 403, b.do("POST", path, strings.NewReader(`{"project":"ci"}`), bearer).Code)
		}
		require.Equal(t, 403, b.do("POST", "/api/links", strings.NewReader(`{}`), bearer).Code)
		require.Equal(t, 403, b.do("GET", "/api/servers", nil, bearer).Code)
		require.Equal(t, 403, b.do("POST", "/api/settings",
			strings.NewReader(`{"project":"ci","changes":{"tools":{"add":["javascript"]}}}`), bearer).Code)
	})
	t.Run("tools that it has not cannot be called", func(t *testing.T) {
		var made struct{ Call string }
		b.read(b.do("POST", "/api/calls",
			strings.NewReader(`{"project":"ci","tool":"javascript","input":{"code":"return 1"}}`), bearer), 200, &made)
		b.do("GET", q("/api/calls/output", "project", "ci", "call", made.Call), nil, bearer) // which ends with the call
		var call struct {
			State registry.State
			Code  string
		}
		b.read(b.do("GET", q("/api/calls/one", "project", "ci", "call", made.Call), nil, bearer), 200, &call)
		require.Equal(t, registry.Ended, call.State)
		require.Equal(t, "tool_disabled", call.Code)
	})
	t.Run("people log in with it, until it is gone", func(t *testing.T) {
		person := *b
		person.cookie, person.csrf = nil, ""
		wrong := person.send("/api/login", m{"token": "guessed"})
		require.Equal(t, 401, wrong.Code)
		require.Empty(t, wrong.Result().Cookies())
		w := person.send("/api/login", m{"token": "secret-of-ci"})
		require.Equal(t, 200, w.Code, w.Body.String())
		person.cookie = w.Result().Cookies()[0]
		require.NotContains(t, person.cookie.Value, "secret")
		require.Equal(t, 200, person.do("GET", "/files?project=ci", nil, nil).Code)
		require.Equal(t, 404, person.do("GET", "/files?project=other", nil, nil).Code)
		valid = false
		require.Equal(t, 401, person.do("GET", "/files?project=ci", nil, nil).Code)
		require.Equal(t, 401, person.do("GET", "/api/projects", nil, nil).Code)
		valid = true
	})
	t.Run("a page of another site cannot log somebody in", func(t *testing.T) {
		w := b.do("POST", "/api/login", strings.NewReader(`{"token":"secret-of-ci"}`), func(r *http.Request) {
			r.Header.Set("Origin", "https://evil.example")
		})
		require.Equal(t, 403, w.Code)
		require.Empty(t, w.Result().Cookies())
	})
	t.Run("guesses are limited", func(t *testing.T) {
		person := *b
		person.cookie, person.csrf = nil, ""
		for range 50 {
			person.send("/api/login", m{"token": "guessed"})
		}
		require.Equal(t, 401, person.send("/api/login", m{"token": "secret-of-ci"}).Code)
	})
}

func TestEverybody(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{Everybody: true})
	b.cookie = nil
	w := b.do("GET", "/?x=1", nil, nil)
	require.Equal(t, 303, w.Code)
	require.Equal(t, "/?x=1", w.Header().Get("Location"))
	require.Len(t, w.Result().Cookies(), 1)
	require.Equal(t, 200, b.do("GET", "/api/projects", nil, nil).Code)
	require.Equal(t, 403, b.do("GET", "/api/projects", nil, func(r *http.Request) {
		r.Header.Set("Sec-Fetch-Site",
			"cross-site")
	}).Code)
}
