package textfile

import (
	"context"
	"encoding/json"

	"github.com/toolrun/toolrun/registry"
)

// ViewResult returns [Tree.View] as the result of a call.
func (t Tree) ViewResult(ctx context.Context, name string, lines []json.Number, listing Listing) (registry.Result,
	error) {
	v, err := t.View(ctx, name, lines, listing)
	if err != nil {
		return registry.Result{}, err
	}
	return registry.Result{Content: []registry.Part{v.Part()}, InFile: v.File, Status: "Viewed " + t.Shown(name)}, nil
}

// Part returns the view as a part of a result.
func (v View) Part() registry.Part { return registry.Part{Text: v.Text, Data: v.Data, MIME: v.MIME} }

// Done returns a one-line result, or the error.
func Done(text string, err error) (registry.Result, error) {
	result := registry.Text(text)
	result.Status = text
	return result, err
}

// Edited returns the result of an edit of a file: the tool's text and the lines around the edit, or the error.
func Edited(name, text, lines string, err error) (registry.Result, error) {
	result := registry.Text(text + "\n" + lines)
	result.Status = "Edited " + name
	return result, err
}
