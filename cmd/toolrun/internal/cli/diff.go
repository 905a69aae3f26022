package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/vfs"
)

func (c *filesCommand) diff() *cobra.Command {
	return &cobra.Command{
		Use:   "diff [PATH [ID [ID]]]",
		Short: "Show how a file has changed, or what apply would do",
		Long: `Compare a file with what it was before a change: the change with this ID, or the
last one. With two IDs, compare what it was before each. The file need not exist
any more. toolrun files history lists the changes.

Without a PATH, show the changes that --overlay has kept apart from the
directory given with --root. With a PATH and no ID, show those at the path and
below, if there are any.`,
		Example: "  toolrun files diff /notes.md\n" +
			"  toolrun files diff /notes.md 2\n" +
			"  toolrun files --root site diff",
		Args: cobra.MaximumNArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				if c.root == "" {
					return errors.New("give a PATH, or --root DIR to see overlay changes")
				}
				return c.diffLayer(cmd)
			}
			return c.read(c.diffFile)(cmd, args)
		},
	}
}

// diffFile compares versions of a file.
func (c *filesCommand) diffFile(ctx context.Context, args []string, s *service.Service) (outcome, error) {
	in := service.CompareRequest{Project: c.name(), Path: args[0]}
	if len(args) == 1 {
		name, err := vfs.Clean(args[0])
		if err != nil {
			return outcome{}, err
		}
		if text, err := c.waiting(ctx, name); text != "" || err != nil {
			return c.diffOutcome(service.DiffAnswer{Path: name, Diff: text}, err)
		}
	}
	for i, id := range []*int64{&in.Change, &in.Until} {
		if i+1 < len(args) {
			var err error
			if *id, err = parseChange(args[i+1]); err != nil {
				return outcome{}, err
			}
		}
	}
	return c.diffOutcome(s.CompareFile(ctx, in))
}

// diffOutcome prints how something has changed, or returns it for --json.
func (c *filesCommand) diffOutcome(done service.DiffAnswer, err error) (outcome, error) {
	if err != nil || c.json {
		return outcome{data: map[string]string{"path": done.Path, "diff": done.Diff}}, err
	}
	return outcome{}, printDiff(c.cmd.OutOrStdout(), done.Diff)
}

// parseChange returns the id of a change, as the user has written it.
func parseChange(text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		err = fmt.Errorf("%q is not the id of a change; toolrun files history lists them", text)
	}
	return id, err
}

// printDiff prints a diff in the usual colours.
func printDiff(w io.Writer, text string) error {
	for line := range strings.Lines(text) {
		style := terminal.Plain
		switch {
		case strings.HasPrefix(line, "--- "), strings.HasPrefix(line, "+++ "):
			style = terminal.Bold
		case line[0] == '-':
			style = terminal.Red
		case line[0] == '+':
			style = terminal.Green
		}
		if err := terminal.Print(w, style, line); err != nil {
			return err
		}
	}
	return nil
}
