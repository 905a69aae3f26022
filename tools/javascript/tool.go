// Package javascript provides the tool javascript, which runs code in a sandbox. The package of the same name in
// runtime, here js, is what it runs on:
//
//	engine, err := runtime.New(nil)
//	...
//	interpreter, err := js.New(ctx, engine)
//	...
//	tools, err := registry.New(javascript.New(func(context.Context) (*js.Interpreter, error) {
//		return interpreter, nil
//	}, nil))
//
// Each call gets a fresh sandbox; only the project's files remain from earlier calls, unless [OptionSession] names a
// session: then variables stay from call to call. description.md, which models read, describes what the code can use.
//
// # Calling other tools
//
// With [OptionToolCalls] code can call the other enabled tools, as await tools.NAME(input), and models are told
// their types. [registry.Env.Dispatch] makes these calls, so they follow the same rules as a model's calls:
// selection, permissions, middleware. The promise gives the data of the result if the tool has an output schema,
// and otherwise its text. On failure it is rejected with an Error named ToolError, whose message is the text and
// whose code is the [tool.Code]. A tool named __proto__ cannot be called.
//
// # Experimental
//
// The root package offers this tool; programs that assemble a registry themselves need the package. Its Go names may
// change with any version; the tool's name and input may not.
package javascript

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"time"

	sandbox "github.com/toolrun/toolrun/runtime"
	js "github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/changes"
	"github.com/toolrun/toolrun/tools/internal/coderun"
	"github.com/toolrun/toolrun/vfs"
)

// Name is the tool's name.
const Name = "javascript"

// The tool's options.
const (
	OptionMemory   = "memory"   // how much memory code may have, in MiB
	OptionLoadLib  = "loadLib"  // whether the libraries run before the code
	OptionLib      = "lib"      // the directory of the libraries
	OptionLanguage = "language" // what the code is written in: auto, javascript or typescript

	// OptionSession names the session of the project in which code runs, and OptionSessionDays says after how many days
	// without a call its variables are dropped. With OptionRollback a call that fails leaves the files as they were.
	OptionSession     = coderun.OptionSession
	OptionSessionDays = coderun.OptionSessionDays
	OptionRollback    = coderun.OptionRollback
)

// Folders of the project that have a meaning.
const (
	libraryDir = "/lib"
	// sharedLibraryDir has libraries that several projects share, if one is mounted there. They run first.
	sharedLibraryDir = "/share/lib"
	memoryDir        = "/memories"
)

var languages = map[string]js.Language{
	"auto": js.LanguageAuto, "javascript": js.LanguageJavaScript, "typescript": js.LanguageTypeScript,
}

// An Interpreter returns what scripts run on. It is called for each call of the tool, so it can start the engine when
// it is first needed. It should return the same interpreter each time.
type Interpreter func(ctx context.Context) (*js.Interpreter, error)

// Options configure the tool. The zero value is fine.
type Options struct {
	// ScriptName is what stack traces call the code. Empty means script.js.
	ScriptName string
	// Args become process.argv, after "toolrun" and the name of the script. Nil leaves process.argv with made-up names
	// of Node and the script.
	Args []string
	// Stdin is the script's standard input: see [js.RunOptions].Stdin. Nil means that it has none.
	Stdin io.Reader
	// Output is how much code may print, and return, in bytes: see [sandbox.Limits].Output. Zero means
	// [sandbox.DefaultOutput].
	Output int
}

type expressionKey struct{}

// AsExpression returns a context for a call of the tool whose code is an expression, whose value is the result. Models
// cannot ask for that: it is for hosts that run what a person enters.
func AsExpression(ctx context.Context) context.Context {
	return context.WithValue(ctx, expressionKey{}, true)
}

const schema = `{
	"type": "object",
	"properties": {
		"code": {"type": "string", "description": "The code to run: the body of an async function, or a module. ` +
	`Use return for the result; await works."}
	},
	"required": ["code"]
}`

type javascriptTool struct {
	interpreter Interpreter
	name        string
	output      int
	argv        []any // nil for none
	stdin       io.Reader
}

var (
	_ tool.Loader        = (*javascriptTool)(nil)
	_ tool.InputChecker  = (*javascriptTool)(nil)
	_ tool.InputRenderer = (*javascriptTool)(nil)
)

// New returns the tool.
func New(interpreter Interpreter, options *Options) tool.Tool {
	t := &javascriptTool{interpreter: interpreter}
	if options != nil {
		t.name, t.output, t.stdin = options.ScriptName, options.Output, options.Stdin
		if options.Args != nil {
			t.argv = []any{"toolrun", cmp.Or(t.name, "script.js")}
			for _, arg := range options.Args {
				t.argv = append(t.argv, arg)
			}
		}
	}
	return t
}

// Load implements [tool.Loader].
func (t *javascriptTool) Load(ctx context.Context) error {
	_, err := t.interpreter(ctx)
	return err
}

// Spec implements [tool.Tool].
func (t *javascriptTool) Spec() tool.Spec {
	least, most := float64(sandbox.MinMemory>>20), float64(sandbox.MaxMemory>>20)
	return tool.Spec{
		Name:           Name,
		DisplayName:    "JavaScript Execution",
		Subtitle:       "Run code in a sandbox",
		DescriptionFor: describe,
		Schema:         json.RawMessage(schema),
		Options: append([]tool.Option{{
			ID: OptionMemory, Label: "Memory", Subtitle: "How much memory code may use, in MiB",
			Type: tool.OptionNumber, Default: sandbox.DefaultMemory >> 20, Min: &least, Max: &most,
		}, {
			ID: OptionLoadLib, Label: "Libraries", Subtitle: "Run the project's libraries before the code",
			Type: tool.OptionBool, Default: true,
		}, {
			ID: OptionLib, Label: "Library folder", Subtitle: "The folder whose files are the libraries",
			Type: tool.OptionText, Default: libraryDir,
		}, {
			ID: OptionLanguage, Label: "Language", Subtitle: "What code is written in",
			Type: tool.OptionSelect, Default: "auto", Choices: []tool.Choice{
				{Value: "auto", Label: "Automatic"}, {Value: "javascript", Label: "JavaScript"},
				{Value: "typescript", Label: "TypeScript"},
			},
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
		ReadsFiles:   "fs.readFile in the javascript tool",
	}
}

// CheckInput implements [tool.InputChecker].
func (t *javascriptTool) CheckInput(input map[string]any) error { return coderun.Check(input) }

// RenderInput implements [tool.InputRenderer]: it shows the code.
func (t *javascriptTool) RenderInput(input json.RawMessage) string { return coderun.Code(input) }

// Execute implements [tool.Tool].
func (t *javascriptTool) Execute(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error) {
	var in struct{ Code string }
	if err := json.Unmarshal(call.Input, &in); err != nil {
		return tool.Result{}, err
	}
	start := time.Now()
	interpreter, err := t.interpreter(ctx)
	if err != nil {
		return tool.Result{}, fmt.Errorf("starting the engine: %w", err)
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
	options := &js.RunOptions{
		Name:      t.name,
		Owner:     env.Project,
		Client:    env.Client,
		Functions: functions(calls),
		Stdin:     t.stdin,
		Session:   session != nil,
		State:     session.State(),
		Limits: sandbox.Limits{
			Time:   limit,
			Memory: int64(env.Options.Number(OptionMemory) * (1 << 20)),
			Output: t.output,
		},
	}
	options.Console = coderun.Progress(env)
	options.Expression, _ = ctx.Value(expressionKey{}).(bool)
	options.Language = languages[env.Options.Text(OptionLanguage)]
	options.Globals = map[string]any{}
	if t.argv != nil {
		options.Globals["process.argv"] = t.argv
	}
	uses := coderun.NetworkOf(env)
	if uses != nil {
		options.Network = uses
		if secrets := coderun.Environment(env); len(secrets) > 0 {
			options.Globals["process.env"] = secrets
		}
	}
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
		if env.Options.Bool(OptionLoadLib) {
			// Most projects have none. To let the engine look would take a goroutine, which is more work than the rest
			// of a small call.
			dirs := []string{path.Join("/", env.Options.Text(OptionLib))}
			if vfs.IsMount(env.Files, path.Dir(sharedLibraryDir)) {
				dirs = []string{sharedLibraryDir, dirs[0]}
			}
			for _, dir := range dirs {
				if _, err := env.Files.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
					options.Libraries = append(options.Libraries, dir)
				}
			}
		}
	}
	session.GoOn(saved)
	var result *js.Result
	if saved == nil {
		result, err = interpreter.Run(ctx, coderun.WithoutFence(in.Code), options)
		if session.Unfit(err) {
			options.State = nil
			result, err = interpreter.Run(ctx, coderun.WithoutFence(in.Code), options)
		}
	} else {
		calls.GoOn(saved)
		result = &js.Result{}
		var code *sandbox.State
		if code, err = saved.Open(ctx, env, options.Limits.Memory, interpreter.OpenState); err == nil {
			result, err = interpreter.Resume(ctx, code, options)
		}
	}
	if err == js.ErrSuspend {
		return coderun.Suspend(ctx, result.State, calls, session, changed(), env)
	}
	err = session.WithoutState(err)
	if coderun.IsHostFailure(err, js.IsScriptFailure) {
		return tool.Result{}, err
	}
	coderun.LogCrash(ctx, env.Logger, "the JavaScript engine", err)
	out := render(result, err, changed())
	if err == nil && len(out.Content) == 1 && out.Content[0].Text == "" {
		out.Content = []tool.Part{{Text: emptyNote}}
	}
	calls.AddTo(&out)
	session.Finish(ctx, &out, result.State)
	uses.AddTo(&out)
	if note := coderun.UnknownNote(call.Input); note != "" {
		out.Content = append(out.Content, tool.Part{Text: note})
	}
	return out, nil
}

// emptyNote is what a model gets instead of nothing at all.
const emptyNote = "Note: the code returned an empty string."
