package web_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/web"
)

// TestHostileFilesAreData fetches what a browser would run if it were let: none of it comes as something that runs.
func TestHostileFilesAreData(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	const script = `<script>alert(1)</script>`
	hostile := map[string]string{
		"/page.html": "<!doctype html>" + script, "/page.xhtml": `<html xmlns="http://www.w3.org/1999/xhtml">` +
			script + "</html>",
		"/image.svg": `<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">` + script + "</svg>",
		"/image.png": script, "/script.js": "alert(1)", "/module.mjs": "alert(1)", "/style.css": "*{display:none}",
		"/feed.xml": `<?xml version="1.0"?><x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>`,
		"/doc.pdf":  "%PDF-1.7\n", "/sheet.csv": "=cmd|' /C calc'!A0", "/none": script, "/gif.html": "GIF89a" + script,
		"/page.html;.png": script, "/manifest.webmanifest": "{}", "/worker.js": "self.onfetch = () => {}",
	}
	b.project("p", hostile)
	for name := range hostile {
		t.Run(name, func(t *testing.T) {
			w := b.do("GET", q("/api/files/content", "project", "p", "path", name), nil, nil)
			require.Equal(t, 200, w.Code)
			h := w.Header()
			require.True(t, strings.HasPrefix(h.Get("Content-Disposition"), "attachment;"),
				h.Get("Content-Disposition"))
			require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"))
			require.Contains(t, h.Get("Content-Security-Policy"), "sandbox")
			require.Contains(t, h.Get("Content-Security-Policy"), "default-src 'none'")
			require.Equal(t, "no-store", h.Get("Cache-Control"))
			require.Contains(t, []string{"application/octet-stream", "image/svg+xml", "image/gif"},
				h.Get("Content-Type"))
			require.Equal(t, hostile[name], w.Body.String())
		})
	}
	// Answers in JSON cannot be taken for markup, whatever they contain.
	w := b.do("GET", q("/api/files/text", "project", "p", "path", "/page.html"), nil, nil)
	require.Equal(t, "application/json", w.Header().Get("Content-Type"))
	require.NotContains(t, w.Body.String(), "<")
	w = b.do("GET", q("/api/files/text", "project", "p", "path", "/<script>"), nil, nil)
	require.Equal(t, 404, w.Code)
	require.NotContains(t, w.Body.String(), "<")
}

// TestNamesInHeaders saves files whose names would end a header, or look like other names.
func TestNamesInHeaders(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	for name, want := range map[string]string{
		`/a"; filename="evil.exe`:  "a_; filename=_evil.exe",
		"/photo\u202Egnp.exe":      "photo_gnp.exe",
		"/a;b=c,d'e.txt":           "a;b=c,d'e.txt",
		"/zero\u200Bwidth.txt":     "zero_width.txt",
		"/per%0d%0acent.txt":       "per%0d%0acent.txt",
		"/<img src=x onerror=1>.x": "_img src=x onerror=1_.x",
	} {
		b.project("p"+fmt.Sprint(len(name)), map[string]string{name: "x"})
		w := b.do("GET", q("/api/files/content", "project", "p"+fmt.Sprint(len(name)), "path", name), nil, nil)
		require.Equal(t, 200, w.Code, w.Body.String())
		disposition := w.Header().Get("Content-Disposition")
		require.Regexp(t, `^attachment; filename\*=UTF-8''[A-Za-z0-9!$&+.^_~%:@=-]*$`, disposition)
		for _, header := range w.Header() {
			for _, value := range header {
				require.NotContains(t, value, "\n")
			}
		}
		decoded, err := url.PathUnescape(strings.TrimPrefix(disposition, "attachment; filename*=UTF-8''"))
		require.NoError(t, err)
		require.Equal(t, want, decoded)
	}
}

// TestPaths asks for what is no file of a project.
func TestPaths(t *testing.T) {
	dir := t.TempDir()
	b := begin(t, toolrun.Options{DataDir: dir}, web.Options{})
	b.project("p", map[string]string{"/a.txt": "a"})
	b.project("other", map[string]string{"/secret.txt": "secret"})
	for _, path := range []string{
		"/../other/secret.txt", "../other/files/secret.txt", "/../../../../etc/passwd", `..\other\secret.txt`,
		"/.toolrun/settings.json",
		"/a/.toolrun/x", "/.TOOLRUN/settings", "/%2e%2e/other/secret.txt", "/a.txt\x00.png", "file:///etc/passwd",
		"//etc/passwd", "/proc/self/environ",
		strings.Repeat("/a", 5000), "/\u202e",
	} {
		for _, operation := range []string{"/api/files/text", "/api/files/content", "/api/files"} {
			w := b.do("GET", q(operation, "project", "p", "path", path), nil, nil)
			require.GreaterOrEqual(t, w.Code, 400, "%s %q: %s", operation, path, w.Body.String())
			require.Less(t, w.Code, 500, "%s %q: %s", operation, path, w.Body.String())
			require.NotContains(t, w.Body.String(), dir)
		}
		if strings.Contains(path, "toolrun") || strings.Contains(path, "\x00") {
			require.Equal(t, 400, b.send("/api/files/save", m{"project": "p", "path": path, "text": "x",
				"version": ""}).Code, path)
			require.Equal(t, 400, b.send("/api/files/move", m{"project": "p", "path": "/a.txt", "to": path}).Code, path)
		}
	}
	for _, id := range []string{"", "..x/../\x00", "\x1b[31m", strings.Repeat("x", 200), "none"} {
		w := b.do("GET", q("/api/files", "project", id, "path", "/"), nil, nil)
		require.Contains(t, []int{400, 404}, w.Code, id)
		require.NotContains(t, w.Body.String(), dir)
	}
	for _, address := range []string{"/api/../etc/passwd", "/assets/../server.go", "/assets/..%2f..%2fserver.go",
		"/assets/", "/api/", "/api", "/api/nothing",
		"/api/files/", "//api/projects", "/assets/%2e%2e/page.html", "/page.html"} {
		w := b.do("GET", address, nil, nil)
		require.GreaterOrEqual(t, w.Code, 400, address)
		require.NotContains(t, w.Body.String(), "package web")
		require.NotContains(t, w.Body.String(), "{{")
	}
}

// TestMalformedRequests sends what no page of ours does.
func TestMalformedRequests(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	b.project("p", map[string]string{"/a.txt": "a"})
	for _, body := range []string{"", "null", "[]", "1", `"x"`, "{", `{"project":"a"}{"project":"b"}`, `{"project":1}`,
		`{"unknown":1}`, `{"project":"a","project2":"b"}`,
		strings.Repeat("[", 100000), `{"project":"` + strings.Repeat("x", 5<<20) + `"}`} {
		w := b.do("POST", "/api/projects", strings.NewReader(body), nil)
		require.GreaterOrEqual(t, w.Code, 400, body[:min(len(body), 50)])
		require.Less(t, w.Code, 500, body[:min(len(body), 50)])
	}
	for _, query := range []string{"project=p&project=q&path=/", "path=/&project=p&limit=x", "project=p&path=/&x=y",
		"project=p&path=/&limit=99999999999999999999", "project=%zz&path=/"} {
		w := b.do("GET", "/api/files?"+query, nil, nil)
		require.Contains(t, []int{400, 404}, w.Code, query)
	}
	for _, query := range []string{"limit=-1", "limit=1000000", "offset=-5", "offset=99999999"} {
		require.Equal(t, 200, b.do("GET", "/api/files?project=p&path=/&"+query, nil, nil).Code, query)
		require.Equal(t, 200, b.do("GET", "/api/files/text?project=p&path=/a.txt&"+query, nil, nil).Code, query)
	}
	for _, method := range []string{"PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"} {
		w := b.do(method, "/api/projects", nil, nil)
		require.Equal(t, http.StatusMethodNotAllowed, w.Code)
		require.NotEmpty(t, w.Header().Get("Allow"))
		require.Equal(t, http.StatusMethodNotAllowed, b.do(method, "/", nil, nil).Code)
	}
	t.Run("a pattern cannot be slow", func(t *testing.T) {
		b.post("/api/files/save", m{"project": "p", "path": "/long.txt", "text": strings.Repeat("a", 500_000),
			"version": ""}, nil)
		require.Equal(t, 200, b.do("GET", q("/api/files/search", "project", "p", "text", "(a+)+$b", "regexp", "true"),
			nil, nil).Code)
	})
}

// TestHostileNamesInPages looks for names of projects in the markup.
func TestHostileNamesInPages(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	for _, id := range []string{`"><script>alert(1)</script>`, `' onfocus=alert(1) autofocus x='`, "{{.CSRF}}",
		"javascript:alert(1)", "</title><script>", "a\u202Eb\u200Bc"} {
		b.project(id, nil)
		page := b.do("GET", q("/files", "project", id), nil, nil)
		require.Equal(t, 200, page.Code)
		body := page.Body.String()
		require.NotContains(t, body, "<script>")
		require.NotContains(t, body, `onfocus=alert(1) autofocus x='"`)
		require.NotContains(t, strings.ReplaceAll(body, `data-project="`+"a\u202Eb\u200Bc"+`"`, ""), "\u202E")
		require.NotContains(t, body, `href="javascript:`)
		require.Equal(t, 1, strings.Count(body, "</title>"))
	}
}
