package python

import (
	"context"
	"fmt"
	"strconv"

	"github.com/toolrun/toolrun/tools/code"
)

var shell = code.Shell{
	Command: "py", Short: "Run Python",
	Long: `Run Python in a fresh sandbox. The code comes from -c (or -e), from a file, or
from standard input (-). The standard library is there; await works outside
of functions.

What the code prints is printed at once; -p prints the value of an expression.
Standard error and tracebacks go to standard error. --json prints nothing before
the end, and then one line with all of it, with the value of the last
expression. Flags come before the file; ARGS are in sys.argv. -m runs a module,
such as unittest, or pytest once it has been added.

Unless it is the code, standard input is sys.stdin.

open and import use the files of the project, or of the directory given with
--root. Packages of pure Python in its folder /lib/python can be imported;
"toolrun py add NAME" puts them there. The project's settings are ignored: code
that you run yourself may always run.

Python is not part of toolrun: get it once with toolrun module add python.`,
	Example: "  toolrun py -c 'print(6 * 7)'\n" +
		"  toolrun py -p '2 ** 100'\n" +
		"  toolrun py --root . -e 'print(len(open(\"go.mod\").read()))'\n" +
		"  toolrun py --root . report.py 2025\n" +
		"  toolrun py --root . -m unittest\n" +
		"  echo 'print(1 + 1)' | toolrun py -",
	Nothing: "None", Quiet: true, CommandFlag: true,
	Module: func(name string) string {
		if name == "pip" {
			return "import sys\nsys.exit('there is no pip here: toolrun py add NAME adds packages')"
		}
		return fmt.Sprintf(moduleCode, strconv.QuoteToASCII(name))
	},
	Entries: "Python. %s\nAn entry whose last line is an expression shows its value. One that is not complete " +
		"goes on in the next line, and a block\nuntil an empty line.",
	// The compiler is asked, as Python's own prompt does.
	IsIncomplete: func(_ context.Context, ask code.Ask, entry string) bool {
		more, _ := ask(completenessCode, entry).(bool)
		return more
	},
	Globals: globalsCode,
}

// moduleCode runs a module as CPython's own -m does, which puts sys.executable before ": No module named ...". That is
// empty here.
const moduleCode = `import runpy
try:
    runpy._run_module_as_main(%s)
except SystemExit as ended:
    if str(ended.code).startswith(': '):
        ended.code = 'python' + ended.code
    raise`

// globalsCode gives the names of globals, with the modules that need no time to import.
const globalsCode = `
import builtins, keyword, sys
modules = {name: module for name, module in sys.modules.items() if name.isidentifier() and name[0] != '_'}
found = {name: dir(value) for name, value in {**vars(builtins), **modules}.items()}
{'': [*found, *keyword.kwlist], **found}`

// completenessCode says whether standard input is an entry that goes on, as far as the compiler can tell.
const completenessCode = `
import ast, codeop, sys
compiler = codeop.CommandCompiler()
compiler.compiler.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
try:
    more = compiler(sys.stdin.read(), 'repl', 'single') is None
except (SyntaxError, ValueError, OverflowError):
    more = False
more`
