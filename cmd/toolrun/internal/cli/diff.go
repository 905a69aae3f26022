package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/internal/filediff"
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
func (c *filesCommand) diffFile(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
	name, err := vfs.Clean(args[0])
	if err != nil {
		return outcome{}, err
	}
	if len(args) == 1 {
		if text, err := c.waiting(cmd, name); text != "" || err != nil {
			return c.diffOutcome(cmd, name, text, err)
		}
	}
	changes, err := p.Changes(cmd.Context(), name)
	if err != nil {
		return outcome{}, err
	}
	var versions []fileVersion
	for _, text := range args[1:] {
		change, err := findChange(changes, text)
		if err != nil {
			return outcome{}, err
		}
		version, err := beforeChange(cmd.Context(), p, change)
		if err != nil {
			return outcome{}, err
		}
		versions = append(versions, version)
	}
	if len(versions) == 0 {
		version, err := lastVersion(cmd, p, changes)
		if err != nil {
			return outcome{}, err
		}
		versions = append(versions, version)
	}
	if len(versions) == 1 {
		data, err := filediff.Now(p, name, filediff.Unlimited)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return outcome{}, err
		}
		versions = append(versions, fileVersion{name, data})
	}
	return c.diffOutcome(cmd, name, versions[0].unified(versions[1]), nil)
}

// diffOutcome prints how something has changed, or returns it for --json.
func (c *filesCommand) diffOutcome(cmd *cobra.Command, name, text string, err error) (outcome, error) {
	if err != nil || c.json {
		return outcome{data: map[string]string{"path": name, "diff": text}}, err
	}
	return outcome{}, printDiff(cmd.OutOrStdout(), text)
}

// A fileVersion is the content of a file, and what a diff calls it. A file that does not exist is empty.
type fileVersion struct {
	label string
	data  []byte
}

// unified is the difference to another version as a unified diff, or "".
func (v fileVersion) unified(to fileVersion) string {
	return filediff.Compare(v.data, to.data, filediff.Unlimited).Unified(v.label, to.label)
}

// parseChange returns the id of a change, as the user has written it.
func parseChange(text string) (int64, error) {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		err = fmt.Errorf("%q is not the id of a change; toolrun files history lists them", text)
	}
	return id, err
}

// findChange finds a change by its id, as the user has written it.
func findChange(changes []vfs.Change, text string) (vfs.Change, error) {
	id, err := parseChange(text)
	if err != nil {
		return vfs.Change{}, err
	}
	for _, change := range changes {
		if change.ID == id {
			return change, nil
		}
	}
	return vfs.Change{}, fmt.Errorf("no change %d in the history", id)
}

// beforeChange is a file before a change.
func beforeChange(ctx context.Context, p vfs.Project, change vfs.Change) (fileVersion, error) {
	data, err := filediff.Before(ctx, p, change, filediff.Unlimited)
	return fileVersion{fmt.Sprintf("%s (before change %d)", change.Path, change.ID), data}, err
}

// lastVersion is a file before the latest change that has something to compare with.
func lastVersion(cmd *cobra.Command, p vfs.Project, changes []vfs.Change) (fileVersion, error) {
	for _, change := range changes {
		if change.Kept || change.Op == vfs.OpCreate {
			return beforeChange(cmd.Context(), p, change)
		}
	}
	return fileVersion{}, errors.New("the history has no earlier version of it")
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
