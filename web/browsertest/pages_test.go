package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/internal/test/pypitest"
	"github.com/toolrun/toolrun/internal/test/pythontest"
	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/registry"
	kit "github.com/toolrun/toolrun/runtime/script"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/tools/python"
	"github.com/toolrun/toolrun/vfs"
)

func newOptions() toolrun.Options { return toolrun.Options{} }

func TestProjects(t *testing.T) {
	p := serve(t, newOptions()).visit()
	p.sees("There are no projects yet.")
	p.shots("projects-empty")
	p.click("New project")
	p.write("#prompt", "no/../way\x00")
	p.run(chromedp.KeyEvent("\r"))
	p.write("#prompt", "notes")
	p.shot("projects-new")
	p.run(chromedp.KeyEvent("\r"))
	p.until(`location.pathname === "/files"`)
	p.sees("No files yet.")
	p.open("")
	p.click("Delete notes")
	p.sees("It can be restored for a while")
	p.click("Cancel")
	p.click("Delete notes")
	p.shots("projects-delete")
	p.click("Delete")
	p.sees("There are no projects yet.")
	p.click("Restore")
	p.until(`document.querySelector("tbody a")?.textContent === "notes"`)
	p.shots("projects")
}

func TestFiles(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", map[string]string{
		"/readme.md": "# Notes\n\nSome *text* with a [link](https://example.com) and `code`.\n\n- one\n- " +
			"two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
		"/data/sales.csv": "city,amount\nOslo,20\n\"Lima, Peru\",22\n",
		"/src/main.js":    strings.Repeat("console.log('line')\n", 60),
		"/pixel.svg": `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40">` +
			`<rect width="80" height="40" fill="teal"/></svg>`,
		"/empty.txt":  "",
		"/binary.bin": "\x00\x01\x02",
		"/paper.pdf":  "%PDF-1.4\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(app.alert\\(1\\))>>>>endobj\x00",
	})
	p := s.visit()
	p.open("files", "project", "notes")
	p.shots("files-begin")
	p.click("readme.md")
	p.until(`document.querySelector(".rendered h3")?.textContent === "Notes"`)
	p.shots("files-markdown")
	p.click("data")
	p.click("sales.csv")
	p.until(`document.querySelectorAll("table.data tbody tr").length === 2`)
	require.Equal(t, "Lima, Peru", value[string](p,
		`document.querySelector("table.data tbody tr:last-child td").textContent`))
	p.shots("files-csv")
	p.click("pixel.svg")
	p.until(`document.querySelector(".file img")?.naturalWidth === 80`)
	p.click("binary.bin")
	p.sees("This is not text")
	p.click("paper.pdf")
	p.sees("A PDF. Download it to look at it")
	require.Zero(t, value[int](p, `document.querySelectorAll("main iframe, main object, main embed").length`))
	require.Equal(t, "attachment application/octet-stream sandbox", value[string](p, `(async () => {
		const {headers} = await fetch(
			Array.from(document.querySelectorAll(".filehead a")).find((a) => a.textContent === "Download").href);
		return [headers.get("Content-Disposition").split(";")[0], headers.get("Content-Type"),
			/sandbox/.exec(headers.get("Content-Security-Policy"))[0]].join(" ");
	})()`))
	p.click("empty.txt")
	p.sees("This file is empty.")
	p.click("src")
	p.click("main.js")
	p.until(`document.querySelectorAll(".lines li").length === 60`)
	p.shots("files-text")

	// editing
	p.click("Edit")
	p.write("#text", "one\ntwo\nthree\n")
	p.shots("files-edit")
	p.click("Save")
	p.sees("Saved /src/main.js.")
	p.until(`document.querySelectorAll(".lines li").length === 3`)

	// somebody else changes the file meanwhile
	p.click("Edit")
	s.call("notes", "toolu_other", "filesystem",
		`{"command": "str_replace", "path": "/src/main.js", "old_str": "two", "new_str": "2"}`)
	p.write("#text", "one\ntwo\nthree\nfour\n")
	p.click("Save")
	p.sees("somebody else has changed the file since you opened it")
	p.shots("files-conflict")
	p.click("Save mine over it")
	p.until(`document.querySelectorAll(".lines li").length === 4`)

	// new, rename, delete and back
	p.click("New file")
	p.write("#prompt", "/src/new.txt")
	p.run(chromedp.KeyEvent("\r"))
	p.until(`document.querySelector("#text")`)
	p.write("#text", "fresh")
	p.run(evaluate(
		`document.querySelector("#text").dispatchEvent(
			new KeyboardEvent("keydown", {key: "s", ctrlKey: true, bubbles: true}))`,
	))
	p.sees("Saved /src/new.txt.")
	p.click("Rename")
	p.write("#prompt", "/src/newer.txt")
	p.run(chromedp.KeyEvent("\r"))
	p.until(`document.querySelector(".filehead h2")?.textContent === "/src/newer.txt"`)
	p.click("Delete /src/newer.txt")
	p.sees("Deleted /src/newer.txt.")
	p.click("Undo")
	p.until(`document.querySelector(".filehead h2")?.textContent === "/src/newer.txt"`)

	// search
	p.write("#search", "Peru")
	p.run(chromedp.KeyEvent("\r"))
	p.sees("1 match")
	p.shots("files-search")
	p.click("/data/sales.csv:3")
	p.until(`document.querySelector(".lines li.found")?.dataset.n === "3" || document.querySelector("table.data")`)
}

func TestTheTreeByKeys(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", map[string]string{"/a/b/c.txt": "deep", "/a/d.txt": "d", "/z.txt": "z"})
	p := s.visit()
	p.open("files", "project", "notes")
	focused := func() string {
		return value[string](p, `document.activeElement.dataset.path ?? ""`)
	}
	p.run(evaluate(`document.querySelector("[role=treeitem][tabindex='0']").focus()`))
	require.Equal(t, "/a", focused())
	key := func(key, at string) {
		t.Helper()
		p.run(chromedp.KeyEvent(key))
		p.until(`(document.activeElement.dataset.path ?? "") === "` + at + `"`)
	}
	const down, up, right, left, home, end = "\u0301", "\u0304", "\u0303", "\u0302", "\u0306", "\u0305"
	p.run(chromedp.KeyEvent(right))
	p.until(`document.querySelector("[data-path='/a/b']")`)
	key(right, "/a/b")
	key(down, "/a/d.txt")
	key(end, "/z.txt")
	key(home, "/a")
	key("z", "/z.txt")
	key(up, "/a/d.txt")
	key(left, "/a")
	key(down, "/a/b")
	key(down, "/a/d.txt")
	p.run(chromedp.KeyEvent("\r"))
	p.until(`document.querySelector(".filehead h2")?.textContent === "/a/d.txt"`)
}

func TestSeeWhatACallChangedAndTakeItBack(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", map[string]string{"/plan.md": "one\ntwo\nthree\n"})
	p := s.visit()
	p.open("calls", "project", "notes")
	p.sees("toolu_begin")
	s.call("notes", "toolu_edit", "filesystem",
		`{"command": "str_replace", "path": "/plan.md", "old_str": "two", "new_str": "zwei"}`)
	p.sees("toolu_edit") // without loading the page
	p.shots("calls")
	p.run(evaluate(`document.querySelector("[data-call=toolu_edit]").click()`))
	p.sees("The file has been edited.")
	p.click("Show what changed in /plan.md")
	p.until(`document.querySelector(".diff .is")?.textContent.includes("zwei")`)
	p.shots("call")
	p.click("Undo toolu_edit")
	p.sees("Undone: 1 change.")
	p.open("files", "project", "notes", "path", "/plan.md")
	p.click("Text")
	p.until(`document.querySelectorAll(".lines li")[1]?.textContent === "two"`)
	p.open("history", "project", "notes")
	p.sees("Undone: toolu_edit")
	p.shots("history")

	// what others have changed since is in the way
	s.call("notes", "toolu_first", "filesystem",
		`{"command": "str_replace", "path": "/plan.md", "old_str": "one", "new_str": "1"}`)
	s.call("notes", "toolu_second", "filesystem",
		`{"command": "str_replace", "path": "/plan.md", "old_str": "three", "new_str": "3"}`)
	p.sees("toolu_second")
	p.click("Undo toolu_first")
	p.sees("This cannot be undone as a whole")
	p.sees("/plan.md")
	p.shots("history-refused")
}

func TestRun(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", map[string]string{"/a.txt": "a\n"})
	p := s.visit()
	p.open("run", "project", "notes")
	p.shots("run-begin")
	p.write("#code",
		`console.log("hello"); console.error("careful"); await fs.writeFile("/a.txt", "b\n"); return {answer: 42}`)
	p.run(evaluate(
		`document.querySelector("#code").dispatchEvent(
			new KeyboardEvent("keydown", {key: "Enter", ctrlKey: true, bubbles: true}))`,
	))
	p.sees(`"answer": 42`)
	p.until(`document.querySelector("[role=log]").textContent.includes("hello")`)
	p.sees("1 change")
	p.click("Show what changed in /a.txt")
	p.until(`document.querySelector(".diff .is")`)
	p.shots("run")

	t.Run("TypeScript", func(t *testing.T) {
		p.run(evaluate(
			`{ const s = document.querySelector("#language"); s.value = "typescript";
				s.dispatchEvent(new Event("change")); }`,
		))
		p.write("#code", `const n: number = 40 + 3; return n`)
		p.click("Run")
		p.sees("43")
	})
	t.Run("an error says where", func(t *testing.T) {
		p.write("#code", "\n\nthrow new Error('broken')")
		p.click("Run")
		p.sees("broken")
		p.shots("run-error")
	})
	t.Run("stop", func(t *testing.T) {
		p.write("#code", `console.log("begun"); for (;;) {}`)
		p.click("Run")
		p.until(`document.querySelector("[role=log]")?.textContent.includes("begun")`)
		p.shot("run-running")
		p.click("Stop")
		p.until(`!document.querySelector("#run").disabled && document.querySelector(".problem")`)
	})
	t.Run("much output leaves the window usable", func(t *testing.T) {
		p.write("#code", "for (let i = 0; i < 20000; i++) console.log('x'.repeat(40), i)")
		p.click("Run")
		p.until(`!document.querySelector("#run").disabled && document.querySelector(".facts")`)
		require.LessOrEqual(t, value[int](p, `document.querySelector("[role=log]").textContent.length`), 300<<10)
	})
}

// TestRunRequests has a run say what it has used of the network.
func TestRunRequests(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("answer"))
	}))
	t.Cleanup(site.Close)
	rule, err := network.ParseRule("* " + site.URL)
	require.NoError(t, err)
	s := serve(t, toolrun.Options{Network: &network.Policy{Rules: []network.Rule{rule}}})
	s.project("notes", nil)
	p := s.visit()
	p.open("run", "project", "notes")
	p.write("#code", "return (await (await fetch('"+site.URL+"', {method: 'POST', body: 'abc'})).text())")
	p.click("Run")
	p.until(`document.querySelector(".facts")?.textContent.includes("1 request, 3 bytes sent, 6 bytes received")`)
}

func TestRunPython(t *testing.T) {
	module := pythontest.Module(t)
	language := python.Language
	language.Build = func() (kit.Module, error) { return module, nil }
	s := serve(t, toolrun.Options{Languages: []code.Language{javascript.Language, language}})
	s.project("notes", map[string]string{"/a.txt": "a\n"})
	p := s.visit()
	p.open("run", "project", "notes")
	p.run(evaluate(
		`{ const s = document.querySelector("#language"); s.value = "python"; s.dispatchEvent(new Event("change")); }`,
	))
	p.write("#code", "open('/a.txt', 'w').write('b')\nprint('begun', flush=True)\nwhile True: pass")
	p.click("Run")
	p.until(`document.querySelector("[role=log]")?.textContent.includes("begun")`) // while it runs
	require.True(t, value[bool](p, `document.querySelector("#run").disabled`))
	p.shots("run-python")
	p.click("Stop")
	p.until(`!document.querySelector("#run").disabled && document.querySelector(".problem")`)
	p.write("#code", "print('one')\nprint(6 * 7)")
	p.click("Run")
	p.until(`document.querySelector("[role=log]")?.textContent.includes("42")`)
}

// TestSettings changes each setting that the tools do not show.
func TestSettings(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", nil)
	p := s.visit()
	p.open("tools", "project", "notes")
	for _, setting := range service.AllSettings() {
		section := fmt.Sprintf("document.querySelector('[aria-labelledby=setting-%s]')", setting.Name)
		if setting.WithTools {
			require.True(t, value[bool](p, section+" === null"), setting.Name)
			continue
		}
		p.until(section)
		for _, text := range []string{setting.Title, setting.About} {
			require.Contains(t, value[string](p, section+".textContent"), text)
		}
		id := "#setting-" + setting.Name
		for _, choice := range setting.Choices {
			box := id + "-" + choice.Value
			if !setting.List {
				p.run(evaluate(fmt.Sprintf(`{const select = document.querySelector("%s-value");
					select.value = %q; select.dispatchEvent(new Event("change"))}`, id, choice.Value)))
			} else {
				p.run(evaluate(fmt.Sprintf("document.querySelector(%q).focus()", box)), chromedp.KeyEvent(" "))
				p.until(fmt.Sprintf(`document.activeElement === document.querySelector(%q)`, box))
			}
			p.sees(setting.Title + ": changed, from the next call on.")
			p.run(evaluate(`document.getElementById("says").replaceChildren()`))
		}
		p.shotsAt("settings-"+setting.Name, id)
	}
	stored := func() registry.Settings {
		project, err := s.runner.Store().OpenExisting(t.Context(), "notes")
		require.NoError(t, err)
		defer project.Close()
		data, err := project.Settings(t.Context())
		require.NoError(t, err)
		settings, _, err := registry.ParseSettings(data)
		require.NoError(t, err)
		return settings
	}
	require.Equal(t, registry.CheckpointBefore, stored().Checkpoint)
	require.Equal(t, []string{"writes", "destructive", "external", "network", "all"}, stored().Ask)
	require.Equal(t, `"tiered"`, string(stored().Field(vfs.RetentionField)))
	p.run(evaluate(`document.querySelector("#setting-ask-all").focus()`), chromedp.KeyEvent(" "))
	p.until(`document.querySelector("#setting-ask-all").checked === false`)
	p.sees("Approvals: changed")
	require.NotContains(t, stored().Ask, "all")

	add := func(setting, text string) {
		p.write("#setting-"+setting+"-add", text)
		p.run(chromedp.KeyEvent("\r"))
	}
	add("network", "GET ftp://example.com/")
	p.until(`document.querySelector("[aria-labelledby=setting-network] .problem")`)
	add("network", "GET https://example.com/docs/**")
	p.click("Remove GET https://example.com/docs/**")
	p.until(`document.querySelectorAll("[aria-labelledby=setting-network] li").length === 0`)
	add("mounts", "/sharerw team")
	p.click("Remove /sharerw team")
	p.until(`document.querySelectorAll("[aria-labelledby=setting-mounts] li").length === 0`)
	add("ask", "memroy")
	p.sees("did you mean memory?")
	add("ask", "send_mail")
	p.sees(`Warning: unknown approval rule "send_mail"`)
	// A rule that is the name of a tool is the same as its switch.
	p.run(evaluate(`document.querySelector("#tool-memory-ask").focus()`), chromedp.KeyEvent(" "))
	p.click("Remove memory")
	p.until(`document.querySelector("#tool-memory-ask").checked === false`)

	// What could not be saved is shown as it is.
	p.run(evaluate(`window.fetch = async () =>
		new Response('{"error": {"message": "the disk is full"}}', {status: 500})`),
		evaluate(`document.querySelector("#setting-ask-writes").focus()`), chromedp.KeyEvent(" "))
	p.sees("the disk is full")
	p.until(`document.querySelector("#setting-ask-writes").checked`)
}

func TestTools(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", nil)
	p := s.visit()
	p.open("tools", "project", "notes")
	p.shots("tools")
	require.True(t, value[bool](p, `document.querySelector("#tool-javascript").checked`))
	p.run(evaluate(`document.querySelector("#tool-javascript").focus()`), chromedp.KeyEvent(" "))
	p.sees("is off.")
	result := s.call("notes", "toolu_off", "javascript", `{"code": "return 1"}`)
	require.EqualValues(t, "tool_disabled", result.Code)
	p.run(evaluate(`document.querySelector("#tool-javascript").focus()`), chromedp.KeyEvent(" "))
	p.sees("is on.")
	result = s.call("notes", "toolu_on", "javascript", `{"code": "return 1"}`)
	require.Empty(t, result.Code)

	// What could not be saved is shown as it is.
	p.run(evaluate(
		`window.kept = window.fetch;
			window.fetch = async () => new Response('{"error": {"message": "the disk is full"}}', {status: 500})`,
	))
	for _, id := range []string{"#tool-javascript", "#tool-javascript-ask"} {
		before := value[bool](p, fmt.Sprintf("document.querySelector(%q).checked", id))
		p.run(evaluate(fmt.Sprintf("document.querySelector(%q).focus()", id)), chromedp.KeyEvent(" "))
		p.sees("the disk is full")
		p.until(fmt.Sprintf("document.querySelector(%q).checked === %t", id, before))
	}
	p.run(evaluate(`window.fetch = window.kept`))

	p.write("#option-javascript-memory", "99999999")
	p.run(chromedp.KeyEvent("\t"))
	p.until(`document.querySelector("#option-javascript-memory").getAttribute("aria-invalid") === "true"`)
	p.until(`document.querySelector("#option-javascript-memory-error").textContent.includes("99999999 is more than")`)
	p.shotsAt("tools-invalid", "#tool-javascript")
	p.write("#option-javascript-memory", "100")
	p.run(chromedp.KeyEvent("\t"))
	p.sees("Memory: 100.")
	p.open("tools", "project", "notes")
	require.Equal(t, "100", value[string](p, `document.querySelector("#option-javascript-memory").value`))
	p.click("Use the default of Memory")
	p.sees("Memory: the default.")
	p.click("Show the definitions")
	p.sees(`"input_schema"`)
	p.shotsAt("tools-definitions", "[aria-labelledby=definitions]")
}

func TestServers(t *testing.T) {
	p := serve(t, newOptions()).visit()
	p.open("servers")
	p.sees("No servers.")
	p.shots("servers")
}

func TestApprovals(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", map[string]string{"/plan.md": "one\n"})
	p := s.visit()
	p.open("tools", "project", "notes")
	p.run(evaluate(`document.querySelector("#tool-filesystem-ask").focus()`), chromedp.KeyEvent(" "))
	p.sees("wait for approval")
	p.open("calls", "project", "notes")
	input := `{"command": "str_replace", "path": "/plan.md", "old_str": "one", "new_str": "two"}`
	require.NotNil(t, s.call("notes", "toolu_ask", "filesystem", input).Pending)
	p.sees("1 call waits for your approval")
	p.until(`document.querySelector(".diff .was")?.textContent.includes("one") &&
		document.querySelector(".diff .is")?.textContent.includes("two")`)
	p.shots("approvals")
	p.click("Edit")
	p.write("textarea", strings.ReplaceAll(input, "two", "three"))
	p.click("Approve with this input")
	p.sees("Approved. The call goes on.")
	p.until(oneEntry("toolu_ask", "ok"))
	p.open("files", "project", "notes", "path", "/plan.md")
	p.until(`document.querySelector(".rendered")?.textContent.includes("three")`)

	require.NotNil(t, s.call("notes", "toolu_no", "filesystem", strings.ReplaceAll(input, "one", "three")).Pending)
	p.open("calls", "project", "notes")
	p.click("Refuse filesystem")
	p.click("Refuse")
	p.sees("Refused. The model is told.")
	p.seesNot("waits for your approval")
	p.until(oneEntry("toolu_no", "refused"))

	// Nothing of an input is hidden because something else looks like a difference.
	require.NotNil(t, s.call("notes", "toolu_trick", "filesystem",
		`{"command": "create", "path": "/c.md", "file_text": "all of it", "old_str": "shown", "new_str": "alone"}`).
		Pending)
	p.open("calls", "project", "notes")
	p.until(`document.querySelector("[aria-label=Input]")?.textContent.includes("all of it")`)
	p.click("Refuse filesystem")
	p.click("Refuse")
	p.seesNot("waits for your approval")

	// What the code that waits has changed so far.
	p.open("tools", "project", "notes")
	p.run(evaluate(`document.querySelector("#option-javascript-toolCalls").focus()`), chromedp.KeyEvent(" "))
	p.sees("Tool calls: on.")
	require.NotNil(t, s.call("notes", "toolu_code", "javascript",
		`{"code": "await fs.writeFile('/draft.md', 'first'); await `+
			`tools.filesystem({command: 'create', path: '/b.md', file_text: 'last'})"}`).Pending)
	p.open("calls", "project", "notes")
	p.click("1 change that the code has made so far")
	p.click("Show what changed in /draft.md")
	p.until(`Array.from(document.querySelectorAll(".diff .is"),
		(e) => e.textContent).some((text) => text.includes("first"))`)
	p.click("The code that waits")
	p.shots("approvals-code")
	p.click("Approve filesystem")
	p.until(oneEntry("toolu_code", "ok"))
	p.seesNot("waits for your approval")
}

// oneEntry is true once a call has one entry in the list, which says this.
func oneEntry(call, state string) string {
	return fmt.Sprintf(`(() => {
		const found = Array.from(document.querySelectorAll("[data-call]")).filter((e) => e.dataset.call === %q);
		return found.length === 1 && found[0].textContent.includes(%q) && !found[0].textContent.includes("waits");
	})()`, call, state)
}

func TestSessions(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", nil)
	p := s.visit()
	p.open("run", "project", "notes")
	p.write("#session", "mine")
	p.write("#code", "globalThis.kept = 41; return 'set'")
	p.click("Run")
	p.sees(`"set"`)
	p.write("#code", "return kept + 1")
	p.click("Run")
	p.until(`document.querySelector("[aria-label=Result]")?.textContent === "42"`)

	p.click("Sessions (1)")
	p.click("Copy the session mine")
	p.write("#prompt", "../x")
	p.run(chromedp.KeyEvent("\r"))
	p.until(`document.querySelector("dialog .problem")`)
	p.write("#prompt", "try")
	p.run(chromedp.KeyEvent("\r"))
	p.sees("try goes on from where mine is now.")
	p.shots("run-sessions")
	p.click("Use the session try")
	p.write("#code", "kept = 1; return kept + 1")
	p.click("Run")
	p.until(`document.querySelector("[aria-label=Result]")?.textContent === "2"`)
	p.click("Use the session mine")
	p.write("#code", "return kept + 2")
	p.click("Run")
	p.until(`document.querySelector("[aria-label=Result]")?.textContent === "43"`)
	p.click("Delete the session try")
	p.sees("The session try is deleted.")
	p.sees("Sessions (1)")
	p.click("Undo")
	p.sees("Sessions (2)")
}

func TestPackages(t *testing.T) {
	index := pypitest.New()
	index.Add("greet", "1.0", pypitest.Pure, map[string]string{"greet.py": "x = 1"}, "words")
	index.Add("words", "2.0", pypitest.Pure, map[string]string{"words.py": "y = 2"})
	options := newOptions()
	options.Languages = []code.Language{pypitest.Python(python.Language.Installer)}
	options.Packages = &toolrun.PackageIndex{URL: pypitest.URL, Transport: index}
	s := serve(t, options)
	s.project("notes", nil)
	p := s.visit()
	p.open("run", "project", "notes")
	p.click("Packages (0)")
	p.write("#packages", "greet")
	p.click("Add")
	p.sees("Added greet.")
	p.sees("Packages (2)")
	p.shots("run-packages")
	p.click("Close")
	p.click("Remove the package words")
	p.sees("words is needed by another package")
	p.click("Remove the package greet")
	p.sees("Packages (0)")
	p.click("Undo")
	p.sees("Packages (2)")
	p.write("#packages", "nothing <b>x")
	p.click("Add")
	p.sees("is not")
}

func TestCheckpoints(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", map[string]string{"/plan.md": "one\n"})
	p := s.visit()
	p.open("history", "project", "notes")
	p.click("Checkpoints (0)")
	p.click("New checkpoint")
	p.write("#prompt", "draft")
	p.run(chromedp.KeyEvent("\r"))
	p.sees("Kept 1 file as draft.")
	p.click("Restore the checkpoint draft")
	p.sees("Nothing has changed since.")
	s.call("notes", "toolu_new", "filesystem", `{"command": "create", "path": "/new.md", "file_text": "new"}`)
	s.call("notes", "toolu_edit", "filesystem",
		`{"command": "str_replace", "path": "/plan.md", "old_str": "one", "new_str": "two"}`)
	p.click("Restore the checkpoint draft")
	p.sees("Restoring takes back what has happened since:")
	p.shots("checkpoints")
	p.click("Restore 2 files")
	p.sees("All files are as they were in draft.")
	text := func() string {
		return value[string](
			p, `fetch("/api/files/text?project=notes&path=/plan.md").then((r) => r.json()).then((file) => file.text)`,
		)
	}
	require.Equal(t, "one\n", text())
	p.click("Undo")
	require.Eventually(t, func() bool { return text() == "two\n" }, time.Minute, 20*time.Millisecond)
	p.click("Delete the checkpoint draft")
	p.sees("Delete for good")
	p.click("Delete the checkpoint draft")
	p.sees("There are none yet.")
}

func TestDropFiles(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", map[string]string{"/data/a.txt": "a"})
	p := s.visit()
	p.open("files", "project", "notes")
	p.until(`document.querySelector("[data-path='/data']")`)
	dir := t.TempDir()
	for name, content := range map[string]string{"one.csv": "a,b\n1,2\n", "a.txt": "mine"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	}
	drop := func(selector string, files ...string) {
		at := value[[]float64](p, `(() => { const r = document.querySelector(`+strconv.Quote(selector)+
			`).getBoundingClientRect(); return [r.x + 20, r.y + 10]; })()`)
		for _, kind := range []input.DispatchDragEventType{input.DispatchDragEventTypeDragEnter,
			input.DispatchDragEventTypeDragOver, input.DispatchDragEventTypeDrop} {
			p.run(command(input.DispatchDragEvent, input.DispatchDragEventParams{Type: kind, X: at[0], Y: at[1],
				Data: &input.DragData{Items: []*input.DragDataItem{}, Files: files, DragOperationsMask: 1}}))
			if kind == input.DispatchDragEventTypeDragOver {
				p.until(`document.querySelector(".dropping")`)
				p.shots("files-drop")
				at = value[[]float64](p, `(() => { const r = document.querySelector(`+strconv.Quote(selector)+
					`).getBoundingClientRect(); return [r.x + 20, r.y + 10]; })()`)
			}
		}
	}
	drop("[data-path='/data'] .entry", filepath.Join(dir, "one.csv"), filepath.Join(dir, "a.txt"))
	p.sees("Replace /data/a.txt?") // and nothing is replaced unasked
	p.click("Cancel")
	p.sees("Uploaded 1 file to /data.")
	p.click("one.csv")
	p.until(`document.querySelectorAll("table.data tbody tr").length === 1`)
	p.click("a.txt")
	p.until(`document.querySelector(".lines")?.textContent === "a"`)
}
