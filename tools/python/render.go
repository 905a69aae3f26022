package python

import (
	"errors"
	"strings"

	sandbox "github.com/toolrun/toolrun/runtime"
	py "github.com/toolrun/toolrun/runtime/python"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/changes"
	"github.com/toolrun/toolrun/tools/internal/coderun"
)

// Changes are the files that a call has changed, by path.
type Changes = changes.Changes

// Output is the data of a result. Kinds of errors are those of the tool javascript, without "halted" and "never
// settles".
type Output = coderun.Output

// Headings of what comes after the console.
const (
	resultHeading = "=== Result ===\n"
	errorHeading  = "=== Error ===\n"
)

// emptyNote is what a model gets instead of nothing at all.
const emptyNote = "Note: the code printed nothing, and it does not end with an expression that has a value."

// render makes the result of a call of the result of a run, of the reason why it has failed, if it has, and of the
// files that it has changed, which is nil if there are none.
func render(result *py.Result, failure error, files *Changes) tool.Result {
	text := result.Text
	run := coderun.Run{
		Value: result.Value, Console: result.Console, Truncated: result.Truncated, Note: result.Note(),
		Usage: result.Usage, Files: files,
	}
	heading := resultHeading
	if failure != nil {
		heading = errorHeading
		text, run.Failure, run.Error = failure.Error(), failure, describeFailure(failure)
	}
	run.Text = func(add func(string)) {
		consoleText(result.Console)(add)
		switch {
		case len(result.Console) == 0 && text == "":
			add(emptyNote)
		case len(result.Console) == 0:
			add(text)
		case text != "":
			add("\n")
			add(heading)
			add(text)
		}
	}
	return run.Result()
}

// consoleText is the console as models read it, without the end of the last line: what was printed, with a mark at the
// lines of standard error.
func consoleText(console []sandbox.Entry) coderun.Pieces {
	return func(add func(string)) {
		for i, entry := range console {
			begins := i == 0 || !console[i-1].Unfinished || console[i-1].Level != entry.Level
			if i > 0 && begins {
				add("\n")
			}
			if entry.Level == sandbox.LevelError && begins {
				add("[stderr] ")
			}
			add(entry.Text)
		}
	}
}

func describeFailure(failure error) *coderun.Error {
	out := coderun.Describe(failure)
	var script *py.ScriptError
	var exit *py.ExitError
	switch {
	case errors.As(failure, &script):
		out.Kind, out.Line, out.Column = "exception", script.Line, script.Column
		if script.Syntax {
			out.Kind = "syntax"
		}
	case errors.As(failure, &exit):
		out.Kind, out.Status = "exit", exit.Code
	}
	return out
}

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
	if r.Note = (&py.Result{Truncated: output.Truncated}).Note(); r.Note != "" {
		r.Text = strings.TrimSuffix(r.Text, "\n"+r.Note)
	}
	heading := resultHeading
	if output.Error != nil {
		heading = errorHeading
	}
	// What the code prints can look like any part of the text, so the data says where the console ends.
	rest, ok := consoleText(r.Console).Cut(r.Text)
	switch {
	case len(r.Console) == 0 && output.Error == nil && r.Text == emptyNote, len(r.Console) > 0 && ok && rest == "":
		r.Text = ""
	case len(r.Console) > 0 && ok:
		r.Text = strings.TrimPrefix(rest, "\n"+heading)
	}
	r.Undefined = output.Error == nil && r.Text == ""
	if output.Error != nil && output.Error.Kind == "exit" {
		r.Exited, r.Status, r.Text = true, output.Error.Status, ""
	}
	return r, true
}
