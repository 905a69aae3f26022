// Package module makes tools of programs that were compiled to WebAssembly, in any language. A tool is a module with a
// manifest, which the operator has added to a [Store]:
//
//	store := module.OpenStore(dir)
//	list, err := store.List()
//	for _, m := range list {
//		tools = append(tools, module.New(m, engine))
//	}
//
// A program gets the call's input as JSON on standard input, works on the project's files at "/" if they are granted,
// and writes its result to standard output. Standard error is its log, whose end a model gets when the tool fails. Exit
// status 0 is success; with any other the output is an error that the model reads. See package runtime/command for the
// two forms of modules, and guest/tool for Go programs.
//
// # What a module may use
//
// Only its input, until the operator grants what its [Manifest] asks for: files of the whole project or of a folder,
// environment variables, the clock, randomness, other tools, and requests that the project allows. With the option
// [OptionFiles], a project can give less or more access to its files than was granted when the module was added, but
// not more than the manifest asks for. A module never changes /memories.
//
// # Experimental
//
// The command and the page add and offer modules; programs that do it themselves need the package. Its Go names may
// change with any version; manifests stay valid.
package module

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/network"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/command"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/internal/changes"
	"github.com/toolrun/toolrun/vfs"
)

// Source is the Source of all these tools: see [tool.Spec].
const Source = "module"

// The tools' options.
const (
	OptionMemory = "memory" // how much memory it may have, in MiB
	OptionFiles  = "files"  // how it uses the project's files: none, read or write
	// OptionToolCalls, of type bool, lets it call the tools that are granted.
	OptionToolCalls = code.OptionToolCalls
	// OptionNetwork, of type bool, lets it make the requests that are granted.
	OptionNetwork = "network"
)

const memoryDir = "/memories"

type moduleTool struct {
	installed *Installed
	engine    *sandbox.Engine
	limits    Limits
	rules     []network.Rule // of requests that are granted

	mu     sync.Mutex
	loaded *command.Command
}

var _ tool.Loader = (*moduleTool)(nil)

// New returns the tool of a module, which is read, checked and compiled before the tool's first run.
func New(m *Installed, engine *sandbox.Engine) tool.Tool {
	t := &moduleTool{installed: m, engine: engine, limits: m.Manifest.Limits}
	if !m.Grants.Limits {
		t.limits = t.limits.capped()
	}
	for _, text := range m.Grants.Network {
		if rule, err := network.ParseRule(text); err == nil { // as the manifest has it, which has been checked
			t.rules = append(t.rules, rule)
		}
	}
	return t
}

// Spec implements [tool.Tool].
func (t *moduleTool) Spec() tool.Spec {
	m := t.installed.Manifest
	least, most := float64(sandbox.MinMemory>>20), float64(sandbox.MaxMemory>>20)
	spec := tool.Spec{
		Name:         m.Name,
		DisplayName:  cmp.Or(m.DisplayName, m.Name),
		Subtitle:     cmp.Or(m.Subtitle, plaintext.Subtitle(m.Description)),
		Description:  m.Description,
		Schema:       m.InputSchema,
		OutputSchema: m.OutputSchema,
		Options: []tool.Option{{
			ID: OptionMemory, Label: "Memory", Subtitle: "How much memory the tool may use, in MiB",
			Type: tool.OptionNumber, Default: cmp.Or(t.limits.Memory, DefaultMemory), Min: &least, Max: &most,
		}},
		Category:    tool.CategoryCustom,
		Source:      Source,
		Annotations: tool.Annotations{ReadOnly: true},
		Icons:       tool.Icons{Input: "package", Output: "package"},
		Timeout:     cmp.Or(time.Duration(t.limits.Time), DefaultTime),
		KeepsTime:   true,
	}
	if spec.Schema == nil {
		spec.Schema = json.RawMessage(`{"type":"object"}`)
	}
	if asked := m.Asks.Files.rank(); asked > 0 {
		option := tool.Option{
			ID: OptionFiles, Label: "Files", Subtitle: "How the tool uses the project's files",
			Type: tool.OptionSelect, Default: string(accesses[t.installed.Grants.Files.rank()]),
		}
		for i, label := range []string{"Not at all", "Read", "Read and write"}[:asked+1] {
			option.Choices = append(option.Choices, tool.Choice{Value: string(accesses[i]), Label: label})
		}
		spec.Options = append(spec.Options, option)
		if m.Asks.Files == AccessWrite {
			spec.Annotations = tool.Annotations{Destructive: true}
		}
	}
	if len(m.Asks.Tools) > 0 {
		spec.Options = append(spec.Options, tool.Option{
			ID: OptionToolCalls, Label: "Tool calls", Subtitle: "Let the tool call other tools that were granted to it",
			Type: tool.OptionBool, Default: len(t.installed.Grants.Tools) > 0,
		})
		spec.Annotations = tool.Annotations{Destructive: true}
	}
	if len(m.Asks.Network) > 0 {
		spec.Options = append(spec.Options, tool.Option{
			ID: OptionNetwork, Label: "Network", Subtitle: "Let the tool make the requests that were granted to it",
			Type: tool.OptionBool, Default: len(t.rules) > 0,
		})
		spec.Annotations.ReadOnly, spec.Annotations.OpenWorld = false, true
		spec.Description, spec.DescriptionFor = "", t.describeFor
	}
	return spec
}

// Load implements [tool.Loader].
func (t *moduleTool) Load(ctx context.Context) error {
	_, err := t.load(ctx)
	return err
}

// load reads and compiles the module, unless that has been done.
func (t *moduleTool) load(ctx context.Context) (*command.Command, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.loaded != nil {
		return t.loaded, nil
	}
	code, err := t.installed.Read()
	if err != nil {
		return nil, err
	}
	t.loaded, err = command.Load(ctx, t.engine, code, commandOptions(t.installed))
	return t.loaded, err
}

// commandOptions are how a module is loaded.
func commandOptions(i *Installed) *command.Options {
	options := &command.Options{
		Name:    i.Manifest.Name,
		Files:   i.Manifest.Asks.Files.rank() > 0,
		NoClock: !i.Grants.Clock, NoRandom: !i.Grants.Random,
	}
	for _, name := range i.Manifest.Asks.Env {
		if value, ok := i.Grants.Env[name]; ok {
			options.Env = append(options.Env, name+"="+value)
		}
	}
	return options
}

// Try compiles a module as it would be used, and starts it, but does not run it. The error is a [*command.RefusedError]
// if it cannot be run. A language is only checked.
func (i *Installed) Try(ctx context.Context, engine *sandbox.Engine) error {
	code, err := i.Read()
	if err != nil {
		return err
	}
	return Try(ctx, engine, i.Manifest, i.Grants, code)
}

// Try is [Installed.Try] for a module that has not been added yet.
func Try(ctx context.Context, engine *sandbox.Engine, m *Manifest, grants Grants, code []byte) error {
	if m.Language {
		return command.CheckLanguage(code)
	}
	code, err := command.Strip(code)
	if err == nil {
		_, err = command.Load(ctx, engine, code, commandOptions(&Installed{Manifest: m, Grants: grants}))
	}
	return err
}

// Execute implements [tool.Tool].
func (t *moduleTool) Execute(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error) {
	loaded, err := t.load(ctx)
	if err != nil {
		return tool.Result{}, err
	}
	options := sandbox.RunOptions{
		Owner: env.Project, Client: env.Client,
		Stdin: call.Input,
		Limits: sandbox.Limits{
			Time:   env.Timeout,
			Memory: int64(env.Options.Number(OptionMemory) * (1 << 20)),
			Work:   t.limits.Work,
			Output: t.limits.Output,
		},
	}
	if env.Watched() {
		options.Console = func(e sandbox.Entry) {
			env.Print(tool.ConsoleEntry{Level: e.Level.String(), Text: e.Text})
		}
	}
	var recorder *changes.Recorder
	if access := Access(env.Options.Text(OptionFiles)); env.Files != nil && access.rank() > 0 {
		recorder = changes.Record(env.Files)
		options.Files = t.view(recorder.Fs, access)
	}
	calls := &code.ToolCalls{Env: env}
	uses := t.network(env)
	host := command.Host{Call: t.caller(calls)}
	if uses != nil {
		host.Network = uses
	}
	result, failure := loaded.RunWith(ctx, options, host)
	if result == nil {
		return tool.Result{}, failure
	}
	if _, stopped := errors.AsType[*sandbox.StoppedError](failure); failure != nil &&
		!stopped && !sandbox.IsGuestFailure(failure) {
		return tool.Result{}, failure
	}
	t.log(ctx, env, result, failure)
	out := t.render(result, failure)
	calls.AddTo(&out)
	uses.addTo(&out)
	if recorder != nil {
		if changed := recorder.Changes(); changed != nil {
			out.Content = append(out.Content, tool.Part{Text: changed.String()})
		}
	}
	return out, nil
}

// view is what the module sees of the files.
func (t *moduleTool) view(files afero.Fs, access Access) afero.Fs {
	protected := memoryDir
	if access == AccessRead {
		protected = "/"
	}
	files = vfs.ReadOnly(files, protected)
	if folder := t.installed.Manifest.Asks.Folder; folder != "" {
		files = vfs.Sub(files, folder)
	}
	return files
}

// log gives the module's log to the host.
func (t *moduleTool) log(ctx context.Context, env tool.Env, result *command.Result, failure error) {
	if env.Logger == nil {
		return
	}
	if crash, ok := errors.AsType[*sandbox.CrashError](failure); ok {
		env.Logger.LogAttrs(ctx, slog.LevelError, "a module has crashed",
			slog.String("tool", t.installed.Manifest.Name),
			slog.String("trap", crash.Trap), slog.String("stack", crash.Stack))
	}
	if text := logEnd(result); text != "" {
		env.Logger.LogAttrs(ctx, slog.LevelInfo, "log of a module", slog.String("tool", t.installed.Manifest.Name),
			slog.String("end", text))
	}
}

// An Error describes why a tool failed. It is the data of the result, as "error", unless there is an output schema.
type Error struct {
	// Kind is "exit", "crash", "stopped" by the host, or the name of a limit and "limit", as in "time limit".
	Kind    string `json:"kind"`
	Message string `json:"message"`
	// Status is the status of the kind "exit".
	Status int `json:"status,omitempty"`
}

// render makes the result of a call.
func (t *moduleTool) render(result *command.Result, failure error) tool.Result {
	name := t.installed.Manifest.Name
	text := strings.TrimSuffix(toText(result.Output), "\n")
	out := tool.Result{Status: fmt.Sprintf("Ran for %v", result.Usage.Duration.Round(100*time.Microsecond))}
	if failure == nil {
		data := bytes.TrimSpace(result.Output)
		isObject := len(data) > 0 && data[0] == '{' && json.Valid(data)
		switch {
		case isObject:
			out.Data = json.RawMessage(data)
		case t.installed.Manifest.OutputSchema != nil && result.Cut > 0:
			failure = fmt.Errorf("the result of %s is longer than %d bytes. Ask for less at a time", name,
				cmp.Or(t.limits.Output, DefaultOutput))
		case t.installed.Manifest.OutputSchema != nil:
			failure = fmt.Errorf("the tool %s has failed: its output is not the JSON object that it promises", name)
		}
		if failure != nil {
			out.Code, out.Err, out.Status = tool.CodeTool, failure, "Failed: output"
			out.Content = []tool.Part{{Text: failure.Error()}}
			return out
		}
		if result.Cut > 0 {
			text += fmt.Sprintf("\n[%d bytes of the result were left out: "+
				"it is longer than the tool's limit.]", result.Cut)
		}
		out.Content = []tool.Part{{Text: text}}
		return out
	}

	problem := describe(name, failure)
	out.Code, out.Err, out.Status = tool.CodeTool, failure, "Failed: "+problem.Kind
	switch {
	case errors.Is(failure, context.DeadlineExceeded):
		out.Code = tool.CodeTimeout
	case errors.Is(failure, context.Canceled):
		out.Code = tool.CodeCanceled
	}
	if problem.Kind != kindExit || text == "" { // what it has written is its error only if it has ended by itself
		text = problem.Message
	}
	if end := logEnd(result); end != "" {
		text += "\n=== End of the tool's log ===\n" + end
	}
	if t.installed.Manifest.OutputSchema == nil {
		out.Data = map[string]*Error{"error": problem}
	}
	out.Content = []tool.Part{{Text: text}}
	return out
}

const kindExit = "exit"

// describe says in words for a model why a module failed.
func describe(name string, failure error) *Error {
	out := &Error{Kind: "error", Message: failure.Error()}
	var limit *sandbox.LimitError
	var exit *sandbox.ExitError
	var crash *sandbox.CrashError
	switch {
	case errors.As(failure, &limit):
		out.Kind = string(limit.Limit) + " limit"
		out.Message = limitMessage(name, limit)
	case errors.As(failure, &exit):
		out.Kind, out.Status = kindExit, exit.Code
		out.Message = fmt.Sprintf("The tool %s failed with exit status %d.", name, exit.Code)
	case errors.As(failure, &crash):
		out.Kind = "crash"
		out.Message = fmt.Sprintf("The tool %s has crashed (%s). That is a fault of the tool; other input may work.",
			name, crash.Trap)
	case errors.Is(failure, context.Canceled), errors.Is(failure, context.DeadlineExceeded):
		out.Kind = "stopped"
		out.Message = fmt.Sprintf("The tool %s was stopped: %v", name, errors.Unwrap(failure))
	}
	return out
}

func limitMessage(name string, limit *sandbox.LimitError) string {
	switch limit.Limit {
	case sandbox.LimitTime:
		return fmt.Sprintf("The tool %s was stopped after its time limit of %v. Ask for less at a time.",
			name, time.Duration(limit.Value))
	case sandbox.LimitMemory:
		return fmt.Sprintf("The tool %s was stopped at its memory limit of %d MiB. Ask for less at a time.",
			name, limit.Value>>20)
	case sandbox.LimitWork:
		return fmt.Sprintf("The tool %s was stopped at its work limit of %d units. Ask for less at a time.",
			name, limit.Value)
	case sandbox.LimitRecursion:
		return fmt.Sprintf("The tool %s was stopped because it recursed too deeply. "+
			"Give it input that is nested less deeply.", name)
	}
	return limit.Error()
}

// mostLog is how many bytes of the log a model gets.
const mostLog = 2 << 10

// logEnd returns the last lines of a module's log.
func logEnd(result *command.Result) string {
	var b strings.Builder
	size := 0
	from := len(result.Log)
	for from > 0 && size <= mostLog {
		from--
		size += len(result.Log[from].Text) + 1
	}
	for _, entry := range result.Log[from:] {
		b.WriteString(entry.Text + "\n")
	}
	text := b.String() + toText(result.LogEnd)
	if cut := len(text) - mostLog; cut > 0 {
		text = "..." + strings.ToValidUTF8(text[cut:], "")
	}
	return strings.TrimSpace(text)
}

func toText(data []byte) string { return strings.ToValidUTF8(string(data), "\uFFFD") }
