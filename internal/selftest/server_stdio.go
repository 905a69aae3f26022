package selftest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"github.com/toolrun/toolrun/mcp/mcpserver"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// echoes is a registry with a tool that returns what it gets.
func echoes() (*registry.Registry, error) {
	return registry.New(tool.JSONFunc(tool.Spec{
		Name: "echo", Description: "Returns what it gets.", Schema: json.RawMessage(`{"type":"object"}`),
	}, func(_ context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
		return tool.Text(string(call.Input)), nil
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

// answers reads what a server writes. Of a long line only a part is kept.
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
