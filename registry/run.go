package registry

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// A running is a call being executed.
type running struct {
	registry *Registry
	entry    *entry
	id, tool string
	// key is the id, or a random one if the call has none.
	key      string
	call     tool.Call
	patience *patience // nil without a limit
	ended    atomic.Bool
	inner    inner
	env      Env // with the files of the call

	// The token and the key of the call if it has to wait.
	preparing  sync.Mutex
	token      string
	sealingKey []byte
}

// ErrAbandoned is the Err of a result if a tool kept running after its time limit or after the host's context had
// ended. The tool has been abandoned, without files and without a way to report progress; its goroutine exists until it
// returns.
var ErrAbandoned = errors.New("the tool did not stop, and has been left behind")

// How long a tool may keep running after it was told to stop.
const (
	// After stopTime, the tool is abandoned.
	stopTime = 500 * time.Millisecond
	// keepsTimeGrace is the extra time before the registry stops a tool with Spec.KeepsTime.
	keepsTimeGrace = time.Second
)

// run executes a call within its limits.
func (r *Registry) run(ctx context.Context, e *entry, call tool.Call, options tool.Options,
	env Env) (result tool.Result, token string) {
	limit := e.timeout(&env)
	outer := env
	env.Limits.Timeout = limit
	var patience *patience
	if limit > 0 {
		wait := limit
		if e.spec.KeepsTime && limit < math.MaxInt64-keepsTimeGrace {
			wait += keepsTimeGrace
		}
		patience = newPatience(wait)
		defer patience.stop()
	}
	lasts, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)

	c := &running{registry: r, entry: e, id: call.ID, tool: call.Tool, key: call.ID, call: call, patience: patience}
	if c.key == "" {
		c.key = newKey()
	}
	if env.Files != nil && options.Bool(tool.OptionRollback) && outer.resumed == nil {
		if _, ok := vfs.HistoryOf(env.Files); !ok {
			return failed(ctx, call, env, errNoRollback), ""
		}
		c.key = unusedID(ctx, env.Files, c.key)
	}
	history := c.key
	if outer.call == nil && outer.resumed != nil {
		c.inner.made = outer.resumed.Made
		history = cmp.Or(outer.resumed.History, history)
	}
	env.call = c
	files, end := env.Files, func() {}
	if files != nil {
		var err error
		if env.Files, end, err = vfs.BeginCall(files, history); err != nil {
			return failed(ctx, call, env, err), ""
		}
	}
	c.inner.begin(lasts, outer, env.Files)
	c.env = env
	finish := func() {
		if !c.ended.Swap(true) {
			end()
			cancel(errEnded)
			c.inner.end()
		}
	}
	defer finish() // even if a method of the tool's error panics

	done := make(chan tool.Result, 1)
	go func() {
		// the result after runtime.Goexit
		result := tool.Failure(tool.CodeFailed, "Tool execution failed: the tool has ended its goroutine")
		defer func() { done <- result }()
		defer func() {
			if p := recover(); p != nil { // in a method of the tool's error or data
				result = unexpected(lasts, call, c.env, newPanicError(p))
			}
		}()
		if err := e.checkpoint(lasts, c.inner.outer, c.env, history); err != nil {
			result = failed(lasts, call, c.env, err)
			return
		}
		returned := e.attempts(lasts, call, options, c.env)
		returned.Data = c.encode(lasts, returned.Data, c.env)
		result = returned
	}()

	select {
	case result = <-done:
		if deadline, ok := ctx.Deadline(); ctx.Err() != nil ||
			ok && !time.Now().Before(deadline) && errors.Is(result.Err, context.DeadlineExceeded) {
			result = atLast(result, stopped(ctx)) // the tool noticed first
		}
	case <-patience.ended():
		cancel(context.DeadlineExceeded)
		result = settle(ctx, done, env, timedOut(limit))
	case <-ctx.Done():
		cancel(context.Cause(ctx))
		result = settle(ctx, done, env, stopped(ctx))
	}
	finish()
	if state, ok := result.Suspension.(tool.State); ok && result.Code == tool.CodePending {
		result = c.suspend(ctx, result, state, env)
		return result, c.token
	}
	if result.Code == tool.CodePending || result.Code == tool.CodeUnknownOutcome { // they are the registry's to say
		result.Code = tool.CodeTool
	}
	result.Pending, result.Repeats, result.Suspension = nil, "", nil
	if result.IsError() && files != nil && options.Bool(tool.OptionRollback) {
		result = c.rollBack(ctx, files, history, result)
	}
	return c.limit(ctx, result, env, files), ""
}

// newKey returns an id for a call that has none.
func newKey() string { return "call-" + strings.ToLower(rand.Text()) }

// timeout returns the time limit for a call of the tool. Zero or less means no limit.
func (e *entry) timeout(env *Env) time.Duration {
	if env.Limits.Timeout != 0 {
		return env.Limits.Timeout
	}
	return env.Selection.Mode.Timeout(cmp.Or(e.spec.Timeout, tool.DefaultTimeout))
}

// settle waits up to stopTime for a tool that was told to stop.
func settle(ctx context.Context, done <-chan tool.Result, env Env, reason tool.Result) tool.Result {
	timer := time.NewTimer(stopTime)
	defer timer.Stop()
	select {
	case result := <-done:
		return atLast(result, reason)
	case <-timer.C:
		env.log(ctx, slog.LevelError, "tool left behind", "tool", env.call.tool,
			"call", env.call.id, "reason", reason.Code)
		reason.Err = errors.Join(reason.Err, ErrAbandoned)
		return reason
	}
}

// atLast returns the reason for stopping a tool, unless the tool succeeded at the last moment, or returned a text of
// its own for the model.
func atLast(result, reason tool.Result) tool.Result {
	switch {
	case !result.IsError():
		return result
	case result.Code != tool.CodeFailed: // the tool's text says more than the reason
		result.Code, result.Err = reason.Code, errors.Join(reason.Err, result.Err)
		return result
	}
	return reason
}

// attempts executes a call, and repeats it after temporary errors.
func (e *entry) attempts(ctx context.Context, call tool.Call, options tool.Options, env Env) tool.Result {
	forTool := tool.Env{Project: env.Project, Chat: env.Chat, Client: env.Client, Files: env.Files, Options: options,
		Timeout: env.Limits.Timeout, Policy: env.Selection.policy(), Logger: env.Logger, SealKey: env.SealKey,
		Host: env.call}
	for attempt := 0; ; attempt++ {
		result, err := e.execute(ctx, call, forTool)
		if err == nil {
			return result
		}
		if !tool.IsRetryable(err) || attempt >= e.spec.Retries || ctx.Err() != nil {
			return failed(ctx, call, env, err)
		}
		env.log(ctx, slog.LevelInfo, "tool is tried again", "tool", call.Tool, "call", call.ID, "attempt", attempt+1,
			"error", err)
		// The pause doubles each time, up to five seconds.
		pause := time.NewTimer(min(50*time.Millisecond<<min(attempt, 10), 5*time.Second))
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return failed(ctx, call, env, err)
		}
	}
}

// execute calls the tool, and turns panics into errors.
func (e *entry) execute(ctx context.Context, call tool.Call, env tool.Env) (result tool.Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = newPanicError(p)
		}
	}()
	return e.tool.Execute(ctx, call, env)
}
