package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
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
	warnings io.Writer // nil if nobody wants to know

	mu     sync.Mutex
	engine *sandbox.Engine
}

// start starts the engine, unless it is running, with the compiled code kept in the user's cache directory. Where that
// cannot be had, it does without, and warns.
func (e *engine) start(ctx context.Context) (*sandbox.Engine, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.engine != nil {
		return e.engine, nil
	}
	if os.Getenv("GOGC") == "" {
		// Starting makes little garbage, and collecting it while it does would take a tenth of the time of a command.
		defer debug.SetGCPercent(debug.SetGCPercent(400))
	}
	dir, cacheErr := os.UserCacheDir()
	if cacheErr == nil {
		var cached *sandbox.Engine
		cached, cacheErr = sandbox.NewEngine(ctx, &sandbox.EngineOptions{CacheDir: filepath.Join(dir, "toolrun", "engine")})
		if cacheErr == nil || ctx.Err() != nil {
			e.engine = cached
			return cached, cacheErr
		}
	}
	var err error
	if e.engine, err = sandbox.NewEngine(ctx, nil); err == nil && e.warnings != nil {
		fmt.Fprintf(e.warnings, "toolrun: warning: the engine was compiled anew, and will be each time: %v\n", cacheErr)
	}
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
