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

// DefaultLastErrors is the default of [LastErrorsOptions].Tools.
const DefaultLastErrors = 256

// LastErrorsOptions configure a [LastErrors].
type LastErrorsOptions struct {
	// Tools is how many tools are remembered. When it is exceeded, the tool that has not failed for the longest
	// time is forgotten. Zero means [DefaultLastErrors].
	Tools int
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
}

// LastErrors remembers the last error of each tool, for diagnosis. It is safe for concurrent use, and several
// registries can share one.
//
//	last := observe.NewLastErrors(nil)
//	r = r.Using(last.Middleware)
type LastErrors struct {
	options LastErrorsOptions

	mu     sync.Mutex
	byTool map[string]LastError
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

// NewLastErrors returns an empty LastErrors.
func NewLastErrors(options *LastErrorsOptions) *LastErrors {
	l := &LastErrors{byTool: map[string]LastError{}}
	if options != nil {
		l.options = *options
	}
	if l.options.Tools <= 0 {
		l.options.Tools = DefaultLastErrors
	}
	if l.options.Now == nil {
		l.options.Now = time.Now
	}
	return l
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
		Time: l.options.Now(), Code: result.Code, Text: plaintext.Clean(result.Text(), maxCause), Cause: cause(result),
	}
	if result.Code != registry.CodeUnknownTool {
		e.Tool = label(call.Tool)
	}
	// What is kept must not hold on to a message or a file that it was a piece of.
	for _, text := range []*string{&e.Tool, &e.Project, &e.Chat, &e.CallID, &e.Text, &e.Cause} {
		*text = strings.Clone(*text)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.byTool[e.Tool]; !known && len(l.byTool) >= l.options.Tools {
		l.forget()
	}
	l.byTool[e.Tool] = e
}

// forget forgets the oldest error.
func (l *LastErrors) forget() {
	var oldest string
	first := true
	for tool, e := range l.byTool {
		if first || e.Time.Before(l.byTool[oldest].Time) {
			oldest, first = tool, false
		}
	}
	delete(l.byTool, oldest)
}

// Of returns the last error of a tool, even if later calls have succeeded. For "" it is the last call of an unknown
// tool.
func (l *LastErrors) Of(tool string) (last LastError, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last, ok = l.byTool[tool]
	return last, ok
}

// All returns the last errors of all tools, the latest first.
func (l *LastErrors) All() []LastError {
	l.mu.Lock()
	all := make([]LastError, 0, len(l.byTool))
	for _, e := range l.byTool {
		all = append(all, e)
	}
	l.mu.Unlock()
	slices.SortFunc(all, func(a, b LastError) int { return b.Time.Compare(a.Time) })
	return all
}
