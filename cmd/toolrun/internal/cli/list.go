package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/provider/xmlcall"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// listCommand has what the commands that describe tools share.
type listCommand struct {
	project projectFlags
	chosen  selectionFlags
	servers serverFlags
	api     string
	strict  bool
	json    bool

	category string
}

// run returns a command's function that calls do with the tools and their Env.
func (c *listCommand) run(do func(cmd *cobra.Command, args []string, tools *registry.Registry,
	env registry.Env) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		r, err := c.servers.open(cmd, toolrun.Options{})
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.Close()) }()
		choice, err := c.chosen.choice(r.Registry(), "")
		if err != nil {
			return err
		}
		r.warnOfSchemas(args...)
		session, err := c.project.look(cmd.Context(), r, &toolrun.SessionOptions{Select: choice})
		if err != nil {
			return err
		}
		env, err := session.Env(cmd.Context())
		if err != nil {
			return err
		}
		return do(cmd, args, r.Registry(), env)
	}
}

func (c *listCommand) add(cmd *cobra.Command) *cobra.Command {
	c.project.add(cmd)
	c.project.addLib(cmd)
	c.chosen.add(cmd)
	c.servers.add(cmd)
	return cmd
}

func newTools() *cobra.Command {
	c := &listCommand{}
	cmd := c.add(&cobra.Command{
		Use:   "tools [NAME]",
		Short: "List the tools, or describe one",
		Example: "  toolrun tools\n" +
			"  toolrun tools javascript --option javascript.memory=16\n" +
			"  toolrun tools --json",
		Args: cobra.MaximumNArgs(1),
		RunE: c.run(func(cmd *cobra.Command, args []string, tools *registry.Registry, env registry.Env) error {
			if len(args) > 0 && c.category != "" {
				return errors.New("--category is for lists; name a tool or give a category")
			}
			if len(args) == 0 {
				return c.list(cmd.OutOrStdout(), tools, env.Selection)
			}
			return c.describe(cmd.OutOrStdout(), tools, env.Selection, args[0])
		}),
	})
	cmd.Flags().StringVar(&c.category, "category", "",
		"list the tools of this `CATEGORY` only, such as file, code or mcp")
	addJSON(cmd.Flags(), &c.json)
	return cmd
}

// jsonTool is a tool as JSON.
type jsonTool struct {
	Name        string          `json:"name"`
	DisplayName string          `json:"displayName"`
	Subtitle    string          `json:"subtitle"`
	Category    tool.Category   `json:"category"`
	Enabled     bool            `json:"enabled"`
	Options     []tool.Option   `json:"options"`
	Values      map[string]any  `json:"values,omitempty"`
	Description string          `json:"description,omitempty"`
	Schema      json.RawMessage `json:"schema,omitempty"`
	SchemaNotes []string        `json:"schemaNotes,omitempty"`
}

// jsonTools returns tools, and whether a selection enables them.
func jsonTools(tools *registry.Registry, specs []tool.Spec, s registry.Selection) []jsonTool {
	on := map[string]bool{}
	for _, spec := range tools.Enabled(s) {
		on[spec.Name] = true
	}
	all := []jsonTool{}
	for _, spec := range specs {
		if spec.PartOf != "" && !on[spec.Name] && len(specs) > 1 {
			continue // parts that are not offered would only make the list longer
		}
		if spec.Options == nil {
			spec.Options = []tool.Option{}
		}
		all = append(all, jsonTool{
			Name: spec.Name, DisplayName: spec.DisplayName, Subtitle: spec.Subtitle, Category: spec.Category,
			Enabled: on[spec.Name], Options: spec.Options, SchemaNotes: spec.SchemaNotes,
		})
	}
	return all
}

// state is "on" if the tool is enabled, for people.
func (t jsonTool) state() string { return onOff(t.Enabled) }

func onOff(is bool) string {
	if is {
		return "on"
	}
	return "off"
}

func (c *listCommand) list(w io.Writer, tools *registry.Registry, s registry.Selection) error {
	specs := tools.Specs()
	if c.category != "" {
		specs = slices.DeleteFunc(specs, func(s tool.Spec) bool { return s.Category != tool.Category(c.category) })
	}
	all := jsonTools(tools, specs, s)
	if c.json {
		return printJSON(w, all)
	}
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, t := range all {
		fmt.Fprintf(table, "%s\t%s\t%s\n", t.Name, t.state(), t.Subtitle)
	}
	return table.Flush()
}

func (c *listCommand) describe(w io.Writer, tools *registry.Registry, s registry.Selection, name string) error {
	if err := known(tools, []string{name}); err != nil {
		return err
	}
	spec, _ := tools.Spec(name)
	out := jsonTools(tools, []tool.Spec{spec}, s)[0]
	enable := map[string]bool{}
	maps.Copy(enable, s.Enable)
	enable[name] = true // tools that are off can be described, too
	s.Enable = enable
	definitions, err := tools.Definitions("", s)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(definitions, func(d *tool.Definition) bool { return d.Name == name })
	if i < 0 {
		return fmt.Errorf("the tool %q cannot be used here", name)
	}
	options, err := tools.Options(name, s)
	if err != nil {
		return err
	}
	out.Description, out.Schema, out.Values = definitions[i].Description, definitions[i].Input, options.Map()
	if c.json {
		return printJSON(w, out)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s (%s): %s\n\n%s\n\nOptions:\n", out.Name, out.state(), out.Subtitle,
		strings.TrimSpace(out.Description))
	for _, o := range out.Options {
		fmt.Fprintf(&b, "  %s = %v (%s)  %s\n", o.ID, out.Values[o.ID], o.Type, o.Subtitle)
	}
	if len(out.Options) == 0 {
		b.WriteString("  none\n")
	}
	b.WriteString("\nArguments:\n")
	if err := json.Indent(&b, out.Schema, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	return printHelp(w, b.String())
}

// apis are the values of --api.
var apis = append(provider.APIs(), tool.XML)

// addAPI adds --api, which must be given.
func (c *listCommand) addAPI(cmd *cobra.Command, apis []tool.API) {
	names := make([]string, len(apis))
	for i, api := range apis {
		names[i] = string(api)
	}
	cmd.Flags().StringVar(&c.api, "api", "", "for this `API`: "+strings.Join(names, ", "))
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if !slices.Contains(names, c.api) {
			return fmt.Errorf("--api must be one of %s", strings.Join(names, ", "))
		}
		return nil
	}
}

func newDefs() *cobra.Command {
	c := &listCommand{}
	cmd := c.add(&cobra.Command{
		Use:     "defs --api API",
		Short:   "Print the enabled tools' definitions for a provider's API",
		Example: "  toolrun defs --api anthropic\n  toolrun defs --api openai-chat --strict --enable javascript",
		Args:    cobra.NoArgs,
		RunE: c.run(func(cmd *cobra.Command, _ []string, tools *registry.Registry, env registry.Env) error {
			definitions, err := provider.Definitions(tools, tool.API(c.api), env.Selection,
				&provider.Options{Strict: c.strict})
			if err != nil {
				return err
			}
			if c.json {
				return printJSON(cmd.OutOrStdout(), definitions)
			}
			var b bytes.Buffer
			if err := json.Indent(&b, definitions, "", "  "); err != nil {
				return err
			}
			b.WriteByte('\n')
			_, err = b.WriteTo(cmd.OutOrStdout())
			return err
		}),
	})
	cmd.Flags().BoolVar(&c.json, "json", false, "print them on one line")
	c.addAPI(cmd, provider.APIs())
	cmd.Flags().BoolVar(&c.strict, "strict", false, "use the API's strict mode, if it has one")
	return cmd
}

func newPrompt() *cobra.Command {
	c := &listCommand{}
	var dialect, model string
	cmd := c.add(&cobra.Command{
		Use:   "prompt --api API",
		Short: "Print what the enabled tools add to the system prompt",
		Long: `Print what the enabled tools add to the system prompt of the next request. With
--api xml this includes the definitions of the tools and how to call them, for
models without tool calls of their own.`,
		Example: "  toolrun prompt --api openai-chat\n" +
			"  toolrun prompt --api xml --enable javascript",
		Args: cobra.NoArgs,
		RunE: c.run(func(cmd *cobra.Command, _ []string, tools *registry.Registry, env registry.Env) error {
			prompt, err := tools.SystemPrompt(cmd.Context(), tool.API(c.api), env)
			if err != nil {
				return err
			}
			if c.api == string(tool.XML) {
				definitions, err := tools.Definitions(tool.XML, env.Selection)
				if err != nil {
					return err
				}
				form := xmlcall.Dialect(dialect)
				if dialect == "tags" {
					form = xmlcall.Tags
				} else if !slices.Contains(xmlcall.Dialects(), form) {
					return fmt.Errorf("unknown dialect %q: tags, use_tool or caret", dialect)
				}
				prompt = xmlcall.Prompt(definitions, &xmlcall.PromptOptions{
					Instructions: prompt, Dialect: form, Model: model,
				})
			}
			text := prompt
			if text != "" {
				text += "\n"
			}
			return outcome{text: text, data: map[string]string{"prompt": prompt}}.print(cmd.OutOrStdout(), c.json)
		}),
	})
	addJSON(cmd.Flags(), &c.json)
	cmd.Flags().StringVar(&dialect, "dialect", "tags", "with --api xml, the `FORM` of calls: tags, use_tool or caret")
	cmd.Flags().StringVar(&model, "model", "", "with --api xml, add what helps the model `NAME`")
	c.addAPI(cmd, apis)
	return cmd
}
