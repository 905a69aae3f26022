package toolrun

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// An engine is the one of a runner: given, or started when it is needed for the first time.
type engine struct {
	options sandbox.EngineOptions
	warn    func(error)
	own     bool

	ready  atomic.Pointer[sandbox.Engine]
	turn   chan struct{} // held by whoever starts or closes it
	closed bool          // for whoever holds the turn
}

func newEngine(o *Options) *engine {
	e := &engine{options: o.EngineOptions, warn: o.Warn, own: o.Engine == nil, turn: make(chan struct{}, 1)}
	e.ready.Store(o.Engine)
	return e
}

// get returns the engine. It starts it if it is not running; others that need it meanwhile wait, as long as their contexts allow.
func (e *engine) get(ctx context.Context) (*sandbox.Engine, error) {
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
	started, err := sandbox.NewEngine(ctx, &e.options)
	if err != nil && e.options.CacheDir != "" && ctx.Err() == nil {
		cacheErr, without := err, e.options
		without.CacheDir = ""
		if started, err = sandbox.NewEngine(ctx, &without); err == nil {
			e.warn(fmt.Errorf("the engine was compiled anew, and will be each time: %w", cacheErr))
		}
	}
	if err != nil {
		return nil, err
	}
	e.ready.Store(started)
	return started, nil
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
	if !e.own || running == nil {
		return nil
	}
	return running.Close(context.Background())
}
