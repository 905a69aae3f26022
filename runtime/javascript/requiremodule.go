package javascript

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/js/module"
	jsfs "github.com/toolrun/toolrun/runtime/javascript/fs"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// requiredName is the name of the modules that import what require loads.
const requiredName = quickjs.PreludeName + "required"

// marksPrefix begins the names of modules that add __esModule to the exports of others.
const marksPrefix = quickjs.PreludeName + "marked:"

// requireModule links the ES module in a file, with all its imports, for require. The answer is the promise of its
// evaluation, which is settled, because modules that wait at their top level are refused.
func (in moduleLoader) requireModule(ctx context.Context, source *module.Source) (quickjs.Value, error) {
	l, path := &linking{in: in}, source.Path
	if def := in.vm.Module(path); def != 0 {
		return in.evaluateModule(ctx, l, def, path)
	}
	if in.vm.Modules() >= maxModules {
		return 0, errManyModules
	}
	in.run.note(path, source.Code, origin{source: source.Map, module: true})
	request, err := l.compile(ctx, source.Code, path)
	if err != nil {
		return 0, err
	}
	return l.askRequired(ctx, request, path), nil
}

// askRequired asks for one module after the other, as ask does, and then evaluates the first one.
func (l *linking) askRequired(ctx context.Context, request quickjs.Request, path string) quickjs.Value {
	return l.in.ask(request, func(ctx context.Context, v quickjs.Value) quickjs.Value {
		request, err := l.answered(ctx, v)
		if err == nil && request != 0 {
			return l.askRequired(ctx, request, path)
		}
		if err == errThrown {
			l.fail()
			return quickjs.Exception
		}
		if err == nil {
			v, err = l.in.evaluateModule(ctx, l, l.all[0].def, path)
		} else {
			l.fail()
		}
		return l.in.answer(ctx, v, err)
	})
}

// evaluateModule evaluates a linked module, by another one that imports it.
func (in moduleLoader) evaluateModule(ctx context.Context, l *linking, def quickjs.ModuleDef,
	path string) (quickjs.Value, error) {
	ready, waits := in.vm.CanEvaluate(def)
	switch {
	case !ready:
		l.fail()
		return 0, &host.Failure{Name: "Error", Code: "ERR_REQUIRE_CYCLE_MODULE",
			Message: "Cannot require() ES Module " + path + " in a cycle: a module that imports it, " +
				"or that it imports, is still being loaded"}
	case waits:
		return 0, &host.Failure{Name: "Error", Code: "ERR_REQUIRE_ASYNC_MODULE",
			Message: "require() cannot be used on an ESM graph with top-level await. " +
				"Use import() instead: await import('" + path + "')"}
	}
	specifier, err := json.Marshal(path)
	if err != nil {
		return 0, err
	}
	request, err := in.vm.RequestRunModule(ctx, "import * as all from "+string(specifier)+";", requiredName)
	if err != nil {
		return 0, err
	}
	return in.ask(request, func(_ context.Context, v quickjs.Value) quickjs.Value {
		if v == quickjs.Exception { // it lacks an export that another one imports
			l.fail()
		}
		return v
	}), nil
}

// namespace serves opNamespace: it returns the exports of a module that require has loaded, or those of another one
// that exports the same and __esModule.
func (in moduleLoader) namespace(c *host.Call) (quickjs.Value, error) {
	path, _, _ := c.Prefix(0, jsfs.MaxPath)
	def := in.vm.Module(path)
	switch {
	case def == 0:
		return quickjs.Undefined, nil
	case c.Value(1) != quickjs.True:
		return in.retained(c.Context(), in.vm.Namespace(def))
	}
	specifier, err := json.Marshal(path)
	if err != nil {
		return 0, err
	}
	name := marksPrefix + path
	request, err := in.vm.RequestModule(c.Context(), fmt.Sprintf(
		"export * from %[1]s; export {default} from %[1]s; export const __esModule = true", specifier), name)
	if err != nil {
		return 0, err
	}
	return in.ask(request, func(ctx context.Context, v quickjs.Value) quickjs.Value {
		marked, err := in.vm.TakeModule(c.Context(), v, name)
		if err == nil && marked == 0 {
			return quickjs.Exception
		}
		if err == nil {
			for n := range in.vm.Imports(marked) {
				in.vm.SetImport(marked, n, def)
			}
			name, _ := json.Marshal(name) // strings do not fail
			request, err = in.vm.RequestRunModule(c.Context(), "import * as all from "+string(name)+";", requiredName)
		}
		if err != nil {
			return in.answer(c.Context(), 0, err)
		}
		return in.ask(request, func(ctx context.Context, v quickjs.Value) quickjs.Value {
			if v != quickjs.Exception {
				v, err = in.retained(c.Context(), in.vm.Namespace(marked))
			}
			return in.answer(c.Context(), v, err)
		})
	}), nil
}

// retained returns a value that the engine holds on to as the result of a host function, which has a reference of its
// own.
func (in moduleLoader) retained(ctx context.Context, v quickjs.Value) (quickjs.Value, error) {
	return v, in.vm.Retain(ctx, v)
}
