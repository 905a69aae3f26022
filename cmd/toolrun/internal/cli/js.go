package cli

import (
	"github.com/spf13/cobra"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tools/javascript"
)

func newJS() *cobra.Command {
	var f callFlags
	var servers serverFlags
	var flags codeFlags
	cmd := &cobra.Command{
		Use:   "js [flags] [-e CODE | -p EXPR | FILE | -] [ARGS...]",
		Short: "Run JavaScript or TypeScript",
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
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.runCode(cmd, args, &flags, &servers, codeTool{javascript.Name, "undefined", false,
				javascript.AsExpression})
		},
	}
	flags.add(cmd, sandbox.MinMemory)
	f.add(cmd, sandbox.DefaultTime)
	servers.add(cmd)
	return cmd
}
