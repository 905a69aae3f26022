package javascript

import (
	"context"
	"errors"
	"path"

	"github.com/toolrun/toolrun/internal/js/module"
	"github.com/toolrun/toolrun/internal/text/lazyregexp"
	"github.com/toolrun/toolrun/tools/code"
)

var shell = code.Shell{
	Command: "js", Short: "Run JavaScript or TypeScript",
	Long: `Run JavaScript in a fresh sandbox. The code comes from -e, from a file, or from
standard input (-). It is the body of an async function: return gives the
result, and await works. Like a CommonJS file of Node, it is in strict mode only
if it says 'use strict'. It can also be a module, whose result is its default
export or its module.exports. TypeScript is recognised, and files that end in
.ts, .mts or .cts always are TypeScript; types are removed, not checked.

What the code writes to the console is printed at once, and at the end its
result, unless that is undefined; -p prints the value of an expression. Warnings
and errors go to standard error. --json prints nothing before the end, and then
one line with all of it. Flags come before the file; ARGS are in process.argv,
from index 2 on. Unless it is the code, standard input is process.stdin.

fs.readFile, fs.writeFile, import and require use the files of the project, or
of the directory given with --root; ./x.js is in the root of these files, not
beside the file that runs. The project's settings are ignored: code that you
run yourself may always run. With --session, the code runs in global scope, as
in a notebook, and its variables stay for the next call.`,
	Example: "  toolrun js -e 'return 6 * 7'\n" +
		"  toolrun js -p 'new Date().getFullYear()'\n" +
		"  toolrun js --root . -e 'return (await fs.readFile(\"go.mod\", \"utf8\")).length'\n" +
		"  toolrun js --root . report.ts 2025\n" +
		"  echo 'return 1 + 1' | toolrun js -",
	Nothing: "undefined", FileOptions: fileOptions,
	Entries: "JavaScript or TypeScript. %s\nAn expression shows its value; in other entries, return gives it. " +
		"An entry that is not complete goes on in the next line.",
	IsIncomplete: isIncomplete,
	IsExpression: func(ctx context.Context, entry string, stays bool) bool {
		return isExpression(ctx, entry) && !(stays && isDeclaration(ctx, entry))
	},
	Globals: globalsScript,
}

// fileOptions says that files of TypeScript are TypeScript.
func fileOptions(name string) map[string]any {
	switch path.Ext(name) {
	case ".ts", ".mts", ".cts":
		return map[string]any{OptionLanguage: "typescript"}
	}
	return nil
}

// parse parses code as a script.
func parse(ctx context.Context, code string) error {
	_, _, err := module.StripBody(ctx, code, "repl")
	return err
}

// endsEarly reports whether the parser reached the end of the code too early.
func endsEarly(err error) bool {
	syntax, ok := errors.AsType[*module.SyntaxError](err)
	return ok && endMessages().MatchString(syntax.Message)
}

// endMessages match errors about an early end, except in strings and regular expressions, which cannot continue on
// another line.
var endMessages = lazyregexp.New(
	`^Unexpected end of|end of file$|^Unterminated template|terminate multi-line comment$`)

func isIncomplete(ctx context.Context, _ code.Ask, entry string) bool {
	err := parse(ctx, entry)
	if err == nil || endsEarly(err) {
		return err != nil
	}
	// It may be a module: scripts have no exports.
	_, _, err = module.StripTypes(ctx, entry, "repl")
	return endsEarly(err)
}

// isExpression reports whether an entry is an expression: it parses inside parentheses and inside brackets. With one
// kind alone, the entry could close it and continue.
func isExpression(ctx context.Context, entry string) bool {
	return parse(ctx, "("+entry+"\n)") == nil && parse(ctx, "["+entry+"\n]") == nil
}

// namedFirst matches what begins as the declaration of a function or a class does.
var namedFirst = lazyregexp.New(`^\s*(?:(?:async\s+)?function[\s*]+|class\s+)[\pL_$]`)

// isDeclaration reports whether an entry, which is an expression, declares a function or a class as well.
func isDeclaration(ctx context.Context, entry string) bool {
	return namedFirst().MatchString(entry) && parse(ctx, entry) == nil
}

// globalsScript gives the names of globals.
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
