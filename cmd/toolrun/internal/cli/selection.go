package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/service"
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
		of, id, value, err := service.ParseOption(tools, option, tool)
		if err != nil {
			return nil, err
		}
		if options == nil {
			options = map[string]map[string]any{}
		}
		if options[of] == nil {
			options[of] = map[string]any{}
		}
		options[of][id] = value
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
