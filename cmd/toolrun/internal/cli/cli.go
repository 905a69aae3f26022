// Package cli is the toolrun command.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/internal/ownversion"
	"github.com/toolrun/toolrun/tools/python"
)

// Exit statuses of the command.
const (
	exitOK          = 0
	exitToolError   = 1   // the tool ran and reported an error, which is the output
	exitUsage       = 2   // wrong usage, or something failed on the host's side
	exitInterrupted = 130 // stopped by Ctrl-C, as shells have it: 128 + SIGINT
)

// errToolFailed means that the command printed an error of the tool.
var errToolFailed = errors.New("the tool reported an error")

// errLeft means that the user left the prompt. Earlier interrupts stopped single entries.
var errLeft = errors.New("the session was left")

// Run runs the command with its arguments (without the program's name) on a host, and returns its exit status. An
// interrupt stops what is running, and so does the end of the context; a second interrupt ends the process the hard
// way. Several can run at once.
func Run(ctx context.Context, host *Host, args []string) (status int) {
	ctx, stop := host.untilSignal(context.WithValue(ctx, hostKey{}, host), os.Interrupt)
	defer stop()

	root := newRoot()
	if len(args) > 0 && (args[0] == "--version" || args[0] == "-v") {
		args = append([]string{"version"}, args[1:]...) // cobra has a text of its own for it
	}
	hideSubcommands(root, args)
	root.SetArgs(args)
	stdout, stderr := terminal.Out(host.Stdout, host.getenv), terminal.Out(host.Stderr, host.getenv)
	root.SetIn(host.Stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	_ = terminal.Flush(stdout)
	switch {
	case errors.Is(err, errLeft):
		return exitOK
	case ctx.Err() != nil, errors.Is(err, terminal.ErrInterrupted):
		return exitInterrupted
	case err == nil:
		return exitOK
	case errors.Is(err, errToolFailed):
		return exitToolError
	}
	if exit, ok := errors.AsType[exitError](err); ok {
		return int(exit) & 0xff // as on Unix
	}
	printError(stderr, explainFlags(err))
	return exitUsage
}

// printError prints a failure of the host.
func printError(stderr io.Writer, err error) {
	_ = terminal.Print(stderr, terminal.Red, fmt.Sprintf("toolrun: %v", err))
	_, _ = io.WriteString(stderr, "\n")
	if note := unprotectNote(err.Error()); note != "" {
		_, _ = io.WriteString(stderr, note+"\n")
	}
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "toolrun",
		Short: "Run untrusted code in a sandbox with hard limits",
		Long: `Toolrun runs untrusted code in a sandbox with hard limits. The code sees the
files of one project and nothing else.

Standard output carries the result alone. The exit status is 0 for success, 1
if the code or the tool failed, 2 for wrong usage or a failure of this machine,
and 130 after an interrupt. Code that calls process.exit chooses its own.

A terminal gets colours, unless NO_COLOR is set, CLICOLOR is 0 or TERM is dumb,
and a line of progress for whatever takes longer than a second. Escape
sequences and other control characters are shown as \x1b and so on. Pipes and
files get the bytes unchanged.`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       ownversion.Get(),
	}
	for _, l := range languages {
		cmd := newCode(l)
		if l.Name == python.Name {
			addPyPackages(cmd)
		}
		root.AddCommand(cmd)
	}
	root.AddCommand(newREPL(), newCallCommand(), newReplay(), newMCP(),
		newServe(), newSetup(), newTools(), newDefs(), newPrompt(),
		newFiles(), newCheckpoint(), newProject(), newSessionCommand(), newStore(),
		newModule(), newSelftest(), newDocs(), newVersion(), newUpgrade())
	root.AddCommand(newApprovals(), newCalls())
	explainArguments(root)
	arrangeHelp(root)
	completeCommands(root)
	showProgress(root)
	return root
}

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Example: "  toolrun version\n" +
			"  toolrun version --json",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return outcome{text: "toolrun " + ownversion.Get() + "\n",
				data: map[string]string{"version": ownversion.Get()}}.print(cmd.OutOrStdout(), asJSON)
		},
	}
	addJSON(cmd.Flags(), &asJSON)
	return cmd
}

// addJSON adds --json, which prints one line of JSON instead of text for people.
func addJSON(flags interface {
	BoolVar(p *bool, name string, value bool, usage string)
}, asJSON *bool) {
	flags.BoolVar(asJSON, "json", false, "print the result as JSON")
}
