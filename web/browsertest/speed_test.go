package browsertest

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What people wait for, in milliseconds.
const (
	maxPaint  = 300.0
	maxAction = 100.0
)

// median says how long something took. With -full, the median must be below the limit, unless the machine is busy with
// something else.
func median(t *testing.T, what string, limit float64, took []float64) {
	t.Helper()
	slices.Sort(took)
	t.Logf("%s: median %.0f ms of %.0f", what, took[len(took)/2], took)
	if *full && !busyMachine() {
		require.Less(t, took[len(took)/2], limit, what)
	}
}

// busyMachine reports whether twice as much wants to run as can, where that is known.
func busyMachine() bool {
	data, _ := os.ReadFile("/proc/loadavg")
	load := 0.0
	_, _ = fmt.Sscan(string(data), &load)
	return load > 2*float64(runtime.NumCPU())
}

// TestSpeed opens the page in browsers that have nothing of it, and does what people do most.
func TestSpeed(t *testing.T) {
	const times = 7
	var paints []float64
	for range times {
		s := serve(t, newOptions())
		s.project("notes", map[string]string{"/plan.md": "one\n"})
		p := s.visit()
		paint := value[float64](p, `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0`)
		require.NotZero(t, paint)
		paints = append(paints, paint)
	}
	median(t, "first paint of the first page", maxPaint, paints)

	s := busy(t)
	p := s.visit()
	press := func(name string) string {
		return fmt.Sprintf(`Array.from(document.querySelectorAll("button")).find((b) => b.textContent === %q).click()`,
			name)
	}
	actions := []struct{ what, view, prepare, do, until string }{
		{"opening a file", "files", ``, `document.querySelector("[data-path='/plan.md'] .entry").click()`,
			`document.querySelector(".rendered")?.textContent.includes("two")`},
		{"opening a folder", "files", ``, `document.querySelector("[data-path='/data'] .entry").click()`,
			`document.querySelector("[data-path='/data/a.csv']")`},
		{"searching", "files", `document.querySelector("#search").value = "Plan"`, press("Search"),
			`document.querySelector(".side [role=status]")`},
		{"choosing a call", "calls", ``, `document.querySelector("[data-call=toolu_edit]").click()`,
			`document.querySelector("[aria-label=Result]")`},
		{"showing a difference", "history", ``, press("Show"), `document.querySelector(".diff .is")`},
		{"switching a tool", "tools", ``, `document.querySelector("#tool-memory").click()`,
			`document.querySelector("#says .note")`},
		{"running code", "run", `{ const c = document.querySelector("#code"); c.value = "return 6 * 7"; }`,
			press("Run"),
			`document.querySelector("[aria-label=Result]")?.textContent === "42"`},
		{"asking a question", "", ``, press("Delete"), `document.querySelector("dialog[open]")`},
	}
	for _, a := range actions {
		var took []float64
		for range times {
			if a.view == "" {
				p.open("")
			} else {
				p.open(a.view, "project", "notes")
			}
			p.run(evaluate(a.prepare))
			took = append(took, p.painted(a.what, a.do, a.until))
		}
		median(t, a.what, maxAction, took)
	}
}

// TestLargeProjectsStayUsable opens a folder of many files, and a file of many parts, which are as quick as few and
// small ones.
func TestLargeProjectsStayUsable(t *testing.T) {
	s := serve(t, newOptions())
	files := map[string]string{"/large.txt": strings.Repeat("a line of a file that is large enough\n", 30<<20/38)}
	for i := range 3000 {
		files[fmt.Sprintf("/many/file%05d.txt", i)] = ""
	}
	s.project("large", files)
	p := s.visit()
	var paints []float64
	for range 5 {
		p.open("files", "project", "large")
		paints = append(paints, value[float64](p,
			`performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0`))
	}
	median(t, "first paint", maxPaint, paints)

	p.click("many")
	p.until(`document.querySelectorAll("[role=treeitem]").length > 500`)
	p.sees("2,500 more…")
	p.click("large.txt")
	p.until(`document.querySelectorAll(".lines li").length > 1000`)
	require.Less(t, value[int](p, `document.querySelectorAll(".lines li").length`), 5000) // and not all of it
	p.click("Last part")
	p.until(`document.querySelector(".parts").textContent.includes("100 %")`)
	var actions []float64
	for range 5 {
		actions = append(actions, value[float64](p,
			`(async () => { const t = performance.now();
				await (await fetch("/api/files/text?project=large&path=/many/file00001.txt")).json();
				return performance.now() - t; })()`))
	}
	median(t, "reading a file", maxAction, actions)
}
