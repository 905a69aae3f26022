package observe

import (
	"context"
	"errors"
	"runtime/debug"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// outcomeOK is the outcome of a successful call.
const outcomeOK = "ok"

// Limits on untrusted texts, in bytes.
const (
	maxLabel = 256     // names and ids
	maxCause = 4 << 10 // errors
)

// errEnded is the cause if a handler ends its goroutine.
var errEnded = errors.New("the call has ended its goroutine")

// watch makes a call and then calls done exactly once, even if the handler panics or ends its goroutine. A panic
// continues to the outer middleware; done then gets a result with only a code and a cause, and returned is false.
func watch(ctx context.Context, next registry.Handler, call tool.Call, env registry.Env,
	done func(result tool.Result, returned bool)) tool.Result {
	returned := false
	defer func() {
		if returned {
			return
		}
		p := recover()
		result := tool.Result{CallID: call.ID, Tool: call.Tool, Code: tool.CodeFailed, Err: errEnded}
		if p == nil {
			done(result, false)
			return
		}
		result.Err = &registry.PanicError{Value: p, Stack: debug.Stack()}
		defer panic(p) // even if done panics, too
		done(result, false)
	}()
	result := next(ctx, call, env)
	returned = true
	done(result, true)
	return result
}

// outcome describes a result in one word.
func outcome(result tool.Result) string {
	if result.IsError() {
		return label(string(result.Code))
	}
	return outcomeOK
}

// outputBytes returns the size of the content that the model gets.
func outputBytes(result tool.Result) int {
	n := 0
	for _, part := range result.Content {
		n += len(part.Text) + len(part.Data)
	}
	return n
}

// toolFailed reports whether the tool itself is at fault, rather than its input or its time limit.
func toolFailed(result tool.Result) bool {
	return result.Code == tool.CodeFailed || errors.Is(result.Err, registry.ErrAbandoned)
}

// cause returns the text of a result's error, or "".
func cause(result tool.Result) string {
	if result.Err == nil {
		return ""
	}
	text, _ := errorText(result.Err)
	return plaintext.Clean(text, maxCause)
}

// errorText returns the text of an error. ok is false if the error's method panics.
func errorText(err error) (text string, ok bool) {
	defer func() {
		if recover() != nil {
			text, ok = "an error that cannot be shown", false
		}
	}()
	return err.Error(), true
}

// inputText returns the beginning of an input.
func inputText(call tool.Call, limit int) string {
	return plaintext.Clean(string(call.Input[:min(len(call.Input), limit+utf8.UTFMax)]), limit)
}

// label shortens and cleans a text for use as a label.
func label(text string) string { return plaintext.Clean(text, maxLabel) }
