package quickjs

import (
	"context"
	"encoding/binary"
)

// A Request asks the engine to do something while it waits for the answer of a host function. The host function
// returns [Request.Value]. When the engine has done it, it calls the host function again, with the result and
// [ResumeArgc]. Release the request then.
type Request uint64

// Value is the value that a host function returns to make the request.
func (r Request) Value() Value { return Value(r) }

func (r Request) pointer() uint32 { return Value(r).pointer() }

// newRequest makes a request with room for size bytes behind it.
func (vm *VM) newRequest(ctx context.Context, kind uint32, size int) (Request, error) {
	p, err := vm.malloc(ctx, requestSize+size)
	if err != nil {
		return 0, err
	}
	header := [requestSize]byte{}
	binary.LittleEndian.PutUint32(header[requestKind:], kind)
	vm.memory.Write(p, header[:])
	return Request(tagRequest<<32 | uint64(p)), nil
}

// RequestEval makes a request for [VM.EvalNow].
func (vm *VM) RequestEval(ctx context.Context, source, name string) (Request, error) {
	return vm.requestEval(ctx, kindEvalNow, source, name, 0)
}

func (vm *VM) requestEval(ctx context.Context, kind uint32, source, name string, flags uint32) (Request, error) {
	size := uint32(len(source) + 1 + len(name) + 1) // two C strings, of which the engine keeps none
	r, err := vm.newRequest(ctx, kind, int(size))
	if err != nil {
		return 0, err
	}
	p := r.pointer()
	code := p + requestSize
	file := code + uint32(len(source)) + 1
	vm.memory.WriteUint32Le(p+evalCode, code)
	vm.memory.WriteUint32Le(p+evalLength, uint32(len(source)))
	vm.memory.WriteUint32Le(p+evalName, file)
	vm.memory.WriteUint32Le(p+evalFlags, flags)
	room, ok := vm.memory.Read(code, size)
	if !ok {
		return 0, ErrNoMemory
	}
	copy(room[file-code:], name)
	room[size-1] = 0
	return r, vm.copyPieces(room[:file-code], source)
}

// RequestCall makes a request for [VM.Call].
func (vm *VM) RequestCall(ctx context.Context, function Value, args ...Value) (Request, error) {
	r, err := vm.newRequest(ctx, kindCall, 8*len(args))
	if err != nil {
		return 0, err
	}
	p := r.pointer()
	vm.memory.WriteUint64Le(p+callTarget, uint64(function))
	vm.memory.WriteUint32Le(p+callCount, uint32(len(args)))
	for i, arg := range args {
		vm.memory.WriteUint64Le(p+requestSize+uint32(8*i), uint64(arg))
	}
	return r, nil
}

// Do carries out a request directly, and releases it. Use it outside of host functions.
func (vm *VM) Do(ctx context.Context, r Request) (Value, error) {
	v, err := vm.call(ctx, performExport, uint64(vm.state.Context), uint64(r.pointer()))
	if err != nil {
		return 0, err
	}
	return Value(v), vm.Release(ctx, r)
}

// performExport is the export whose place perform has taken.
const performExport = "QJS_ThrowInternalError"

// Release frees the memory of a completed request.
func (vm *VM) Release(ctx context.Context, r Request) error { return vm.free(ctx, r.pointer()) }
