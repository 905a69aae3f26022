// Package python provides the tool python, which runs code in a sandbox. The package of the same name in runtime, here
// py, is what it runs on:
//
//	engine, err := runtime.New(nil)
//	...
//	interpreter, err := py.New(ctx, engine, module)
//	...
//	tools, err := registry.New(python.New(func(context.Context) (*py.Interpreter, error) {
//		return interpreter, nil
//	}, nil))
//
// Each call gets a fresh sandbox; only the project's files remain from earlier calls, unless the option session names a
// session, whose variables stay. description.md, which models read, describes what the code can use.
//
// With [OptionToolCalls] code can call the other enabled tools, as tools.NAME(key=value), with the rules that hold in
// the tool javascript.
//
// # Experimental
//
// The root package offers this tool; programs that assemble a registry themselves need the package. Its Go names may
// change with any version; the tool's name and input may not.
package python

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"time"

	sandbox "github.com/toolrun/toolrun/runtime"
	py "github.com/toolrun/toolrun/runtime/python"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/changes"
	"github.com/toolrun/toolrun/tools/internal/coderun"
	"github.com/toolrun/toolrun/vfs"
)

// Name is the tool's name.
const Name = "python"

// OptionMemory is the option, a number, that says how much memory code may have, in MiB.
const OptionMemory = "memory"

// MinMemory is the least memory that code can be given, in bytes. Python itself needs most of it.
const MinMemory = 40 << 20

// Folders of the project that have a meaning.
const (
	memoryDir  = "/memories" // only the tool memory changes it
	libraryDir = "/lib/python"
	// sharedLibraryDir has packages that several projects share, if a project is mounted at /share. They come first.
	sharedLibraryDir = "/share/lib/python"
)

// An Interpreter returns what code runs on. It is called for each call of the tool, so it can load Python when it is
// first needed. It should return the same interpreter each time.
type Interpreter func(ctx context.Context) (*py.Interpreter, error)

// Options configure the tool. The zero value is fine.
type Options struct {
	// ScriptName is what tracebacks call the code. Empty means script.py.
	ScriptName string
	// Args become sys.argv, after the name of the script.
	Args []string
	// Stdin is the code's standard input, read when the code reads it. Nil means that it has none: input() is an error
	// that says so.
	Stdin io.Reader
	// Output is how much code may print, and return, in bytes: see [sandbox.Limits].Output. Zero means
	// [sandbox.DefaultOutput].
	Output int
}

type expressionKey struct{}

// AsExpression returns a context for a call of the tool whose code is an expression and nothing else. Models cannot ask
// for that: it is for hosts that run what a person enters.
func AsExpression(ctx context.Context) context.Context {
	return context.WithValue(ctx, expressionKey{}, true)
}

const schema = `{
	"type": "object",
	"properties": {
		"code": {"type": "string", "description": "The code to run, as in a notebook: ` +
	`the value of the last expression is the result."}
	},
	"required": ["code"]
}`

type pythonTool struct {
	interpreter Interpreter
	options     Options
}

var (
	_ tool.Loader        = (*pythonTool)(nil)
	_ tool.InputChecker  = (*pythonTool)(nil)
	_ tool.InputRenderer = (*pythonTool)(nil)
)

// New returns the tool.
func New(interpreter Interpreter, options *Options) tool.Tool {
	t := &pythonTool{interpreter: interpreter}
	if options != nil {
		t.options = *options
	}
	return t
}

// Load implements [tool.Loader].
func (t *pythonTool) Load(ctx context.Context) error {
	_, err := t.interpreter(ctx)
	return err
}

// Spec implements [tool.Tool].
func (t *pythonTool) Spec() tool.Spec {
	least, most := float64(MinMemory>>20), float64(sandbox.MaxMemory>>20)
	return tool.Spec{
		Name:           Name,
		DisplayName:    "Python Execution",
		Subtitle:       "Run code in a sandbox",
		DescriptionFor: describe,
		Schema:         json.RawMessage(schema),
		Options: append([]tool.Option{{
			ID: OptionMemory, Label: "Memory", Subtitle: "How much memory code may use, in MiB",
			Type: tool.OptionNumber, Default: sandbox.DefaultMemory >> 20, Min: &least, Max: &most,
		}, {
			ID: OptionToolCalls, Label: "Tool calls", Subtitle: "Let code call the other tools",
			Type: tool.OptionBool, Default: false,
		}}, coderun.SessionOptions()...),
		OutputSchema: coderun.OutputSchema,
		TextOutput:   true, // where the data is too long
		Category:     tool.CategoryCode,
		Annotations:  tool.Annotations{Destructive: true},
		Icons:        tool.Icons{Input: "code", Output: "terminal"},
		Timeout:      sandbox.DefaultTime,
		KeepsTime:    true,
		ReadsFiles:   "open in the python tool",
	}
}

// CheckInput implements [tool.InputChecker].
func (t *pythonTool) CheckInput(input map[string]any) error { return coderun.Check(input) }

// RenderInput implements [tool.InputRenderer]: it shows the code.
func (t *pythonTool) RenderInput(input json.RawMessage) string { return coderun.Code(input) }

// Execute implements [tool.Tool].
func (t *pythonTool) Execute(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error) {
	var in struct{ Code string }
	if err := json.Unmarshal(call.Input, &in); err != nil {
		return tool.Result{}, err
	}
	start := time.Now()
	interpreter, err := t.interpreter(ctx)
	if err != nil {
		return tool.Result{}, fmt.Errorf("starting Python: %w", err)
	}
	session, err := coderun.BeginSession(ctx, Name, call, env, interpreter.OpenState)
	if err != nil {
		return tool.Result{}, err
	}
	defer session.End()
	limit, err := coderun.TimeLeft(env.Timeout, start)
	if err != nil {
		return tool.Result{}, err
	}
	calls := &coderun.ToolCalls{Env: env}
	options := &py.RunOptions{
		Functions: functions(calls),
		Name:      t.options.ScriptName,
		Args:      t.options.Args,
		Owner:     env.Project,
		Client:    env.Client,
		Console:   coderun.Progress(env),
		StdinFrom: t.options.Stdin,
		Session:   session != nil,
		State:     session.State(),
		Limits: sandbox.Limits{
			Time: limit, Memory: int64(env.Options.Number(OptionMemory) * (1 << 20)), Output: t.options.Output,
		},
	}
	uses := coderun.NetworkOf(env)
	if uses != nil {
		options.Network = uses
		options.Environment = coderun.Environment(env)
	}
	options.Expression, _ = ctx.Value(expressionKey{}).(bool)
	saved, err := coderun.ReadSaved(env)
	if err != nil {
		return tool.Result{}, err
	}
	changed := func() *Changes { return nil }
	if env.Files != nil {
		recorder := changes.Record(env.Files)
		if saved != nil {
			recorder.GoOn(saved.Files)
		}
		changed = recorder.Changes
		options.Files = vfs.ReadOnly(recorder.Fs, memoryDir)
		if vfs.IsMount(env.Files, path.Dir(path.Dir(sharedLibraryDir))) {
			options.Libraries = []string{sharedLibraryDir, libraryDir}
		}
	}
	session.GoOn(saved)
	var result *py.Result
	if saved == nil {
		result, err = interpreter.Run(ctx, coderun.WithoutFence(in.Code), options)
		if session.Unfit(err) {
			options.State = nil
			result, err = interpreter.Run(ctx, coderun.WithoutFence(in.Code), options)
		}
	} else {
		calls.GoOn(saved)
		result = &py.Result{}
		var code *sandbox.State
		if code, err = saved.Open(ctx, env, options.Limits.Memory, interpreter.OpenState); err == nil {
			result, err = interpreter.Resume(ctx, code, options)
		}
	}
	if err == py.ErrSuspend {
		return coderun.Suspend(ctx, result.State, calls, session, changed(), env)
	}
	err = session.WithoutState(err)
	if coderun.IsHostFailure(err, py.IsScriptFailure) {
		return tool.Result{}, err
	}
	coderun.LogCrash(ctx, env.Logger, "Python", err)
	out := render(result, err, changed())
	calls.AddTo(&out)
	uses.AddTo(&out)
	session.Finish(ctx, &out, result.State)
	if note := coderun.UnknownNote(call.Input); note != "" {
		out.Content = append(out.Content, tool.Part{Text: note})
	}
	return out, nil
}
