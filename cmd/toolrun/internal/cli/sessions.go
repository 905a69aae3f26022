package cli

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/vfs"
)

// sessionCommand has what the subcommands of toolrun session share.
type sessionCommand struct{ filesCommand }

func newSessionCommand() *cobra.Command {
	c := &sessionCommand{}
	cmd := &cobra.Command{
		Use:   "session",
		Short: "List, copy and delete sessions of code",
		Long: `List, copy and delete the sessions of a project. The variables of code that runs
in a session stay from call to call: toolrun js --session NAME, toolrun repl
--session NAME, or --option javascript.session=NAME for models. They are kept
with the project, count for its quota, and are undone with the calls that have
changed them. Sessions that nobody uses for 30 days (the option sessionDays) are
dropped.`,
		Example: "  toolrun js --session main -e 'let n = 1'\n" +
			"  toolrun session list",
	}
	c.add(cmd)
	addJSON(cmd.PersistentFlags(), &c.json)
	cmd.AddCommand(c.list(), c.show(), c.fork(), c.delete())
	return cmd
}

func (c *sessionCommand) list() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the sessions of the project",
		Long: `List the sessions of the project: their names, the tools whose code has run in
them, their sizes, and when a call has last left variables there.`,
		Example: "  toolrun session list\n" +
			"  toolrun session list --root . --json",
		Args: cobra.NoArgs,
		RunE: c.read(func(ctx context.Context, _ []string, s *service.Service) (outcome, error) {
			found, err := s.ListSessions(ctx, service.InProject{Project: c.name()})
			var text strings.Builder
			table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
			for _, one := range found.Sessions {
				var tools []string
				for _, state := range one.States {
					tools = append(tools, state.Tool)
				}
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", one.Name, strings.Join(tools, ", "), countBytes(one.Bytes),
					one.Used.Local().Format(time.DateTime))
			}
			_ = table.Flush() // a strings.Builder does not fail
			return outcome{text: text.String(), data: found.Sessions,
				none: "no sessions; --session of toolrun js begins one"}, err
		}),
	}
}

func (c *sessionCommand) show() *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME",
		Short: "Show what a session has",
		Long: `Show what a session has: for each tool whose code has run in it, the size, when
a call has last left variables there, and the variables, with short values.`,
		Example: "  toolrun js --session main -e 'let n = 1' && toolrun session show main",
		Args:    cobra.ExactArgs(1),
		RunE: c.run(c.existing, func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			r, err := open(cmd, toolrun.Options{})
			if err != nil {
				return outcome{}, err
			}
			defer r.Close() // which has changed nothing
			s, err := c.serviceOf(r.Runner, p)
			if err != nil {
				return outcome{}, err
			}
			one, err := s.ShowSession(cmd.Context(), service.SessionRequest{Project: c.name(), Session: args[0]})
			if err != nil {
				return outcome{}, noSession(args[0], err)
			}
			var text strings.Builder
			for _, state := range one.States {
				used := state.Used.Local().Format(time.DateTime)
				fmt.Fprintf(&text, "%s  %s  %s\n", state.Tool, countBytes(state.Bytes), used)
				table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
				for _, v := range state.Variables {
					fmt.Fprintf(table, "  %s\t%s\n", terminal.Escape(v.Name), terminal.Escape(v.Value))
				}
				_ = table.Flush() // a strings.Builder does not fail
				if state.Problem != "" {
					fmt.Fprintf(&text, "  Its variables cannot be shown: %s.\n", terminal.Escape(state.Problem))
				}
			}
			return outcome{text: text.String(), data: one}, nil
		}),
	}
}

func noSession(name string, err error) error {
	return reworded(err, "not_found", "no session named %s; toolrun session list lists them", name)
}

func (c *sessionCommand) fork() *cobra.Command {
	return &cobra.Command{
		Use:   "fork NAME NEW",
		Short: "Copy a session under another name",
		Long: `Copy a session under another name, which must be free. Both go on from where the
session is now, and neither changes the other.`,
		Example: "  toolrun js --session main -e 'let n = 1' && toolrun session fork main try",
		Args:    cobra.ExactArgs(2),
		RunE: c.run(c.existing, c.ask(func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
			_, err := s.ForkSession(ctx, service.ForkRequest{Project: c.name(), Session: args[0], As: args[1]})
			err = reworded(err, "exists", "there is a session named %s; toolrun session delete %s deletes it", args[1],
				args[1])
			return outcome{
				text: fmt.Sprintf("%s is a copy of %s.\n", args[1], args[0]),
				data: map[string]string{"forked": args[0], "to": args[1]},
			}, noSession(args[0], err)
		})),
	}
}

func (c *sessionCommand) delete() *cobra.Command {
	return &cobra.Command{
		Use:   "delete NAME",
		Short: "Delete a session",
		Long:  "Delete a session, with all its variables. toolrun files undo brings it back.",
		Example: "  toolrun js --session try -e 'let n = 1' && toolrun session delete try\n" +
			"  toolrun session list",
		Args: cobra.ExactArgs(1),
		RunE: c.run(c.existing, c.ask(func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
			_, err := s.DeleteSession(ctx, service.SessionRequest{Project: c.name(), Session: args[0]})
			return outcome{
				text: fmt.Sprintf("%s deleted.\n", args[0]), data: map[string]string{"deleted": args[0]},
			}, noSession(args[0], err)
		})),
	}
}
