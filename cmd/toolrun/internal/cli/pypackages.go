package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/pypi"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/module"
	"github.com/toolrun/toolrun/tools/python"
	"github.com/toolrun/toolrun/vfs"
)

// addPyPackages adds the commands for packages to toolrun py.
func addPyPackages(to *cobra.Command) {
	for _, command := range []func(*filesCommand) *cobra.Command{newPyAdd, newPyList, newPyRemove} {
		c := &filesCommand{}
		cmd := command(c)
		c.add(cmd)
		addJSON(cmd.Flags(), &c.json)
		to.AddCommand(cmd)
	}
}

func newPyAdd(c *filesCommand) *cobra.Command {
	var index string
	cmd := &cobra.Command{
		Use:   "add [NAME[==VERSION]]...",
		Short: "Add packages of pure Python to the project",
		Long: `Add packages of pure Python from PyPI, each with all that it needs, to the
project's folder /lib/python, from which code imports them. Conditions on
versions are those of pip, such as rich==13.* or 'requests>=2.30,<3'.

The project's file /python.lock has the versions and the SHA-256 of each.
Without names, the folder gets what that file says. Versions that are there stay
if they fit; naming a package again takes its newest version. No code of a
package runs. Packages with native code cannot be added.`,
		Example: "  toolrun py add rich\n" +
			"  toolrun py add 'requests>=2.30' beautifulsoup4==4.12.*\n" +
			"  toolrun py add --root .",
		RunE: c.run(c.open, func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			own, err := ownPackages(cmd)
			if err != nil {
				return outcome{}, err
			}
			r, err := open(cmd, toolrun.Options{})
			if err != nil {
				return outcome{}, err
			}
			defer r.Close() // which has changed nothing
			load := func(ctx context.Context) (code.Interpreter, error) { return r.Interpreter(ctx, python.Name) }
			report(cmd.Context(), "packages are downloaded", 0, 0)
			packages, err := python.NewPackages(load, own, code.PackageIndex{URL: index, Transport: r.host.Transport}).
				Add(cmd.Context(), p, args)
			return listPackages("", packages), err
		}),
	}
	cmd.Flags().StringVar(&index, "index", pypi.DefaultIndex, "take packages from the index at this https `URL`")
	return cmd
}

func newPyList(c *filesCommand) *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the packages of the project, and those of Python itself",
		Example: "  toolrun py list\n  toolrun py list --json",
		Args:    cobra.NoArgs,
		RunE: c.run(c.reading, func(cmd *cobra.Command, _ []string, p vfs.Project) (outcome, error) {
			_, packages, err := python.PackagesOf(p).List()
			if err != nil {
				return outcome{}, err
			}
			own, err := ownPackages(cmd)
			return listPackages("Python's own", packages, own...), err
		}),
	}
}

func newPyRemove(c *filesCommand) *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME...",
		Short:   "Remove packages from the project, with what only they need",
		Example: "  toolrun py remove rich",
		Args:    cobra.MinimumNArgs(1),
		RunE: c.run(c.reading, func(cmd *cobra.Command, args []string, p vfs.Project) (outcome, error) {
			removed, err := python.PackagesOf(p).Remove(args)
			if err != nil {
				return outcome{}, err
			}
			out := listPackages("", removed)
			out.text = "removed " + strings.ReplaceAll(strings.TrimSuffix(out.text, "\n"), "\n", "\nremoved ") + "\n"
			return out, nil
		}),
	}
}

// listPackages lists packages, and some that somebody else has.
func listPackages(whose string, packages []pypi.Package, own ...string) outcome {
	type row struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		SHA256  string `json:"sha256,omitempty"`
		Own     bool   `json:"own,omitempty"`
	}
	all := []row{}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 8, 2, ' ', 0)
	for _, p := range packages {
		fmt.Fprintf(table, "%s\t%s\n", p.Name, p.Version)
		all = append(all, row{p.Name, p.Version, p.SHA256, false})
	}
	for _, one := range own {
		name, version, _ := strings.Cut(one, " ")
		fmt.Fprintf(table, "%s\t%s\t%s\n", name, version, whose)
		all = append(all, row{name, version, "", true})
	}
	_ = table.Flush() // to a strings.Builder
	return outcome{text: text.String(), data: all, none: "no packages; toolrun py add adds some"}
}

// ownPackages returns the packages that the build of Python has, such as "numpy 2.3.5".
func ownPackages(cmd *cobra.Command) ([]string, error) {
	for _, l := range hostOf(cmd).languages() {
		if l.Name != python.Name {
			continue
		}
		if l.Build != nil {
			return l.Packages, nil
		}
		dir, err := modulesDir(cmd)
		if err != nil {
			return nil, err
		}
		m, err := module.OpenStore(dir).Get(l.Module)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return m.Manifest.Packages, nil
	}
	return nil, nil
}

// hideSubcommands lets a command that takes arguments of its own have subcommands only if one is the first of them:
// toolrun py -c CODE list gives the code an argument.
func hideSubcommands(root *cobra.Command, args []string) {
	if len(args) < 2 {
		return
	}
	cmd, _, err := root.Find(args[:1])
	if err != nil || cmd == root || cmd.Use == cmd.Name() || !cmd.HasSubCommands() {
		return
	}
	help := args[1] == "-h" || args[1] == "--help"
	if found, _, err := root.Find(args[:2]); err == nil && found == cmd && !help {
		cmd.RemoveCommand(cmd.Commands()...)
	}
}
