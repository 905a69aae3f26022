package browsertest

import (
	"bufio"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/pgtest"
)

// post calls an operation of the API as the page does, and returns a field of the answer.
func (p *person) post(path, body, field string) string {
	p.t.Helper()
	return value[string](p, fmt.Sprintf(`fetch("/api/%s", {method: "POST", body: JSON.stringify(%s),
		headers: {"Content-Type": "application/json",
		"X-Toolrun-CSRF": document.querySelector("meta[name=csrf]").content}})
		.then((r) => r.json()).then((answer) => String(answer[%q] ?? JSON.stringify(answer)))`, path, body, field))
}

// replica starts the command with a place for the projects.
func replica(t *testing.T, program, data string) *site {
	cmd := exec.Command(program, "serve", "localhost:0", "--data", data)
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+enginetest.CacheDir(), "HOME="+t.TempDir())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		require.NoError(t, cmd.Wait())
	})
	link, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	link = strings.TrimSpace(link)
	u, err := url.Parse(link)
	require.NoError(t, err)
	return &site{t: t, base: "http://" + u.Host, link: func() string { return link }}
}

// TestReplicas looks at one project of a database through two processes: each shows what the other changes, as it
// happens.
func TestReplicas(t *testing.T) {
	data := pgtest.StartFor(t).Base(0)
	program := filepath.Join(t.TempDir(), "toolrun")
	build := exec.Command("go", "build", "-o", program, "./cmd/toolrun")
	build.Dir = filepath.Join("..", "..")
	text, err := build.CombinedOutput()
	require.NoError(t, err, string(text))
	one := replica(t, program, data).visit()
	two := replica(t, program, data).visit()
	one.post("projects", `{project: "shared"}`, "name")
	one.open("files", "project", "shared")
	two.open("files", "project", "shared")

	// files
	one.post("files/save", `{project: "shared", path: "/plan.md", text: "one\n", version: ""}`, "path")
	two.until(`document.querySelector("[data-path='/plan.md']")`)
	two.click("plan.md")
	two.until(`document.querySelector(".rendered")?.textContent.includes("one")`)
	version := value[string](one,
		`fetch("/api/files/text?project=shared&path=/plan.md").then((r) => r.json()).then((file) => file.version)`)
	one.post("files/save", fmt.Sprintf(`{project: "shared", path: "/plan.md", text: "two\n", version: %q}`, version),
		"path")
	two.until(`document.querySelector(".rendered")?.textContent.includes("two")`)

	// calls
	two.open("calls", "project", "shared")
	call := one.post("calls",
		`{project: "shared", tool: "javascript", input: {code: "await fs.writeFile('/made.txt', 'x')"}}`, "call")
	two.until(fmt.Sprintf(`document.querySelector("[data-call='%s']")`, call))
	two.sees("another process")
	endless := one.post("calls",
		`{project: "shared", tool: "javascript", input: {code: "await new Promise((f) => setTimeout(f, 1e6))"},
			seconds: 600}`, "call")
	two.open("calls", "project", "shared", "call", endless)
	two.click("Stop")
	two.sees("A person has stopped this call.")
	one.open("calls", "project", "shared", "call", endless)
	one.sees("A person has stopped this call.")

	// files that were deleted with a folder that exists again
	one.post("files/save", `{project: "shared", path: "/folder/gone.txt", text: "gone", version: ""}`, "path")
	one.post("files/delete", `{project: "shared", path: "/folder"}`, "call")
	one.post("files/folder", `{project: "shared", path: "/folder"}`, "path")
	one.open("history", "project", "shared")
	one.click("Deleted files")
	one.click("Restore /folder/gone.txt as it was before")
	one.sees("Restored /folder/gone.txt.")
	one.sees("No deleted files can be restored.")

	// approvals: a call of code waits in one process, and is approved in the other
	one.open("tools", "project", "shared")
	one.until(`document.querySelector("#tool-filesystem-ask")`)
	one.run(evaluate(`document.querySelector("#tool-filesystem-ask").click()`))
	one.sees("wait for approval")
	one.run(evaluate(`document.querySelector("#option-javascript-toolCalls").click()`))
	one.sees("Tool calls: on.")
	one.open("calls", "project", "shared")
	one.post("calls",
		`{project: "shared", tool: "javascript",
			input: {code: "await tools.filesystem({command: 'create', path: '/approved.txt', file_text: 'yes'})"}}`,
		"call")
	two.sees("1 call waits for your approval")
	one.sees("1 call waits for your approval")
	two.click("Approve filesystem")
	two.sees("Approved. The call goes on.")
	one.seesNot("waits for your approval")

	// one that is refused changes no file, and is seen all the same
	one.post("calls",
		`{project: "shared", tool: "javascript",
			input: {code: "await tools.filesystem({command: 'create', path: '/refused.txt', file_text: 'no'})"}}`,
		"call")
	two.sees("1 call waits for your approval")
	one.sees("1 call waits for your approval")
	two.click("Refuse filesystem")
	two.click("Refuse")
	two.sees("Refused. The model is told.")
	one.seesNot("waits for your approval")
	one.open("files", "project", "shared", "path", "/approved.txt")
	one.until(`document.querySelector(".lines")?.textContent === "yes"`)
}
