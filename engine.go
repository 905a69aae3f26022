package toolrun

import (
	"context"
	"sync/atomic"

	"github.com/toolrun/toolrun/registry"
)

// A language is the interpreter of one that code can be in. It is loaded into the engine when code runs for the first
// time.
type language[I any] struct {
	load  func(context.Context) (*I, error) // does nothing if it has been done
	ready atomic.Pointer[I]
}

// get returns the interpreter.
func (l *language[I]) get(ctx context.Context) (*I, error) {
	if ready := l.ready.Load(); ready != nil {
		return ready, nil
	}
	loaded, err := l.load(ctx)
	if err == nil {
		l.ready.Store(loaded)
	}
	return loaded, err
}

// before loads the interpreter before the first call of the tool that runs the language, since a call's time is for
// its code. If that fails, the tool will say so.
func (l *language[I]) before(tool string) registry.Middleware {
	return func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, call registry.Call, env registry.Env) registry.Result {
			if call.Tool == tool {
				_, _ = l.get(ctx)
			}
			return next(ctx, call, env)
		}
	}
}
