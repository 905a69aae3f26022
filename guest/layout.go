package guest

import "github.com/toolrun/toolrun/internal/metering"

// Where things are in the engine's memory, for the build that SHA256 names. C structures of QuickJS-ng 0.10.1 on
// wasm32: pointers are 4 bytes, a JSValue is 8 bytes and aligned to 8. Start checks every one of these by its effect.
//
// See struct JSRuntime, JSContext, JSString, JSObject and JSArrayBuffer in
// https://github.com/quickjs-ng/quickjs/blob/v0.10.1/quickjs.c
const (
	stackPointerGlobal = 0 // the index of the C stack pointer among the module's globals

	// What New_QJS returns: a JSRuntime* and a JSContext*.
	qjsRuntime = 0
	qjsContext = 4

	runtimeAllocated  = 24  // u32: how many bytes the engine counts as allocated
	runtimeStackTop   = 124 // u32: where the C stack was when the runtime was made
	runtimeStackLimit = 128 // u32: calls fail with a RangeError when the C stack is below this; 0 is never

	contextRandomState = 264 // u64: the state of Math.random, never zero

	stringLength = 4  // u32: the length in code units; the top bit says that they are 16 bits wide, not 8
	stringData   = 20 // the code units

	objectClass       = 6  // u16
	objectArrayBuffer = 32 // JSArrayBuffer*, for objects of one of the two classes below

	classArrayBuffer       = 19
	classSharedArrayBuffer = 20

	arrayBufferLength = 0  // u32
	arrayBufferData   = 12 // u8*
)

// StackSize is the size of the C stack, in bytes. JavaScript functions use about 300 bytes a call, so scripts can
// recurse 4 000 deep. More would be of no use: wazero's own stack ends soon after.
const StackSize = 1280 << 10

// stackReserve is how much of the stack is kept free for C code that does not look at the limit.
const stackReserve = 16 << 10

// usableSize replaces the engine's js_def_malloc_usable_size, which is a stub under WASI that always answers 0. The C
// library's allocator (dlmalloc) keeps the size of a block in the word in front of it: the three lowest bits are flags,
// and four bytes of the size are that word itself. The stub is called through the function table only.
var usableSize = metering.Replacement{
	Function: 611,
	Old: []byte{0, // no locals
		0x41, 0, 0x0b}, // i32.const 0, end
	New: []byte{0,
		0x20, 0, // local.get 0
		0x04, 0x7f, // if (result i32)
		0x20, 0, 0x41, 4, 0x6b, 0x28, 2, 0, // load of (local 0) - 4
		0x41, 0x78, 0x71, // i32.const -8, i32.and
		0x41, 4, 0x6b, // i32.const 4, i32.sub
		0x05, 0x41, 0, // else 0
		0x0b, 0x0b},
}
