package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/net/egress"
	"github.com/toolrun/toolrun/internal/net/egress/egresstest"
	asm "github.com/toolrun/toolrun/internal/wasm/wasmasm"
	"github.com/toolrun/toolrun/network"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/command"
)

// A madeRequest is what a module says of a request: where its head and body are, which numbers it gives to response and
// body, as differences from the one that it got, and where it wants the response.
type madeRequest struct {
	head, headSize, body, bodySize int32
	response, read                 int32
	to, size                       int32
}

const headAt, requestBodyAt = 1000, 3000

// imports are the functions for requests.
type imports struct{ request, response, body, end, result, write, exit uint32 }

func importAll(m *asm.Module) imports {
	const wasi = "wasi_snapshot_preview1"
	return imports{
		m.Import("toolrun", "request", "iiii:I"), m.Import("toolrun", "response", "ii:I"), m.Import("toolrun", "body",
			"iiii:I"),
		m.Import("toolrun", "close", "i:"), m.Import("toolrun", "result", "ii:i"),
		m.Import(wasi, "fd_write", "iiii:i"), m.Import(wasi, "proc_exit", "i:"),
	}
}

const wrap = 0xa7

// upper is the code for the upper half of a local.
func upper(local byte) []byte { return asm.Code(asm.LocalGet, local, 0x42, 32, 0x88, wrap) }

// failing prints the error of a local and ends with status 1, if it is one.
func (i imports) failing(local byte) []byte {
	return asm.Code(upper(local), asm.I32(1), 0x46, asm.If, asm.Empty,
		asm.I32(0), asm.I32(8192), asm.Store(), asm.I32(4), asm.I32(8192), asm.I32(60000), asm.Call(i.result),
		asm.Store(),
		asm.I32(1), asm.I32(0), asm.I32(1), asm.I32(8), asm.Call(i.write), asm.Drop, asm.I32(1), asm.Call(i.exit),
		asm.End)
}

// requesting is a module that makes a request, and prints the body of the response or the error. It has two pages.
func requesting(c madeRequest, head, body string) []byte {
	m := &asm.Module{}
	i := importAll(m)
	m.Export("_start", m.Func(":", "III",
		asm.I32(c.head), asm.I32(c.headSize), asm.I32(c.body), asm.I32(c.bodySize), asm.Call(i.request), asm.LocalSet,
		0, i.failing(0),
		asm.LocalGet, 0, wrap, asm.I32(c.response), asm.Add, asm.I32(-1), asm.Call(i.response), asm.LocalSet, 1,
		i.failing(1),
		asm.Loop, asm.Empty,
		asm.LocalGet, 0, wrap, asm.I32(c.read), asm.Add, asm.I32(c.to), asm.I32(c.size), asm.I32(-1), asm.Call(i.body),
		asm.LocalSet, 2,
		i.failing(2),
		asm.I32(0), asm.I32(c.to), asm.Store(), asm.I32(4), asm.LocalGet, 2, wrap, asm.Store(),
		asm.I32(1), asm.I32(0), asm.I32(1), asm.I32(8), asm.Call(i.write), asm.Drop,
		upper(2), 0x45, asm.BrIf, 0, asm.End))
	m.Data(headAt, head)
	m.Data(requestBodyAt, body)
	m.Memory(2)
	return m.Bytes()
}

// runTo returns a run that can make any request to a server.
func runTo(t testing.TB, server *httptest.Server, limits network.Limits) network.Run {
	rule, err := network.ParseRule("* " + server.URL)
	require.NoError(t, err)
	gate, err := egress.New(egress.Options{Policy: &network.Policy{Rules: []network.Rule{rule}, Limits: limits}})
	require.NoError(t, err)
	t.Cleanup(gate.Close)
	return gate.Run("test")
}

// TestModulesMakeRequests has requests of a module, and what one that lies gets: an error or nothing.
func TestModulesMakeRequests(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/large" {
			_, _ = io.WriteString(w, strings.Repeat("x", 1<<20))
			return
		}
		fmt.Fprintf(w, "%s %s %s %q", r.Method, r.URL, body, r.Header.Get("X-Own"))
	}))
	t.Cleanup(server.Close)
	head := func(more string) string { return `{"url":"` + server.URL + `/a"` + more + `}` }
	const post = `,"method":"post","headers":[["x-own","\u00e4"]]`
	for _, c := range []struct {
		why, head string
		change    func(c *madeRequest)
		none      bool
		want      string // of success, or what the error contains
		fails     bool
	}{
		{why: "a request", head: head(""), want: `GET /a  ""`},
		{why: "a body and a header", head: head(post), change: func(c *madeRequest) {
			c.bodySize = 4
		}, want: `POST /a body "\xe4"`},
		{why: "a response in parts", head: head(""), change: func(c *madeRequest) { c.size = 3 }, want: `GET /a  ""`},
		{why: "a large response", head: `{"url":"` + server.URL + `/large"}`, want: strings.Repeat("x", 1<<20)},
		{why: "without a network", head: head(""), none: true, fails: true,
			want: "there is no network for this module: whoever runs it must grant it"},
		{why: "another host", head: `{"url":"https://example.com/"}`, fails: true,
			want: "no rule allows GET https://example.com/"},
		{why: "no JSON", head: `{"url":`, fails: true, want: "the head of the request is not JSON such as"},
		{why: "an unknown member", head: head(`,"host":"evil"`), fails: true, want: `unknown field "host"`},
		{why: "no redirect", head: head(`,"redirect":"twice"`), fails: true,
			want: "redirect is \"twice\", and must be follow, error or manual"},
		{why: "a header that is not bytes", head: head(`,"headers":[["a","€"]]`), fails: true, want: "above U+00FF"},
		{why: "a line break", head: head(`,"headers":[["a","b\r\nc: d"]]`), fails: true, want: "line break"},
		{why: "half a header", head: head(`,"headers":[["a"]]`), want: `GET /a  ""`},
		{why: "a head outside of the memory", change: func(c *madeRequest) { c.head = -4 }, fails: true,
			want: "the head of the request is not within the memory"},
		{why: "a head over its end", change: func(c *madeRequest) { c.head, c.headSize = 2<<16-1, 2 }, fails: true,
			want: "the head of the request is not within the memory"},
		{why: "a long head", change: func(c *madeRequest) { c.headSize = -1 }, fails: true,
			want: "the head of the request has 4294967295 bytes, and may have 1048576"},
		{why: "a body outside of the memory", head: head(post), change: func(c *madeRequest) {
			c.body, c.bodySize = -4, 4
		}, fails: true,
			want: "the body of the request is not within the memory"},
		{why: "a long body", head: head(post), change: func(c *madeRequest) { c.bodySize = -1 }, fails: true,
			want: "can have 33554432 bytes together"},
		{why: "a body of a GET", head: head(""), change: func(c *madeRequest) { c.bodySize = 4 }, fails: true,
			want: "has no body"},
		{why: "a request that is not there", head: head(""), change: func(c *madeRequest) {
			c.response = 1
		}, fails: true, want: "there is no such request"},
		{why: "a negative one", head: head(""), change: func(c *madeRequest) { c.response = -100 }, fails: true,
			want: "there is no such request"},
		{why: "the body of another", head: head(""), change: func(c *madeRequest) { c.read = -1 }, fails: true,
			want: "there is no such request"},
		{why: "a response to outside of the memory", head: head(""), change: func(c *madeRequest) {
			c.to = -4
		}, fails: true,
			want: "the place for the response is not within the memory"},
		{why: "a response over its end", head: head(""), change: func(c *madeRequest) { c.to, c.size = 2<<16-1, 2 },
			fails: true,
			want:  "the place for the response is not within the memory"},
		{why: "a size that is a lie", head: head(""), change: func(c *madeRequest) { c.to, c.size = 8192, -1 },
			fails: true,
			want:  "the place for the response is not within the memory"},
	} {
		t.Run(c.why, func(t *testing.T) {
			made := madeRequest{headAt, int32(len(c.head)), requestBodyAt, 0, 0, 0, 8192, 60000}
			if c.change != nil {
				c.change(&made)
			}
			host := command.Host{Network: runTo(t, server, network.Limits{})}
			if c.none {
				host = command.Host{}
			}
			result, err := load(t, requesting(made, c.head, "body"), nil).RunWith(t.Context(),
				sandbox.RunOptions{}, host)
			if !c.fails {
				require.NoError(t, err)
				require.Equal(t, c.want, string(result.Output))
				return
			}
			exit, ok := errors.AsType[*sandbox.ExitError](err)
			require.True(t, ok, "%v", err)
			require.Equal(t, 1, exit.Code)
			require.Contains(t, string(result.Output), c.want)
		})
	}
}

// TestManyOpenRequests are refused, also if nobody reads their responses, and closing some lets others begin.
func TestManyOpenRequests(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(make([]byte, 4<<20))
	}))
	t.Cleanup(server.Close)
	m := &asm.Module{}
	i := importAll(m)
	head := `{"url":"` + server.URL + `"}`
	begin := asm.Code(asm.I32(headAt), asm.I32(int32(len(head))), asm.I32(0), asm.I32(0), asm.Call(i.request),
		asm.LocalSet, 0)
	m.Export("_start", m.Func(":", "Ii",
		asm.Loop, asm.Empty, begin, upper(0), 0x45, asm.If, asm.Empty, // until one is refused
		asm.LocalGet, 1, asm.I32(1), asm.Add, asm.LocalSet, 1, asm.Br, 1, asm.End, asm.End,
		asm.I32(7), asm.Call(i.end), asm.I32(7), asm.Call(i.end), asm.I32(-1), asm.Call(i.end),
		asm.I32(7), asm.I32(-1), asm.Call(i.response), asm.LocalSet, 0, upper(0), 0x45, asm.If, asm.Empty,
		asm.Unreachable, asm.End,
		begin, upper(0), asm.If, asm.Empty, asm.Unreachable, asm.End, // there is a place now
		begin, upper(0), 0x45, asm.If, asm.Empty, asm.Unreachable, asm.End,
		asm.LocalGet, 1, asm.Call(i.exit)))
	m.Data(headAt, head)
	m.Memory(1)
	loaded := load(t, m.Bytes(), nil)
	for range 2 { // nothing is left of the first one
		_, err := loaded.RunWith(t.Context(), sandbox.RunOptions{Limits: sandbox.Limits{Time: time.Minute}},
			command.Host{Network: runTo(t, server, network.Limits{PerRun: network.Unlimited})})
		exit, ok := errors.AsType[*sandbox.ExitError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, 100, exit.Code)
	}
}

// TestWaitingForAResponse is as long as the module says, or until the run ends, which ends the request.
func TestWaitingForAResponse(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/stopped" {
			close(begun)
			defer close(ended)
		}
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	build := func(path string, milliseconds int32) []byte {
		head := `{"url":"` + server.URL + path + `"}`
		m := &asm.Module{}
		i := importAll(m)
		m.Export("_start", m.Func(":", "II",
			asm.I32(headAt), asm.I32(int32(len(head))), asm.I32(0), asm.I32(0), asm.Call(i.request), asm.LocalSet, 0,
			asm.LocalGet, 0, wrap, asm.I32(milliseconds), asm.Call(i.response), asm.LocalSet, 1,
			asm.LocalGet, 1, 0x50, 0x45, asm.If, asm.Empty, asm.Unreachable, asm.End, // neither a head nor an error
			asm.LocalGet, 0, wrap, asm.I32(0), asm.I32(8), asm.I32(-1), asm.Call(i.body), asm.LocalSet, 1,
			i.failing(1)))
		m.Data(headAt, head)
		m.Memory(2)
		return m.Bytes()
	}
	result, err := load(t, build("/", 1), nil).RunWith(t.Context(), sandbox.RunOptions{},
		command.Host{Network: runTo(t, server, network.Limits{})})
	exit, ok := errors.AsType[*sandbox.ExitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, 1, exit.Code)
	require.Equal(t, "the response has not begun: wait for it with response", string(result.Output))

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		<-begun
		cancel()
	}()
	_, err = load(t, build("/stopped", -1), nil).RunWith(ctx, sandbox.RunOptions{},
		command.Host{Network: runTo(t, server, network.Limits{})})
	require.ErrorIs(t, err, context.Canceled)
	<-ended
}

// TestResponsesAreWork, and limits of it count.
func TestResponsesAreWork(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(make([]byte, 10<<20))
	}))
	t.Cleanup(server.Close)
	head := `{"url":"` + server.URL + `"}`
	loaded := load(t, requesting(madeRequest{headAt, int32(len(head)), 0, 0, 0, 0, 8192, 100 << 10}, head, ""), nil)
	_, err := loaded.RunWith(t.Context(), sandbox.RunOptions{Limits: sandbox.Limits{Work: 10000}},
		command.Host{Network: runTo(t, server, network.Limits{})})
	limit, ok := errors.AsType[*sandbox.LimitError](err)
	require.True(t, ok, "%v", err)
	require.Equal(t, sandbox.LimitWork, limit.Limit)
}

// TestModulesCannotReachInward has attacks by addresses and redirects.
func TestModulesCannotReachInward(t *testing.T) {
	t.Parallel()
	trap := egresstest.Trap(t)
	for n, address := range egresstest.Trapped() {
		head, err := json.Marshal(map[string]string{"url": address})
		require.NoError(t, err)
		whole := madeRequest{head: headAt, headSize: int32(len(head)), body: requestBodyAt, to: 20000, size: 1000}
		result, err := load(t, requesting(whole, string(head), ""), nil).RunWith(t.Context(), sandbox.RunOptions{},
			command.Host{Network: trap})
		if n == 0 || err == nil { // some redirects are relative
			require.NoError(t, err)
			require.Equal(t, "public", string(result.Output))
			continue
		}
		exit, ok := errors.AsType[*sandbox.ExitError](err)
		require.True(t, ok, "%s: %v %s", address, err, result.Output)
		require.Equal(t, 1, exit.Code, address)
	}
}
