// Package memory provides the tool memory: files under /memories that a model keeps from one conversation to the
// next.
//
// It is Anthropic's memory tool, with the texts that models know, and four more commands. Anthropic's API gets it by
// its own name, which stands for the six commands that its models know; others get a description, a schema and a system
// prompt.
//
// # Experimental
//
// The root package offers this tool; programs that assemble a registry themselves need the package. Its Go names may
// change with any version; the tool's name and input may not.
package memory

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"

	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/textfile"
)

// The ids of the tool's options, all of type bool.
const (
	// UseSystemPrompt describes the tool and its content to all models, even to those that know it.
	UseSystemPrompt = "useSystemPrompt"
	// NoHandHolding leaves the advice out of the system prompt.
	NoHandHolding = "noHandHolding"
)

// New returns the tool.
func New() tool.Tool { return memory{} }

type memory struct{}

var (
	_ tool.APIOverrider   = memory{}
	_ tool.SystemPrompter = memory{}
	_ tool.InputChecker   = memory{}
	_ tool.InputRenderer  = memory{}
)

//go:embed description.md
var description string

var commands = []string{
	"view", "view-all", "create", "str_replace", "insert", "append", "mkdir", "delete", "rename", "copy",
}

var schema = json.RawMessage(`{
	"type": "object",
	"properties": {
		"command": {
			"type": "string",
			"enum": ["view", "view-all", "create", "str_replace", "insert", "append", "mkdir", "delete",
				"rename", "copy"],
			"description": "What to do."
		},
		"path": {
			"type": "string",
			"description": "For all commands but view-all, rename and copy: the file or directory, ` +
	`such as /memories/notes.md."
		},
		` + textfile.ViewProperties + `
		"file_text": {
			"type": "string",
			"description": "For create: the content of the file, empty if left out. For append: the text to add."
		},
		` + textfile.ChangeProperties + `
	},
	"required": ["command"]
}`)

// Spec implements [tool.Tool].
func (memory) Spec() tool.Spec {
	return tool.Spec{
		Name:        "memory",
		DisplayName: "Memory",
		Subtitle:    "Remembers things from one conversation to the next",
		Description: description,
		Schema:      schema,
		Options: []tool.Option{{
			ID: UseSystemPrompt, Type: tool.OptionBool, Default: false,
			Label: "Use system prompt",
			Subtitle: "Describe the memory in the system prompt, also to Anthropic's models, " +
				"which know the tool by themselves",
		}, {
			ID: NoHandHolding, Type: tool.OptionBool, Default: false,
			Label:    "No advice",
			Subtitle: "Show what the memory contains in the system prompt, without advice on how to use it",
		}},
		Category:     tool.CategoryFile,
		Annotations:  tool.Annotations{Destructive: true},
		Icons:        tool.Icons{Input: "brain", Output: "brain"},
		NeedsProject: true,
		AtOnce:       1,
	}
}

// APIOverride implements [tool.APIOverrider].
func (memory) APIOverride(api tool.API, options tool.Options) json.RawMessage {
	if api != tool.Anthropic || options.Bool(UseSystemPrompt) {
		return nil
	}
	return json.RawMessage(`{"type":"memory_20250818","name":"memory"}`)
}

// CheckInput implements [tool.InputChecker].
func (memory) CheckInput(input map[string]any) error {
	return textfile.Check("memory", commands, input)
}

// RenderInput implements [tool.InputRenderer].
func (memory) RenderInput(input json.RawMessage) string { return textfile.Describe(input) }

// Execute implements [tool.Tool].
func (memory) Execute(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error) {
	var in textfile.Input
	if err := json.Unmarshal(call.Input, &in); err != nil {
		return tool.Result{}, err
	}
	return execute(ctx, treeOf(env.Files), in)
}

func execute(ctx context.Context, t textfile.Tree, in textfile.Input) (tool.Result, error) {
	switch in.Command {
	case "view-all":
		return t.ViewAll(ctx, in.Paths, listing, clean)
	case "rename", "copy":
		from, err := clean(in.OldPath)
		if err != nil {
			return tool.Result{}, err
		}
		to, err := clean(in.NewPath)
		if err != nil {
			return tool.Result{}, err
		}
		if in.Command == "copy" {
			return textfile.Done(t.Copy(ctx, from, to, in.Overwrite))
		}
		return textfile.Done(t.Rename(ctx, from, to, func(source, target fs.FileInfo) error {
			if to == "/" || !in.Overwrite && (target.IsDir() || from == to) {
				return tool.Errorf("Error: The destination %s already exists", t.Shown(to)) // as Anthropic has it
			}
			return t.MayReplace(from, to, in.Overwrite)(source, target)
		}))
	}
	name, err := clean(in.Path)
	if err != nil {
		return tool.Result{}, err
	}
	shown := t.Shown(name)
	switch in.Command {
	case "view":
		return t.ViewResult(ctx, name, in.ViewRange, listing)
	case "create":
		return textfile.Done(t.Create(ctx, name, in.Text(), in.Overwrite))
	case "str_replace":
		missing := fmt.Sprintf("Error: The path %s does not exist. Please provide a valid path.", shown)
		lines, err := t.Replace(ctx, name,
			textfile.Replacement{Old: in.OldStr, New: in.Text(), Name: "old_str", Missing: missing})
		return textfile.Edited(shown, "The memory file has been edited.", lines, err)
	case "insert":
		missing := fmt.Sprintf("Error: The path %s does not exist", shown)
		return textfile.Done(t.Insert(ctx, name, in.InsertLine, in.GivenText(), missing))
	case "append":
		return textfile.Done(t.Append(ctx, name, in.GivenText()))
	case "mkdir":
		return textfile.Done(t.Mkdir(ctx, name))
	case "delete":
		return textfile.Done(t.Delete(ctx, name))
	}
	return tool.Result{}, textfile.UnknownCommand("memory", in.Command, commands)
}

var listing = textfile.Listing{Self: true, NoModules: true}

// root is what the model calls the root of its files.
const root = "/memories"
