package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/vfs"
)

// changesOutcome lists changes. If there are none, a terminal shows that.
func changesOutcome(changes []service.ChangeInfo, none string) outcome {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, e := range changes {
		what, call := changed(e.Path), e.Call
		if e.To != "" {
			what += " -> " + e.To
		}
		if e.Undoes != "" {
			call = "undoes " + e.Undoes
		}
		switch {
		case e.Purged != 0 && e.Kept:
			what += " (partly purged)"
		case e.Purged != 0:
			what += " (purged)"
		case e.By != "":
			call += " by " + e.By
		}
		if e.Redoes != "" {
			call += " redoes " + e.Redoes
		}
		fmt.Fprintf(table, "%d\t%s\t%s\t%s\t%s\n", e.ID, e.Time.Local().Format(time.DateTime), call, e.Op, what)
	}
	_ = table.Flush() // a strings.Builder does not fail
	return outcome{text: text.String(), data: changes, none: none}
}

// changed is what a person calls a path in the history.
func changed(path string) string {
	if id, ok := vfs.ParseStatePath(path); ok {
		return "the variables of " + id.String()
	}
	return path
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
		RunE: c.read(c.changes(false, "no changes")),
	}
}

func (c *filesCommand) deleted() *cobra.Command {
	return &cobra.Command{
		Use:   "deleted [PATH]",
		Short: "List what has been removed and can be restored",
		Long: `List the files and directories that have been removed and not replaced since,
the latest first. The first column is the id for restore. If a directory exists
again that was removed, what was in it and is missing is listed: restore ID PATH
brings one of that back, and restore ID all that its removal took.`,
		Example: "  toolrun files deleted\n" +
			"  toolrun files deleted /site",
		Args: cobra.MaximumNArgs(1),
		RunE: c.read(c.changes(true, "nothing has been removed")),
	}
}

// changes lists the changes at a path, or only what has been removed there.
func (c *filesCommand) changes(removed bool, none string) operation {
	return func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
		list, err := s.ListHistory(ctx, service.HistoryRequest{Project: c.name(), Path: argument(args, 0, "/"),
			Removed: removed})
		return changesOutcome(list.Changes, none), err
	}
}

func (c *filesCommand) restore() *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "restore ID [PATH]",
		Short: "Put a file or directory back as it was before a change",
		Long: `Put a file or directory back as it was before a change: its former content, its
former name, or out of the way if there was none. Other changes since then stay.
What was replaced or removed can go to another path with --to; if the file has
been renamed since, it goes to its new path. toolrun files history lists the
changes; restoring is one, too.

If a directory was removed and exists again, what is missing in it comes back,
or with PATH only that, and nothing is replaced.`,
		Example: "  toolrun files history /notes.md\n" +
			"  toolrun files restore 2",
		Args: cobra.RangeArgs(1, 2),
		RunE: c.read(func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
			id, err := parseChange(args[0])
			if err != nil {
				return outcome{}, err
			}
			done, err := s.RevertChange(ctx, service.RevertRequest{Project: c.name(), Change: id, To: to,
				Path: argument(args, 1, "")})
			if errors.Is(err, fs.ErrExist) {
				err = fmt.Errorf("%w; restore it to another path with --to", err)
			}
			return outcome{text: done.Did + "\n", data: done}, err
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
whoever made it, or the one given. If other changes to the same files came
later, nothing is undone, and the error names the files.

A call is undone in mounted projects, too; without CALL it is the last one that
has changed the project itself. Calls with --overlay are undone with --overlay:
that changes the directory only once toolrun files apply does.`,
		Example: "  toolrun files undo\n" +
			"  toolrun files undo js-1",
		Args: cobra.MaximumNArgs(1),
		RunE: c.read(func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
			done, err := s.UndoCall(ctx, c.turning(args))
			if len(args) == 0 {
				err = reworded(err, "not_kept", "%v%s", err, c.undoElsewhere())
			}
			return turnedOutcome("undid", done.Changes), err
		}),
	}
}

// turning asks to undo or redo the call that is given, or else the last one.
func (c *filesCommand) turning(args []string) service.UndoRequest {
	return service.UndoRequest{Project: c.name(), Call: argument(args, 0, ""), Last: len(args) == 0}
}

// turnedOutcome says what has become of files by turning back changes: those of a call, or those that undoing it made.
func turnedOutcome(did string, changes []service.ChangeInfo) outcome {
	words := map[vfs.Op]string{vfs.OpCreate: "removed", vfs.OpMkdir: "removed", vfs.OpWrite: "changed back",
		vfs.OpRemove: "brought back"}
	if did == "redid" {
		words[vfs.OpWrite], words[vfs.OpRemove] = "changed", "created"
	}
	out := changesOutcome(changes, "")
	var text strings.Builder
	last := ""
	for _, e := range changes {
		if call := cmp.Or(e.Undoes, e.Call); call != last {
			last = call
			fmt.Fprintf(&text, "%s %s:\n", did, call)
		}
		if vfs.Op(e.Op) == vfs.OpRename {
			fmt.Fprintf(&text, "  renamed %s to %s", e.To, e.Path)
		} else if e.Purged != 0 && !e.Kept {
			fmt.Fprintf(&text, "  left %s as it is", changed(e.Path))
		} else {
			fmt.Fprintf(&text, "  %s %s", words[vfs.Op(e.Op)], changed(e.Path))
		}
		if e.Purged != 0 {
			text.WriteString(": what was there before has been purged")
		}
		text.WriteByte('\n')
	}
	out.text = text.String()
	return out
}

// undoElsewhere says where there may be something else to undo, if somewhere.
func (c *filesCommand) undoElsewhere() string {
	if c.root == "" || c.overlay {
		return ""
	}
	if dir, err := c.besideRoot("layers"); err == nil {
		if _, err := os.Stat(dir); err == nil {
			return "; calls with --overlay are undone with --overlay"
		}
	}
	return ""
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
		RunE: c.read(func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
			done, err := s.RedoCall(ctx, c.turning(args))
			return turnedOutcome("redid", done.Changes), err
		}),
	}
}

func (c *filesCommand) purge() *cobra.Command {
	var remove, yes bool
	cmd := &cobra.Command{
		Use:   "purge PATH",
		Short: "Remove all versions of a file from the history, for good",
		Long: `Remove all versions of a file, or of a directory with all in it, that the
history keeps, also from before it was renamed. They cannot be brought back:
undo and restore leave what has been purged as it is. The history says when and
by whom. What is there now stays, unless --remove deletes it as well. If a
checkpoint has another version than that, nothing is purged: delete it first.

Copies elsewhere stay; the command lists where there may be some. If a secret
has leaked, change it as well. On a terminal the command asks first.`,
		Example: "  toolrun files purge /site/index.html\n" +
			"  toolrun files purge /site/index.html --remove --yes",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !yes && terminal.IsTerminal(cmd.InOrStdin()) {
				what := "the history of " + args[0]
				if remove {
					what = args[0] + " and its history"
				}
				if ok, err := confirm(cmd, "Purge "+what+" for good?"); !ok || err != nil {
					return err
				}
			}
			return c.read(func(ctx context.Context, args []string, s *service.Service) (outcome, error) {
				done, err := s.PurgeFile(ctx, service.PurgeRequest{Project: c.name(), Path: args[0], Delete: remove})
				return outcome{text: purgedText(done), data: done}, err
			})(cmd, args)
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "delete what is there now, too, without keeping it")
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// purgedText says what a purge has done, and what not.
func purgedText(done service.PurgeAnswer) string {
	var text strings.Builder
	versions := fmt.Sprintf("%d versions", done.Versions)
	if done.Versions == 1 {
		versions = "1 version"
	}
	fmt.Fprintf(&text, "purged %s of %s (%s)", versions, done.Path, countBytes(done.Bytes))
	if done.Deleted {
		text.WriteString(", and deleted it")
	}
	text.WriteByte('\n')
	if done.Gone != nil {
		fmt.Fprintf(&text, "the bytes are gone at the latest at %s if a server runs, "+
			"or with toolrun store sweep then\n", done.Gone.Local().Format(time.DateTime))
	}
	for _, name := range done.Others {
		fmt.Fprintf(&text, "not purged, and may have the same content: %s\n", name)
	}
	text.WriteString("not covered:\n")
	for _, what := range done.NotCovered {
		fmt.Fprintf(&text, "  %s\n", what)
	}
	return text.String()
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
			defer project.Close()
			s, err := c.service(project)
			if err != nil {
				return err
			}
			done, err := s.CompactHistory(cmd.Context(), service.InProject{Project: c.name()})
			if err != nil {
				return err
			}
			text := fmt.Sprintf("%s of history dropped.\n", countBytes(done.Freed))
			return outcome{text: text, data: done}.print(cmd.OutOrStdout(), c.json)
		},
	}
}
