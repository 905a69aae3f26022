package quickjs

import "math"

// Errors are looked at in the engine's memory, because reading a property could run a script.

// Atoms of names that the engine itself uses.
const (
	atomMessage = 51
	atomStack   = 54
	atomName    = 55
)

// The layout of objects and their shapes.
const (
	objectShape      = 16 // JSShape*
	objectProperties = 20 // JSProperty[]: 8 bytes each, a JSValue for data
	shapeCount       = 32 // u32: how many properties there are
	shapeProto       = 44 // JSObject*, or 0
	shapeProperties  = 48 // JSShapeProperty[]: 8 bytes each: flags in the upper 6 bits of a word, and the atom
	shapeAtom        = 4
	shapeFlags       = 26 // the flags' lowest bit in the word
	shapeKind        = 0x30
)

// Bounds on a search for a property.
const (
	maxPrototypes = 16
	maxSearched   = 64 // properties of an object
)

// stackArgc - flags is the argument count with which the engine hands over the stack of an error that is being made:
// this is the error, and argv the string (JSString*). The answer is the text to use as the stack.
const stackArgc = -16

// The flags of the engine for stacks.
const (
	stackSkipsFirst = 1 << 0 // the first frame is the constructor of the error
	stackFilters    = 1 << 2 // Error.captureStackTrace
)

// An ErrorStack is an error whose stack is being made.
type ErrorStack struct {
	vm    *VM
	error Value
	// Raw are the engine's frames.
	Raw Value
	// Thrown means that the engine itself has made the error.
	Thrown   bool
	Captured bool // by Error.captureStackTrace
}

// ErrorStack returns what the engine hands over with an argument count. It is false for other counts.
func (vm *VM) ErrorStack(this Value, argc int32, argv uint32) (ErrorStack, bool) {
	flags := stackArgc - argc
	if flags < 0 || flags > 7 {
		return ErrorStack{}, false
	}
	if argv == 0 {
		return ErrorStack{vm: vm, error: this, Raw: Null}, true
	}
	raw := Value(uint64(tagString&math.MaxUint32)<<32 | uint64(argv))
	return ErrorStack{vm, this, raw, flags&(stackSkipsFirst|stackFilters) == 0, flags&stackFilters != 0}, true
}

// Wanted reports whether the stack will be the error's.
func (e ErrorStack) Wanted() bool {
	if !e.Raw.IsString() || !e.error.IsObject() {
		return false
	}
	_, has := e.vm.ownData(e.error.pointer(), atomStack)
	return !has || e.Captured
}

// Argument returns the first argument of the function that has thrown the error, for which it must be the engine's own.
func (e ErrorStack) Argument() (Value, bool) {
	frame := e.vm.u32(e.vm.state.Runtime + runtimeFrame)
	if frame == 0 || e.vm.u32(frame+frameCount)<<1 == 0 {
		return Undefined, false
	}
	v, ok := e.vm.memory.ReadUint64Le(e.vm.u32(frame + frameArgument))
	return Value(v), ok
}

// Title returns the name and the message of the error, as far as they are strings that are no accessors. limit is the
// most bytes of the message.
func (e ErrorStack) Title(limit int) (name, message string) {
	name, message = "Error", ""
	if v, ok := e.vm.data(e.error, atomName); ok {
		name, _, _ = e.vm.String(v, maxErrorName)
	}
	if v, ok := e.vm.data(e.error, atomMessage); ok {
		message, _, _ = e.vm.String(v, limit)
	}
	return name, message
}

// maxErrorName is how many bytes of the name of an error are shown.
const maxErrorName = 256

// SetMessage gives an error that the engine has made another message, a new string. It reports whether it has; if not,
// the string is still the caller's. The old one is the caller's to free.
func (e ErrorStack) SetMessage(v Value) (old Value, ok bool) {
	at, has := e.vm.ownData(e.error.pointer(), atomMessage)
	if !has || !v.IsString() {
		return 0, false
	}
	before, ok := e.vm.memory.ReadUint64Le(at)
	if !ok || !Value(before).IsString() || !e.vm.memory.WriteUint64Le(at, uint64(v)) {
		return 0, false
	}
	return Value(before), true
}

// data returns the value of a data property of an object or its prototypes, if it is a string.
func (vm *VM) data(object Value, atom uint32) (Value, bool) {
	p := object.pointer()
	for range maxPrototypes {
		if at, ok := vm.ownData(p, atom); ok {
			v, ok := vm.memory.ReadUint64Le(at)
			return Value(v), ok && Value(v).IsString()
		}
		if p = vm.u32(vm.u32(p+objectShape) + shapeProto); p == 0 {
			break
		}
	}
	return 0, false
}

// ownData returns where the value of a data property of an object is.
func (vm *VM) ownData(object, atom uint32) (at uint32, ok bool) {
	shape := vm.u32(object + objectShape)
	count := min(vm.u32(shape+shapeCount), maxSearched)
	for i := range count {
		property := shape + shapeProperties + 8*i
		if vm.u32(property+shapeAtom) == atom {
			kind := vm.u32(property) >> shapeFlags & shapeKind
			return vm.u32(object+objectProperties) + 8*i, kind == 0
		}
	}
	return 0, false
}

// MakeUncatchable makes an Error object one that no code can catch once it is thrown: handlers and finally blocks are
// left out. It is false if v is no such object.
func (vm *VM) MakeUncatchable(v Value) bool {
	if vm.Class(v) != classError {
		return false
	}
	flags, ok := vm.memory.ReadByte(v.pointer() + objectFlags)
	return ok && vm.memory.WriteByte(v.pointer()+objectFlags, flags|uncatchable)
}
