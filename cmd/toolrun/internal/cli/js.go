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
	cmd := &cobra.Command{
		Use:   "js [-e CODE | FILE | -]",
		Short: "Run JavaScript or TypeScript",
		Long: "Run JavaScript in a fresh sandbox. The code is the body of an async function in strict mode:\n" +
			"return gives the result, await works. Or it is a module: what it exports as its default, or as module.exports,\n" +
			"is the result. It comes from -e, from a file, or from standard input (-). TypeScript is recognised; files with\n" +
			"the endings .ts, .mts and .cts always are TypeScript. Its types are removed, not checked.\n\n" +
			"The output is the result; if the code wrote to the console, the console comes first. fs.readFile\n" +
			"and fs.writeFile work in the files of the project, or in the directory that --root names. Imports and require\n" +
			"are of these files too: ./x.js is in their root, not beside the file that is run. What the project\n" +
			"has enabled and set does not matter here: who is at a shell may run code.",
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
				return fmt.Errorf("--memory must be between %d and %d, not %d", sandbox.MinMemory>>20, sandbox.MaxMemory>>20, memory)
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
			return f.dispatch(cmd, runner, registry.Call{Tool: javascript.Name, Input: input}, javascript.ResultText, toolrun.SessionOptions{
				IgnoreSettings: true, Select: withOptions(javascript.Name, options), Limits: shellLimits,
			})
		},
	}
	cmd.Flags().StringVarP(&code, "eval", "e", "", "run `CODE`")
	f.add(cmd, sandbox.DefaultTime)
	servers.add(cmd)
	cmd.Flags().Int64Var(&memory, "memory", sandbox.DefaultMemory>>20, "let the code use at most this much memory, in `MiB`")
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
	if errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(file, " (;=") {
		err = fmt.Errorf("%w; code itself is given with -e", err)
	}
	return string(data), filepath.Base(file), err
}
