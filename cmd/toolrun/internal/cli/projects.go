package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs"
)

// projectCommand has what the subcommands of toolrun project share.
type projectCommand struct {
	projectFlags
	json bool
}

func newProject() *cobra.Command {
	c := &projectCommand{}
	cmd := &cobra.Command{
		Use:   "project",
		Short: "List, delete and restore projects, choose tools and options",
		Long: `List, delete and restore projects, and choose the tools and options of one. The
settings are kept with the project, where its tools cannot reach them. A
directory given with --root has no settings.`,
		Example: "  toolrun project set --disable javascript --option memory.useSystemPrompt=true\n" +
			"  toolrun project show",
	}
	c.addStore(cmd)
	addJSON(cmd.PersistentFlags(), &c.json)
	cmd.AddCommand(c.list(), c.show(), c.set(), c.mount(), c.unmount(), c.compact(),
		c.delete(), c.restore(), c.migrate())
	return cmd
}

// jsonProject is a project as JSON.
type jsonProject struct {
	ID           string `json:"id"`
	Bytes        int64  `json:"bytes"`
	Files        int64  `json:"files"`
	HistoryBytes int64  `json:"historyBytes"`
	// CheckpointBytes is what all checkpoints count.
	CheckpointBytes int64              `json:"checkpointBytes,omitempty"`
	Mounts          []vfs.Mount        `json:"mounts,omitempty"`
	Tools           []jsonTool         `json:"tools,omitempty"`
	Settings        *registry.Settings `json:"settings,omitempty"`
}

// countBytes is a number of bytes in words.
func countBytes(n int64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// countFiles is a number of files and directories in words.
func countFiles(n int64) string {
	if n == 1 {
		return "1 file or directory"
	}
	return fmt.Sprintf("%d files and directories", n)
}

func (c *projectCommand) list() *cobra.Command {
	var deleted bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the projects and their sizes",
		Example: "  toolrun project list\n" +
			"  toolrun project list --deleted",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if deleted {
				return c.listDeleted(cmd)
			}
			projects := []jsonProject{}
			var errs []error
			err := c.desk(cmd, func(s *service.Service) error {
				for next := (service.ProjectsRequest{Limit: 500}); ; {
					list, err := s.ListProjects(cmd.Context(), next)
					for _, p := range list.Projects {
						if p.Problem != "" {
							errs = append(errs, errors.New(p.Problem))
							continue
						}
						projects = append(projects, jsonProject{ID: p.Name, Bytes: p.Bytes, Files: p.Files,
							HistoryBytes: p.HistoryBytes, CheckpointBytes: p.CheckpointBytes})
					}
					if next.After = list.Next; err != nil || next.After == "" {
						return err
					}
				}
			})
			if err != nil {
				return err
			}
			var text strings.Builder
			table := tabwriter.NewWriter(&text, 0, 8, 2, ' ', 0)
			for _, p := range projects {
				fmt.Fprintf(table, "%s\t%s\t%s\n", p.ID, countFiles(p.Files), countBytes(p.Bytes))
			}
			_ = table.Flush() // a strings.Builder does not fail
			out := outcome{text: text.String(), data: projects, none: "no projects"}
			return errors.Join(append(errs, out.print(cmd.OutOrStdout(), c.json))...)
		},
	}
	cmd.Flags().BoolVar(&deleted, "deleted", false, "list the deleted projects that can be restored")
	return cmd
}

func (c *projectCommand) show() *cobra.Command {
	return &cobra.Command{
		Use:   "show",
		Short: "Show a project's size, tools and options",
		Example: "  toolrun project show\n" +
			"  toolrun project --project default show --json",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			project, err := c.existing(cmd.Context())
			if err != nil {
				return err
			}
			return c.print(cmd, project)
		},
	}
}

// print prints a project with its tools, and closes it. It does not open what is mounted, which can be missing.
func (c *projectCommand) print(cmd *cobra.Command, project vfs.Project) (err error) {
	defer func() { err = errors.Join(err, project.Close()) }()
	tools, err := builtIn(cmd)
	if err != nil {
		return err
	}
	usage, err := project.Usage(cmd.Context())
	if err != nil {
		return err
	}
	stored, err := project.Settings(cmd.Context())
	if err != nil {
		return err
	}
	var selection registry.Selection
	if selection.Settings, _, err = registry.ParseSettings(stored); err != nil {
		return fmt.Errorf("project %s: %w", c.id, err)
	}
	lines, err := service.DescribeSettings(selection.Settings)
	if err != nil {
		return fmt.Errorf("project %s: %w", c.id, err)
	}
	p := jsonProject{ID: c.id, Bytes: usage.Bytes, Files: usage.Files, HistoryBytes: usage.HistoryBytes,
		CheckpointBytes: usage.CheckpointBytes}
	if raw := selection.Settings.Field(vfs.MountsField); raw != nil {
		if err := json.Unmarshal(raw, &p.Mounts); err != nil {
			return err
		}
	}
	p.Tools = jsonTools(tools, tools.Specs(), selection)
	for i := range p.Tools {
		options, err := tools.Options(p.Tools[i].Name, selection)
		if err != nil {
			return err
		}
		p.Tools[i].Values = options.Map()
	}
	if c.json {
		p.Settings = &selection.Settings
		return printJSON(cmd.OutOrStdout(), p)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s, %s of history\n", p.ID, countFiles(p.Files), countBytes(p.Bytes),
		countBytes(p.HistoryBytes))
	if p.CheckpointBytes > 0 {
		fmt.Fprintf(&b, "checkpoints: %s\n", countBytes(p.CheckpointBytes))
	}
	for _, line := range lines {
		b.WriteString(line + "\n")
	}
	for _, tool := range p.Tools {
		fmt.Fprintf(&b, "%s: %s\n", tool.Name, tool.state())
		for _, o := range tool.Options {
			fmt.Fprintf(&b, "  %s = %v\n", o.ID, tool.Values[o.ID])
		}
	}
	_, err = io.WriteString(cmd.OutOrStdout(), b.String())
	return err
}

func (c *projectCommand) set() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "set",
		Short: "Enable and disable tools, and set their options",
		Example: "  toolrun project set --disable javascript\n" +
			"  toolrun project set --option javascript.memory=128 --reset javascript.loadLib",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var said []string
			changes := service.SettingChanges{}
			for _, setting := range service.AllSettings() {
				var change service.SettingChange
				for _, of := range []struct {
					flag service.Flag
					to   *[]string
				}{{setting.Set, &change.Set}, {setting.Add, &change.Add}, {setting.Remove, &change.Remove}} {
					values, given := flagValues(cmd.Flags(), of.flag.Name)
					switch {
					case !given:
						continue
					case of.to == &change.Set:
						if setting.List && len(values) == 1 && values[0] == "none" {
							values = []string{}
						}
						said = append(said, fmt.Sprintf(of.flag.Said, cmp.Or(strings.Join(values, ", "), "never")))
					default:
						for _, value := range values {
							said = append(said, fmt.Sprintf(of.flag.Said, value))
						}
					}
					*of.to = values
					changes[setting.Name] = change
				}
			}
			if len(said) == 0 {
				return errors.New("nothing to set; toolrun project set --help lists the settings, " +
					"and toolrun project show those of a project")
			}
			return c.change(cmd, strings.Join(said, "; "), changes)
		},
	}
	for _, setting := range service.AllSettings() {
		for _, flag := range setting.Flags() {
			switch {
			case flag.Comma:
				cmd.Flags().StringSlice(flag.Name, nil, flag.Usage)
			case setting.List:
				cmd.Flags().StringArray(flag.Name, nil, flag.Usage)
			default:
				cmd.Flags().String(flag.Name, "", flag.Usage)
			}
			if complete := completedFlags[flag.Name]; complete == nil && len(setting.Choices) > 0 {
				_ = cmd.RegisterFlagCompletionFunc(flag.Name, fixed(setting.Words()...).ofFlag) // the flag is there
			}
		}
	}
	return cmd
}

// flagValues are the values of a flag, if it was given.
func flagValues(flags *pflag.FlagSet, name string) (values []string, given bool) {
	flag := flags.Lookup(name)
	if flag == nil || !flag.Changed {
		return nil, false
	}
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		return list.GetSlice(), true
	}
	return []string{flag.Value.String()}, true
}

// change changes settings of the project, and prints what that has done, or with --json the project.
func (c *projectCommand) change(cmd *cobra.Command, did string, changes service.SettingChanges) error {
	store, err := c.store(nil) // which makes it
	if err != nil {
		return err
	}
	defer store.Close()
	return c.desk(cmd, func(s *service.Service) error {
		out, err := s.ChangeSettings(cmd.Context(), service.ChangeSettingsRequest{Project: c.id, Changes: changes})
		for _, w := range out.Warnings {
			warnings(cmd.ErrOrStderr())(fmt.Errorf("--%s: %s", w.Setting, w.Message))
		}
		if err == nil && !c.json {
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s\n", c.id, did)
		}
		if err != nil || !c.json {
			return err
		}
		project, err := c.existing(cmd.Context())
		if err != nil {
			return err
		}
		return c.print(cmd, project)
	})
}

func (c *projectCommand) migrate() *cobra.Command {
	return &cobra.Command{
		Use:   "migrate [FILE | -]",
		Short: "Convert the settings of an older version",
		Long: `Bring settings of an older version into today's form: those of the project, or
those in a file or on standard input (-), which then become the project's.
Unknown fields are kept. A project is made only for settings of a file or of
standard input. Where none of the old flags (memoryEnabled, jsExecutionEnabled,
fsToolEnabled) is set, the defaults of the tools hold.`,
		Example: "  toolrun project migrate\n" +
			"  toolrun project --project old migrate settings.json",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var given []byte
			var err error
			switch argument(args, 0, "") {
			case "":
			case "-":
				given, err = readStdin(cmd.Context(), cmd.InOrStdin(), vfs.MaxSettings)
			default:
				given, err = readHostFile(hostOf(cmd).open, args[0], vfs.MaxSettings)
			}
			if err != nil {
				return err
			}
			open := c.reading // which does not make a project that is misspelt
			if len(args) == 1 {
				open = c.open
			}
			project, err := open(cmd.Context())
			if err != nil {
				return err
			}
			defer project.Close()
			s, err := c.service(project)
			if err != nil {
				return err
			}
			done, err := s.MigrateSettings(cmd.Context(), service.MigrateRequest{Project: c.name(), Settings: given})
			if err != nil {
				return err
			}
			text := "The settings are in today's form already.\n"
			if done.Migrated {
				text = "The settings have been brought into today's form.\n"
			}
			return outcome{text: text, data: done}.print(cmd.OutOrStdout(), c.json)
		},
	}
}
