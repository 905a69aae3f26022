package javascript

import (
	"errors"
	"strings"

	sandbox "github.com/toolrun/toolrun/runtime"
	js "github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/changes"
	"github.com/toolrun/toolrun/tools/internal/coderun"
)

// Changes are the files that a call has changed, by path.
type Changes = changes.Changes

// Output is the data of a result.
type Output = coderun.Output

// An Error describes why code did not return.
type Error = coderun.Error

// Usage is the resources that a run used.
type Usage = coderun.Usage

// render makes the result of a call of the result of a run, of the reason why it has failed, if it has, perhaps after
// the code had returned, and of the files that it has changed, which is nil if there are none.
func render(result *js.Result, failure error, files *Changes) tool.Result {
	text := result.Text
	run := coderun.Run{
		Value: result.Value, Console: result.Console, Truncated: result.Truncated, Note: result.Note(),
		Usage: result.Usage, Files: files,
	}
	if failure != nil {
		run.Failure, run.Error = failure, describeFailure(failure)
		if text == "undefined" && run.Value == nil {
			text = ""
		}
		if text != "" { // the code has returned, and failed later
			text = strings.TrimSuffix(text, "\n") + "\n"
		}
		text += failure.Error()
	}
	run.Text = func(add func(string)) {
		consoleText(result.Console)(add)
		add(text)
	}
	return run.Result()
}

// consoleText is the console as models read it, up to the heading of the result.
func consoleText(console []sandbox.Entry) coderun.Pieces {
	return func(add func(string)) {
		section := ""
		for _, entry := range console {
			header := "=== Console output ==="
			if entry.Library != "" {
				header = "=== Output of library " + entry.Library + " ==="
			}
			if header != section {
				add(header)
				add("\n")
				section = header
			}
			add("[")
			add(entry.Level.String())
			add("] ")
			add(entry.Text)
			add("\n")
		}
		if section != "" {
			add("=== Result ===\n")
		}
	}
}

func describeFailure(failure error) *Error {
	out := coderun.Describe(failure)
	var script *js.ScriptError
	var exit *js.ExitError
	switch {
	case errors.As(failure, &script):
		out.Kind, out.Line, out.Column = "exception", script.Line, script.Column
		if script.Syntax {
			out.Kind = "syntax"
		}
	case errors.As(failure, &exit):
		out.Kind, out.Status = "exit", exit.Code
	case errors.Is(failure, js.ErrNeverSettles):
		out.Kind = "never settles"
	case errors.Is(failure, js.ErrHalted):
		out.Kind = "halted"
	}
	return out
}
