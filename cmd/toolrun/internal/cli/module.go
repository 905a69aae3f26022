package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/module"
)

// moduleCommand has what the subcommands of toolrun module share.
type moduleCommand struct {
	data string
	json bool
}

func newModule() *cobra.Command {
	c := &moduleCommand{}
	cmd := &cobra.Command{
		Use:   "module",
		Short: "Add WebAssembly programs as tools, and list and remove them",
		Long: `Add programs that were compiled to WebAssembly (WASI preview 1) as tools, in any
language, and languages such as Python. They are kept in the data directory, and
every project on this machine can use them.

A program gets a call's input as JSON on standard input and writes the result to
standard output. It sees nothing else, unless you grant what it asks for.`,
		Example: "  toolrun module add python\n" +
			"  toolrun module add wordcount.wasm --grant files=read\n" +
			"  toolrun module new --lang go wordcount",
	}
	cmd.PersistentFlags().StringVar(&c.data, "data", "",
		"keep modules in `DIR` (default $TOOLRUN_DATA, else the user's data directory)")
	addJSON(cmd.PersistentFlags(), &c.json)
	cmd.AddCommand(c.add(), c.list(), c.show(), c.remove(), c.verify(), newModuleNew())
	return cmd
}

// modulesDir is the directory of modules of the data directory that a command's flags name.
func modulesDir(cmd *cobra.Command) (string, error) {
	f := projectFlags{cmd: cmd}
	if flag := cmd.Flag("data"); flag != nil {
		f.data = flag.Value.String()
	}
	dir, err := f.dataDir()
	if err != nil {
		return "", err
	}
	return toolrun.ModulesDir(dir), nil
}

func (c *moduleCommand) store(cmd *cobra.Command) (*module.Store, error) {
	dir, err := modulesDir(cmd)
	if err != nil {
		return nil, err
	}
	return module.OpenStore(dir), nil
}

func (c *moduleCommand) list() *cobra.Command {
	return &cobra.Command{
		Use:     "list",
		Short:   "List the modules",
		Example: "  toolrun module list\n  toolrun module list --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := c.store(cmd)
			if err != nil {
				return err
			}
			list, err := store.List()
			all := []*module.Installed{}
			var text strings.Builder
			table := tabwriter.NewWriter(&text, 0, 8, 2, ' ', 0)
			for _, m := range list {
				all = append(all, withoutValues(m))
				kind := "tool"
				if m.Manifest.Language {
					kind = "language"
				}
				first, _, _ := strings.Cut(m.Manifest.Description, "\n")
				fmt.Fprintf(table, "%s\t%s\t%s\n", m.Manifest.Name, kind, first)
			}
			_ = table.Flush() // a strings.Builder does not fail
			out := outcome{text: text.String(), data: all, none: "no modules; toolrun module add adds one"}
			return errors.Join(out.print(cmd.OutOrStdout(), c.json), err)
		},
	}
}

// withoutValues returns a module without the values of environment variables, which can be secrets.
func withoutValues(m *module.Installed) *module.Installed {
	shown := *m
	shown.Grants.Env = maps.Clone(m.Grants.Env)
	for name := range shown.Grants.Env {
		shown.Grants.Env[name] = "..."
	}
	return &shown
}

func (c *moduleCommand) show() *cobra.Command {
	return &cobra.Command{
		Use:     "show NAME",
		Short:   "Show a module: what it is, asks for and may use",
		Example: "  toolrun module show wordcount\n  toolrun module show wordcount --json",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := c.store(cmd)
			if err != nil {
				return err
			}
			m, err := store.Get(args[0])
			if err != nil {
				return err
			}
			return outcome{text: describeModule(m), data: withoutValues(m)}.print(cmd.OutOrStdout(), c.json)
		},
	}
}

// describeModule describes a module for people.
func describeModule(m *module.Installed) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n\n", m.Manifest.Name, strings.TrimSpace(m.Manifest.Description))
	fmt.Fprintf(&b, "SHA-256:  %s\n", m.Manifest.SHA256)
	if m.Original != m.Manifest.SHA256 && m.Original != "" {
		fmt.Fprintf(&b, "original: %s\n", m.Original)
	}
	if m.From != "" {
		fmt.Fprintf(&b, "from:     %s\n", m.From)
	}
	if m.Toolrun != "" {
		fmt.Fprintf(&b, "added by: toolrun %s\n", m.Toolrun)
	}
	if m.Manifest.Language {
		return b.String()
	}
	b.WriteString("\nAsks for and may use:\n")
	table := tabwriter.NewWriter(&b, 0, 8, 2, ' ', 0)
	row := func(what, asks, granted string) { fmt.Fprintf(table, "  %s\t%s\t%s\n", what, asks, granted) }
	asks, grants := m.Manifest.Asks, m.Grants
	row("", "asks", "granted")
	access := func(a module.Access) string {
		if a == "" {
			return string(module.AccessNone)
		}
		return string(a)
	}
	files := access(asks.Files)
	if asks.Folder != "" {
		files += " " + asks.Folder
	}
	row("files", files, access(grants.Files))
	row("clock", yesNo(asks.Clock), yesNo(grants.Clock))
	row("random", yesNo(asks.Random), yesNo(grants.Random))
	for _, name := range asks.Env {
		_, given := grants.Env[name]
		row("env "+name, "yes", yesNo(given))
	}
	for _, name := range asks.Tools {
		row("tool "+name, "yes", yesNo(slices.Contains(grants.Tools, name)))
	}
	for _, rule := range asks.Network {
		row("network "+rule, "yes", yesNo(slices.Contains(grants.Network, rule)))
	}
	if limits := m.Manifest.Limits; limits != (module.Limits{}) {
		var parts []string
		if limits.Time != 0 {
			parts = append(parts, time.Duration(limits.Time).String())
		}
		if limits.Memory != 0 {
			parts = append(parts, fmt.Sprintf("%d MiB", limits.Memory))
		}
		if limits.Work != 0 {
			parts = append(parts, fmt.Sprintf("%d units of work", limits.Work))
		}
		if limits.Output != 0 {
			parts = append(parts, fmt.Sprintf("%d bytes of output", limits.Output))
		}
		granted := "up to the defaults"
		if grants.Limits {
			granted = "yes"
		}
		row("limits", strings.Join(parts, ", "), granted)
	}
	_ = table.Flush() // to a strings.Builder
	return b.String()
}

func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

func (c *moduleCommand) remove() *cobra.Command {
	return &cobra.Command{
		Use:     "remove NAME",
		Short:   "Remove a module",
		Example: "  toolrun module remove wordcount",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := c.store(cmd)
			if err != nil {
				return err
			}
			if err := store.Remove(args[0]); err != nil {
				return err
			}
			return outcome{
				text: fmt.Sprintf("removed %s\n", args[0]), data: map[string]string{"removed": args[0]},
			}.print(cmd.OutOrStdout(), c.json)
		},
	}
}

func (c *moduleCommand) verify() *cobra.Command {
	return &cobra.Command{
		Use:   "verify [NAME]...",
		Short: "Check that modules are what was added, and can be run",
		Long: `Check that modules are what was added, by their SHA-256, and that they can be
run. Without names, check all. The exit status is 1 if one is not as it should.`,
		Example: "  toolrun module verify",
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			store, err := c.store(cmd)
			if err != nil {
				return err
			}
			var list []*module.Installed
			var broken error
			if len(args) == 0 {
				list, broken = store.List()
			}
			for _, name := range args {
				m, err := store.Get(name)
				if err != nil {
					broken = errors.Join(broken, err)
					continue
				}
				list = append(list, m)
			}
			r, err := open(cmd, toolrun.Options{})
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, r.Close()) }()
			var text strings.Builder
			results := map[string]string{}
			for _, m := range list {
				state := "ok"
				report(cmd.Context(), m.Manifest.Name, 0, 0)
				if err := m.Try(cmd.Context(), r.Engine()); err != nil {
					if cmd.Context().Err() != nil {
						return err
					}
					state, broken = err.Error(), errors.Join(broken, err)
				}
				fmt.Fprintf(&text, "%s: %s\n", m.Manifest.Name, state)
				results[m.Manifest.Name] = state
			}
			if err := (outcome{text: text.String(), data: results}).print(cmd.OutOrStdout(), c.json); err != nil {
				return err
			}
			if broken != nil {
				for line := range strings.Lines(broken.Error()) {
					if _, shown := results[strings.Fields(line + " -")[0]]; !shown {
						printError(cmd.ErrOrStderr(), errors.New(strings.TrimSpace(line)))
					}
				}
				return errToolFailed
			}
			return nil
		},
	}
}

// completeModule completes the name of a module.
func completeModule(cmd *cobra.Command, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	dir, err := modulesDir(cmd)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	list, _ := module.OpenStore(dir).List() // as many as can be read
	var names []string
	for _, m := range list {
		names = append(names, m.Manifest.Name)
	}
	return offer(names, typed)
}

// takenNames are those of the tools that toolrun has itself.
func takenNames(cmd *cobra.Command) ([]string, error) {
	tools, err := builtIn(cmd)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, spec := range tools.Specs() {
		if spec.Source != module.Source {
			names = append(names, spec.Name)
		}
	}
	return names, nil
}

// checkFree refuses the name of a tool that toolrun has itself.
func checkFree(cmd *cobra.Command, name string) error {
	names, err := takenNames(cmd)
	if err != nil {
		return err
	}
	if slices.Contains(names, name) || languageOf(name) != nil || languageOfModule(name) != nil {
		return fmt.Errorf("the name %s is that of a tool that toolrun has itself: choose another with --name", name)
	}
	return tool.CheckName(name)
}

// readSchema reads a JSON Schema from an argument: JSON itself, or a file's.
func readSchema(text string, read func(name string) ([]byte, error)) (json.RawMessage, error) {
	if text == "" {
		return nil, nil
	}
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		return json.RawMessage(text), nil
	}
	data, err := read(text)
	return data, err
}
