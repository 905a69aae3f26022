package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tools/javascript"
)

func newJS() *cobra.Command {
	var f callFlags
	var servers serverFlags
	var code string
	var memory int64
	var printed string
	cmd := &cobra.Command{
		Use:   "js [flags] [-e CODE | -p EXPR | FILE | -] [ARGS...]",
		Short: "Run JavaScript or TypeScript",
		Long: `Run JavaScript in a fresh sandbox. The code comes from -e, from a file, or from
standard input (-). It is the body of an async function in strict mode: return
gives the result, and await works. It can also be a module, whose result is its
default export or its module.exports. TypeScript is recognised, and files that
end in .ts, .mts or .cts always are TypeScript; types are removed, not checked.

What the code writes to the console is printed at once, and at the end its
result, unless that is undefined; -p prints the value of an expression. Warnings
and errors go to standard error. --json prints nothing before the end, and then
one line with all of it. Flags come before the file; ARGS are in process.argv,
from index 2 on.

fs.readFile, fs.writeFile, import and require use the files of the project, or
of the directory given with --root; ./x.js is in the root of these files, not
beside the file that runs. The project's settings are ignored: code that you
run yourself may always run.`,
		Example: "  toolrun js -e 'return 6 * 7'\n" +
			"  toolrun js -p 'new Date().getFullYear()'\n" +
			"  toolrun js --root . -e 'return (await fs.readFile(\"go.mod\", \"utf8\")).length'\n" +
			"  toolrun js --root . report.ts 2025\n" +
			"  echo 'return 1 + 1' | toolrun js -",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if memory < sandbox.MinMemory>>20 || memory > sandbox.MaxMemory>>20 {
				return fmt.Errorf("--memory must be between %d and %d, not %d", sandbox.MinMemory>>20,
					sandbox.MaxMemory>>20, memory)
			}
			ctx, name := cmd.Context(), ""
			printer := newPersonPrinter(cmd)
			switch {
			case cmd.Flags().Changed("eval"):
			case cmd.Flags().Changed("print") && strings.TrimSpace(printed) == "":
				return errors.New("--print needs an expression")
			case cmd.Flags().Changed("print"):
				code, printer.undefined = printed, "undefined"
				ctx = javascript.AsExpression(ctx)
			case len(args) == 0:
				return errors.New("no code: give -e CODE, -p EXPR, a file, or - for standard input")
			default:
				var err error
				if code, name, err = readCode(cmd, args[0], "toolrun js -e '...'"); err != nil {
					return err
				}
				args = args[1:]
			}
			if code == "" {
				code = "\n" // which the tool refuses to a model; a file can be empty
			}
			input, err := json.Marshal(map[string]string{"code": code})
			if err != nil {
				return err
			}
			script := javascript.Options{ScriptName: name, Args: append([]string{}, args...), Output: sandbox.Unlimited}
			runner, err := servers.open(cmd, toolrun.Options{Script: script})
			if err != nil {
				return err
			}
			choose := func(s registry.Selection) registry.Selection {
				s = s.WithOption(javascript.Name, javascript.OptionMemory, memory)
				s = s.WithOption(javascript.Name, javascript.OptionToolCalls, servers.file() != "")
				switch filepath.Ext(name) {
				case ".ts", ".mts", ".cts":
					s = s.WithOption(javascript.Name, javascript.OptionLanguage, "typescript")
				}
				return s
			}
			return f.dispatch(ctx, cmd, runner, registry.Call{Tool: javascript.Name, Input: input}, printer,
				toolrun.SessionOptions{IgnoreSettings: true, Select: choose, Limits: shellLimits})
		},
	}
	cmd.Flags().StringVarP(&code, "eval", "e", "", "run `CODE`")
	cmd.Flags().StringVarP(&printed, "print", "p", "", "print the value of the expression `EXPR`")
	cmd.MarkFlagsMutuallyExclusive("eval", "print")
	cmd.Flags().SetInterspersed(false) // what follows the file is for the script
	f.add(cmd, sandbox.DefaultTime)
	servers.add(cmd)
	cmd.Flags().Int64Var(&memory, "memory", sandbox.DefaultMemory>>20, "limit the code's memory to this many `MiB`")
	return cmd
}

// shellLimits are those of code that somebody runs at a shell, who wants to see all of its output.
var shellLimits = registry.Limits{Input: math.MaxInt, Inline: math.MaxInt, Output: math.MaxInt}

// readCode reads the code from a file or from standard input, and says what to call it in stack traces.
// inline is the command for code that is in no file.
func readCode(cmd *cobra.Command, file, inline string) (code, name string, err error) {
	if file == "-" {
		data, err := readStdin(cmd.Context(), cmd.InOrStdin(), maxInput)
		return string(data), "", err
	}
	data, err := readHostFile(os.Open, file, maxInput)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("no file named %s; to run code use %s", file, inline)
	}
	return string(data), filepath.Base(file), err
}
