//go:build systemtest

package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/mcptest"
	"github.com/toolrun/toolrun/internal/test/race"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs/local"
)

// soak runs the long versions of tests.
var soak = flag.Bool("soak", false, "run the long versions of tests")

const (
	initializeRequest = `{"jsonrpc":"2.0","id":1,"method":"initialize",` +
		`"params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	aNotification = `{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`
	aPing         = `{"jsonrpc":"2.0","id":"ping","method":"ping"}`
)

// childVariable makes the test binary a server, over "http" or "stdio", whose memory can be told from that of its
// clients.
const childVariable = "TOOLRUN_TEST_MCP_SERVER"

// serveAsChild is the server.
func serveAsChild(over string) error {
	tools, err := registry.New(mcptest.Measured()...)
	if err != nil {
		return err
	}
	project, err := local.NewMemoryStore(nil).Open(context.Background(), "notes")
	if err != nil {
		return err
	}
	server, err := mcpserver.New(context.Background(),
		mcpserver.Fixed(tools, registry.Env{Project: "notes", Files: project}),
		&mcpserver.Options{Rate: 1e6})
	if err != nil {
		return err
	}
	if over == "stdio" {
		return server.ServeStdio(context.Background(), os.Stdin, os.Stdout)
	}
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return err
	}
	fmt.Printf("http://%s/\n", listener.Addr())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	return http.Serve(listener, mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) {
		return server,
			nil
	}, nil))
}

// A child is a server in a process of its own.
type child struct {
	t       testing.TB
	pid     int
	in      io.WriteCloser
	out     *bufio.Reader
	url     string   // over HTTP
	session []string // headers, over HTTP
	sent    int
	base    int64 // what it had in memory when it was watched last
}

func startChild(t testing.TB, over string) *child {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not say what another process has in memory")
	}
	if race.Enabled {
		t.Skip("the race detector's own memory would be counted")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+over)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	c := &child{t: t, pid: cmd.Process.Pid, in: in, out: bufio.NewReader(out)}
	if over == "http" {
		line, err := c.out.ReadString('\n')
		require.NoError(t, err)
		c.url = strings.TrimSpace(line)
		c.session = c.begin(initializeRequest)
	} else {
		c.send([]byte(strings.Replace(initializeRequest, "2025-06-18", "2025-03-26", 1) + // which has batches
			"\n" + `{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	}
	return c
}

// begin begins a session, and returns the headers of what is in it.
func (c *child) begin(greeting string) []string {
	status, text, header := c.post([]byte(greeting))
	require.Equal(c.t, 200, status, text)
	return []string{"Mcp-Session-Id", header.Get("Mcp-Session-Id"), "Mcp-Protocol-Version", "2025-03-26"}
}

// watch forgets the peak so far.
func (c *child) watch() {
	if c.url == "" {
		c.send([]byte(freeCall))
	} else {
		status, text, _ := c.post([]byte(freeCall), c.session...)
		require.Equal(c.t, 200, status, text)
		require.Contains(c.t, text, "freed")
	}
	require.NoError(c.t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", c.pid), []byte("5"), 0))
	c.base = c.status("VmRSS")
}

// grown is by how many bytes the process has grown at most since it has been watched.
func (c *child) grown() int64 { return c.status("VmHWM") - c.base }

func (c *child) status(field string) int64 {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.pid))
	require.NoError(c.t, err)
	match := regexp.MustCompile(field + `:\s+(\d+) kB`).FindSubmatch(data)
	require.NotNil(c.t, match)
	kilobytes, err := strconv.ParseInt(string(match[1]), 10, 64)
	require.NoError(c.t, err)
	return kilobytes << 10
}

// send sends a line over streams, and returns when the server goes on behind it.
func (c *child) send(line []byte) {
	c.sent++
	id := fmt.Sprintf("ping %d", c.sent)
	_, err := c.in.Write(fmt.Appendf(bytes.Clone(line), "\n"+strings.Replace(aPing, "ping", "%s", 1)+"\n", id))
	require.NoError(c.t, err)
	for {
		answer, err := c.out.ReadString('\n')
		require.NoError(c.t, err)
		if strings.Contains(answer, `"id":"`+id+`"`) {
			return
		}
	}
}

// post sends a message, and returns the status and the answer. One that lasts is given up soon.
func (c *child) post(body []byte, headers ...string) (int, string, http.Header) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if bytes.Contains(body, []byte(`"subscriptions/listen"`)) {
		defer time.AfterFunc(50*time.Millisecond, cancel).Stop()
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	require.NoError(c.t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil { // it has been refused while it was being sent
		return 0, err.Error(), nil
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text), response.Header
}

// atLimit is JSON of n bytes with as many values as a message of that size may have: an element, which has some
// values, again and again, and a text.
func atLimit(n int, element string, values int) string {
	list := strings.Repeat(element+",", min((min(8<<10+n/16, 64<<10)-30)/values, n/(len(element)+1)))
	return "[" + list + `"` + strings.Repeat("x", max(0, n-len(list)-200)) + `"]`
}

func callOf(tool, argument, value string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":{%q:%s}}}`, tool,
		argument, value)
}

const freeCall = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"free"}}`

// attacks are messages that cost more than they look, by their sizes.
var attacks = map[string]func(n int) string{
	"ping": func(n int) string {
		return `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"a":` + mcptest.Arrays(n) + `}}}`
	},
	"ping nested": func(n int) string {
		return `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"a":` + strings.Repeat("[",
			n/2) + strings.Repeat("]", n/2) + `}}}`
	},
	"arguments":                      func(n int) string { return callOf("values", "list", mcptest.Arrays(n)) },
	"wrong arguments":                func(n int) string { return callOf("values", "other", mcptest.Arrays(n)) },
	"as many values as there may be": func(n int) string { return callOf("values", "list", atLimit(n, "[]", 1)) },
	"as many objects as there may be": func(n int) string {
		return callOf("values", "list",
			atLimit(n, `{"a":{}}`, 3))
	},
	"as many members as there may be": func(n int) string {
		var list strings.Builder
		for i := range (min(8<<10+n/16, 64<<10) - 30) / 2 {
			fmt.Fprintf(&list, `"%06x":0,`, i)
		}
		return callOf("values", "list", "[{"+list.String()+`"":"`+strings.Repeat("x", max(0, n-list.Len()-200))+`"}]`)
	},
	"wrong values":      func(n int) string { return callOf("values", "other", atLimit(n, "[]", 1)) },
	"text":              func(n int) string { return callOf("length", "text", `"`+strings.Repeat("x", n)+`"`) },
	"text with escapes": func(n int) string { return callOf("length", "text", `"`+strings.Repeat(`\n`, n/2)+`"`) },
	"id": func(n int) string {
		return `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", n) + `","method":"ping"}`
	},
	"method": func(n int) string { return `{"jsonrpc":"2.0","id":7,"method":"` + strings.Repeat("x", n) + `"}` },
	"level": func(n int) string {
		return `{"jsonrpc":"2.0","id":7,"method":"logging/setLevel","params":{"level":"` + strings.Repeat("x",
			n) + `"}}`
	},
	"token": func(n int) string {
		return `{"jsonrpc":"2.0","id":7,"method":"tools/call",` +
			`"params":{"name":"length","arguments":{"text":""},"_meta":{"progressToken":` +
			mcptest.Arrays(n) + `}}}`
	},
	"answer": func(n int) string { return `{"jsonrpc":"2.0","id":7,"result":{"a":` + mcptest.Arrays(n) + `}}` },
	"answer that is an error": func(n int) string {
		return `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"` + strings.Repeat("x",
			n/2) + `","data":` + mcptest.Arrays(n/2) + `}}`
	},
	"notification": func(n int) string {
		return `{"jsonrpc":"2.0","method":"notifications/progress",` +
			`"params":{"progressToken":1,"progress":1,"_meta":{"a":` +
			mcptest.Arrays(n) + `}}}`
	},
	"completion": func(n int) string {
		return `{"jsonrpc":"2.0","id":7,"method":"completion/complete",` +
			`"params":{"ref":{"type":"ref/resource","uri":"x"},"argument":{"name":"path","value":"` +
			strings.Repeat("x", n/2) + `"},"context":{"arguments":` + mcptest.Arrays(n/2) + `}}}`
	},
	"members": func(n int) string {
		return `{"jsonrpc":"2.0","id":7,"method":"ping"` + strings.Repeat(`,"a":[]`, n/7) + `}`
	},
	"greeting": func(n int) string {
		return strings.Replace(initializeRequest, `"capabilities":{}`,
			`"capabilities":{"experimental":{"a":{"b":`+mcptest.Arrays(n)+`}}}`, 1)
	},
	"client": func(n int) string {
		return strings.Replace(initializeRequest, `"name":"t"`, `"name":"`+strings.Repeat("x", n)+`"`, 1)
	},
	"batch": func(n int) string {
		return "[" + strings.Repeat(`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"a":`+
			mcptest.Arrays(n/50)+`}}},`, 49) + aNotification + "]"
	},
	"blanks": func(n int) string { return strings.Repeat(" ", n) + aPing },
}

// most is what a message may cost: 16 times its size, or 64 MiB, and what a process needs for anything.
func most(size int) int64 { return min(16*int64(size), 64<<20) + 4<<20 }

func TestMemoryOfMessages(t *testing.T) {
	t.Parallel()
	c := startChild(t, "http")
	sizes := []int{1 << 20}
	if *soak {
		sizes = []int{64 << 10, 256 << 10, 1 << 20, 4 << 20, mcpserver.DefaultBody - 1024, mcpserver.DefaultBody + 1024,
			32 << 20}
	}
	for name, attack := range attacks {
		for _, size := range sizes {
			body := []byte(attack(size))
			headers := c.session
			if name == "greeting" || name == "client" {
				headers = nil
			}
			c.watch()
			status, _, _ := c.post(body, headers...)
			grown := c.grown()
			t.Logf("%-32s %9d bytes: status %d, %6.1f MB", name, len(body), status, float64(grown)/1e6)
			require.Less(t, grown, most(len(body)), "%s of %d bytes", name, len(body))
		}
	}
}

// TestMemoryOfManyMessages sends 64 at once.
func TestMemoryOfManyMessages(t *testing.T) {
	t.Parallel()
	c := startChild(t, "http")
	tests := map[string][]int{"text": {256 << 10}, "ping": {1 << 20}, "as many objects as there may be": {32 << 10}}
	if *soak {
		for name := range attacks {
			tests[name] = []int{16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20, mcpserver.DefaultBody - 1024}
		}
	}
	for name, sizes := range tests {
		for _, size := range sizes {
			body := []byte(attacks[name](size))
			c.watch()
			var served, busy, refused atomic.Int64
			var group sync.WaitGroup
			for i := range 64 {
				group.Go(func() {
					status, _, _ := c.post(bytes.Replace(body, []byte(`"id":7`), fmt.Appendf(nil, `"id":%d`, 100+i), 1),
						c.session...)
					switch {
					case status >= 200 && status < 300:
						served.Add(1)
					case status == 503:
						busy.Add(1)
					default:
						refused.Add(1)
					}
				})
			}
			group.Wait()
			grown := c.grown()
			t.Logf("64 times %-32s %9d bytes: %d served, %d told to come back, %d refused, %6.1f MB", name, len(body),
				served.Load(), busy.Load(),
				refused.Load(), float64(grown)/1e6)
			require.Less(t, grown, most(64*len(body)))
		}
	}
}

// TestMemoryOverStreams sends messages one after the other, which nothing is left of, those included that are no
// requests.
func TestMemoryOverStreams(t *testing.T) {
	t.Parallel()
	c := startChild(t, "stdio")
	size := 1 << 20
	for name, attack := range map[string]func(n int) string{
		"text": attacks["text"],
		"a call without an id": func(n int) string {
			return strings.Replace(attacks["text"](n), `"id":7,`, "", 1)
		},
		"a call that is under way": func(n int) string { return attacks["text"](n) + "\n" + attacks["text"](n) },
	} {
		c.watch()
		for range 20 {
			c.send([]byte(attack(size)))
		}
		t.Logf("20 times %s: %.1f MB", name, float64(c.grown())/1e6)
		require.Less(t, c.grown(), most(20*size), name)
		require.Eventually(t, func() bool {
			c.send([]byte(freeCall))
			return c.status("VmRSS")-c.base < 16<<20
		}, 10*time.Second, 10*time.Millisecond, name)
	}
}

// TestMemoryOfSessions begins as many sessions as there may be, by greetings that are as large as they may be.
func TestMemoryOfSessions(t *testing.T) {
	t.Parallel()
	c := startChild(t, "http")
	size, large := 8<<10, mcpserver.DefaultBody-1024
	if *soak {
		size = 1 << 20
	}
	greeting := func(n int) []byte {
		return []byte(strings.Replace(initializeRequest, `"capabilities":{}`,
			`"capabilities":{"experimental":{"a":`+atLimit(n, "[]", 1)+`}}`, 1))
	}
	c.watch()
	for i := range mcpserver.DefaultSessions - 1 {
		n := size
		if i%200 == 0 {
			n = large
		}
		status, text, header := c.post(greeting(n))
		require.Equal(t, 200, status, text)
		c.post([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized","params":{"_meta":{"a":`+
			mcptest.Arrays(4096)+`}}}`),
			"Mcp-Session-Id", header.Get("Mcp-Session-Id"), "Mcp-Protocol-Version", "2025-03-26")
	}
	status, text, _ := c.post([]byte(initializeRequest))
	require.Equal(t, 503, status, text)
	t.Logf("%.1f MB at most, %.1f MB in the end", float64(c.grown())/1e6, float64(c.status("VmRSS")-c.base)/1e6)
	require.Less(t, c.grown(), int64(64<<20))
}
