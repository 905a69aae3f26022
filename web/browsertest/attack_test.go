package browsertest

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/registry"
)

const (
	script = `<img src=x onerror="window.pwned=1;alert(1)"><script>window.pwned=1;alert(1)</script>`
	bidi   = "invoice\u202Egnp.exe"
)

// TestHostileProjects shows a project in which everything carries scripts, markup, links and marks of direction, on each
// page. A script that runs, a request that leaves, and what the policy refuses fail the test by themselves.
func TestHostileProjects(t *testing.T) {
	tool := registry.Func(registry.Spec{Name: "weather", DisplayName: "Weather" + script, Subtitle: script + bidi, Description: script, Source: script,
		Options: []registry.Option{{ID: "where", Label: "Where" + script, Subtitle: script, Type: registry.OptionSelect,
			Choices: []registry.Choice{{Value: script, Label: script}, {Value: "b"}}}}},
		func(_ context.Context, in struct{ City string }, _ registry.Env) (string, error) {
			return script + in.City + "\x1b[31m\u202E", nil
		})
	s := serve(t, toolrun.Options{Tools: []registry.Tool{tool}})
	id := "p" + script
	markdown := script + "\n\n[click](javascript:alert(1)) [data](data:text/html,<script>alert(1)</script>) [v](vbscript:x) [up](  JaVaScRiPt:alert(1)) " +
		"[good](https://example.com/) [evil.example](https://bank.example/) ![pixel](https://evil.example/pixel.png)\n\n" +
		"<iframe src=\"javascript:alert(1)\"></iframe>\n\n| a | " + script + " |\n|---|---|\n| <b> | [x](javascript:alert(1)) |\n\n```html\n" + script + "\n```\n> " + script + "\n\n- " + script + "\n"
	s.project(id, map[string]string{
		"/readme.md":                          markdown,
		"/table.csv":                          "a," + `"` + `<script>window.pwned=1</script>` + `"` + "\n=HYPERLINK(\"javascript:alert(1)\"),b\n",
		"/pixel.svg":                          `<svg xmlns="http://www.w3.org/2000/svg" width="30" height="30" onload="parent.pwned=1;alert(1)"><script>parent.pwned=1;alert(1)</script><image href="https://evil.example/x.png"/><rect width="30" height="30"/></svg>`,
		"/page.html":                          script,
		"/" + bidi:                            "one\u202Etwo\u2066three\x00" + "four",
		"/direction.txt":                      "if (admin\u202E) {\u2066 // check\n\x1b]0;title\x07",
		"/<img src=x onerror=alert(1)>.txt":   script,
		"/javascript:alert(1)":                script,
		"/\"onmouseover=\"alert(1).txt":       script,
		"/folder" + "\u202E" + "x/a&amp;.txt": script,
	})
	require.Empty(t, s.call(id, "toolu_<script>", "weather", `{"City": "<script>alert(1)</script>"}`).Code)
	require.Empty(t, s.call(id, "toolu_\u202Ex", "javascript", `{"code": "console.log('<img src=x onerror=alert(1)>\\u202e'); await fs.writeFile('/page.html', '<b>'); return '<script>alert(1)</script>'"}`).Code)
	p := s.visit()
	nothingRan := func() {
		t.Helper()
		require.False(t, value[bool](p, `"pwned" in window`))
		require.Empty(t, value[[]string](p, `Array.from(document.querySelectorAll("main script, main iframe, main object, main embed, main style, main [onerror], main [onload], main [style*=expression]"), (e) => e.outerHTML)`))
		require.Empty(t, value[[]string](p, `Array.from(document.querySelectorAll("a[href]"), (e) => e.href).filter((h) => !/^(https?|mailto):/.test(h))`))
		// Marks of direction and controls are written out, wherever people read.
		require.Empty(t, value[[]string](p, `(() => {
			const found = [];
			const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
			for (let n = walker.nextNode(); n; n = walker.nextNode()) if (/[\u202a-\u202e\u2066-\u2069\u0000-\u0008\u000b-\u001f\u200b]/.test(n.data)) found.push(n.data);
			return found;
		})()`))
		require.NotRegexp(t, "[\u202a-\u202e]", value[string](p, "document.title"))
	}
	p.sees("<script>")
	nothingRan()
	p.open("files", "project", id)
	p.sees("U+202E")
	nothingRan()
	p.shots("attack-files")
	for _, path := range []string{"/readme.md", "/table.csv", "/pixel.svg", "/page.html", "/" + bidi, "/direction.txt", "/<img src=x onerror=alert(1)>.txt", "/javascript:alert(1)",
		"/\"onmouseover=\"alert(1).txt", "/folder\u202Ex/a&amp;.txt"} {
		p.open("files", "project", id, "path", path)
		p.until(`document.querySelector(".filehead h2")`)
		nothingRan()
		switch path {
		case "/readme.md":
			require.Equal(t, []string{"https://example.com/", "https://bank.example/", "https://evil.example/pixel.png"},
				value[[]string](p, `Array.from(document.querySelectorAll(".rendered a"), (a) => a.href)`))
			p.sees("evil.example (bank.example)") // where it leads, in spite of its text
			require.Zero(t, value[int](p, `document.querySelectorAll(".rendered img").length`))
			p.shots("attack-markdown")
		case "/pixel.svg":
			p.until(`document.querySelector(".file img")?.naturalWidth === 30`)
		case "/direction.txt":
			p.sees("There are characters here that are not seen")
			p.shots("attack-direction")
		}
	}
	for _, view := range []string{"calls", "history", "tools", "run"} {
		p.open(view, "project", id)
		nothingRan()
	}
	for _, call := range []string{"toolu_<script>", "toolu_\u202Ex"} {
		p.open("calls", "project", id, "call", call)
		p.sees("What the model got")
		nothingRan()
		p.shots("attack-call-" + fmt.Sprint(len(call)))
	}
	p.open("history", "project", id)
	p.run(evaluate(`document.querySelectorAll("[aria-expanded]").forEach((b) => b.click())`))
	p.until(`document.querySelectorAll(".diff").length > 5`)
	nothingRan()
	p.open("tools", "project", id)
	p.click("Show the definitions")
	p.sees(`"input_schema"`)
	nothingRan()
	p.shots("attack-tools")

	t.Run("what the policy forbids fails", func(t *testing.T) { // the control
		p.run(evaluate(`window.refused = 0; addEventListener("securitypolicyviolation", () => window.refused++);
			try { document.querySelector("main").innerHTML = "<b>x</b>"; } catch { window.refused++; }`))
		p.until(`window.refused > 0 && !document.querySelector("main b")`)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.problems = nil
	})
}
