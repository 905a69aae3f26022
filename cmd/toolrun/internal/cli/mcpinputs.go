package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/mcp/mcpclient"
)

// askInputs asks the user at a terminal for the inputs that a configuration needs and the environment does not have, as
// editors do. Without a terminal, and for what is not answered, the inputs have their defaults.
func askInputs(cmd *cobra.Command, config *mcpclient.Config) error {
	open := config.OpenInputs(hostOf(cmd).LookupEnv)
	editor := terminal.NewEditor(cmd.InOrStdin(), cmd.ErrOrStderr(), new(terminal.History),
		func(string) (int, []string) { return 0, nil })
	if editor == nil {
		return nil
	}
	inputs := maps.Clone(config.Inputs)
	if inputs == nil {
		inputs = map[string]mcpclient.Input{}
	}
	for _, id := range open {
		input, described := inputs[id]
		question := fmt.Sprintf("%s (%s)", cmp.Or(input.Description, "A value for an MCP server"), id)
		if input.Options != nil {
			question += ": " + strings.Join(input.Options, ", ")
		}
		if input.Default != "" && !input.Password {
			question += fmt.Sprintf(" [%s]", input.Default)
		}
		// What nobody describes may be a secret.
		answer, err := editor.Ask(question+"?", input.Password || !described)
		if errors.Is(err, io.EOF) { // Ctrl-D: no more answers
			break
		}
		if err != nil {
			return err
		}
		input.Default = cmp.Or(strings.TrimSpace(answer), input.Default)
		inputs[id] = input
	}
	config.Inputs = inputs
	return nil
}
