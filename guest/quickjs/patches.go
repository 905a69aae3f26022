package quickjs

import (
	"bytes"
	"encoding/hex"
	"slices"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// patches are the changes to the engine's code, for the build that SHA256 names.
var patches = []metering.Replacement{
	hostFunction, usableSize, statementPosition, rejection, resolveModule, loadModule, perform, moduleFailure, allocate,
	iteratorDepth, leftException, stackEntry, stackText, throwKeepsStack, returnOutside, replaceable, noMemory,
}

// hostFunction makes the native function behind the host function do what the host asks for, before it returns. The
// host must not call the engine again while the engine calls the host: each such call would have a native stack of its
// own. Instead it answers with a value of no type that there is, and the address of a request (see perform). The host
// is called again with the result, and with ResumeArgc, until it answers with a value.
var hostFunction = metering.Replacement{
	Function: 32,
	Old: []byte{0, 0x20, 2, 0x41, 3, 0x4c, 0x04, 0x40, // no locals; local.get 2 (argc), i32.const 3, i32.le_s, if
		0x20, 0, 0x41, 0xf2, 0x27, 0x41, 0, 0x10, 0xfb, 1, 0x0f, 0x0b, // JS_ThrowTypeError, return, end
		0x20, 0, 0x20, 1, 0x20, 2, 0x20, 3, 0x10, 0, 0x0b}, // call 0 with the parameters, end
	New: []byte{1, 1, 0x7e, // one local of type i64
		// local.get 2, i32.const 4, i32.lt_u: below zero it is the engine that calls
		0x20, 2, 0x41, 4, 0x49, 0x04, 0x40,
		0x20, 0, 0x41, 0xf2, 0x27, 0x41, 0, 0x10, 0xfb, 1, 0x0f, 0x0b,
		0x03, 0x40, // loop
		0x20, 0, 0x20, 1, 0x20, 2, 0x20, 3, 0x10, 0, // call 0 with the parameters
		0x22, 4, 0x42, 32, 0x88, 0xa7, // local.tee 4, i64.const 32, i64.shr_u, i32.wrap_i64: the tag
		0x41, tagRequest, 0x46, 0x04, 0x40, // i32.const, i32.eq, if
		0x20, 0, 0x20, 4, 0xa7, 0x10, 41, // local.get 0, local.get 4, i32.wrap_i64, call 41, perform
		0x21, 1, 0x41, 0x7c, 0x21, 2, // local.set 1, i32.const -4 (ResumeArgc), local.set 2
		0x0c, 1, 0x0b, 0x0b, // br 1, end, end
		0x20, 4, 0x0b}, // local.get 4, end
}

// tagRequest is the tag of requests. As a value it is a not-a-number that no operation gives.
const tagRequest = 32

// usableSize replaces js_def_malloc_usable_size, which is a stub under WASI that always answers 0. Without it the
// engine would collect garbage by the number of its allocations only, and run out of memory while most of it is
// garbage.
//
// The C library's allocator (dlmalloc) keeps the size of a block in the word in front of it: the three lowest bits are
// flags, and four bytes of the size are that word itself. The stub is called through the function table only.
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
		0x0b, 0x0b}, // end, end
}

// statementPosition makes js_parse_statement_or_decl begin with a call of emit_source_loc, as a newer QuickJS does.
// This version notes positions for expression statements, calls and operators only, so an exception in
//
//	const name = user.name
//
// would be reported at the last such position before it, which may be the first line of the function.
var statementPosition = metering.Replacement{
	Function: 785,
	Old:      statementEntry,
	New: append(slices.Clip(statementEntry),
		0x20, 0, // local.get 0, the JSParseState*
		0x10, 0x9d, 0x06), // call 797, emit_source_loc
}

var statementEntry = append(append([]byte{20}, bytes.Repeat([]byte{1, 0x7f}, 20)...), // 20 locals of type i32
	0x23, 0, 0x41, 0xe0, 0, 0x6b, // global.get 0, i32.const 96, i32.sub
	0x22, 6, 0x24, 0) // local.tee 6, global.set 0: the function's stack frame

// Code of a session is evaluated in global scope, with await: see [VM.EvalTop]. The engine makes an async function of
// it. A module is one, too, but is not in global scope.
var (
	// returnOutside lets js_parse_statement_or_decl take a return outside of functions there.
	returnOutside = metering.Replacement{
		Function: 785,
		At:       733,
		Old:      []byte{0x2d, 0, parsedIsEval, 0x04, 0x40}, // i32.load8_u of the JSFunctionDef*, if: it is no function
		New: []byte{0x2d, 0, parsedIsEval,
			0x20, 1, 0x28, 2, parsedEvalType, // i32.load of local 1: zero is global scope
			0x20, 1, 0x2d, 0, parsedKind, 0x41, 2, 0x73, // i32.load8_u of local 1, i32.const 2 (async), i32.xor
			0x72, 0x41, 0, 0x47, 0x71, 0x04, 0x40}, // i32.or, i32.const 0, i32.ne, i32.and, if
	}
	// replaceable makes the functions and variables that it declares configurable, as eval does, so that code that
	// comes later can declare them in another way. The engine writes the flag in js_create_function.
	replaceable = metering.Replacement{
		Function: 565,
		At:       17847,
		Old:      []byte{0x20, 1, 0x28, 2, parsedEvalType, 0x41, 0, 0x47}, // i32.load of local 1, i32.const 0, i32.ne
		New: []byte{0x20, 1, 0x28, 2, parsedEvalType,
			0x20, 1, 0x2d, 0, parsedKind, 0x41, 2, 0x46, // i32.load8_u of local 1, i32.const 2 (async), i32.eq
			0x72, 0x41, 0, 0x47}, // i32.or, i32.const 0, i32.ne
	}
)

// Fields of a JSFunctionDef.
const (
	parsedIsEval   = 32 // u8
	parsedEvalType = 36 // u32
	parsedKind     = 57 // u8
)

// noMemory makes JS_ThrowInternalError begin with telling the host when it is called for memory that there is not. A
// script could catch that exception and go on without what it could not have; and some of the engine's own code drops
// it, such as that which queues the job of a promise, which then never runs.
var noMemory = metering.Replacement{
	Function: 251,
	Old:      slices.Concat(internalErrorLocals, internalErrorEntry),
	New: slices.Concat(internalErrorLocals, []byte{
		0x20, 1, 0x41, 0xd8, 0x10, 0x46, 0x04, 0x40, // local.get 1, i32.const 2136 ("out of memory"), i32.eq, if
		0x20, 0, 0x42, 0, 0x41, 0x78, 0x41, 0, // local.get 0, i64.const 0, i32.const -8 (MemoryArgc), i32.const 0
		0x10, 0, 0x1a, 0x0b}, // call 0, drop, end
		internalErrorEntry),
}

var (
	internalErrorLocals = []byte{6, 1, 0x7f, 1, 0x7e, 1, 0x7f, 1, 0x7f, 1, 0x7e, 1, 0x7f}
	internalErrorEntry  = []byte{0x23, 0, 0x41, 0x90, 0x02, 0x6b, 0x22, 5, 0x24, 0} // the function's stack frame
)

// rejection makes fulfill_or_reject_promise begin with telling the host about every rejection: it calls the import
// env.jsFunctionProxy(ctx, promise, RejectionArgc, 0). The engine has a hook for that, but nothing to set it with. Then
// it calls the hook of SetReactionHook.
var rejection = metering.Replacement{
	Function: 543,
	Old:      append(slices.Clip(rejectionLocals), rejectionCode...),
	New: slices.Concat(rejectionLocals, []byte{
		0x20, 3, 0x04, 0x40, // local.get 3 (is_reject), if
		0x20, 0, 0x20, 1, 0x41, 0x7f, 0x41, 0, // local.get 0, local.get 1, i32.const -1, i32.const 0
		0x10, 0, 0x1a}, // call 0, drop
		hookRejection,
		[]byte{0x0b}, // end
		rejectionCode),
}

var rejectionLocals = []byte{13,
	1, 0x7f, 1, 0x7f, 1, 0x7f, 1, 0x7f, 1, 0x7f, 1, 0x7e, 1, 0x7f, 1, 0x7e, 1, 0x7f, 1, 0x7f, 1, 0x7f, 1, 0x7f, 1, 0x7e}

var rejectionCode = []byte{
	0x02, 0x40, // block
	0x20, 1, 0x42, 0x80, 0x80, 0x80, 0x80, 0x70, 0x54, 0x0d, 0} // leave if the promise is not an object

// resolveModule makes js_host_resolve_imported_module begin with asking the host what a specifier means: it calls
// hostFunction(ctx, base | specifier << 32, ResolveArgc, 0) with two C strings, and goes on with the name that it
// gets, or returns NULL where it gets none.
var resolveModule = metering.Replacement{
	Function: 636,
	Old:      append(slices.Clip(resolveLocals), resolveCode...),
	New: append(append(slices.Clip(resolveLocals),
		0x20, 0, // local.get 0, the JSContext*
		0x20, 1, 0xad, // local.get 1, i64.extend_i32_u
		0x20, 2, 0xad, 0x42, 32, 0x86, // local.get 2, i64.extend_i32_u, i64.const 32, i64.shl
		0x84,                // i64.or
		0x41, 0x7e, 0x41, 0, // i32.const -2, i32.const 0
		0x10, 32, 0xa7, // call 32, hostFunction, i32.wrap_i64
		0x22, 2, 0x45, 0x04, 0x40, // local.tee 2, i32.eqz, if
		0x41, 0, 0x0f, 0x0b), // i32.const 0, return, end
		resolveCode...),
}

var resolveLocals = append([]byte{7}, bytes.Repeat([]byte{1, 0x7f}, 7)...)

var resolveCode = []byte{0x23, 0, 0x41, 16, 0x6b, 0x22, 8, 0x24, 0} // the function's stack frame

// loadModule makes QJS_ModuleLoader ask the host for a module: it calls hostFunction(ctx, name, LoadArgc, 0) and
// returns the JSModuleDef* that it gets. The engine's own loader reads files, of which there are none.
var loadModule = metering.Replacement{
	Function: 25,
	Old:      append(slices.Clip(loadLocals), loadCode...),
	New: append(append(slices.Clip(loadLocals),
		0x20, 0, 0x20, 1, 0xad, // local.get 0, local.get 1, i64.extend_i32_u
		0x41, 0x7d, 0x41, 0, // i32.const -3, i32.const 0
		0x10, 32, 0xa7, 0x0f), // call 32, i32.wrap_i64, return
		loadCode...),
}

var loadLocals = []byte{9, 1, 0x7e, 1, 0x7f, 1, 0x7f, 1, 0x7e, 1, 0x7f, 1, 0x7e, 1, 0x7f, 1, 0x7f, 1, 0x7f}

var loadCode = []byte{0x23, 0, 0x41, 32, 0x6b, 0x22, 5, 0x24, 0}

// perform makes QJS_ThrowInternalError(ctx, request) another function, which does what a request is for, by its kind:
// a call of a function, an evaluation by QJS_Eval, which runs all waiting jobs after the code, or one by JS_Eval,
// which the engine does not export. Then a module gets its import.meta. As it is the only way in for what needs much
// of the native stack, there is only one of these.
var perform = metering.Replacement{
	Function: 41,
	Old: []byte{2, 1, 0x7f, 1, 0x7e, 0x23, 0, 0x41, 16, 0x6b, 0x22, 2, 0x24, 0, 0x20, 2, 0x20, 1, 0x36, 2, 0,
		0x20, 0, 0x41, 0xf9, 0x30, 0x20, 2, 0x10, 0xfb, 1, 0x21, 3, 0x20, 2, 0x41, 16, 0x6a, 0x24, 0, 0x20, 3, 0x0b},
	New: []byte{1, 1, 0x7e, // one local of type i64
		// i32.load offset=N of local 1, i32.const, i32.eq, if
		0x20, 1, 0x28, 2, requestKind, 0x41, kindCall, 0x46, 0x04, 0x40,
		0x20, 0, 0x20, 1, 0x29, 3, 0, // local.get 0, the JSContext*, i64.load of local 1: the function
		0x42, 0x80, 0x80, 0x80, 0x80, 0x30, // i64.const undefined
		0x20, 1, 0x28, 2, callCount, // i32.load offset=N: how many arguments
		0x20, 1, 0x41, requestSize, 0x6a, // where they are
		0x10, 0xc3, 3, 0x0f, 0x0b, // call 451, JS_Call, return, end
		0x20, 1, 0x28, 2, requestKind, 0x41, kindEval, 0x46, 0x04, 0x40, // the same for another kind
		0x20, 0, 0x20, 1, 0x10, 28, 0x0f, 0x0b, // call 28, QJS_Eval, return, end
		0x20, 0, // local.get 0
		0x20, 1, 0x28, 2, evalCode, // the code,
		0x20, 1, 0x28, 2, evalLength, // its length,
		0x20, 1, 0x28, 2, evalName, // its name
		0x20, 1, 0x28, 2, evalFlags, // and the flags
		0x10, 0xed, 3, // call 493, JS_Eval
		0x22, 2, 0x42, 32, 0x87, 0xa7, // local.tee 2, i64.const 32, i64.shr_s, i32.wrap_i64: the tag
		0x41, 0x7d, 0x46, 0x04, 0x40, // i32.const -3 (JS_TAG_MODULE), i32.eq, if
		0x20, 0, 0x20, 2, 0x41, 0, 0x41, 0, // local.get 0, local.get 2, i32.const 0, i32.const 0
		0x10, 0xc4, 8, 0x1a, // call 1092, js_module_set_import_meta, drop
		0x0b, 0x20, 2, 0x0b}, // end, local.get 2, end
}

// The layout of a request, and its kinds. The part for an evaluation is as QJS_Eval takes it.
const (
	evalCode    = 0  // u8*
	evalLength  = 8  // u32
	evalName    = 12 // u8*
	evalFlags   = 16 // u32
	callTarget  = 0  // JSValue
	callCount   = 8  // u32
	requestKind = 20 // u32
	requestSize = 24 // bytes; then there are the arguments

	kindEvalNow = 0
	kindEval    = 1
	kindCall    = 2
)

// moduleFailure makes js_execute_sync_module mark the promise of a module that throws as handled. The engine takes the
// reason and rejects the promise of the import with it, but nobody ever looks at the module's own.
var moduleFailure = metering.Replacement{
	Function: 654,
	Old:      executeModule,
	New: append(slices.Clip(executeModule),
		// local.get 3 (the promise's data), i32.const 1, i32.store8 offset=promiseHandled
		0x20, 3, 0x41, 1, 0x3a, 0, promiseHandled),
}

// executeModule is the function up to where the promise is known to be rejected.
var executeModule = mustDecode("03017f017e017e024002400240200128025022030440200020012003110300410048" +
	"0d010c030b2000200129034842808080803041004100200110cc0222044280808080708342" +
	"80808080e000510d0002402004428080808070540d002004a722012f01064132470d002001280220220345" +
	"0d0002400240200328020041016b0e020001020b20012001280200220141016b360200200141014a0d04" +
	"20002802102004108d020c040b")

// allocate makes QJS_NewString(ctx, size) another function: a way to js_malloc, which the engine does not export. The
// memory is for a string, so the engine counts and frees it.
var allocate = metering.Replacement{
	Function: 65,
	Old:      []byte{0, 0x20, 0, 0x20, 1, 0x20, 1, 0x10, 0xb7, 1, 0x10, 0xdc, 2, 0x0b},
	New: []byte{0,
		0x20, 0, 0x20, 1, // local.get 0, the JSContext*, local.get 1
		0x10, 0xfc, 1, 0xad, 0x0b}, // call 252, js_malloc, i64.extend_i32_u, end
}

// iteratorDepth makes JS_IteratorNext2 begin with a check that there is stack left, as every other way by which the
// engine calls itself does. It calls native iterators directly, so a chain of iterator helpers
// (iterator.map(f).map(f)...) that is long enough would otherwise write below the stack, over other data.
var iteratorDepth = metering.Replacement{
	Function: 640,
	Old:      append(slices.Clip(iteratorLocals), iteratorCode...),
	New: append(append(slices.Clip(iteratorLocals),
		0x23, 0, // global.get 0, the C stack pointer
		0x20, 0, 0x28, 2, 16, 0x28, 2, 0x80, 1, // the JSContext*, its JSRuntime*, the limit (runtimeStackLimit)
		0x49, 0x04, 0x40, // i32.lt_u, if
		0x20, 5, 0x41, 0, 0x36, 2, 0, // local.get 5, i32.const 0, i32.store: not done
		0x20, 0, 0x41, 0xe3, 0xfb, 0, 0x41, 0, // local.get 0, i32.const 15843 (the message), i32.const 0
		0x10, 0x82, 2, 0x0f, 0x0b), // call 258, JS_ThrowRangeError, return, end
		iteratorCode...),
}

var iteratorLocals = []byte{3, 1, 0x7f, 1, 0x7f, 1, 0x7e}

var iteratorCode = []byte{0x23, 0, 0x41, 16, 0x6b, 0x22, 6, 0x24, 0} // the function's stack frame

// leftException makes js_std_loop drop a pending exception before it looks for the next job. The engine's flatMap of
// iterators leaves one behind that it has caught, and QJS_Eval takes any that is there after the loop for that of a
// job that has failed. After such a job, the loop ends at once.
var leftException = metering.Replacement{
	Function: 1100,
	Old:      jobLoop,
	New: append(slices.Clip(jobLoop),
		0x20, 0, 0x20, 0, // local.get 0, local.get 0, the JSContext*
		0x10, 0xf3, 2, // call 371, JS_GetException
		0x10, 0x98, 2), // call 280, JS_FreeValue
}

// build_backtrace hands the stack of an error over to the host, before it becomes the error's: it calls the import
// env.jsFunctionProxy(ctx, error, stackArgc - flags, stack) with the flags that it got, and uses the string that it
// gets.
var (
	stackEntry = metering.Replacement{Function: 374,
		Old: append(append([]byte{19}, stackLocals...), stackFrame...),
		New: append(append(append([]byte{20}, stackLocals...), 1, 0x7f), append(slices.Clip(stackFrame),
			0x20, 6, 0x21, 26)...)} // local.get 6 (flags), local.set 26
	stackText = metering.Replacement{Function: 374, At: 3888,
		Old: []byte{0x10, 0xdc, 2, 0x0c, 1, 0x0b}, // call 348, JS_NewStringLen, br 1, end
		New: []byte{0x10, 0xdc, 2, 0x21, 2, // local.set 2
			0x20, 0, 0x20, 1, // local.get 0, the JSContext*, local.get 1, the error
			0x41, 0x70, 0x20, 26, 0x6b, // i32.const -16, local.get 26, i32.sub
			0x20, 2, 0xa7, // local.get 2, i32.wrap_i64
			0x10, 0, 0x0c, 1, 0x0b}} // call 0, br 1, end
)

var stackLocals = mustDecode("017f017f017e017f017f017e017e017f017f017f017f017e017e017f017c017f017f017f017f")

var stackFrame = []byte{0x23, 0, 0x41, 0xf0, 0x15, 0x6b, 0x22, 8, 0x24, 0} // the function's stack frame

// throwKeepsStack makes the interpreter (JS_CallInternal) build a stack at a throw only for an error that has none. It
// would build one for every value that is thrown, for a program that shows uncaught exceptions; the host does that by
// itself.
var throwKeepsStack = metering.Replacement{
	Function: 266, At: 1676,
	// i64.load32_u of the JSContext* + 164, the tag of error_back_trace
	Old: []byte{0x20, 13, 0x41, 0xa4, 1, 0x6a, 0x35, 2, 0,
		0x42, 32, 0x86, 0x42, 0x80, 0x80, 0x80, 0x80, 0x30, // i64.const 32, i64.shl, i64.const undefined
		0x52, 0x0d, 1}, // i64.ne, br_if 1
	New: []byte{0x0c, 1}, // br 1
}

// jobLoop is the function up to where it looks for a job.
var jobLoop = mustDecode("04017f017f017f017f230041206b220124002001200028021036021041002001411" +
	"06a10c0042104" + "0340")

func mustDecode(digits string) []byte {
	code, err := hex.DecodeString(digits)
	if err != nil {
		panic(err)
	}
	return code
}

// Argument counts with which the engine itself calls the host function. No script can call it with such a count.
const (
	// RejectionArgc reports that a promise, the this argument, is being rejected.
	RejectionArgc = -1
	// ResolveArgc asks for the name of the module that a specifier means. The this argument is two C strings: the
	// importing module in the lower half, the specifier in the upper one. The answer is a C string, or 0 with an
	// exception.
	ResolveArgc = -2
	// LoadArgc asks for the module whose name, a C string, is the this argument. The answer is a JSModuleDef*, or 0
	// with an exception.
	LoadArgc = -3
	// ResumeArgc delivers the result, the this argument, of the host's last [Request].
	ResumeArgc = -4
	// DateArgc asks for the time of a date, a string that is the this argument. The answer is a number, or undefined if
	// the engine is to read the date itself.
	DateArgc = -5
	// RegexpArgc asks for a translation of a regular expression, a string that is the this argument, whose flags are in
	// place of the arguments, as the engine has them. The answer is another pattern, or undefined if there is none, or
	// an exception. If the this argument is undefined, it asks with 0 whether the pattern that is being compiled may
	// have several groups of one name, as the host's can have; and says with RegexpDone that the host's has been
	// compiled.
	RegexpArgc = -6
	RegexpDone = 1
	// RadixArgc asks for the digits of a number, of which the this argument has the bits, to the base that is in place
	// of the arguments, which is not 10. The answer is a string, or undefined if the engine is to write them.
	RadixArgc = -7
	// MemoryArgc reports that the engine could not get memory, and is about to throw an exception that says so.
	MemoryArgc = -8
)
