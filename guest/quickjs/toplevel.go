package quickjs

import (
	"context"
	"encoding/binary"
)

// evalAsync makes JS_Eval take await, and return a promise.
const evalAsync = 1 << 7

// EvalTop runs source in global scope, where return and await work too, and returns the promise of what it returns.
// What it declares stays there for code that runs later, and takes the place of what has the same names. It is
// Exception if source does not compile; nothing has changed then. The source is strict only if it says so.
func (vm *VM) EvalTop(ctx context.Context, source, name string) (Value, error) {
	source += "\n;return;" // otherwise the promise would be that of an object with the completion value
	if v, err := vm.forgetDeclared(ctx, source, name); err != nil || v == Exception {
		return v, err
	}
	return vm.eval(ctx, kindEvalNow, source, name, evalAsync)
}

// Declarations returns the object that has what let, const and class declare in global scope as properties. It is the
// VM's.
func (vm *VM) Declarations() Value {
	declarations, _ := vm.memory.ReadUint64Le(vm.state.Context + contextDeclarations)
	return Value(declarations)
}

// forgetDeclared removes what source will declare. It returns Exception if source does not compile.
func (vm *VM) forgetDeclared(ctx context.Context, source, name string) (Value, error) {
	code, err := vm.eval(ctx, kindEvalNow, source, name, evalAsync|evalCompile)
	if err != nil || code == Exception {
		return code, err
	}
	start, length := vm.u32(code.pointer()+bytecodeStart), vm.u32(code.pointer()+bytecodeLength)
	bytes, _ := vm.memory.Read(start, length)
	declarations := uint64(vm.Declarations())
	var names []uint32
	for len(bytes) >= opCheckDefineSize && bytes[0] == opCheckDefine {
		names = append(names, binary.LittleEndian.Uint32(bytes[1:]))
		bytes = bytes[opCheckDefineSize:]
	}
	for _, name := range names {
		if _, err := vm.callLeaf(ctx, "JS_DeleteProperty", uint64(vm.state.Context),
			declarations, uint64(name), 0); err != nil {
			return 0, err
		}
	}
	return Undefined, vm.Free(ctx, code)
}
