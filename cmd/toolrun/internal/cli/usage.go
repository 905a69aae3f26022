package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// explainArguments makes errors about arguments say what the command takes, and errors about unknown commands suggest a
// similar one. Commands that have only others show their help.
func explainArguments(cmd *cobra.Command) {
	if cmd.HasSubCommands() && !cmd.Runnable() {
		cmd.Args, cmd.RunE = cobra.NoArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	}
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			err := check(cmd, args)
			switch {
			case err == nil:
				return nil
			case cmd.HasAvailableSubCommands():
				cmd.SuggestionsMinimumDistance = 2
				if similar := cmd.SuggestionsFor(args[0]); len(similar) > 0 {
					return fmt.Errorf("%w; did you mean %s %s?", err, cmd.CommandPath(), similar[0])
				}
				return err
			case strings.HasPrefix(err.Error(), "unknown command"):
				return fmt.Errorf("unexpected argument %q: %s takes none", args[0], cmd.CommandPath())
			}
			return fmt.Errorf("wrong number of arguments: %s", strings.TrimSuffix(cmd.UseLine(), " [flags]"))
		}
	}
	for _, c := range cmd.Commands() {
		explainArguments(c)
	}
}

var (
	excluding = lazyregexp.New(
		`^if any flags in the group \[[^\]]*\] are set none of the others can be; \[([^\]]*)\] were all set$`)
	together = lazyregexp.New(
		`^if any flags in the group \[[^\]]*\] are set they must all be set; missing \[([^\]]*)\]$`)
)

// explainFlags rewords errors about flags that exclude or need each other.
func explainFlags(err error) error {
	if m := excluding().FindStringSubmatch(err.Error()); m != nil {
		return fmt.Errorf("--%s cannot be used together", strings.Join(strings.Fields(m[1]), " and --"))
	}
	if m := together().FindStringSubmatch(err.Error()); m != nil {
		return errors.New("--" + strings.Join(strings.Fields(m[1]), " and --") + " is missing beside the other flags")
	}
	return err
}
