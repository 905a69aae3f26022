package quickjs

import (
	"bytes"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// searches make regular expressions faster. They find the same: FuzzSearches compares them with the engine's own code.
//
// The engine's matcher is lre_exec_backtrack(s, capture, stack, stack_len, pc, cptr, no_recurse). Where there are two
// ways to go on, it keeps a state with all groups, which takes much longer than a look at the next character, where
// most ways end. A search in a text, which is a loop of such ways, kept a state at each place. Now cannotMatch looks
// first.
//
// Numbers of instructions are those of libregexp-opcode.h, and the offsets those of REExecContext and REExecState in
// https://github.com/quickjs-ng/quickjs/blob/v0.10.1/libregexp.c: of the context, 4 is the end of the text and 8 its
// type (0 for bytes, 1 for UTF-16, 2 for UTF-16 whose surrogate pairs are one character), 20 whether it has many lines,
// and 21 whether case is ignored; of a state, 4 is how many repetitions are left, 8 its place in the text, and 12 its
// pc.
var searches = []metering.Replacement{
	cannotMatch, searchLocals, search, matcherLocals, split, repeat, repeatWhole, repeatSome, settle, retreat,
}

// cannotMatch makes QJS_Compile, which nobody calls, cannotMatch(s, pc, cptr): whether the instructions at pc surely do
// not match at cptr. If it is not sure, it returns 0. What follows it in the function is never reached.
var cannotMatch = metering.Replacement{Function: 29,
	Old: []byte{4, 1, 0x7f, 1, 0x7f, 1, 0x7e, 1, 0x7f}, // locals of the types i32, i32, i64, i32
	New: []byte{3, 2, 0x7f, 1, 0x7e, 2, 0x7f, // the same, and one more of type i32
		0x03, 0x40, // loop
		// Skip what takes no character: save_start and save_end (12, 13), save_reset (14), push_i32 (16), the
		// boundaries of words (18, 19) and push_char_pos (26). The constant has their lengths, four bits each.
		0x20, 1, 0x2d, 0, 0, 0x22, 3, 0x41, 12, // local.get 1, i32.load8_u, local.tee 3, i32.const 12,
		0x6b, 0x21, 6, // i32.sub, local.set 6
		0x20, 6, 0x41, 16, 0x49, 0x04, 0x40, // local.get 6, i32.const 16, i32.lt_u, if
		0x20, 1, 0x41, 15, // local.get 1, i32.const 15,
		0x42, 0xa2, 0x86, 0x94, 0x88, 0x81, 0x80, 0x80, 0x80, 1, // i64.const 72057594323469090,
		0x20, 6, 0xad, 0x42, 2, 0x86, 0x88, // local.get 6, i64.extend_i32_u, i64.const 2, i64.shl, i64.shr_u,
		0xa7, 0x71, 0x22, 6, 0x6a, 0x21, 1, // i32.wrap_i64, i32.and, local.tee 6, i32.add, local.set 1
		0x20, 6, 0x0d, 1, 0x0b, // local.get 6, br_if 1, end
		// A simple_greedy_quant (29) that repeats its atom at least once begins with the atom.
		0x20, 3, 0x41, 29, 0x46, 0x04, 0x40, // local.get 3, i32.const 29, i32.eq, if
		0x20, 1, 0x28, 0, 5, 0x04, 0x40, // local.get 1, i32.load 5, if
		0x20, 1, 0x41, 17, 0x6a, 0x21, 1, // local.get 1, i32.const 17, i32.add, local.set 1
		0x0c, 2, 0x0b, 0x0b, 0x02, 0x40, // br 2, end, end, block
		// Of other instructions, only char8, char16, dot, any and range (1, 2, 4, 5, 22) are known. All of them need a
		// character: local 4. It is not known what a half of a surrogate pair is a part of.
		0x41, 1, 0x41, 0xb6, 0x80, 0x80, 2, 0x20, 3, // i32.const 1, i32.const 4194358, local.get 3,
		0x76, 0x71, 0x45, 0x0d, 0, // i32.shr_u, i32.and, i32.eqz, br_if 0
		0x20, 2, 0x20, 0, 0x28, 2, 4, 0x4f, 0x04, 0x40, // local.get 2, local.get 0, i32.load 4, i32.ge_u, if
		0x41, 1, 0x0f, 0x0b, // i32.const 1, return, end
		0x20, 0, 0x28, 2, 8, 0x22, 6, 0x04, 0x40, // local.get 0, i32.load 8, local.tee 6, if
		0x20, 2, 0x2f, 1, 0, 0x22, 4, // local.get 2, i32.load16_u, local.tee 4,
		0x41, 0x80, 0xf0, 3, 0x71, 0x41, 0x80, 0xb0, 3, // i32.const 63488, i32.and, i32.const 55296,
		0x46, 0x0d, 1, // i32.eq, br_if 1
		0x20, 2, 0x41, 2, 0x6a, 0x21, 2, 0x05, // local.get 2, i32.const 2, i32.add, local.set 2, else
		0x20, 2, 0x2d, 0, 0, 0x21, 4, // local.get 2, i32.load8_u, local.set 4
		0x20, 2, 0x41, 1, 0x6a, 0x21, 2, 0x0b, // local.get 2, i32.const 1, i32.add, local.set 2, end
		0x02, 0x40, // block
		// Local 7 is whether case is ignored. Then characters below 128 are compared, in texts of bytes only, where
		// just the other case of a letter can be equal.
		0x20, 0, 0x2d, 0, 21, 0x21, 7, // local.get 0, i32.load8_u 21, local.set 7
		0x20, 3, 0x41, 1, 0x46, 0x04, 0x40, // local.get 3, i32.const 1, i32.eq, if
		0x20, 7, 0x20, 6, 0x41, 0, 0x47, 0x71, // local.get 7, local.get 6, i32.const 0, i32.ne, i32.and,
		0x0d, 2, // br_if 2
		0x20, 7, 0x41, 5, 0x74, 0x21, 7, // local.get 7, i32.const 5, i32.shl, local.set 7
		0x20, 1, 0x2d, 0, 1, 0x21, 6, // local.get 1, i32.load8_u 1, local.set 6
		0x20, 1, 0x41, 2, 0x6a, 0x21, 1, // local.get 1, i32.const 2, i32.add, local.set 1
		0x20, 4, 0x20, 7, 0x72, 0x20, 6, 0x20, 7, // local.get 4, local.get 7, i32.or, local.get 6, local.get 7,
		0x72, 0x46, 0x0d, 3, // i32.or, i32.eq, br_if 3
		0x41, 1, 0x0f, 0x0b, // i32.const 1, return, end
		// dot and any
		0x20, 3, 0x41, 0x7e, 0x71, 0x41, 4, // local.get 3, i32.const 4294967294, i32.and, i32.const 4,
		0x46, 0x04, 0x40, // i32.eq, if
		0x20, 1, 0x41, 1, 0x6a, 0x21, 1, // local.get 1, i32.const 1, i32.add, local.set 1
		0x20, 3, 0x41, 5, 0x46, 0x0d, 3, // local.get 3, i32.const 5, i32.eq, br_if 3
		0x20, 4, 0x41, 10, 0x46, 0x20, 4, // local.get 4, i32.const 10, i32.eq, local.get 4,
		0x41, 13, 0x46, 0x72, 0x20, 4, 0x41, 1, // i32.const 13, i32.eq, i32.or, local.get 4, i32.const 1,
		0x72, 0x41, 0xa9, 0xc0, 0, 0x46, 0x72, 0x45, // i32.or, i32.const 8233, i32.eq, i32.or, i32.eqz,
		0x0d, 3, // br_if 3
		0x41, 1, 0x0f, 0x0b, // i32.const 1, return, end
		// char16
		0x20, 7, 0x0d, 1, // local.get 7, br_if 1
		0x20, 1, 0x2f, 0, 1, 0x21, 6, // local.get 1, i32.load16_u 1, local.set 6
		0x20, 1, 0x41, 3, 0x6a, 0x21, 1, // local.get 1, i32.const 3, i32.add, local.set 1
		0x20, 3, 0x41, 2, 0x46, 0x04, 0x40, // local.get 3, i32.const 2, i32.eq, if
		0x20, 4, 0x20, 6, 0x46, 0x0d, 3, // local.get 4, local.get 6, i32.eq, br_if 3
		0x41, 1, 0x0f, 0x0b, // i32.const 1, return, end
		// range, if it has no more than 16 parts, which are in order
		0x20, 6, 0x41, 16, 0x4b, 0x0d, 1, // local.get 6, i32.const 16, i32.gt_u, br_if 1
		0x20, 1, 0x20, 6, 0x41, 2, 0x74, 0x6a, // local.get 1, local.get 6, i32.const 2, i32.shl, i32.add,
		0x21, 6, 0x03, 0x40, // local.set 6, loop
		0x20, 1, 0x2f, 0, 0, 0x20, 4, 0x4d, 0x04, 0x40, // local.get 1, i32.load16_u, local.get 4, i32.le_u, if
		0x20, 1, 0x2f, 0, 2, 0x20, 4, 0x4f, 0x04, 0x40, // local.get 1, i32.load16_u 2, local.get 4, i32.ge_u, if
		0x20, 6, 0x21, 1, // local.get 6, local.set 1
		0x0c, 5, 0x0b, // br 5, end
		0x20, 1, 0x41, 4, 0x6a, 0x22, 1, 0x20, 6, // local.get 1, i32.const 4, i32.add, local.tee 1, local.get 6,
		0x49, 0x0d, 1, 0x0b, 0x0b, // i32.lt_u, br_if 1, end, end
		0x41, 1, 0x0f, 0x0b, 0x0b, 0x0b, // i32.const 1, return, end, end, end
		0x41, 0, 0x0f, // i32.const 0, return
	}}

var (
	searchLocals = metering.Replacement{Function: 236, Old: []byte{2, 1, 0x7f, 1, 0x7f}, New: []byte{1, 4, 0x7f}}

	// search lets lre_exec, whose s is local 7, look for a match in a loop of its own.
	search = metering.Replacement{Function: 236, At: 222,
		// lre_exec_backtrack(s, capture, stack, 0, code + 8, text + (index << type), 0), local.set 0
		Old: []byte{0x20, 7, 0x20, 0, 0x20, 4, 0x41, 0, 0x20, 1, 0x41, 8, 0x6a, 0x20, 2, 0x20, 3, 0x20, 5, 0x74, 0x6a,
			0x41, 0, 0x10, 0xed, 1, 0x21, 0},
		New: []byte{
			// pc is behind the header of the code, and the place where the search begins is local 3.
			0x20, 1, 0x41, 8, 0x6a, 0x21, 8, // local.get 1, i32.const 8, i32.add, local.set 8
			0x20, 2, 0x20, 3, 0x20, 5, 0x74, 0x6a, // local.get 2, local.get 3, local.get 5, i32.shl, i32.add,
			0x21, 3, 0x02, 0x40, 0x02, 0x40, // local.set 3, block, block
			// A search begins with split_goto_first +6, any, goto -11. A sticky expression has no such loop.
			0x20, 8, 0x29, 0, 0, // local.get 8, i64.load,
			0x42, 0x89, 0x8c, 0x80, 0x80, 0x80, 0xa0, 0x81, 0x84, 0x75, // i64.const -790376237045381623,
			0x52, 0x0d, 0, // i64.ne, br_if 0
			0x20, 8, 0x41, 11, 0x6a, 0x21, 8, // local.get 8, i32.const 11, i32.add, local.set 8
			0x41, 0, 0x21, 1, // i32.const 0, local.set 1
			// With line_start (6) behind save_start, and one line only, nothing but the start of the text can match.
			0x20, 8, 0x2d, 0, 2, 0x41, 6, 0x46, // local.get 8, i32.load8_u 2, i32.const 6, i32.eq,
			0x20, 7, 0x2d, 0, 20, 0x45, 0x71, 0x04, 0x40, // local.get 7, i32.load8_u 20, i32.eqz, i32.and, if
			0x20, 3, 0x20, 2, 0x46, 0x0d, 1, // local.get 3, local.get 2, i32.eq, br_if 1
			0x0c, 2, 0x0b, // br 2, end
			0x20, 7, 0x28, 2, 4, 0x21, 9, // local.get 7, i32.load 4, local.set 9
			0x20, 7, 0x28, 2, 8, 0x21, 10, 0x03, 0x40, // local.get 7, i32.load 8, local.set 10, loop
			// Local 9 is the end of the text, local 10 its type. Try here, unless that cannot match. If it has not,
			// forget the groups.
			0x20, 7, 0x20, 8, 0x20, 3, 0x10, 29, 0x45, // local.get 7, local.get 8, local.get 3, call 29, i32.eqz,
			0x04, 0x40, // if
			0x20, 7, 0x20, 0, 0x20, 4, 0x41, 0, // local.get 7, local.get 0, local.get 4, i32.const 0,
			0x20, 8, 0x20, 3, 0x41, 0, 0x10, 0xed, 1, // local.get 8, local.get 3, i32.const 0, call 237,
			0x22, 1, 0x0d, 3, // local.tee 1, br_if 3
			0x20, 6, 0x41, 3, 0x74, 0x21, 2, 0x03, 0x40, // local.get 6, i32.const 3, i32.shl, local.set 2, loop
			0x20, 2, 0x41, 8, 0x6b, 0x21, 2, // local.get 2, i32.const 8, i32.sub, local.set 2
			0x20, 0, 0x20, 2, 0x6a, 0x42, 0, 0x37, 2, 0, // local.get 0, local.get 2, i32.add, i64.const 0, i64.store
			0x20, 2, 0x0d, 0, 0x0b, 0x0b, // local.get 2, br_if 0, end, end
			// Go on by a character, which is a pair of surrogates in a text of the type 2.
			0x20, 3, 0x20, 9, 0x4f, 0x0d, 2, // local.get 3, local.get 9, i32.ge_u, br_if 2
			0x20, 10, 0x45, 0x04, 0x40, // local.get 10, i32.eqz, if
			0x20, 3, 0x41, 1, 0x6a, 0x21, 3, // local.get 3, i32.const 1, i32.add, local.set 3
			0x0c, 1, 0x0b, // br 1, end
			0x20, 3, 0x2f, 1, 0, 0x21, 2, // local.get 3, i32.load16_u, local.set 2
			0x20, 3, 0x41, 2, 0x6a, 0x21, 3, // local.get 3, i32.const 2, i32.add, local.set 3
			0x20, 2, 0x41, 0x80, 0xf8, 3, 0x71, // local.get 2, i32.const 64512, i32.and,
			0x41, 0x80, 0xb0, 3, 0x47, 0x0d, 0, // i32.const 55296, i32.ne, br_if 0
			0x20, 10, 0x41, 2, 0x47, 0x0d, 0, // local.get 10, i32.const 2, i32.ne, br_if 0
			0x20, 3, 0x20, 9, 0x4f, 0x0d, 0, // local.get 3, local.get 9, i32.ge_u, br_if 0
			0x20, 3, 0x2f, 1, 0, 0x41, 0x80, 0xf8, 3, 0x71, // local.get 3, i32.load16_u, i32.const 64512, i32.and,
			0x41, 0x80, 0xb8, 3, 0x47, 0x0d, 0, // i32.const 56320, i32.ne, br_if 0
			0x20, 3, 0x41, 2, 0x6a, 0x21, 3, // local.get 3, i32.const 2, i32.add, local.set 3
			0x0c, 0, 0x0b, 0x0b, // br 0, end, end
			// no search
			0x20, 7, 0x20, 0, 0x20, 4, 0x41, 0, // local.get 7, local.get 0, local.get 4, i32.const 0,
			0x20, 8, 0x20, 3, 0x41, 0, 0x10, 0xed, 1, // local.get 8, local.get 3, i32.const 0, call 237,
			0x21, 1, 0x0b, // local.set 1, end
			0x20, 1, 0x21, 0, // local.get 1, local.set 0
		}}
)

var (
	// Five locals more of type i32, from 21 on. Of the others, 7 is cptr, 11 stack_len, 13 the type of the text, and 16
	// its end; 3, 4 and 5 are stack_len, pc and cptr of the next instruction.
	matcherLocals = metering.Replacement{Function: 237,
		Old: append([]byte{14}, bytes.Repeat([]byte{1, 0x7f}, 14)...), New: []byte{1, 19, 0x7f}}

	// split is for split_goto_first and split_next_first, whose offset is local 10.
	split = insert(237, 400, []byte{0x02, 0x40, 0x20, 0, 0x28, 2, 44}, []byte{
		// Local 21 is what comes first, local 22 what comes if that does not match: split_goto_first (9) jumps first.
		0x20, 4, 0x41, 5, 0x6a, 0x21, 21, // local.get 4, i32.const 5, i32.add, local.set 21
		0x20, 21, 0x20, 10, 0x6a, 0x21, 22, // local.get 21, local.get 10, i32.add, local.set 22
		0x20, 14, 0x41, 9, 0x46, 0x04, 0x40, // local.get 14, i32.const 9, i32.eq, if
		0x20, 21, 0x21, 23, // local.get 21, local.set 23
		0x20, 22, 0x21, 21, // local.get 22, local.set 21
		0x20, 23, 0x21, 22, 0x0b, // local.get 23, local.set 22, end
		// If one of them cannot match here, go on with the other one.
		0x02, 0x40, // block
		0x20, 0, 0x20, 21, 0x20, 7, 0x10, 29, 0x04, 0x40, // local.get 0, local.get 21, local.get 7, call 29, if
		0x20, 22, 0x21, 4, 0x05, // local.get 22, local.set 4, else
		0x20, 0, 0x20, 22, 0x20, 7, 0x10, 29, 0x45, // local.get 0, local.get 22, local.get 7, call 29, i32.eqz,
		0x0d, 1, // br_if 1
		0x20, 21, 0x21, 4, 0x0b, // local.get 21, local.set 4, end
		0x20, 11, 0x21, 3, // local.get 11, local.set 3
		0x20, 7, 0x21, 5, // local.get 7, local.set 5
		0x0c, 33, 0x0b, // br 33, end
	})

	// repeat lets a simple_greedy_quant look at the characters itself, where the engine calls the matcher for each of
	// them. Local 4 is its pc, and local 10 that of its atom.
	repeat = insert(237, 3899, []byte{0x20, 4, 0x28, 0, 9}, []byte{
		// Local 9 counts repetitions, local 24 is their limit, local 25 the first instruction of the atom, and local
		// 23 its end.
		0x41, 0, 0x21, 9, // i32.const 0, local.set 9
		0x20, 4, 0x28, 0, 9, 0x21, 24, // local.get 4, i32.load 9, local.set 24
		0x20, 10, 0x2d, 0, 0, 0x21, 25, // local.get 10, i32.load8_u, local.set 25
		0x20, 10, 0x41, 1, 0x6a, 0x21, 23, // local.get 10, i32.const 1, i32.add, local.set 23
		0x02, 0x40, // block
		// Is the atom only one dot, any, char8 or range of no more than 16 parts, with match (11) behind it?
		0x02, 0x40, // block
		0x20, 25, 0x41, 0x7e, 0x71, 0x41, 4, // local.get 25, i32.const 4294967294, i32.and, i32.const 4,
		0x46, 0x0d, 0, // i32.eq, br_if 0
		0x20, 0, 0x2d, 0, 21, 0x0d, 1, // local.get 0, i32.load8_u 21, br_if 1
		0x20, 10, 0x41, 2, 0x6a, 0x21, 23, // local.get 10, i32.const 2, i32.add, local.set 23
		0x20, 25, 0x41, 1, 0x46, 0x0d, 0, // local.get 25, i32.const 1, i32.eq, br_if 0
		0x20, 25, 0x41, 22, 0x47, 0x0d, 1, // local.get 25, i32.const 22, i32.ne, br_if 1
		0x20, 10, 0x2f, 0, 1, 0x22, 23, 0x41, 16, // local.get 10, i32.load16_u 1, local.tee 23, i32.const 16,
		0x4b, 0x0d, 1, // i32.gt_u, br_if 1
		0x20, 10, 0x41, 3, 0x6a, 0x20, 23, // local.get 10, i32.const 3, i32.add, local.get 23,
		0x41, 2, 0x74, 0x6a, 0x21, 23, 0x0b, // i32.const 2, i32.shl, i32.add, local.set 23, end
		0x20, 23, 0x2d, 0, 0, 0x41, 11, 0x47, 0x0d, 0, // local.get 23, i32.load8_u, i32.const 11, i32.ne, br_if 0
		0x03, 0x40, // loop
		// The last repetition that is allowed, and what follows a half of a surrogate pair, are for the loop of the
		// engine.
		0x20, 9, 0x41, 1, 0x6a, 0x20, 24, 0x4f, // local.get 9, i32.const 1, i32.add, local.get 24, i32.ge_u,
		0x0d, 1, // br_if 1
		0x20, 7, 0x22, 5, 0x20, 16, 0x4f, 0x0d, 2, // local.get 7, local.tee 5, local.get 16, i32.ge_u, br_if 2
		0x20, 13, 0x04, 0x40, // local.get 13, if
		0x20, 7, 0x2f, 1, 0, 0x21, 21, 0x05, // local.get 7, i32.load16_u, local.set 21, else
		0x20, 7, 0x2d, 0, 0, 0x21, 21, 0x0b, // local.get 7, i32.load8_u, local.set 21, end
		0x20, 21, 0x41, 0x80, 0xf0, 3, 0x71, // local.get 21, i32.const 63488, i32.and,
		0x41, 0x80, 0xb0, 3, 0x46, 0x0d, 1, 0x02, 0x40, // i32.const 55296, i32.eq, br_if 1, block
		// range
		0x20, 25, 0x41, 22, 0x46, 0x04, 0x40, // local.get 25, i32.const 22, i32.eq, if
		0x20, 10, 0x41, 3, 0x6a, 0x21, 22, 0x03, 0x40, // local.get 10, i32.const 3, i32.add, local.set 22, loop
		0x20, 21, 0x20, 22, 0x2f, 0, 0, 0x49, 0x0d, 5, // local.get 21, local.get 22, i32.load16_u, i32.lt_u, br_if 5
		0x20, 21, 0x20, 22, 0x2f, 0, 2, 0x4d, // local.get 21, local.get 22, i32.load16_u 2, i32.le_u,
		0x0d, 2, // br_if 2
		0x20, 22, 0x41, 4, 0x6a, 0x22, 22, // local.get 22, i32.const 4, i32.add, local.tee 22,
		0x20, 23, 0x49, 0x0d, 0, 0x0b, // local.get 23, i32.lt_u, br_if 0, end
		0x0c, 4, 0x0b, // br 4, end
		// char8
		0x20, 25, 0x41, 1, 0x46, 0x04, 0x40, // local.get 25, i32.const 1, i32.eq, if
		0x20, 21, 0x20, 10, 0x2d, 0, 1, 0x46, 0x0d, 1, // local.get 21, local.get 10, i32.load8_u 1, i32.eq, br_if 1
		0x0c, 4, 0x0b, // br 4, end
		// any and dot
		0x20, 25, 0x41, 5, 0x46, 0x0d, 0, // local.get 25, i32.const 5, i32.eq, br_if 0
		0x20, 21, 0x41, 10, 0x46, 0x0d, 3, // local.get 21, i32.const 10, i32.eq, br_if 3
		0x20, 21, 0x41, 13, 0x46, 0x0d, 3, // local.get 21, i32.const 13, i32.eq, br_if 3
		0x20, 21, 0x41, 1, 0x72, 0x41, 0xa9, 0xc0, 0, // local.get 21, i32.const 1, i32.or, i32.const 8233,
		0x46, 0x0d, 3, 0x0b, // i32.eq, br_if 3, end
		// one more
		0x20, 7, 0x41, 2, 0x41, 1, 0x20, 13, // local.get 7, i32.const 2, i32.const 1, local.get 13,
		0x1b, 0x6a, 0x21, 7, // select, i32.add, local.set 7
		0x20, 9, 0x41, 1, 0x6a, 0x21, 9, // local.get 9, i32.const 1, i32.add, local.set 9
		0x0c, 0, 0x0b, 0x0b, // br 0, end, end
	})
	// The engine's loops go on where that one has ended: local 9 is no longer set to 0.
	repeatWhole = metering.Replacement{Function: 237, At: 3915, Old: []byte{0x41, 0, 0x21, 9}}
	repeatSome  = metering.Replacement{Function: 237, At: 4058, Old: []byte{0x41, 0, 0x21, 9}}

	// settle lets a simple_greedy_quant give back at once what it must, before it keeps a state. Local 4 is the pc of
	// what follows, local 5 cptr, local 9 how often the atom has matched, and local 14 how often it has to.
	settle = insert(237, 4208, []byte{0x20, 11, 0x21, 3, 0x20, 9}, []byte{
		0x02, 0x40, // block
		// Only if the atom is one character: then go back while what follows cannot match. There is no match if no
		// repetition is left that is not needed.
		0x20, 10, 0x41, 4, 0x6b, 0x28, 0, 0, // local.get 10, i32.const 4, i32.sub, i32.load,
		0x41, 1, 0x47, 0x0d, 0, 0x03, 0x40, // i32.const 1, i32.ne, br_if 0, loop
		0x20, 0, 0x20, 4, 0x20, 5, 0x10, 29, 0x45, // local.get 0, local.get 4, local.get 5, call 29, i32.eqz,
		0x0d, 1, // br_if 1
		0x20, 9, 0x20, 14, 0x46, 0x0d, 6, // local.get 9, local.get 14, i32.eq, br_if 6
		0x20, 13, 0x04, 0x40, // local.get 13, if
		0x20, 5, 0x41, 2, 0x6b, 0x2f, 1, 0, // local.get 5, i32.const 2, i32.sub, i32.load16_u,
		0x41, 0x80, 0xf0, 3, 0x71, 0x41, 0x80, 0xb0, 3, // i32.const 63488, i32.and, i32.const 55296,
		0x46, 0x0d, 2, // i32.eq, br_if 2
		0x20, 5, 0x41, 2, 0x6b, 0x21, 5, 0x05, // local.get 5, i32.const 2, i32.sub, local.set 5, else
		0x20, 5, 0x41, 1, 0x6b, 0x21, 5, 0x0b, // local.get 5, i32.const 1, i32.sub, local.set 5, end
		0x20, 9, 0x41, 1, 0x6b, 0x21, 9, // local.get 9, i32.const 1, i32.sub, local.set 9
		0x0c, 0, 0x0b, 0x0b, // br 0, end, end
	})

	// retreat lets it do the same when the matcher comes back to its state, which is local 11.
	retreat = insert(237, 5244, []byte{0x20, 1, 0x20, 11, 0x41, 16, 0x6a, 0x22, 3}, []byte{
		// Local 22 is the pc of the repetition, local 21 that of what follows it, and local 23 the size of a
		// character.
		0x20, 11, 0x28, 2, 12, 0x22, 22, 0x41, 16, // local.get 11, i32.load 12, local.tee 22, i32.const 16,
		0x6a, 0x20, 22, 0x28, 0, 0, 0x6a, 0x21, 21, // i32.add, local.get 22, i32.load, i32.add, local.set 21
		0x02, 0x40, // block
		0x20, 22, 0x28, 0, 12, 0x41, 1, 0x47, 0x0d, 0, // local.get 22, i32.load 12, i32.const 1, i32.ne, br_if 0
		0x41, 2, 0x41, 1, 0x20, 13, 0x1b, 0x21, 23, // i32.const 2, i32.const 1, local.get 13, select, local.set 23
		0x03, 0x40, // loop
		// The last repetition is for the engine, which drops the state with it.
		0x20, 11, 0x28, 2, 4, 0x41, 1, 0x4d, 0x0d, 1, // local.get 11, i32.load 4, i32.const 1, i32.le_u, br_if 1
		0x20, 11, 0x28, 2, 8, 0x20, 23, 0x6b, // local.get 11, i32.load 8, local.get 23, i32.sub,
		0x21, 22, // local.set 22
		0x20, 0, 0x20, 21, 0x20, 22, 0x10, 29, // local.get 0, local.get 21, local.get 22, call 29,
		0x45, 0x0d, 1, // i32.eqz, br_if 1
		0x20, 11, 0x20, 22, 0x36, 2, 8, // local.get 11, local.get 22, i32.store 8
		0x20, 11, 0x20, 11, 0x28, 2, 4, 0x41, 1, // local.get 11, local.get 11, i32.load 4, i32.const 1,
		0x6b, 0x36, 2, 4, // i32.sub, i32.store 4
		0x0c, 0, 0x0b, 0x0b, // br 0, end, end
	})
)
