package modules

import (
	"context"
	"errors"
	"io/fs"
	pathpkg "path"
	"strings"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/js/module"
	"github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// A Loader finds, compiles and runs the files and built-in modules that scripts of a run load. The host finds and reads
// ES modules, and the engine links them (linking.go). The prelude loads CommonJS, JSON and built-in modules
// (prelude/modules.js).
type Loader struct {
	*host.Engine
	Features *host.Set
	Builtins []string // the names of the built-in modules, without "node:"
	Online   bool     // the run has a network

	Script string // the name of the script
	Entry  string // the specifier by which only the prelude can import it

	Code Code

	EngineModules bool            // the engine's own modules, like qjs:std, can be imported
	Wrapped       map[string]bool // the files, not ES modules, that modules wrap; nil if there are none
	ImportFailed  bool            // an imported module could not be found or compiled
}

// Code is where the code of a run comes from.
type Code interface {
	// Files returns the files that modules can be, or nil.
	Files() afero.Fs

	// Note is called for each file that the engine is about to run, behind a prefix of so many bytes.
	Note(source *module.Source, prefix int)

	// Spoil is called when a module could not be loaded, for a reason that does not follow from the files.
	Spoil()
}

// A Runner is a [host.Runner] that loads modules.
type Runner interface {
	host.Runner
	Modules() *Loader
}

func loaderOf(c *host.Call) *Loader { return c.Runner.(Runner).Modules() }

// absentModules are Node's modules for which packages get placeholders (internal/absent.js).
var absentModules = strings.Fields(`
	child_process cluster dgram dns dns/promises domain http2 inspector inspector/promises net repl
	tls trace_events tty v8 vm wasi worker_threads`)

// instead and insteadOnline say what there is in place of modules, without and with a network.
var instead, insteadOnline = replacements("there is no network"), replacements("use fetch")

func replacements(network string) map[string]string {
	return host.ByName(map[string]string{
		network: "axios cross-fetch dns http2 net node-fetch superagent tls undici ws",
		"there are no other processes and no threads": "child_process cluster worker_threads",
	})
}

func (l *Loader) files(require bool) *module.Loader {
	files := l.Code.Files()
	if files != nil {
		files = whileRunning{files, l.Run().Context()}
	}
	texts := instead
	if l.Online {
		texts = insteadOnline
	}
	return &module.Loader{
		Files: files, Builtins: l.Builtins, Absent: absentModules, Instead: texts, Require: require,
	}
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
func (l *Loader) resolve(specifier, file string, require bool) (string, error) {
	if !strings.HasPrefix(file, "/") {
		file = ""
	}
	files := l.files(require) // of now: the search may be abandoned and go on beside what follows
	path, err := runtime.AwaitInTurn(l.Run(), func() (string, error) { return files.Resolve(specifier, file) })
	return path, l.failure(err)
}

// Read reads and prepares the source of a file. The error is a [*host.Failure], or ends the run.
func (l *Loader) Read(path string) (*module.Source, error) {
	files, ctx := l.files(false), l.Run().Context()
	source, err := runtime.AwaitInTurn(l.Run(), func() (*module.Source, error) { return files.Load(ctx, path) })
	return source, l.failure(err)
}

// failure turns an error about a module into one for the script. An error that ends the run is returned unchanged.
//
// Libraries can notice that a module could not be loaded. Most such errors follow from the files; others, such as a
// failing file system or a busy parser, may not happen again.
func (l *Loader) failure(err error) error {
	f := &host.Failure{Name: "Error"}
	switch e := err.(type) {
	case nil:
		return nil
	case *module.NotFoundError:
		f.Code = "MODULE_NOT_FOUND"
		if strings.HasPrefix(e.Specifier, "node:") {
			f.Code = "ERR_UNKNOWN_BUILTIN_MODULE"
		}
	case *module.SyntaxError:
		f.Name = "SyntaxError"
	case *module.SpecifierError, *module.ComplexityError:
	default:
		l.Code.Spoil()
		if s, ok := errors.AsType[*runtime.Stop](err); ok {
			return s
		}
	}
	f.Message = err.Error()
	return f
}

// A CommonJS file is compiled between these, as the body of a function.
const (
	commonPrefix = "(function (exports, require, module, __filename, __dirname) {"
	commonSuffix = "\n})"
)

// resolve is for require and require.resolve.
func resolve(c *host.Call) {
	specifier, cut, ok := c.Prefix(0, host.MaxPath)
	file, cutFile, ok2 := c.Prefix(1, host.MaxPath)
	if !ok || !ok2 || cut > 0 || cutFile > 0 {
		c.Fail(errLongName)
		return
	}
	path, err := loaderOf(c).resolve(specifier, file, !c.Flag(2))
	c.Return(path, err)
}

// load returns a CommonJS file as a function, the text of a JSON file, or the promise of an ES module.
func load(c *host.Call) {
	path, cut, ok := c.Prefix(0, host.MaxPath)
	if !ok || cut > 0 || !strings.HasPrefix(path, "/") || pathpkg.Clean(path) != path {
		c.Fail(host.Errorf("not the path of a file that can be required"))
		return
	}
	l := loaderOf(c)
	source, err := l.Read(path)
	switch {
	case err != nil:
		c.Fail(err)
	case source.Kind == module.JSON:
		c.Return(source.Code, nil)
	case source.Kind == module.ES:
		c.ReturnValue(l.require(c.Context(), source))
	default:
		l.Code.Note(source, len(commonPrefix))
		c.ReturnValue(l.AskFor(l.VM.RequestEval(c.Context(), commonPrefix+source.Code+commonSuffix, path)))
	}
}

// builtin returns a built-in module that is loaded when it is first used, as a function.
func builtin(c *host.Call) {
	if source, file, ok := loaderOf(c).Features.Module(c.Name(0)); ok {
		c.ReturnValue(c.AskFor(c.VM.RequestEval(c.Context(), source, file)))
	}
}
