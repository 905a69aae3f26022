package toolrun

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tools/module"
)

// ModulesDir returns the directory of a data directory that keeps the modules of the operator: see [Options].Modules.
func ModulesDir(dataDir string) string { return filepath.Join(dataDir, "modules") }

// modules returns the store of a runner's modules, or nil.
func (o *Options) modules() *module.Store {
	switch {
	case o.Modules != "":
		return module.OpenStore(o.Modules)
	case o.DataDir != "" && !IsDatabase(o.DataDir):
		return module.OpenStore(ModulesDir(o.DataDir))
	}
	return nil
}

// addModules adds the tools of the store to others, which keep their names.
func (r *Runner) addModules(tools *registry.Registry, warn func(error)) *registry.Registry {
	if r.modules == nil {
		return tools
	}
	list, err := r.modules.List()
	if err != nil {
		warn(fmt.Errorf("modules: %w", err))
	}
	loading := map[string]*module.Tool{}
	for _, m := range list {
		if m.Manifest.Language {
			continue
		}
		tool := module.New(m, func() *sandbox.Engine { return r.engine })
		more, err := tools.With(tool)
		if err != nil {
			warn(fmt.Errorf("the module %s is left out: %w", m.Manifest.Name, err))
			continue
		}
		tools, loading[m.Manifest.Name] = more, tool
	}
	if len(loading) == 0 {
		return tools
	}
	// A module is loaded before its first call, since a call's time is for its work. If that fails, the tool will say
	// so.
	return tools.Using(func(next registry.Handler) registry.Handler {
		return func(ctx context.Context, call registry.Call, env registry.Env) registry.Result {
			if tool := loading[call.Tool]; tool != nil {
				_, _ = tool.Load(ctx)
			}
			return next(ctx, call, env)
		}
	})
}
