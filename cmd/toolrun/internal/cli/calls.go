package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/internal/calls"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/registry"
)

// callsCommand has what the subcommands of toolrun calls share.
type callsCommand struct {
	*projectFlags
	json bool
}

func newCalls() *cobra.Command {
	c := &callsCommand{projectFlags: &projectFlags{}}
	cmd := &cobra.Command{
		Use:   "calls",
		Short: "List and stop the calls of a project",
		Long: `List and stop the calls of tools on a project, whatever process with the same
store makes them: MCP servers, the page, or commands. The latest 500 calls of a
project are kept for seven days.`,
		Example: "  toolrun calls list --running\n" +
			"  toolrun calls stop javascript-...",
	}
	c.add(cmd)
	addJSON(cmd.PersistentFlags(), &c.json)
	cmd.AddCommand(c.list(), c.stop())
	return cmd
}

// sharedCalls returns the calls of the project, the latest first.
func (f *projectFlags) sharedCalls(cmd *cobra.Command, running bool) (all []calls.Call, err error) {
	err = f.desk(cmd, func(s *service.Service) error {
		all, err = s.ListSharedCalls(cmd.Context(), f.inProject(s))
		return err
	})
	return slices.DeleteFunc(all, func(call calls.Call) bool { return running && !call.Live() }), err
}

// inProject is the request for what is done with the project as a whole.
func (f *projectFlags) inProject(s *service.Service) service.InProject {
	return service.InProject{Project: cmp.Or(s.Project(), f.id)}
}

func (c *callsCommand) list() *cobra.Command {
	var running bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the calls, the latest first",
		Long: `List the calls of the project, the latest first: the id, the tool, when it
began, how long it took, how it ended, and who made it. Calls show up a second
or two after they begin.`,
		Example: "  toolrun calls list\n" +
			"  toolrun calls list --running --json",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := c.sharedCalls(cmd, running)
			if err != nil {
				return err
			}
			var text strings.Builder
			table := tabwriter.NewWriter(&text, 0, 8, 2, ' ', 0)
			for _, call := range all {
				state := "ok"
				switch {
				case call.State != registry.Ended:
					state = string(call.State)
				case call.Code != "":
					state = strings.ReplaceAll(string(call.Code), "_", " ")
				}
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s", terminal.Escape(call.ID), terminal.Escape(call.Tool),
					call.Began.Local().Format(time.DateTime), call.Took.Round(time.Millisecond), terminal.Escape(state))
				if call.Client != "" {
					fmt.Fprintf(table, "\tby %s", terminal.Escape(call.Client))
				}
				fmt.Fprintln(table)
			}
			_ = table.Flush() // a strings.Builder does not fail
			return outcome{text: text.String(), data: append([]calls.Call{}, all...), none: "no calls"}.
				print(cmd.OutOrStdout(), c.json)
		},
	}
	cmd.Flags().BoolVar(&running, "running", false, "list only calls that can be stopped")
	return cmd
}

func (c *callsCommand) stop() *cobra.Command {
	return &cobra.Command{
		Use:   "stop ID",
		Short: "Stop a call, wherever it runs",
		Long: `Ask the process that runs a call to stop it. That takes a second or two. The
model is told that a person has stopped the call.`,
		Example: "  toolrun calls list --running\n" +
			"  toolrun calls stop javascript-...",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			err := c.desk(cmd, func(s *service.Service) error {
				_, err := s.StopCall(cmd.Context(), service.CallRequest{Project: c.inProject(s).Project, Call: args[0]})
				return reworded(err, "not_found", "no call %s runs; toolrun calls list --running lists those that do",
					args[0])
			})
			if err != nil {
				return err
			}
			return outcome{text: fmt.Sprintf("%s was asked to stop\n", args[0]),
				data: map[string]string{"stopped": args[0]}}.print(cmd.OutOrStdout(), c.json)
		},
	}
}
