package code

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
	"github.com/toolrun/toolrun/tool"
)

// render makes the result of a call of the result of a run, of the reason why it has failed, if it has, perhaps after
// the code had its result, and of the files that it has changed, which is nil if there are none.
func (l *Language) render(run *script.Result, failure error, files *Changes) tool.Result {
	out := tool.Result{Status: fmt.Sprintf("Ran for %v", run.Usage.Duration.Round(100_000))}
	data := Output{
		Value: run.Value, Status: run.Status, Console: run.Console, Truncated: run.Truncated, Files: files,
		Usage: Usage{
			Milliseconds: float64(run.Usage.Duration.Microseconds()) / 1000, MemoryBytes: run.Usage.Memory,
			Work: run.Usage.Work,
		},
	}
	if data.Console == nil {
		data.Console = []sandbox.Entry{}
	}
	if failure != nil {
		data.Error = describe(failure)
		out.Code, out.Err = tool.CodeTool, failure
		out.Status = "Failed: " + data.Error.Kind
		switch {
		case errors.Is(failure, context.DeadlineExceeded):
			out.Code = tool.CodeTimeout
		case errors.Is(failure, context.Canceled):
			out.Code = tool.CodeCanceled
		}
	}
	text := l.text(run, failure).String()
	rest := text
	for i, e := range data.Console { // what has been printed is in the text
		data.Console[i].Text, rest = within(e.Text, rest)
	}
	out.Content, out.Data = []tool.Part{{Text: text}}, data
	for i, p := range run.Pictures {
		out.Content = append(out.Content, tool.Part{
			Text: fmt.Sprintf("[picture %d: %s, %d bytes, which cannot be shown here]", i+1, p.MIME, len(p.Data)),
			Data: p.Data, MIME: p.MIME,
		})
	}
	if files != nil { // in a part of its own, since it is no part of what the code has returned
		out.Content = append(out.Content, tool.Part{Text: files.String()})
	}
	return out
}

// text is what models read: the console and the result, or the failure.
func (l *Language) text(run *script.Result, failure error) Pieces {
	text, heading := run.Text, l.ResultHeading
	if failure != nil {
		if heading = l.ErrorHeading; text == l.Nothing && run.Value == nil {
			text = ""
		}
		if text != "" { // the code has its result, and failed later
			text = strings.TrimSuffix(text, "\n") + "\n"
		}
		text += failure.Error()
	}
	note := run.Note()
	if len(run.Console) == 0 && text == "" && note == "" {
		text = l.Empty
	}
	return func(add func(string)) {
		l.Console(run.Console)(add)
		if len(run.Console) > 0 && text != "" {
			add(heading)
		}
		add(text)
		if note != "" {
			add("\n")
			add(note)
		}
	}
}

// describe describes a failure of a run.
func describe(failure error) *Error {
	out := &Error{Kind: "error", Message: failure.Error()}
	var limit *sandbox.LimitError
	var crash *sandbox.CrashError
	var ended script.Failure
	switch {
	case errors.As(failure, &ended):
		end := ended.End()
		out.Kind, out.Line, out.Column, out.Status = end.Kind, end.Line, end.Column, end.Status
	case errors.As(failure, &limit):
		out.Kind = string(limit.Limit) + " limit"
	case errors.As(failure, &crash):
		out.Kind = "engine crash"
	case errors.Is(failure, context.Canceled), errors.Is(failure, context.DeadlineExceeded):
		out.Kind = "stopped"
	}
	return out
}

// isHostFailure reports whether the error of a run is one of the host, of which a model hears nothing more. What code
// has printed is of use also if it has been stopped.
func isHostFailure(err error) bool {
	_, stopped := errors.AsType[*sandbox.StoppedError](err)
	return err != nil && !stopped && !script.IsFailure(err)
}

// logCrash tells the host's log if code has made the interpreter crash.
func (l *Language) logCrash(ctx context.Context, logger *slog.Logger, err error) {
	if crash, ok := errors.AsType[*sandbox.CrashError](err); ok && logger != nil {
		logger.LogAttrs(ctx, slog.LevelError, l.Guest+" has crashed",
			slog.String("trap", crash.Trap), slog.String("stack", crash.Stack))
	}
}
