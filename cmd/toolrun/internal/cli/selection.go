package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/registry"
)

// selectionFlags override the tools and options that the project's settings choose.
type selectionFlags struct {
	enable  []string
	options []string
	cmd     *cobra.Command
	// later means that tools may appear later, so that unknown ones can be enabled.
	later bool
}

func (f *selectionFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.enable, "enable", nil,
		"enable these `TOOLS` and no others, whatever the project has chosen")
	cmd.Flags().StringArrayVar(&f.options, "option", nil, "set an option of a tool, as `TOOL.NAME=VALUE`")
	f.cmd = cmd
}

// choice returns a function that applies the flags to a project's selection. An option that names no tool belongs to
// the given one.
func (f *selectionFlags) choice(tools *registry.Registry, tool string) (func(registry.Selection) registry.Selection,
	error) {
	if err := known(tools, f.enable); err != nil && !f.later {
		return nil, err
	}
	only := f.cmd.Flags().Changed("enable")
	var options map[string]map[string]any
	for _, option := range f.options {
		o, err := parseOption(tools, option, tool)
		if err != nil {
			return nil, err
		}
		if options == nil {
			options = map[string]map[string]any{}
		}
		if options[o.tool] == nil {
			options[o.tool] = map[string]any{}
		}
		options[o.tool][o.id] = o.value
	}
	return func(s registry.Selection) registry.Selection {
		if only {
			s = s.Only(f.enable...)
		}
		s.Options = options
		return s
	}, nil
}

// known checks that tools with these names exist.
func known(tools *registry.Registry, names []string) error {
	for _, name := range names {
		if _, ok := tools.Tool(name); !ok {
			return fmt.Errorf("no tool named %q; toolrun tools lists them", name)
		}
	}
	return nil
}

// A setting is an option of a tool with a value.
type setting struct {
	tool, id string
	value    any
}

// parseOption reads TOOL.NAME=VALUE, or NAME=VALUE if a tool is named already.
func parseOption(tools *registry.Registry, text, tool string) (setting, error) {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return setting{}, fmt.Errorf("malformed option %q: write TOOL.NAME=VALUE", text)
	}
	option, at, err := findOption(tools, name, tool)
	if err != nil {
		return setting{}, err
	}
	parsed, err := option.ParseOption(value)
	return setting{at, option.ID, parsed}, err
}

// findOption finds an option by TOOL.NAME, or by NAME if a tool is named already.
func findOption(tools *registry.Registry, name, tool string) (registry.Option, string, error) {
	if before, after, ok := strings.Cut(name, "."); ok {
		tool, name = before, after
	} else if tool == "" {
		return registry.Option{}, "", fmt.Errorf("malformed option %q: write TOOL.NAME", name)
	}
	if err := known(tools, []string{tool}); err != nil {
		return registry.Option{}, "", err
	}
	spec, _ := tools.Spec(tool)
	var ids []string
	for _, option := range spec.Options {
		if option.ID == name {
			return option, tool, nil
		}
		ids = append(ids, option.ID)
	}
	if len(ids) == 0 {
		var others []string
		for _, spec := range tools.Configurable() {
			others = append(others, spec.Name)
		}
		return registry.Option{}, "", fmt.Errorf("the tool %s has no options; tools with options: %s", tool,
			strings.Join(others, ", "))
	}
	return registry.Option{}, "", fmt.Errorf("the tool %s has no option %q; it has %s", tool, name,
		strings.Join(ids, ", "))
}
