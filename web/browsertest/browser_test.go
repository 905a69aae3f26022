package browsertest

import (
	"context"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/web"
)

var (
	browser     context.Context // with a Chromium, or nil
	engine      *enginetest.Engine
	screenshots string
)

func TestMain(m *testing.M) {
	os.Exit(run(m))
}

var writeDocs = flag.Bool("docs", false, "write the pictures of docs/page.md")

func run(m *testing.M) int {
	flag.Parse()
	name := ""
	for _, candidate := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(candidate); err == nil && name == "" {
			name = found
		}
	}
	if name == "" {
		fmt.Println("NO CHROMIUM: the tests in a browser are left out")
		return 0
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(name), chromedp.NoSandbox,
		chromedp.Flag("disable-background-networking", true), chromedp.WindowSize(1280, 860))
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	defer stop()
	var cancel context.CancelFunc
	browser, cancel = chromedp.NewContext(allocator)
	defer cancel()
	if err := chromedp.Do(browser); err != nil {
		fmt.Println("Chromium does not start:", err)
		return 1
	}
	if screenshots = os.Getenv("TOOLRUN_SCREENSHOTS"); screenshots == "" {
		screenshots = filepath.Join(os.TempDir(), "toolrun-screenshots")
	}
	if err := os.MkdirAll(screenshots, 0o755); err != nil {
		fmt.Println(err)
		return 1
	}
	engine = enginetest.New(sandbox.EngineOptions{})
	defer engine.Close(context.Background())
	return m.Run()
}

// A site is a page with a runner of its own.
type site struct {
	t      *testing.T
	runner *toolrun.Runner
	server *web.Server
	base   string
	link   func() string // makes a link for one window
	sent   *atomic.Int64 // bytes of the bodies of answers
}

func serve(t *testing.T, options toolrun.Options) *site { return serveWith(t, options, web.Options{}) }

func serveWith(t *testing.T, options toolrun.Options, page web.Options) *site {
	options.Engine, options.DataDir, options.NoteCalls = engine.Engine(), t.TempDir(), true
	runner, err := toolrun.Open(t.Context(), &options)
	require.NoError(t, err)
	page.Version = "test"
	server, err := web.New(runner, &page)
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	counts := &counted{Handler: server}
	httpServer := &http.Server{Handler: counts, ReadHeaderTimeout: time.Minute}
	go func() { _ = httpServer.Serve(listener) }()
	base := "http://" + listener.Addr().String()
	s := &site{t, runner, server, base, func() string { return server.Link(base) }, &counts.bytes}
	t.Cleanup(func() {
		require.NoError(t, server.Shutdown(context.Background()))
		require.NoError(t, httpServer.Close())
		require.NoError(t, runner.Close())
	})
	return s
}

// project makes a project with files, as calls of a model would.
func (s *site) project(id string, files map[string]string) {
	p, err := s.runner.Store().Open(s.t.Context(), id)
	require.NoError(s.t, err)
	defer p.Close()
	call := p.WithCall("toolu_begin")
	defer call.EndCall()
	for name, text := range files {
		require.NoError(s.t, vfs.WriteFile(s.t.Context(), call, name, []byte(text)))
	}
}

// call makes a call as a model does, beside the page.
func (s *site) call(project, id, name, input string) tool.Result {
	session, err := s.runner.Session(s.t.Context(), project, nil)
	require.NoError(s.t, err)
	defer session.Close()
	results, err := session.DispatchAll(s.t.Context(), []tool.Call{{ID: id, Tool: name, Input: []byte(input)}})
	require.NoError(s.t, err)
	return results[0]
}

// A person is somebody at a window.
type person struct {
	t    *testing.T
	site *site
	ctx  context.Context

	mu       sync.Mutex
	problems []string
}

// visit opens a window, with cookies of its own, by a link.
func (s *site) visit() *person {
	p := s.look()
	p.run(chromedp.Navigate(s.link()))
	p.until(`location.pathname === "/" && document.body?.dataset.ready === "yes"`)
	return p
}

// look opens an empty window, with cookies of its own.
func (s *site) look() *person {
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	ctx, stop := context.WithTimeout(ctx, 10*time.Minute)
	p := &person{t: s.t, site: s, ctx: ctx}
	s.t.Cleanup(func() {
		stop()
		cancel()
		p.mu.Lock()
		defer p.mu.Unlock()
		require.Empty(s.t, p.problems, "what the browser complains of")
	})
	complain := func(problem string) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.problems = append(p.problems, problem)
	}
	listen(p, runtime.ExceptionThrown, func(e runtime.EventExceptionThrown) {
		complain(fmt.Sprintf("exception: %s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
	})
	listen(p, runtime.ConsoleAPICalled, func(e runtime.EventConsoleAPICalled) {
		if e.Type == "error" || e.Type == "warning" {
			complain(fmt.Sprintf("console: %s", e.Args[0].Value))
		}
	})
	listen(p, log.EntryAdded, func(e log.EventEntryAdded) {
		// That an answer is an error is not one of the page: it shows what is wrong.
		if e.Entry.Level == "error" && e.Entry.Source != "network" {
			complain("log: " + e.Entry.Text)
		}
	})
	listen(p, network.RequestWillBeSent, func(e network.EventRequestWillBeSent) {
		if !strings.HasPrefix(e.Request.URL, s.base+"/") {
			complain("a request to " + e.Request.URL)
		}
	})
	listen(p, page.JavascriptDialogOpening, func(e page.EventJavascriptDialogOpening) {
		complain("a script ran: " + e.Message)
	})
	p.run(command(network.Enable, network.EnableParams{}), command(log.Enable, cdp.Empty{}),
		command(page.Enable, page.EnableParams{}))
	return p
}

// listen calls do with each event, until the window is closed.
func listen[E any](p *person, event cdp.Event[E], do func(E)) {
	events := chromedp.Events(p.ctx, event)
	go func() {
		for e, err := range events {
			if err != nil {
				return
			}
			do(e)
		}
	}()
}

// command is an action that sends a command of the protocol.
func command[P, R any](c cdp.Command[P, R], parameters P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, c, parameters)
		return err
	})
}

func (p *person) run(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	require.NoError(p.t, chromedp.Do(p.ctx, actions...))
}

// evaluate is an action that runs a script.
func evaluate(expression string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](expression)
}

// until waits until an expression is true.
func (p *person) until(expression string) {
	p.t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		// which fails while a page is left
		is, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if is {
			return
		}
		if time.Now().After(end) || p.ctx.Err() != nil {
			text, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string]("document.body.innerText"))
			p.shot("failed")
			require.Fail(p.t, "never", "%s: %v\n%s", expression, err, text)
		}
		time.Sleep(20 * time.Millisecond) // polling is what browsers are waited for by
	}
}

// sees waits until a text is seen.
func (p *person) sees(text string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`document.body.innerText.includes(%q)`, text))
}

func (p *person) seesNot(text string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`!document.body.innerText.includes(%q)`, text))
}

// value returns the value of an expression.
func value[T any](p *person, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(p.t, err)
	return v
}

// open goes to a page.
func (p *person) open(view string, pairs ...string) {
	p.t.Helper()
	query := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		query.Set(pairs[i], pairs[i+1])
	}
	p.run(chromedp.Navigate(p.site.base + "/" + view + "?" + query.Encode()))
	p.until(`document.body?.dataset.ready === "yes"`)
}

// click clicks on what has this name: a button, a link, or an entry of a tree.
func (p *person) click(name string) {
	p.t.Helper()
	find := fmt.Sprintf(`(() => {
		const name = %q;
		const dialog = document.querySelector("dialog[open]");
		const all = Array.from((dialog ?? document).querySelectorAll(
		"button, a, [role=treeitem] > .entry, summary, input, label, select"));
		const of = (e) => (e.getAttribute("aria-label") ??
		e.closest("[role=treeitem]")?.querySelector(".name")?.textContent ?? e.textContent).trim();
		const found = all.filter((e) => of(e) === name && e.checkVisibility());
		const meant = found.find((e) => e.closest("main, dialog, #says")) ?? found[0] ?? null;
		return meant?.disabled ? null : meant; // not the link of the same name, while the button is disabled
	})()`, name)
	var at []float64
	for at == nil { // a list that is drawn again has nothing for a moment
		p.until(find + " !== null")
		at = value[[]float64](p, `(() => {
			const e = `+find+`;
			if (e === null) return null;
			e.scrollIntoView({block: "center", behavior: "instant"});
			const r = e.getBoundingClientRect();
			return [r.x + Math.min(r.width / 2, 60), r.y + r.height / 2];
		})()`)
	}
	p.run(chromedp.MouseClickXY(at[0], at[1]))
}

// write replaces the text of a field, by keys.
func (p *person) write(selector, text string) {
	p.t.Helper()
	p.until(fmt.Sprintf("document.querySelector(%q)", selector))
	p.run(evaluate(fmt.Sprintf("{ const e = document.querySelector(%q); e.focus(); e.select(); }", selector)),
		chromedp.KeyEvent(kb.Delete))
	if text != "" {
		p.run(evaluate(fmt.Sprintf("document.execCommand('insertText', false, %q)", text)))
	}
}

// A look is how a page is shown.
type look struct {
	name          string
	width, height int64
	dark          bool
}

var looks = []look{
	{"light", 1280, 860, false}, {"dark", 1280, 860, true}, {"narrow", 360, 740, false}, {"wide", 2560, 1200, true},
}

// shots keeps screenshots of what is there in each look, and checks what must hold in all of them.
func (p *person) shots(name string) {
	p.t.Helper()
	p.shotsAt(name, "")
}

// shotsAt does the same with what a selector finds at the top, if it is not empty.
func (p *person) shotsAt(name, selector string) {
	p.t.Helper()
	for _, l := range looks {
		scheme := "light"
		if l.dark {
			scheme = "dark"
		}
		p.run(chromedp.EmulateViewport(l.width, l.height), command(emulation.SetEmulatedMedia,
			emulation.SetEmulatedMediaParams{
				Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}))
		require.Equal(p.t, l.dark, value[bool](p,
			`new Promise((done) => requestAnimationFrame(
				() => requestAnimationFrame(() => done(matchMedia("(prefers-color-scheme: dark)").matches))))`))
		if selector != "" {
			p.run(evaluate(fmt.Sprintf(
				`document.querySelector(%q).scrollIntoView({block: "start", behavior: "instant"})`, selector)))
		}
		p.shot(name + "-" + l.name)
		p.accessible(name + "-" + l.name)
	}
	p.run(chromedp.EmulateViewport(1280, 860))
}

func (p *person) shot(name string) {
	if data, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot()); err == nil {
		_ = os.WriteFile(filepath.Join(screenshots, name+".png"), data, 0o644)
	}
}
