package runtime

import (
	"context"
	"errors"
	"io/fs"
	pathpkg "path"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/guest"
	"github.com/toolrun/toolrun/internal/module"
)

// Scripts import files of the run: ES modules, which the engine links by itself once the host has found and read them, and
// CommonJS, JSON and built-in modules, which the prelude loads (guest/prelude/modules.js).

// builtins are the built-in modules, without "node:" before them. The prelude defines what is in them.
var builtins = []string{"fs", "fs/promises", "path", "path/posix", "process"}

func (r *run) loader(require bool) *module.Loader {
	files := r.options.Files
	if r.evidence != nil {
		files = r.evidence
	}
	if files != nil {
		files = whileRunning{files, r.ctx}
	}
	return &module.Loader{Files: files, Builtins: builtins, Instead: missingModules, Require: require}
}

// whileRunning finds no more files once a run has ended, so that a search that the run has given up ends soon.
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

// resolve says which module a specifier means in a file, for require or for import. For the script itself the file is no absolute
// path.
func (r *run) resolve(specifier, file string, require bool) (string, error) {
	if !strings.HasPrefix(file, "/") {
		file = ""
	}
	path, err := abandonable(r, func() (string, error) { return r.loader(require).Resolve(specifier, file) })
	r.witness(err)
	return path, err
}

// read reads a file that is to be run.
func (r *run) read(path string) (*module.Source, error) {
	source, err := abandonable(r, func() (*module.Source, error) { return r.loader(false).Load(r.ctx, path) })
	r.witness(err)
	return source, err
}

// witness notes why a module cannot be had, which libraries can find out. Most errors follow from what the files are; others, as
// that of a file system that fails or of a parser that is busy, need not come again.
func (r *run) witness(err error) {
	if err == nil || r.evidence == nil {
		return
	}
	switch err.(type) {
	case *module.NotFoundError, *module.SpecifierError, *module.SyntaxError, *module.ComplexityError:
	default:
		r.evidence.spoil()
	}
}

// moduleFailure makes an error for the script of one that is about a module. What ends the run is returned as it is.
func moduleFailure(err error) error {
	if s, ok := errors.AsType[*stop](err); ok {
		return s
	}
	if syntax, ok := errors.AsType[*module.SyntaxError](err); ok {
		return &failure{name: "SyntaxError", message: syntax.Error()}
	}
	if _, ok := errors.AsType[*module.NotFoundError](err); ok {
		return &failure{name: "Error", message: err.Error(), code: "MODULE_NOT_FOUND"}
	}
	return &failure{name: "Error", message: err.Error()}
}

// raise makes an error the pending exception of the guest, or ends the run if that is what the error says. The guest is called for
// that. If it answers by asking for another module, which only one does that a script has taken over, the run ends too: there would be
// no end to it.
func (in *instance) raise(ctx context.Context, err error) guest.Value {
	f, ok := err.(*failure)
	if !ok {
		panic(&stop{in.reason(err)})
	}
	if in.vm.Depth() > guest.MaxDepth {
		panic(&stop{&LimitError{Limit: LimitRecursion}})
	}
	description, err := in.vm.ParseJSON(ctx, f.json())
	if err == nil && description != guest.Exception {
		_, err = in.vm.Call(ctx, in.prelude.Raise, description)
	}
	if err != nil {
		panic(&stop{in.reason(err)})
	}
	return guest.Exception
}

// nested says whether a host function may call the guest again.
func (in *instance) nested() error {
	if err := in.run.interrupted(); err != nil {
		return &stop{err}
	}
	if in.vm.Depth() >= guest.MaxDepth {
		return &failure{name: "RangeError", message: "modules load each other too deep"}
	}
	return nil
}

// resolveModule serves [guest.ResolveArgc]: it returns a C string.
func (in *instance) resolveModule(ctx context.Context, file, specifier uint32) uint32 {
	if in.prelude == nil {
		return specifier // the engine's own modules, as it starts
	}
	name, err := in.resolveName(file, specifier)
	if err != nil {
		in.importFailed = true
		in.raise(ctx, err)
		return 0
	}
	p, err := in.vm.Name(ctx, name)
	if err != nil {
		panic(&stop{in.reason(err)})
	}
	return p
}

func (in *instance) resolveName(file, specifier uint32) (string, error) {
	if err := in.nested(); err != nil {
		return "", err
	}
	from, ok1 := in.vm.CString(file, maxPath)
	name, ok2 := in.vm.CString(specifier, maxPath)
	r := in.run
	switch {
	case !ok1 || !ok2:
		return "", failf("the name of a module is too long")
	case name == r.entry:
		return r.options.Name, nil
	case r.options.engineModules && strings.HasPrefix(name, "qjs:"):
		return name, nil
	}
	path, err := r.resolve(name, from, false)
	if err != nil {
		return "", moduleFailure(err)
	}
	return path, nil
}

// loadModule serves [guest.LoadArgc].
func (in *instance) loadModule(ctx context.Context, name uint32) guest.ModuleDef {
	if in.prelude == nil {
		return 0
	}
	def, err := in.load(ctx, name)
	in.importFailed = in.importFailed || def == 0
	if err != nil {
		in.raise(ctx, err)
	}
	return def
}

// load compiles a module. It returns 0 and no error if there is an exception.
func (in *instance) load(ctx context.Context, pointer uint32) (guest.ModuleDef, error) {
	if err := in.nested(); err != nil {
		return 0, err
	}
	name, ok := in.vm.CString(pointer, maxPath)
	if !ok {
		return 0, failf("the name of a module is too long")
	}
	if strings.HasPrefix(name, "/") {
		source, err := in.run.read(name)
		if err != nil {
			return 0, moduleFailure(err)
		}
		if source.Kind == module.ES {
			in.run.note(name, source.Code, origin{source: source.Map})
			return in.vm.CompileModule(ctx, source.Code, name)
		}
	}
	argument, err := in.vm.NewString(ctx, name)
	if err != nil {
		return 0, err
	}
	shim, err := in.vm.Call(ctx, in.prelude.Shim, argument)
	if err != nil || shim == guest.Exception {
		return 0, err
	}
	text, cut, ok := in.vm.String(shim, maxJSON)
	if !ok || cut > 0 {
		return 0, failf("%s exports too much", name)
	}
	if err := in.vm.Free(ctx, shim); err != nil {
		return 0, err
	}
	return in.vm.CompileModule(ctx, text, name)
}

// A CommonJS file is compiled between these, so that it is the body of a function.
const (
	commonPrefix = "(function (exports, require, module, __filename, __dirname) {"
	commonSuffix = "\n})"
)

// resolveFile is for require and require.resolve.
func (in *instance) resolveFile(ctx context.Context, args arguments) (guest.Value, error) {
	specifier, cut, ok := args.text(1, maxPath)
	file, cutFile, ok2 := args.text(2, maxPath)
	if !ok || !ok2 || cut > 0 || cutFile > 0 {
		return 0, failf("the name of a module is too long")
	}
	path, err := in.run.resolve(specifier, file, true)
	if err != nil {
		return 0, moduleFailure(err)
	}
	return in.vm.NewString(ctx, path)
}

// loadFile returns a CommonJS file as a function, or the text of a JSON file.
func (in *instance) loadFile(ctx context.Context, args arguments) (guest.Value, error) {
	if err := in.nested(); err != nil {
		return 0, err
	}
	path, cut, ok := args.text(1, maxPath)
	if !ok || cut > 0 || !strings.HasPrefix(path, "/") || pathpkg.Clean(path) != path {
		return 0, failf("not the path of a file that can be required")
	}
	source, err := in.run.read(path)
	if err != nil {
		return 0, moduleFailure(err)
	}
	switch source.Kind {
	case module.JSON:
		return in.vm.NewString(ctx, source.Code)
	case module.ES:
		return 0, &failure{name: "Error", code: "ERR_REQUIRE_ESM",
			message: path + " is an ES module, which require cannot load: use await import('" + path + "')"}
	}
	in.run.note(path, source.Code, origin{prefix: len(commonPrefix), source: source.Map})
	return in.vm.EvalNow(ctx, commonPrefix+source.Code+commonSuffix, path)
}
