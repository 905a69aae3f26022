package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// A runner is a toolrun.Runner with the command's defaults.
type runner struct {
	*toolrun.Runner
	host    *Host
	noCache error // why the compiled engine cannot be cached, or nil
	warn    func(error)
}

// open makes a runner that keeps the compiled engine in the user's cache directory. Warnings go to the command's
// errors.
func open(cmd *cobra.Command, options toolrun.Options) (*runner, error) {
	r := &runner{host: hostOf(cmd), warn: warnings(cmd.ErrOrStderr())}
	options.Warn = r.warn
	options.Languages = r.host.languages()
	options.Packages = &toolrun.PackageIndex{Transport: r.host.Transport}
	if options.Engine = r.host.Engine; options.Engine == nil {
		options.EngineOptions.CacheDir, r.noCache = r.host.dirs().EngineCache()
	}
	if dir, err := modulesDir(cmd); err == nil { // otherwise there are none
		options.Modules = dir
	}
	var err error
	r.Runner, err = toolrun.Open(cmd.Context(), &options)
	return r, err
}

// warnOfSchemas warns of tools, or only of those named, whose schemas are used in part.
func (r *runner) warnOfSchemas(names ...string) {
	for _, spec := range r.Registry().Specs() {
		if len(names) == 0 || slices.Contains(names, spec.Name) {
			for _, note := range spec.SchemaNotes {
				r.warn(fmt.Errorf("the tool %s: %s", spec.Name, note))
			}
		}
	}
}

// builtIn returns the built-in tools, and those of modules.
func builtIn(cmd *cobra.Command) (*registry.Registry, error) {
	r, err := openBuiltIn(cmd, toolrun.Options{})
	if err != nil {
		return nil, err
	}
	return r.Registry(), r.Close()
}

// openBuiltIn opens a runner with the built-in tools and those of modules, which runs nothing.
func openBuiltIn(cmd *cobra.Command, options toolrun.Options) (*toolrun.Runner, error) {
	options.Languages, options.Engine = hostOf(cmd).languages(), hostOf(cmd).Engine
	options.Packages = &toolrun.PackageIndex{Transport: hostOf(cmd).Transport}
	if dir, err := modulesDir(cmd); err == nil { // otherwise there are none
		options.Modules = dir
	}
	return toolrun.Open(cmd.Context(), &options)
}

// desk calls do with the operations on the store's projects, of which whoever uses the command may use all, or on the
// directory given with --root. Where there is no store yet, do has an empty one.
func (f *projectFlags) desk(cmd *cobra.Command, do func(s *service.Service) error) error {
	there, err := f.hasStore()
	if err != nil {
		return err
	}
	store := vfs.Store(local.NewMemoryStore(nil))
	if there {
		if store, err = f.store(nil); err != nil {
			return err
		}
	}
	defer store.Close() // what was changed is there
	r, err := openBuiltIn(cmd, toolrun.Options{Store: store, NoteCalls: true})
	if err != nil {
		return err
	}
	defer r.Close() // which has run nothing
	return f.deskOf(r, &service.Access{Name: f.host().operator(), Role: service.Operator, Makes: true}, do)
}

// deskOf calls do with the operations of a runner, as somebody may use them.
func (f *projectFlags) deskOf(r *toolrun.Runner, access *service.Access,
	do func(s *service.Service) error) (err error) {
	if err := f.checkRoot(); err != nil {
		return err
	}
	options := &service.Options{}
	if f.root != "" {
		options.Dir, options.DirOptions = f.rootPath(), f.dir
	}
	desk, err := service.New(r, options)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, desk.Shutdown(context.Background())) }()
	return do(desk.Open(access))
}

// warnings returns a function that prints warnings.
func warnings(w io.Writer) func(error) {
	return func(err error) { fmt.Fprintf(w, "toolrun: warning: %v\n", err) }
}

// start starts what runs a language.
func (r *runner) start(ctx context.Context, name string) (code.Interpreter, error) {
	interpreter, err := r.Interpreter(ctx, name)
	if err == nil && r.noCache != nil {
		r.warn(fmt.Errorf("the engine was compiled anew, and will be each time: %w", r.noCache))
		r.noCache = nil
	}
	return interpreter, err
}

// load loads what a tool runs on, so that the time of a call is for its code.
func (r *runner) load(ctx context.Context, tool string) (err error) {
	if languageOf(tool) != nil {
		_, err = r.start(ctx, tool)
	}
	return err
}
