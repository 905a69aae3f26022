package browsertest

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// busy is a site on which each page has something to show.
func busy(t *testing.T) *site {
	s := serve(t, newOptions())
	s.project("notes", map[string]string{"/plan.md": "# Plan\n\none\n", "/data/a.csv": "a,b\n1,2\n"})
	s.call("notes", "toolu_edit", "filesystem",
		`{"command": "str_replace", "path": "/plan.md", "old_str": "one", "new_str": "two"}`)
	return s
}

var pages = [][]string{{""}, {"files", "project", "notes"}, {"files", "project", "notes", "path", "/plan.md"},
	{"files", "project", "notes", "path", "/data/a.csv"}, {"run", "project", "notes"}, {"calls", "project", "notes"},
	{"calls", "project", "notes", "call", "toolu_edit"}, {"history", "project", "notes"}, {"tools", "project", "notes"},
	{"servers"}}

// TestKeysReachEverything presses the tab key on each page: it reaches all that can be used, in the order of the page,
// and what it reaches is seen to have the focus.
func TestKeysReachEverything(t *testing.T) {
	p := busy(t).visit()
	for _, where := range pages {
		p.open(where[0], where[1:]...)
		n := value[int](p, `(() => {
			const all = Array.from(
				document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']"));
			window.reachable = all.filter((e) => !e.disabled && e.tabIndex >= 0 &&
				e.checkVisibility({checkVisibilityCSS: true}));
			document.activeElement.blur();
			return window.reachable.length;
		})()`)
		require.Greater(t, n, 4, where)
		p.run(evaluate(`window.scrollTo(0, 0)`))
		for i := range n {
			p.run(chromedp.KeyEvent("\t"))
			problem := value[string](p, fmt.Sprintf(`(() => {
				const is = document.activeElement, want = window.reachable[%d];
				if (is !== want) return "at " + is.outerHTML.slice(0, 100) + ", not at " + want.outerHTML.slice(0, 100);
				const marked = is.matches("[role=treeitem]") ? is.querySelector(".entry") : is;
				const style = getComputedStyle(marked), box = is.getBoundingClientRect();
				if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 1)
			return "no mark of the focus: " + is.outerHTML.slice(0, 100);
				if (box.bottom < 0 || box.top > innerHeight) return "out of sight: " + is.outerHTML.slice(0, 100);
				return "";
			})()`, i))
			require.Empty(t, problem, "%v: tab %d", where, i)
		}
	}
}

// TestNothingMoves opens each page in windows of several widths. What is shown once keeps its place.
func TestNothingMoves(t *testing.T) {
	p := busy(t).visit()
	const moved = `new Promise((done) => new PerformanceObserver((list) => done(list.getEntries().map((e) =>
		e.value.toFixed(4) + " " +
			e.sources.map((s) => (s.node?.outerHTML ?? s.node?.textContent ?? "").slice(0, 80)).join(" and "))))
		.observe({type: "layout-shift", buffered: true}) ?? setTimeout(() => done([]), 200))`
	for _, width := range []int64{360, 1280, 2560} {
		p.run(chromedp.EmulateViewport(width, 860))
		for _, where := range pages {
			p.open(where[0], where[1:]...)
			require.Empty(t, value[[]string](p, moved), "%v, %d wide", where, width)
		}
	}
	t.Run("what moves is found", func(t *testing.T) { // the control
		p.run(evaluate(
			`document.querySelector("main").prepend(
				Object.assign(document.createElement("pre"), {textContent: "\n".repeat(20)}))`,
		))
		require.NotEmpty(t, value[[]string](p, moved))
	})
}
