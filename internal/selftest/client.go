package selftest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/toolrun/toolrun/mcp/mcpclient"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// greeting is the beginning of a server's answer to initialize.
const greeting = `{"jsonrpc":"2.0","id":ID,"result":{"protocolVersion":"2025-06-18",` +
	`"serverInfo":{"name":"s","version":"1"},`

// serverAnswers are hostile answers of a server to a client that uses its tools. "ID" stands for the id.
var serverAnswers = []struct {
	name, attempt, method string
	answer                text
}{
	{"greeting", "a greeting with capabilities of millions of values", "initialize",
		text{head: greeting + `"capabilities":{"tools":{},"experimental":{"a":[`, unit: `[],`, tail: `[]]}}}}`}},
	{"tools", "a list of tools that are empty", "tools/list",
		text{head: `{"jsonrpc":"2.0","id":ID,"result":{"tools":[`, unit: `{},`, tail: `{}]}}`}},
	{"schema", "a tool with a schema of millions of values", "tools/list",
		text{head: `{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"echo",` +
			`"inputSchema":{"type":"object","default":[`, unit: `[],`, tail: `[]]}}]}}`}},
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
			result := set.Registry().Dispatch(ctx, tool.Call{Tool: tools[0].Name}, registry.Env{})
			return endingOf(result), nil
		}
		return attack, close, nil
	}
}

// only is a configuration with one server.
func only(url string) mcpclient.Config {
	return mcpclient.Config{Servers: map[string]mcpclient.ServerConfig{"s": {URL: url}}}
}

// passedOn is an attack by the result of a call that a server passes on from another server.
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

// answering is a server with a hostile answer to one method and correct answers to others.
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
		answer.head = greeting + `"capabilities":{"tools":{}}}`
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
