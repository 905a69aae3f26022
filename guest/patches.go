package guest

import (
	"bytes"
	"slices"

	"github.com/toolrun/toolrun/internal/metering"
)

// patches are the changes to the engine's code, for the build that SHA256 names.
var patches = []metering.Replacement{usableSize, statementPosition, rejection}

// usableSize replaces js_def_malloc_usable_size, which is a stub under WASI that always answers 0. Without it the engine
// would collect garbage by the number of its allocations only, and run out of memory while most of it is garbage.
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

// statementPosition makes js_parse_statement_or_decl begin with a call of emit_source_loc, as a newer QuickJS does. This
// version notes positions for expression statements, calls and operators only, so an exception in
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

// rejection makes fulfill_or_reject_promise begin with telling the host about every rejection: it calls the import
// env.jsFunctionProxy(ctx, promise, RejectionArgc, 0). The engine has a hook for that, but nothing to set it with.
var rejection = metering.Replacement{
	Function: 543,
	Old:      append(slices.Clip(rejectionLocals), rejectionCode...),
	New: append(append(slices.Clip(rejectionLocals),
		0x20, 3, 0x04, 0x40, // local.get 3 (is_reject), if
		0x20, 0, 0x20, 1, 0x41, 0x7f, 0x41, 0, // local.get 0, local.get 1, i32.const -1, i32.const 0
		0x10, 0, 0x1a, // call 0, drop
		0x0b), // end
		rejectionCode...),
}

var rejectionLocals = []byte{13,
	1, 0x7f, 1, 0x7f, 1, 0x7f, 1, 0x7f, 1, 0x7f, 1, 0x7e, 1, 0x7f, 1, 0x7e, 1, 0x7f, 1, 0x7f, 1, 0x7f, 1, 0x7f, 1, 0x7e}

var rejectionCode = []byte{
	0x02, 0x40, // block
	0x20, 1, 0x42, 0x80, 0x80, 0x80, 0x80, 0x70, 0x54, 0x0d, 0} // leave if the promise is not an object

// RejectionArgc is the number of arguments with which the host function is called when a promise, its this argument, is
// being rejected. No script can call a function with so few.
const RejectionArgc = -1
