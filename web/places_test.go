package web_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/test/race"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/web"
)

// counted counts what is read.
type counted struct {
	io.Reader
	n atomic.Int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// endless is JSON without an end.
type endless struct{ unit string }

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.unit[i%len(e.unit)]
	}
	return len(p), nil
}

// holders are tokens by their names.
func holders(names ...string) web.Options {
	access := map[string]*web.Access{}
	for _, name := range names {
		access["Bearer "+name] = &web.Access{Name: name, Role: web.Person, Project: name}
	}
	return web.Options{Token: func(r *http.Request) *web.Access { return access[r.Header.Get("Authorization")] }}
}

// as makes a request that of a program with a token.
func as(token string) func(r *http.Request) {
	return func(r *http.Request) {
		for _, name := range []string{"Cookie", "X-Toolrun-CSRF", "Origin", "Sec-Fetch-Site"} {
			r.Header.Del(name)
		}
		r.Header.Set("Authorization", "Bearer "+token)
	}
}

// TestEachOperationBoundsItsBody sends each operation, as the description has them, what must not be read to its end or
// decoded: also to those that are added later.
func TestEachOperationBoundsItsBody(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	operations := 0
	for path, methods := range describe(b).Paths {
		o, posts := methods["post"]
		if !posts {
			continue
		}
		if _, bytes := o.RequestBody.Content["application/octet-stream"]; bytes {
			continue
		}
		operations++
		most := int64(2<<20 + 64<<10)
		if path == "/api/login" {
			most = 4 << 10
		}
		for name, unit := range map[string]string{"text": "xxxxxxxx", "arrays": "[],", "depth": "[[[["} {
			head := map[string]string{"text": `{"project":"`, "arrays": `{"input":[`, "depth": `{"input":[`}[name]
			body := &counted{Reader: io.MultiReader(strings.NewReader(head), endless{unit})}
			w := b.do("POST", path, body, nil)
			require.Equal(t, 413, w.Code, "%s %s: %s", path, name, w.Body.String())
			require.LessOrEqual(t, body.n.Load(), most+4<<10, path)
			// What says how large it is, is not read.
			body = &counted{Reader: endless{unit}}
			w = b.do("POST", path, body, func(r *http.Request) { r.ContentLength = most + 1 })
			require.Equal(t, 413, w.Code, path)
			require.Zero(t, body.n.Load(), path)
		}
		if path == "/api/login" {
			continue
		}
		arrays := `{"input":{"a":[` + strings.Repeat("[],", 20_000) + `[]]}}`
		require.Contains(t, []int{413}, b.do("POST", path, strings.NewReader(arrays), nil).Code, path)
		deep := `{"input":{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}}`
		require.Equal(t, 413, b.do("POST", path, strings.NewReader(deep), nil).Code, path)
		w := b.do("POST", path, strings.NewReader("{}"), func(r *http.Request) {
			r.Header.Set("Content-Encoding", "gzip")
		})
		require.Equal(t, 415, w.Code, path)
		long := b.do("POST", path, strings.NewReader(`{"`+strings.Repeat("x", 50<<10)+`":1}`), nil)
		require.Equal(t, 400, long.Code, path)
		require.Less(t, long.Body.Len(), 1000, "%s: the answer repeats the request", path)
	}
	require.Greater(t, operations, 15)
	for _, query := range []string{strings.Repeat("a&", 100), "x=" + strings.Repeat("x", 20_000)} {
		for _, path := range []string{"/", "/open", "/api/files", "/assets/main.js"} {
			require.Equal(t, 414, b.do("GET", path+"?"+query, nil, nil).Code, path)
		}
	}
}

// TestARequestThatDoesNotCome gives up on those that send nothing, and holds nothing of what is announced.
func TestARequestThatDoesNotCome(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	w := b.do("POST", "/api/projects", io.MultiReader(strings.NewReader(`{"proj`), failing{}), nil)
	require.Equal(t, "incomplete", b.fails(w, 408).Error.Code)
}

// TestEventStreamsOfOthers has somebody open as many streams as one may have.
func TestEventStreamsOfOthers(t *testing.T) {
	b := begin(t, toolrun.Options{}, holders("ada", "bob"))
	server := httptest.NewServer(b.server)
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	open := func(token string) *http.Response {
		r, err := http.NewRequestWithContext(ctx, "GET", server.URL+q("/api/events", "project", token), nil)
		require.NoError(t, err)
		as(token)(r)
		response, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		t.Cleanup(func() { _ = response.Body.Close() })
		return response
	}
	n := 0
	var last *http.Response
	for ; n < 200; n++ {
		if last = open("ada"); last.StatusCode != 200 {
			break
		}
	}
	require.Equal(t, 429, last.StatusCode, "one token has %d streams", n)
	require.NotEmpty(t, last.Header.Get("Retry-After"))
	response := open("bob")
	require.Equal(t, 200, response.StatusCode)
	line, err := bufio.NewReader(response.Body).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, ": toolrun\n", line)
	require.Equal(t, 200, b.do("GET", q("/api/files", "project", "ada", "path", "/"), nil, as("ada")).Code,
		"streams take no other places")
}

// TestStreamsOfManyTokens has more tokens than one open as many streams as each may have: the next one has room, and
// addresses have theirs.
func TestStreamsOfManyTokens(t *testing.T) {
	const greedy = 9
	var names []string
	for i := range greedy + 1 {
		names = append(names, fmt.Sprintf("token%d", i))
	}
	b := begin(t, toolrun.Options{}, holders(names...))
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	open := func(token string) int {
		w := &opened{header: http.Header{}, status: make(chan int, 1)}
		r := b.request("GET", q("/api/events", "project", token), nil).WithContext(ctx)
		as(token)(r)
		group.Go(func() { b.server.ServeHTTP(w, r) })
		return <-w.status
	}
	for _, name := range names[:greedy] {
		for range 64 {
			require.Equal(t, 200, open(name))
		}
		require.Equal(t, 429, open(name))
	}
	require.Equal(t, 200, open(names[greedy]))
}

// opened is a response whose status is told, and of which nobody reads more.
type opened struct {
	header http.Header
	status chan int
}

func (o *opened) Header() http.Header            { return o.header }
func (o *opened) Write(data []byte) (int, error) { return len(data), nil }
func (o *opened) WriteHeader(status int)         { o.status <- status }
func (o *opened) Flush()                         {}

// TestStreamsEndWithTheirRights changes what a token is for while its holder follows a project in which much happens:
// the stream tells nothing any more.
func TestStreamsEndWithTheirRights(t *testing.T) {
	for name, changed := range map[string]*web.Access{
		"gone":          nil,
		"other project": {Name: "ada", Role: web.Person, Project: "other"},
		"other role":    {Name: "ada", Role: web.Model, Project: "p"},
		"no files":      {Name: "ada", Role: web.Person, Project: "p", NoFiles: true},
		"the same":      {Name: "ada", Role: web.Person, Project: "p"},
	} {
		t.Run(name, func(t *testing.T) {
			var now atomic.Pointer[web.Access]
			now.Store(&web.Access{Name: "ada", Role: web.Person, Project: "p"})
			b := begin(t, toolrun.Options{}, web.Options{Token: func(*http.Request) *web.Access { return now.Load() }})
			b.project("p", nil)
			in, out := io.Pipe()
			go func() {
				r := b.request("GET", q("/api/events", "project", "p"), nil)
				as("ada")(r)
				b.server.ServeHTTP(streamed{out, http.Header{}}, r)
				_ = out.Close()
			}()
			told := 0
			lines := bufio.NewScanner(in)
			for told < 5 && lines.Scan() {
				if !strings.HasPrefix(lines.Text(), "event: ") {
					continue
				}
				if told++; told == 1 {
					now.Store(changed)
				}
				b.post("/api/files/folder", m{"project": "p", "path": fmt.Sprintf("/%d", told)}, nil)
			}
			require.NoError(t, in.Close())
			if name == "the same" {
				require.Equal(t, 5, told)
			} else {
				require.LessOrEqual(t, told, 2, "what was on its way, and nothing after that")
			}
		})
	}
}

// gate holds up what reads it until it is opened.
type gate struct {
	come chan struct{}
	open chan struct{}
	once sync.Once
}

func (g *gate) Read([]byte) (int, error) {
	g.once.Do(func() { g.come <- struct{}{} })
	<-g.open
	return 0, io.EOF
}

// TestSlowRequestsOfOthers has somebody begin as many requests as one may, and more, and not end them.
func TestSlowRequestsOfOthers(t *testing.T) {
	for name, kind := range map[string]struct{ path, kind string }{
		"bodies":  {"/api/files/folder", "application/json"},
		"uploads": {q("/api/files/upload", "project", "ada", "path", "/a"), "application/octet-stream"},
	} {
		t.Run(name, func(t *testing.T) {
			b := begin(t, toolrun.Options{}, holders("ada", "bob"))
			come, end := make(chan struct{}), make(chan struct{})
			finish := sync.OnceFunc(func() { close(end) })
			defer finish()
			statuses := make(chan int)
			begun, refused := 0, 0
			var group sync.WaitGroup
			for refused == 0 {
				require.Less(t, begun, 1000)
				group.Go(func() {
					w := b.do("POST", kind.path, &gate{come: come, open: end}, func(r *http.Request) {
						as("ada")(r)
						r.Header.Set("Content-Type", kind.kind)
					})
					select {
					case statuses <- w.Code:
					case <-end:
					}
				})
				select {
				case <-come:
					begun++
				case status := <-statuses:
					require.Equal(t, 429, status)
					refused++
				}
			}
			require.Equal(t, 200, b.do("POST", "/api/files/folder", strings.NewReader(`{"project":"bob","path":"/b"}`),
				as("bob")).Code)
			w := b.do("POST", q("/api/files/upload", "project", "bob", "path", "/c"), strings.NewReader("c"),
				func(r *http.Request) {
					as("bob")(r)
					r.Header.Set("Content-Type", "application/octet-stream")
				})
			require.Equal(t, 200, w.Code)
			finish()
			group.Wait()
			require.NotEqual(t, 429, b.do("POST", "/api/files/folder",
				strings.NewReader(`{"project":"ada","path":"/a"}`), as("ada")).Code, "the places are free again")
		})
	}
}

// TestGuessesOfOthers has somebody guess tokens, while somebody else has the right one.
func TestGuessesOfOthers(t *testing.T) {
	now := time.Now()
	options := holders("ada")
	options.Now = func() time.Time { return now }
	b := begin(t, toolrun.Options{}, options)
	b.cookie, b.csrf = nil, ""
	try := func(address, token string) int {
		return b.do("POST", "/api/login", strings.NewReader(`{"token":"`+token+`"}`), func(r *http.Request) {
			r.RemoteAddr = address
		}).Code
	}
	guess := func(address string) {
		for range 100 {
			require.Equal(t, 401, try(address, "guessed"))
		}
	}
	guess("198.51.100.1:1")
	require.Equal(t, 401, try("198.51.100.1:2", "ada"), "another port is the same somebody")
	require.Equal(t, 401, try("[::ffff:198.51.100.1]:2", "ada"))
	require.Equal(t, 200, try("198.51.100.2:1", "ada"))
	guess("[2001:db8::1]:1")
	require.Equal(t, 401, try("[2001:db8::ffff]:1", "ada"), "one customer has a whole network")
	require.Equal(t, 200, try("[2001:db8:0:1::1]:1", "ada"))
	now = now.Add(3 * time.Second)
	require.Equal(t, 200, try("198.51.100.1:2", "ada"))

	// Addresses without end are not remembered.
	guess("198.51.100.1:1")
	for i := range 5000 {
		try(fmt.Sprintf("[2001:db8:1:%x::1]:1", i), "guessed")
	}
	require.Equal(t, 200, try("198.51.100.1:1", "ada"))
}

// TestVisitsOfOthers has somebody log in again and again.
func TestVisitsOfOthers(t *testing.T) {
	now := time.Now()
	var others []string
	for i := range 12 {
		others = append(others, fmt.Sprintf("token%d", i))
	}
	options := holders(append(others, "ada", "bob")...)
	options.Now = func() time.Time { return now }
	b := begin(t, toolrun.Options{}, options)
	login := func(token string) *http.Cookie {
		person := *b
		person.cookie, person.csrf = nil, ""
		now = now.Add(time.Second)
		w := person.send("/api/login", m{"token": token})
		require.Equal(t, 200, w.Code)
		return w.Result().Cookies()[0]
	}
	bob := login("bob")
	for _, other := range others { // more than there are visits of addresses, all together
		for range 100 {
			login(other)
		}
	}
	for range 150 {
		login("ada")
	}
	latest := login("ada")
	for _, cookie := range []*http.Cookie{bob, latest, b.cookie} {
		person := *b
		person.cookie = cookie
		require.Equal(t, 200, person.do("GET", "/api/about", nil, nil).Code)
	}
}

// TestTheNextRequestDoesNotWait: a request that has been refused is over, however slowly its body comes.
func TestTheNextRequestDoesNotWait(t *testing.T) {
	b := begin(t, toolrun.Options{}, holders("ada"))
	server := httptest.NewServer(b.server)
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: "+
		"application/json\r\nContent-Length: 4000000\r\n\r\n{")
	require.NoError(t, err)
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	defer response.Body.Close()
	require.Equal(t, 413, response.StatusCode)
}

// TestSearchingLongLines reads a line in parts, and refuses expressions that would be slow.
func TestSearchingLongLines(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	long := strings.Repeat("x", 131_070) + "needle" + strings.Repeat("y", 300_000)
	b.project("p", map[string]string{"/long.txt": long, "/binary": "\x00needle"})
	var found struct {
		Matches []struct {
			Path, Text string
			Line       int
		}
		More        bool
		NotSearched string
	}
	b.get(q("/api/files/search", "project", "p", "text", "NEEDLE"), &found)
	require.False(t, found.More)
	require.Len(t, found.Matches, 1)
	require.Equal(t, "/long.txt", found.Matches[0].Path)
	require.Equal(t, 1, found.Matches[0].Line)
	require.Contains(t, found.Matches[0].Text, "needle")
	require.Less(t, len(found.Matches[0].Text), 310)
	require.Equal(t, "/binary (binary)", found.NotSearched)
	for _, pattern := range []string{strings.Repeat("(a{100}){9}", 9), "((a{30}){30}){30}",
		strings.Repeat("x", 1001), "(" + strings.Repeat("x", 400) + "){1000}"} {
		b.fails(b.do("GET", q("/api/files/search", "project", "p", "text", pattern, "regexp", "true"), nil, nil), 400)
	}
	require.Equal(t, 200, b.do("GET", q("/api/files/search", "project", "p", "text", `^(a|b)+\s*\d{4}-\pL{1,20}$`,
		"regexp", "true"), nil, nil).Code)
}

// TestFilesThatAreTooLargeToCompare has files whose differences would be large, or cost much.
func TestFilesThatAreTooLargeToCompare(t *testing.T) {
	runner, err := toolrun.Open(t.Context(), &toolrun.Options{Engine: engine.Engine()})
	require.NoError(t, err)
	defer runner.Close()
	server, err := web.New(runner, nil)
	require.NoError(t, err)
	b := &browser{t: t, server: server, base: "http://localhost"}
	b.enter(server.Link(""))
	b.project("p", nil)
	project, err := runner.Store().OpenExisting(t.Context(), "p")
	require.NoError(t, err)
	defer project.Close()
	for name, contents := range map[string][2]string{
		"/lines.txt": {strings.Repeat("a\n", 60_000), strings.Repeat("b\n", 60_000)},
		"/long.txt":  {strings.Repeat("a", 1<<20), strings.Repeat("b", 1<<20)},
	} {
		for _, content := range contents {
			require.NoError(t, vfs.WriteFile(t.Context(), project, name, []byte(content)))
		}
		var history struct{ Changes []struct{ ID int64 } }
		b.get(q("/api/history", "project", "p", "path", name), &history)
		var d struct{ Diff, Note string }
		b.get(q("/api/history/diff", "project", "p", "change", fmt.Sprint(history.Changes[0].ID)), &d)
		require.Empty(t, d.Diff, name)
		require.Equal(t, "too large to compare", d.Note, name)
	}
	require.NoError(t, vfs.WriteFile(t.Context(), project, "/grown.txt", make([]byte, 2<<20)))
	f := b.fails(b.send("/api/files/save", m{"project": "p", "path": "/grown.txt", "text": "x", "version": "0"}), 409)
	require.Equal(t, "changed", f.Error.Code)
	require.NotEmpty(t, f.Error.Message)
}

// TestApprovalsOfLargeInputs has calls wait whose inputs would make one answer too large: all of each is shown, one by
// one.
func TestApprovalsOfLargeInputs(t *testing.T) {
	if race.Enabled {
		t.Skip("TestApprovals has what can race; here it is the megabytes that take long")
	}
	b := begin(t, toolrun.Options{}, web.Options{})
	b.project("p", nil)
	b.post("/api/settings", changing("p", "ask", "add", "filesystem"), nil)
	b.post("/api/settings", changing("p", "options", "add", "javascript.toolCalls=true"), nil)
	type approvals struct {
		Approvals []struct {
			Token string
			Waits []struct{ Call, Input string }
		}
		More bool
	}
	list := func() (a approvals) {
		b.get(q("/api/approvals", "project", "p"), &a)
		return a
	}
	for i := range 3 {
		b.post("/api/calls", m{"project": "p", "tool": "javascript", "input": m{"code": fmt.Sprint("//", i, "\n") +
			`await tools.filesystem({command: "create", path: "/a.txt", file_text: "x".repeat(1.5e6)})`}}, nil)
	}
	b.until("p", func() bool { return list().More })
	seen := map[string]bool{}
	for len(seen) < 3 {
		var a approvals
		b.until("p", func() bool { // one that was decided goes on for a moment
			a = list()
			return len(a.Approvals) > 0 && !seen[a.Approvals[0].Token]
		})
		require.Len(t, a.Approvals, 1)
		one := a.Approvals[0]
		require.Greater(t, len(one.Waits[0].Input), 1_500_000)
		seen[one.Token] = true
		b.post("/api/approvals", m{"project": "p", "token": one.Token, "call": one.Waits[0].Call, "approved": false},
			nil)
	}
	b.until("p", func() bool { return len(list().Approvals) == 0 })
}

// TestTextInParts is sent as it is, whatever it contains and wherever it is divided.
func TestTextInParts(t *testing.T) {
	b := begin(t, toolrun.Options{}, web.Options{})
	b.project("p", nil)
	for i, content := range []string{"", "<", strings.Repeat("<é😀\"\\\u2028\t", 8000), "x" + strings.Repeat("😀",
		20_000), `"text":""`} {
		name := fmt.Sprintf(`/%d"text":"".txt`, i)
		b.post("/api/files/save", m{"project": "p", "path": name, "text": content, "version": ""}, nil)
		var text struct{ Text, Path, Version string }
		w := b.do("GET", q("/api/files/text", "project", "p", "path", name, "limit", "1048576"), nil, nil)
		require.NotContains(t, w.Body.String(), "<")
		b.read(w, 200, &text)
		require.Equal(t, content, text.Text)
		require.Equal(t, name, text.Path)
		require.NotEmpty(t, text.Version)
	}
}
