package javascript

import (
	"encoding/json"
	"strings"

	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	js "github.com/toolrun/toolrun/runtime/javascript"
)

// A Report is a result of the tool in its parts, for people. Models get all of it as one text, with headings.
type Report struct {
	// Console is what the code and its libraries wrote to the console.
	Console []sandbox.Entry
	// Text is the result, or what is wrong with the code. It is empty if the code returned undefined or exited.
	Text string
	// Undefined means that the code returned undefined.
	Undefined bool
	// Exited means that the code called process.exit with Status.
	Exited bool
	Status int
	// Note says how much of the output was cut off. Empty means nothing.
	Note string
}

// NewReport takes a result of the tool apart. It reports false for results of other tools, and for calls that did not
// run code.
func NewReport(result registry.Result) (Report, bool) {
	data, err := json.Marshal(result.Data)
	var output struct {
		Output
		Value json.RawMessage `json:"value"`
	}
	if result.Tool != Name || err != nil || json.Unmarshal(data, &output) != nil || output.Console == nil ||
		len(result.Content) == 0 {
		return Report{}, false
	}
	r := Report{Console: output.Console, Text: result.Content[0].Text}
	if r.Text == emptyNote && output.Value != nil {
		r.Text = ""
		return r, true
	}
	// What the code prints can look like any part of the text, so the data says where the console ends.
	r.Text = strings.TrimPrefix(r.Text, consoleText(r.Console))
	if r.Note = (&js.Result{Truncated: output.Truncated}).Note(); r.Note != "" {
		r.Text = strings.TrimSuffix(r.Text, "\n"+r.Note)
	}
	if output.Error == nil && output.Value == nil && r.Text == "undefined" {
		r.Text, r.Undefined = "", true
	}
	if output.Error != nil && output.Error.Kind == "exit" {
		r.Exited, r.Status, r.Text = true, output.Error.Status, ""
	}
	return r, true
}
