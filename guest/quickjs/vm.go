package quickjs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/tetratelabs/wazero/api"

	"github.com/toolrun/toolrun/internal/text/utf8text"
)

// A VM drives the engine in one instance of [Module]. It is not safe for concurrent use.
//
// A method that returns an error could not finish: the instance trapped or was stopped, and must be thrown away. A
// JavaScript exception is not an error; it is the value [Exception], and [VM.TakeException] takes the thrown value.
//
// Values hold memory until [VM.Free], which is unnecessary in an instance that is thrown away.
type VM struct {
	// Work, if set, is called before each piece of work in Go that takes time in proportion to a text or to bytes,
	// with the size of the piece, at most about [PieceSize]. If it returns an error, the work ends with it.
	Work func(bytes int) error

	instance api.Module
	memory   api.Memory

	state State
	// Names and modules in the instance that are not in the state.
	names   map[string]uint32
	modules map[string]ModuleDef

	stackPointer api.MutableGlobal
	functions    map[string]*function
	leaf         bool // a call is in progress that must not run scripts
	depth        int  // nested calls into the engine
	broken       bool // a call has not returned

	linking bool // a module is being compiled
}

// function is an export of the engine. An api.Function must not be called again before it has returned, so each nested
// call needs its own.
type function struct {
	spare []*entry
}

// entry is a way into an export.
type entry struct {
	fn    api.Function
	stack [8]uint64 // arguments and result
}

// Start initialises the engine in a fresh instance and gives it a stack of 1280 KiB. It fails if the
// instance is of another build than the one that this package is written for.
func Start(ctx context.Context, instance api.Module) (*VM, error) {
	vm, err := newVM(instance)
	if err != nil {
		return nil, err
	}
	base, err := vm.malloc(ctx, stackSize)
	if err != nil {
		return nil, fmt.Errorf("quickjs: allocating the stack: %w", err)
	}
	vm.state.StackBase = base
	top := (base + stackSize) &^ 15
	vm.stackPointer.Set(uint64(top))

	qjs, err := vm.call(ctx, "New_QJS", 0, 0, 0, 0)
	if err != nil {
		return nil, fmt.Errorf("quickjs: starting the engine: %w", err)
	}
	vm.state.Runtime = vm.u32(uint32(qjs) + qjsRuntime)
	vm.state.Context = vm.u32(uint32(qjs) + qjsContext)
	if vm.state.Runtime == 0 || vm.state.Context == 0 {
		return nil, errors.New("quickjs: starting the engine: out of memory")
	}
	if t := vm.u32(vm.state.Runtime + runtimeStackTop); t > top || t < top-64<<10 {
		return nil, errors.New("quickjs: the stack top is not where it should be: is this another build of the engine?")
	}
	vm.setStackLimit(base + stackReserve)
	return vm, nil
}

func newVM(instance api.Module) (*VM, error) {
	vm := &VM{instance: instance, memory: instance.Memory(), functions: map[string]*function{}}
	var ok bool
	if vm.stackPointer, ok = instance.ExportedGlobal(stackPointerExport).(api.MutableGlobal); !ok || vm.memory == nil {
		return nil, errors.New("quickjs: not an instance of the engine")
	}
	return vm, nil
}

func (vm *VM) setStackLimit(limit uint32) {
	vm.memory.WriteUint32Le(vm.state.Runtime+runtimeStackLimit, limit)
}

// CollectAt sets after how many allocated bytes the engine first collects cycles (by default 256 KiB). Later it
// collects when there is half as much again as was left the last time.
func (vm *VM) CollectAt(bytes uint32) {
	vm.memory.WriteUint32Le(vm.state.Runtime+runtimeCollectAt, bytes)
}

// SeedRandom sets the state of Math.random, which is never zero.
func (vm *VM) SeedRandom(seed uint64) {
	vm.memory.WriteUint64Le(vm.state.Context+contextRandomState, max(seed, 1))
}

// RandomUsed reports whether Math.random was used since SeedRandom with this seed.
func (vm *VM) RandomUsed(seed uint64) bool {
	now, _ := vm.memory.ReadUint64Le(vm.state.Context + contextRandomState)
	return now != max(seed, 1)
}

// maxDepth is how many calls into the engine can be nested: one that runs a script, and within it one that does not.
const maxDepth = 2

// call calls an export of the engine. The result is 0 where it has none.
func (vm *VM) call(ctx context.Context, name string, args ...uint64) (uint64, error) {
	if vm.depth >= maxDepth {
		return 0, errors.New("quickjs: the host calls the engine while the engine calls the host")
	}
	f := vm.functions[name]
	if f == nil {
		f = &function{}
		vm.functions[name] = f
	}
	var e *entry
	if last := len(f.spare) - 1; last >= 0 {
		e, f.spare = f.spare[last], f.spare[:last]
	} else if fn := vm.instance.ExportedFunction(name); fn != nil {
		e = &entry{fn: fn}
	} else {
		return 0, fmt.Errorf("quickjs: the engine has no function %s", name)
	}
	vm.depth++
	clear(e.stack[copy(e.stack[:], args):])
	err := e.fn.CallWithStack(ctx, e.stack[:])
	vm.depth--
	if err != nil {
		vm.broken = true
		return 0, err
	}
	f.spare = append(f.spare, e)
	return e.stack[0], nil
}

// Depth returns how many calls into the engine are nested. Each has a native stack, so a host function must only
// call methods that run no script (see Leaf); for others use a [Request].
func (vm *VM) Depth() int { return vm.depth }

// Broken reports whether a call has trapped or was stopped, which makes the instance unusable.
func (vm *VM) Broken() bool { return vm.broken }

// callLeaf is call for functions that must not run scripts. They may still do so: if one throws an error, the engine
// calls Error.prepareStackTrace. Host functions must be refused then (see Leaf), since their caller has not finished.
func (vm *VM) callLeaf(ctx context.Context, name string, args ...uint64) (uint64, error) {
	outer := vm.leaf
	vm.leaf = true
	defer func() { vm.leaf = outer }()
	return vm.call(ctx, name, args...)
}

// Leaf reports whether the current call must not run scripts; refuse host functions then.
func (vm *VM) Leaf() bool { return vm.leaf }

// ErrNoMemory means that the engine could not allocate memory for a value from the host.
var ErrNoMemory = errors.New("quickjs: out of memory")

// malloc allocates n bytes in the instance.
func (vm *VM) malloc(ctx context.Context, n int) (uint32, error) {
	if n > math.MaxInt32 { // the engine would see only the lower half
		return 0, ErrNoMemory
	}
	p, err := vm.callLeaf(ctx, "malloc", uint64(n))
	if err == nil && uint32(p) == 0 {
		err = ErrNoMemory
	}
	return uint32(p), err
}

// GrowHeap adds n bytes to the engine's heap, so that memory does not grow for scripts that need no more.
func (vm *VM) GrowHeap(ctx context.Context, n int) error {
	p, err := vm.malloc(ctx, n)
	if err != nil {
		return err
	}
	return vm.free(ctx, p)
}

func (vm *VM) free(ctx context.Context, p uint32) error {
	_, err := vm.callLeaf(ctx, "free", uint64(p))
	return err
}

// cString copies s into the instance, with a NUL behind it. The caller frees it.
func (vm *VM) cString(ctx context.Context, s string) (uint32, error) {
	p, err := vm.malloc(ctx, len(s)+1)
	if err != nil {
		return 0, err
	}
	room, ok := vm.memory.Read(p, uint32(len(s))+1)
	if !ok {
		return 0, ErrNoMemory
	}
	return p, vm.copyPieces(room, s)
}

// lend copies s into the instance as a C string for one call.
func (vm *VM) lend(ctx context.Context, s string, call func(p uint64) (uint64, error)) (Value, error) {
	p, err := vm.cString(ctx, s)
	if err != nil {
		return 0, err
	}
	v, err := call(uint64(p))
	if err != nil {
		return 0, err
	}
	return Value(v), vm.free(ctx, p)
}

// Call calls a function. It does not run jobs.
func (vm *VM) Call(ctx context.Context, function Value, args ...Value) (Value, error) {
	r, err := vm.RequestCall(ctx, function, args...)
	if err != nil {
		return 0, err
	}
	return vm.Do(ctx, r)
}

// TakeException returns the value that was thrown last, and clears it.
func (vm *VM) TakeException(ctx context.Context) (Value, error) {
	v, err := vm.callLeaf(ctx, "JS_GetException", uint64(vm.state.Context))
	return Value(v), err
}

// Free releases a value.
func (vm *VM) Free(ctx context.Context, v Value) error {
	_, err := vm.callLeaf(ctx, "QJS_FreeValue", uint64(vm.state.Context), uint64(v))
	return err
}

// Property returns a property of an object. The name must not contain NULs.
func (vm *VM) Property(ctx context.Context, object Value, name string) (Value, error) {
	return vm.lend(ctx, name, func(p uint64) (uint64, error) {
		return vm.call(ctx, "JS_GetPropertyStr", uint64(vm.state.Context), uint64(object), p)
	})
}

// newObject returns a new empty object.
func (vm *VM) newObject(ctx context.Context) (Value, error) {
	v, err := vm.callLeaf(ctx, "JS_NewObject", uint64(vm.state.Context))
	return Value(v), err
}

// ParseJSON returns the value of a JSON text, or Exception if the text is invalid.
func (vm *VM) ParseJSON(ctx context.Context, text string) (Value, error) {
	return vm.lend(ctx, text, func(p uint64) (uint64, error) {
		return vm.callLeaf(ctx, "QJS_ParseJSON", uint64(vm.state.Context), p)
	})
}

// NewArrayBuffer returns a new ArrayBuffer with a copy of data.
func (vm *VM) NewArrayBuffer(ctx context.Context, data []byte) (Value, error) {
	return vm.FillArrayBuffer(ctx, len(data), func(memory []byte) error {
		return vm.copyPieces(memory, utf8text.View(data)) // which nobody changes meanwhile
	})
}

// FillArrayBuffer returns a new ArrayBuffer of some size that fill fills. Its bytes are any before that; fill must not
// keep the memory.
func (vm *VM) FillArrayBuffer(ctx context.Context, size int, fill func(memory []byte) error) (Value, error) {
	if size > math.MaxInt32 {
		return 0, ErrNoMemory
	}
	// a copy of any bytes, which are overwritten below
	v, err := vm.callLeaf(ctx, "JS_NewArrayBufferCopy", uint64(vm.state.Context), 0, uint64(size))
	if err != nil {
		return 0, err
	}
	if Value(v) == Exception {
		return 0, ErrNoMemory
	}
	if content, ok := vm.ArrayBuffer(Value(v)); ok {
		err = fill(content)
	}
	return Value(v), err
}

// NewHostFunction returns a JavaScript function that calls the import env.jsFunctionProxy. It is an ordinary
// function around the native one; the prelude extracts the native one, because scripts could tamper with the
// wrapper.
func (vm *VM) NewHostFunction(ctx context.Context) (Value, error) {
	v, err := vm.callLeaf(ctx, "QJS_CreateFunctionProxy", uint64(vm.state.Context), 0, 0, 0)
	return Value(v), err
}

// Arguments puts arguments of a call of a host function into values, as many as there is room for, and returns how
// many.
func (vm *VM) Arguments(argc, argv uint32, values []Value) int {
	n := min(argc, uint32(len(values)))
	data, ok := vm.memory.Read(argv, 8*n)
	if !ok {
		return 0
	}
	for i := range n {
		values[i] = Value(binary.LittleEndian.Uint64(data[8*i:]))
	}
	return int(n)
}

// ArrayBuffer returns the content of an ArrayBuffer or SharedArrayBuffer. The bytes are the instance's memory: they
// change when the script goes on. It is false for any other value.
func (vm *VM) ArrayBuffer(v Value) ([]byte, bool) {
	if !v.IsObject() {
		return nil, false
	}
	class, ok := vm.memory.ReadUint16Le(v.pointer() + objectClass)
	if !ok || class != classArrayBuffer && class != classSharedArrayBuffer {
		return nil, false
	}
	buffer := vm.u32(v.pointer() + objectArrayBuffer)
	return vm.memory.Read(vm.u32(buffer+arrayBufferData), vm.u32(buffer+arrayBufferLength))
}

// IsPlain reports whether v is an array, or an object that holds nothing but properties; a Map, Date or Proxy, for
// instance, is not.
func (vm *VM) IsPlain(v Value) bool {
	class, ok := vm.memory.ReadUint16Le(v.pointer() + objectClass)
	return v.IsObject() && ok && (class == classObject || class == classArray)
}

// Class returns the number of an object's class, or 0 if v is not an object. Objects made by the same constructor of
// the language have the same.
func (vm *VM) Class(v Value) int {
	if !v.IsObject() {
		return 0
	}
	class, _ := vm.memory.ReadUint16Le(v.pointer() + objectClass)
	return int(class)
}

// PromiseState returns 0 for a pending promise, 1 for a fulfilled and 2 for a rejected one, and the value or the reason
// of these. It is -1 if v is not a promise. Retain the result before it is handed to the guest.
func (vm *VM) PromiseState(v Value) (state int, result Value) {
	if vm.Class(v) != classPromise {
		return -1, Undefined
	}
	promise := vm.u32(v.pointer() + objectPromise)
	r, ok := vm.memory.ReadUint64Le(promise + promiseResult)
	state = int(vm.u32(promise + promiseState))
	if !ok || state != 1 && state != 2 {
		return 0, Undefined
	}
	return state, Value(r)
}

// ProxyParts returns the target and the handler of a proxy, which are null if it is revoked. It is false if v is not a
// proxy. Retain them before they are handed to the guest.
func (vm *VM) ProxyParts(v Value) (target, handler Value, ok bool) {
	if vm.Class(v) != classProxy {
		return 0, 0, false
	}
	proxy := vm.u32(v.pointer() + objectProxy)
	t, ok1 := vm.memory.ReadUint64Le(proxy + proxyTarget)
	h, ok2 := vm.memory.ReadUint64Le(proxy + proxyHandler)
	return Value(t), Value(h), ok1 && ok2
}

// Retain keeps a value alive until one more Free of it.
func (vm *VM) Retain(ctx context.Context, v Value) error {
	_, err := vm.callLeaf(ctx, "QJS_CloneValue", uint64(vm.state.Context), uint64(v))
	return err
}

// UnhandledRejection returns the reason of a rejected promise, if nothing has handled the rejection yet.
func (vm *VM) UnhandledRejection(v Value) (reason Value, unhandled bool) {
	if !v.IsObject() {
		return 0, false
	}
	class, _ := vm.memory.ReadUint16Le(v.pointer() + objectClass)
	promise := vm.u32(v.pointer() + objectPromise)
	handled, ok := vm.memory.ReadByte(promise + promiseHandled)
	if class != classPromise || !ok || handled != 0 || vm.u32(promise+promiseState) != 2 {
		return 0, false
	}
	result, _ := vm.memory.ReadUint64Le(promise + promiseResult)
	return Value(result), true
}

// u32 reads a number from memory; outside of memory there are only zeros.
func (vm *VM) u32(at uint32) uint32 {
	v, _ := vm.memory.ReadUint32Le(at)
	return v
}
