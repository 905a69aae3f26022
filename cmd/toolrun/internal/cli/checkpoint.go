package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/vfs"
)

// checkpointCommand has what the subcommands of toolrun checkpoint share.
type checkpointCommand struct{ filesCommand }

func newCheckpoint() *cobra.Command {
	c := &checkpointCommand{}
	cmd := &cobra.Command{
		Use:   "checkpoint",
		Short: "Keep all files of a project under a name, and bring them back",
		Long: `Keep all files of a project, and the states of its sessions, as they are now
under a name, and bring all of them back later, in one step. A checkpoint stays
until it is deleted; a project can have 32. Settings, mounted projects, links
and protected files are not part of it, and exported archives do not contain
checkpoints.

In a project of toolrun's own, a checkpoint takes room only for what changes
later. In a directory given with --root, where other programs change files as
well, it is a copy of all files.`,
		Example: "  toolrun checkpoint create draft\n" +
			"  toolrun checkpoint list\n" +
			"  toolrun checkpoint create now && toolrun checkpoint restore now",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	c.add(cmd)
	addJSON(cmd.PersistentFlags(), &c.json)
	cmd.AddCommand(c.create(), c.list(), c.restore(), c.delete())
	return cmd
}

// jsonCheckpoint is a checkpoint as JSON.
type jsonCheckpoint struct {
	Name      string    `json:"name"`
	Time      time.Time `json:"time"`
	Bytes     int64     `json:"bytes"`
	Files     int64     `json:"files"`
	Automatic bool      `json:"automatic,omitempty"`
}

func newJSONCheckpoint(k vfs.Checkpoint) jsonCheckpoint {
	return jsonCheckpoint{k.Name, k.Time, k.Bytes, k.Files, k.Automatic}
}

func (c *checkpointCommand) create() *cobra.Command {
	return &cobra.Command{
		Use:   "create NAME",
		Short: "Keep all files as they are now",
		Example: "  toolrun checkpoint create before-refactoring\n" +
			"  toolrun checkpoint create 'as sent to Alice' --json",
		Args: cobra.ExactArgs(1),
		RunE: c.change(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			made, err := p.CreateCheckpoint(cmd.Context(), args[0], nil)
			if errors.Is(err, fs.ErrExist) {
				return outcome{}, fmt.Errorf(
					"there is a checkpoint named %s: choose another name, or delete it first", args[0])
			}
			text := fmt.Sprintf("created %s: %s, %s\n", made.Name, countFiles(made.Files), countBytes(made.Bytes))
			return outcome{text: text, data: newJSONCheckpoint(made)}, err
		}),
	}
}

func (c *checkpointCommand) list() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the checkpoints, the latest first",
		Long: `List the checkpoints, the latest first. Those marked as automatic were made
before calls, with --checkpoint before; the last 10 of them are kept.`,
		Example: "  toolrun checkpoint list\n" +
			"  toolrun checkpoint list --json",
		Args: cobra.NoArgs,
		RunE: c.read(func(cmd *cobra.Command, _ []string, p vfs.Project) (outcome, error) {
			found, err := p.Checkpoints(cmd.Context())
			if err != nil {
				return outcome{}, err
			}
			var text strings.Builder
			table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
			all := []jsonCheckpoint{}
			for _, k := range found {
				all = append(all, newJSONCheckpoint(k))
				mark := ""
				if k.Automatic {
					mark = "\tautomatic"
				}
				fmt.Fprintf(table, "%s\t%s\t%s\t%s%s\n", k.Name, k.Time.Local().Format(time.DateTime),
					countFiles(k.Files), countBytes(k.Bytes), mark)
			}
			_ = table.Flush() // a strings.Builder does not fail
			return outcome{text: text.String(), data: all, none: "no checkpoints; toolrun checkpoint create makes one"},
				nil
		}),
	}
}

// jsonRestored is what restoring a checkpoint has done, as JSON.
type jsonRestored struct {
	Checkpoint jsonCheckpoint         `json:"checkpoint"`
	Call       string                 `json:"call,omitempty"`
	Changed    []jsonCheckpointChange `json:"changed"`
	Incomplete bool                   `json:"incomplete,omitempty"`
}

// jsonCheckpointChange is what had been changed since a checkpoint, as JSON.
type jsonCheckpointChange struct {
	Path  string   `json:"path"`
	Op    vfs.Op   `json:"op"`
	Calls []string `json:"calls"`
}

func (c *checkpointCommand) restore() *cobra.Command {
	var dry bool
	cmd := &cobra.Command{
		Use:   "restore NAME",
		Short: "Bring back all files, or say what that would change",
		Long: `Make all files and the states of sessions what they were when the checkpoint was
created, or change nothing if that fails. The output lists what had been changed
since, and by which calls; toolrun files undo takes the restoring back.`,
		Example: "  toolrun checkpoint create now && toolrun checkpoint restore now\n" +
			"  toolrun checkpoint create one && toolrun checkpoint restore one --dry-run",
		Args: cobra.ExactArgs(1),
		RunE: c.read(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			done, err := p.RestoreCheckpoint(cmd.Context(), args[0], &vfs.RestoreOptions{DryRun: dry})
			if err != nil {
				return outcome{}, checkpointMissing(args[0], err)
			}
			return restoredOutcome(done, dry), nil
		}),
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be changed")
	return cmd
}

func restoredOutcome(done *vfs.Restored, dry bool) outcome {
	data := jsonRestored{newJSONCheckpoint(done.Checkpoint), done.Call, []jsonCheckpointChange{}, done.Incomplete}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, e := range done.Changed {
		what := e.Path
		if id, ok := vfs.ParseStatePath(e.Path); ok {
			what = "the state of " + id.String()
		}
		if e.Calls == nil {
			e.Calls = []string{}
		}
		data.Changed = append(data.Changed, jsonCheckpointChange{e.Path, e.Op, e.Calls})
		fmt.Fprintf(table, "%s\t%s\t%s\n", e.Op, what, strings.Join(e.Calls, ", "))
	}
	_ = table.Flush() // a strings.Builder does not fail
	if done.Incomplete {
		text.WriteString("The history no longer has all changes since then, so calls can be missing.\n")
	}
	switch {
	case len(done.Changed) == 0:
		fmt.Fprintf(&text, "nothing has been changed since %s\n", done.Checkpoint.Name)
	case dry:
		fmt.Fprintf(&text, "nothing was done; without --dry-run this is put back to %s\n", done.Checkpoint.Name)
	default:
		fmt.Fprintf(&text, "restored %s; toolrun files undo %s takes that back\n", done.Checkpoint.Name, done.Call)
	}
	return outcome{text: text.String(), data: data}
}

func (c *checkpointCommand) delete() *cobra.Command {
	return &cobra.Command{
		Use:     "delete NAME",
		Short:   "Drop a checkpoint, and what nothing else needs of it",
		Example: "  toolrun checkpoint create now && toolrun checkpoint delete now",
		Args:    cobra.ExactArgs(1),
		RunE: c.read(func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			err := checkpointMissing(args[0], p.DeleteCheckpoint(cmd.Context(), args[0]))
			return outcome{text: fmt.Sprintf("deleted %s\n", args[0]), data: map[string]string{"deleted": args[0]}}, err
		}),
	}
}

// checkpointMissing explains an error about a checkpoint that does not exist.
func checkpointMissing(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) && !errors.Is(err, vfs.ErrDeleted) {
		return fmt.Errorf("no checkpoint named %s; toolrun checkpoint list lists them", name)
	}
	return err
}
