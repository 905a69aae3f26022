package quickjs

import (
	"slices"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// mends fix bugs of the engine that corrupt its memory and that newer versions of QuickJS-ng do not have. RATIONALE.md
// lists all known ones. Prefer the smallest change that makes a bug harmless to everything that the newer version does.
var mends = []metering.Replacement{
	asyncFunctionMark, generatorMark, asyncGeneratorMark, asyncGeneratorResume, registryStays,
	viewFits, sharedGrowth, newArraysAreZero,
	longWith, longToReversed, longToSorted, longToSpliced, longOwnKeys,
}

// insert returns the replacement that inserts code at a place, before the code there.
func insert(function uint32, at int, before, code []byte) metering.Replacement {
	return metering.Replacement{Function: function, At: at, Old: before, New: append(slices.Clip(code), before...)}
}

// A closure that captures a variable of a suspended coroutine refers to the coroutine's frame, but the cycle
// collector does not see that: it frees coroutines that are still in use. If it does not see what a coroutine
// holds, it considers all of that in use, and a coroutine is freed only when the last reference to it goes. A
// coroutine in a cycle stays until the run ends.
//
// Each of these is a function (JSRuntime*, JSValue, JS_MarkFunc*) that now begins with a return.
var (
	// asyncFunctionMark is js_async_function_resolve_mark, which has the same code as js_c_function_mark and is the
	// same function. That one marks the realm. There is only one, which is never collected.
	asyncFunctionMark = insert(582, 3, []byte{0x20, 1, 0xa7, 0x28, 2, 32, 0x22, 3, 0x04, 0x40}, []byte{0x0f})
	// generatorMark is js_generator_mark.
	generatorMark = insert(607, 7, []byte{0x02, 0x40, 0x20, 1, 0xa7, 0x28, 2, 32}, []byte{0x0f})
	// asyncGeneratorMark is js_async_generator_mark.
	asyncGeneratorMark = insert(731, 7,
		[]byte{0x02, 0x40, 0x20, 1, 0x42, 0x80, 0x80, 0x80, 0x80, 0x70, 0x54}, []byte{0x0f})
)

// asyncGeneratorResume makes js_async_generator_resolve_function ignore that a promise is settled for which a
// generator does not wait any more, since it has been resumed meanwhile, by a getter of the value. It would be resumed
// in a state that is not made for it.
var asyncGeneratorResume = insert(752, 3, []byte{0x41, 0, 0x21, 2}, []byte{
	0x20, 4, 0x41, 2, 0x49, 0x04, 0x40, // local.get 4 (magic), i32.const 2, i32.lt_u, if: this is for an await
	// the state of the JSAsyncGeneratorData of local 5, the generator
	0x20, 5, 0x29, 3, 0, 0xa7, 0x28, 2, 32, 0x28, 2, 4,
	0x41, 3, 0x47, 0x04, 0x40, // i32.const 3 (executing), i32.ne, if
	0x42, 0x80, 0x80, 0x80, 0x80, 0x30, 0x0f, // i64.const undefined, return
	0x0b, 0x0b}) // end, end

// registryStays makes FinalizationRegistry.prototype.register keep the registry until the run ends. The engine uses
// registries, their callbacks and values after it has freed them, where they go together with a target.
var registryStays = insert(1084, 19, []byte{0x23, 0, 0x41, 0xd0, 0, 0x6b}, []byte{
	// local.get 1 (this), i64.const 32, i64.shr_s, i64.const -1, i64.eq, if: an object
	0x20, 1, 0x42, 32, 0x87, 0x42, 0x7f, 0x51, 0x04, 0x40,
	0x20, 1, 0xa7, 0x2f, 1, objectClass, 0x41, classFinalizationRegistry, 0x46, 0x04, 0x40, // its class, i32.eq, if
	0x20, 1, 0xa7, 0x20, 1, 0xa7, 0x28, 2, 0, 0x41, 1, 0x6a, 0x36, 2, 0, // one reference more
	0x0b, 0x0b}) // end, end

// viewFits makes typed_array_init check that the view lies in its buffer, which code that ran meanwhile may have made
// smaller.
var viewFits = insert(573, 9, []byte{0x02, 0x7f, 0x02, 0x40, 0x20, 0, 0x28, 2, 16}, []byte{
	0x20, 3, 0x20, 4, // local.get 3 (offset), local.get 4 (length)
	// the class of local 1, i64.load8_u offset=80666: log2 of the size of an element
	0x20, 1, 0xa7, 0x2f, 1, objectClass, 0x31, 0, 0x9a, 0xf6, 4,
	0x86, 0x7c, // i64.shl, i64.add
	0x20, 2, 0xa7, 0x28, 2, objectArrayBuffer, 0x34, 2, arrayBufferLength, // the length of the buffer, local 2
	0x56, 0x04, 0x40, // i64.gt_u, if
	0x20, 0, 0x20, 2, 0x10, 0x98, 2, // call 280, JS_FreeValue
	// i32.const 10954 ("invalid length"), call 258, JS_ThrowRangeError, drop
	0x20, 0, 0x41, 0xca, 0xd5, 0, 0x41, 0, 0x10, 0x82, 2, 0x1a,
	0x41, 0x7f, 0x0f, // i32.const -1, return
	0x0b}) // end

// sharedGrowth makes SharedArrayBuffer.prototype.grow (js_array_buffer_resize) allocate memory. The engine believes
// that a buffer has had the most from the beginning, but has not given it that without threads, which there are not.
var sharedGrowth = metering.Replacement{
	Function: 1028, At: 533,
	Old: []byte{0x20, 2, 0x20, 1, 0x3e, 2, arrayBufferLength, // local.get 2, local.get 1, i64.store32: the new length
		0x20, 2, 0x28, 2, arrayBufferData, 0x21, 3, 0x0c, 1}, // local.set 3: the same data, br 1: over what allocates
}

// newArraysAreZero makes js_realloc_rt fill new blocks with zeros. Functions that return a changed copy of an array
// (with, toReversed, toSorted, toSpliced) call getters while the collector can already see the copy, whose values would
// be random.
var newArraysAreZero = metering.Replacement{
	Function: 250, At: 50,
	// local.get 2 (size), js_malloc of the JSMallocFunctions, call_indirect
	Old: []byte{0x20, 2, 0x20, 0, 0x28, 2, 4, 0x11, 3, 0},
	New: []byte{0x41, 1, 0x20, 2, 0x20, 0, 0x28, 2, 0, 0x11, 0, 0}, // i32.const 1, the size, js_calloc
}

// The size of a new array in bytes overflows from 1<<29 elements on. The functions already refuse lengths that
// arrays cannot have, so that bound is lowered: 1<<28 elements take 2 GiB.
var (
	longWith       = lengthBound(893, 74)
	longToReversed = lengthBound(906, 73)
	longToSorted   = lengthBound(909, 197)
	longToSpliced  = lengthBound(911, 667)
)

func lengthBound(function uint32, at int) metering.Replacement {
	return metering.Replacement{Function: function, At: at,
		Old: []byte{0x42, 0x80, 0x80, 0x80, 0x80, 0x10}, // i64.const 1<<32
		New: []byte{0x42, 0x80, 0x80, 0x80, 0x80, 0x01}} // i64.const 1<<28
}

// longOwnKeys is the same in js_proxy_get_own_property_names, for what a proxy's ownKeys returns: so many bytes that
// there is no memory.
var longOwnKeys = metering.Replacement{
	Function: 697, At: 641,
	Old: []byte{0x20, 9, 0x41, 3, 0x74}, // local.get 9 (length), i32.const 3, i32.shl
	New: []byte{0x41, 0x40, // i32.const -64
		0x20, 9, 0x41, 3, 0x74,
		0x20, 9, 0x41, 29, 0x76, 0x1b}, // local.get 9, i32.const 29, i32.shr_u, select
}
