package registry

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"

	"github.com/toolrun/toolrun/tool"
)

// failed returns the result for an error that a tool returned.
func failed(ctx context.Context, call tool.Call, env Env, err error) tool.Result {
	if _, ok := errors.AsType[*tool.ModelError](err); ok {
		return resultOf(err, tool.CodeTool)
	}
	return unexpected(ctx, call, env, err)
}

// unexpected returns the result for a failure of the tool itself. The model gets its text unless Env.HideErrors is set.
func unexpected(ctx context.Context, call tool.Call, env Env, err error) tool.Result {
	var hidden []any
	text := "Tool execution failed: "
	if env.HideErrors {
		id := strings.ToLower(rand.Text()[:10])
		hidden = []any{"id", id}
		text += "internal error " + id + ". The log of the host says why."
	} else {
		text += err.Error()
	}
	about := append([]any{"tool", call.Tool, "call", call.ID}, hidden...)
	if p, ok := errors.AsType[*PanicError](err); ok {
		env.log(ctx, slog.LevelError, "tool panicked", append(about, "panic", p.Value, "stack", string(p.Stack))...)
	} else if hidden != nil {
		env.log(ctx, slog.LevelError, "tool failed", append(about, "error", err)...)
	}
	return withCause(tool.Failure(tool.CodeFailed, text), err)
}

// resultOf returns the result for an error that the model may see.
func resultOf(err error, code tool.Code) tool.Result {
	text, cause := err.Error(), err
	if e, ok := errors.AsType[*tool.ModelError](err); ok {
		text, cause = e.Text, e.Err
		if e.Code != "" {
			code = e.Code
		}
	}
	return withCause(tool.Failure(code, text), cause)
}

func withCause(r tool.Result, err error) tool.Result {
	r.Err = err
	return r
}

// misconfigured returns the result for a tool with invalid settings, which only the host can change.
func misconfigured(name string, err error) tool.Result {
	text := fmt.Sprintf("Tool %s cannot be used, since it is set up wrongly: %v", name, err)
	return withCause(tool.Failure(tool.CodeOptions, text), err)
}

func timedOut(limit time.Duration) tool.Result {
	text := fmt.Sprintf("Tool execution timed out after %dms.", limit.Milliseconds())
	return withCause(tool.Failure(tool.CodeTimeout, text), context.DeadlineExceeded)
}

// stopped returns the result after the host's context has ended.
func stopped(ctx context.Context) tool.Result {
	err := context.Cause(ctx)
	if err == nil { // the context's timer is late
		err = context.DeadlineExceeded
	}
	if errors.Is(cmp.Or(ctx.Err(), err), context.DeadlineExceeded) {
		return withCause(tool.Failure(tool.CodeTimeout, "Tool execution was stopped: the time for it is up."), err)
	}
	return withCause(tool.Failure(tool.CodeCanceled, "Tool execution was canceled."), err)
}

// A PanicError is the Err of a result if the tool panicked.
type PanicError struct {
	// Value is the value of the panic. Stack is the goroutine's stack.
	Value any
	Stack []byte
}

func newPanicError(value any) error { return &PanicError{value, debug.Stack()} }

// Error describes the value.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }
