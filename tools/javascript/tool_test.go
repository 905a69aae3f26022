package javascript_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/test/race"
	"github.com/toolrun/toolrun/internal/test/wrapfs"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/runtime"
	js "github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/vfs/local"
)

// engine is shared by all tests, but those in bubbles.
var engine *enginetest.Engine

func TestMain(m *testing.M) {
	engine = enginetest.New(runtime.EngineOptions{MaxRuns: 64})
	code := m.Run()
	if err := engine.Close(context.Background()); err != nil {
		panic(err)
	}
	os.Exit(code)
}

// toolOn returns the tool on an engine.
func toolOn(engine *enginetest.Engine) tool.Tool {
	return javascript.New(func(context.Context) (*js.Interpreter, error) { return engine.Interpreter, nil }, nil)
}

func newRegistry(t testing.TB) *registry.Registry {
	t.Helper()
	r, err := registry.New(toolOn(engine), filesystem.New())
	require.NoError(t, err)
	return r
}

func newEnv(t testing.TB) registry.Env {
	t.Helper()
	project, err := local.NewMemoryStore(nil).Open(t.Context(), "test")
	require.NoError(t, err)
	return registry.Env{Project: "test", Files: project}
}

func run(t testing.TB, r *registry.Registry, env registry.Env, code string) tool.Result {
	t.Helper()
	input, err := json.Marshal(map[string]string{"code": code})
	require.NoError(t, err)
	return r.Dispatch(t.Context(), tool.Call{ID: "call", Tool: javascript.Name, Input: input}, env)
}

func TestData(t *testing.T) {
	r, env := newRegistry(t), newEnv(t)
	result := run(t, r, env, "console.warn('w')\nreturn {n: [1, '<']}")
	var out code.Output
	require.NoError(t, json.Unmarshal(result.Data.(json.RawMessage), &struct {
		*code.Output
		Console any `json:"console"`
	}{Output: &out}))
	require.Equal(t, map[string]any{"n": []any{1.0, "<"}}, out.Value)
	require.Positive(t, out.Usage.Work)
	require.Nil(t, out.Error)
	require.Contains(t, string(result.Data.(json.RawMessage)), `"console":[{"level":"WARN","text":"w"}]`)
	for code, want := range map[string]string{
		"\n null.x":                   `"kind":"exception"`,
		"return (":                    `"kind":"syntax"`,
		"await new Promise(() => {})": `"kind":"never settles"`,
		enginetest.Crash:              `"kind":"engine crash"`,
		"halt('enough')":              `"kind":"halted"`,
	} {
		require.Contains(t, string(run(t, r, env, code).Data.(json.RawMessage)), want)
	}
}

// expiring is a context whose time is up when the test says so.
type expiring struct {
	context.Context
	over chan struct{}
}

func (c *expiring) expire()               { close(c.over) }
func (c *expiring) Done() <-chan struct{} { return c.over }
func (c *expiring) Value(any) any         { return nil } // which would lead around it
func (c *expiring) Err() error {
	select {
	case <-c.over:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// noticingFs calls a function when a script asks for a path.
type noticingFs struct {
	afero.Fs
	name   string
	notice func()
}

func (f noticingFs) Stat(name string) (os.FileInfo, error) {
	if name == f.name {
		f.notice()
	}
	return f.Fs.Stat(name)
}

func TestLimits(t *testing.T) {
	r, env := newRegistry(t), newEnv(t)
	ctx := &expiring{t.Context(), make(chan struct{})}
	env.Files = wrapfs.Around(env.Files, func(files afero.Fs) afero.Fs { return noticingFs{files, "/now", ctx.expire} })
	input := json.RawMessage(`{"code":"console.log('before'); fs.existsSync('/now'); for (;;);"}`)
	result := r.Dispatch(ctx, tool.Call{Tool: javascript.Name, Input: input}, env)
	require.Equal(t, tool.CodeTimeout, result.Code)
	require.Contains(t, result.Text(), "[LOG] before\n=== Result ===\nthe script was stopped")

	env.Selection.Options = map[string]map[string]any{javascript.Name: {code.OptionMemory: 16}}
	result = run(t, r, env, `const all = []; for (;;) all.push(new Uint8Array(1e6))`)
	require.Contains(t, result.Text(), "the script may use 16 MiB")
	definitions, err := r.Definitions(tool.Anthropic, env.Selection)
	require.NoError(t, err)
	require.Contains(t, definitions[0].Description, "more than 16 MiB of memory")
}

func TestLongResultsCanBeReadFromFiles(t *testing.T) {
	r, env := newRegistry(t), newEnv(t)
	result := run(t, r, env, "return Array.from({length: 20000}, (_, i) => `line ${i + 1}`).join('\\n')")
	require.Contains(t, result.Text(), "It is in the file /.tool-output/call.txt;")
	require.Contains(t, result.Text(),
		" Read on with fs.readFile in the javascript tool, or the filesystem tool's view command and view_range.]")
	require.Equal(t, "line 10000", run(t, r, env,
		"return (await fs.readFile('/.tool-output/call.txt', 'utf8')).split('\\n')[9999]").Text())
	view := tool.Call{Tool: "filesystem",
		Input: json.RawMessage(`{"command":"view","path":"/.tool-output/call.txt","view_range":[10000,10001]}`)}
	require.Equal(t, "Here's the content of /.tool-output/call.txt with line numbers:\n 10000\tline 10000\n "+
		"10001\tline 10001", r.Dispatch(t.Context(), view, env).Text())
}

func TestCallsAtOnce(t *testing.T) {
	r, env := newRegistry(t), newEnv(t)
	var calls []tool.Call
	for i := range 10 {
		code := fmt.Sprintf(`await fs.writeFile("/%d.txt", "%d"); return %d`, i, i, i)
		input, err := json.Marshal(map[string]string{"code": code})
		require.NoError(t, err)
		calls = append(calls, tool.Call{ID: fmt.Sprint("call-", i), Tool: javascript.Name, Input: input})
	}
	for i, result := range r.DispatchAll(t.Context(), calls, env) {
		require.Equal(t, fmt.Sprint(i), result.Content[0].Text)
		data, err := afero.ReadFile(env.Files, fmt.Sprintf("/%d.txt", i))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(i), string(data))
	}
}

func TestAnEngineThatDoesNotStart(t *testing.T) {
	r, err := registry.New(javascript.New(func(context.Context) (*js.Interpreter, error) {
		return nil, fmt.Errorf("no engine")
	}, nil))
	require.NoError(t, err)
	result := run(t, r, registry.Env{}, "return 1")
	require.Equal(t, tool.CodeFailed, result.Code)
	require.Equal(t, "Tool execution failed: starting the JavaScript engine: no engine", result.Text())
	require.Equal(t, "return 1", r.RenderInput(tool.Call{Tool: "javascript",
		Input: json.RawMessage(`{"code":"return 1"}`)}))
}

func BenchmarkReturnOne(b *testing.B) {
	r, env := newRegistry(b), newEnv(b)
	for b.Loop() {
		if result := run(b, r, env, "return 1"); result.IsError() {
			b.Fatal(result.Text())
		}
	}
}

// TestACallTakesLittleMemory bounds what a call takes whose code does nothing: the sandbox itself takes some 50
// allocations of it.
func TestACallTakesLittleMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector empties pools at random")
	}
	r, env := newRegistry(t), newEnv(t)
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { run(t, r, env, "return 1") }), 145.0)
}

func TestReport(t *testing.T) {
	r, env := newRegistry(t), newEnv(t)
	for code, want := range map[string]code.Report{
		`return 1`:           {Text: "1"},
		`return ''`:          {},
		`return 'undefined'`: {Text: "undefined"},
		`console.log(1)`:     {Text: "", Undefined: true, Console: []runtime.Entry{{Text: "1"}}},
		`console.warn('=== Result ===')`: {Undefined: true, Console: []runtime.Entry{{Level: runtime.LevelWarn,
			Text: "=== Result ==="}}},
		`process.exit(3)`:               {Exited: true, Status: 3},
		`await fs.writeFile('/f', 'x')`: {Undefined: true},
		`throw 'no'`:                    {Text: "no"},
	} {
		if want.Console == nil {
			want.Console = []runtime.Entry{}
		}
		report, ok := javascript.Language.Report(run(t, r, env, code))
		require.True(t, ok, code)
		require.Equal(t, want, report, code)
	}
	_, ok := javascript.Language.Report(tool.Result{Tool: "other"})
	require.False(t, ok)
	_, ok = javascript.Language.Report(run(t, r, env, ""))
	require.False(t, ok, "no code ran")
}

// TestAsExpression: only the host says that code is an expression.
func TestAsExpression(t *testing.T) {
	r, env := withToolCalls(t)
	call := tool.Call{ID: "1", Tool: javascript.Name, Input: json.RawMessage(`{"code": "6 * 7"}`)}
	require.Equal(t, "42", r.Dispatch(code.AsExpression(t.Context()), call, env).Content[0].Text)
	require.Equal(t, "=== Console output ===\n[WARN] The code returns nothing. To get the value of its last "+
		"expression, write: return 6 * 7\n"+
		"=== Result ===\nundefined", r.Dispatch(t.Context(), call, env).Content[0].Text)
}
