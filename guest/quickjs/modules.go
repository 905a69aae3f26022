package quickjs

import (
	"context"
	"errors"
	"strings"

	"github.com/tetratelabs/wazero/api"
)

// A ModuleDef is a module (JSModuleDef*) that the engine has compiled. Its imports must be set with [VM.SetImport]
// before the engine sees it, except for the engine's own modules.
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
	if vm.state.Unlinked, err = vm.TakeModule(ctx, v, unlinkedName); err == nil && vm.state.Unlinked == 0 {
		err = errors.New("quickjs: an empty module is not compiled")
	}
	return err
}

// RequestModule makes a request to compile an ES module, without its imports. Pass the result to [VM.TakeModule].
// While the engine compiles, it asks for the names of modules; [VM.Linking] is true then.
func (vm *VM) RequestModule(ctx context.Context, source, name string) (Request, error) {
	r, err := vm.requestEval(ctx, kindEvalNow, source, name, evalModule|evalCompile)
	vm.linking = err == nil
	return r, err
}

// RequestRunModule makes a request to run an ES module whose imports are modules that are linked already. The result is
// the promise of its evaluation.
func (vm *VM) RequestRunModule(ctx context.Context, source, name string) (Request, error) {
	return vm.requestEval(ctx, kindEvalNow, source, name, evalModule)
}

// CanEvaluate looks at a module and all its imports. ready means that none of them is being evaluated, or still lacks
// an import; waits means that one of them has an await at its top level.
func (vm *VM) CanEvaluate(def ModuleDef) (ready, waits bool) {
	ready = true
	seen := map[ModuleDef]bool{vm.state.Unlinked: true}
	left := []ModuleDef{def}
	for len(left) > 0 {
		def, left = left[len(left)-1], left[:len(left)-1]
		if seen[def] {
			continue
		}
		seen[def] = true
		state := vm.u32(uint32(def) + moduleState)
		waits = waits || state&moduleWaits != 0
		switch state >> moduleStatus {
		case statusEvaluated:
			continue
		case statusLinking, statusEvaluating:
			ready = false
		}
		for n := range vm.Imports(def) {
			imported := ModuleDef(vm.u32(vm.importEntry(def, n) + importModule))
			ready = ready && imported != vm.state.Unlinked
			left = append(left, imported)
		}
	}
	return ready, waits
}

// Namespace returns the object with a module's exports, or Undefined if no module has imported it as a whole. The
// engine holds on to it.
func (vm *VM) Namespace(def ModuleDef) Value {
	v, ok := vm.memory.ReadUint64Le(uint32(def) + moduleNamespace)
	if !ok || !Value(v).IsObject() {
		return Undefined
	}
	return Value(v)
}

// Linking reports whether a module is being compiled. When the engine then asks for the name of a module, answer
// with that of [VM.Unlinked].
func (vm *VM) Linking() bool { return vm.linking }

// Unlinked returns the name, a C string, of the module that stands in for all imports during compilation.
func (vm *VM) Unlinked(ctx context.Context) (uint32, error) { return vm.Name(ctx, unlinkedName) }

// TakeModule returns the compiled module, or 0 if there is an exception. Unless another module has its name, the
// module can be found by it from now on.
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
	if err := vm.redirectExports(ctx, def); err != nil {
		return 0, err
	}
	return def, vm.Free(ctx, v) // the engine holds on to it
}

// redirectExports makes what a compiled module imports and exports, as in
//
//	import { x } from './x.js'
//	export { x }
//
// exports of the modules that it comes from, as if the module had export { x } from './x.js'. The language asks for
// that (ParseModule), but the engine takes each for a variable of the module, which there is not before the module has
// been linked; in a cycle others need it earlier (ef7a3a7). Namespaces are variables from the beginning.
func (vm *VM) redirectExports(ctx context.Context, def ModuleDef) error {
	imports := map[uint32]uint32{} // the JSImportEntry of each variable
	for n := range vm.u32(uint32(def) + moduleNameCount) {
		entry := vm.u32(uint32(def)+moduleNames) + n*nameSize
		if vm.u32(entry+nameImported) != atomStar {
			imports[vm.u32(entry+nameVariable)] = entry
		}
	}
	if len(imports) == 0 {
		return nil
	}
	for n := range vm.u32(uint32(def) + moduleExportCount) {
		entry := vm.u32(uint32(def)+moduleExports) + n*exportSize
		imported, ok := imports[vm.u32(entry+exportVariable)]
		if !ok || vm.u32(entry+exportType) != exportLocal {
			continue
		}
		local := vm.u32(entry + exportName)
		name, err := vm.copyAtom(ctx, vm.u32(imported+nameImported))
		if err != nil {
			return err
		}
		vm.memory.WriteUint32Le(entry+exportVariable, vm.u32(imported+nameModule))
		vm.memory.WriteUint32Le(entry+exportType, exportIndirect)
		vm.memory.WriteUint32Le(entry+exportName, name)
		if _, err := vm.callLeaf(ctx, "JS_FreeAtom", uint64(vm.state.Context), uint64(local)); err != nil {
			return err
		}
	}
	return nil
}

// copyAtom returns a JSAtom with one reference more.
func (vm *VM) copyAtom(ctx context.Context, atom uint32) (uint32, error) {
	v, err := vm.callLeaf(ctx, "JS_AtomToValue", uint64(vm.state.Context), uint64(atom))
	if err != nil {
		return 0, err
	}
	same, err := vm.callLeaf(ctx, "JS_ValueToAtom", uint64(vm.state.Context), v)
	if err != nil {
		return 0, err
	}
	return api.DecodeU32(same), vm.Free(ctx, Value(v))
}

// Module returns the module of a name, or 0.
func (vm *VM) Module(name string) ModuleDef {
	if def, ok := vm.state.Modules[name]; ok {
		return def
	}
	return vm.modules[name]
}

// Modules returns the number of named modules, beside those of the engine and the prelude.
func (vm *VM) Modules() int { return len(vm.modules) }

// ForgetModule makes a module that TakeModule has named impossible to find. It is for modules that cannot be
// linked.
func (vm *VM) ForgetModule(def ModuleDef, name string) {
	vm.memory.WriteUint32Le(uint32(def)+moduleName, 0)
	if vm.modules[name] == def {
		delete(vm.modules, name)
	}
}

// Meta returns a module's import.meta, or Undefined. The engine holds on to it.
func (vm *VM) Meta(def ModuleDef) Value {
	v, ok := vm.memory.ReadUint64Le(uint32(def) + moduleMeta)
	if !ok || !Value(v).IsObject() {
		return Undefined
	}
	return Value(v)
}

// Imports returns how many modules a module imports.
func (vm *VM) Imports(def ModuleDef) int { return int(vm.u32(uint32(def) + moduleImportCount)) }

// IsSet reports whether the nth import of a module, from 0, has been set.
func (vm *VM) IsSet(def ModuleDef, n int) bool {
	return ModuleDef(vm.u32(vm.importEntry(def, n)+importModule)) != vm.state.Unlinked
}

// Specifier returns the specifier of a module's nth import. It is false if that is longer than limit bytes.
func (vm *VM) Specifier(ctx context.Context, def ModuleDef, n, limit int) (string, bool, error) {
	atom := vm.u32(vm.importEntry(def, n) + importSpecifier)
	v, err := vm.callLeaf(ctx, "JS_AtomToValue", uint64(vm.state.Context), uint64(atom))
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

// SetImport sets the nth import of a module.
func (vm *VM) SetImport(def ModuleDef, n int, module ModuleDef) {
	vm.memory.WriteUint32Le(vm.importEntry(def, n)+importModule, uint32(module))
}

func (vm *VM) importEntry(def ModuleDef, n int) uint32 {
	return vm.u32(uint32(def)+moduleImports) + uint32(n)*importSize
}
