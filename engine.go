package toolrun

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	js "github.com/toolrun/toolrun/runtime/javascript"
)

// An engine is the one of a runner: given, or started when it is needed for the first time.
type engine struct {
	options sandbox.EngineOptions
	warn    func(error)
	given   *sandbox.Engine // nil if the runner has its own

	ready  atomic.Pointer[js.Interpreter]
	turn   chan struct{} // held by whoever starts or closes it
	closed bool          // for whoever holds the turn
}

func newEngine(o *Options) *engine {
	return &engine{options: o.EngineOptions, warn: o.Warn, given: o.Engine, turn: make(chan struct{}, 1)}
}

// get returns what runs scripts on the engine. It starts the engine if it is not running; others that need it meanwhile wait, as long as their contexts allow.
func (e *engine) get(ctx context.Context) (*js.Interpreter, error) {
	if running := e.ready.Load(); running != nil {
		return running, nil
	}
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if running := e.ready.Load(); running != nil || e.closed {
		if running == nil {
			return nil, ErrClosed
		}
		return running, nil
	}
	started, err := e.start(ctx, e.options)
	if err != nil && e.given == nil && e.options.CacheDir != "" && ctx.Err() == nil {
		cacheErr, without := err, e.options
		without.CacheDir = ""
		if started, err = e.start(ctx, without); err == nil {
			e.warn(fmt.Errorf("the engine was compiled anew, and will be each time: %w", cacheErr))
		}
	}
	if err != nil {
		return nil, err
	}
	e.ready.Store(started)
	return started, nil
}

func (e *engine) start(ctx context.Context, options sandbox.EngineOptions) (*js.Interpreter, error) {
	if e.given != nil {
		return js.New(ctx, e.given)
	}
	started, err := sandbox.New(&options)
	if err != nil {
		return nil, err
	}
	scripts, err := js.New(ctx, started)
	if err != nil {
		return nil, errors.Join(err, started.Close(context.WithoutCancel(ctx)))
	}
	return scripts, nil
}

// before starts the engine before the first call of a tool that needs it, since a call's time is for its code. If that fails, the
// tool will say so.
func (e *engine) before(tool string) registry.Middleware {
	return func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, call registry.Call, env registry.Env) registry.Result {
			if call.Tool == tool && e.ready.Load() == nil {
				_, _ = e.get(ctx)
			}
			return next(ctx, call, env)
		}
	}
}

// close stops the engine if it is the runner's own. It cannot be started again.
func (e *engine) close() error {
	e.turn <- struct{}{}
	defer func() { <-e.turn }()
	e.closed = true
	running := e.ready.Load()
	if e.given != nil || running == nil {
		return nil
	}
	return running.Engine().Close(context.Background())
}
