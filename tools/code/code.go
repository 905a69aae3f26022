// Package code makes the tools that run code, one for each language. A [Language] says what a language has that others
// have not; calls, sessions, suspension, calls of other tools, requests, limits and results are the same for all:
//
//	engine, err := runtime.New(nil)
//	...
//	tools, err := registry.New(code.New(javascript.Language, interpreter, nil))
//
// Each call gets a fresh sandbox; only the project's files remain from earlier calls, unless [OptionSession] names a
// session: then variables stay from call to call.
//
// # Calling other tools
//
// With [OptionToolCalls] code can call the other enabled tools, as tools.NAME, and models are told their types.
// [tool.Env.Dispatch] makes these calls, so they follow the same rules as a model's calls: selection, permissions,
// middleware. Code gets the data of the result if the tool has an output schema, and otherwise its text. On failure it
// gets an error named ToolError, whose message is the text and whose code is the [tool.Code]. A tool named __proto__
// cannot be called.
//
// # Experimental
//
// The root package offers these tools; programs that assemble a registry themselves need the package. Its Go names may
// change with any version; the names of options and fields of results may not.
package code

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/network"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/changes"
	"github.com/toolrun/toolrun/vfs"
)

// OptionMemory is the option, a number, that says how much memory code may have, in MiB.
const OptionMemory = "memory"

// A Language is a language of code, and the tool that runs it.
type Language struct {
	// Name is the tool's name, such as "python", and Title the language's, such as "Python".
	Name, Title string
	// Guest is what errors of the host call the interpreter.
	Guest string
	// Argument is the name of the argument that has the code. Empty means "code". Code describes it to models, and
	// ReadFiles says how code reads a file: see [tool.Spec].ReadsFiles.
	Argument, Code, ReadFiles string
	// Restarts adds the arguments timeout, for less time than a call may take, and restart, which drops the variables
	// of the session first; it needs no code.
	Restarts bool
	// MinMemory is the least memory that code can be given, in bytes. Zero means [sandbox.MinMemory].
	MinMemory int64
	// Options are those that only this language has.
	Options []tool.Option

	// Careful has values of options for files that can be anybody's, unless the host gives others.
	Careful map[string]any

	// Open loads the interpreter into an engine. build is the one that Build returns.
	Open func(ctx context.Context, engine *sandbox.Engine, build script.Module) (Interpreter, error)
	// Module is the name of the module that has the interpreter, which toolrun module add takes. Empty means that it is
	// part of the program. Build, if not nil, returns it when the language is first needed. Otherwise it is the module
	// of that name that the operator has added.
	Module string
	Build  func() (script.Module, error)
	// Packages are those that the build has beside the standard library: see [script.Packages]. With them, code has
	// PackagesMemory by default, in bytes, and at least twice MinMemory.
	Packages       []string
	PackagesMemory int64
	// Installer, if not nil, returns what adds packages from an index to projects, beside own, those of the build.
	Installer func(load Loader, own []string, index PackageIndex) Installer

	// Describe tells models what code can do, and Declare declares tools that the code can call: see ToolCalls.
	Describe func(offer tool.Offer, facts Facts) string
	Declare  func(tools []*tool.Definition) string
	// Override, if not nil, returns the definition that an API has for such a tool, or nil: see [tool.APIOverrider].
	Override func(api tool.API, options tool.Options) json.RawMessage
	// CallsTools makes true the default of [OptionToolCalls], for a language whose programs are other tools, and
	// TextCalls gives code what models read of a result, and never its data.
	CallsTools, TextCalls bool
	// AsksForCommands is that of [tool.Spec].
	AsksForCommands bool
	// ToolCalls is the text about calling tools, with the marks %d for [MaxToolCalls] and %s for the declarations.
	ToolCalls string
	// Variable is how code reads an environment variable.
	Variable func(name string) string

	// Hint, if not nil, is a note for models about what code has printed, or "": what to do instead of what cannot
	// work. files are the project's, or nil.
	Hint func(console []sandbox.Entry, files afero.Fs) string

	// Console is the console as models read it. ResultHeading and ErrorHeading come between it and what follows, unless
	// one of both is empty.
	Console                     func([]sandbox.Entry) Pieces
	ResultHeading, ErrorHeading string
	// Nothing is the text of a result that is no value, and Empty what models read instead of nothing at all.
	Nothing, Empty string

	// Shell is what people get, and Samples are programs to begin with: one for each dialect, the most usual one first.
	Shell   Shell
	Samples []Sample
	// Package is where a build can be got, for a language with a Module.
	Package Package
}

// A Shell is what a language is to people at a shell or a prompt.
type Shell struct {
	// Command is the name of the command that runs code. The others are its help.
	Command, Short, Long, Example string
	// Nothing is printed for an expression that has no value.
	Nothing string
	// CommandFlag means that -c gives the code, as for the language's own command, and not only -e.
	CommandFlag bool
	// Module, if not nil, returns the code that runs the module of this name, which -m gives.
	Module func(name string) string
	// Quiet means that the command prints only what code prints, unless the code is an expression.
	Quiet bool
	// FileOptions, if not nil, returns values of options for code from a file of this name.
	FileOptions func(name string) map[string]any

	// Entries says how the prompt's entries are written. It has the mark %s, for how long variables stay.
	Entries string
	// IsIncomplete reports whether an entry goes on in the next line: nothing but its end is missing.
	IsIncomplete func(ctx context.Context, ask Ask, entry string) bool
	// IsExpression, if not nil, reports whether an entry is to run as an expression, to show its value. stays means
	// that what it declares stays for the next one.
	IsExpression func(ctx context.Context, entry string, stays bool) bool
	// Globals is code whose value has lists of the names of attributes, by the names of the globals that have them. The
	// names of the globals are under "". It can also print these alone, a line each.
	Globals string
	// LikeSh means that the command is used as sh is: standard input is the code if nothing else is, what follows the
	// code of -c is its name and its arguments, and the prompt completes paths. The prompt's --lang takes Command, too.
	LikeSh bool
}

// A Sample is a program to begin with.
type Sample struct {
	// ID tells the samples of all languages apart, and Title is that of the language or dialect.
	ID, Title string
	// Options are values of the language's options.
	Options map[string]any
	Code    string
}

// An Ask returns the value of code of the prompt itself, which can read input, or nil if that fails.
type Ask func(code, input string) any

// A Package is where the build of a language comes from: a file of toolrun's releases or of an npm package, or a
// program of this module that Go builds.
type Package struct {
	// Go is the folder of the program, which is a module of its own. The fields below but Interpreter are empty then.
	Go string
	// Interpreter is what it is, such as CPython, and Version which one.
	Interpreter, Version string
	// Name and File are the package's, with its version, and the file's in it, and SHA256 the file's hash in hex.
	Name, File, SHA256 string
	// Release is the name of a file of toolrun's releases that has more than the package's, with %s for the version,
	// and ReleaseSHA256 its hash in hex. They are empty if there is none.
	Release, ReleaseSHA256 string
	// Script is the file of toolrun's source that makes the file of releases. It gets the name of the file to make, and
	// says what it does in lines that begin with "== ". Its status is 3 if the machine has not what it needs.
	Script string
}

// Facts are what descriptions of all languages depend on.
type Facts struct {
	Files             bool
	Session, Rollback bool    // variables stay; what fails changes nothing
	Days              float64 // how long variables stay
	Seconds, Memory   float64 // the limits; memory in MiB
	Packages          string  // of the build, with their versions; empty if it has none
	Hosts, Secrets    string  // of the network; empty if there are none
}

// An Interpreter runs code of a language. It is safe for concurrent use.
type Interpreter interface {
	// Run runs code. The result is never nil. [script.IsFailure] tells errors of the code from those of the host.
	Run(ctx context.Context, code string, run *Run) (*script.Result, error)
	// Resume goes on with code that waited for calls: the State of a result with [sandbox.ErrSuspend].
	Resume(ctx context.Context, state *sandbox.State, run *Run) (*script.Result, error)
	// OpenState opens a sealed state: see [sandbox.Program.OpenState].
	OpenState(sealed, key []byte, memory int64) (*sandbox.State, error)
	// Variables lists what code of a session has left, at most [sandbox.MaxVariables], sorted by name.
	Variables(ctx context.Context, state *sandbox.State, limits sandbox.Limits) ([]sandbox.Variable, error)
}

// A Run is what code runs with. The zero value gives it only the language and the default limits.
type Run struct {
	// Env is the environment of the call, with the values of the language's options. It is empty for code of the host.
	Env    tool.Env
	Limits sandbox.Limits
	// Name is the code's file name in stack traces, or empty.
	Name string
	// Args are the code's arguments. Nil means that the host gives none.
	Args []string
	// Stdin is the standard input, or nil.
	Stdin io.Reader
	// Console, if not nil, gets each entry of the console when it is printed.
	Console func(sandbox.Entry)
	// Files are the project's, or nil.
	Files afero.Fs
	// Network makes requests, and Environment has the variables that stand for secrets. Both can be nil.
	Network     network.Run
	Environment map[string]string
	// Expression means that the code is an expression, whose value is the result.
	Expression bool
	// Session makes the code one of a session, which goes on from State unless that is nil.
	Session bool
	State   *sandbox.State
	// Tools are the tools that the code can call.
	Tools []Callable
}

// A Callable is a tool that code can call.
type Callable struct {
	// Name is the tool's name. Code calls it as [ToolPrefix] and the name.
	Name string
	// Call makes the call, with a JSON object. The value is a string or a [json.RawMessage]. Errors are for the code;
	// or the error is [sandbox.ErrSuspend].
	Call func(ctx context.Context, input json.RawMessage) (any, error)
}

// InvalidCall is the error of a call that does not fit how code calls tools. takes says what they take, and reason what
// is wrong.
func InvalidCall(name, takes, reason string) error {
	return callError(tool.CodeInvalidInput, fmt.Sprintf("invalid tool call: %s takes %s, %s", name, takes, reason))
}

// HasShared reports whether a project is mounted at /share, whose libraries other projects share.
func (r *Run) HasShared() bool { return r.Files != nil && vfs.IsMount(r.Env.Files, "/share") }

// memoryDir is the folder of the project that only the tool memory changes.
const memoryDir = "/memories"

// A Loader returns the interpreter of a language. It is called for each call of the tool, so it can start the engine
// when it is first needed. It should return the same interpreter each time.
type Loader func(ctx context.Context) (Interpreter, error)

// Options configure a tool. The zero value is fine.
type Options struct {
	// ScriptName is what stack traces call the code. Empty means script with the ending of the language.
	ScriptName string
	// Args are the code's arguments. Nil means that the host gives none.
	Args []string
	// Stdin is the code's standard input, read when the code reads it. Nil means that it has none.
	Stdin io.Reader
	// Output is how much code may print, and return, in bytes: see [sandbox.Limits].Output. Zero means
	// [sandbox.DefaultOutput].
	Output int
}

type expressionKey struct{}

// AsExpression returns a context for a call of a tool whose code is an expression, whose value is the result. Models
// cannot ask for that: it is for hosts that run what a person enters.
func AsExpression(ctx context.Context) context.Context {
	return context.WithValue(ctx, expressionKey{}, true)
}

type codeTool struct {
	Language
	load    Loader
	options Options
}

var (
	_ tool.Loader        = (*codeTool)(nil)
	_ tool.InputChecker  = (*codeTool)(nil)
	_ tool.APIOverrider  = (*codeTool)(nil)
	_ tool.InputRenderer = (*codeTool)(nil)
)

// New returns the tool that runs code of a language. Options can be nil.
func New(language Language, load Loader, options *Options) tool.Tool {
	t := &codeTool{Language: language, load: load}
	if options != nil {
		t.options = *options
	}
	return t
}

// Load implements [tool.Loader].
func (t *codeTool) Load(ctx context.Context) error {
	_, err := t.load(ctx)
	return err
}

// Spec implements [tool.Tool].
func (t *codeTool) Spec() tool.Spec {
	least, most := float64(max(t.MinMemory, sandbox.MinMemory)>>20), float64(sandbox.MaxMemory>>20)
	usual := int64(sandbox.DefaultMemory)
	if len(t.Packages) > 0 {
		least, usual = 2*least, t.PackagesMemory
	}
	input := map[string]any{
		"type":       "object",
		"properties": map[string]any{t.ArgumentName(): map[string]string{"type": "string", "description": t.Code}},
		"required":   []string{t.ArgumentName()},
	}
	if t.Restarts {
		delete(input, "required")
		maps.Copy(input["properties"].(map[string]any), restartArguments)
	}
	schema, _ := json.Marshal(input) // of strings: it cannot fail
	options := append([]tool.Option{{
		ID: OptionMemory, Label: "Memory", Subtitle: "How much memory code may use, in MiB",
		Type: tool.OptionNumber, Default: usual >> 20, Min: &least, Max: &most,
	}}, t.Options...)
	options = append(options, tool.Option{
		ID: OptionToolCalls, Label: "Tool calls", Subtitle: "Let code call the other tools",
		Type: tool.OptionBool, Default: t.CallsTools,
	})
	return tool.Spec{
		Name:           t.Name,
		DisplayName:    t.Title + " Execution",
		Subtitle:       "Run code in a sandbox",
		DescriptionFor: t.describeFor,
		Schema:         schema,
		Options:        append(options, sessionOptions()...),
		OutputSchema:   outputSchema,
		TextOutput:     true, // where the data is too long
		Category:       tool.CategoryCode,
		Annotations:    tool.Annotations{Destructive: true},
		Icons:          tool.Icons{Input: "code", Output: "terminal"},
		Timeout:        sandbox.DefaultTime,
		KeepsTime:      true,

		AsksForCommands: t.AsksForCommands,
		ReadsFiles:      t.ReadFiles,
	}
}

// describeFor tells what code can do and how much, with the options and limits that are in force.
func (t *codeTool) describeFor(offer tool.Offer) string {
	text := strings.TrimSpace(t.Describe(offer, Facts{
		Files:    !offer.NoProject,
		Session:  !offer.NoProject && offer.Options.Text(OptionSession) != "",
		Rollback: offer.Options.Bool(OptionRollback),
		Days:     offer.Options.Number(OptionSessionDays),
		Seconds:  offer.Mode.Timeout(sandbox.DefaultTime).Seconds(),
		Memory:   offer.Options.Number(OptionMemory),
		Packages: strings.Join(t.Packages, ", "),
		Hosts:    Hosts(offer.Network),
		Secrets:  secrets(offer.Network, t.Variable),
	}))
	if !offer.Options.Bool(OptionToolCalls) || offer.Tools == nil {
		return text
	}
	tools := callable(offer.Tools())
	if len(tools) == 0 {
		return text
	}
	return text + "\n\n" + strings.TrimSpace(fmt.Sprintf(t.ToolCalls, MaxToolCalls, t.Declare(tools)))
}

// APIOverride implements [tool.APIOverrider].
func (t *codeTool) APIOverride(api tool.API, options tool.Options) json.RawMessage {
	if t.Override == nil {
		return nil
	}
	return t.Override(api, options)
}

// CheckInput implements [tool.InputChecker].
func (t *codeTool) CheckInput(input map[string]any) error { return t.check(input) }

// RenderInput implements [tool.InputRenderer]: it shows the code.
func (t *codeTool) RenderInput(input json.RawMessage) string { return t.codeOf(input) }

// Execute implements [tool.Tool].
func (t *codeTool) Execute(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error) {
	in, err := t.read(call.Input)
	if err != nil {
		return tool.Result{}, err
	}
	start := time.Now()
	interpreter, err := t.load(ctx)
	if err != nil {
		return tool.Result{}, fmt.Errorf("starting %s: %w", t.Guest, err)
	}
	session, err := beginSession(ctx, t.Name, call, env, interpreter)
	if err != nil {
		return tool.Result{}, err
	}
	defer session.end()
	if in.restart {
		session.restart()
	}
	limit, err := timeLeft(in.limit(env.Timeout), start)
	if err != nil {
		return tool.Result{}, err
	}
	calls := &ToolCalls{Env: env}
	run := &Run{
		Env: env, Name: t.options.ScriptName, Args: t.options.Args, Stdin: t.options.Stdin,
		Limits: sandbox.Limits{
			Time: limit, Memory: int64(env.Options.Number(OptionMemory) * (1 << 20)), Output: t.options.Output,
		},
		Console: progress(env), Session: session != nil, State: session.goesOnFrom(), Tools: calls.tools(t.TextCalls),
	}
	run.Expression, _ = ctx.Value(expressionKey{}).(bool)
	uses := NetworkOf(env)
	if uses != nil {
		run.Network, run.Environment = uses, environment(env)
	}
	saved, err := readSaved(env)
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
		run.Files = vfs.ReadOnly(recorder.Fs, memoryDir)
	}
	session.goOn(saved)
	var result *script.Result
	if saved == nil {
		code := withoutFence(in.code)
		result, err = interpreter.Run(ctx, code, run)
		if session.unfitAfter(err) {
			run.State = nil
			result, err = interpreter.Run(ctx, code, run)
		}
	} else {
		calls.goOn(saved)
		result = &script.Result{}
		var state *sandbox.State
		if state, err = saved.open(ctx, env, run.Limits.Memory, interpreter); err == nil {
			result, err = interpreter.Resume(ctx, state, run)
		}
	}
	if err == sandbox.ErrSuspend {
		return suspend(ctx, result.State, calls, session, changed(), env)
	}
	if err = session.withoutState(err); isHostFailure(err) {
		return tool.Result{}, err
	}
	t.logCrash(ctx, env.Logger, err)
	out := t.render(result, err, changed())
	calls.AddTo(&out)
	session.finish(ctx, &out, result.State)
	uses.addTo(&out)
	notes := []string{t.unknownNote(call.Input)}
	if t.Hint != nil {
		notes = append(notes, t.Hint(result.Console, env.Files))
	}
	for _, note := range notes {
		if note != "" {
			out.Content = append(out.Content, tool.Part{Text: note})
		}
	}
	return out, nil
}
