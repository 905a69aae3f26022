package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	sandbox "github.com/toolrun/toolrun/runtime"
	py "github.com/toolrun/toolrun/runtime/python"
	"github.com/toolrun/toolrun/tools/python"
)

// pythonVariable is the environment variable that names a build of CPython, instead of the one that was added.
const pythonVariable = "TOOLRUN_PYTHON"

// givenPython returns the build of CPython that the environment names, or nil.
func givenPython(host *Host) func() (py.Module, error) {
	file := host.getenv(pythonVariable)
	if file == "" {
		return nil
	}
	return func() (py.Module, error) {
		data, err := host.readFile(file)
		if err != nil {
			return py.Module{}, fmt.Errorf("%s: %w", pythonVariable, err)
		}
		return py.FromBytes(data), nil
	}
}

func newPy() *cobra.Command {
	var f callFlags
	var servers serverFlags
	var flags codeFlags
	cmd := &cobra.Command{
		Use:   "py [flags] [-e CODE | -p EXPR | FILE | -] [ARGS...]",
		Short: "Run Python",
		Long: `Run Python in a fresh sandbox. The code comes from -e, from a file, or from
standard input (-). The standard library is there; await works outside of
functions.

What the code prints is printed at once; -p prints the value of an expression.
Standard error and tracebacks go to standard error. --json prints nothing before
the end, and then one line with all of it, with the value of the last
expression. Flags come before the file; ARGS are in sys.argv.

Unless it is the code, standard input is sys.stdin.

open and import use the files of the project, or of the directory given with
--root. Packages of pure Python in its folder /lib/python can be imported. The
project's settings are ignored: code that you run yourself may always run.

Python is not part of toolrun: get it once with toolrun module add python.`,
		Example: "  toolrun py -e 'print(6 * 7)'\n" +
			"  toolrun py -p '2 ** 100'\n" +
			"  toolrun py --root . -e 'print(len(open(\"go.mod\").read()))'\n" +
			"  toolrun py --root . report.py 2025\n" +
			"  echo 'print(1 + 1)' | toolrun py -",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.runCode(cmd, args, &flags, &servers, codeTool{python.Name, "None", true, python.AsExpression})
		},
	}
	flags.add(cmd, python.MinMemory)
	f.add(cmd, sandbox.DefaultTime)
	servers.add(cmd)
	return cmd
}
