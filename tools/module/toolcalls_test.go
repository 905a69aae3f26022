package module_test

import (
	"context"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	asm "github.com/toolrun/toolrun/internal/wasm/wasmasm"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/module"
)

// calling is a module that calls a tool some times with an input, prints the last result and ends with its status.
func calling(tool, input string, times int32) []byte {
	const answer, count = 0, 1
	m := &asm.Module{}
	call, result := m.Import("toolrun", "call", "iiii:I"), m.Import("toolrun", "result", "ii:i")
	write, exit := m.Import(wasi, "fd_write", "iiii:i"), m.Import(wasi, "proc_exit", "i:")
	m.Export("_start", m.Func(":", "Ii",
		asm.Loop, asm.Empty,
		asm.I32(1000), asm.I32(int32(len(tool))), asm.I32(2000), asm.I32(int32(len(input))), asm.Call(call),
		asm.LocalSet, answer,
		asm.LocalGet, count, asm.I32(1), asm.Add, 0x22, count, asm.I32(times), 0x48, asm.BrIf, 0, asm.End,
		asm.I32(0), asm.I32(4096), asm.Store(), asm.I32(4), asm.I32(4096), asm.I32(60000), asm.Call(result),
		asm.Store(),
		asm.I32(1), asm.I32(0), asm.I32(1), asm.I32(8), asm.Call(write), asm.Drop,
		asm.LocalGet, answer, 0x42, 32, 0x88, 0xa7, asm.Call(exit)))
	m.Data(1000, tool)
	m.Data(2000, input)
	m.Memory(2)
	return m.Bytes()
}

type word struct {
	Word string `json:"word" minLength:"1"`
}

// TestCallsOfOtherTools has what a module gets from the tools that it may call, and from others.
func TestCallsOfOtherTools(t *testing.T) {
	t.Parallel()
	engine, err := sandbox.New(nil)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close(context.Background())) })
	greet := tool.Func(tool.Spec{Name: "greet", Description: "Greets."},
		func(_ context.Context, in word, _ tool.Env) (string, error) { return "hello " + in.Word, nil })
	length := tool.Func(tool.Spec{Name: "length", Description: "Measures."},
		func(_ context.Context, in word, _ tool.Env) (struct{ Length int }, error) {
			return struct{ Length int }{len(in.Word)}, nil
		})
	fail := tool.Func(tool.Spec{Name: "fail", Description: "Fails."},
		func(context.Context, word, tool.Env) (string, error) {
			return "", tool.Errorf("There is no word.")
		})
	again := tool.Func(tool.Spec{Name: "again", Description: "Calls the module."},
		func(ctx context.Context, _ word, env tool.Env) (string, error) {
			result := env.Dispatch(ctx, tool.Call{Tool: "thing", Input: json.RawMessage(`{}`)})
			return string(result.Code) + ": " + result.Text(), nil
		})
	asked := []string{"greet", "length", "fail", "again", "absent"}
	const input = `{"word":"you"}`
	for _, c := range []struct {
		why     string
		module  []byte
		granted []string
		option  any
		text    string
		code    tool.Code
	}{
		{"text", calling("greet", input, 1), asked, nil, "hello you\nTool calls: greet 1", ""},
		{"data", calling("length", input, 1), asked, nil, "{\"Length\":3}\nTool calls: length 1", ""},
		{"a tool that fails", calling("fail", input, 1), asked, nil, "There is no word.\nTool calls: fail 1 (1 failed)",
			tool.CodeTool},
		{"input that does not fit", calling("greet", `{"word":""}`, 1), asked, nil, "minLength", tool.CodeTool},
		{"input that is not JSON", calling("greet", `{"word":`, 1), asked, nil, "Tool calls: greet 1 (1 failed)",
			tool.CodeTool},
		{"no grants", calling("greet", input, 1), nil, nil, "this module cannot call tools: it has not been granted " +
			"any", tool.CodeTool},
		{"another grant", calling("greet", input, 1), []string{"length"}, nil,
			`the tool "greet" cannot be called: it has not been granted`, tool.CodeTool},
		{"a grant that the project takes back", calling("greet", input, 1), asked, false,
			"this module cannot call tools: it has not been granted any", tool.CodeTool},
		{"an option without a grant", calling("greet", input, 1), nil, true,
			"this module cannot call tools: it has not been granted any", tool.CodeTool},
		{"a tool that is not there", calling("absent", input, 1), asked, nil, "Unknown tool: absent",
			tool.CodeTool},
		{"a tool that is off", calling("off", input, 1), append([]string{"off"}, asked...), nil, "Unknown tool: off",
			tool.CodeTool},
		{"itself", calling("thing", input, 1), asked, nil, `the tool "thing" cannot be called`, tool.CodeTool},
		{"itself through another", calling("again", input, 1), asked, nil,
			"nested_call: Tool thing cannot be called by itself.\nTool calls: again 1", ""},
		{"a name that is none", calling("no such\nname", input, 1), asked, nil, `the tool "no such\nname" cannot`,
			tool.CodeTool},
		{"more calls than a run may make", calling("greet", input, 103), asked, nil,
			"Tool calls: greet 100; 3 more were refused",
			tool.CodeTool},
	} {
		t.Run(c.why, func(t *testing.T) {
			installed := add(t, c.module, module.Grants{Tools: c.granted}, func(m *module.Manifest) {
				m.Asks.Tools = append([]string{"off"}, asked...)
			})
			off := tool.Func(tool.Spec{Name: "off", Description: "Is off."},
				func(context.Context, word, tool.Env) (string, error) { return "it was called", nil })
			r, err := registry.New(module.New(installed, engine), greet, length, fail,
				again, off)
			require.NoError(t, err)
			env := registry.Env{Selection: registry.Selection{Enable: map[string]bool{"off": false}}}
			if c.option != nil {
				env.Selection = env.Selection.WithOption("thing", module.OptionToolCalls, c.option)
			}
			result := r.Dispatch(t.Context(), tool.Call{ID: "c1", Tool: "thing", Input: json.RawMessage(`{}`)}, env)
			require.Contains(t, result.Text(), c.text)
			require.Equal(t, c.code, result.Code)
			require.NotContains(t, result.Text(), "it was called")
		})
	}
}

// TestToolsOfAManifest are asked for by name, and granted only if they are.
func TestToolsOfAManifest(t *testing.T) {
	t.Parallel()
	for manifest, want := range map[string]string{
		`{"name":"a","description":"b","asks":{"tools":["c d"]}}`:   `tools: "c d"`,
		`{"name":"a","description":"b","asks":{"tools":["c","a"]}}`: "a tool cannot call itself",
		`{"name":"a","description":"b","asks":{"tools":"c"}}`:       "tools",
		`{"name":"a","description":"b","asks":{"hosts":["x.org"]}}`: `"hosts" cannot ` +
			`be asked for: ask for requests, as in "network": ["GET https://example.com/**"]`,
		`{"name":"a","description":"b","asks":{"anything":["x.org"]}}`: `unknown field "anything"`,
	} {
		_, err := module.ParseManifest([]byte(manifest))
		require.ErrorContains(t, err, want)
	}
	m := &module.Manifest{Name: "a", Description: "b", Asks: module.Asks{Tools: []string{"c"}}}
	_, err := module.OpenStore(t.TempDir()).Add(m, echo(), module.AddOptions{Grants: module.Grants{Tools: []string{"c",
		"d"}}})
	require.EqualError(t, err, "grant: the tool does not ask to call the tool d")
}

// TestTimeOfPeople: while a person decides on a module's call, the module's time stands still.
func TestTimeOfPeople(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		engine, err := sandbox.New(nil)
		require.NoError(t, err)
		defer func() { require.NoError(t, engine.Close(context.Background())) }()
		greet := tool.Func(tool.Spec{Name: "greet", Description: "Greets."},
			func(_ context.Context, in word, _ tool.Env) (string, error) { return "hello " + in.Word, nil })
		installed := add(t, calling("greet", `{"word":"you"}`, 1), module.Grants{Tools: []string{"greet"}},
			func(m *module.Manifest) { m.Asks.Tools = []string{"greet"} })
		r, err := registry.New(module.New(installed, engine), greet)
		require.NoError(t, err)
		const limit = 8 * time.Second
		env := registry.Env{Selection: registry.Selection{Ask: []string{"greet"}},
			Limits: registry.Limits{Timeout: limit},
			Approve: func(context.Context, registry.ApprovalRequest) (registry.Decision, error) {
				time.Sleep(limit + time.Second)
				return registry.Decision{Approved: true}, nil
			}}
		result := r.Dispatch(t.Context(), tool.Call{ID: "c1", Tool: "thing", Input: json.RawMessage(`{}`)}, env)
		require.Empty(t, result.Code, result.Text())
		require.Contains(t, result.Text(), "hello you")
	})
}
