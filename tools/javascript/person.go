package javascript

import (
	"strings"

	js "github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/coderun"
)

// A Report is a result of the tool in its parts, for people. Models get all of it as one text, with headings.
type Report = coderun.Report

// NewReport takes a result of the tool apart. It reports false for results of other tools, and for calls that did not
// run code.
func NewReport(result tool.Result) (Report, bool) {
	output, ok := coderun.ReadOutput(result, Name)
	if !ok {
		return Report{}, false
	}
	r := Report{Console: output.Console, Text: result.Content[0].Text, Session: output.SessionNotes()}
	if r.Text == emptyNote && output.Value != nil {
		r.Text = ""
		return r, true
	}
	// What the code prints can look like any part of the text, so the data says where the console ends.
	r.Text, _ = consoleText(r.Console).Cut(r.Text)
	if r.Note = (&js.Result{Truncated: output.Truncated}).Note(); r.Note != "" {
		r.Text = strings.TrimSuffix(r.Text, "\n"+r.Note)
	}
	if output.Error != nil { // without what the code returned before
		r.Text = output.Error.Message
	}
	if output.Error == nil && output.Value == nil && r.Text == "undefined" {
		r.Text, r.Undefined = "", true
	}
	if output.Error != nil && output.Error.Kind == "exit" {
		r.Exited, r.Status, r.Text = true, output.Error.Status, ""
	}
	return r, true
}
