package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
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
	var code string
	var memory int64
	cmd := &cobra.Command{
		Use:   "js [-e CODE | FILE | -]",
		Short: "Run JavaScript or TypeScript",
		Long: `Run JavaScript in a fresh sandbox. The code comes from -e, from a file, or from
standard input (-). It is the body of an async function in strict mode: return
gives the result, and await works. It can also be a module, whose result is its
default export or its module.exports. TypeScript is recognised, and files that
end in .ts, .mts or .cts always are TypeScript; types are removed, not checked.

The output is what the code writes to the console, followed by the result.
fs.readFile, fs.writeFile, import and require use the files of the project, or
of the directory given with --root; ./x.js is in the root of these files, not
beside the file that runs. The project's settings are ignored: code that you
run yourself may always run.`,
		Example: "  toolrun js -e 'return 6 * 7'\n" +
			"  toolrun js --root . -e 'return (await fs.readFile(\"go.mod\", \"utf8\")).length'\n" +
			"  toolrun js --root . report.ts\n" +
			"  echo 'return 1 + 1' | toolrun js -",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			given := cmd.Flags().Changed("eval")
			if given == (len(args) == 1) {
				return errors.New("give the code in one way: -e CODE, a file, or - for standard input")
			}
			if memory < sandbox.MinMemory>>20 || memory > sandbox.MaxMemory>>20 {
				return fmt.Errorf("--memory must be between %d and %d, not %d", sandbox.MinMemory>>20,
					sandbox.MaxMemory>>20, memory)
			}
			name := ""
			if !given {
				var err error
				if code, name, err = readCode(cmd, args[0]); err != nil {
					return err
				}
			}
			input, err := json.Marshal(map[string]string{"code": code})
			if err != nil {
				return err
			}
			runner, err := servers.open(cmd, toolrun.Options{ScriptName: name})
			if err != nil {
				return err
			}
			options := map[string]any{javascript.OptionMemory: memory, javascript.OptionToolCalls: servers.file() != ""}
			switch filepath.Ext(name) {
			case ".ts", ".mts", ".cts":
				options[javascript.OptionLanguage] = "typescript"
			}
			return f.dispatch(cmd, runner, registry.Call{Tool: javascript.Name, Input: input}, javascript.ResultText,
				toolrun.SessionOptions{
					IgnoreSettings: true, Select: withOptions(javascript.Name, options), Limits: shellLimits,
				})
		},
	}
	cmd.Flags().StringVarP(&code, "eval", "e", "", "run `CODE`")
	f.add(cmd, sandbox.DefaultTime)
	servers.add(cmd)
	cmd.Flags().Int64Var(&memory, "memory", sandbox.DefaultMemory>>20, "limit the code's memory to this many `MiB`")
	return cmd
}

// shellLimits are those of code that somebody runs at a shell, who wants to see what comes of it.
var shellLimits = registry.Limits{Input: math.MaxInt, Inline: math.MaxInt, Output: math.MaxInt}

// withOptions returns what sets the options of a tool, and of no others.
func withOptions(tool string, options map[string]any) func(registry.Selection) registry.Selection {
	return func(s registry.Selection) registry.Selection {
		s.Options = map[string]map[string]any{tool: options}
		return s
	}
}

// readCode reads the code from a file or from standard input, and says what to call it in stack traces.
func readCode(cmd *cobra.Command, file string) (code, name string, err error) {
	if file == "-" {
		data, err := readStdin(cmd.Context(), cmd.InOrStdin(), maxInput)
		return string(data), "", err
	}
	data, err := readHostFile(os.Open, file, maxInput)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("no file named %s; to run code use toolrun js -e '...'", file)
	}
	return string(data), filepath.Base(file), err
}
