package guest

import (
	"bytes"
	"context"
	"math"
)

// Flags of JS_Eval.
const (
	evalModule  = 1 << 0
	evalStrict  = 1 << 3
	evalCompile = 1 << 5
)

// evalNowExport is the export whose place evalNow has taken.
const evalNowExport = "QJS_ThrowInternalError"

// Eval runs source as a strict script in global scope, then all jobs that are waiting (promise reactions, mostly) until
// none is left, and returns the script's completion value. The value must not be a promise. The engine reads source up
// to the first NUL.
func (vm *VM) Eval(ctx context.Context, source, name string) (Value, error) {
	return vm.eval(ctx, "QJS_Eval", source, name, evalStrict)
}

// RunJobs runs all jobs that are waiting until none is left. It returns Exception if one of them could not be run.
func (vm *VM) RunJobs(ctx context.Context) (Value, error) { return vm.Eval(ctx, ";", "toolrun:jobs") }

// EvalNow runs source as a script in global scope, and returns its completion value. It does not run jobs, so it can be used by
// host functions. The script is not strict, unless it says so.
func (vm *VM) EvalNow(ctx context.Context, source, name string) (Value, error) {
	return vm.eval(ctx, evalNowExport, source, name, 0)
}

// Compiles says whether source is a strict script without syntax errors. None of it runs. If it is not, there is an exception.
func (vm *VM) Compiles(ctx context.Context, source, name string) (bool, error) {
	v, err := vm.eval(ctx, evalNowExport, source, name, evalStrict|evalCompile)
	if err != nil || v == Exception {
		return false, err
	}
	return true, vm.Free(ctx, v)
}

// A ModuleDef is a module (JSModuleDef*) that the engine has compiled, and that it finds from then on by its name.
type ModuleDef uint32

// CompileModule compiles an ES module, and all that it imports. The module is 0 if there is an exception.
func (vm *VM) CompileModule(ctx context.Context, source, name string) (ModuleDef, error) {
	vm.compiling++
	v, err := vm.eval(ctx, evalNowExport, source, name, evalModule|evalCompile)
	vm.compiling--
	if err != nil {
		return 0, err
	}
	def := ModuleDef(0)
	if v.tag() == tagModule {
		def = ModuleDef(v.pointer())
		vm.compiled = append(vm.compiled, def)
		err = vm.Free(ctx, v) // the engine holds on to it
	}
	if vm.compiling == 0 {
		vm.settle(def != 0)
	}
	return def, err
}

// settle ends a CompileModule that is inside of no other. If it has failed, the engine has freed the modules that failed, but those of
// them that did not can refer to these: they lose their names, so that they are not found any more.
func (vm *VM) settle(ok bool) {
	for _, def := range vm.compiled {
		if !ok {
			vm.memory.WriteUint32Le(uint32(def)+moduleName, 0)
		}
	}
	vm.compiled = vm.compiled[:0]
}

// eval calls an export with source and its name.
func (vm *VM) eval(ctx context.Context, function, source, name string, flags uint64) (Value, error) {
	file, err := vm.Name(ctx, name)
	if err != nil {
		return 0, err
	}
	code, err := vm.cString(ctx, source)
	if err != nil {
		return 0, err
	}
	options, err := vm.callLeaf(ctx, "QJS_CreateEvalOption", uint64(code), 0, uint64(len(source)), uint64(file), flags)
	if err != nil {
		return 0, err
	}
	if uint32(options) == 0 {
		return 0, ErrNoMemory
	}
	v, err := vm.call(ctx, function, uint64(vm.state.context), options)
	if err != nil {
		return 0, err
	}
	if err := vm.free(ctx, uint32(options)); err != nil {
		return 0, err
	}
	return Value(v), vm.free(ctx, code)
}

// Name returns a C string in the instance with the name of a module or file. It stays there: there are only a few.
func (vm *VM) Name(ctx context.Context, name string) (uint32, error) {
	if p, ok := vm.state.names[name]; ok {
		return p, nil
	}
	if p, ok := vm.names[name]; ok {
		return p, nil
	}
	p, err := vm.cString(ctx, name)
	if err == nil {
		if vm.names == nil {
			vm.names = map[string]uint32{}
		}
		vm.names[name] = p
	}
	return p, err
}

// CString reads a C string of at most limit bytes. It is false if there is none.
func (vm *VM) CString(p uint32, limit int) (string, bool) {
	data, ok := vm.memory.Read(p, uint32(min(int64(limit)+1, int64(vm.memory.Size())-int64(p), math.MaxInt32)))
	if !ok {
		return "", false
	}
	end := bytes.IndexByte(data, 0)
	if end < 0 {
		return "", false
	}
	return string(data[:end]), true
}
