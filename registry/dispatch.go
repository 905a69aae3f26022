package registry

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/toolrun/toolrun/vfs"
)

// running is a call that is being executed.
type running struct {
	id, tool string
	// key is the id, or something instead of it if the call has none.
	key       string
	howToRead func(*Selection) string
	ended     atomic.Bool
}

// ErrAbandoned is the cause of a result if a tool went on after its time was up or the host's context had ended. It has been
// left behind, without files and without a way to report progress; its goroutine is there until it returns.
var ErrAbandoned = errors.New("the tool did not stop, and has been left behind")

// How long a tool may go on after its context has ended.
const (
	// stopTime is until it is left behind.
	stopTime = 500 * time.Millisecond
	// keepsTimeGrace is what a tool that keeps the time by itself has after that, before it is stopped.
	keepsTimeGrace = time.Second
)

// Dispatch does a call: it looks the tool up, checks that it is enabled, brings the input into the form that the
// tool's schema wants and validates it, checks what the tool requires, and executes it within its time, again if it
// asks for that. It never panics, and whatever happens there is a result.
//
// Dispatch keeps no state. Two calls share nothing but files.
func (r *Registry) Dispatch(ctx context.Context, call Call, env Env) (result Result) {
	defer func() {
		if p := recover(); p != nil { // in middleware
			result = failed(ctx, env, newPanicError(p))
		}
		result.CallID, result.Tool = call.ID, call.Tool
	}()
	if r.handler == nil {
		return r.handle(ctx, call, env)
	}
	return r.handler(ctx, call, env)
}

// handle is what is inside of all middleware.
func (r *Registry) handle(ctx context.Context, call Call, env Env) (result Result) {
	defer func() {
		if p := recover(); p != nil { // in what a tool has that is not executed
			result = failed(ctx, env, newPanicError(p))
		}
		result.CallID, result.Tool = call.ID, call.Tool
	}()
	e, problem := r.find(call.Tool, &env)
	if problem != "" {
		return Failure(problem, "Unknown tool: "+cut(call.Tool, 200))
	}
	options, err := e.options(&env.Selection)
	if err != nil {
		return withCause(Failure(CodeOptions, fmt.Sprintf("Tool %s cannot be used, since it is set up wrongly: %v", call.Tool, err)), err)
	}
	env.Options = options
	if call.Input, err = e.prepare(call.Input, options, env.Limits.input()); err != nil {
		return resultOf(err, CodeInvalidInput)
	}
	if c := env.Selection.denied(&e.spec); c != "" {
		return withCause(Failure(CodeDenied, "permission denied for tool: "+call.Tool), fmt.Errorf("%q is not granted", c))
	}
	return e.run(ctx, call, env, r.howToRead)
}

// find returns the entry of a tool that can be called, or what is in the way.
func (r *Registry) find(name string, env *Env) (*entry, Code) {
	e := r.byName[name]
	if e == nil || e.spec.Internal && !env.Selection.Internal {
		return nil, CodeUnknownTool
	}
	if !env.Selection.allows(&e.spec) || e.spec.NeedsProject && env.Files == nil {
		return nil, CodeDisabled
	}
	return e, ""
}

// howToRead tells a model how it can read a file, by what the enabled tools say of themselves.
func (r *Registry) howToRead(selection *Selection) string {
	var ways []string
	for _, e := range r.entries {
		if e.spec.ReadsFiles != "" && !e.spec.Internal && selection.allows(&e.spec) && selection.denied(&e.spec) == "" {
			ways = append(ways, e.spec.ReadsFiles)
		}
	}
	if len(ways) == 0 {
		return ""
	}
	return " Read on with " + strings.Join(ways, ", or ") + "."
}

// prepare checks an input, and returns it as the tool gets it.
func (e *entry) prepare(input json.RawMessage, options Options, limit int) (json.RawMessage, error) {
	if len(input) > limit {
		return nil, Errorf("invalid tool call: the arguments have %d bytes, and may have %d. Pass less, for example the name of a file.", len(input), limit)
	}
	if len(input) == 0 || string(input) == "null" {
		input = json.RawMessage("{}")
	}
	schema, err := e.schema(options)
	if err != nil {
		return nil, err
	}
	if e.checker == nil && schema.accepts(input) {
		return input, nil
	}
	decoded, err := decodeJSON(input)
	if err != nil {
		return nil, Errorf("invalid tool call: the arguments are not valid JSON: %w", err)
	}
	object, ok := decoded.(map[string]any)
	if !ok {
		return nil, Errorf("invalid tool call: the arguments must be a JSON object, not %s", article(typeName(decoded)))
	}
	changed := schema.coerce(object)
	if e.checker != nil {
		if err := e.checker.CheckInput(object); err != nil {
			return nil, err
		}
	}
	if err := schema.Validate(object); err != nil {
		return nil, Errorf("invalid tool call: the arguments do not fit the schema of %s:\n%w", e.spec.Name, err)
	}
	if changed {
		return encodeJSON(object)
	}
	return input, nil
}

// run executes a call within its limits. howToRead is asked if a result is too long.
func (e *entry) run(ctx context.Context, call Call, env Env, howToRead func(*Selection) string) Result {
	limit := env.Limits.Timeout
	if limit == 0 {
		limit = e.spec.Timeout
	}
	if limit == 0 {
		limit = DefaultTimeout
	}
	env.Limits.Timeout = limit
	var outOfTime <-chan time.Time
	if limit > 0 {
		wait := limit
		if e.spec.KeepsTime {
			wait += keepsTimeGrace
		}
		timer := time.NewTimer(wait)
		defer timer.Stop()
		outOfTime = timer.C
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	c := &running{id: call.ID, tool: call.Tool, key: call.ID, howToRead: howToRead}
	if c.key == "" {
		c.key = "call-" + strings.ToLower(rand.Text())
	}
	env.call = c
	files, end := env.Files, func() {}
	if project, ok := env.Files.(*vfs.Project); ok {
		project = project.WithCall(c.key)
		env.Files, end = project, project.EndCall
	}

	done := make(chan Result, 1)
	go func() {
		returned := false
		var result Result
		defer func() {
			if !returned { // runtime.Goexit
				result = failed(ctx, env, errors.New("the tool has ended its goroutine"))
			}
			done <- result
		}()
		result = e.attempts(inner, call, env)
		returned = true
	}()

	var result Result
	select {
	case result = <-done:
	case <-outOfTime:
		cancel(context.DeadlineExceeded)
		result = settle(ctx, done, env, timedOut(limit))
	case <-ctx.Done():
		cancel(context.Cause(ctx))
		result = settle(ctx, done, env, stopped(ctx))
	}
	c.ended.Store(true)
	end()
	return c.limit(ctx, result, env, files)
}

// settle waits a moment for a tool that has been told to stop, and returns what has stopped it, unless the tool has
// succeeded at the last moment.
func settle(ctx context.Context, done <-chan Result, env Env, reason Result) Result {
	timer := time.NewTimer(stopTime)
	defer timer.Stop()
	select {
	case result := <-done:
		if !result.IsError() {
			return result
		}
		return reason
	case <-timer.C:
		env.log(ctx, slog.LevelError, "tool left behind", "tool", env.call.tool, "call", env.call.id, "reason", reason.Code)
		reason.Err = errors.Join(reason.Err, ErrAbandoned)
		return reason
	}
}

func timedOut(limit time.Duration) Result {
	text := fmt.Sprintf("Tool execution timed out after %dms.", limit.Milliseconds())
	return withCause(Failure(CodeTimeout, text), context.DeadlineExceeded)
}

// stopped is the result if the host's context has ended.
func stopped(ctx context.Context) Result {
	err := context.Cause(ctx)
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return withCause(Failure(CodeTimeout, "Tool execution was stopped: the time for it is up."), err)
	}
	return withCause(Failure(CodeCanceled, "Tool execution was canceled."), err)
}

// attempts executes a call, and again if it fails in a way that may not come again.
func (e *entry) attempts(ctx context.Context, call Call, env Env) Result {
	for attempt := 0; ; attempt++ {
		result, err := e.execute(ctx, call, env)
		if err == nil {
			return result
		}
		_, again := errors.AsType[*retryableError](err)
		if !again || attempt >= e.spec.Retries || ctx.Err() != nil {
			return failed(ctx, env, err)
		}
		env.log(ctx, slog.LevelInfo, "tool is tried again", "tool", call.Tool, "call", call.ID, "attempt", attempt+1, "error", err)
		// The pause doubles each time, up to some seconds.
		pause := time.NewTimer(min(50*time.Millisecond<<min(attempt, 10), 5*time.Second))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return failed(ctx, env, err)
		}
	}
}

// execute makes errors of panics.
func (e *entry) execute(ctx context.Context, call Call, env Env) (result Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = newPanicError(p)
		}
	}()
	return e.tool.Execute(ctx, call, env)
}

// failed is the result of an error that a tool has returned.
func failed(ctx context.Context, env Env, err error) Result {
	if _, ok := errors.AsType[*ModelError](err); ok {
		return resultOf(err, CodeTool)
	}
	if p, ok := errors.AsType[*PanicError](err); ok {
		env.log(ctx, slog.LevelError, "tool panicked", "panic", p.Value, "stack", string(p.Stack))
	}
	return withCause(Failure(CodeFailed, "Tool execution failed: "+err.Error()), err)
}

// resultOf is the result of an error that the model should know of.
func resultOf(err error, code Code) Result {
	text, cause := err.Error(), err
	if e, ok := errors.AsType[*ModelError](err); ok {
		text, cause = e.Text, e.Err
		if e.Code != "" {
			code = e.Code
		}
	}
	return withCause(Failure(code, text), cause)
}

func withCause(r Result, err error) Result {
	r.Err = err
	return r
}

// A PanicError is the cause of a result if a tool has panicked.
type PanicError struct {
	// Value is what it has panicked with, and Stack is where.
	Value any
	Stack []byte
}

func newPanicError(value any) error { return &PanicError{value, debug.Stack()} }

// Error says what the value was.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// article puts the article before the name of a type.
func article(name string) string {
	switch name {
	case "null", "text":
		return name
	case "array", "object":
		return "an " + name
	}
	return "a " + name
}
