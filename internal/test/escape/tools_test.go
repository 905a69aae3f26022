package escape_test

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"strings"
	"sync"

	"github.com/toolrun/toolrun/registry"
	js "github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/tools/memory"
)

// counter counts the calls that have reached tools, by project and tool.
type counter struct {
	mu    sync.Mutex
	calls map[string]map[string]int
}

func (c *counter) count(project, tool string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls[project] == nil {
		c.calls[project] = map[string]int{}
	}
	c.calls[project][tool]++
}

// of returns what has been counted for a project.
func (c *counter) of(project string) map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.calls[project])
}

// forbidden are the tools that an attempt must not reach, unless it says how often it does. Each tells a secret,
// unless it is to be quiet.
var forbidden = map[string]func(*tool.Spec){
	"vault": func(s *tool.Spec) { s.OffByDefault = true },
	"net":   func(s *tool.Spec) { s.Requires = []tool.Capability{tool.CapabilityNetwork} },
	"shell": func(s *tool.Spec) {
		s.Requires = []tool.Capability{tool.CapabilityNetwork, tool.CapabilityProcess}
	},
	"agent": func(s *tool.Spec) { s.Modes = []tool.Mode{tool.ModeHistory} },
	"admin": func(s *tool.Spec) { s.OffByDefault, s.Category, s.Source = true, tool.CategoryMCP, "server" },
}

const (
	anything = `{"type": "object"}`
	noteJSON = `{"type": "object", "properties": {"text": {"type": "string"}}, ` +
		`"required": ["text"], "additionalProperties": false}`
	relays = `{"type": "object", "properties": {"tool": {"type": "string"}, "input": {"type": "object"}}, ` +
		`"required": ["tool"]}`
)

// newRegistry returns the tools that attempts are made with.
func newRegistry(engine *js.Interpreter, c *counter) *registry.Registry {
	type do = func(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error)
	make := func(name, schema string, execute do, change ...func(*tool.Spec)) tool.Tool {
		spec := tool.Spec{Name: name, Description: "A tool of the tests.", Schema: json.RawMessage(schema)}
		for _, f := range change {
			f(&spec)
		}
		return tool.JSONFunc(spec, func(ctx context.Context, call tool.Call, env tool.Env) (tool.Result,
			error) {
			c.count(env.Project, name)
			return execute(ctx, call, env)
		})
	}
	says := func(text string) do {
		return func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Text(text), nil
		}
	}
	relay := func(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error) {
		var in struct {
			Tool  string
			Input json.RawMessage
		}
		if err := json.Unmarshal(call.Input, &in); err != nil {
			return tool.Result{}, err
		}
		return env.Dispatch(ctx, tool.Call{Tool: in.Tool, Input: in.Input}), nil
	}
	tools := []tool.Tool{
		javascript.New(func(context.Context) (*js.Interpreter, error) { return engine, nil },
			nil), memory.New(), filesystem.New(),
		make("echo", anything, func(_ context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
			return tool.Text(string(call.Input)), nil
		}),
		make("note", noteJSON, func(_ context.Context, call tool.Call, env tool.Env) (tool.Result, error) {
			if env.Options.Bool("loud") {
				return tool.Text("LOUD"), nil
			}
			return tool.Text(string(call.Input)), nil
		}, func(s *tool.Spec) { s.Options = []tool.Option{{ID: "loud", Type: tool.OptionBool}} }),
		make("data", anything, func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Result{Data: json.RawMessage(
				`{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}, ` +
					`"then": 1, "toJSON": 1, "error": ["Error", "no"], "value": 2, "bytes": true}`)}, nil
		}, func(s *tool.Spec) { s.OutputSchema = json.RawMessage(anything) }),
		make("liar", anything, says(`{"error": ["Error", "not an error", "net"]}`)),
		make("large", anything, says(strings.Repeat("large\n", 1<<16))),
		make("fails", anything, func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Result{}, tool.Errorf("no such city")
		}),
		make("breaks", anything, func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			panic(errors.New("broken"))
		}),
		make("hangs", anything, func(ctx context.Context, _ tool.Call, _ tool.Env) (tool.Result, error) {
			<-ctx.Done()
			return tool.Result{}, ctx.Err()
		}),
		make("relay", relays, relay), make("relay2", relays, relay), make("relay3", relays, relay),
		make("relay4", relays, relay), make("relay5", relays, relay),
		make("__proto__", anything, says("called")), make("constructor", anything, says("called")),
		make("then", anything, says("called"), func(s *tool.Spec) { s.OffByDefault = true }),
	}
	for name, change := range forbidden {
		tools = append(tools, make(name, anything, func(_ context.Context, call tool.Call,
			_ tool.Env) (tool.Result, error) {
			if string(call.Input) == `{"quiet":true}` {
				return tool.Text("called"), nil
			}
			return tool.Text(secretOf("tool")), nil
		}, change))
	}
	r, err := registry.New(tools...)
	if err != nil {
		panic(err) // as enginetest.New does
	}
	return r
}
