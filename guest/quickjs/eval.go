package quickjs

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

// Eval runs source as a strict script in global scope, then all pending jobs (mostly promise reactions), and
// returns the script's completion value. The value must not be a promise. The engine reads source up to the first
// NUL.
func (vm *VM) Eval(ctx context.Context, source, name string) (Value, error) {
	return vm.eval(ctx, kindEval, source, name, evalStrict)
}

// RunJobs runs all pending jobs. It returns Exception if one of them could not be run.
func (vm *VM) RunJobs(ctx context.Context) (Value, error) { return vm.Eval(ctx, ";", "toolrun:jobs") }

// EvalNow runs source as a script in global scope, and returns its completion value. It runs no jobs. The script is
// strict only if it says so.
func (vm *VM) EvalNow(ctx context.Context, source, name string) (Value, error) {
	return vm.eval(ctx, kindEvalNow, source, name, 0)
}

// Compiles reports whether source is a script without syntax errors, without running it. If it is false, there is an
// exception. The script is strict only if it says so or strict is true.
func (vm *VM) Compiles(ctx context.Context, source, name string, strict bool) (bool, error) {
	flags := uint32(evalCompile)
	if strict {
		flags |= evalStrict
	}
	v, err := vm.eval(ctx, kindEvalNow, source, name, flags)
	if err != nil || v == Exception {
		return false, err
	}
	return true, vm.Free(ctx, v)
}

func (vm *VM) eval(ctx context.Context, kind uint32, source, name string, flags uint32) (Value, error) {
	r, err := vm.requestEval(ctx, kind, source, name, flags)
	if err != nil {
		return 0, err
	}
	return vm.Do(ctx, r)
}

// Name returns a C string in the instance with the name of a module. It is never freed: there are only a few.
func (vm *VM) Name(ctx context.Context, name string) (uint32, error) {
	if p, ok := vm.state.Names[name]; ok {
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

// CString reads a C string of at most limit bytes. It is false if p does not point to one.
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
