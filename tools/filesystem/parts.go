package filesystem

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tools/internal/textfile"
)

// Parts returns the tool split by what it does, so that a person can allow a client to view files without allowing it
// to change them: filesystem_view, filesystem_edit and filesystem_delete. Add them to a registry beside the tool
// itself. They take its place if its option split is on; see [registry.Spec].PartOf.
func Parts() []registry.Tool {
	return []registry.Tool{
		part{
			name: "view", subtitle: "Views the project's files",
			intro:      "View the files of the project.",
			commands:   []string{"view", "view-all"},
			parameters: []string{"path", "paths", "view_range"},
			annotations: registry.Annotations{
				ReadOnly: true, Idempotent: true,
			},
			readsFiles: "the filesystem_view tool's view command and view_range",
		},
		part{
			name: "edit", subtitle: "Makes and changes the project's files",
			intro:    "Make and change the files of the project.",
			commands: []string{"create", "str_replace", "insert", "append", "mkdir", "rename", "copy"},
			parameters: []string{"path", "file_text", "overwrite", "old_str", "new_str", "insert_line", "insert_text",
				"old_path", "new_path"},
			annotations: registry.Annotations{Destructive: true},
		},
		part{
			name: "delete", subtitle: "Deletes the project's files",
			intro:       "Delete files of the project.",
			commands:    []string{"delete"},
			parameters:  []string{"path"},
			annotations: registry.Annotations{Destructive: true},
		},
	}
}

// A part is the tool with some of its commands.
type part struct {
	name, subtitle, intro string
	commands, parameters  []string
	annotations           registry.Annotations
	readsFiles            string
}

var (
	_ registry.InputChecker  = part{}
	_ registry.InputRenderer = part{}
)

// Spec implements [registry.Tool].
func (p part) Spec() registry.Spec {
	spec := tool{}.Spec()
	spec.Name, spec.PartOf = spec.Name+"_"+p.name, spec.Name
	spec.DisplayName, spec.Subtitle = spec.DisplayName+": "+p.name, p.subtitle
	spec.Description, spec.Schema = p.description(), p.schema()
	spec.Annotations, spec.ReadsFiles, spec.Options = p.annotations, p.readsFiles, nil
	return spec
}

// description returns the whole tool's description without what is about other commands.
func (p part) description() string {
	_, rest, _ := strings.Cut(description, ". ")
	var b strings.Builder
	b.WriteString(p.intro + " ")
	for line := range strings.Lines(rest) {
		if command, isCommand := strings.CutPrefix(line, "- `"); isCommand {
			if command, _, _ = strings.Cut(command, "`"); !slices.Contains(p.commands, command) {
				continue
			}
		} else if strings.HasPrefix(line, "`rename` and `copy`") && !slices.Contains(p.commands, "rename") {
			continue
		}
		b.WriteString(line)
	}
	return strings.ReplaceAll(b.String(), "\n\n\n", "\n\n")
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
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"object","properties":{"command":{"type":"string","enum":%s,"description":"What to do."}`, commands)
	for _, name := range p.parameters {
		fmt.Fprintf(&b, `,%q:%s`, name, whole.Properties[name])
	}
	b.WriteString(`},"required":["command"]}`)
	return json.RawMessage(b.String())
}

// CheckInput implements [registry.InputChecker].
func (p part) CheckInput(input map[string]any) error {
	return textfile.Check("filesystem", p.commands, input)
}

// RenderInput implements [registry.InputRenderer].
func (part) RenderInput(input json.RawMessage) string { return textfile.Describe(input) }

// Execute implements [registry.Tool]. The input has one of the part's commands.
func (part) Execute(ctx context.Context, call registry.Call, env registry.Env) (registry.Result, error) {
	return tool{}.Execute(ctx, call, env)
}
