package textfile

import (
	"context"
	"encoding/json"

	"github.com/toolrun/toolrun/tool"
)

// ViewResult returns [Tree.view] as the result of a call.
func (t Tree) ViewResult(ctx context.Context, name string, lines []json.Number, listing Listing) (tool.Result,
	error) {
	v, err := t.view(ctx, name, lines, listing)
	if err != nil {
		return tool.Result{}, err
	}
	return tool.Result{Content: []tool.Part{v.part()}, InFile: v.file, Status: "Viewed " + t.Shown(name)}, nil
}

// part returns the view as a part of a result.
func (v view) part() tool.Part { return tool.Part{Text: v.text, Data: v.data, MIME: v.mime} }

// Done returns a one-line result, or the error.
func Done(text string, err error) (tool.Result, error) {
	result := tool.Text(text)
	result.Status = text
	return result, err
}

// Edited returns the result of an edit of a file: the tool's text and the lines around the edit, or the error.
func Edited(name, text, lines string, err error) (tool.Result, error) {
	result := tool.Text(text + "\n" + lines)
	result.Status = "Edited " + name
	return result, err
}
