package browsertest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/mcp/mcpclient"
	"github.com/toolrun/toolrun/tool"
)

const (
	script = `<img src=x onerror="window.pwned=1;alert(1)"><script>window.pwned=1;alert(1)</script>`
	bidi   = "invoice\u202Egnp.exe"
)

// nothingRan checks that no script ran, that no markup was made of texts, and that nothing is shown as something else.
func (p *person) nothingRan() {
	p.t.Helper()
	require.False(p.t, value[bool](p, `"pwned" in window`))
	require.Empty(p.t, value[[]string](p,
		`Array.from(document.querySelectorAll(
			"main script, main iframe, main object, main embed, main style, "+
		"main [onerror], main [onload], main [style*=expression]"),
			(e) => e.outerHTML)`))
	require.Empty(p.t, value[[]string](p,
		`Array.from(document.querySelectorAll("a[href]"), (e) => e.href).filter((h) => !/^(https?|mailto):/.test(h))`))
	// Marks of direction and controls are written out, wherever people read or hear.
	require.Empty(p.t, value[[]string](p, `(() => {
		const found = [], marks = /[\u202a-\u202e\u2066-\u2069\u0000-\u0008\u000b-\u001f\u200b]/;
		const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		for (let n = walker.nextNode(); n; n = walker.nextNode()) if (marks.test(n.data)) found.push(n.data);
		for (const e of document.querySelectorAll("[aria-label], [title], [alt]")) {
			for (const a of ["aria-label", "title", "alt"]) if (marks.test(e.getAttribute(a) ?? "")) found.push(
				a + ": " + e.getAttribute(a));
		}
		return found;
	})()`))
	require.NotRegexp(p.t, "[\u202a-\u202e]", value[string](p, "document.title"))
}

// TestHostileServers shows what an MCP server says that wants to run in the browser, and what its tools are called
// with.
func TestHostileServers(t *testing.T) {
	const evil = script + bidi + "\x1b[31m [click](javascript:alert(1)) \u2066\u200b"
	server := mcp.NewServer(&mcp.Implementation{Name: evil, Title: evil, Version: evil},
		&mcp.ServerOptions{Instructions: evil})
	add := func(name string, result *mcp.CallToolResult, err error) {
		server.AddTool(&mcp.Tool{Name: name, Title: "Title " + evil, Description: "Description " + evil,
			Annotations: &mcp.ToolAnnotations{Title: "Note " + evil},
			InputSchema: &jsonschema.Schema{Type: "object", Title: evil, Description: evil,
				Properties: map[string]*jsonschema.Schema{
					"city": {Type: "string", Title: evil, Description: evil}, evil: {Type: "string", Description: evil},
				}}},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return result, err })
	}
	add("weather", &mcp.CallToolResult{Content: []mcp.Content{
		&mcp.TextContent{Text: "Result " + evil},
		&mcp.ImageContent{Data: []byte("<svg onload=alert(1)>"), MIMEType: "image/svg+xml" + script},
		&mcp.ResourceLink{URI: "javascript:alert(1)", Name: evil, Title: evil, Description: evil},
		&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "javascript:alert(1)//" + script,
			MIMEType: "text/html", Text: script}},
	}, StructuredContent: map[string]any{evil: evil}}, nil)
	add("fails", &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "Error " + evil}}},
		nil)
	add("breaks", nil, errors.New("broken "+evil))
	remote := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil))
	t.Cleanup(remote.Close)
	down := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, evil, http.StatusTeapot)
	}))
	t.Cleanup(down.Close)
	config, err := mcpclient.ParseConfig(fmt.Appendf(nil,
		`{"mcpServers": {"remote": {"url": %q}, "down": {"url": %q}}}`, remote.URL, down.URL))
	require.NoError(t, err)
	s := serve(t, toolrun.Options{Servers: config})
	s.project("notes", map[string]string{"/plan.md": "one\n"})
	tools := map[string]string{}
	for _, d := range s.runner.Registry().Specs() {
		for _, name := range []string{"weather", "fails", "breaks"} {
			if strings.Contains(d.Name, name) {
				tools[name] = d.Name
			}
		}
	}
	require.Len(t, tools, 3)

	p := s.visit()
	for i, name := range []string{"weather", "fails", "breaks"} {
		id := fmt.Sprintf("toolu_%d<img src=x onerror=alert(1)>\u202E", i)
		s.call("notes", id, tools[name], `{"city": "<script>alert(1)</script>\u202e"}`)
		p.open("calls", "project", "notes", "call", id)
		p.sees("What the model got")
		p.sees("<script>")
		p.nothingRan()
		p.shots("attack-server-" + name)
	}
	p.open("servers")
	p.sees("not connected")
	p.sees("remote")
	p.nothingRan()
	p.shots("attack-servers")
	p.open("tools", "project", "notes")
	p.run(evaluate(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`))
	p.sees("Description <img")
	p.nothingRan()
	p.click("Show the definitions")
	p.sees(`"input_schema"`)
	p.nothingRan()
	p.shots("attack-server-tools")

	// A call that waits, the editor of its input, and what the model is told if it is refused.
	p.run(evaluate(fmt.Sprintf(`document.querySelector("#tool-%s-ask").click()`, tools["weather"])))
	p.sees("wait for approval")
	input := `{"city": "<img src=x onerror=alert(1)>\u202e\u0007\u200b", "javascript:alert(1)\u2066": "x"}`
	require.NotNil(t, s.call("notes", "toolu_wait\u202E<script>alert(1)</script>", tools["weather"], input).Pending)
	p.open("calls", "project", "notes")
	p.sees("1 call waits for your approval")
	p.sees("U+202E")
	p.nothingRan()
	p.click("Edit")
	p.until(`document.querySelector("textarea")`)
	edited := value[string](p, `document.querySelector("textarea").value`)
	require.NotRegexp(t, "[\u202a-\u202e\u2066-\u2069\u200b]", edited, "what is edited can be read")
	require.Contains(t, edited, `\u202e`)
	p.nothingRan()
	p.shots("attack-approval")
	p.click("Cancel")
	p.click("Refuse " + tools["weather"])
	p.write("#prompt", "no "+script+bidi)
	p.click("Refuse")
	p.seesNot("waits for your approval")
	p.nothingRan()
}

// TestHostileNames gives names that carry markup and marks to what people and models name. Most are refused, which is
// shown.
func TestHostileNames(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", map[string]string{"/plan.md": "one\n"})
	p := s.visit()
	p.open("history", "project", "notes")
	p.click("Checkpoints (0)")
	p.click("New checkpoint")
	p.write("#prompt", "draft "+script)
	p.run(chromedp.KeyEvent("\r"))
	p.sees("Kept 1 file as draft <img")
	p.nothingRan()
	p.click("New checkpoint")
	p.write("#prompt", bidi)
	p.run(chromedp.KeyEvent("\r"))
	p.until(`document.querySelector("dialog .problem") || document.body.innerText.includes("U+202E")`)
	p.nothingRan()
	p.open("run", "project", "notes")
	p.write("#session", script)
	p.write("#code", "return 1")
	p.click("Run")
	p.until(`document.querySelector("main .problem") && !document.querySelector("#run").disabled`)
	p.nothingRan()
	p.open("tools", "project", "notes")
	for _, rule := range []string{"GET https://example.com/" + script, "GET https://exam\u202Eple.com/",
		"GET javascript:alert(1)", "<script>alert(1)</script> https://example.com/"} {
		for _, setting := range []string{"network", "ask", "mounts"} {
			p.write("#setting-"+setting+"-add", rule)
			p.run(chromedp.KeyEvent("\r"))
			p.until(fmt.Sprintf(`document.querySelector("[aria-labelledby=setting-%[1]s] .problem") ||
				document.querySelector("[aria-labelledby=setting-%[1]s] li")`, setting))
		}
		p.nothingRan()
	}
	p.open("")
	p.click("New project")
	p.write("#prompt", "a "+script)
	p.run(chromedp.KeyEvent("\r"))
	p.until(`document.querySelector("dialog .problem") || location.pathname === "/files"`)
	p.nothingRan()
	p.open("")
	for _, address := range []string{"/files?project=" + url.QueryEscape(script), "/" + url.PathEscape(script),
		"/history?project=notes&path=" + url.QueryEscape("/"+script+bidi),
		"/calls?project=notes&call=" + url.QueryEscape(script+bidi), "/files?project=notes&line=1&path=" +
			url.QueryEscape("/"+script+bidi)} {
		p.run(chromedp.Navigate(s.base + address))
		p.until(`document.readyState === "complete" && document.querySelector("main")?.innerText.trim()`)
		p.nothingRan()
	}
}

// TestHostileProjects shows a project in which everything carries scripts, markup, links and marks of direction, on
// each page. A script that runs, a request that leaves, and what the policy refuses fail the test by themselves.
func TestHostileProjects(t *testing.T) {
	one := tool.Func(tool.Spec{Name: "weather", DisplayName: "Weather" + script, Subtitle: script + bidi,
		Description: script, Source: script,
		Options: []tool.Option{{ID: "where", Label: "Where" + script, Subtitle: script, Type: tool.OptionSelect,
			Choices: []tool.Choice{{Value: script, Label: script}, {Value: "b"}}}}},
		func(_ context.Context, in struct{ City string }, _ tool.Env) (string, error) {
			return script + in.City + "\x1b[31m\u202E", nil
		})
	s := serve(t, toolrun.Options{Tools: []tool.Tool{one}})
	id := "p" + script
	markdown := script + "\n\n[click](javascript:alert(1)) [data](data:text/html,<script>alert(1)</script>) " +
		"[v](vbscript:x) [up](  JaVaScRiPt:alert(1)) " +
		"[good](https://example.com/) [evil.example](https://bank.example/) " +
		"![pixel](https://evil.example/pixel.png)\n\n" +
		"<iframe src=\"javascript:alert(1)\"></iframe>\n\n| a | " + script +
		" |\n|---|---|\n| <b> | [x](javascript:alert(1)) |\n\n```html\n" + script + "\n```\n> " + script + "\n\n- " +
		script + "\n"
	s.project(id, map[string]string{
		"/readme.md": markdown,
		"/table.csv": "a," + `"` + `<script>window.pwned=1</script>` + `"` +
			"\n=HYPERLINK(\"javascript:alert(1)\"),b\n",
		"/pixel.svg": `<svg xmlns="http://www.w3.org/2000/svg" ` +
			`width="30" height="30" onload="parent.pwned=1;alert(1)"><script>parent.pwned=1;` +
			`alert(1)</script><image href="https://evil.example/x.png"/><rect width="30" height="30"/></svg>`,
		"/page.html":                          script,
		"/" + bidi:                            "one\u202Etwo\u2066three\x00" + "four",
		"/direction.txt":                      "if (admin\u202E) {\u2066 // check\n\x1b]0;title\x07",
		"/<img src=x onerror=alert(1)>.txt":   script,
		"/javascript:alert(1)":                script,
		"/\"onmouseover=\"alert(1).txt":       script,
		"/folder" + "\u202E" + "x/a&amp;.txt": script,
	})
	require.Empty(t, s.call(id, "toolu_<script>", "weather", `{"City": "<script>alert(1)</script>"}`).Code)
	require.Empty(t, s.call(id, "toolu_\u202Ex", "javascript",
		`{"code": "console.log('<img src=x onerror=alert(1)>\\u202e'); `+
			`await fs.writeFile('/page.html', '<b>'); return '<script>alert(1)</script>'"}`).Code)
	p := s.visit()
	nothingRan := p.nothingRan
	p.sees("<script>")
	nothingRan()
	p.open("files", "project", id)
	p.sees("U+202E")
	nothingRan()
	p.shots("attack-files")
	for _, path := range []string{"/readme.md", "/table.csv", "/pixel.svg", "/page.html", "/" + bidi, "/direction.txt",
		"/<img src=x onerror=alert(1)>.txt", "/javascript:alert(1)",
		"/\"onmouseover=\"alert(1).txt", "/folder\u202Ex/a&amp;.txt"} {
		p.open("files", "project", id, "path", path)
		p.until(`document.querySelector(".filehead h2")`)
		nothingRan()
		switch path {
		case "/readme.md":
			require.Equal(t, []string{"https://example.com/", "https://bank.example/",
				"https://evil.example/pixel.png"},
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
		require.Eventually(t, func() bool {
			p.mu.Lock()
			defer p.mu.Unlock()
			seen := len(p.problems) > 0 // so a test in which it happens fails
			p.problems = nil
			return seen
		}, time.Minute, 20*time.Millisecond)
	})
}
