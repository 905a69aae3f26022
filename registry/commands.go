package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/tool"
)

// commandRule takes a rule for the commands of a tool apart, such as "bash:rm".
func commandRule(rule string) (name, command string, ok bool) {
	name, command, ok = strings.Cut(rule, ":")
	ok = ok && rule != NetworkTool && name+":" != AskSource && tool.CheckName(name) == nil &&
		command != "" && !strings.ContainsAny(command, ": \t\n,/")
	return name, command, ok
}

// IsCommand reports whether a name in an [ApprovalRequest] is that of a command of a script, such as "bash:rm", which
// no tool can have. The input of such a call has "command", and "args", a list of texts.
func IsCommand(name string) bool {
	_, _, ok := commandRule(name)
	return ok
}

// AskedCommands implements [tool.Host].
func (c *running) AskedCommands() (commands []string) {
	s := &c.env.Selection
	for _, rule := range slices.Concat(s.Settings.Ask, s.Ask) {
		if name, command, ok := commandRule(rule); ok && name == c.call.Tool {
			commands = append(commands, command)
		}
	}
	return commands
}

// ApproveCommand implements [tool.Host]. As a request over the network, a command cannot wait.
func (c *running) ApproveCommand(ctx context.Context, command string, args []string) error {
	if !slices.Contains(c.AskedCommands(), command) {
		return nil
	}
	rule := c.call.Tool + ":" + command
	input, err := json.Marshal(map[string]any{"command": command, "args": args})
	if err != nil {
		return err
	}
	nobody := tool.Errorf("it needs the approval of a person, and there is nobody here who could give it: " +
		"do without it, or ask the user to allow it")
	if c.env.Approve == nil {
		return nobody
	}
	spec := &tool.Spec{Name: rule, DisplayName: "Command " + command, Description: "A command of a script that runs.",
		Annotations: tool.Annotations{Destructive: true, OpenWorld: true}}
	call := tool.Call{Tool: rule, Input: input, Parent: c.id}
	_, decision, err := c.approveNow(ctx, call, spec, rule, "a command")
	switch {
	case err != nil:
		return fmt.Errorf("asking for approval: %w", err)
	case decision.Approved:
		return nil
	case decision.Later:
		return nobody
	}
	return tool.Errorf("%s", because("a person has refused it", decision.Reason))
}
