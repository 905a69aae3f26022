// Package filesystem provides the tool filesystem: a model views and changes the files of a project with it. Files
// under /memories are read-only for it.
//
// # Experimental
//
// The root package offers this tool; programs that assemble a registry themselves need the package. Its Go names may
// change with any version; the tool's name and input may not.
package filesystem

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"

	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/textfile"
	"github.com/toolrun/toolrun/vfs"
)

// New returns the tool.
func New() tool.Tool { return filesystem{} }

type filesystem struct{}

var (
	_ tool.InputChecker  = filesystem{}
	_ tool.InputRenderer = filesystem{}
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
	`such as /docs/plan.md."
		},
		` + textfile.ViewProperties + `
		"file_text": {
			"type": "string",
			"description": "For create: the content of the file, empty if left out; ` +
	`data:MIME;base64,... makes a binary one. For append: the text to add."
		},
		` + textfile.ChangeProperties + `
	},
	"required": ["command"]
}`)

// Spec implements [tool.Tool].
func (filesystem) Spec() tool.Spec {
	return tool.Spec{
		Name:         "filesystem",
		DisplayName:  "Filesystem Access",
		Subtitle:     "Views and changes the project's files",
		Description:  description,
		Schema:       schema,
		Category:     tool.CategoryFile,
		ReadsFiles:   "the filesystem tool's view command and view_range",
		Annotations:  tool.Annotations{Destructive: true},
		Icons:        tool.Icons{Input: "folder", Output: "file-text"},
		Timeout:      time.Minute, // copying a large tree durably takes its time
		NeedsProject: true,
		Options: []tool.Option{{ID: tool.OptionSplit, Type: tool.OptionBool, Label: "Split",
			Subtitle: "Offer viewing, editing and deleting as tools of their own, " +
				"so that each can be allowed by itself"}, {ID: tool.OptionForm, Type: tool.OptionSelect, Label: "Form",
			Subtitle: "Offer the tools for files that the models of a provider are trained on",
			Choices: []tool.Choice{{Value: "", Label: "This tool"},
				{Value: FormTextEditor, Label: "Anthropic's str_replace_based_edit_tool"},
				{Value: FormApplyPatch, Label: "OpenAI's apply_patch, and filesystem_view"},
				{Value: FormAgentToolset, Label: "read, write, edit, glob and grep of Anthropic's agents"}}}},
		AtOnce: 1, // files can be large, and changing them is one after the other in any case
	}
}

// CheckInput implements [tool.InputChecker].
func (filesystem) CheckInput(input map[string]any) error {
	return textfile.Check("filesystem", commands, input)
}

// RenderInput implements [tool.InputRenderer].
func (filesystem) RenderInput(input json.RawMessage) string { return textfile.Describe(input) }

// Execute implements [tool.Tool].
func (filesystem) Execute(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error) {
	var in textfile.Input
	if err := json.Unmarshal(call.Input, &in); err != nil {
		return tool.Result{}, err
	}
	return treeOf(env).execute(ctx, in)
}

func treeOf(env tool.Env) tree { return tree{textfile.Tree{Files: vfs.ReadOnly(env.Files, memories)}} }

var listing = textfile.Listing{DirectoriesFirst: true}

// A tree is the files of a project.
type tree struct{ textfile.Tree }

func (t tree) execute(ctx context.Context, in textfile.Input) (tool.Result, error) {
	switch in.Command {
	case "view-all":
		return t.ViewAll(ctx, in.Paths, listing, textfile.Clean)
	case "rename", "copy":
		from, err := textfile.Clean(in.OldPath)
		if err != nil {
			return tool.Result{}, err
		}
		to, err := textfile.Clean(in.NewPath)
		if err != nil {
			return tool.Result{}, err
		}
		if in.Command == "rename" {
			return textfile.Done(t.rename(ctx, from, to, in.Overwrite))
		}
		return textfile.Done(t.copy(ctx, from, to, in.Overwrite))
	}
	name, err := textfile.Clean(in.Path)
	if err != nil {
		return tool.Result{}, err
	}
	if in.Command == "view" {
		return t.ViewResult(ctx, name, in.ViewRange, listing)
	}
	verb := "write to"
	if in.Command == "delete" {
		verb = "delete"
	}
	if isMemory(name) {
		return tool.Result{}, readOnly(verb, name)
	}
	return t.change(ctx, name, in)
}

func (t tree) change(ctx context.Context, name string, in textfile.Input) (tool.Result, error) {
	switch in.Command {
	case "create":
		return textfile.Done(t.Create(ctx, name, in.Text(), in.Overwrite))
	case "str_replace":
		return t.replace(ctx, name, textfile.Replacement{Old: in.OldStr, New: in.Text(), Name: "old_str"})
	case "insert":
		return textfile.Done(t.Insert(ctx, name, in.InsertLine, in.GivenText(), notFile(name)))
	case "append":
		return textfile.Done(t.Append(ctx, name, in.GivenText()))
	case "mkdir":
		return textfile.Done(t.Mkdir(ctx, name))
	case "delete":
		return textfile.Done(t.Delete(ctx, name))
	}
	return tool.Result{}, textfile.UnknownCommand("filesystem", in.Command, commands)
}

func (t tree) replace(ctx context.Context, name string, r textfile.Replacement) (tool.Result, error) {
	if isMemory(name) {
		return tool.Result{}, readOnly("write to", name)
	}
	r.Missing = notFile(name)
	lines, err := t.Replace(ctx, name, r)
	return textfile.Edited(name, "The file has been edited.", lines, err)
}

func notFile(name string) string {
	return fmt.Sprintf("Error: The path %s does not exist or is not a file.", name)
}
