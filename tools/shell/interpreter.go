package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/command"
	"github.com/toolrun/toolrun/runtime/script"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
)

// Open loads a build of the shell into an engine.
func Open(ctx context.Context, engine *sandbox.Engine, build script.Module) (code.Interpreter, error) {
	loaded, err := command.LoadLanguage(ctx, engine, build, &command.Options{
		Name: Module, Files: true, Env: []string{"GOTRACEBACK=none"},
	})
	if err != nil {
		return nil, err
	}
	return &interpreter{loaded}, nil
}

// interpreter implements [code.Interpreter]. Code of the host that is empty asks whether standard input is a script:
// see isIncomplete.
type interpreter struct{ module *command.Command }

// task is what the module gets to know of a run: see guest/shell.
type task struct {
	Command   string   `json:"command"`
	Args      []string `json:"args,omitempty"`
	Separate  bool     `json:"separate"`
	Name      string   `json:"name,omitempty"`
	Env       []string `json:"env,omitempty"`
	Libraries []string `json:"libraries,omitempty"`
	Memory    int64    `json:"memory"`
	Check     bool     `json:"check,omitempty"`
	Ask       []string `json:"ask,omitempty"`
}

// Run implements [code.Interpreter]. The value of code that the host itself runs is what it prints.
func (i *interpreter) Run(ctx context.Context, text string, run *code.Run) (*script.Result, error) {
	ofHost := run.Env.Host == nil && run.Files == nil
	task := task{
		Command: text, Args: run.Args, Separate: true, Name: run.Name, Memory: run.Limits.Memory,
		Check: ofHost && text == "", Ask: run.Env.AskedCommands(),
	}
	if run.Expression {
		task.Command = "echo $((" + text + "))"
	}
	if run.Files != nil && run.State == nil {
		if task.Libraries = libraryDirs; !run.HasShared() {
			task.Libraries = libraryDirs[1:]
		}
	}
	for _, name := range slices.Sorted(maps.Keys(run.Environment)) {
		task.Env = append(task.Env, name+"="+run.Environment[name])
	}
	input, err := json.Marshal(task)
	if err != nil {
		return &script.Result{}, err
	}
	options := sandbox.RunOptions{
		Limits: run.Limits, Owner: run.Env.Project, Client: run.Env.Client, Stdin: input, StdinFrom: run.Stdin,
		Files: run.Files, Console: run.Console,
	}
	if run.Session {
		options.State = run.State
	}
	ran, err := i.module.RunWith(ctx, options, command.Host{
		Call: caller(run), Network: run.Network, Keep: run.Session,
	})
	if ran == nil {
		return &script.Result{}, err
	}
	result := &script.Result{
		Console: withoutLastWords(ran.Log, err), Truncated: ran.Truncated, Usage: ran.Usage, State: ran.State,
	}
	if exit, ok := errors.AsType[*sandbox.ExitError](err); ok {
		result.Status, err = exit.Code, nil
		result.Text = fmt.Sprintf("[exit status %d]", exit.Code)
	}
	switch {
	case task.Check:
		result.Value = int64(result.Status)
	case ofHost:
		result.Value = consoleText(result.Console).String()
	}
	return result, err
}

// caller makes the calls of scripts. Before the shell runs a command that a person must approve, it calls a tool of the
// name bash:NAME, which is none.
func caller(run *code.Run) command.Caller {
	tools := run.Tools
	return func(ctx context.Context, name string, input []byte) ([]byte, error) {
		if asked, ok := strings.CutPrefix(name, Name+":"); ok {
			var args []string
			if err := json.Unmarshal(input, &args); err != nil {
				return nil, err
			}
			ofRun := ctx
			ctx = tool.WithPause(ctx, func() (resume func()) { return sandbox.Hold(ofRun) })
			return nil, run.Env.ApproveCommand(ctx, asked, args)
		}
		for _, t := range tools {
			if t.Name == name {
				text, err := t.Call(ctx, input)
				if err != nil {
					return nil, err
				}
				return []byte(text.(string)), nil // as Language wants it
			}
		}
		if len(tools) == 0 {
			return nil, errors.New("scripts cannot call tools here")
		}
		return nil, fmt.Errorf("no tool that scripts can call is %.100q", name)
	}
}

// withoutLastWords returns the console without what Go says when there is no more memory, of which the error tells.
func withoutLastWords(console []sandbox.Entry, err error) []sandbox.Entry {
	limit, ok := errors.AsType[*sandbox.LimitError](err)
	if !ok || limit.Limit != sandbox.LimitMemory {
		return console
	}
	for i, entry := range slices.Backward(console) {
		if strings.HasPrefix(entry.Text, "runtime: out of memory: ") {
			return console[:i]
		}
	}
	return console
}

// Resume implements [code.Interpreter]. Scripts are not suspended: their calls wait.
func (i *interpreter) Resume(context.Context, *sandbox.State, *code.Run) (*script.Result, error) {
	return &script.Result{}, errors.New("shell: scripts are not suspended")
}

// OpenState implements [code.Interpreter].
func (i *interpreter) OpenState(sealed, key []byte, memory int64) (*sandbox.State, error) {
	return i.module.OpenState(sealed, key, memory)
}

// maxValue is how much of a value is listed, in characters.
const maxValue = 60

// Variables implements [code.Interpreter]: variables and functions that a shell does not begin with, or that have
// another value.
func (i *interpreter) Variables(ctx context.Context, state *sandbox.State, limits sandbox.Limits) ([]sandbox.Variable,
	error) {
	fresh, err := i.declared(ctx, nil, limits)
	if err != nil {
		return nil, err
	}
	all, err := i.declared(ctx, state, limits)
	if err != nil {
		return nil, err
	}
	var left []sandbox.Variable
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if all[name] != fresh[name] && name != "_" && len(left) < sandbox.MaxVariables {
			left = append(left, sandbox.Variable{Name: name, Value: all[name]})
		}
	}
	return left, nil
}

// declared returns the values of the variables of a state, and "function" for functions.
func (i *interpreter) declared(ctx context.Context, state *sandbox.State, limits sandbox.Limits) (map[string]string,
	error) {
	result, err := i.Run(ctx, "builtin declare -p; builtin declare -F",
		&code.Run{Session: true, State: state, Limits: limits})
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, entry := range result.Console {
		rest, ok := strings.CutPrefix(entry.Text, "declare ")
		flags, rest, _ := strings.Cut(rest, " ")
		switch name, value, assigned := strings.Cut(rest, "="); {
		case !ok || entry.Level != sandbox.LevelLog:
		case strings.HasPrefix(flags, "-f"):
			values[name] = "function"
		case assigned:
			if short := []rune(value); len(short) > maxValue {
				value = string(short[:maxValue]) + "\u2026"
			}
			values[name] = value
		}
	}
	return values, nil
}

// isIncomplete reports whether nothing but the end of a script is missing.
func isIncomplete(_ context.Context, ask code.Ask, entry string) bool {
	return ask("", entry) == int64(1)
}
