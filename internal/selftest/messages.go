package selftest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/toolrun/toolrun/internal/procmem"
	"github.com/toolrun/toolrun/mcp/mcpclient"
	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
)

// What an attack that is no script has ended with.
const (
	answered = "answered"
	refused  = "refused"
)

type oddMessage struct {
	name, attempt string // the attempt is what is sent
	message       text
}

// odd are messages of JSON-RPC that are larger when they are decoded. Each has the id 2, if it has one.
var odd = []oddMessage{
	{"meta", "a ping whose _meta has millions of empty arrays",
		text{head: `{"jsonrpc":"2.0","id":2,"method":"ping","params":{"_meta":{"a":[`, unit: `[],`, tail: `[]]}}}`}},
	{"objects", "arguments that are millions of empty objects",
		text{head: `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":[`,
			unit: `{},`, tail: `{}]}}}`}},
	{"deep", "arguments that are nested as deep as can be, again and again",
		text{head: `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":[`,
			unit: strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + ",", tail: `[]]}}}`}},
	{"numbers", "arguments that are millions of digits",
		text{head: `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":[`,
			unit: `0,`, tail: `0]}}}`}},
	{"values", "arguments of as many values as may be in a message of that size",
		text{head: `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":[`,
			unit: `[],              `, tail: `[]]}}}`}},
	{"text", "an argument that is one long text",
		text{head: `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"a":"`,
			unit: `\u00e9`, tail: `"}}}`}},
	{"names", "one name millions of times",
		text{head: `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{`,
			unit: `"":[],`, tail: `"a":[]}}}`}},
	{"method", "a method without an end", text{head: `{"jsonrpc":"2.0","id":2,"method":"`, unit: `x/`, tail: `"}`}},
	{"escapes", "an id of nothing but escapes",
		text{head: `{"jsonrpc":"2.0","id":"`, unit: `\u0000`, tail: `","method":"ping"}`}},
	{"unknown", "a method that there is not, with millions of parameters",
		text{head: `{"jsonrpc":"2.0","id":2,"method":"no/such","params":{"a":[`, unit: `"",`, tail: `""]}}`}},
	{"notification", "a notification that has millions of values",
		text{head: `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1,"_meta":{"a":[`,
			unit: `{},`, tail: `{}]}}}`}},
	{"response", "the answer to no request, with millions of values",
		text{head: `{"jsonrpc":"2.0","id":77,"result":{"a":[`, unit: `[],`, tail: `[]]}}`}},
	{"batch", "a batch of millions of empty messages", text{head: `[`, unit: `{},`, tail: `{}]`}},
	{"resources", "an address without an end",
		text{head: `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"toolrun://selftest/`,
			unit: `../`, tail: `"}}`}},
}

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",` +
		`"clientInfo":{"name":"c","version":"1"},"capabilities":{}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	correctCall = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"echo","arguments":{"a":["right"]}}}`
	// most is what a message, or many, may make the process grow by, however large it is.
	most = 64 << 20

	// largestMessage is less than what a server takes of a client.
	largestMessage = 32<<20 - 1
)

// messages are attacks by messages of the Model Context Protocol, on a server by its clients and on a client by its
// servers.
func messages() []Attack {
	const size = 1 << 20
	// What is refused without being decoded is refused, and what is let in is answered. Both are right, as long as it
	// takes no memory.
	either := []string{answered, refused}
	var all []Attack
	add := func(name, attempt string, grows int64, prepare preparation) {
		all = append(all, Attack{
			Name: amplification + "-messages-" + name, Attempt: attempt, Endings: either, Grows: grows, prepare: prepare,
		})
	}
	for _, o := range odd {
		message := o.message.sized(size)
		add("http-"+o.name, "Sends a server over HTTP "+o.attempt+".", mostGrown(message.size()), overHTTP(1, message))
		add("stdio-"+o.name, "Sends a server over stdio "+o.attempt+".", mostGrown(message.size()), overStdio(message))
	}
	message := func(name string, size int) text {
		return odd[slices.IndexFunc(odd, func(o oddMessage) bool { return o.name == name })].message.sized(size)
	}
	largest := message("meta", largestMessage)
	add("http-largest", "Sends a server over HTTP the largest message that it takes, of empty arrays.",
		most, overHTTP(1, largest))
	add("stdio-largest", "Sends a server over stdio the largest message that it takes, of empty arrays.",
		most, overStdio(largest))
	add("http-at-once-meta", "Sends a server 64 messages of empty arrays at once, 256 KiB each.",
		most, overHTTP(64, message("meta", 256<<10)))
	add("http-at-once-small", "Sends a server 64 messages of empty arrays at once, 20 KiB each.",
		most, overHTTP(64, message("objects", 20<<10)))
	add("http-at-once-values", "Sends a server 64 messages at once that have as many values as may be, 1 MiB each.",
		most, overHTTP(64, message("values", size)))
	add("http-at-once-text", "Sends a server 64 messages at once that have a long text, 1 MiB each.",
		most, overHTTP(64, message("text", size)))
	add("greetings", "Begins a thousand sessions with the largest greeting that is let in.", most, greetings)
	for _, s := range serverAnswers {
		answer := s.answer.sized(size)
		add("server-"+s.name, "Sends a client "+s.attempt+".", mostGrown(answer.size()), fromServer(s.method, answer))
	}
	large := serverAnswers[len(serverAnswers)-1]
	add("server-largest", "Sends a client almost the largest result that it takes, of empty arrays, which a server passes on.",
		mostGrown(15<<20), passedOn(large.answer.sized(15<<20)))
	return all
}

// echoes is a registry with a tool that returns what it gets.
func echoes() (*registry.Registry, error) {
	return registry.New(registry.ToolFunc(registry.Spec{
		Name: "echo", Description: "Returns what it gets.", Schema: json.RawMessage(`{"type":"object"}`),
	}, func(_ context.Context, call registry.Call, _ registry.Env) (registry.Result, error) {
		return registry.Text(string(call.Input)), nil
	}))
}

func newServer(ctx context.Context, tools *registry.Registry) (*mcpserver.Server, error) {
	return mcpserver.New(ctx, mcpserver.Fixed(tools, registry.Env{Project: "selftest"}), &mcpserver.Options{Rate: 1e6})
}

// overStdio is an attack by a line of standard input.
func overStdio(message text) preparation {
	return func(ctx context.Context) (func() (string, error), func(), error) {
		tools, err := echoes()
		if err != nil {
			return nil, nil, err
		}
		server, err := newServer(ctx, tools)
		if err != nil {
			return nil, nil, err
		}
		attack := func() (string, error) {
			before, after := initialize+"\n"+initialized+"\n", "\n"+correctCall+"\n"
			in := io.MultiReader(strings.NewReader(before), message.reader(), strings.NewReader(after))
			out := &answers{}
			if err := server.ServeStdio(ctx, in, out); err != nil {
				return "", err
			}
			return out.ending(), out.check()
		}
		return attack, func() { _ = server.Shutdown(ctx) }, nil
	}
}

// answers are what a server writes. Of each line that is long only a part is kept.
type answers struct {
	line            bytes.Buffer
	refused, served bool // the odd message, and the correct call
}

func (a *answers) Write(data []byte) (int, error) {
	for rest := data; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte("\n"))
		if room := 64<<10 - a.line.Len(); room > 0 {
			a.line.Write(line[:min(room, len(line))])
		}
		if whole {
			answer := a.line.Bytes()
			a.refused = a.refused || bytes.Contains(answer, []byte(`"error":{`))
			a.served = a.served || bytes.Contains(answer, []byte(`"id":3,`)) && bytes.Contains(answer, []byte("right"))
			a.line.Reset()
		}
		rest = after
	}
	return len(data), nil
}

func (a *answers) ending() string {
	if a.refused {
		return refused
	}
	return answered
}

func (a *answers) check() error {
	if a.served {
		return nil
	}
	return errors.New("a correct call did not work after it")
}

// listen serves HTTP on the loopback interface, until close is called.
func listen(handler http.Handler) (url string, close func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server := &http.Server{Handler: handler}
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String() + "/", func() { _ = server.Close() }, nil
}

// A client sends messages to a server over HTTP.
type client struct {
	ctx context.Context
	url string
	*http.Client
}

// serve starts a server over HTTP.
func serve(ctx context.Context, tools *registry.Registry) (c *client, close func(), err error) {
	server, err := newServer(ctx, tools)
	if err != nil {
		return nil, nil, err
	}
	handler := mcpserver.NewHandler(func(*http.Request) (*mcpserver.Server, error) { return server, nil }, nil)
	url, stop, err := listen(handler)
	if err != nil {
		return nil, nil, err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 100}
	c = &client{ctx, url, &http.Client{Transport: transport}}
	return c, func() {
		transport.CloseIdleConnections()
		_ = handler.Shutdown(ctx)
		stop()
	}, nil
}

// post sends a message, and returns the beginning of the answer.
func (c *client) post(session string, message text) (status int, newSession string, answer []byte, err error) {
	request, err := http.NewRequestWithContext(c.ctx, http.MethodPost, c.url, message.reader())
	if err != nil {
		return 0, "", nil, err
	}
	request.ContentLength = message.size()
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		request.Header.Set("Mcp-Session-Id", session)
		request.Header.Set("Mcp-Protocol-Version", "2025-06-18")
	}
	response, err := c.Do(request)
	if err != nil {
		return 0, "", nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(response.Body, 64<<10))
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
	}
	return response.StatusCode, response.Header.Get("Mcp-Session-Id"), answer, err
}

// begin begins a session.
func (c *client) begin() (session string, err error) {
	status, session, answer, err := c.post("", text{head: initialize, unit: " "})
	if err == nil && (status != http.StatusOK || session == "") {
		err = fmt.Errorf("a session did not begin: %d %s", status, answer)
	}
	if err == nil {
		_, _, _, err = c.post(session, text{head: initialized, unit: " "})
	}
	return session, err
}

// check makes a correct call.
func (c *client) check(session string) error {
	status, _, answer, err := c.post(session, text{head: correctCall, unit: " "})
	if err == nil && (status != http.StatusOK || !bytes.Contains(answer, []byte("right"))) {
		err = fmt.Errorf("%d %s", status, answer)
	}
	if err != nil {
		return fmt.Errorf("a correct call did not work after it: %w", err)
	}
	return nil
}

// overHTTP is an attack by requests that are made at the same time, in a session each.
func overHTTP(atOnce int, message text) preparation {
	return func(ctx context.Context) (func() (string, error), func(), error) {
		tools, err := echoes()
		if err != nil {
			return nil, nil, err
		}
		c, close, err := serve(ctx, tools)
		if err != nil {
			return nil, nil, err
		}
		sessions := make([]string, atOnce)
		for i := range sessions {
			if sessions[i], err = c.begin(); err != nil {
				close()
				return nil, nil, err
			}
		}
		attack := func() (string, error) {
			endings, errs := make([]string, atOnce), make([]error, atOnce)
			var group sync.WaitGroup
			for i, session := range sessions {
				group.Go(func() {
					status, _, answer, err := c.post(session, message)
					endings[i], errs[i] = answered, err
					if status >= 400 || bytes.Contains(answer, []byte(`"error":{`)) {
						endings[i] = refused
					}
				})
			}
			group.Wait()
			if err := errors.Join(errs...); err != nil {
				return "", err
			}
			again, err := c.begin()
			if err != nil {
				return "", err
			}
			return endings[0], c.check(again)
		}
		return attack, close, nil
	}
}

// greetings is an attack by a thousand sessions, all of which there can be. It first looks how large a greeting can be.
func greetings(ctx context.Context) (func() (string, error), func(), error) {
	tools, err := echoes()
	if err != nil {
		return nil, nil, err
	}
	greeting := text{
		head: `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","clientInfo":{"name":"c","version":"1"},` +
			`"capabilities":{"experimental":{"a":[`, unit: "[],", tail: "[]]}}}}",
	}
	c, close, err := serve(ctx, tools)
	if err != nil {
		return nil, nil, err
	}
	size := 1 << 10
	for ; size < 1<<20; size *= 2 {
		status, session, _, err := c.post("", greeting.sized(2*size))
		if err != nil {
			close()
			return nil, nil, err
		}
		if status >= 400 || session == "" {
			break
		}
	}
	close() // the sessions of this one count for nothing
	if c, close, err = serve(ctx, tools); err != nil {
		return nil, nil, err
	}
	before := procmem.Resident()
	attack := func() (string, error) {
		for i := range mcpserver.DefaultSessions {
			if procmem.Resident()-before > 2*most {
				break // that is enough
			}
			status, session, answer, err := c.post("", greeting.sized(size))
			if err == nil && (status != http.StatusOK || session == "") {
				err = fmt.Errorf("session %d did not begin: %d %s", i+1, status, answer)
			}
			if err == nil && i == 0 {
				err = c.check(session)
			}
			if err != nil {
				return "", err
			}
		}
		return answered, nil
	}
	return attack, close, nil
}

// serverAnswers are answers of a server to a client that uses its tools. Where the id stands has "ID".
var serverAnswers = []struct {
	name, attempt, method string
	answer                text
}{
	{"greeting", "a greeting with capabilities of millions of values", "initialize",
		text{head: `{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"s","version":"1"},"capabilities":{"tools":{},"experimental":{"a":[`,
			unit: `[],`, tail: `[]]}}}}`}},
	{"tools", "a list of tools that are empty", "tools/list",
		text{head: `{"jsonrpc":"2.0","id":ID,"result":{"tools":[`, unit: `{},`, tail: `{}]}}`}},
	{"schema", "a tool with a schema of millions of values", "tools/list",
		text{head: `{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object","default":[`,
			unit: `[],`, tail: `[]]}}]}}`}},
	{"content", "content of millions of empty parts", "tools/call",
		text{head: `{"jsonrpc":"2.0","id":ID,"result":{"content":[`,
			unit: `{"type":"text","text":""},`, tail: `{"type":"text","text":"x"}]}}`}},
	{"meta", "a result whose _meta has millions of empty objects", "tools/call",
		text{head: `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"x"}],"_meta":{"a":[`,
			unit: `{},`, tail: `{}]}}}`}},
	{"structured", "structured content of millions of empty arrays", "tools/call",
		text{head: `{"jsonrpc":"2.0","id":ID,"result":{"content":[],"structuredContent":{"a":[`,
			unit: `[],`, tail: `[]]}}}`}},
}

// fromServer is an attack by what a server answers to a method.
func fromServer(method string, hostile text) preparation {
	return func(ctx context.Context) (func() (string, error), func(), error) {
		url, close, err := listen(&answering{method, hostile})
		if err != nil {
			return nil, nil, err
		}
		attack := func() (string, error) {
			set, err := mcpclient.Open(ctx, only(url), nil)
			if err != nil {
				return "", err
			}
			defer set.Close()
			if status := set.Status()[0]; !status.Connected {
				return refused, nil
			}
			tools := set.Registry().Specs()
			if len(tools) == 0 {
				return refused, nil
			}
			result := set.Registry().Dispatch(ctx, registry.Call{Tool: tools[0].Name}, registry.Env{})
			return endingOf(result), nil
		}
		return attack, close, nil
	}
}

// only is a configuration with one server.
func only(url string) mcpclient.Config {
	return mcpclient.Config{Servers: map[string]mcpclient.ServerConfig{"s": {URL: url}}}
}

// passedOn is an attack by the result of a call, that a server passes on which has the tools of another one.
func passedOn(result text) preparation {
	return func(ctx context.Context) (func() (string, error), func(), error) {
		url, close, err := listen(&answering{"tools/call", result})
		if err != nil {
			return nil, nil, err
		}
		set, err := mcpclient.Open(ctx, only(url), nil)
		if err != nil {
			close()
			return nil, nil, err
		}
		server, err := newServer(ctx, set.Registry())
		if err != nil {
			close()
			return nil, nil, errors.Join(err, set.Close())
		}
		attack := func() (string, error) {
			call := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"s_echo","arguments":{}}}`
			out := &answers{}
			err := server.ServeStdio(ctx, strings.NewReader(initialize+"\n"+initialized+"\n"+call+"\n"), out)
			return out.ending(), err
		}
		return attack, func() {
			_ = server.Shutdown(ctx)
			_ = set.Close()
			close()
		}, nil
	}
}

// answering is a server whose answer to one method is hostile, and those to others are not.
type answering struct {
	method  string
	hostile text
}

func (a *answering) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct {
		ID     json.RawMessage
		Method string
	}
	if err := json.NewDecoder(io.LimitReader(r.Body, 1<<20)).Decode(&request); err != nil || request.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	answer := text{unit: " ", tail: "}"}
	switch request.Method {
	case "initialize":
		answer.head = `{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"s","version":"1"},"capabilities":{"tools":{}}}`
	case "tools/list":
		answer.head = `{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}`
	default:
		answer.head = `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"x"}]}`
	}
	if request.Method == a.method {
		answer = a.hostile
	}
	answer.head = strings.Replace(answer.head, "ID", string(request.ID), 1)
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.Copy(w, answer.reader())
}
