package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/afero"
	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/observe"
)

// approvalsCommand has what the subcommands of toolrun approvals share.
type approvalsCommand struct {
	projectFlags
	json bool
}

func newApprovals() *cobra.Command {
	c := &approvalsCommand{}
	cmd := &cobra.Command{
		Use:   "approvals",
		Short: "Decide on calls that wait for approval",
		Long: `Decide on calls that wait for the approval of a person: --ask of toolrun call,
js, py, repl, mcp and serve, and of toolrun project set, says which do. No model
and no code can use this command. Calls wait for seven days.`,
		Example: "  toolrun approvals list\n" +
			"  toolrun approvals show run-...\n" +
			"  toolrun approvals approve run-...",
	}
	c.addStore(cmd)
	addJSON(cmd.PersistentFlags(), &c.json)
	cmd.AddCommand(c.list(), c.show(), c.approve(), c.refuse())
	return cmd
}

func (c *approvalsCommand) list() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the calls that wait",
		Long: `List the calls that wait in all projects, or with --project in one: the token,
the project, the call, which tools need approval, and until when it is kept.`,
		Example: "  toolrun approvals list\n" +
			"  toolrun approvals list --project notes --json",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var all []*service.Waiting
			err := c.desk(cmd, func(s *service.Service) (err error) {
				in := service.InProject{}
				if cmd.Flags().Changed("project") {
					in.Project = c.id
				}
				all, err = s.ListWaiting(cmd.Context(), in)
				return err
			})
			var text strings.Builder
			table := tabwriter.NewWriter(&text, 0, 8, 2, ' ', 0)
			for _, run := range all {
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\tuntil %s\n", run.Token, run.Project, run.Call.Tool, waitsFor(run),
					run.Until.Local().Format("2006-01-02 15:04"))
			}
			_ = table.Flush() // a strings.Builder does not fail
			out := outcome{text: text.String(), data: all, none: "no calls wait for approval"}
			return errors.Join(err, out.print(cmd.OutOrStdout(), c.json))
		},
	}
}

// waitsFor says which calls need a decision.
func waitsFor(run *service.Waiting) string {
	var tools []string
	for _, call := range run.Waiting() {
		tools = append(tools, call.Tool)
	}
	switch {
	case run.State == registry.Running:
		return "goes on"
	case len(tools) == 0:
		return "decided"
	}
	return "waits for " + strings.Join(tools, ", ")
}

// find returns a call that waits, and takes its project as that of the flags.
func (c *approvalsCommand) find(cmd *cobra.Command, token string) (run *service.Waiting, err error) {
	err = c.desk(cmd, func(s *service.Service) error {
		run, err = s.ShowWaiting(cmd.Context(), service.WaitingRequest{Token: token})
		return err
	})
	if _, none := errors.AsType[*service.Error](err); none {
		return nil, fmt.Errorf("%s: %w; toolrun approvals list shows those that do", token, err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", token, err)
	}
	c.id, c.root = service.WaitsOn(run)
	return run, nil
}

func (c *approvalsCommand) show() *cobra.Command {
	return &cobra.Command{
		Use:   "show TOKEN",
		Short: "Show a call that waits, and what it has changed",
		Long: `Show a call that waits: its input or code, the calls that need approval, what
they would replace or delete, what it has changed in files so far, and what
others have changed since it waits.`,
		Example: "  toolrun approvals show run-...",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			run, err := c.find(cmd, args[0])
			if err != nil {
				return err
			}
			if c.json {
				return printJSON(cmd.OutOrStdout(), run)
			}
			var files afero.Fs
			project, err := c.existing(cmd.Context())
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			if err == nil {
				defer func() { err = errors.Join(err, project.Close()) }()
				files = project
			}
			lost, err := c.losses(cmd, run)
			if err != nil {
				return err
			}
			return printRun(cmd.Context(), cmd.OutOrStdout(), run, lost, files)
		},
	}
}

// losses returns what the calls that need approval would replace or delete, by their IDs.
func (c *approvalsCommand) losses(cmd *cobra.Command, run *service.Waiting) (map[string]service.LossAnswer, error) {
	lost := map[string]service.LossAnswer{}
	err := c.desk(cmd, func(s *service.Service) (err error) {
		for _, call := range run.Waiting() {
			in := service.LossRequest{Project: cmp.Or(s.Project(), run.Project), Token: run.Token, Call: call.ID}
			if lost[call.ID], err = s.ShowLoss(cmd.Context(), in); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) { // there is no such project any more
		err = nil
	}
	return lost, err
}

// printRun prints a call that waits. lost are the losses by the calls that need approval.
func printRun(ctx context.Context, w io.Writer, run *service.Waiting, lost map[string]service.LossAnswer,
	files afero.Fs) error {
	fmt.Fprintf(w, "%s: %s in %s, since %s, kept until %s\n", run.Token, run.Call.Tool, run.Scope,
		run.Since.Local().Format("2006-01-02 15:04:05"), run.Until.Local().Format("2006-01-02 15:04"))
	for _, about := range []struct{ name, value string }{{"chat", run.Chat}, {"client", run.Client}} {
		if about.value != "" {
			fmt.Fprintf(w, "%s: %s\n", about.name, about.value)
		}
	}
	if run.Code {
		fmt.Fprint(w, indented(codeOf(run.Call.Input)))
	}
	for _, call := range run.Calls {
		state := string(call.Status)
		switch {
		case call.Status == registry.Waiting && call.Decision == nil:
			state = "needs approval"
			if call.Rule != "" {
				state += " (" + call.Rule + ")"
			}
		case call.Status == registry.Waiting && call.Decision.Approved:
			state = "approved by " + call.Decision.By
		case call.Status == registry.Waiting:
			state = "refused by " + call.Decision.By
		case call.Code != "":
			state += ", " + string(call.Code)
		case call.Approval != nil:
			state += ", approved by " + call.Approval.By
		}
		fmt.Fprintf(w, "%s %s: %s\n", call.ID, call.Tool, state)
		if call.Input != nil {
			fmt.Fprint(w, indented(string(call.Input)))
		}
		printLoss(w, lost[call.ID])
		if call.Problem != "" {
			fmt.Fprintf(w, "The arguments of the last decision could not be used:\n%s", indented(call.Problem))
		}
	}
	printChanged(w, run.ChangedSince(ctx, files))
	return printOwnChanges(ctx, w, files, run.Owns)
}

// printLoss prints what a call would replace or delete.
func printLoss(w io.Writer, lost service.LossAnswer) {
	switch {
	case lost.Path != "" && lost.Count > 0:
		fmt.Fprintf(w, "%s and these files in it would be deleted:\n", lost.Path)
	case lost.Path != "" && lost.Diff == "" && lost.Note == "":
		fmt.Fprintf(w, "%s is empty and would be deleted.\n", lost.Path)
	case lost.Path != "":
		fmt.Fprintf(w, "%s is there now. This is what would change:\n", lost.Path)
	case lost.Count > 0:
		fmt.Fprintln(w, "These files would be deleted:")
	}
	text := lost.Note + lost.Diff
	for _, name := range lost.Files {
		text += name + "\n"
	}
	if lost.More {
		text += "... and more\n"
	}
	if text != "" {
		fmt.Fprint(w, indented(text))
	}
}

// decideFlags are those of the subcommands that decide.
type decideFlags struct {
	calls   []string
	by      string
	only    bool
	audit   string
	servers serverFlags
}

func (f *decideFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.calls, "call", nil, "decide only on the calls with these `IDS`")
	cmd.Flags().StringVar(&f.by, "by", "", "note that `NAME` has decided (default: your name on this machine)")
	cmd.Flags().BoolVar(&f.only, "decide-only", false, "let who has made the call go on with it")
	cmd.Flags().StringVar(&f.audit, "audit", "", "append a line of JSON about each call to `FILE`")
	f.servers.add(cmd)
}

func (c *approvalsCommand) approve() *cobra.Command {
	var f decideFlags
	var input string
	var always bool
	cmd := &cobra.Command{
		Use:   "approve TOKEN",
		Short: "Approve calls that wait, and go on",
		Long: `Approve the calls that wait for it, all or those with the IDs of --call, and go
on with the code that has made them. The output is what the model gets; it gets
the same when it makes the same call again. If this machine does not have the
tools, or with --decide-only, it goes on when the call is made again. With
--input, a single call is made with other arguments.`,
		Example: "  toolrun approvals approve run-...\n" +
			"  toolrun approvals approve run-... --call call-1.2 --input '{\"path\": \"/a\"}'",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			decision := service.DecideRequest{Approved: true, Always: always}
			if cmd.Flags().Changed("input") {
				if !json.Valid([]byte(input)) {
					return errors.New("--input is no JSON")
				}
				decision.Input = service.Object(input)
			}
			return c.decide(cmd, args[0], &f, decision)
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&input, "input", "", "make the call with the arguments `JSON`")
	cmd.Flags().BoolVar(&always, "always", false, "approve later calls of the same tool by the same code, too")
	return cmd
}

func (c *approvalsCommand) refuse() *cobra.Command {
	var f decideFlags
	var reason string
	cmd := &cobra.Command{
		Use:   "refuse TOKEN",
		Short: "Refuse calls that wait, and go on",
		Long: `Refuse the calls that wait for approval, all or those with the IDs of --call,
and go on: code gets an error that it can handle, and the model the reason.`,
		Example: "  toolrun approvals refuse run-... --reason 'Ask Ada first'",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return c.decide(cmd, args[0], &f, service.DecideRequest{Reason: reason})
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&reason, "reason", "", "tell the model why, in a `TEXT`")
	return cmd
}

// decide decides on calls, and goes on if this process has the tools.
func (c *approvalsCommand) decide(cmd *cobra.Command, token string, f *decideFlags,
	in service.DecideRequest) (err error) {
	run, err := c.find(cmd, token)
	if err != nil {
		return err
	}
	in.Token, in.Calls = token, f.calls
	if len(in.Calls) == 0 {
		for _, call := range run.Waiting() {
			in.Calls = append(in.Calls, call.ID)
		}
	}
	if len(in.Calls) == 0 { // another decision would not count, which Decide says
		for _, call := range run.Calls {
			if call.Status == registry.Waiting {
				in.Calls = append(in.Calls, call.ID)
			}
		}
	}
	if in.Input != nil && len(in.Calls) != 1 {
		return fmt.Errorf("--input is for one call, and %d wait: give --call ID", len(in.Calls))
	}
	options := c.noted()
	if f.audit != "" {
		file, err := hostOf(cmd).openFile(f.audit, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		defer file.Close() // each line has been written by itself
		options.Middleware = []registry.Middleware{observe.Audit(file, nil)}
	}
	r, err := f.servers.open(cmd, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	access := &service.Access{Name: cmp.Or(f.by, hostOf(cmd).operator()), Role: service.Operator, Project: c.id,
		Session: func(ctx context.Context) (*toolrun.Session, error) { return c.session(ctx, r, nil) }}
	return c.deskOf(r.Runner, access, func(s *service.Service) error {
		in.Project = s.Project()
		if in.Only = f.only || !hasTools(r, run); in.Only {
			if _, err := s.Decide(cmd.Context(), in); err != nil {
				return err
			}
			_, err := io.WriteString(cmd.OutOrStdout(), "Decided. It goes on when the same call is made again.\n")
			return err
		}
		result, err := s.DecideNow(cmd.Context(), in)
		if err != nil {
			return err
		}
		if p := result.Pending; p != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "toolrun: waits for approval: toolrun approvals show %s\n", p.Token)
		}
		return (&callFlags{json: c.json}).print(cmd.OutOrStdout(), result, modelPrinter{cmd.OutOrStdout()})
	})
}

// hasTools reports whether the tools are there that a call needs to go on.
func hasTools(r *runner, run *service.Waiting) bool {
	names := []string{run.Call.Tool}
	for _, call := range run.Calls {
		names = append(names, call.Tool)
	}
	return known(r.Registry(), names) == nil
}

// completeRun completes the token of a call that waits.
func completeRun(cmd *cobra.Command, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var tokens []string
	_ = projectOf(cmd).desk(cmd, func(s *service.Service) error {
		all, err := s.ListWaiting(cmd.Context(), service.InProject{})
		for _, run := range all {
			tokens = append(tokens, run.Token)
		}
		return err
	})
	return offer(tokens, typed)
}

// completeAsk completes rules for approvals.
func completeAsk(cmd *cobra.Command, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	tools, directive := completeTool(cmd, typed)
	rules := startingWith(append(service.FindSetting("ask").Words(), registry.AskSource), typed)
	return append(rules, tools...), directive
}
