package modules

import (
	"context"
	"errors"
	"strings"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/js/module"
	"github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// linking compiles a module and all its imports, one after the other. The engine compiles each by itself, with a
// placeholder for its imports; the host then loads these, depth first, in the engine's own order.
type linking struct {
	*Loader
	path []importer // from the first module to the current one
	all  []importer // all compiled modules

	asked string // the name of the requested module
	shim  bool   // its source was requested, not the module itself
	meta  bool   // its source has import.meta
}

// As in Node, the default export of a CommonJS file is all that it exports. For scripts there is an exception, which
// bundlers make too: for a file that was compiled from an ES module, it is what that module exports by default. So some
// files have two modules that wrap them; the name of the one for packages ends with forPackages.
const forPackages = "?package"

func inPackage(file string) bool { return strings.Contains(file, "/node_modules/") }

// loaded returns the module that wraps a file for the importer, or that of an ES module, or 0.
func (l *linking) loaded(importer, name string) quickjs.ModuleDef {
	def := l.VM.Module(name)
	if inPackage(importer) && l.Wrapped[name] {
		def = l.VM.Module(name + forPackages)
	}
	return def
}

// importer is a compiled module, and how many of its imports are set.
type importer struct {
	def  quickjs.ModuleDef
	name string
	next int
}

// maxShim is the longest source of a module that wraps a file, in bytes.
const maxShim = 4 << 20

// maxModules is how many modules a run can load. The engine follows `export *` from one to the next without checking
// its stack: some 80,000 in a row would overflow it.
const maxModules = 20_000

var errManyModules = host.Errorf("more than %d modules have been loaded", maxModules)

// errThrown means that the guest has a pending exception.
var errThrown = errors.New("an exception")

// compile requests the module with a source.
func (l *linking) compile(ctx context.Context, source, name string) (quickjs.Request, error) {
	l.asked, l.shim, l.meta = name, false, strings.Contains(source, "import.meta")
	return l.VM.RequestModule(ctx, source, name)
}

// load requests a module by name. For a file that is not an ES module, it requests the source of a module that wraps
// it for the importer.
func (l *linking) load(ctx context.Context, name, importer string) (quickjs.Request, error) {
	asked := name
	if l.VM.Modules() >= maxModules {
		return 0, errManyModules
	}
	if strings.HasPrefix(name, "/") {
		source, err := l.Read(name)
		if err != nil {
			return 0, err
		}
		if source.Kind == module.ES {
			l.Code.Note(source, 0)
			return l.compile(ctx, source.Code, name)
		}
		if l.Wrapped == nil {
			l.Wrapped = map[string]bool{}
		}
		l.Wrapped[name] = true
		if inPackage(importer) {
			asked += forPackages
		}
	}
	argument, err := l.VM.NewString(ctx, name)
	if err != nil {
		return 0, err
	}
	l.asked, l.shim = asked, true
	return l.VM.RequestCall(ctx, l.Prelude.Shim, argument, quickjs.Bool(asked != name))
}

// answered takes the answer to a request, and returns the next request, or 0 if everything is loaded. A failure is an
// error for the script; so is errThrown, which is already pending.
func (l *linking) answered(ctx context.Context, v quickjs.Value) (quickjs.Request, error) {
	vm := l.VM
	if l.asked == "" { // import.meta is complete
		if v == quickjs.Exception {
			return 0, errThrown
		}
		return l.next(ctx)
	}
	if l.shim {
		if v == quickjs.Exception {
			return 0, errThrown
		}
		text, cut, ok := vm.String(v, maxShim)
		if !ok || cut > 0 {
			return 0, host.Errorf("%s exports too much", l.asked)
		}
		if err := vm.Free(ctx, v); err != nil {
			return 0, err
		}
		return l.compile(ctx, text, l.asked)
	}
	def, err := vm.TakeModule(ctx, v, l.asked)
	if err != nil {
		return 0, err
	}
	if def == 0 {
		return 0, errThrown
	}
	if last := len(l.path) - 1; last >= 0 {
		l.path[last].set(vm, def)
	}
	m := importer{def: def, name: l.asked}
	l.path, l.all = append(l.path, m), append(l.all, m)
	if meta := vm.Meta(def); l.meta && meta.IsObject() {
		path := m.name
		if !strings.HasPrefix(path, "/") {
			path = "/" + path
		}
		argument, err := vm.NewString(ctx, path)
		if err != nil {
			return 0, err
		}
		l.asked = ""
		return vm.RequestCall(ctx, l.Prelude.Meta, meta, argument)
	}
	return l.next(ctx)
}

// next requests the next missing module.
func (l *linking) next(ctx context.Context) (quickjs.Request, error) {
	vm := l.VM
	for len(l.path) > 0 {
		if err := l.Run().Interrupted(); err != nil {
			return 0, &runtime.Stop{Err: err}
		}
		m := &l.path[len(l.path)-1]
		if m.next >= vm.Imports(m.def) {
			l.path = l.path[:len(l.path)-1]
			continue
		}
		if vm.IsSet(m.def, m.next) { // the engine's own
			m.next++
			continue
		}
		specifier, ok, err := vm.Specifier(ctx, m.def, m.next, host.MaxPath)
		if err != nil {
			return 0, err
		}
		if !ok {
			return 0, errLongName
		}
		name, err := l.resolveName(specifier, m.name)
		if err != nil {
			return 0, err
		}
		def := l.loaded(m.name, name)
		if def == 0 {
			return l.load(ctx, name, m.name)
		}
		m.set(vm, def)
	}
	return 0, nil
}

func (m *importer) set(vm *quickjs.VM, def quickjs.ModuleDef) {
	vm.SetImport(m.def, m.next, def)
	m.next++
}

// fail drops the compiled modules, which cannot be linked.
func (l *linking) fail() {
	for _, m := range l.all {
		l.VM.ForgetModule(m.def, m.name)
	}
}

// resolveName returns the name of the module that a specifier in a file means.
func (l *Loader) resolveName(specifier, file string) (string, error) {
	switch {
	case specifier == l.Entry:
		return l.Script, nil
	case file == requiredName:
		return specifier, nil
	case l.EngineModules && strings.HasPrefix(specifier, "qjs:"):
		return specifier, nil
	}
	return l.resolve(specifier, file, false)
}

// Resolve serves [quickjs.ResolveArgc]: it returns a C string, or requests an exception.
func (l *Loader) Resolve(ctx context.Context, file, specifier uint32) quickjs.Value {
	if l.VM == nil {
		return quickjs.Value(specifier) // the engine's own modules, while it starts
	}
	if l.VM.Leaf() {
		return 0
	}
	if err := l.Run().Interrupted(); err != nil {
		panic(&runtime.Stop{Err: err})
	}
	name, ok := l.VM.CString(specifier, host.MaxPath)
	var p uint32
	var err error
	switch {
	case l.VM.Linking() && !(l.EngineModules && strings.HasPrefix(name, "qjs:")):
		p, err = l.VM.Unlinked(ctx)
	case !ok:
		return l.Raise(ctx, errLongName)
	default:
		from, ok := l.VM.CString(file, host.MaxPath)
		if !ok {
			return l.Raise(ctx, errLongName)
		}
		if name, err = l.resolveName(name, from); err != nil {
			return l.Raise(ctx, err)
		}
		p, err = l.VM.Name(ctx, name)
	}
	if err != nil {
		panic(&runtime.Stop{Err: l.Reason(err)})
	}
	return quickjs.Value(p)
}

var errLongName = host.Errorf("the name of a module is too long")

// Load serves [quickjs.LoadArgc]: it requests the module.
func (loader *Loader) Load(ctx context.Context, pointer uint32) quickjs.Value {
	l := &linking{Loader: loader}
	if l.VM == nil || l.Prelude == nil || l.VM.Leaf() {
		return 0
	}
	name, ok := l.VM.CString(pointer, host.MaxPath)
	if !ok {
		return l.Raise(ctx, errLongName)
	}
	request, err := l.load(ctx, name, "")
	return l.ask(ctx, request, err)
}

// ask requests one module after the other. The final answer is the first one, or 0 with an exception.
func (l *linking) ask(ctx context.Context, request quickjs.Request, err error) quickjs.Value {
	switch {
	case err == errThrown:
		l.fail()
		return 0
	case err != nil:
		l.fail()
		return l.Raise(ctx, err)
	case request == 0:
		return quickjs.Value(l.all[0].def)
	}
	return l.Ask(request, func(ctx context.Context, v quickjs.Value) quickjs.Value {
		request, err := l.answered(ctx, v)
		return l.ask(ctx, request, err)
	})
}

// Link compiles a module and all its imports, while no script is running. It returns 0 if there is an exception.
func (loader *Loader) Link(ctx context.Context, source, name string) (quickjs.ModuleDef, error) {
	l := &linking{Loader: loader}
	l.ImportFailed = false
	request, err := l.compile(ctx, source, name)
	for err == nil && request != 0 {
		var v quickjs.Value
		if v, err = l.VM.Do(ctx, request); err == nil {
			request, err = l.answered(ctx, v)
		}
	}
	if err == nil {
		return l.all[0].def, nil
	}
	l.ImportFailed = len(l.all) > 0
	l.fail()
	if f, ok := err.(*host.Failure); ok {
		if request, err = l.RequestException(ctx, f); err == nil && request != 0 {
			_, err = l.VM.Do(ctx, request)
		}
	}
	if err == errThrown {
		err = nil
	}
	return 0, err
}
