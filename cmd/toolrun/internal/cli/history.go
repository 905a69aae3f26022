package cli

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/vfs"
)

// jsonChange is a change in the history as JSON.
type jsonChange struct {
	ID     int64     `json:"id"`
	Time   time.Time `json:"time"`
	Call   string    `json:"call,omitempty"`
	Op     vfs.Op    `json:"op"`
	Path   string    `json:"path,omitempty"`
	To     string    `json:"to,omitempty"`
	Kept   bool      `json:"kept,omitempty"`
	Lost   bool      `json:"lost,omitempty"`
	Undoes string    `json:"undoes,omitempty"`
}

// changesOutcome lists changes.
func changesOutcome(changes []vfs.Change) outcome {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	all := []jsonChange{}
	for _, e := range changes {
		all = append(all, jsonChange{e.ID, e.Time, e.Call, e.Op, e.Path, e.To, e.Kept, e.Lost, e.Undoes})
		what, call := e.Path, e.Call
		if e.To != "" {
			what += " -> " + e.To
		}
		if e.Undoes != "" {
			call = "undoes " + e.Undoes
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\n", e.ID, e.Time.Local().Format(time.DateTime), call, e.Op, what)
	}
	_ = table.Flush() // a strings.Builder does not fail
	return outcome{text.String(), all}
}

func (c *filesCommand) history() *cobra.Command {
	return &cobra.Command{
		Use:   "history [PATH]",
		Short: "List the changes of a file or a directory, the latest first",
		Long: `List the changes of a file, or of everything in a directory, the latest first,
also from before it was renamed.
The first column is the id for restore and cat --version. The name after the
time is that of the call, for undo.`,
		Example: "  toolrun files history\n" +
			"  toolrun files history /notes.md --json",
		Args: cobra.MaximumNArgs(1),
		RunE: c.run(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			changes, err := p.Changes(cmd.Context(), argument(args, 0, "/"))
			if err != nil {
				return outcome{}, err
			}
			return changesOutcome(changes), nil
		}),
	}
}

func (c *filesCommand) deleted() *cobra.Command {
	return &cobra.Command{
		Use:   "deleted [PATH]",
		Short: "List what has been removed and can be restored",
		Long: `List the files and directories that have been removed, the latest first, and at
whose paths there is nothing now. The first column is the id for restore.`,
		Example: "  toolrun files deleted\n" +
			"  toolrun files restore 7 --to /old/notes.md",
		Args: cobra.MaximumNArgs(1),
		RunE: c.run(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			changes, err := vfs.Removed(cmd.Context(), p, argument(args, 0, "/"))
			if err != nil {
				return outcome{}, err
			}
			return changesOutcome(changes), nil
		}),
	}
}

func (c *filesCommand) restore() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "restore ID",
		Short: "Put back what a change replaced or removed",
		Long: `Put back what a change replaced or removed, where it was, or at another path
with --to. If the file has been renamed since, it goes to its new path.`,
		Example: "  toolrun files history /notes.md\n" +
			"  toolrun files restore 2",
		Args: cobra.ExactArgs(1),
		RunE: c.run(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return outcome{}, fmt.Errorf("%q is not the id of a change; toolrun files history lists them", args[0])
			}
			return outcome{}, p.Restore(cmd.Context(), id, to)
		}),
	}
	cmd.Flags().StringVar(&to, "to", "", "put it at `PATH` instead")
	return cmd
}

func (c *filesCommand) undo() *cobra.Command {
	return &cobra.Command{
		Use:   "undo [CALL]",
		Short: "Undo everything that the last call, or another one, has changed",
		Long: `Undo everything that a call has changed: the last call that was not undone yet,
or the one given. If other changes to the same files came later, nothing is
undone, and the error names the files.`,
		Example: "  toolrun files undo\n" +
			"  toolrun files undo js-1",
		Args: cobra.MaximumNArgs(1),
		RunE: c.run(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			changes, err := p.Undo(cmd.Context(), argument(args, 0, ""))
			if err != nil {
				return outcome{}, err
			}
			return changesOutcome(changes), nil
		}),
	}
}
