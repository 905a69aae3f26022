package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/registry"
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
			code, err := flags.read(cmd, args)
			if err != nil {
				return err
			}
			ctx, printer := cmd.Context(), newPersonPrinter(cmd)
			if code.expression {
				printer.undefined = "undefined"
				ctx = javascript.AsExpression(ctx)
			}
			input, err := code.input()
			if err != nil {
				return err
			}
			script := javascript.Options{
				ScriptName: code.name, Args: append([]string{}, code.args...), Output: sandbox.Unlimited,
			}
			if !code.fromStdin {
				script.Stdin = f.record.taped(cmd.InOrStdin())
			}
			f.record.host.Name, f.record.host.Args, f.record.host.Expression = code.name, code.args, code.expression
			runner, err := servers.open(cmd, toolrun.Options{Script: script, Calls: f.project.shared(nil)})
			if err != nil {
				return err
			}
			choose := func(s registry.Selection) registry.Selection {
				s = flags.choose(s, javascript.Name)
				s = s.WithOption(javascript.Name, javascript.OptionMemory, flags.memory)
				s = s.WithOption(javascript.Name, javascript.OptionToolCalls, servers.file() != "")
				switch filepath.Ext(code.name) {
				case ".ts", ".mts", ".cts":
					s = s.WithOption(javascript.Name, javascript.OptionLanguage, "typescript")
				}
				return s
			}
			return f.dispatch(ctx, cmd, runner, registry.Call{Tool: javascript.Name, Input: input}, printer,
				toolrun.SessionOptions{IgnoreSettings: true, Select: choose, Limits: shellLimits})
		},
	}
	flags.add(cmd, sandbox.MinMemory)
	f.add(cmd, sandbox.DefaultTime)
	servers.add(cmd)
	return cmd
}
