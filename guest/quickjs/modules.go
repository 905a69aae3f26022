package quickjs

import (
	"context"
	"errors"
	"strings"
)

// A ModuleDef is a module (JSModuleDef*) that the engine has compiled. What it imports has to be set by [VM.SetImport] before the engine
// gets to see it, but for modules of the engine's own.
type ModuleDef uint32

// unlinkedName is the name of the module that stands for those that are not there yet.
const unlinkedName = PreludeName + "unlinked"

// startModules makes the module that stands for others.
func (vm *VM) startModules(ctx context.Context) error {
	r, err := vm.RequestModule(ctx, "", unlinkedName)
	if err != nil {
		return err
	}
	v, err := vm.Do(ctx, r)
	if err != nil {
		return err
	}
	if vm.state.unlinked, err = vm.TakeModule(ctx, v, unlinkedName); err == nil && vm.state.unlinked == 0 {
		err = errors.New("quickjs: an empty module is not compiled")
	}
	return err
}

// RequestModule is for the compilation of an ES module, and of nothing that it imports. The result is for [VM.TakeModule]. While the
// engine does that, it asks for the names of modules, which is when [VM.Linking] is true.
func (vm *VM) RequestModule(ctx context.Context, source, name string) (Request, error) {
	r, err := vm.requestEval(ctx, kindEvalNow, source, name, evalModule|evalCompile)
	vm.linking = err == nil
	return r, err
}

// Linking says whether a module is being compiled. Instead of the name that a specifier in it means, the engine gets that of
// [VM.Unlinked].
func (vm *VM) Linking() bool { return vm.linking }

// Unlinked is the name, a C string, by which the engine finds a module that stands for others.
func (vm *VM) Unlinked(ctx context.Context) (uint32, error) { return vm.Name(ctx, unlinkedName) }

// TakeModule returns the module that has been compiled, or 0 if there is an exception. If there is no other one of its name, it is found
// by that from now on.
func (vm *VM) TakeModule(ctx context.Context, v Value, name string) (ModuleDef, error) {
	vm.linking = false
	if v.tag() != tagModule {
		return 0, nil
	}
	def := ModuleDef(v.pointer())
	if vm.Module(name) == 0 {
		if vm.modules == nil {
			vm.modules = map[string]ModuleDef{}
		}
		vm.modules[name] = def
	}
	return def, vm.Free(ctx, v) // the engine holds on to it
}

// Module returns the module with a name, or 0.
func (vm *VM) Module(name string) ModuleDef {
	if def, ok := vm.state.modules[name]; ok {
		return def
	}
	return vm.modules[name]
}

// Modules is how many modules there are with names, besides those of the engine and the prelude.
func (vm *VM) Modules() int { return len(vm.modules) }

// ForgetModule makes a module that has been taken with a name not be found any more. It is for those that cannot be linked.
func (vm *VM) ForgetModule(def ModuleDef, name string) {
	vm.memory.WriteUint32Le(uint32(def)+moduleName, 0)
	if vm.modules[name] == def {
		delete(vm.modules, name)
	}
}

// Imports is how many modules a module imports.
func (vm *VM) Imports(def ModuleDef) int { return int(vm.u32(uint32(def) + moduleImportCount)) }

// IsSet says whether the nth module that a module imports, from 0, is there.
func (vm *VM) IsSet(def ModuleDef, n int) bool {
	return ModuleDef(vm.u32(vm.importEntry(def, n)+importModule)) != vm.state.unlinked
}

// Specifier returns by what a module imports the nth one. It is false if that is longer than limit bytes.
func (vm *VM) Specifier(ctx context.Context, def ModuleDef, n, limit int) (string, bool, error) {
	atom := vm.u32(vm.importEntry(def, n) + importSpecifier)
	v, err := vm.callLeaf(ctx, "JS_AtomToValue", uint64(vm.state.context), uint64(atom))
	if err != nil {
		return "", false, err
	}
	specifier, cut, ok := vm.String(Value(v), limit)
	if err := vm.Free(ctx, Value(v)); err != nil {
		return "", false, err
	}
	specifier, _, _ = strings.Cut(specifier, "\x00") // as where the engine asks for the names of modules itself
	return specifier, ok && cut == 0, nil
}

// SetImport sets the nth module that a module imports.
func (vm *VM) SetImport(def ModuleDef, n int, module ModuleDef) {
	vm.memory.WriteUint32Le(vm.importEntry(def, n)+importModule, uint32(module))
}

func (vm *VM) importEntry(def ModuleDef, n int) uint32 {
	return vm.u32(uint32(def)+moduleImports) + uint32(n)*importSize
}
