package javascript

import (
	"context"
	"errors"
	"io/fs"
	pathpkg "path"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/js/module"
	sandbox "github.com/toolrun/toolrun/runtime"
	jsfs "github.com/toolrun/toolrun/runtime/javascript/fs"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// Scripts import files of the run. The host finds and reads ES modules, and the engine links them (linking.go). The
// prelude loads CommonJS, JSON and built-in modules (modules/prelude/modules.js).

// builtins are the built-in modules, without "node:". The prelude defines the first ones.
var builtins []string

// absentModules are Node's modules for which packages get placeholders (modules/internal/absent.js).
var absentModules = strings.Fields(`
	child_process cluster dgram dns dns/promises domain http2 inspector inspector/promises net repl
	tls trace_events tty v8 vm wasi worker_threads`)

func (r *run) loader(require bool) *module.Loader {
	var files afero.Fs
	if r.evidence != nil {
		files = whileRunning{r.files().On(r.evidence), r.Context()}
	} else if r.options.Files != nil {
		files = whileRunning{r.files(), r.Context()}
	}
	instead := missingModules
	if r.options.Network != nil {
		instead = missingModulesOnline
	}
	return &module.Loader{Files: files, Builtins: builtins, Absent: absentModules, Instead: instead, Require: require}
}

// whileRunning fails once the run has ended, so that an abandoned search ends soon.
type whileRunning struct {
	afero.Fs
	ctx context.Context
}

func (f whileRunning) Stat(name string) (fs.FileInfo, error) {
	if err := f.ctx.Err(); err != nil {
		return nil, err
	}
	return f.Fs.Stat(name)
}

func (f whileRunning) Open(name string) (afero.File, error) {
	if err := f.ctx.Err(); err != nil {
		return nil, err
	}
	return f.Fs.Open(name)
}

// resolve returns the module that a specifier means in a file, for require or for import. The script itself has a
// file name that is not an absolute path.
func (r *run) resolve(specifier, file string, require bool) (string, error) {
	if !strings.HasPrefix(file, "/") {
		file = ""
	}
	loader := r.loader(require) // of now: the search may be abandoned and go on beside what follows
	path, err := sandbox.AwaitInTurn(r.Run, func() (string, error) { return loader.Resolve(specifier, file) })
	r.witness(err)
	return path, err
}

// read reads and prepares the source of a module.
func (r *run) read(path string) (*module.Source, error) {
	loader, ctx := r.loader(false), r.Context()
	source, err := sandbox.AwaitInTurn(r.Run, func() (*module.Source, error) { return loader.Load(ctx, path) })
	r.witness(err)
	if err == nil {
		r.findUncalled(path, source.Code, source.Map)
	}
	return source, err
}

// witness records that a module could not be loaded, which libraries can notice. Most such errors follow from the
// files; others, such as a failing file system or a busy parser, may not happen again.
func (r *run) witness(err error) {
	if err == nil || r.evidence == nil {
		return
	}
	switch err.(type) {
	case *module.NotFoundError, *module.SpecifierError, *module.SyntaxError, *module.ComplexityError:
	default:
		r.evidence.Spoil()
	}
}

// moduleFailure turns an error about a module into one for the script. An error that ends the run is returned
// unchanged.
func moduleFailure(err error) error {
	if s, ok := errors.AsType[*sandbox.Stop](err); ok {
		return s
	}
	if syntax, ok := errors.AsType[*module.SyntaxError](err); ok {
		return &host.Failure{Name: "SyntaxError", Message: syntax.Error()}
	}
	if missing, ok := errors.AsType[*module.NotFoundError](err); ok {
		code := "MODULE_NOT_FOUND"
		if strings.HasPrefix(missing.Specifier, "node:") {
			code = "ERR_UNKNOWN_BUILTIN_MODULE"
		}
		return &host.Failure{Name: "Error", Message: err.Error(), Code: code}
	}
	return &host.Failure{Name: "Error", Message: err.Error()}
}

// A CommonJS file is compiled between these, as the body of a function.
const (
	commonPrefix = "(function (exports, require, module, __filename, __dirname) {"
	commonSuffix = "\n})"
)

// resolveFile is for require and require.resolve.
func (in moduleLoader) resolveFile(c *host.Call) (quickjs.Value, error) {
	specifier, cut, ok := c.Prefix(0, jsfs.MaxPath)
	file, cutFile, ok2 := c.Prefix(1, jsfs.MaxPath)
	if !ok || !ok2 || cut > 0 || cutFile > 0 {
		return 0, host.Errorf("the name of a module is too long")
	}
	imports, _ := c.Int(2)
	path, err := in.run.resolve(specifier, file, imports == 0)
	if err != nil {
		return 0, moduleFailure(err)
	}
	return in.vm.NewString(c.Context(), path)
}

// loadFile returns a CommonJS file as a function, the text of a JSON file, or the promise of an ES module.
func (in moduleLoader) loadFile(c *host.Call) (quickjs.Value, error) {
	path, cut, ok := c.Prefix(0, jsfs.MaxPath)
	if !ok || cut > 0 || !strings.HasPrefix(path, "/") || pathpkg.Clean(path) != path {
		return 0, host.Errorf("not the path of a file that can be required")
	}
	source, err := in.run.read(path)
	if err != nil {
		return 0, moduleFailure(err)
	}
	switch source.Kind {
	case module.JSON:
		return in.vm.NewString(c.Context(), source.Code)
	case module.ES:
		return in.requireModule(c.Context(), source)
	}
	in.run.note(path, source.Code, origin{prefix: len(commonPrefix), source: source.Map})
	request, err := in.vm.RequestEval(c.Context(), commonPrefix+source.Code+commonSuffix, path)
	if err != nil {
		return 0, err
	}
	return in.ask(request, func(_ context.Context, v quickjs.Value) quickjs.Value { return v }), nil
}
