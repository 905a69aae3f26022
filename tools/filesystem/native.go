package filesystem

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/tool"
)

// The values of the option [tool.OptionForm], with which tools that models know from their providers take the place of
// this one. All of them do what this tool does, with the same files and their history.
const (
	// FormTextEditor is Anthropic's str_replace_based_edit_tool, of the type text_editor_20250728.
	FormTextEditor = "text_editor"
	// FormApplyPatch is OpenAI's apply_patch, with filesystem_view to read what is to be patched.
	FormApplyPatch = "apply_patch"
	// FormAgentToolset is read, write, edit, glob and grep of Anthropic's agent_toolset_20260401.
	FormAgentToolset = "agent_toolset"
)

// The ids of options of the tools that [Native] returns.
const (
	// AsFunction, of type bool, defines a tool as a function even for an API that knows it: for models that do not.
	AsFunction = "asFunction"
	// MaxCharacters, of type number, limits what the text editor shows of a file. Zero means no limit.
	MaxCharacters = "maxCharacters"
)

var asFunction = tool.Option{ID: AsFunction, Type: tool.OptionBool, Label: "As a function",
	Subtitle: "Describe the tool to all models, even where the API knows it; older models do not"}

// Native returns the tools of providers for editing files. Add them to a registry beside the tool itself. They take its
// place if its option form says so; see [tool.Spec].Forms.
func Native() []tool.Tool {
	return append([]tool.Tool{editor, applyPatch{}}, agentTools()...)
}

// editor is Anthropic's tool for files.
//
// https://platform.claude.com/docs/en/agents-and-tools/tool-use/text-editor-tool
var editor = textEditor{part{
	name: "str_replace_based_edit_tool", title: "Text editor",
	subtitle: "Views and changes the project's files, as Anthropic's models know it",
	intro: "View, create and edit the files of the project. Paths begin at the root, `/`. Files of up to 32 MiB can " +
		"be viewed and edited; large ones are best viewed in parts, with view_range.",
	notes:    "/memories is read-only here: only the memory tool can change files there.\n",
	commands: []string{"view", "create", "str_replace", "insert"},
	parameters: []string{"path", "view_range", "file_text", "overwrite", "old_str", "new_str", "insert_line",
		"insert_text"},
	path:        "The file, or for view also the directory, such as /docs/plan.md.",
	annotations: tool.Annotations{Destructive: true},
	forms:       []string{FormTextEditor},
	readsFiles:  "the str_replace_based_edit_tool's view command and view_range",
}}

type textEditor struct{ part }

var _ tool.APIOverrider = textEditor{}

// Spec implements [tool.Tool].
func (t textEditor) Spec() tool.Spec {
	spec := t.part.Spec()
	least := 0.0
	spec.Options = []tool.Option{asFunction, {ID: MaxCharacters, Type: tool.OptionNumber, Min: &least,
		Label: "Characters", Subtitle: "How much of a file is shown at once; 0 is all of it"}}
	return spec
}

// APIOverride implements [tool.APIOverrider].
func (t textEditor) APIOverride(api tool.API, options tool.Options) json.RawMessage {
	if api != tool.Anthropic || options.Bool(AsFunction) {
		return nil
	}
	most := ""
	if n := int64(options.Number(MaxCharacters)); n > 0 {
		most = fmt.Sprintf(`,"max_characters":%d`, n)
	}
	return json.RawMessage(`{"type":"text_editor_20250728","name":"` + t.name + `"` + most + `}`)
}

// Execute implements [tool.Tool].
func (t textEditor) Execute(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error) {
	result, err := t.part.Execute(ctx, call, env)
	most := int(env.Options.Number(MaxCharacters))
	if most > 0 && result.InFile != "" && result.Content[0].Data == nil {
		result.Content[0].Text = shorten(result.Content[0].Text, most)
	}
	return result, err
}

// shorten leaves out the lines of a view of a file that are beyond so many characters, and says so. The first line is
// about the view. The next one is cut if it is too long.
func shorten(view string, most int) string {
	if utf8.RuneCountInString(view) <= most {
		return view
	}
	at := strings.IndexByte(view, '\n') + 1
	for begin := at; at < len(view); {
		end := len(view)
		if i := strings.IndexByte(view[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		if most -= utf8.RuneCountInString(view[at:end]); most >= 0 {
			at = end
			continue
		}
		number, _, _ := strings.Cut(strings.TrimLeft(view[at:end], " "), "\t")
		if at > begin {
			return view[:at] + "[Line " + number + " and what follows are beyond the limit of characters. " +
				"Use view_range to see them.]"
		}
		shown := []rune(view[at:end])
		return view[:at] + string(shown[:len(shown)+most]) +
			"\n[The rest of this line is beyond the limit of characters.]"
	}
	return view
}
