package observe

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolrun/toolrun/internal/plaintext"
	"github.com/toolrun/toolrun/registry"
)

// maxLastErrors limits the tools that are remembered.
const maxLastErrors = 256

// LastErrors remembers the last error of each tool, for diagnosis. Of more than 256 tools it forgets those that have
// not failed for the longest time. It is safe for concurrent use, and several registries can share one. The zero
// value is ready.
//
//	var last observe.LastErrors
//	r = r.Using(last.Middleware)
type LastErrors struct {
	mu   sync.Mutex
	list []LastError // at most one of each tool, the latest last
}

// A LastError describes a failed call.
type LastError struct {
	// Tool is the name of the tool. It is "" for all unknown tools, which share one place.
	Tool string
	// Project, Chat and CallID come from the call's [registry.Env] and [registry.Call].
	Project, Chat, CallID string
	// Time is when the call ended.
	Time time.Time
	// Code is the kind of failure.
	Code registry.Code
	// Text is what the model got, cut to 4 KiB. It is empty if the call panicked through middleware.
	Text string
	// Cause is what only the host gets to know, cut to 4 KiB, or "".
	Cause string
}

// Middleware is a [registry.Middleware] that remembers the errors of calls.
func (l *LastErrors) Middleware(next registry.Handler) registry.Handler {
	return func(ctx context.Context, call registry.Call, env registry.Env) registry.Result {
		return watch(ctx, next, call, env, func(result registry.Result, _ bool) {
			if result.IsError() {
				l.keep(call, env, result)
			}
		})
	}
}

func (l *LastErrors) keep(call registry.Call, env registry.Env, result registry.Result) {
	e := LastError{
		Project: label(env.Project), Chat: label(env.Chat), CallID: label(call.ID),
		Time: time.Now(), Code: result.Code, Text: plaintext.Clean(result.Text(), maxCause), Cause: cause(result),
	}
	if result.Code != registry.CodeUnknownTool {
		e.Tool = label(call.Tool)
	}
	// Clone the texts, so that they do not keep a whole message or file in memory.
	for _, text := range []*string{&e.Tool, &e.Project, &e.Chat, &e.CallID, &e.Text, &e.Cause} {
		*text = strings.Clone(*text)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := l.index(e.Tool); i >= 0 {
		l.list = slices.Delete(l.list, i, i+1)
	} else if len(l.list) >= maxLastErrors {
		l.list = slices.Delete(l.list, 0, 1)
	}
	l.list = append(l.list, e)
}

// index returns the index of a tool's error, or -1. The lock must be held.
func (l *LastErrors) index(tool string) int {
	return slices.IndexFunc(l.list, func(e LastError) bool { return e.Tool == tool })
}

// Of returns the last error of a tool, even if later calls have succeeded. For "" it is the last call of an unknown
// tool.
func (l *LastErrors) Of(tool string) (last LastError, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := l.index(tool)
	if i < 0 {
		return last, false
	}
	return l.list[i], true
}

// All returns the last errors of all tools, the latest first.
func (l *LastErrors) All() []LastError {
	l.mu.Lock()
	all := slices.Clone(l.list)
	l.mu.Unlock()
	slices.Reverse(all)
	return all
}
