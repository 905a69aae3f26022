package cli

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/service"
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
	}
	c.add(cmd)
	addJSON(cmd.PersistentFlags(), &c.json)
	cmd.AddCommand(c.create(), c.list(), c.restore(), c.delete())
	return cmd
}

// named asks for the checkpoint of a name.
func (c *checkpointCommand) named(name string) service.CheckpointRequest {
	return service.CheckpointRequest{Project: c.name(), Name: name}
}

// checkpointMissing says where the names of checkpoints are.
func checkpointMissing(name string, err error) error {
	return reworded(err, "not_found", "no checkpoint named %s; toolrun checkpoint list lists them", name)
}

func (c *checkpointCommand) create() *cobra.Command {
	return &cobra.Command{
		Use:   "create NAME",
		Short: "Keep all files as they are now",
		Example: "  toolrun checkpoint create before-refactoring\n" +
			"  toolrun checkpoint create 'as sent to Alice' --json",
		Args: cobra.ExactArgs(1),
		RunE: c.change(func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
			made, err := s.MakeCheckpoint(ctx, c.named(args[0]))
			text := fmt.Sprintf("created %s: %s, %s\n", made.Name, countFiles(made.Files), countBytes(made.Bytes))
			return outcome{text: text, data: made}, reworded(err, "exists",
				"there is a checkpoint named %s: choose another name, or delete it first", args[0])
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
		RunE: c.read(func(ctx context.Context, _ []string, s *service.Service) (outcome, error) {
			found, err := s.ListCheckpoints(ctx, service.InProject{Project: c.name()})
			var text strings.Builder
			table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
			for _, k := range found.Checkpoints {
				mark := ""
				if k.Automatic {
					mark = "\tautomatic"
				}
				fmt.Fprintf(table, "%s\t%s\t%s\t%s%s\n", k.Name, k.Time.Local().Format(time.DateTime),
					countFiles(k.Files), countBytes(k.Bytes), mark)
			}
			_ = table.Flush() // a strings.Builder does not fail
			return outcome{text: text.String(), data: found.Checkpoints,
				none: "no checkpoints; toolrun checkpoint create makes one"}, err
		}),
	}
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
		RunE: c.read(func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
			restore := s.RestoreCheckpoint
			if dry {
				restore = s.CompareCheckpoint
			}
			done, err := restore(ctx, c.named(args[0]))
			return restoredOutcome(done, dry), checkpointMissing(args[0], err)
		}),
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be changed")
	return cmd
}

func restoredOutcome(done service.RestoredAnswer, dry bool) outcome {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, e := range done.Changed {
		what := e.Path
		if id, ok := vfs.ParseStatePath(e.Path); ok {
			what = "the state of " + id.String()
		}
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
	return outcome{text: text.String(), data: done}
}

func (c *checkpointCommand) delete() *cobra.Command {
	return &cobra.Command{
		Use:     "delete NAME",
		Short:   "Drop a checkpoint, and what nothing else needs of it",
		Example: "  toolrun checkpoint create now && toolrun checkpoint delete now",
		Args:    cobra.ExactArgs(1),
		RunE: c.read(func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
			_, err := s.DeleteCheckpoint(ctx, c.named(args[0]))
			return outcome{text: fmt.Sprintf("deleted %s\n", args[0]), data: map[string]string{"deleted": args[0]}},
				checkpointMissing(args[0], err)
		}),
	}
}
