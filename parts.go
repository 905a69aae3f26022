package toolrun

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/toolrun/toolrun/mcp/mcpclient"
	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	py "github.com/toolrun/toolrun/runtime/python"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/tools/memory"
	"github.com/toolrun/toolrun/tools/module"
	"github.com/toolrun/toolrun/tools/python"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// ErrNoPython means that a runner has no build of Python.
var ErrNoPython = errors.New("there is no Python here; get it with: toolrun module add python")

// ModulesDir returns the directory of a data directory that keeps the modules of the operator: see [Options].Modules.
func ModulesDir(dataDir string) string { return filepath.Join(dataDir, "modules") }

func (o *Options) openEngine() (*sandbox.Engine, error) {
	if o.Engine != nil {
		return o.Engine, nil
	}
	own := o.EngineOptions
	if own.CacheFailed == nil {
		own.CacheFailed = func(err error) {
			o.Warn(fmt.Errorf("the engine was compiled anew, and will be each time: %w", err))
		}
	}
	return sandbox.New(&own)
}

func (o *Options) openStore(ctx context.Context) (vfs.Store, error) {
	switch {
	case o.Store != nil && o.DataDir != "":
		return nil, errors.New("toolrun: Options has both a Store and a DataDir")
	case o.Store != nil:
		return o.Store, nil
	case o.DataDir == "":
		return local.NewMemoryStore(&o.Projects), nil
	}
	return vfs.OpenStore(ctx, o.DataDir, &o.Projects, slices.Concat(o.Stores, []vfs.Opener{local.Opener()})...)
}

// modules returns the store of the operator's modules, or nil.
func (o *Options) modules() *module.Store {
	opens := func(s vfs.Opener) bool { return s.Opens(o.DataDir) }
	switch {
	case o.Modules != "":
		return module.OpenStore(o.Modules)
	case o.DataDir != "" && !slices.ContainsFunc(o.Stores, opens):
		return module.OpenStore(ModulesDir(o.DataDir))
	}
	return nil
}

func (o *Options) openServers(ctx context.Context, base *registry.Registry) (*mcpclient.Set, error) {
	options := o.ServerOptions
	options.Base = base
	if options.Silent == nil {
		options.Silent = func(server string) {
			o.Warn(fmt.Errorf("still waiting for the MCP server %q, which has sent nothing for five seconds", server))
		}
	}
	servers, err := mcpclient.Open(ctx, o.Servers, &options)
	if err != nil {
		return nil, err
	}
	for _, status := range servers.Status() {
		if status.Err != nil {
			o.Warn(status.Err)
		}
		if status.Missing != nil {
			o.Warn(fmt.Errorf("the MCP server %q has no tools of the names %q, which its configuration names",
				status.Server, status.Missing))
		}
	}
	return servers, nil
}

// tools returns the tools of the runner itself, with the middleware.
func (r *Runner) tools(modules *module.Store) (*registry.Registry, error) {
	o := &r.given
	builtIn := []tool.Tool{memory.New(), javascript.New(r.javascript, &o.Script)}
	if r.hasPython {
		builtIn = append(builtIn, python.New(r.python, &o.PythonScript))
	}
	builtIn = append(builtIn, filesystem.New())
	tools, err := registry.New(slices.Concat(builtIn, filesystem.Parts(), filesystem.Codebase())...)
	if err == nil {
		tools, err = tools.Replacing(o.Tools...)
	}
	if err != nil {
		return nil, err
	}
	var list []*module.Installed
	if modules != nil {
		if list, err = modules.List(); err != nil {
			o.Warn(fmt.Errorf("modules: %w", err))
		}
	}
	for _, m := range list {
		if m.Manifest.Language {
			continue
		}
		if more, err := tools.With(module.New(m, r.engine)); err != nil {
			o.Warn(fmt.Errorf("the module %s is left out: %w", m.Manifest.Name, err))
		} else {
			tools = more
		}
	}
	tools = tools.Using(o.Middleware...)
	if o.Calls != nil {
		tools = tools.Using(o.Calls.Middleware)
	}
	return tools, nil
}

// openPython returns what loads Python into the engine, and whether there is a build of it.
func (o *Options) openPython(engine *sandbox.Engine, modules *module.Store) (_ python.Interpreter, has bool) {
	build := o.Python
	if build == nil && modules != nil {
		var err error
		if build, err = installedPython(modules); err != nil {
			o.Warn(fmt.Errorf("there is no tool python: %w", err))
		}
	}
	if build == nil {
		return func(context.Context) (*py.Interpreter, error) { return nil, ErrNoPython }, false
	}
	return loadOnce(func(ctx context.Context) (*py.Interpreter, error) {
		m, err := build()
		if err != nil {
			return nil, err
		}
		return py.New(ctx, engine, m)
	}), true
}

// installedPython returns the build of Python that the operator has added to the modules, or nil.
func installedPython(modules *module.Store) (func() (py.Module, error), error) {
	installed, err := modules.Get(python.Name)
	switch {
	case errors.Is(err, module.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	case !installed.Manifest.Language: // a tool that somebody has given this name
		return nil, nil
	}
	m := py.Module{Bytes: installed.Read}
	if n, err := hex.Decode(m.SHA256[:], []byte(installed.Manifest.SHA256)); err != nil || n != len(m.SHA256) {
		return nil, fmt.Errorf("module %s: its sha256 is malformed", python.Name)
	}
	return func() (py.Module, error) { return m, nil }, nil
}

// loadOnce returns a function that loads an interpreter when it is called for the first time. It tries again after an
// error.
func loadOnce[I any](load func(context.Context) (*I, error)) func(context.Context) (*I, error) {
	var ready atomic.Pointer[I]
	return func(ctx context.Context) (*I, error) {
		if loaded := ready.Load(); loaded != nil {
			return loaded, nil
		}
		loaded, err := load(ctx) // once, if several call it: see [sandbox.Engine.Load]
		if err == nil {
			ready.Store(loaded)
		}
		return loaded, err
	}
}
