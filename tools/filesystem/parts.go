package filesystem

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/textfile"
)

// Parts returns the tool split by what it does, so that a person can allow a client to view files without allowing it
// to change them: filesystem_view, filesystem_edit and filesystem_delete. Add them to a registry beside the tool
// itself. They take its place if its option split is on; see [tool.Spec].PartOf.
func Parts() []tool.Tool {
	tools := make([]tool.Tool, len(parts))
	for i, p := range parts {
		tools[i] = p
	}
	return tools
}

var parts = []part{
	{
		name: "filesystem_view", title: "Filesystem Access: view", subtitle: "Views the project's files",
		intro: "View the files of the project. Paths begin at the root, `/`. Files of up to 32 MiB can be viewed; " +
			"large ones are best viewed in parts, with view_range.",
		commands:   []string{"view", "view-all"},
		parameters: []string{"path", "paths", "view_range"},
		path:       "For view: the file or directory, such as /docs/plan.md.",
		annotations: tool.Annotations{
			ReadOnly: true, Idempotent: true,
		},
		forms:      []string{tool.OptionSplit, FormApplyPatch},
		readsFiles: "the filesystem_view tool's view command and view_range",
	},
	{
		name: "filesystem_edit", title: "Filesystem Access: edit", subtitle: "Makes and changes the project's files",
		intro: "Make and change the files of the project. Paths begin at the root, `/`. Files of up to 32 MiB can " +
			"be edited.",
		notes: "`rename` and `copy` replace a file that is at new_path only with overwrite true, " +
			"and never a directory.\n\n" +
			"/memories is read-only here: files there can be copied from, but only the memory tool can change them.\n",
		commands: []string{"create", "str_replace", "insert", "append", "mkdir", "rename", "copy"},
		parameters: []string{"path", "file_text", "overwrite", "old_str", "new_str", "insert_line", "insert_text",
			"old_path", "new_path"},
		path:        "For all commands but rename and copy: the file or directory, such as /docs/plan.md.",
		annotations: tool.Annotations{Destructive: true},
	},
	{
		name: "filesystem_delete", title: "Filesystem Access: delete", subtitle: "Deletes the project's files",
		intro:       "Delete files of the project. Paths begin at the root, `/`.",
		notes:       "/memories is read-only here: only the memory tool can delete files there.\n",
		commands:    []string{"delete"},
		parameters:  []string{"path"},
		path:        "The file or directory to delete, such as /docs/plan.md.",
		annotations: tool.Annotations{Destructive: true},
	},
}

// A part is the tool with some of its commands. If it has only one, inputs can leave it out.
type part struct {
	name                 string
	title, subtitle      string
	intro, notes         string // what the description has before and after the commands
	commands, parameters []string
	path                 string // what the parameter is for
	annotations          tool.Annotations
	forms                []string // as in tool.Spec
	readsFiles           string
}

var (
	_ tool.InputChecker  = part{}
	_ tool.InputRenderer = part{}
)

// Spec implements [tool.Tool].
func (p part) Spec() tool.Spec {
	spec := filesystem{}.Spec()
	spec.PartOf, spec.Name, spec.Forms = spec.Name, p.name, p.forms
	spec.DisplayName, spec.Subtitle = p.title, p.subtitle
	spec.Description, spec.Schema = p.description(), p.schema()
	spec.Annotations, spec.ReadsFiles, spec.Options = p.annotations, p.readsFiles, nil
	return spec
}

// description returns what the whole tool's description says of the commands, between the part's own words.
func (p part) description() string {
	var b strings.Builder
	b.WriteString(p.intro + "\n\nCommands:\n")
	for line := range strings.Lines(description) {
		command, isCommand := strings.CutPrefix(line, "- `")
		command, _, _ = strings.Cut(command, "`")
		if isCommand && slices.Contains(p.commands, command) {
			b.WriteString(line)
		}
	}
	if p.notes != "" {
		b.WriteString("\n" + p.notes)
	}
	return b.String()
}

// schema returns the whole tool's schema with the part's commands and parameters.
func (p part) schema() json.RawMessage {
	var whole struct {
		Properties map[string]json.RawMessage
	}
	if err := json.Unmarshal(schema, &whole); err != nil {
		panic(err) // a test would notice
	}
	commands, _ := json.Marshal(p.commands) // strings can be encoded
	required, what := "command", "What to do."
	if len(p.commands) == 1 {
		required, what = "path", "What to do. It can be left out."
	}
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"object","properties":{"command":{"type":"string","enum":%s,"description":%q}`, commands,
		what)
	for _, name := range p.parameters {
		if name == "path" {
			fmt.Fprintf(&b, `,"path":{"type":"string","description":%q}`, p.path)
			continue
		}
		fmt.Fprintf(&b, `,%q:%s`, name, whole.Properties[name])
	}
	fmt.Fprintf(&b, `},"required":[%q]}`, required)
	return json.RawMessage(b.String())
}

// CheckInput implements [tool.InputChecker].
func (p part) CheckInput(input map[string]any) error {
	command, isText := input["command"].(string)
	switch {
	case input["command"] == nil && len(p.commands) == 1:
		input = maps.Clone(input)
		input["command"] = p.commands[0]
	case isText && !slices.Contains(p.commands, command):
		for _, other := range parts {
			if slices.Contains(other.commands, command) {
				return tool.Errorf("Error: %s has no command %s: %s has it, if that is enabled",
					p.name, command, other.name)
			}
		}
	}
	return textfile.Check(p.name, p.commands, input)
}

// RenderInput implements [tool.InputRenderer].
func (p part) RenderInput(input json.RawMessage) string { return textfile.Describe(p.complete(input)) }

// Execute implements [tool.Tool]. The input has one of the part's commands, or none if there is only one.
func (p part) Execute(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error) {
	call.Input = p.complete(call.Input)
	return filesystem{}.Execute(ctx, call, env)
}

// complete adds the command to an input that leaves it out.
func (p part) complete(input json.RawMessage) json.RawMessage {
	var members map[string]json.RawMessage
	if len(p.commands) != 1 || json.Unmarshal(input, &members) != nil || members == nil {
		return input
	}
	if command := members["command"]; command != nil && string(command) != "null" {
		return input
	}
	members["command"], _ = json.Marshal(p.commands[0]) // a string can be encoded
	completed, err := json.Marshal(members)
	if err != nil {
		return input
	}
	return completed
}
