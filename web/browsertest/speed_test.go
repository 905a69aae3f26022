package browsertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLargeProjectsStayUsable opens a folder of many files, and a file of many parts, and says how long pages and actions
// take.
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
		paints = append(paints, value[float64](p, `performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0`))
	}
	slices.Sort(paints)
	require.NotZero(t, paints[0])
	t.Logf("first paint: median %.0f ms of %v", paints[2], paints)

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
		actions = append(actions, value[float64](p, `(async () => { const t = performance.now(); await (await fetch("/api/files/text?project=large&path=/many/file00001.txt")).json(); return performance.now() - t; })()`))
	}
	slices.Sort(actions)
	t.Logf("an action: median %.1f ms of %v", actions[2], actions)
}
