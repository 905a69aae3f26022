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
	"github.com/toolrun/toolrun/runtime/script"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/filesystem"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/tools/memory"
	"github.com/toolrun/toolrun/tools/module"
	"github.com/toolrun/toolrun/tools/python"
	"github.com/toolrun/toolrun/tools/shell"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// DefaultLanguages are the languages of a runner whose options name none.
func DefaultLanguages() []code.Language {
	return []code.Language{javascript.Language, python.Language, shell.Language}
}

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
	builtIn := []tool.Tool{memory.New()}
	for _, l := range r.languages {
		if l.load == nil {
			continue
		}
		builtIn = append(builtIn, code.New(l.Language, l.load, &o.Script))
		if l.Installer != nil && o.Packages != nil {
			r.installer = l.Installer(l.load, l.Packages, *o.Packages)
			builtIn = append(builtIn, r.installer.Tool())
		}
	}
	builtIn = append(builtIn, filesystem.New())
	tools, err := registry.New(slices.Concat(builtIn, filesystem.Parts(), filesystem.Native(),
		filesystem.Codebase())...)
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
	if r.calls != nil {
		tools = tools.Using(r.calls.Middleware)
	}
	return tools, nil
}

// A language is one that code can be written in. load is nil if there is no build of it.
type language struct {
	code.Language
	load code.Loader
}

func (o *Options) openLanguages(engine *sandbox.Engine, modules *module.Store) (all []language) {
	languages := o.Languages
	if languages == nil {
		languages = DefaultLanguages()
	}
	for _, l := range languages {
		if l.Module != "" && l.Build == nil && modules != nil {
			var err error
			if l.Build, l.Packages, err = installed(modules, l.Module); err != nil {
				o.Warn(fmt.Errorf("there is no tool %s: %w", l.Name, err))
			}
		}
		opened := language{Language: l}
		if l.Module == "" || l.Build != nil {
			opened.load = loadOnce(l, engine)
		}
		all = append(all, opened)
	}
	return all
}

// installed returns the build of a language that the operator has added to the modules, or nil.
func installed(modules *module.Store, name string) (build func() (script.Module, error),
	packages []string, err error) {
	found, err := modules.Get(name)
	switch {
	case errors.Is(err, module.ErrNotFound):
		return nil, nil, nil
	case err != nil:
		return nil, nil, err
	case !found.Manifest.Language: // a tool that somebody has given this name
		return nil, nil, nil
	}
	m := script.Module{Bytes: found.Read}
	if n, err := hex.Decode(m.SHA256[:], []byte(found.Manifest.SHA256)); err != nil || n != len(m.SHA256) {
		return nil, nil, fmt.Errorf("module %s: its sha256 is malformed", name)
	}
	return func() (script.Module, error) { return m, nil }, found.Manifest.Packages, nil
}

// loadOnce returns a function that loads an interpreter when it is called for the first time. It tries again after an
// error.
func loadOnce(l code.Language, engine *sandbox.Engine) code.Loader {
	var ready atomic.Pointer[code.Interpreter]
	return func(ctx context.Context) (code.Interpreter, error) {
		if loaded := ready.Load(); loaded != nil {
			return *loaded, nil
		}
		var build script.Module
		if l.Module != "" {
			var err error
			if build, err = l.Build(); err != nil {
				return nil, err
			}
		}
		loaded, err := l.Open(ctx, engine, build) // once, if several call it: see [sandbox.Engine.Load]
		if err == nil {
			ready.Store(&loaded)
		}
		return loaded, err
	}
}
