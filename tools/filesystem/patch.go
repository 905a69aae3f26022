package filesystem

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/text/filetext"
	"github.com/toolrun/toolrun/internal/text/v4a"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/textfile"
	"github.com/toolrun/toolrun/vfs"
)

// applyPatch is OpenAI's tool for changing files. What its Responses API sends, one operation a call, is a patch, too.
//
// https://platform.openai.com/docs/guides/tools-apply-patch
type applyPatch struct{}

var (
	_ tool.APIOverrider  = applyPatch{}
	_ tool.InputRenderer = applyPatch{}
)

//go:embed apply_patch.md
var patchDescription string

// Spec implements [tool.Tool].
func (applyPatch) Spec() tool.Spec {
	spec := filesystem{}.Spec()
	spec.PartOf, spec.Name, spec.Forms = spec.Name, "apply_patch", []string{FormApplyPatch}
	spec.DisplayName, spec.Subtitle = "Apply a patch", "Changes files by a patch, as OpenAI's models know it"
	spec.Description, spec.ReadsFiles = patchDescription, ""
	spec.Options = []tool.Option{asFunction, {ID: tool.OptionRollback, Type: tool.OptionBool, Default: true,
		Label: "All or nothing", Subtitle: "Undo a patch that could not be applied to all of its files"}}
	spec.Schema = json.RawMessage(`{"type":"object","properties":{"input":{"type":"string",` +
		`"description":"The patch, from *** Begin Patch to *** End Patch."}},"required":["input"]}`)
	return spec
}

// APIOverride implements [tool.APIOverrider].
func (applyPatch) APIOverride(api tool.API, options tool.Options) json.RawMessage {
	if api != tool.OpenAIResponses || options.Bool(AsFunction) {
		return nil
	}
	return json.RawMessage(`{"type":"apply_patch"}`)
}

type patchInput struct {
	Input string `json:"input"`
}

// RenderInput implements [tool.InputRenderer].
func (applyPatch) RenderInput(input json.RawMessage) string {
	var in patchInput
	if json.Unmarshal(input, &in) != nil || in.Input == "" {
		return string(input)
	}
	return in.Input
}

// Execute implements [tool.Tool].
func (applyPatch) Execute(ctx context.Context, call tool.Call, env tool.Env) (tool.Result, error) {
	var in patchInput
	if err := json.Unmarshal(call.Input, &in); err != nil {
		return tool.Result{}, err
	}
	files, err := v4a.Parse(in.Input)
	if err != nil {
		return tool.Result{}, unpatched(err)
	}
	var done []string
	err = vfs.Exclusively(ctx, treeOf(env).Files, func(fs afero.Fs) error {
		t := tree{textfile.Tree{Files: fs}}
		steps := make([]patchStep, len(files))
		taken, size := map[string]bool{}, 0
		for i := range files {
			if steps[i], err = t.plan(ctx, &files[i], taken); err != nil {
				return unpatched(err)
			}
			if size += len(steps[i].text); size > maxPatched {
				return unpatched(tool.Errorf("Error: The files that the patch changes have more than %d bytes "+
					"together. Send a patch for each.", maxPatched))
			}
		}
		for _, s := range steps {
			line, err := t.patch(ctx, s)
			if problem, ok := errors.AsType[*tool.ModelError](err); ok && done != nil {
				return &tool.ModelError{Text: problem.Text + "\nBefore that, the patch was applied to: " +
					strings.Join(done, ", "), Err: err}
			}
			if err != nil {
				return err
			}
			done = append(done, line)
		}
		return nil
	})
	result := tool.Text("Success. Updated the following files:\n" + strings.Join(done, "\n"))
	result.Status = "Patched " + strings.Join(done, ", ")
	return result, err
}

// maxPatched is how many bytes the files that a patch changes may have together: they are held in memory before the
// first one is written.
const maxPatched = 2 * textfile.MaxSize

// unpatched says in an error for the model that nothing of a patch has been applied.
func unpatched(err error) error {
	text := ""
	if problem, ok := errors.AsType[*tool.ModelError](err); ok {
		text = problem.Text
	} else if syntax, ok := errors.AsType[*v4a.SyntaxError](err); ok {
		text = "Error: " + syntax.Text
	} else {
		return err
	}
	head, lines, _ := strings.Cut(text, "\n")
	text = strings.TrimSuffix(head, ".") + ". Nothing has been changed.\n" + lines
	return &tool.ModelError{Text: strings.TrimSuffix(text, "\n"), Err: err}
}

// A patchStep is what a patch does with a file.
type patchStep struct {
	*v4a.File
	name, to string
	text     []byte // after an update that changes it
}

// plan checks what a patch does with a file, without doing it. The patch can have each path once.
func (t tree) plan(ctx context.Context, f *v4a.File, taken map[string]bool) (s patchStep, err error) {
	check := func(given string, isNew bool) (string, error) {
		name, err := textfile.Clean(given)
		if err != nil {
			return "", err
		}
		info, err := t.Stat(name)
		switch {
		case isMemory(name):
			return "", readOnly("write to", name)
		case err != nil:
			return "", err
		case taken[name]:
			return "", tool.Errorf("Error: The patch has %s twice. Put all that it changes in a file behind one line "+
				"*** Update File, with @@ between the places.", name)
		case isNew && info != nil && info.IsDir():
			return "", tool.Errorf("Error: The path %s is a directory, not a file.", name)
		case isNew && info != nil:
			return "", tool.Errorf("Error: File %s already exists. Use *** Update File to change it.", name)
		case !isNew && (info == nil || info.IsDir()):
			return "", tool.Errorf("%s", notFile(name))
		}
		taken[name] = true
		return name, nil
	}
	s.File = f
	if s.name, err = check(f.Path, f.Kind == v4a.Add); err != nil {
		return s, err
	}
	if f.To != "" {
		if s.to, err = check(f.To, true); err != nil {
			return s, err
		}
	}
	if !f.Changes() {
		return s, nil
	}
	return s, t.Edit(ctx, "apply_patch", s.name, notFile(s.name), func(text []byte) ([]byte, error) {
		plain := filetext.Plain(text)
		edited, err := f.Apply(string(plain))
		if miss, ok := errors.AsType[*v4a.MissError](err); ok {
			return nil, explainMiss(s.name, plain, miss)
		} else if err != nil {
			return nil, err
		}
		s.text = filetext.Keep(text, []byte(edited))
		return nil, textfile.ErrUnchanged
	})
}

// explainMiss says why a patch does not fit a text.
func explainMiss(name string, text []byte, miss *v4a.MissError) error {
	old := textfile.Cut(miss.Old, 2000)
	switch {
	case miss.Places > 1 && miss.Old == "":
		return tool.Errorf("Error: The line behind @@ is not in %s: `%s`. View the file, and give a line that it has.",
			name, textfile.Cut(miss.Anchor, 200))
	case miss.Places > 1:
		return tool.Errorf("Error: The lines from line %d of the patch on are in %s more than once, and the line "+
			"behind @@ that should tell which are meant is not there: `%s`. Give a line that the file has, "+
			"or more lines around the change.\n%s", miss.Line, name, textfile.Cut(miss.Anchor, 200), old)
	case miss.Places == 1:
		return tool.Errorf("Error: The lines from line %d of the patch on are in %s only above line %d, where the "+
			"place before them ends. Give the places in the order of the file.\n%s", miss.Line, name, miss.After+1, old)
	}
	return tool.Errorf("Error: The lines from line %d of the patch on are not in %s.%s View the file, and give its "+
		"lines as they are.\n%s", miss.Line, name, textfile.ExplainMiss(text, []byte(miss.Old), "the patch"), old)
}

// patch does a step, and says in a line what it was.
func (t tree) patch(ctx context.Context, s patchStep) (line string, err error) {
	switch s.Kind {
	case v4a.Add:
		_, err = t.Create(ctx, s.name, s.Text, false)
		return "A " + s.name, err
	case v4a.Delete:
		_, err = t.Delete(ctx, s.name)
		return "D " + s.name, err
	}
	line = "M " + s.name
	if s.Changes() {
		err = t.Edit(ctx, "apply_patch", s.name, notFile(s.name), func([]byte) ([]byte, error) { return s.text, nil })
	}
	if err == nil && s.to != "" {
		_, err = t.Rename(ctx, s.name, s.to, t.MayReplace(s.name, s.to, false))
		line += " -> " + s.to
	}
	return line, err
}
