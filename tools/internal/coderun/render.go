package coderun

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/changes"
)

// A Run is how code has ended.
type Run struct {
	// Text is what models read: the console and the result, or the failure.
	Text    Pieces
	Value   any
	Console []sandbox.Entry
	// Truncated is how many bytes of the output were cut off, and Note says so, or is "".
	Truncated int64
	Note      string
	Usage     sandbox.Usage
	// Failure is why there is no result, and Error describes it. Both are nil if there is one.
	Failure error
	Error   *Error
	// Files are those that the code has changed, or nil.
	Files *changes.Changes
}

// Result makes the result of a call.
func (r Run) Result() tool.Result {
	out := tool.Result{Status: fmt.Sprintf("Ran for %v", r.Usage.Duration.Round(100_000))}
	data := Output{
		Value: r.Value, Error: r.Error, Console: r.Console, Truncated: r.Truncated, Files: r.Files,
		Usage: Usage{
			Milliseconds: float64(r.Usage.Duration.Microseconds()) / 1000, MemoryBytes: r.Usage.Memory,
			Work: r.Usage.Work,
		},
	}
	if data.Console == nil {
		data.Console = []sandbox.Entry{}
	}
	if r.Failure != nil {
		out.Code, out.Err = tool.CodeTool, r.Failure
		out.Status = "Failed: " + data.Error.Kind
		switch {
		case errors.Is(r.Failure, context.DeadlineExceeded):
			out.Code = tool.CodeTimeout
		case errors.Is(r.Failure, context.Canceled):
			out.Code = tool.CodeCanceled
		}
	}
	text := Pieces(func(add func(string)) {
		r.Text(add)
		if r.Note != "" {
			add("\n" + r.Note)
		}
	}).String()
	rest := text
	for i, e := range data.Console { // what has been printed is in the text
		data.Console[i].Text, rest = within(e.Text, rest)
	}
	out.Content, out.Data = []tool.Part{{Text: text}}, data
	if r.Files != nil { // in a part of its own, since it is no part of what the code has returned
		out.Content = append(out.Content, tool.Part{Text: r.Files.String()})
	}
	return out
}

// Describe describes a failure of a run in any language.
func Describe(failure error) *Error {
	out := &Error{Kind: "error", Message: failure.Error()}
	var limit *sandbox.LimitError
	var crash *sandbox.CrashError
	switch {
	case errors.As(failure, &limit):
		out.Kind = string(limit.Limit) + " limit"
	case errors.As(failure, &crash):
		out.Kind = "engine crash"
	case errors.Is(failure, context.Canceled), errors.Is(failure, context.DeadlineExceeded):
		out.Kind = "stopped"
	}
	return out
}

// LogCrash tells the host's log if code has made the guest of a language crash.
func LogCrash(ctx context.Context, logger *slog.Logger, guest string, err error) {
	if crash, ok := errors.AsType[*sandbox.CrashError](err); ok && logger != nil {
		logger.LogAttrs(ctx, slog.LevelError, guest+" has crashed",
			slog.String("trap", crash.Trap), slog.String("stack", crash.Stack))
	}
}
