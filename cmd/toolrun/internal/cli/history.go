package cli

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/afero"
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
	Redoes string    `json:"redoes,omitempty"`
}

// changesOutcome lists changes.
func changesOutcome(changes []vfs.Change) outcome {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	all := []jsonChange{}
	for _, e := range changes {
		all = append(all, jsonChange{e.ID, e.Time, e.Call, e.Op, e.Path, e.To, e.Kept, e.Lost, e.Undoes, e.Redoes})
		what, call := e.Path, e.Call
		if e.To != "" {
			what += " -> " + e.To
		}
		if e.Undoes != "" {
			call = "undoes " + e.Undoes
		}
		if e.Redoes != "" {
			call += " redoes " + e.Redoes
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
also from before it was renamed. The first column is the id for restore, diff
and cat --version. The name after the time is that of the call, for undo and
redo.`,
		Example: "  toolrun files history\n" +
			"  toolrun files history /notes.md --json",
		Args: cobra.MaximumNArgs(1),
		RunE: c.read(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
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
		Long: `List the files and directories that have been removed and not replaced since,
the latest first. The first column is the id for restore.`,
		Example: "  toolrun files deleted\n" +
			"  toolrun files deleted /site",
		Args: cobra.MaximumNArgs(1),
		RunE: c.read(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
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
		Short: "Put a file or directory back as it was before a change",
		Long: `Put a file or directory back as it was before a change: its former content, its
former name, or out of the way if there was none. Other changes since then stay.
What was replaced or removed can go to another path with --to; if the file has
been renamed since, it goes to its new path. toolrun files history lists the
changes; restoring is one, too.`,
		Example: "  toolrun files history /notes.md\n" +
			"  toolrun files restore 2",
		Args: cobra.ExactArgs(1),
		RunE: c.read(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			changes, err := p.Changes(cmd.Context(), "/")
			if err != nil {
				return outcome{}, err
			}
			change, err := findChange(changes, args[0])
			if err != nil {
				return outcome{}, err
			}
			if to != "" {
				if to, err = vfs.Clean(to); err != nil {
					return outcome{}, err
				}
			}
			did, err := restoreChange(cmd.Context(), p, changes, change, to)
			return outcome{did + "\n", map[string]string{"did": did}}, err
		}),
	}
	cmd.Flags().StringVar(&to, "to", "", "put it at `PATH` instead")
	return cmd
}

// restoreChange takes back one of all changes, whatever has come after it, and says what it did. What is kept goes to the
// clean path to instead, unless that is "".
func restoreChange(
	ctx context.Context, p vfs.Project, all []vfs.Change, change vfs.Change, to string,
) (did string, err error) {
	now, there := nowAt(all, change)
	gone := fmt.Errorf("change %d: %s has been removed or replaced since", change.ID, now)
	switch {
	case to != "" && change.Kept:
		return "restored " + to, p.Restore(ctx, change.ID, to)
	case to != "":
		return "", fmt.Errorf("change %d: nothing to put at another path: %w", change.ID, vfs.ErrNotKept)
	case change.Lost:
		return "", fmt.Errorf("change %d: what it replaced was too large to keep: %w", change.ID, vfs.ErrNotKept)
	case change.Op == vfs.OpRename:
		if !there {
			return "", gone
		}
		if err := p.MkdirAll(path.Dir(change.Path), 0o755); err != nil {
			return "", err
		}
		if err := vfs.Move(ctx, p, now, change.Path); err != nil {
			return "", err
		}
		did = fmt.Sprintf("moved %s back to %s", now, change.Path)
		if change.Kept {
			err = p.Restore(ctx, change.ID, change.To)
			did += fmt.Sprintf(", and restored %s", change.To)
		}
		return did, err
	case change.Kept:
		if change.Op != vfs.OpWrite {
			now = change.Path
		}
		return "restored " + now, p.Restore(ctx, change.ID, "")
	case change.Op == vfs.OpCreate, change.Op == vfs.OpMkdir:
		if !there {
			return "", gone
		}
		return fmt.Sprintf("removed %s, which did not exist before change %d", now, change.ID),
			p.Exclusively(ctx, func(files afero.Fs) error {
				if _, err := files.Stat(now); err != nil {
					return err
				}
				return files.RemoveAll(now)
			})
	case change.Op == vfs.OpUndone:
		if redoer, ok := p.(vfs.Redoer); ok {
			_, err := redoer.Redo(ctx, change.Undoes)
			return "redid " + change.Undoes, err
		}
	}
	return "", fmt.Errorf("change %d: %w", change.ID, vfs.ErrNotKept)
}

// nowAt returns where the file or directory is now that a change has made, written or renamed, as the later ones of all
// changes say, which are listed from the latest on. If it has been removed or replaced, there is false, and now is where
// it was then.
func nowAt(all []vfs.Change, change vfs.Change) (now string, there bool) {
	now = change.Path
	if change.Op == vfs.OpRename {
		now = change.To
	}
	removed := "" // with what was here
	for _, later := range slices.Backward(all) {
		switch {
		case later.ID <= change.ID:
		case removed != "":
			undone := later.Op == vfs.OpCreate && (later.Undoes != "" || later.Redoes != "")
			if (later.Path == removed || later.To == removed) && !undone {
				return now, false // something else is here
			}
			if later.Path == removed {
				removed = ""
			}
		case later.Op == vfs.OpRename && vfs.Within(now, later.Path):
			now = later.To + now[len(later.Path):]
		case later.Op == vfs.OpRename && later.To == now:
			return now, false
		case later.Op == vfs.OpRemove && vfs.Within(now, later.Path):
			removed = later.Path
		}
	}
	return now, removed == ""
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
		RunE: c.read(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			changes, err := p.Undo(cmd.Context(), argument(args, 0, ""))
			if len(args) == 0 && errors.Is(err, vfs.ErrNotKept) {
				return outcome{}, errors.New("nothing to undo")
			}
			if err != nil {
				return outcome{}, err
			}
			return changesOutcome(changes), nil
		}),
	}
}

func (c *filesCommand) redo() *cobra.Command {
	return &cobra.Command{
		Use:   "redo [CALL]",
		Short: "Redo what was undone last, or what another call had changed",
		Long: `Redo the changes of the call that was undone last, or of the one given. If other
changes to the same files came later, nothing is redone, and the error names the
files.`,
		Example: "  toolrun files undo && toolrun files redo",
		Args:    cobra.MaximumNArgs(1),
		RunE: c.read(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			redoer, ok := p.(vfs.Redoer)
			if !ok {
				return outcome{}, errors.New("this project cannot redo")
			}
			changes, err := redoer.Redo(cmd.Context(), argument(args, 0, ""))
			if len(args) == 0 && errors.Is(err, vfs.ErrNotKept) {
				return outcome{}, errors.New("nothing to redo")
			}
			if err != nil {
				return outcome{}, err
			}
			return changesOutcome(changes), nil
		}),
	}
}

func (c *projectCommand) compact() *cobra.Command {
	return &cobra.Command{
		Use:   "compact",
		Short: "Thin out a project's history",
		Long: `Thin out a project's history now: of each file all versions of the last hour
are kept, one an hour for a day, and one a day for 30 days. What was deleted is
kept as before. To have this done all the time, use project set --retention
tiered.`,
		Example: "  toolrun project compact\n" +
			"  toolrun project set --retention tiered",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			project, err := c.existing(cmd.Context())
			if err != nil {
				return err
			}
			freed, err := vfs.Compact(cmd.Context(), project)
			if err = errors.Join(err, project.Close()); err != nil {
				return err
			}
			text := fmt.Sprintf("%s of history dropped.\n", countBytes(freed))
			return outcome{text, map[string]int64{"freed": freed}}.print(cmd.OutOrStdout(), c.json)
		},
	}
}
