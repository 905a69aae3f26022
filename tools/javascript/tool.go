// Package javascript has the language JavaScript for package code, which makes the tool javascript of it. The package
// of the same name in runtime, here js, is what it runs on:
//
//	engine, err := runtime.New(nil)
//	...
//	interpreter, err := js.New(ctx, engine)
//	...
//	tools, err := registry.New(javascript.New(func(context.Context) (*js.Interpreter, error) {
//		return interpreter, nil
//	}, nil))
//
// description.md, which models read, describes what the code can use. Code calls other tools as await
// tools.NAME(input).
//
// # Experimental
//
// The root package offers this tool; programs that assemble a registry themselves need the package. Its Go names may
// change with any version; the tool's name and input may not.
package javascript

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"io/fs"
	"path"

	sandbox "github.com/toolrun/toolrun/runtime"
	js "github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/runtime/script"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
)

// Name is the tool's name.
const Name = "javascript"

// Options of this language. Package code has those of all languages.
const (
	OptionLoadLib  = "loadLib"  // whether the libraries run before the code
	OptionLib      = "lib"      // the directory of the libraries
	OptionLanguage = "language" // what the code is written in: auto, javascript or typescript
)

// sharedLibraryDir has libraries that several projects share, if one is mounted there. They run first.
const sharedLibraryDir = "/share/lib"

var dialects = map[string]js.Language{
	"auto": js.LanguageAuto, "javascript": js.LanguageJavaScript, "typescript": js.LanguageTypeScript,
}

// Language is JavaScript.
var Language = code.Language{
	Name: Name, Title: "JavaScript", Guest: "the JavaScript engine",
	Code: "The code to run: the body of an async function, or a module. " +
		"Use return for the result; await works.",
	ReadFiles: "fs.readFile in the javascript tool",
	Options: []tool.Option{{
		ID: OptionLoadLib, Label: "Libraries", Subtitle: "Run the project's libraries before the code",
		Type: tool.OptionBool, Default: true,
	}, {
		ID: OptionLib, Label: "Library folder", Subtitle: "The folder whose files are the libraries",
		Type: tool.OptionText, Default: "/lib",
	}, {
		ID: OptionLanguage, Label: "Language", Subtitle: "What code is written in",
		Type: tool.OptionSelect, Default: "auto", Choices: []tool.Choice{
			{Value: "auto", Label: "Automatic"}, {Value: "javascript", Label: "JavaScript"},
			{Value: "typescript", Label: "TypeScript"},
		},
	}},
	Careful: map[string]any{OptionLoadLib: false},
	Open: func(ctx context.Context, engine *sandbox.Engine, _ script.Module) (code.Interpreter, error) {
		i, err := js.New(ctx, engine)
		return Interpreter{i}, err
	},
	Describe: describe, Declare: declareAll, ToolCalls: toolCallsDescription,
	Variable: func(name string) string { return "process.env." + name },
	Console:  consoleText,
	Nothing:  "undefined", Empty: "Note: the code returned an empty string.",
	Shell: shell,
	Samples: []code.Sample{{
		ID: "javascript", Title: "JavaScript", Options: map[string]any{OptionLanguage: "javascript"},
		Code: "// The body of an async function: return gives the result, and await works.\n" +
			"const names = await fs.readdir(\"/\")\nconsole.log(\"files:\", names)\nreturn names.length\n",
	}, {
		ID: "typescript", Title: "TypeScript", Options: map[string]any{OptionLanguage: "typescript"},
		Code: "// Types are removed, not checked.\nconst squares: number[] = [1, 2, 3].map((n: number) => n * n)\n" +
			"return squares\n",
	}},
}

//go:embed toolcalls.md
var toolCallsDescription string

// New returns the tool. interpreter is called for each call, as a [code.Loader].
func New(interpreter func(context.Context) (*js.Interpreter, error), options *code.Options) tool.Tool {
	return code.New(Language, func(ctx context.Context) (code.Interpreter, error) {
		i, err := interpreter(ctx)
		return Interpreter{i}, err
	}, options)
}

// An Interpreter runs scripts as package code asks for it.
type Interpreter struct{ *js.Interpreter }

// Run implements [code.Interpreter].
func (i Interpreter) Run(ctx context.Context, script string, run *code.Run) (*script.Result, error) {
	return i.Interpreter.Run(ctx, script, runOptions(run))
}

// Resume implements [code.Interpreter].
func (i Interpreter) Resume(ctx context.Context, state *sandbox.State, run *code.Run) (*script.Result, error) {
	return i.Interpreter.Resume(ctx, state, runOptions(run))
}

func runOptions(run *code.Run) *js.RunOptions {
	options := &js.RunOptions{
		Limits: run.Limits, Name: run.Name, Owner: run.Env.Project, Client: run.Env.Client, Files: run.Files,
		Libraries: libraries(run), Language: dialects[run.Env.Options.Text(OptionLanguage)],
		Expression: run.Expression, Functions: functions(run.Tools), Globals: map[string]any{}, Network: run.Network,
		Session: run.Session, State: run.State, Stdin: run.Stdin, Console: run.Console,
	}
	if run.Args != nil {
		argv := []any{"toolrun", "/" + cmp.Or(run.Name, "script.js")} // which is __filename
		for _, arg := range run.Args {
			argv = append(argv, arg)
		}
		options.Globals["process.argv"] = argv
	}
	if len(run.Environment) > 0 {
		options.Globals["process.env"] = run.Environment
	}
	return options
}

// libraries returns the folders of libraries that there are. Most projects have none. To let the engine look would take
// a goroutine, which is more work than the rest of a small call.
func libraries(run *code.Run) (there []string) {
	if run.Files == nil || !run.Env.Options.Bool(OptionLoadLib) {
		return nil
	}
	dirs := []string{path.Join("/", run.Env.Options.Text(OptionLib))}
	if run.HasShared() {
		dirs = []string{sharedLibraryDir, dirs[0]}
	}
	for _, dir := range dirs {
		if _, err := run.Env.Files.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			there = append(there, dir)
		}
	}
	return there
}

// consoleText is the console as models read it, up to the heading of the result.
func consoleText(console []sandbox.Entry) code.Pieces {
	return func(add func(string)) {
		section := ""
		for _, entry := range console {
			header := "=== Console output ==="
			if entry.Library != "" {
				header = "=== Output of library " + entry.Library + " ==="
			}
			if header != section {
				add(header)
				add("\n")
				section = header
			}
			add("[")
			add(entry.Level.String())
			add("] ")
			add(entry.Text)
			add("\n")
		}
		if section != "" {
			add("=== Result ===\n")
		}
	}
}
