package cli

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/selftest"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/tools/python"
	"github.com/toolrun/toolrun/tools/shell"
)

func newSelftest() *cobra.Command {
	var only string
	var list, asJSON bool
	var options selftest.Options
	cmd := &cobra.Command{
		Use:   "selftest",
		Short: "Run hostile scripts, and show how they are stopped",
		Long: `Run hostile scripts: endless loops, floods of memory, busy native code, attempts
to reach the engine. Meanwhile all processors are busy and garbage collections
are forced. After each one, a correct script must still work. Before that, send
small and hostile messages, schemas, modules, archives and streams to everything
else that takes data from outside, one at a time, and measure how large the
process becomes. Where Python and the shell are there, hostile Python (with
NumPy and pandas, data-*, if the build has them) and scripts of bash are run,
too.

The table says how many attacks ended as they should, and how long after its
time limit a script was stopped. The exit status is 1 if one ended otherwise,
was stopped later than --late allows, or made the process larger than allowed.`,
		Example: "  toolrun selftest\n" +
			"  toolrun selftest --rounds 5 --only '^(native|regex)-'",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			pattern, err := regexp.Compile(only)
			if err != nil {
				return fmt.Errorf("--only: %w", err)
			}
			if options.TimeLimit <= 0 {
				return fmt.Errorf("--limit must be positive, not %v", options.TimeLimit)
			}
			if options.MostLate <= 0 {
				return fmt.Errorf("--late must be positive, not %v", options.MostLate)
			}
			if options.Rounds < 1 {
				return fmt.Errorf("--rounds must be positive, not %d", options.Rounds)
			}
			attacks, err := selftest.Attacks()
			if err != nil {
				return err
			}
			runner, err := open(cmd, toolrun.Options{})
			if err != nil {
				return err
			}
			defer runner.Close()
			for _, language := range []struct {
				name    string
				attacks func() ([]selftest.Attack, error)
			}{{python.Name, selftest.PythonAttacks}, {shell.Name, selftest.ShellAttacks}} {
				if _, has := runner.Registry().Tool(language.name); !has {
					continue
				}
				more, err := language.attacks()
				if err != nil {
					return err
				}
				attacks = append(attacks, more...)
			}
			attacks = slices.DeleteFunc(attacks, func(a selftest.Attack) bool { return !pattern.MatchString(a.Name) })
			if len(attacks) == 0 {
				return fmt.Errorf("no attack's name matches %q", only)
			}
			out := cmd.OutOrStdout()
			if list {
				return listAttacks(attacks).print(out, asJSON)
			}

			if slices.ContainsFunc(attacks, selftest.Attack.IsPython) {
				interpreter, err := runner.Interpreter(cmd.Context(), python.Name)
				if err != nil {
					return err
				}
				options.Python = interpreter.(python.Interpreter).Interpreter
				attacks = slices.DeleteFunc(attacks,
					func(a selftest.Attack) bool { return !a.Possible(options.Python) })
				if len(attacks) == 0 {
					return errors.New("this build of Python has no NumPy and no pandas, which these attacks need: " +
						"see docs/python.md")
				}
			}
			if slices.ContainsFunc(attacks, selftest.Attack.IsShell) {
				if options.Shell, err = runner.Interpreter(cmd.Context(), shell.Name); err != nil {
					return err
				}
			}
			engine, err := runner.start(cmd.Context(), javascript.Name)
			if err != nil {
				return err
			}
			report, err := selftest.Run(cmd.Context(), engine.(javascript.Interpreter).Interpreter, attacks, options)
			if err != nil {
				return err
			}
			if asJSON {
				err = printJSON(out, report)
			} else {
				err = report.WriteTable(out)
			}
			if err == nil && len(report.Wrong()) > 0 {
				err = errToolFailed
			}
			return err
		},
	}
	cmd.Flags().StringVar(&only, "only", "", "run the attacks whose names match this `regexp`")
	cmd.Flags().BoolVar(&list, "list", false, "list the attacks without running them")
	cmd.Flags().DurationVar(&options.TimeLimit, "limit", selftest.DefaultTimeLimit,
		"time limit of scripts that do not end by themselves")
	cmd.Flags().DurationVar(&options.MostLate, "late", selftest.DefaultMostLate,
		"how long after its time limit a script may be stopped")
	cmd.Flags().IntVar(&options.Rounds, "rounds", 1, "run each attack this many times")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each attack as JSON")
	return cmd
}

// listAttacks lists the attacks.
func listAttacks(attacks []selftest.Attack) outcome {
	type jsonAttack struct {
		Name    string `json:"name"`
		Attempt string `json:"attempt"`
	}
	var text strings.Builder
	all := []jsonAttack{}
	for _, a := range attacks {
		fmt.Fprintf(&text, "%s: %s\n", a.Name, a.Attempt)
		all = append(all, jsonAttack{a.Name, a.Attempt})
	}
	return outcome{text: text.String(), data: all}
}
