package modules

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/js/module"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// requiredName is the name of the modules that import what require loads.
const requiredName = quickjs.PreludeName + "required"

// marksPrefix begins the names of modules that add __esModule to the exports of others.
const marksPrefix = quickjs.PreludeName + "marked:"

// require links the ES module in a file, with all its imports, for require. The answer is the promise of its
// evaluation, which is settled, because modules that wait at their top level are refused.
func (loader *Loader) require(ctx context.Context, source *module.Source) (quickjs.Value, error) {
	l, path := &linking{Loader: loader}, source.Path
	if def := l.VM.Module(path); def != 0 {
		return l.evaluate(ctx, def, path)
	}
	if l.VM.Modules() >= maxModules {
		return 0, errManyModules
	}
	l.Code.Note(source, 0)
	request, err := l.compile(ctx, source.Code, path)
	if err != nil {
		return 0, err
	}
	return l.askRequired(ctx, request, path), nil
}

// askRequired asks for one module after the other, as ask does, and then evaluates the first one.
func (l *linking) askRequired(ctx context.Context, request quickjs.Request, path string) quickjs.Value {
	return l.Ask(request, func(ctx context.Context, v quickjs.Value) quickjs.Value {
		request, err := l.answered(ctx, v)
		if err == nil && request != 0 {
			return l.askRequired(ctx, request, path)
		}
		if err == errThrown {
			l.fail()
			return quickjs.Exception
		}
		if err == nil {
			v, err = l.evaluate(ctx, l.all[0].def, path)
		} else {
			l.fail()
		}
		return l.Answer(ctx, v, err)
	})
}

// evaluate evaluates a linked module, by another one that imports it.
func (l *linking) evaluate(ctx context.Context, def quickjs.ModuleDef, path string) (quickjs.Value, error) {
	ready, waits := l.VM.CanEvaluate(def)
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
	request, err := l.VM.RequestRunModule(ctx, "import * as all from "+quoted(path)+";", requiredName)
	if err != nil {
		return 0, err
	}
	return l.Ask(request, func(_ context.Context, v quickjs.Value) quickjs.Value {
		if v == quickjs.Exception { // it lacks an export that another one imports
			l.fail()
		}
		return v
	}), nil
}

// namespace returns the exports of a module that require has loaded, or those of another one
// that exports the same and __esModule.
func namespace(c *host.Call) {
	path, _, _ := c.Prefix(0, host.MaxPath)
	e, vm, ctx := c.Engine, c.VM, c.Context()
	def := vm.Module(path)
	switch {
	case def == 0:
		return
	case c.Value(1) != quickjs.True:
		c.ReturnValue(retained(ctx, vm, vm.Namespace(def)))
		return
	}
	name := marksPrefix + path
	request, err := vm.RequestModule(ctx, fmt.Sprintf(
		"export * from %[1]s; export {default} from %[1]s; export const __esModule = true", quoted(path)), name)
	if c.Fail(err) {
		return
	}
	c.ReturnValue(e.Ask(request, func(ctx context.Context, v quickjs.Value) quickjs.Value {
		marked, err := vm.TakeModule(ctx, v, name)
		if err == nil && marked == 0 {
			return quickjs.Exception
		}
		if err == nil {
			for n := range vm.Imports(marked) {
				vm.SetImport(marked, n, def)
			}
			request, err = vm.RequestRunModule(ctx, "import * as all from "+quoted(name)+";", requiredName)
		}
		if err != nil {
			return e.Answer(ctx, 0, err)
		}
		return e.Ask(request, func(ctx context.Context, v quickjs.Value) quickjs.Value {
			if v != quickjs.Exception {
				v, err = retained(ctx, vm, vm.Namespace(marked))
			}
			return e.Answer(ctx, v, err)
		})
	}), nil)
}

// retained returns a value that the engine holds on to as the result of a host function, which has a reference of its
// own.
func retained(ctx context.Context, vm *quickjs.VM, v quickjs.Value) (quickjs.Value, error) {
	return v, vm.Retain(ctx, v)
}

// quoted returns a text as a string of JavaScript.
func quoted(text string) string {
	quoted, _ := json.Marshal(text) // strings do not fail
	return string(quoted)
}
