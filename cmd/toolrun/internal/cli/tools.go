package cli

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/tools/memory"
)

// builtIn returns the tools of the command, and what must be closed after using them. Code that javascript runs has that name
// in stack traces.
func builtIn(scriptName string) (*registry.Registry, *engine, error) {
	e := &engine{}
	r, err := registry.New(
		memory.New(),
		javascript.New(e.start, &javascript.Options{ScriptName: scriptName}),
		filesystem.New(),
	)
	return r, e, err
}

// An engine is started when it is needed: most commands do without.
type engine struct {
	mu     sync.Mutex
	engine *sandbox.Engine
}

// start starts the engine, unless it is running, with the compiled code kept in the user's cache directory. Where that
// cannot be had, it does without.
func (e *engine) start(ctx context.Context) (_ *sandbox.Engine, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.engine != nil {
		return e.engine, nil
	}
	if dir, err := os.UserCacheDir(); err == nil {
		cached, err := sandbox.NewEngine(ctx, &sandbox.EngineOptions{CacheDir: filepath.Join(dir, "toolrun", "engine")})
		if err == nil || ctx.Err() != nil {
			e.engine = cached
			return cached, err
		}
	}
	e.engine, err = sandbox.NewEngine(ctx, nil)
	return e.engine, err
}

// close stops the engine, if it is running.
func (e *engine) close(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.engine == nil {
		return nil
	}
	return e.engine.Close(context.WithoutCancel(ctx))
}
