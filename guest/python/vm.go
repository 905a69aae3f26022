package python

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental/table"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// State is what the host knows of the boot code that is ready to run code.
type State struct {
	Run      uint32    // the function that does a run
	Function uint32    // what is in its vectorcall slot: an index of the table
	Bytes    uint32    // the type of bytes
	Version  uint32    // as sys.hexversion
	Stack    uint32    // the lowest address of the C stack
	Streams  [2]uint32 // the buffers of standard output and standard error
	Packages string    // the names of packages that the build has, with spaces between them
}

// A VM drives CPython in one instance. It is not safe for concurrent use.
type VM struct {
	instance api.Module
	memory   api.Memory
	state    State
	stack    api.MutableGlobal // the C stack pointer
	run      api.Function      // nil before the first call
}

// stackPointerExport is the name of the C stack pointer, which is the first global of a linked module.
var stackPointerExport = metering.GlobalExport(0)

// New returns a VM for an instance in which nothing has run yet, or which is in a state that [VM.State] has returned.
func New(instance api.Module) (*VM, error) {
	if instance.Memory() == nil || instance.ExportedFunction("_start") == nil {
		return nil, errors.New("python: the module is not a WASI command")
	}
	vm := &VM{instance: instance, memory: instance.Memory()}
	var ok bool
	if vm.stack, ok = instance.ExportedGlobal(stackPointerExport).(api.MutableGlobal); !ok ||
		vm.stack.Type() != api.ValueTypeI32 {
		return nil, errors.New("python: the module has no stack pointer")
	}
	return vm, nil
}

// Start runs the boot code. It does not return by itself: the boot code sends [OpReady], after which the caller ends
// the call with a panic.
func (vm *VM) Start(ctx context.Context) error {
	_, err := vm.instance.ExportedFunction("_start").Call(ctx)
	return err
}

// State returns what the VM has to know to go on in a copy of the instance.
func (vm *VM) State() State { return vm.state }

// Resume goes on in an instance that is a copy of one with the state.
func (vm *VM) Resume(state State) { vm.state = state }

// Kinds of requests of the boot code.
const (
	OpReady     = 'R' // it is ready for runs
	OpFill      = 'F' // it wants the bytes of the last answer: see [VM.Fill]
	OpBegin     = 'B' // it wants to know the run: the answer is an encoded [Task]
	OpText      = 'T' // the text of the result, after 4 bytes with the number of bytes that were left out
	OpData      = 'V' // the result as JSON
	OpExit      = 'Q' // the code has ended the run with a status of 4 bytes
	OpException = 'X' // the code has raised an [Exception], in JSON
	OpFiles     = 'O' // it wants to know how many files are open
	OpDuplicate = 'D' // it wants a second number for an open file: see [ParseDuplicate]
	OpEnd       = 'E' // the run has ended
	OpImported  = 'M' // the modules are imported; there is a byte if they have not used the module random
	OpSuspended = 'P' // the code waits for calls without an answer: see [Leave]
	OpCode      = 'L' // it wants the code, while it imports modules
	OpCall      = 'C' // it calls a function of the host, with a [Call] in JSON: the answer is an [Answer] in JSON
	// it starts such a call, after a byte: see [CanLeave]. The answer is its number, or 0 if too many are under way
	OpStart     = 'A'
	OpWait      = 'W' // it waits for the end of one: see [Wait] and [Ended]
	OpZone      = 'Z' // it wants the data of a time zone, by its name
	OpZoneNames = 'N' // it wants the names of all time zones, with a newline after each
	OpKey       = 'H' // it wants a key that is derived from a password: see [ParseKey]
	OpPicture   = 'I' // it shows an image, whose type and a NUL come first: the answer is what is printed in its place
	OpStreams   = 'S' // it says where the buffers of its output streams are: see [VM.Streams]
	OpPackages  = 'K' // it says which packages the build has beside the standard library: see [VM.Packages]
)

// maxRequest is how many bytes a request can have.
const maxRequest = 1 << 30

// Request returns a request of the guest: what kind it is, and its payload, which is the instance's memory and changes
// when the guest goes on. It is false if number is not that of a request.
func (vm *VM) Request(number uint32) (op byte, payload []byte, ok bool) {
	data, ok := vm.bytes(number)
	if !ok || len(data) == 0 {
		return 0, nil, false
	}
	return data[0], data[1:], true
}

// bytes returns the content of a bytes object.
func (vm *VM) bytes(object uint32) ([]byte, bool) {
	kind, ok := vm.u32(object + objectType)
	if !ok || vm.state.Bytes != 0 && kind != vm.state.Bytes {
		return nil, false
	}
	size, ok := vm.u32(object + bytesSize)
	if !ok || size > maxRequest {
		return nil, false
	}
	return vm.memory.Read(object+bytesData, size)
}

// u32 reads a number, unless its address has wrapped around or lies outside of memory.
func (vm *VM) u32(at uint32) (uint32, bool) {
	if at < objectType {
		return 0, false
	}
	return vm.memory.ReadUint32Le(at)
}

// Fill returns the room that the payload of an [OpFill] names, for an answer of some size.
func (vm *VM) Fill(payload []byte, size int) ([]byte, bool) {
	if len(payload) != 4 {
		return nil, false
	}
	room, ok := vm.bytes(binary.LittleEndian.Uint32(payload))
	return room, ok && len(room) == size
}

// Ready takes what [OpReady] says of the boot code, and checks it.
func (vm *VM) Ready(payload []byte) error {
	if len(payload) != 24 {
		return errors.New("python: the boot code sends something else than is expected")
	}
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(payload[4*i:]) }
	run, function, size, kindOfBytes, version, stack := word(0), word(1), word(2), word(3), word(4), word(5)
	kind, ok := vm.u32(run + objectType)
	if !ok || kind != function {
		return errors.New("python: the type of an object is not where it should be: is this another build of CPython?")
	}
	got, ok := vm.u32(function + typeBasicSize)
	if !ok || got != size || size < functionMinSize || size > functionMaxSize {
		return errors.New("python: the size of functions is not where it should be: is this another build of CPython?")
	}
	offset, ok := vm.u32(function + typeVectorcallOffset)
	if !ok || offset < 8 || offset > size-4 || offset%4 != 0 {
		return errors.New("python: functions have no vectorcall slot: is this another build of CPython?")
	}
	index, ok := vm.u32(run + offset)
	if !ok {
		return errors.New("python: the boot code is not in memory")
	}
	vm.state = State{Run: run, Function: index, Bytes: kindOfBytes, Version: version, Streams: vm.state.Streams,
		Packages: vm.state.Packages}
	room, ok := vm.bytes(stack)
	if !ok || len(room) != StackSize {
		return errors.New("python: there is no memory for the stack")
	}
	vm.state.Stack = stack + bytesData
	_, err := vm.function()
	return err
}

// Streams takes what [OpStreams] says of the output streams, and checks it.
func (vm *VM) Streams(payload []byte) error {
	if len(payload) != 4*len(vm.state.Streams) {
		return errors.New("python: the boot code sends something else than is expected")
	}
	for i := range vm.state.Streams {
		vm.state.Streams[i] = binary.LittleEndian.Uint32(payload[4*i:])
		if string(vm.Unwritten(i)) != streamMark {
			return errors.New("python: the buffer of a stream is not where it should be: " +
				"is this another build of CPython?")
		}
	}
	return nil
}

// Packages takes what [OpPackages] says.
func (vm *VM) Packages(payload []byte) { vm.state.Packages = string(payload) }

// maxUnwritten is how large the buffers of streams can be. CPython's have 8 KiB.
const maxUnwritten = 64 << 10

// Unwritten returns what the code has written to standard output (0) or to standard error (1) and has not reached the
// host. It is the instance's memory.
func (vm *VM) Unwritten(stream int) []byte {
	at := vm.state.Streams[stream]
	data, ok := vm.u32(at + bufferedData)
	begin, ok2 := vm.memory.ReadUint64Le(at + bufferedBegin)
	end, ok3 := vm.memory.ReadUint64Le(at + bufferedEnd)
	if !ok || !ok2 || !ok3 || end > maxUnwritten || begin > end {
		return nil
	}
	unwritten, _ := vm.memory.Read(data+uint32(begin), uint32(end-begin))
	return unwritten
}

// function returns the function that does a run.
func (vm *VM) function() (f api.Function, err error) {
	if vm.run != nil {
		return vm.run, nil
	}
	defer func() { // LookupFunction panics if there is no such function
		if p := recover(); p != nil {
			f, err = nil, fmt.Errorf("python: the vectorcall slot of a function is not a function: "+
				"is this another build of CPython? (%v)", p)
		}
	}()
	i32 := api.ValueTypeI32
	vm.run = table.LookupFunction(vm.instance, 0, vm.state.Function, []api.ValueType{i32, i32, i32, i32},
		[]api.ValueType{i32})
	return vm.run, nil
}

// Run calls the function of the boot code that does a run, or a [Step] of it: it sends [OpBegin] and, at the end,
// [OpEnd], [OpImported] or [OpSuspended]. It is false if the function has failed.
func (vm *VM) Run(ctx context.Context) (ok bool, err error) {
	f, err := vm.function()
	if err != nil {
		return false, err
	}
	vm.stack.Set(uint64(vm.state.Stack+StackSize) &^ 15)
	stack := [4]uint64{uint64(vm.state.Run)} // no arguments
	if err := f.CallWithStack(ctx, stack[:]); err != nil {
		return false, err
	}
	return api.DecodeU32(stack[0]) != 0, nil
}

// Stack returns where the C stack is.
func (vm *VM) Stack() (at uint64) { return uint64(vm.state.Stack) }

// stackEnd is how much of the stack tells, when it has been used, that all of it was used, and perhaps more.
const stackEnd = 16 << 10

// ClearStack clears what earlier runs have left on the C stack, most likely. Nothing may be in progress.
func (vm *VM) ClearStack() {
	const page = 4 << 10
	stack, ok := vm.memory.Read(vm.state.Stack, StackSize)
	for unused := 0; ok && len(stack) >= page && unused < 64; { // deeper down is nothing, or little
		last := stack[len(stack)-page:]
		stack = stack[:len(stack)-page]
		if unused++; !bytes.Equal(last, unusedStack[:page]) {
			clear(last)
			unused = 0
		}
	}
}

// StackUsedUp reports whether a run has used up the C stack. Then it may have overwritten other data.
func (vm *VM) StackUsedUp() bool {
	end, ok := vm.memory.Read(vm.state.Stack, stackEnd)
	return ok && !bytes.Equal(end, unusedStack[:])
}

var unusedStack [stackEnd]byte

// Forget frees the native stack of runs, which grows with their depth.
func (vm *VM) Forget() { vm.run = nil }
