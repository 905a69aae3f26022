package cli

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/selftest"
)

func newSelftest() *cobra.Command {
	var only string
	var list, asJSON bool
	var options selftest.Options
	cmd := &cobra.Command{
		Use:   "selftest",
		Short: "Run hostile scripts, and show how well they are stopped",
		Long: "Run scripts that do what code should not: loop without end, flood memory, keep native code busy, reach for the\n" +
			"engine. All processors are kept busy with them, and garbage collections are forced all the while. After each, a\n" +
			"correct script must still work.\n\n" +
			"The table says how many ended as they should, and how long after its time limit a script was stopped. The\n" +
			"exit status is 1 if one of them did not end as it should, or was stopped later than --late says.",
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
			scripts, err := selftest.Scripts()
			if err != nil {
				return err
			}
			scripts = slices.DeleteFunc(scripts, func(s selftest.Script) bool { return !pattern.MatchString(s.Name) })
			if len(scripts) == 0 {
				return fmt.Errorf("no script's name matches %q", only)
			}
			out := cmd.OutOrStdout()
			if list {
				return listScripts(scripts).print(out, asJSON)
			}

			engine := &engine{warnings: cmd.ErrOrStderr()}
			defer engine.close(cmd.Context())
			sandboxes, err := engine.start(cmd.Context())
			if err != nil {
				return err
			}
			report, err := selftest.Run(cmd.Context(), sandboxes, scripts, options)
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
	cmd.Flags().StringVar(&only, "only", "", "run scripts whose names match this `regexp`")
	cmd.Flags().BoolVar(&list, "list", false, "list the scripts, and run nothing")
	cmd.Flags().DurationVar(&options.TimeLimit, "limit", selftest.DefaultTimeLimit, "the time limit of scripts that do not end by themselves")
	cmd.Flags().DurationVar(&options.MostLate, "late", selftest.DefaultMostLate, "how long after its time limit a script may be stopped")
	cmd.Flags().IntVar(&options.Rounds, "rounds", 1, "run each script that often")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each run as JSON")
	return cmd
}

// listScripts says what scripts there are.
func listScripts(scripts []selftest.Script) outcome {
	type jsonScript struct {
		Name    string `json:"name"`
		Attempt string `json:"attempt"`
	}
	var text strings.Builder
	all := []jsonScript{}
	for _, s := range scripts {
		fmt.Fprintf(&text, "%s: %s\n", s.Name, s.Attempt)
		all = append(all, jsonScript{s.Name, s.Attempt})
	}
	return outcome{text.String(), all}
}
