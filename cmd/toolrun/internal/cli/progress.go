package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
)

// slowCommands can take longer than a second, without running code, asking or serving: those have their own ways to
// show that they are at work.
var slowCommands = []string{
	"module add", "module verify",
	"files put", "files get", "files rm", "files cp", "files mv", "files grep", "files tree", "files import",
	"files export", "files apply", "files discard", "files undo", "files redo", "files restore", "files diff",
	"checkpoint create", "checkpoint restore", "checkpoint delete",
	"project compact", "project delete", "project restore", "project list",
	"store migrate", "store check", "store sweep",
}

type progressKey struct{}

// showProgress gives slow commands a line of progress on terminals.
func showProgress(cmd *cobra.Command) {
	if slices.Contains(slowCommands, strings.TrimPrefix(cmd.CommandPath(), "toolrun ")) {
		run := cmd.RunE
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			if slices.Contains(args, "-") { // a person may be typing, or reading the output as it comes
				return run(cmd, args)
			}
			progress := terminal.StartProgress(cmd.ErrOrStderr(), cmd.OutOrStdout())
			defer progress.Stop()
			cmd.SetContext(context.WithValue(cmd.Context(), progressKey{}, progress))
			return run(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		showProgress(sub)
	}
}

// report says in the line of progress, if the command has one, what it is doing, and how much of it is done.
func report(ctx context.Context, doing string, done, total float64) {
	progress, _ := ctx.Value(progressKey{}).(*terminal.Progress)
	progress.Report(doing, done, total)
}
