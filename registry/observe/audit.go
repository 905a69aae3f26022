package observe

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolrun/toolrun/registry"
)

// CodeNotRecorded is the code of a result if a call could not be recorded, and [AuditOptions].Required is set.
const CodeNotRecorded registry.Code = "not_recorded"

// AuditOptions say what [Audit] writes. The zero value writes hashes, and lets calls go on if that fails.
type AuditOptions struct {
	// WholeInput and WholeOutput write inputs and outputs, besides their hashes: the same JSON without white space, with what is
	// not ASCII, and <, > and &, as escapes. The hashes are those of the bytes before that. An input that is larger than the
	// call's limit, and so is refused, is never written whole.
	WholeInput, WholeOutput bool
	// Required says that there must be no call without a record. Then each call has two lines: one before it is made, with
	// the event "attempt", and one after it. If the first cannot be written, the call is not made. If the second cannot be
	// written, what the call has done stays done, but its result is withheld. Either way the result is an error with
	// [CodeNotRecorded]. An attempt without a second line is a call during which the process, or the writer, has died.
	Required bool
	// OnError gets what goes wrong with writing. It can be called by several goroutines at once. If it is nil, errors go to the
	// logger of the call's Env.
	OnError func(error)
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// Audit returns middleware that writes one line of JSON for each call when it has ended, or two if AuditOptions.Required says
// so. Each line is one Write, and there is one at a time, so that a file that has been opened with os.O_APPEND can be shared with
// other processes. What is buffered by the writer, and whether it is durable, is the writer's business.
//
// A line has these fields; those that would be empty are left out, except for the outcome and sizes:
//
//	time          when the call began, in UTC
//	seq           the number of the call, from 1 for each time that Audit is called; both lines of a call have the same
//	event         "attempt" for a call that is about to be made, "call" for one that has ended
//	tool          the name by which it was called, whether there is such a tool or not
//	project       Env.Project
//	chat          Env.Chat
//	client        Env.Client
//	call          Call.ID
//	parent        Call.Parent, the id of the call that has made this one
//	durationMs    how many milliseconds it took
//	outcome       "ok", or the code of the result
//	inputBytes    the length of the input as the model has sent it
//	inputSha256   the hash of that
//	input         the input, if it is wanted whole and is JSON
//	inputBase64   the input, if it is wanted whole and is not JSON, or not UTF-8
//	outputBytes   the length of the result's content
//	outputSha256  the hash of the result as [registry.Result.MarshalJSON] encodes it
//	output        the same JSON, if it is wanted whole
//	outputError   why there is no output: the result cannot be encoded, or the call has panicked through the middleware
//
// Lines are ASCII: everything else in texts is escaped, line ends and control characters too. Nothing that a model
// invents can look like another line, nor do anything to a terminal. In Required mode a whole input is in the first line only.
//
// A hash shows what an input or output was to someone who has it, or can guess it. It keeps nothing secret that is short.
//
// The result is the one that comes from within: let Audit be the outermost middleware if others change results.
func Audit(w io.Writer, options *AuditOptions) registry.Middleware {
	a := &audit{w: w}
	if options != nil {
		a.AuditOptions = *options
	}
	if a.Now == nil {
		a.Now = time.Now
	}
	return func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, call registry.Call, env registry.Env) registry.Result {
			return a.do(ctx, next, call, env)
		}
	}
}

type audit struct {
	AuditOptions
	seq atomic.Int64

	mu sync.Mutex
	w  io.Writer
	// torn says that a line has been written in part.
	torn bool
}

func (a *audit) do(ctx context.Context, next registry.Handler, call registry.Call, env registry.Env) registry.Result {
	start := a.Now()
	line := auditLine{
		Time: start.UTC(), Seq: a.seq.Add(1), Tool: label(call.Tool),
		Project: label(env.Project), Chat: label(env.Chat), Client: label(env.Client), Call: label(call.ID), Parent: label(call.Parent),
	}
	line.setInput(call.Input, a.WholeInput && len(call.Input) <= inputLimit(env))
	if a.Required {
		line.Event = "attempt"
		if err := a.write(ctx, env, &line); err != nil {
			return notRecorded("The call was not made, since it cannot be recorded. Nothing is wrong with the call itself.", err)
		}
		line.Input, line.InputBase64 = nil, nil
	}
	line.Event = "call"
	var failed error
	result := watch(ctx, next, call, env, func(result registry.Result, returned bool) {
		took := float64(a.Now().Sub(start).Microseconds()) / 1000
		line.DurationMs, line.Outcome = &took, outcome(result)
		line.setOutput(call, result, returned, a.WholeOutput)
		failed = a.write(ctx, env, &line)
	})
	if failed != nil && a.Required {
		return notRecorded("The call was made, but its result cannot be recorded, and is withheld.", failed)
	}
	return result
}

func notRecorded(text string, err error) registry.Result {
	result := registry.Failure(CodeNotRecorded, text)
	result.Err = err
	return result
}

// inputLimit is how long an input may be.
func inputLimit(env registry.Env) int {
	if env.Limits.Input > 0 {
		return env.Limits.Input
	}
	return registry.DefaultInput
}

// write writes a line, and reports it if that fails.
func (a *audit) write(ctx context.Context, env registry.Env, line *auditLine) error {
	encoded, err := line.encode()
	if err == nil {
		err = a.writeLine(encoded)
	}
	if err == nil {
		return nil
	}
	err = fmt.Errorf("audit: call %d: %w", line.Seq, err)
	switch {
	case a.OnError != nil:
		a.OnError(err)
	case env.Logger != nil:
		env.Logger.LogAttrs(ctx, slog.LevelError, "call not recorded",
			slog.String("tool", line.Tool), slog.String("call", line.Call), slog.String("cause", err.Error()))
	}
	return err
}

func (a *audit) writeLine(line []byte) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.torn {
		line = append([]byte("\n"), line...) // what is there of the last line must not spoil this one
	}
	n, err := a.w.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	if err == nil {
		a.torn = false
	} else if n > 0 {
		a.torn = n < len(line)
	}
	return err
}
