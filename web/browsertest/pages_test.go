package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
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
		"/readme.md":      "# Notes\n\nSome *text* with a [link](https://example.com) and `code`.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
		"/data/sales.csv": "city,amount\nOslo,20\n\"Lima, Peru\",22\n",
		"/src/main.js":    strings.Repeat("console.log('line')\n", 60),
		"/pixel.svg":      `<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40"><rect width="80" height="40" fill="teal"/></svg>`,
		"/empty.txt":      "",
		"/binary.bin":     "\x00\x01\x02",
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
	require.Equal(t, "Lima, Peru", value[string](p, `document.querySelector("table.data tbody tr:last-child td").textContent`))
	p.shots("files-csv")
	p.click("pixel.svg")
	p.until(`document.querySelector(".file img")?.naturalWidth === 80`)
	p.click("binary.bin")
	p.sees("This is not text")
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
	s.call("notes", "toolu_other", "filesystem", `{"command": "str_replace", "path": "/src/main.js", "old_str": "two", "new_str": "2"}`)
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
	p.run(evaluate(`document.querySelector("#text").dispatchEvent(new KeyboardEvent("keydown", {key: "s", ctrlKey: true, bubbles: true}))`))
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
	s.call("notes", "toolu_edit", "filesystem", `{"command": "str_replace", "path": "/plan.md", "old_str": "two", "new_str": "zwei"}`)
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
	s.call("notes", "toolu_first", "filesystem", `{"command": "str_replace", "path": "/plan.md", "old_str": "one", "new_str": "1"}`)
	s.call("notes", "toolu_second", "filesystem", `{"command": "str_replace", "path": "/plan.md", "old_str": "three", "new_str": "3"}`)
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
	p.write("#code", `console.log("hello"); console.error("careful"); await fs.writeFile("/a.txt", "b\n"); return {answer: 42}`)
	p.run(evaluate(`document.querySelector("#code").dispatchEvent(new KeyboardEvent("keydown", {key: "Enter", ctrlKey: true, bubbles: true}))`))
	p.sees(`"answer": 42`)
	p.until(`document.querySelector("[role=log]").textContent.includes("hello")`)
	p.sees("1 change")
	p.click("Show what changed in /a.txt")
	p.until(`document.querySelector(".diff .is")`)
	p.shots("run")

	t.Run("TypeScript", func(t *testing.T) {
		p.run(evaluate(`{ const s = document.querySelector("#language"); s.value = "typescript"; s.dispatchEvent(new Event("change")); }`))
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

	p.write("#option-javascript-memory", "99999999")
	p.run(chromedp.KeyEvent("\t"))
	p.until(`document.querySelector("#option-javascript-memory").getAttribute("aria-invalid") === "true"`)
	p.until(`document.querySelector("#option-javascript-memory-error").textContent !== ""`)
	p.shots("tools-invalid")
	p.write("#option-javascript-memory", "100")
	p.run(chromedp.KeyEvent("\t"))
	p.sees("Memory is 100.")
	p.open("tools", "project", "notes")
	require.Equal(t, "100", value[string](p, `document.querySelector("#option-javascript-memory").value`))
	p.click("Use the default of Memory")
	p.sees("Memory is as usual.")
	p.click("Show the definitions")
	p.sees(`"input_schema"`)
	p.shots("tools-definitions")
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
	p.shots("approvals")
	p.click("Edit")
	p.write("textarea", strings.ReplaceAll(input, "two", "three"))
	p.click("Approve with this input")
	p.sees("Approved. The call goes on.")
	p.open("files", "project", "notes", "path", "/plan.md")
	p.until(`document.querySelector(".rendered")?.textContent.includes("three")`)

	require.NotNil(t, s.call("notes", "toolu_no", "filesystem", strings.ReplaceAll(input, "one", "three")).Pending)
	p.open("calls", "project", "notes")
	p.click("Refuse filesystem")
	p.click("Refuse")
	p.sees("Refused. The model is told.")
	p.seesNot("waits for your approval")
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
}
