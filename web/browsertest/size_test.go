package browsertest

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/heapprofiler"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/tool"
)

// full is for the sizes that the page must stay usable at. Smaller ones find the same mistakes most of the time.
var full = flag.Bool("full", false, "tests of large things have their full sizes")

func sized(small, whole int) int {
	if *full {
		return whole
	}
	return small
}

// heap is how many bytes of JavaScript a window uses, without garbage.
func (p *person) heap() int {
	p.t.Helper()
	p.run(command(heapprofiler.CollectGarbage, cdp.Empty{}))
	return value[int](p, `performance.memory.usedJSHeapSize`)
}

// serverHeap is how many bytes the server, which is this process, uses, without garbage.
func serverHeap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// painted does something in the window, waits until a condition is true and painted, and says how long it took. Frames
// come by themselves, so nothing waits for the test.
func (p *person) painted(what, do, until string) float64 {
	p.t.Helper()
	took := value[float64](p, `new Promise((done) => {
		const begin = performance.now();
		`+do+`;
		const look = () => (`+
		until+`) ? requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)))
			: requestAnimationFrame(look);
		look();
	})`)
	p.t.Logf("%s: %.0f ms", what, took)
	return took
}

// counted counts the bytes of answers of the API.
type counted struct {
	http.Handler
	bytes atomic.Int64
}

type countedWriter struct {
	http.ResponseWriter
	bytes *atomic.Int64
}

func (w countedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w countedWriter) Write(data []byte) (int, error) {
	w.bytes.Add(int64(len(data)))
	return w.ResponseWriter.Write(data)
}

func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.Handler.ServeHTTP(countedWriter{w, &c.bytes}, r)
}

// TestManyFiles finds, opens and scrolls among the files of one folder.
func TestManyFiles(t *testing.T) {
	n := sized(2500, 9990)
	s := serve(t, newOptions())
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf("/file%05d.txt", i)] = fmt.Sprintf("content %d\n", i)
	}
	s.project("many", files)
	p := s.visit()
	before := p.heap()
	p.open("files", "project", "many")
	p.until(`document.querySelectorAll("[role=treeitem]").length === 500`)
	last := fmt.Sprintf("/file%05d.txt", n-1)
	p.write("#search", strings.TrimPrefix(last, "/"))
	p.painted("finding one of many files", `document.querySelector("[role=search]").requestSubmit()`,
		`document.body.innerText.includes("1 match")`)
	p.click(last)
	p.until(`document.querySelector(".lines")?.textContent === "content ` + fmt.Sprint(n-1) + `"`)
	p.click("Back to all files")
	for shown := 500; shown < n; shown = min(n, shown+500) { // all of them, if somebody wants to
		p.painted(fmt.Sprintf("500 more files than %d", shown),
			`Array.from(document.querySelectorAll(".tree button")).at(-1).click()`,
			fmt.Sprintf(`document.querySelectorAll("[role=treeitem]").length === %d`, min(n, shown+500)))
	}
	p.painted("scrolling to the end", `document.querySelector("[role=treeitem]:last-of-type").scrollIntoView()`, `true`)
	p.painted("a key in the tree", `document.querySelector("[role=treeitem]:last-of-type").focus();
		document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "Home", bubbles: true}))`,
		`document.activeElement.dataset.path === "/file00000.txt"`)
	p.click("file00003.txt")
	p.until(`document.querySelector(".lines")?.textContent === "content 3"`)
	used := p.heap() - before
	t.Logf("%d files in the tree take %d KiB of JavaScript, and %d elements", n, used>>10, value[int](p,
		`document.querySelectorAll("*").length`))
	require.Less(t, used, 64<<20)
	require.Less(t, value[int](p, `document.querySelectorAll("*").length`), 8*n+1000)
	// What others do is seen, and the tree is not as large again for it.
	s.call("many", "toolu_new", "javascript", `{"code": "await fs.writeFile('/a-new-one.txt', 'x')"}`)
	p.until(`document.querySelector("[data-path='/a-new-one.txt']")`)
}

// TestALargeFile shows parts of a file, and transfers little more than those.
func TestALargeFile(t *testing.T) {
	size := sized(8<<20, 30<<20)
	const line = "a line of a file that is large enough\n"
	s := serve(t, newOptions())
	s.project("large", map[string]string{"/large.txt": strings.Repeat(line, size/len(line))})
	p := s.visit()
	s.sent.Store(0)
	p.open("files", "project", "large", "path", "/large.txt")
	p.until(`document.querySelectorAll(".lines li").length > 1000`)
	part := int(s.sent.Load())
	require.Less(t, part, 1<<20, "the file is not loaded whole")
	p.painted("the last part",
		`Array.from(document.querySelectorAll(".parts button")).find((b) => b.textContent === "Last part").click()`,
		`document.querySelector(".parts").textContent.includes("100 %")`)
	require.Equal(t, fmt.Sprint(size/len(line)), value[string](p,
		`document.querySelector(".lines li:last-child").dataset.n`))
	p.painted("the part before it",
		`Array.from(document.querySelectorAll(".parts button")).find((b) => b.textContent === "Previous").click()`,
		`!document.querySelector(".parts").textContent.includes("100 %")`)
	p.painted("the first part",
		`Array.from(document.querySelectorAll(".parts button")).find((b) => b.textContent === "First part").click()`,
		`document.querySelector(".lines li").dataset.n === "1"`)
	end := 0
	for range 3 { // parts follow each other
		p.until(fmt.Sprintf(`Number(document.querySelector(".lines li").dataset.n) === %d`, end+1))
		end = value[int](p, `Number(document.querySelector(".lines li:last-child").dataset.n)`)
		p.click("Next")
	}
	p.until(fmt.Sprintf(`Number(document.querySelector(".lines li").dataset.n) === %d`, end+1))
	require.Less(t, int(s.sent.Load()), 3<<20)
	require.Less(t, value[int](p, `document.querySelectorAll(".lines li").length`), 5000)
	t.Logf("of %d bytes, %d were sent for the page with the first part, and %d in all", size, part, s.sent.Load())
}

// TestManyCalls opens the list of many calls, reaches the oldest, and sees a new one.
func TestManyCalls(t *testing.T) {
	n := sized(5000, 99_990) // the log keeps 100,000
	one := tool.Func(tool.Spec{Name: "note", Description: "Notes something."},
		func(_ context.Context, in struct{ N int }, _ tool.Env) (string, error) {
			return fmt.Sprint("noted ", in.N), nil
		})
	s := serve(t, toolrun.Options{Tools: []tool.Tool{one}})
	s.project("busy", map[string]string{"/a.txt": "a"})
	p := s.visit()
	before := serverHeap()
	session, err := s.runner.Session(t.Context(), "busy", nil)
	require.NoError(t, err)
	defer session.Close()
	for i := 0; i < n; {
		var calls []tool.Call
		for ; len(calls) < 100 && i < n; i++ {
			calls = append(calls, tool.Call{ID: fmt.Sprintf("toolu_%06d", i), Tool: "note", Input: fmt.Appendf(nil,
				`{"N": %d}`, i)})
		}
		_, err := session.DispatchAll(t.Context(), calls)
		require.NoError(t, err)
	}
	used := serverHeap() - before
	t.Logf("%d calls take %d MiB of the server", n, used>>20)
	require.Less(t, used, 160<<20)
	p.open("calls", "project", "busy")
	p.until(`document.querySelectorAll("[data-call]").length === 100`)
	heap := p.heap()
	var clicks []float64
	for range 5 {
		clicks = append(clicks, value[float64](p,
			`(async () => { const t = performance.now(); await (await fetch("/api/calls?project=busy")).json();
				return performance.now() - t; })()`))
	}
	slices.Sort(clicks)
	t.Logf("the latest calls: median %.1f ms of %v", clicks[2], clicks)
	p.painted("older calls",
		`Array.from(document.querySelectorAll("button")).find((b) => b.textContent === "Older").click()`,
		`document.querySelector("button[data-call]").dataset.call !== "`+value[string](p,
			`document.querySelector("button[data-call]").dataset.call`)+
			`" && document.querySelectorAll("[data-call]").length === 100`)
	older := value[string](p, `document.querySelector("button[data-call]").dataset.call`)
	// The list is read once at a time, so what has been read before something newer is drawn if it is drawn at all.
	p.run(evaluate(`{
		const fetch = window.fetch;
		window.latest = [];
		window.fetch = async (...request) => {
			const answer = await fetch(...request);
			if (String(request[0]).startsWith("/api/calls?")) answer.clone().json().then(
				({calls}) => window.latest.push(calls[0]?.call));
			return answer;
		};
	}`))
	for _, id := range []string{"toolu_new", "toolu_newer"} {
		s.call("busy", id, "note", `{"N": 1}`)
		p.until(fmt.Sprintf("window.latest.includes(%q)", id))
	}
	require.Equal(t, older, value[string](p, `document.querySelector("button[data-call]").dataset.call`),
		"older calls stay where they are")
	p.painted("the newest calls",
		`Array.from(document.querySelectorAll("button")).find((b) => b.textContent === "Newest").click()`,
		`document.querySelector("[data-call=toolu_newer]")`)
	s.call("busy", "toolu_live", "note", `{"N": 2}`)
	p.until(`document.querySelector("[data-call=toolu_live]")`)
	p.run(evaluate(`{ // who turns while the list is read
		const fetch = window.fetch;
		window.button = (name) => Array.from(document.querySelectorAll("button")).find((b) => b.textContent === name);
		window.fetch = (...request) => {
			if (String(request[0]).startsWith("/api/calls?")) {
				window.fetch = fetch;
				button("Older").click();
			}
			return fetch(...request);
		};
	}`))
	s.call("busy", "toolu_turned", "note", `{"N": 3}`)
	p.until(`!button("Newest").disabled && !document.querySelector("[data-call=toolu_turned]")`)
	oldest := fmt.Sprintf("toolu_%06d", 0)
	require.Equal(t, oldest, value[string](p,
		fmt.Sprintf(`(async () => (await (await fetch("/api/calls?project=busy&limit=10&offset=%d")).json(`+
			`)).calls.find((c) => c.call === %q)?.call ?? "none")()`,
			n-5, oldest)))
	p.open("calls", "project", "busy", "call", oldest)
	p.sees("noted 0")
	require.Less(t, p.heap(), heap+16<<20)
}

// TestMuchOutput has code print as much as it can for some seconds, while somebody types.
func TestMuchOutput(t *testing.T) {
	seconds := sized(3, 10)
	s := serve(t, newOptions())
	s.project("loud", nil)
	p := s.visit()
	p.open("run", "project", "loud")
	before, server := p.heap(), serverHeap()
	p.write("#code",
		`const line = "x".repeat(9999); for (;;) { for (let i = 0; i < 100; i++) console.log(line);
			await new Promise((done) => setTimeout(done, 80)); }`)
	p.click("Run")
	p.until(`document.querySelector("[role=log]")?.textContent.length > 100000`)
	// How late timers are is how long a key would wait for its letter.
	p.run(evaluate(
		`window.late = []; window.tick = setInterval(() => { const t = performance.now();
			if (window.lastTick) window.late.push(t - window.lastTick - 20); window.lastTick = t; }, 20)`,
	))
	typed := ""
	for begun := time.Now(); time.Since(begun) < time.Duration(seconds)*time.Second; {
		p.run(evaluate(`document.querySelector("#session").focus()`), chromedp.KeyEvent("a"))
		typed += "a"
	}
	p.until(fmt.Sprintf(`document.querySelector("#session").value.length === %d`, len(typed)))
	late := value[[]float64](p, `(clearInterval(window.tick), window.late)`)
	slices.Sort(late)
	t.Logf("during output: %d keys; timers are late by %.0f ms (median), %.0f ms (worst)", len(typed),
		late[len(late)/2], late[len(late)-1])
	require.LessOrEqual(t, value[int](p, `document.querySelector("[role=log]").textContent.length`), 600<<10)
	used := p.heap() - before
	t.Logf("the window has %d KiB more, and the server %d KiB", used>>10, (serverHeap()-server)>>10)
	require.Less(t, used, 32<<20)
	require.Less(t, serverHeap()-server, 128<<20)
	p.painted("stopping", `document.querySelector("#stop").click()`, `!document.querySelector("#run").disabled`)
	p.until(`document.querySelector(".facts")`)
	printed := value[[]float64](p, `(async () => {
		const {calls} = await (await fetch("/api/calls?project=loud")).json();
		const call = await (await fetch("/api/calls/one?project=loud&call=" + calls[0].call)).json();
		return [call.dropped + call.console.reduce((sum, line) => sum + line.text.length, 0), call.milliseconds];
	})()`)
	t.Logf("%.1f MB were printed, %.1f MB/s", printed[0]/1e6, printed[0]/1e3/printed[1])
}

// TestMuchOutputOfATool has a tool print 10 MB/s, which is more than the sandbox lets code print, while a call is
// looked at.
func TestMuchOutputOfATool(t *testing.T) {
	seconds := sized(3, 10)
	one := tool.Func(tool.Spec{Name: "print", Description: "Prints."}, func(ctx context.Context, _ struct{},
		env tool.Env) (string, error) {
		text := strings.Repeat("x", 99) + "\n"
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			for range 1000 { // 100 KB each time
				env.Print(tool.ConsoleEntry{Level: "LOG", Text: text})
			}
			select {
			case <-ctx.Done():
				return "", ctx.Err()
			case <-tick.C:
			}
		}
	})
	s := serve(t, toolrun.Options{Tools: []tool.Tool{one}})
	s.project("loud", nil)
	p := s.visit()
	p.open("run", "project", "loud")
	server := serverHeap()
	call := p.post("calls", `{project: "loud", tool: "print", input: {}, seconds: 3600}`, "call")
	p.open("calls", "project", "loud", "call", call)
	p.until(`document.querySelector("[role=log]")?.textContent.length > 100000`)
	before := p.heap()
	p.run(evaluate(
		`window.late = []; window.tick = setInterval(() => { const t = performance.now();
			if (window.lastTick) window.late.push(t - window.lastTick - 20); window.lastTick = t; }, 20)`,
	))
	p.run(evaluate(fmt.Sprintf(`setTimeout(() => { clearInterval(window.tick); window.ended = true; }, %d)`,
		seconds*1000)))
	p.until(`window.ended`)
	late := value[[]float64](p, `window.late`)
	slices.Sort(late)
	t.Logf("during output, timers are late by %.0f ms (median), %.0f ms (worst)", late[len(late)/2], late[len(late)-1])
	printed := value[[]float64](p, `(async () => {
		const call = await (await fetch("/api/calls/one?project=loud&call=`+call+`")).json();
		return [call.dropped + call.console.reduce((sum, line) => sum + line.text.length, 0), call.milliseconds];
	})()`)
	t.Logf("%.0f MB were printed, %.1f MB/s", printed[0]/1e6, printed[0]/1e3/printed[1])
	used := p.heap() - before
	t.Logf("the window has %d KiB more, and the server %d KiB", used>>10, (serverHeap()-server)>>10)
	require.Less(t, used, 32<<20)
	require.Less(t, serverHeap()-server, 64<<20)
	p.painted(
		"stopping", `Array.from(document.querySelectorAll("button")).find((b) => b.textContent === "Stop").click()`,
		`!document.querySelector(".state-running")`,
	)
}
