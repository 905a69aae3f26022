//go:build systemtest

package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/toolrun/toolrun/internal/test/mcptest"
	"github.com/toolrun/toolrun/mcp/mcpclient"
)

// serverKind is the variable that makes the test binary a server of this kind.
const serverKind = "TOOLRUN_TEST_SERVER"

// serverGate is the variable with the name of a file. The server starts only if that exists.
const serverGate = "TOOLRUN_TEST_GATE"

func TestMain(m *testing.M) {
	if gate := os.Getenv(serverGate); gate != "" {
		if _, err := os.Stat(gate); err != nil {
			os.Exit(1)
		}
	}
	switch kind := os.Getenv(serverKind); kind {
	case "":
		if over := os.Getenv(childVariable); over != "" {
			if err := serveAsChild(over); err != nil {
				log.Fatal(err)
			}
			return
		}
		flag.Parse()
		if err := flag.Set("test.parallel", "8"); err != nil { // they wait for other processes
			log.Fatal(err)
		}
		os.Exit(m.Run())
	case "good":
		if err := mcptest.Good().Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			os.Exit(1)
		}
	case "newest":
		if err := mcptest.Good("2026-07-28").Run(context.Background(), &sdk.StdioTransport{}); err != nil {
			os.Exit(1)
		}
	case "sleep":
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
	default:
		newRawServer(kind, os.Stdin, os.Stdout).serve()
	}
}

// stdio returns the configuration of a server process of a kind.
func stdio(kind string) mcpclient.ServerConfig {
	return mcpclient.ServerConfig{Command: os.Args[0], Env: map[string]string{
		serverKind: kind, "GORACE": "atexit_sleep_ms=0", // otherwise the race detector waits for a second
	}}
}

// openKind opens one server. Its name is its kind.
func openKind(t testing.TB, kind string, options *mcpclient.Options) *mcpclient.Set {
	t.Helper()
	return mcptest.Open(t, options, map[string]mcpclient.ServerConfig{kind: stdio(kind)})
}

// amplifies parses the kind of a server whose answers take more memory than their size suggests.
func amplifies(kind string) (what string, size int, ok bool) {
	kind, ok = strings.CutPrefix(kind, "amplify ")
	_, _ = fmt.Sscanf(kind, "%d", &size)
	_, what, _ = strings.Cut(kind, " ")
	return what, size, ok
}

// A rawServer knows the protocol but violates it.
type rawServer struct {
	kind    string
	in      *bufio.Reader
	out     *bufio.Writer
	replies int // the answers to its requests
	lists   int // the requests for its tools
}

func newRawServer(kind string, in io.Reader, out io.Writer) *rawServer {
	return &rawServer{kind: kind, in: bufio.NewReaderSize(in, 1<<20), out: bufio.NewWriterSize(out, 1<<16)}
}

func (s *rawServer) send(format string, args ...any) {
	fmt.Fprintf(s.out, format+"\n", args...)
	s.out.Flush()
}

// tools answers a request with a list of tools.
func (s *rawServer) tools(id json.RawMessage, tools string) {
	s.send(`{"jsonrpc":"2.0","id":%s,"result":{"tools":[%s]}}`, id, tools)
}

func (s *rawServer) serve() {
	if s.kind == "stubborn" {
		signal.Ignore(syscall.SIGTERM)
	}
	for {
		line, err := s.in.ReadBytes('\n')
		if err != nil {
			if s.kind == "stubborn" {
				time.Sleep(time.Hour)
			}
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Cursor string
				Meta   struct{ ProgressToken json.RawMessage } `json:"_meta"`
			}
		}
		if json.Unmarshal(line, &m) != nil || m.ID == nil {
			continue
		}
		switch m.Method {
		case "initialize":
			s.initialize(m.ID)
		case "tools/list":
			s.list(m.ID, m.Params.Cursor)
			if s.kind == "deaf" {
				time.Sleep(time.Hour)
			}
		case "tools/call":
			s.call(m.ID, m.Params.Meta.ProgressToken)
		case "":
			s.replies++
		default:
			s.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, m.ID)
		}
	}
}

// amplify answers with a message of about size bytes that takes more memory than that.
func (s *rawServer) amplify(id, token json.RawMessage, what string, size int) {
	const answer = `{"jsonrpc":"2.0","id":%s,` +
		`"result":{"content":[{"type":"text","text":"%s"}],"structuredContent":{"a":%s},"_meta":%s}}`
	x := strings.Repeat("x", size)
	switch what {
	case "structured":
		s.send(answer, id, "", mcptest.Arrays(size), "{}")
		return
	case "structured text":
		s.send(answer, id, "", `"`+x+`"`, "{}")
		return
	case "text":
		s.send(answer, id, x, "0", "{}")
		return
	case "meta":
		s.send(answer, id, "", "0", `{"a":`+mcptest.Arrays(size)+`}`)
		return
	case "parts":
		s.send(`{"jsonrpc":"2.0","id":%s,"result":{"content":%s}}`, id, mcptest.Arrays(size))
		return
	case "error":
		s.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":"%s","data":%s}}`, id, x[:size/2],
			mcptest.Arrays(size/2))
		return
	case "batch":
		s.send(`[{"jsonrpc":"2.0","id":"b","method":"ping","params":{"_meta":{"a":%s}}}]`, mcptest.Arrays(size))
	case "progress":
		s.send(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":1}}`,
			mcptest.Arrays(size))
	case "log":
		s.send(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":%s}}`,
			mcptest.Arrays(size))
	case "asks":
		for i := range 20 {
			s.send(`{"jsonrpc":"2.0","id":"g%d","method":"sampling/createMessage",`+
				`"params":{"messages":[],"maxTokens":1,"_meta":{"a":%s}}}`,
				i, mcptest.Arrays(size/20))
		}
	case "nobody asked":
		s.send(answer, json.RawMessage("12345"), x, "0", "{}")
	}
	s.send(answer, id, "", "0", "{}")
}

func (s *rawServer) initialize(id json.RawMessage) {
	if what, size, ok := amplifies(s.kind); ok && what == "greeting" {
		s.send(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18",`+
			`"capabilities":{"tools":{},"experimental":{"a":{"b":%s}}},"serverInfo":{"name":"raw","version":"1"}}}`,
			id, mcptest.Arrays(size))
		return
	}
	switch s.kind {
	case "mute":
		time.Sleep(time.Hour)
	case "noise":
		s.send("Server is starting...\n\n[1,2]\n{}\n\"x\"\nnull\n[{]")
	case "endless":
		for {
			s.out.WriteString(`{"jsonrpc":"2.0","id":1,"result":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`)
		}
	case "modern":
		s.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, id)
		return
	case "crashing":
		fmt.Fprintf(os.Stderr, "%s\n%sError: no such database: s3cr3t-value\n\x1b[31m  at main",
			strings.Repeat("x", 2000),
			strings.Repeat(strings.Repeat("trace ", 100)+"\n", 10))
		os.Exit(3)
	case "refusing", "leaving":
		s.send(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"bad key s3cr3t-value"}}`, id)
		if s.kind == "leaving" {
			os.Exit(1)
		}
		return
	}
	s.send(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18",`+
		`"capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"raw","version":"1"}}}`, id)
}

func (s *rawServer) list(id json.RawMessage, cursor string) {
	switch s.kind {
	case "pages":
		n, _ := strconv.Atoi(cursor)
		s.send(`{"jsonrpc":"2.0","id":%s,`+
			`"result":{"tools":[{"name":"t%d","inputSchema":{"type":"object"}}],"nextCursor":"%d"}}`,
			id, n, n+1)
	case "many":
		var b strings.Builder
		for i := range 100_000 {
			fmt.Fprintf(&b, `{"name":"t%d","inputSchema":{"type":"object"}},`, i)
		}
		s.tools(id, b.String()+mcptest.PlainTool)
	case "schemas":
		s.tools(id, strings.Join([]string{
			`{"name":"deep","inputSchema":{"type":"object","not":` + strings.Repeat(`{"not":`,
				900) + `{}` + strings.Repeat("}", 900) + `}}`,
			`{"name":"invalid","inputSchema":{"type":"object","properties":{"a":{"type":"nonsense"}}}}`,
			`{"name":"text","inputSchema":"object"}`,
			`{"name":"none"}`,
			`{"name":"untyped","inputSchema":{"properties":{"n":{"const":12345678901234567890}}}}`,
			`{"name":"empty","inputSchema":{}}`,
			`{"name":"outside","inputSchema":{"type":"object","properties":{"a":{"$ref":"https://example.com/x"}}}}`,
			`{"name":"large","inputSchema":{"type":"object","description":"` + strings.Repeat("x", 300_000) + `"}}`,
			`{"name":"slow","inputSchema":{"type":"object","allOf":[` + strings.Repeat(`{},`, 4000) + `{}]}}`,
			`{"name":"nested","inputSchema":{"type":"object","properties":{"a":{"$id":"A","type":"integer"}}}}`,
			`{"name":"output","inputSchema":{"type":"object"},"outputSchema":{"type":"array"}}`,
			`{"name":"hidden","inputSchema":{"type":"object","properties":{"a":{"type":"string",` +
				`"title":"\u2764\ufe0f","description":"not \udb40\udc41\udb40\udd10hidden"}}}}`,
			`{"name":"smuggled","inputSchema":{"type":"object","properties":{"a":{"enum":["a\udb40\udc41"]}}}}`,
			`{"name":5}`, `{"name":""}`, `{"name":"` + strings.Repeat("n", 2000) + `"}`, `7`,
		}, ","))
	case "partly":
		s.tools(id, `{"name":"t","inputSchema":{"type":"object",`+
			`"properties":{"email":{"type":"string","pattern":"^(?!\\.)[^@]+@[^@]+$"},`+
			`"pair":{"type":"array","items":[{"type":"string"},{"type":"integer"}]},`+
			`"rate":{"type":"number","minimum":0,"exclusiveMinimum":true},`+
			`"name":{"type":"str","required":true}},"required":["email"]}}`)
	case "names":
		s.tools(id, strings.Join([]string{
			mcptest.PlainTool, mcptest.PlainTool, `{"name":"hub_t"}`, `{"name":"a b"}`, `{"name":"a.b"}`,
			`{"name":"ü"}`, `{"name":"` + strings.Repeat("x", 100) + `1"}`,
			`{"name":"` + strings.Repeat("x", 100) + `2"}`, `{"name":"a_b_0123456789"}`,
		}, ","))
	case "wordy":
		list := make([]string, 200)
		for i := range list {
			list[i] = fmt.Sprintf(`{"name":"t%d","description":"%s","inputSchema":{"type":"object"}}`, i,
				strings.Repeat("word ", 4000))
		}
		s.tools(id, strings.Join(list, ","))
	case "utf8":
		s.tools(id, `{"name":"t","description":"a`+"\xff\xfe"+
			`b\ud800\u0000\u001b\u202e\udb40\udc41cd\udb40\udd10\u3164\ufe01\u2764\ufe0f\u200d\u200d\u200d\ud83d\udd25","inputSchema":{"type":"object","description":"`+
			"\xc0"+`"}}`)
	case "restless": // its tools change with each listing, and it reports that
		s.lists++
		s.tools(id, fmt.Sprintf(`{"name":"t","description":"%d","inputSchema":{"type":"object"}}`, s.lists))
		time.AfterFunc(300*time.Millisecond, func() {
			fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		})
	case "silent": // it never answers a second listing
		if s.lists++; s.lists > 1 {
			fmt.Fprintln(os.Stderr, "asked again")
			return
		}
		s.tools(id, mcptest.PlainTool)
		s.send(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
	case "storm":
		s.tools(id, mcptest.PlainTool)
		for range 3000 {
			s.out.WriteString(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}` + "\n")
		}
		s.out.Flush()
	default:
		s.tools(id, mcptest.PlainTool)
	}
}

func (s *rawServer) call(id, token json.RawMessage) {
	answer := func(text string) {
		s.send(`{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}`, id, text)
	}
	if what, size, ok := amplifies(s.kind); ok {
		s.amplify(id, token, what, size)
		return
	}
	switch s.kind {
	case "dies":
		s.out.WriteString(`{"jsonrpc":"2.0","id":`)
		s.out.Flush()
		os.Exit(1)
	case "huge":
		answer(strings.Repeat("x", 3<<20))
	case "ids":
		s.send(`{"jsonrpc":"2.0","id":"%s","result":{}}`, id)
		s.send(`{"jsonrpc":"2.0","id":999999,"result":{"content":[{"type":"text","text":"wrong"}]}}`)
		s.send(`{"jsonrpc":"2.0","id":null,"result":{}}`)
		s.send(`{"jsonrpc":"2.0","id":%s.5,"result":{"content":[{"type":"text","text":"wrong"}]}}`, id)
		answer("right")
		answer("again")
	case "flood":
		for i := range 100_000 {
			fmt.Fprintf(s.out,
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`+
					"\n", token, i)
			fmt.Fprintf(s.out, `{"jsonrpc":"2.0","id":"p%d","method":"ping"}`+"\n", i)
			if i == 10_000 {
				break
			}
		}
		answer("flooded")
	case "disguised": // package json ignores the case of names, and other decoders do not
		answer(strconv.Itoa(s.replies))
		for i := range 1000 {
			fmt.Fprintf(s.out, `{"jsonrpc":"2.0","id":%d,"method":"ping","Method":null,"error":{}}`+"\n", i+1_000_000)
		}
		s.out.Flush()
	case "greedy": // its requests are large
		for i := range 50 {
			s.send(`{"jsonrpc":"2.0","id":"g%d%s","method":"ping"}`, i, strings.Repeat("x", 1<<17))
		}
		answer(strconv.Itoa(s.replies))
	case "greeting":
		s.send(`{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"x","content":[%s{}]}}`, id,
			strings.Repeat(`{},`, 1<<20))
	case "parts":
		s.send(`{"jsonrpc":"2.0","id":%s,"result":{"content":[%s]}}`, id,
			strings.Repeat(`{"type":"text","text":"x"},`, 100_000)+`{"type":"text"}`)
	case "odd":
		s.send(`{"jsonrpc":"2.0","id":%s,`+
			`"result":{"content":[{"type":"hologram"},5,{"type":"image","data":"%%"},{"type":"resource"}],`+
			`"structuredContent":{"big":9007199254740993,"e":1.0}}}`, id)
	case "input":
		s.send(`{"jsonrpc":"2.0","id":%s,`+
			`"result":{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list","params":{}}}}}`, id)
	case "list":
		s.send(`{"jsonrpc":"2.0","id":%s,"result":[1]}`, id)
	case "stubborn":
		child := exec.Command(os.Args[0])
		child.Env = []string{serverKind + "=sleep"}
		child.Stdout, child.Stderr = os.Stdout, os.Stderr // which the child keeps open
		if child.Start() == nil {
			answer(fmt.Sprintf("%d %d", os.Getpid(), child.Process.Pid))
		}
	case "restless":
		answer(strconv.Itoa(s.lists))
	case "survived": // by a child process
		child := exec.Command(os.Args[0])
		child.Env = []string{serverKind + "=sleep"}
		child.Stdout, child.Stderr = os.Stdout, os.Stderr // which the child keeps open
		if child.Start() == nil {
			os.Exit(1)
		}
	case "shut": // it closes its input and goes on
		os.Stdin.Close()
		answer("shut")
		time.Sleep(time.Hour)
	default:
		answer("ok")
	}
}
