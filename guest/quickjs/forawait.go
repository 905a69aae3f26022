package quickjs

import (
	"slices"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// A loop with for await calls the method return of its iterator without waiting for the result, and calls it even if
// the iterator has come to its end. These make the engine's compiler emit what a newer QuickJS-ng does (d5a59c3,
// f2da139); a loop that ends with an exception still does not wait, but that the closing fails is no unhandled
// rejection then.
var forAwait = []metering.Replacement{
	emitAsyncClose, iteratorLater, markLoop, unmarkDestructuring, leaveFinishedLoop,
	closeAsyncLoop, closeAsyncBreak, closeAsyncReturn,
	noAwaitOfSyncReturn, handledClose,
}

// Opcodes of the engine.
const (
	opDrop                = 14
	opNip                 = 15
	opDup                 = 17
	opSwap                = 27
	opCallMethod          = 36
	opGetField2           = 67
	opIfTrue              = 107
	opGoto                = 108
	opIteratorCheckObject = 131
	opIteratorClose       = 133
	opAwait               = 140
	opIsUndefinedOrNull   = 177

	atomReturn = 6
)

// emit returns code for emit_op of an operation without operands, or with the given bytes as its operands. Local state
// is the JSParseState*, and function is any local of type i32.
func emit(state, function byte, op byte, operands ...byte) []byte {
	code := []byte{
		// local.get of the JSParseState*, its cur_func, local.tee, last_opcode_pos = byte_code.size
		0x20, state, 0x28, 2, 0xd4, 0, 0x22, function, 0x20, function, 0x28, 2, 0xd4, 1, 0x36, 2, 0xe8, 1,
	}
	for _, b := range append([]byte{op}, operands...) {
		// dbuf_putc(&cur_func->byte_code, b)
		code = append(code, 0x20, function, 0x41, 0xd0, 1, 0x6a, 0x41, b&0x7f|0x80, b>>7, 0x10, 0xc1, 1)
	}
	return code
}

// emitAsyncClose makes QJS_ThrowSyntaxError(JSParseState*, preserve) another function, whose result is 0: it emits code
// that calls the method return of an iterator if there is one, waits for the result, and removes the iterator's three
// places from the stack. If it is to preserve, a value is there instead of the third, which stays.
var emitAsyncClose = metering.Replacement{
	Function: 37,
	Old: []byte{2, 1, 0x7f, 1, 0x7e, 0x23, 0, 0x41, 16, 0x6b, 0x22, 2, 0x24, 0, 0x20, 2, 0x20, 1, 0x36, 2, 0,
		0x20, 0, 0x41, 0xf9, 0x30, 0x20, 2, 0x10, 0xfc, 2, 0x21, 3, 0x20, 2, 0x41, 16, 0x6a, 0x24, 0, 0x20, 3, 0x0b},
	New: slices.Concat(
		// three locals of type i32: cur_func and two labels
		[]byte{1, 3, 0x7f},
		[]byte{0x20, 1, 0x04, 0x40}, emit(0, 2, opNip), emit(0, 2, opSwap), // local.get 1, if
		[]byte{0x05}, emit(0, 2, opDrop), emit(0, 2, opDrop), []byte{0x0b}, // else, end
		emit(0, 2, opDup), emit(0, 2, opIsUndefinedOrNull),
		// call 792, emit_goto, local.set 3
		[]byte{0x20, 0, 0x41, opIfTrue&0x7f | 0x80, 0, 0x41, 0x7f, 0x10, 0x98, 6, 0x21, 3},
		emit(0, 2, opGetField2, atomReturn, 0, 0, 0),
		emit(0, 2, opDup), emit(0, 2, opIsUndefinedOrNull),
		[]byte{0x20, 0, 0x41, opIfTrue&0x7f | 0x80, 0, 0x41, 0x7f, 0x10, 0x98, 6, 0x21, 4},
		emit(0, 2, opCallMethod, 0, 0), emit(0, 2, opAwait), emit(0, 2, opIteratorCheckObject),
		[]byte{0x20, 0, 0x41, opGoto&0x7f | 0x80, 0, 0x20, 3, 0x10, 0x98, 6, 0x1a},
		[]byte{0x20, 0, 0x20, 4, 0x10, 0x9a, 6}, emit(0, 2, opDrop), // call 794, emit_label
		[]byte{0x20, 0, 0x20, 3, 0x10, 0x9a, 6}, emit(0, 2, opDrop),
		[]byte{0x42, 0, 0x0b}), // i64.const 0, end
}

// asyncLoop is a bit of BlockEnv beside has_iterator. The engine leaves it undefined where that is not set.
const asyncLoop = 0x80

var (
	// iteratorLater leaves out where js_parse_for_in_of says that the loop has an iterator, before it parses the
	// expression for that: a yield there would close what there is not yet, and the code was refused with a "stack
	// underflow" (dcfa6c1).
	iteratorLater = metering.Replacement{Function: 785, At: 4725, Old: []byte{
		// has_iterator: i32.load8_u, i32.const 1, i32.or, i32.store8
		0x20, 8, 0x20, 8, 0x2d, 0, 48, 0x41, 1, 0x72, 0x3a, 0, 48,
		0x20, 8, 0x20, 8, 0x28, 2, 36, 0x41, 2, 0x6a, 0x36, 2, 36}} // drop_count += 2
	// markLoop says so after that, and sets the bit for loops with for await.
	markLoop = insert(785, 4930, []byte{0x20, 4, 0x20, 4, 0x41, 0xd4, 0, 0x6a, 0x22, 0}, []byte{
		// local.get 8, i32.const 0x81, i32.const 1, local.get 12 (is_async), select, i32.store8
		0x20, 8, 0x41, asyncLoop | 1, 1, 0x41, 1, 0x20, 12, 0x1b, 0x3a, 0, 48,
		0x20, 8, 0x20, 8, 0x28, 2, 36, 0x41, 2, 0x6a, 0x36, 2, 36})

	// unmarkDestructuring clears it where js_parse_destructuring_element sets has_iterator.
	unmarkDestructuring = metering.Replacement{Function: 806, At: 9378,
		// i32.load8_u, i32.const 252, i32.and, i32.const 1, i32.or
		Old: []byte{0x2d, 0, 32, 0x41, 0xfc, 1, 0x71, 0x41, 1, 0x72},
		New: []byte{0x1a, 0x41, 1}} // drop, i32.const 1

	// leaveFinishedLoop lets the loop of an iterator that is done skip the closing: its three places are dropped.
	leaveFinishedLoop = insert(785, 5760, []byte{0x20, 4, 0x20, 17, 0x10, 0x9a}, slices.Concat(
		isAsyncLoop, emit(4, 1, opDrop), emit(4, 1, opDrop), emit(4, 1, opDrop),
		// the label of a goto, in a free place of the stack frame
		[]byte{0x20, 8, 0x20, 4, 0x41, opGoto&0x7f | 0x80, 0, 0x41, 0x7f, 0x10, 0x98, 6, 0x36, 2, 16, 0x0b}))

	// closeAsyncLoop is where a break leads.
	closeAsyncLoop = metering.Replacement{Function: 785, At: 5767,
		Old: loopEnd,
		New: slices.Concat(isAsyncLoop, []byte{0x20, 4, 0x41, 0, 0x10, 37, 0x1a}, // call 37, emitAsyncClose
			[]byte{0x20, 4, 0x20, 8, 0x28, 2, 16, 0x10, 0x9a, 6}, // emit_label
			[]byte{0x05}, loopEnd, []byte{0x0b})}
	loopEnd = []byte{0x20, 0, 0x28, 2, 0, 0x22, 1, 0x20, 1, 0x41, 0xd4, 1, 0x6a, 0x28, 2, 0, 0x36, 2, 0xe8, 1,
		0x20, 1, 0x41, 0xd0, 1, 0x6a, 0x20, 2, 0x10, 0xc1, 1}
	// local.get 2 (the operation), i32.const opIteratorClose, i32.eq, if (result i32) local.get 12, else 0, end, if
	isAsyncLoop = []byte{
		0x20, 2, 0x41, opIteratorClose&0x7f | 0x80, 1, 0x46, 0x04, 0x7f, 0x20, 12, 0x05, 0x41, 0, 0x0b, 0x04, 0x40,
	}

	// closeAsyncBreak closes loops that a break or continue with a label leaves: emit_break.
	closeAsyncBreak = insert(785, 7369, []byte{0x20, 12, 0x28, 2, 0, 0x22}, []byte{
		0x20, 1, 0x2d, 0, 28, 0x41, asyncLoop, 1, 0x71, 0x04, 0x40, // local.get 1 (the BlockEnv), its bit, if
		0x20, 12, 0x41, 0xd4, 0, 0x6b, 0x41, 0, 0x10, 37, 0x1a, // local.get 12 (&cur_func), the JSParseState*, call 37
		0x41, 3, 0x21, 5, 0x0c, 1, 0x0b}) // three places are dropped, br 1, end

	// closeAsyncReturn closes loops that a return leaves: emit_return.
	closeAsyncReturn = insert(564, 682, []byte{0x20, 6, 0x28, 2, 0, 0x22}, []byte{
		0x20, 5, 0x2d, 0, 28, 0x41, asyncLoop, 1, 0x71, 0x04, 0x40,
		0x20, 0, 0x41, 1, 0x10, 37, 0x1a,
		0x41, 1, 0x21, 1, 0x0c, 2, 0x0b})
	// noAwaitOfSyncReturn makes the return in other loops of async generators as it is in other functions.
	noAwaitOfSyncReturn = metering.Replacement{Function: 564, At: 722,
		Old: []byte{0x20, 2, 0x2d, 0, 57, 0x41, 3, 0x46}, // cur_func->func_kind == JS_FUNC_ASYNC_GENERATOR
		New: []byte{0x41, 0}}
)

// handledClose makes JS_IteratorClose mark a promise that return gives as handled if an exception is pending.
var handledClose = insert(452, 195, []byte{0x02, 0x40, 0x20, 2, 0x0d, 0, 0x20, 1}, []byte{
	0x20, 2, 0x04, 0x40, // local.get 2 (is_exception_pending), if
	0x20, 1, 0x42, 32, 0x87, 0xa7, 0x41, 0x7f, 0x46, 0x04, 0x40, // the tag, i32.const -1 (JS_TAG_OBJECT), i32.eq, if
	0x20, 1, 0xa7, 0x22, 4, 0x2f, 1, 6, 0x41, 50, 0x46, 0x04, 0x40, // its class, i32.const JS_CLASS_PROMISE, i32.eq, if
	0x20, 4, 0x28, 2, 32, 0x22, 4, 0x04, 0x40, // its data, if
	0x20, 4, 0x41, 1, 0x3a, 0, promiseHandled,
	0x0b, 0x0b, 0x0b, 0x0b})
