package browsertest

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	browsercmd "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/web"
)

// saved clicks on what saves a file of this name, and returns what it contains.
func (p *person) saved(link, name string) string {
	p.t.Helper()
	dir := p.t.TempDir()
	p.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		window, err := cdp.Call(ctx, t, target.GetTargetInfo, target.GetTargetInfoParams{})
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, t, browsercmd.SetDownloadBehavior, browsercmd.SetDownloadBehaviorParams{
			Behavior: "allow", BrowserContextID: window.TargetInfo.BrowserContextID, DownloadPath: dir})
		return err
	}))
	p.click(link)
	var data []byte
	require.Eventually(p.t, func() bool {
		data, _ = os.ReadFile(filepath.Join(dir, name))
		return len(data) > 0
	}, time.Minute, 20*time.Millisecond)
	return string(data)
}

func TestSaveFiles(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", map[string]string{"/plan.md": "one\n"})
	p := s.visit()
	require.True(t, strings.HasPrefix(p.saved("Export notes", "notes.zip"), "PK"))
	p.open("files", "project", "notes", "path", "/plan.md")
	require.Equal(t, "one\n", p.saved("Download", "plan.md"))
}

// TestFoldersAndUploads makes a folder, and puts a file into it with the button.
func TestFoldersAndUploads(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", map[string]string{"/plan.md": "one\n"})
	p := s.visit()
	p.open("files", "project", "notes")
	p.click("New folder")
	p.write("#prompt", "/data")
	p.run(chromedp.KeyEvent("\r"))
	p.click("data")
	file := filepath.Join(t.TempDir(), "list.csv")
	require.NoError(t, os.WriteFile(file, []byte("a,b\n1,2\n"), 0o644))
	p.run(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		picker, err := cdp.Call(ctx, t, runtime.Evaluate,
			runtime.EvaluateParams{Expression: `document.querySelector("input[type=file]")`})
		if err != nil {
			return err
		}
		_, err = cdp.Call(ctx, t, dom.SetFileInputFiles,
			dom.SetFileInputFilesParams{Files: []string{file}, ObjectID: picker.Result.ObjectID})
		return err
	}))
	p.sees("Uploaded 1 file to /data.")
	p.click("list.csv")
	p.until(`document.querySelectorAll("table.data tbody tr").length === 1`)
}

// TestTheEditorKeepsWhatIsWritten leaves the editor in each way, and is asked before anything is lost.
func TestTheEditorKeepsWhatIsWritten(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", map[string]string{"/plan.md": "one\n", "/other.md": "two\n"})
	p := s.visit()
	p.open("files", "project", "notes")
	p.click("other.md")
	p.until(`document.querySelector(".rendered")?.textContent.includes("two")`)
	p.click("plan.md")
	p.until(`document.querySelector(".rendered")?.textContent.includes("one")`)
	p.click("Edit")
	p.write("#text", "mine")
	kept := func(leave func()) {
		leave()
		p.sees("Leave without saving?")
		p.run(chromedp.KeyEvent("\r")) // which does not throw away what is there
		p.seesNot("Leave without saving?")
		require.Equal(t, "mine", value[string](p, `document.querySelector("#text").value`))
		p.until(`new URLSearchParams(location.search).get("path") === "/plan.md"`)
	}
	kept(func() { p.click("other.md") })
	kept(func() { p.click("New file") })
	kept(func() { p.click("Cancel") })
	kept(func() { p.run(evaluate(`history.back()`)) })
	p.write("#search", "two")
	p.run(chromedp.KeyEvent("\r"))
	kept(func() { p.click("/other.md:1") })
	p.click("/other.md:1")
	p.click("Leave")
	p.until(`document.querySelector(".lines li.found, .rendered")`)
	require.Equal(t, "/other.md", value[string](p, `document.querySelector(".filehead h2").textContent`))

	// what somebody else has written instead
	p.click("Edit")
	s.call("notes", "toolu_other", "filesystem",
		`{"command": "str_replace", "path": "/other.md", "old_str": "two", "new_str": "2"}`)
	p.write("#text", "zwei\n")
	p.click("Save")
	p.click("Take theirs")
	p.until(`document.querySelector(".rendered")?.textContent === "2"`)
}

// TestUndoneAndDoneAgain takes back a call and single changes, and does them again.
func TestUndoneAndDoneAgain(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", map[string]string{"/plan.md": "one\n"})
	s.call("notes", "toolu_edit", "filesystem",
		`{"command": "str_replace", "path": "/plan.md", "old_str": "one", "new_str": "two"}`)
	p := s.visit()
	text := func(want string) {
		t.Helper()
		require.Eventually(t, func() bool {
			return want == value[string](p,
				`fetch("/api/files/text?project=notes&path=/plan.md").then((r) => r.json()).then((file) => file.text)`)
		}, time.Minute, 20*time.Millisecond)
	}
	p.open("history", "project", "notes")
	p.click("Undo toolu_edit")
	p.until(`document.querySelector("[aria-label=toolu_edit] .badge")?.textContent === "undone"`)
	text("one\n")
	p.shots("history-undone")
	p.click("Do toolu_edit again")
	p.sees("Done again: toolu_edit")
	p.until(`!document.querySelector("[aria-label=toolu_edit] .badge")`)
	text("two\n")
	p.open("history", "project", "notes", "path", "/plan.md")
	p.click("Restore /plan.md as it was before")
	text("one\n")
	p.click("All changes")
	p.until(`location.search === "?project=notes" && document.querySelector(".group")`)
}

// TestPurge purges the history of a file, and deletes it, after being asked.
func TestPurge(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", map[string]string{"/keys.txt": "secret\n", "/plan.md": "one\n"})
	s.call("notes", "toolu_edit", "filesystem",
		`{"command": "str_replace", "path": "/keys.txt", "old_str": "secret", "new_str": "clean"}`)
	p := s.visit()
	p.open("files", "project", "notes", "path", "/keys.txt")
	p.click("History")
	p.sees("History of /keys.txt")
	p.click("Purge the history of /keys.txt")
	p.click("Cancel")
	p.sees("toolu_edit")
	p.seesNot("/keys.txt by page")
	p.click("Purge the history of /keys.txt")
	p.shots("purge")
	p.click("Purge")
	p.sees("Purged 1 version (7 bytes).")
	p.sees("what is there now")
	p.sees("/keys.txt by page")
	p.shots("purged")
	p.until(`document.querySelector("[aria-label=toolu_edit] .badge")?.textContent === "purged"`)
	p.until(`!document.querySelector("[aria-label=toolu_edit] .right button")`)
	p.click("Purge the history of /keys.txt")
	p.click("Delete what is there now, too")
	p.click("Purge")
	p.sees("and deleted it.")
	require.Equal(t, 404, value[int](p,
		`fetch("/api/files/text?project=notes&path=/keys.txt").then((r) => r.status)`))
	p.open("history", "project", "notes", "path", "/plan.md")
	p.seesNot("by page")
}

func TestCopyTheDefinitions(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", nil)
	p := s.visit()
	p.open("tools", "project", "notes")
	p.click("Show the definitions")
	p.run(evaluate(`window.copied = ""; navigator.clipboard.writeText = async (text) => { window.copied = text; }`))
	p.click("Copy")
	p.sees("Copied.")
	require.True(t, value[bool](p, `JSON.parse(window.copied).some((tool) => tool.name === "javascript")`))
}

// TestInAndOut opens the page in another browser, logs out, and logs in with a token.
func TestInAndOut(t *testing.T) {
	s := serve(t, newOptions())
	p := s.visit()
	p.click("Open elsewhere")
	p.sees("A link for another browser")
	p.shots("link")
	link := value[string](p, `document.querySelector("dialog input").value`)
	p.click("Close")
	here := s.link
	s.link = func() string { return link }
	other := s.visit()
	other.sees("There are no projects yet.")
	s.link = here
	p.click("Log out")
	p.sees("Follow the link that toolrun serve has printed.")
	p.shots("logged-out")
	other.open("")
	other.sees("There are no projects yet.") // and is still in

	// A page that only shows what others do notices that its visit has ended.
	s.project("notes", nil)
	other.open("calls", "project", "notes")
	other.post("logout", "{}", "")
	other.sees("Sign in")

	tokens := serveWith(t, newOptions(), web.Options{Token: func(r *http.Request) *web.Access {
		if r.Header.Get("Authorization") != "Bearer secret" {
			return nil
		}
		return &web.Access{Name: "ci", Role: web.Person, Project: "ci"}
	}})
	tokens.project("ci", map[string]string{"/a.txt": "a"})
	q := tokens.look()
	q.run(chromedp.Navigate(tokens.base))
	q.until(`document.querySelector("#token")`)
	q.shots("login")
	q.write("#token", "guessed")
	q.run(chromedp.KeyEvent("\r"))
	q.until(`document.querySelector("#login-error").textContent !== ""`)
	q.write("#token", "secret")
	q.run(chromedp.KeyEvent("\r"))
	q.until(`document.querySelector("tbody a")?.textContent === "ci"`)
}

// TestBackAndForward keeps the list and the call together; on a phone, the call takes the place of the list.
func TestBackAndForward(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", nil)
	for _, id := range []string{"toolu_first", "toolu_second"} {
		s.call("notes", id, "filesystem", `{"command": "create", "path": "/`+id+`.md", "file_text": "x\n"}`)
	}
	p := s.visit()
	p.open("calls", "project", "notes")
	choose := func(id string) {
		t.Helper()
		p.run(evaluate(`document.querySelector("[data-call=` + id + `]").click()`))
	}
	shown := func(id string) {
		t.Helper()
		p.until(`new URLSearchParams(location.search).get("call") === "` + id + `" &&
			document.querySelector(".filehead h2")?.textContent === "` + id + `" &&
			Array.from(document.querySelectorAll("[data-call][aria-pressed=true]"))
			.map((b) => b.dataset.call).join() === "` +
			id + `"`)
	}
	none := func() {
		t.Helper()
		p.until(`!location.search.includes("call=") &&
			!document.querySelector(".filehead h2, [data-call][aria-pressed=true]")`)
	}
	choose("toolu_first")
	shown("toolu_first")
	choose("toolu_second")
	shown("toolu_second")
	p.run(evaluate(`history.back()`))
	shown("toolu_first")
	p.run(evaluate(`history.back()`))
	none()
	p.run(evaluate(`history.forward()`))
	shown("toolu_first")

	p.run(chromedp.EmulateViewport(390, 844))
	p.open("calls", "project", "notes")
	inSight := func(selector string) string {
		return `(() => { const e = document.querySelector("` + selector +
			`"), r = e?.getBoundingClientRect(); return e?.checkVisibility() ` +
			`&& r.top >= 0 && r.bottom <= innerHeight; })()`
	}
	p.until(inSight("[data-call=toolu_first]") + ` && !document.querySelector(".only-narrow")`)
	choose("toolu_first")
	shown("toolu_first")
	p.until(inSight(".filehead h2") + ` && !` + inSight("[data-call=toolu_first]"))
	p.shot("calls-phone")
	p.accessible("calls-phone")
	p.click("← All calls")
	none()
	p.until(inSight("[data-call=toolu_first]"))
	p.run(evaluate(`history.back()`))
	shown("toolu_first")
	p.until(inSight(".filehead h2"))
}

// TestStopAndUndo stops a call of a model, and finds the mark of what was undone in the list.
func TestStopAndUndo(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", nil)
	p := s.visit()
	p.open("calls", "project", "notes")
	done := make(chan tool.Result)
	go func() {
		done <- s.call("notes", "toolu_loop", "javascript", `{"code": "await fs.writeFile('/a.md', 'a'); for (;;) {}"}`)
	}()
	p.until(`document.querySelector("[data-call=toolu_loop]")`)
	p.run(evaluate(`document.querySelector("[data-call=toolu_loop]").click()`))
	p.click("Stop")
	require.Contains(t, (<-done).Text(), "A person has stopped this call.")
	p.sees("A person has stopped this call.")

	s.call("notes", "toolu_make", "filesystem", `{"command": "create", "path": "/b.md", "file_text": "b"}`)
	p.open("calls", "project", "notes", "call", "toolu_make")
	p.click("Undo toolu_make")
	p.until(`document.querySelector("[data-call=toolu_make] .badge")?.textContent === "undone"`)
	p.click("Do toolu_make again")
	p.until(`!document.querySelector("[data-call=toolu_make] .badge")`)

	p.open("history", "project", "notes", "path", "/b.md")
	p.run(evaluate(
		`Array.from(document.querySelectorAll("button")).filter((b) => b.textContent === "Restore").at(-1).click()`,
	))
	p.sees("Delete /b.md?")
	p.click("Cancel")
	p.seesNot("Delete /b.md?")
	p.sees("created")
	require.Equal(t, 200, value[int](p, `fetch("/api/files/text?project=notes&path=/b.md").then((r) => r.status)`))
}

// TestWhatWouldBeLost approves calls with what they would replace and delete in sight.
func TestWhatWouldBeLost(t *testing.T) {
	s := serve(t, newOptions())
	s.project("notes", map[string]string{"/plan.md": "old plan\n", "/docs/one.md": "1", "/docs/two.md": "2"})
	p := s.visit()
	p.post("settings", `{"project": "notes", "changes": {"ask": {"add": ["filesystem"]}}}`, "")
	require.NotNil(t, s.call("notes", "toolu_over", "filesystem",
		`{"command": "create", "path": "/plan.md", "file_text": "new plan\n", "overwrite": true}`).Pending)
	require.NotNil(t, s.call("notes", "toolu_delete", "filesystem", `{"command": "delete", "path": "/docs"}`).Pending)
	p.post("settings", `{"project": "notes", "changes": {"options": {"add": ["filesystem.form=apply_patch"]}}}`, "")
	require.NotNil(t, s.call("notes", "toolu_patch", "apply_patch", `{"input": "*** Begin Patch\n*** Delete File: `+
		`/plan.md\n*** Delete File: /docs/one.md\n*** End Patch"}`).Pending)
	p.open("calls", "project", "notes")
	p.sees("/docs and 2 files in it would be deleted")
	p.sees("/docs/two.md")
	p.sees("2 files would be deleted")
	p.sees("*** Begin Patch\n*** Delete File: /plan.md")
	p.until(`document.querySelectorAll(".diff").length === 1 &&
		document.querySelector(".diff .was code")?.textContent === "old plan" &&
		document.querySelector(".diff .is code")?.textContent === "new plan"`)
	p.shots("approvals-lost")
}
