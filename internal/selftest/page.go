package selftest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/web"
)

// A pageRequest is a request to the page. If its body has a size, it is posted.
type pageRequest struct {
	path  string
	body  text
	token bool // it shows one
}

// page are attacks by requests to the page, many at once. None may take more than they may together, whatever is asked.
func page() []Attack {
	var all []Attack
	add := func(name, attempt string, prepare preparation) {
		all = append(all, Attack{Name: amplification + "-page-" + name, Attempt: attempt,
			Endings: []string{answered, refused}, Grows: most,
			prepare: prepare})
	}
	const size = 1 << 20
	query := func(path string, pairs ...string) string {
		values := url.Values{"project": {"selftest"}}
		for i := 0; i < len(pairs); i += 2 {
			values.Set(pairs[i], pairs[i+1])
		}
		return path + "?" + values.Encode()
	}
	post := func(path, head, unit, tail string, size int) pageRequest {
		return pageRequest{path, text{head: head, unit: unit, tail: tail}.sized(size), true}
	}
	call := func(unit, end string, size int) pageRequest {
		return post("/api/calls", `{"project":"selftest","tool":"echo","input":{"a":[`, unit, end+`]}}`, size)
	}
	add("login-slow", "Begins 500 logins of 512 KiB without a token, and does not end them.", slowLogins(500, 512<<10))
	add("login-arrays", "Sends 500 logins at once that have thousands of empty arrays.",
		toPage(500, pageRequest{
			"/api/login", text{head: `{"token":[`, unit: `[],`, tail: `[]]}`}.sized(16 << 10), false,
		}))
	add("parameters", "Sends 500 requests at once whose addresses have as many parameters as fit.",
		toPage(500, pageRequest{path: "/open?" + strings.Repeat("a&", 6<<10)}))
	add("calls-arrays", "Makes 24 calls at once whose input is 700 000 empty arrays.",
		toPage(24, call(`[],`, `[]`, 2*size)))
	add("calls-text", "Makes 24 calls at once whose input is one text of 2 MiB.", toPage(24,
		post("/api/calls", `{"project":"selftest","tool":"echo","input":{"a":"`, `\u0001`, `"}}`, 2*size)))
	add("calls-values", "Makes 64 calls at once whose input has as many values as may be.",
		toPage(64, call(`[],              `, `[]`, size)))
	add("calls-small", "Makes 64 calls at once whose input is 16 KiB of empty objects.",
		toPage(64, call(`{},`, `{}`, 16<<10)))
	add("calls-deep", "Makes 24 calls at once whose input is nested as deep as can be.",
		toPage(24, call(strings.Repeat("[", 9000)+strings.Repeat("]", 9000)+",", `[]`, size)))
	add("calls-names", "Makes 24 calls at once with a field that there is not, of 1 MiB.",
		toPage(24, post("/api/calls", `{"`, "x", `":1}`, size)))
	add("save", "Saves a file 64 times at once that somebody else has changed.",
		toPage(64, post("/api/files/save", `{"project":"selftest","path":"/lines.txt","version":"x","text":"`,
			`a\n`, `"}`, size)))
	add("searches", "Searches 200 times at once, where there is a large file.",
		toPage(200, pageRequest{path: query("/api/files/search", "text", "nowhere", "case", "true"), token: true}))
	add("expression", "Searches 64 times at once for an expression that repeats what is repeated.",
		toPage(64, pageRequest{
			path:  query("/api/files/search", "text", strings.Repeat(`(?:abcdefgh){125}`, 50), "regexp", "true"),
			token: true,
		}))
	add("texts", "Reads 200 times at once as much of a file as can be read, which is larger as JSON.",
		toPage(200, pageRequest{
			path: query("/api/files/text", "path", "/markup.txt", "limit", "1048576"), token: true,
		}))
	add("differences", "Compares 100 times at once files that have many lines.",
		toPage(100, pageRequest{path: query("/api/history/diff", "change", "3"), token: true}))
	add("files", "Takes a large file 200 times at once.",
		toPage(200, pageRequest{path: query("/api/files/content", "path", "/large.txt"), token: true}))
	add("archives", "Takes all files as an archive 100 times at once.",
		toPage(100, pageRequest{path: query("/api/projects/export", "format", "tar.gz"), token: true}))
	return all
}

const pageToken = "Bearer selftest-selftest-selftest"

// servePage serves a page with a project that has large files.
func servePage(ctx context.Context) (address string, close func(), err error) {
	echo := tool.JSONFunc(tool.Spec{
		Name: "echo", Description: "Says how much it gets.", Schema: []byte(`{"type":"object"}`),
	},
		func(_ context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
			return tool.Text(fmt.Sprint(len(call.Input))), nil
		})
	runner, err := toolrun.Open(ctx, &toolrun.Options{Tools: []tool.Tool{echo}})
	if err != nil {
		return "", nil, err
	}
	access := &web.Access{Name: "selftest", Role: web.Person, Project: "selftest"}
	server, err := web.New(runner, &web.Options{Token: func(r *http.Request) *web.Access {
		if r.Header.Get("Authorization") == pageToken {
			return access
		}
		return nil
	}})
	if err != nil {
		return "", nil, errors.Join(err, runner.Close())
	}
	err = pageFiles(ctx, runner)
	var stop func()
	if err == nil {
		address, stop, err = listen(server)
	}
	if err != nil {
		return "", nil, errors.Join(err, runner.Close())
	}
	return strings.TrimSuffix(address, "/"), func() {
		stop()
		_ = server.Shutdown(ctx)
		_ = runner.Close()
	}, nil
}

// pageFiles makes files. The third change is one of a file with many lines.
func pageFiles(ctx context.Context, runner *toolrun.Runner) error {
	project, err := runner.Store().Open(ctx, "selftest")
	if err != nil {
		return err
	}
	defer project.Close()
	for i, content := range []struct{ name, unit string }{{"/other.txt", "x"}, {"/lines.txt", "x\n"},
		{"/lines.txt", "y\n"}, {"/markup.txt", "<"},
		{"/large.txt", "a line of a large file\n"}} {
		size := 1 << 20
		if i == 4 {
			size *= 3
		}
		call := project.WithCall(fmt.Sprint(i))
		err := vfs.WriteFile(ctx, call, content.name, []byte(strings.Repeat(content.unit, size/len(content.unit))))
		call.EndCall()
		if err != nil {
			return err
		}
	}
	return nil
}

// toPage is an attack by a request, many times at once.
func toPage(atOnce int, request pageRequest) preparation {
	return func(ctx context.Context) (func() (string, error), func(), error) {
		address, close, err := servePage(ctx)
		if err != nil {
			return nil, nil, err
		}
		attack := func() (string, error) {
			var group sync.WaitGroup
			statuses := make([]int, atOnce)
			for i := range statuses {
				group.Go(func() { statuses[i] = request.send(ctx, address) })
			}
			group.Wait()
			for _, status := range statuses {
				if status >= 500 && status != http.StatusServiceUnavailable {
					return "", fmt.Errorf("status %d", status)
				}
			}
			return endingOfStatus(statuses[0]), checkPage(ctx, address)
		}
		return attack, close, nil
	}
}

func endingOfStatus(status int) string {
	if status == http.StatusOK {
		return answered
	}
	return refused
}

// send sends the request over a connection of its own. The status is 0 if it was refused while it was sent.
func (p pageRequest) send(ctx context.Context, address string) (status int) {
	method, body := http.MethodGet, io.Reader(nil)
	if p.body.unit != "" {
		method, body = http.MethodPost, p.body.reader()
	}
	r, err := http.NewRequestWithContext(ctx, method, address+p.path, body)
	if err != nil {
		return 0
	}
	if body != nil {
		r.ContentLength = p.body.size()
		r.Header.Set("Content-Type", "application/json")
	}
	if p.token {
		r.Header.Set("Authorization", pageToken)
	}
	transport := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	response, err := transport.RoundTrip(r)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// slowLogins is an attack by logins that are not sent to their end.
func slowLogins(atOnce, size int) preparation {
	return func(ctx context.Context) (func() (string, error), func(), error) {
		address, close, err := servePage(ctx)
		if err != nil {
			return nil, nil, err
		}
		attack := func() (string, error) {
			host := strings.TrimPrefix(address, "http://")
			head := fmt.Sprintf("POST /api/login HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"+
				"Content-Length: %d\r\n\r\n", host, size)
			body := bytes.Repeat([]byte("x"), 16<<10)
			conns := make([]net.Conn, atOnce)
			for i := range conns {
				if conns[i], err = (&net.Dialer{}).DialContext(ctx, "tcp", host); err != nil {
					return "", err
				}
				defer conns[i].Close()
			}
			var group sync.WaitGroup
			for _, conn := range conns {
				group.Go(func() {
					_, err := io.WriteString(conn, head+`{"token":"`)
					for sent := len(body); err == nil && sent < size-len(body); sent += len(body) {
						_, err = conn.Write(body)
					}
				})
			}
			group.Wait()
			wrong := pageRequest{path: "/api/login", body: text{head: `{"token":"`, unit: "x", n: 20, tail: `"}`}}
			return endingOfStatus(wrong.send(ctx, address)), checkPage(ctx, address)
		}
		return attack, close, nil
	}
}

// checkPage makes a correct request.
func checkPage(ctx context.Context, address string) error {
	right := pageRequest{path: "/api/files?project=selftest&path=/", token: true}
	if status := right.send(ctx, address); status != http.StatusOK {
		return fmt.Errorf("a correct request did not work after it: status %d", status)
	}
	return nil
}
