package cli

import (
	"context"
	"time"

	sandbox "github.com/toolrun/toolrun/runtime"
	js "github.com/toolrun/toolrun/runtime/javascript"
	py "github.com/toolrun/toolrun/runtime/python"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/tools/python"
)

// A replLanguage is a language of the prompt.
type replLanguage struct {
	title   string
	history string // the name of its file
	help    string // what .help says of entries; %s is how long variables stay

	start        func(s *session, ctx context.Context) error
	isIncomplete func(s *session, ctx context.Context, entry string) bool
	// globals returns the names of attributes by the name of the global that has them. The names of the globals are
	// under "". It is empty if they cannot be found out.
	globals func(s *session, ctx context.Context) map[string][]string
}

// replLanguageOf returns the language of a tool, or nil if it has none.
func replLanguageOf(tool string) *replLanguage {
	switch tool {
	case javascript.Name:
		return &replLanguage{
			title: "JavaScript", history: "repl_history",
			help: "JavaScript or TypeScript. %s\nAn expression shows its value; in other entries, return gives it. " +
				"An entry that is not complete goes on in the next line.",
			start: func(s *session, ctx context.Context) error {
				_, err := s.runner.start(ctx)
				return err
			},
			isIncomplete: isIncompleteScript,
			globals:      (*session).globalsOfJavaScript,
		}
	case python.Name:
		return &replLanguage{
			title: "Python", history: "repl_history_python",
			help: "Python. %s\nAn entry whose last line is an expression shows its value. One that is not complete " +
				"goes on in the next line, and a block\nuntil an empty line.",
			start: func(s *session, ctx context.Context) error {
				_, err := s.runner.Python(ctx)
				return err
			},
			isIncomplete: (*session).isIncompletePython,
			globals:      (*session).globalsOfPython,
		}
	}
	return nil
}

func (s *session) language() *replLanguage { return replLanguageOf(s.lang) }

// askLimits are the limits of code that the prompt itself runs, without files.
var askLimits = sandbox.Limits{Time: 2 * time.Second}

// globalsScript gives the result of globals.
const globalsScript = `
	const names = (of) => {
		const all = new Set();
		const last = [null, undefined, Object.prototype, Function.prototype];
		for (let o = of; !last.includes(o); o = Object.getPrototypeOf(o))
			for (const name of Object.getOwnPropertyNames(o)) if (/^[A-Za-z_$][\w$]*$/.test(name)) all.add(name);
		return [...all];
	};
	const out = {'': [...names(globalThis), 'exports', 'module', 'require']};
	for (const name of names(globalThis)) {
		const value = globalThis[name];
		if (value === globalThis) continue;
		if (typeof value === 'object' || typeof value === 'function') out[name] = names(value);
	}
	return out`

func (s *session) globalsOfJavaScript(ctx context.Context) map[string][]string {
	engine, err := s.runner.start(ctx)
	if err != nil {
		return map[string][]string{}
	}
	result, err := engine.Run(ctx, globalsScript, &js.RunOptions{Limits: askLimits})
	if err != nil {
		return map[string][]string{}
	}
	return namesIn(result.Value)
}

// globalsPython gives the result of globals, with the modules that need no time to import.
const globalsPython = `
import builtins, keyword, sys
modules = {name: module for name, module in sys.modules.items() if name.isidentifier() and name[0] != '_'}
found = {name: dir(value) for name, value in {**vars(builtins), **modules}.items()}
{'': [*found, *keyword.kwlist], **found}`

func (s *session) globalsOfPython(ctx context.Context) map[string][]string {
	value := s.askPython(ctx, globalsPython, "")
	return namesIn(value)
}

// completenessPython says whether standard input is an entry that goes on, as far as the compiler can tell.
const completenessPython = `
import ast, codeop, sys
compiler = codeop.CommandCompiler()
compiler.compiler.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
try:
    more = compiler(sys.stdin.read(), 'repl', 'single') is None
except (SyntaxError, ValueError, OverflowError):
    more = False
more`

// isIncompletePython asks the compiler, as Python's own prompt does.
func (s *session) isIncompletePython(ctx context.Context, entry string) bool {
	more, _ := s.askPython(ctx, completenessPython, entry).(bool)
	return more
}

// askPython returns the value of code of the prompt itself, or nil if it fails.
func (s *session) askPython(ctx context.Context, code, input string) any {
	interpreter, err := s.runner.Python(ctx)
	if err != nil {
		return nil // running the entry tells why
	}
	result, err := interpreter.Run(ctx, code, &py.RunOptions{Limits: askLimits, Stdin: []byte(input)})
	if err != nil {
		return nil
	}
	return result.Value
}

// namesIn reads the value of code that gives globals.
func namesIn(value any) map[string][]string {
	all := map[string][]string{}
	names, _ := value.(map[string]any)
	for of, list := range names {
		list, _ := list.([]any)
		for _, name := range list {
			if name, ok := name.(string); ok {
				all[of] = append(all[of], name)
			}
		}
	}
	return all
}
