package quickjs

import (
	"slices"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// regexpAnswers make regular expressions mean what they should. The host translates what the engine does not know.
var regexpAnswers = []metering.Replacement{
	resetCaptures, setsFlag, setsAreUnicode, unicodeFlag, translateSets, translateFailure,
	duplicateName, duplicateGroup,
	matchSets, replaceSets, matchAllSets, splitSets,
}

// resetCaptures makes re_parse_term reset the groups in a repeated atom before each repetition. The engine emits
// REOP_save_reset in front of the loop, and only where there may be no repetition. Now it is a part of the atom.
var resetCaptures = metering.Replacement{
	Function: 235, At: 8761,
	Old: mustDecode("2014450440" + // local.get 20 (quant_min), i32.eqz, if
		"200028022c20124704402000200541" + "0310ee010d03" + saveReset +
		"200541036a21050b"), // local.get 5 (last_atom_start), i32.const 3, i32.add, local.set 5, end
	New: mustDecode("200028022c20124704402000200541" + "0310ee010d02" + saveReset +
		"200f41036a210f0b" + // the same for local 15, the length of the atom
		"2014450440"),
}

// saveReset stores the instruction in the bytes that have been inserted.
const saveReset = "200028020020056a410e3a0000" + "200520002802006a41016a20123a0000" +
	"200520002802006a41026a20002d002c41016b3a0000"

// The flag v means nothing to the engine. js_compile_regexp now sets the flag u with it, so that patterns are those of
// u, and js_regexp_get_flag hides that one.
var (
	setsFlag = metering.Replacement{Function: 317, At: 205,
		Old: []byte{0x41, 0x80, 2}, // i32.const 256
		New: []byte{0x41, 0x90, 2}} // i32.const 256|16
	setsAreUnicode = metering.Replacement{Function: 317, At: 366,
		// i32.const 256|16, i32.eq: u and v, which are refused as one flag twice by now
		Old: []byte{0x41, 0x90, 2, 0x46},
		New: []byte{0x41, 0x7f, 0x46}} // i32.const -1
	unicodeFlag = metering.Replacement{Function: 674, At: 241,
		Old: []byte{0x20, 2, 0x71}, // local.get 2 (the flag), i32.and
		New: []byte{0x22, 0, 0x20, 2, 0x71, // local.tee 0
			0x20, 0, 0x41, 4, 0x76, 0x41, 16, 0x71, 0x41, 0x7f, 0x73, 0x71}} // without u if there is v
)

// translation asks the host for another pattern: it calls hostFunction(ctx, pattern, RegexpArgc, flags), where flags is
// what the code leaves on the stack. If it gets a string, js_compile_regexp compiles that instead, with the same flags,
// and may ask for it again: the host knows its own pattern, and returns undefined for it, until it is told that it is
// done.
func translation(flags []byte) []byte {
	return slices.Concat(
		[]byte{0x20, 0, 0x20, 1, 0x41, 0x7a}, flags, // local.get 0, local.get 1, i32.const -6
		[]byte{0x10, 32, 0x22, 13, // call 32, local.tee 13
			0x42, 0x80, 0x80, 0x80, 0x80, 0x30, 0x52, 0x04, 0x40, // i64.const undefined, i64.ne, if
			// the tag, i32.const -7 (JS_TAG_STRING), i32.eq, if
			0x20, 13, 0x42, 32, 0x87, 0xa7, 0x41, 0x79, 0x46, 0x04, 0x40,
			0x20, 0, 0x20, 13, 0x20, 2, 0x10, 0xbd, 2, 0x21, 1, // call 317, this function, local.set 1
			// hostFunction(ctx, undefined, RegexpArgc, RegexpDone), drop
			0x20, 0, 0x42, 0x80, 0x80, 0x80, 0x80, 0x30, 0x41, 0x7a, 0x41, 1, 0x10, 32, 0x1a,
			0x20, 0, 0x20, 13, 0x10, 0x98, 2, // call 280, JS_FreeValue of the pattern
			0x20, 1, 0x21, 13, // local.get 1, local.set 13: the result
			0x05, 0x42, 0x80, 0x80, 0x80, 0x80, 0xe0, 0, 0x21, 13, 0x0b, // else i64.const exception, local.set 13, end
			0x0c, 3, 0x0b, // br 3: to the end of the function
			0x42, 0x80, 0x80, 0x80, 0x80, 0xe0, 0, 0x21, 13}) // i64.const exception, local.set 13, as before
}

var (
	// translateSets asks before a pattern with the flag v, or with u and i, is compiled, translateFailure when a
	// pattern is refused. With u and i, the engine ignores the case of \p{Lu} in classes only.
	translateSets = insert(317, 390, []byte{0x20, 0, 0x20, 10, 0x41, 0xdc, 0, 0x6a, 0x20, 1}, slices.Concat(
		// local.get 9 (flags), i32.const 16, i32.and, if (result i32) local.get 9, i32.const 258, i32.and, else 0, end,
		// if
		[]byte{0x20, 9, 0x41, 16, 0x71, 0x04, 0x7f, 0x20, 9, 0x41, 0x82, 2, 0x71, 0x05, 0x41, 0, 0x0b, 0x04, 0x40},
		translation([]byte{0x20, 9}), []byte{0x0b}))
	translateFailure = insert(317, 3319, []byte{0x20, 10, 0x20, 10, 0x41, 16, 0x6a, 0x36, 2, 0},
		translation([]byte{0x20, 9}))

	// duplicateName lets re_parse_term accept a name that another group has, if the host says that this pattern is its
	// own: it calls hostFunction(ctx, undefined, RegexpArgc, 0).
	duplicateName = metering.Replacement{Function: 235, At: 1812,
		Old: []byte{0x4a, 0x04, 0x40, 0x20, 0, 0x41, 0xca, 0xe4, 0, 0x41, 0, 0x10, 0xe9, 1}, // i32.gt_s, if
		New: []byte{0x4a, 0x04, 0x7f,
			// the JSContext*, i64.const undefined, i32.const -6, i32.const 0, call 32
			0x20, 0, 0x28, 2, 56, 0x42, 0x80, 0x80, 0x80, 0x80, 0x30, 0x41, 0x7a, 0x41, 0, 0x10, 32,
			// i64.const undefined, i64.eq, else, i32.const 0, end
			0x42, 0x80, 0x80, 0x80, 0x80, 0x30, 0x51, 0x05, 0x41, 0, 0x0b,
			0x04, 0x40, 0x20, 0, 0x41, 0xca, 0xe4, 0, 0x41, 0, 0x10, 0xe9, 1}}

	// duplicateGroup makes js_regexp_exec leave out the name of a group that has not matched if another group with the
	// name has.
	duplicateGroup = insert(675, 1443, []byte{0x02, 0x40, 0x20, 10}, []byte{
		// local.get 16 (the name), if, local.get 9 (start), i32.const -1, i32.eq, if
		0x20, 16, 0x04, 0x40, 0x20, 9, 0x41, 0x7f, 0x46, 0x04, 0x40,
		0x20, 0, 0x20, 5, 0x20, 16, 0x10, 0x9c, 3, 0x22, 6, // call 412, JS_GetPropertyStr of the groups, local.tee 6
		0x42, 0x80, 0x80, 0x80, 0x80, 0x30, 0x52, 0x04, 0x40, // i64.const undefined, i64.ne, if
		0x41, 0, 0x21, 16, // i32.const 0, local.set 16
		0x20, 0, 0x20, 6, 0x10, 0x98, 2, // JS_FreeValue
		0x0b, 0x0b, 0x0b})
)

// The methods of strings look for the flag u to know whether an empty match is followed by a code point. Now v means
// the same: they call 685, string_indexof_char(flags, 'v', 0).
var (
	matchSets = metering.Replacement{Function: 682, At: 548,
		Old: []byte{0x10, 0x85, 3, 0x22, 3}, // call 389, JS_ToBoolFree of the property unicode, local.tee 3
		New: []byte{0x10, 0x85, 3, 0x20, 12, 0x41, 0xf6, 0, 0x41, 0, 0x10, 0xad, 5, 0x41, 0x7f, 0x47, 0x72, 0x22, 3}}
	replaceSets = metering.Replacement{Function: 680, At: 1055,
		Old: []byte{0x10, 0x85, 3, 0x22, 16},
		New: []byte{
			0x10, 0x85, 3, 0x20, 24, 0xa7, 0x41, 0xf6, 0, 0x41, 0, 0x10, 0xad, 5, 0x41, 0x7f, 0x47, 0x72, 0x22, 16,
		}}
	matchAllSets = metering.Replacement{Function: 684, At: 1145,
		// i32.const 'u', i32.const 0, call 685, local.set 3
		Old: []byte{0x41, 0xf5, 0, 0x41, 0, 0x10, 0xad, 5, 0x21, 3},
		New: []byte{
			0x41, 0xf5, 0, 0x41, 0, 0x10, 0xad, 5, 0x20, 3, 0x41, 0xf6, 0, 0x41, 0, 0x10, 0xad, 5, 0x71, 0x21, 3,
		}}
	splitSets = metering.Replacement{Function: 687, At: 615,
		Old: []byte{0x41, 0x7f, 0x21, 2}, // i32.const -1, local.set 2
		New: []byte{0x20, 6, 0x41, 0xf6, 0, 0x41, 0, 0x10, 0xad, 5, 0x21, 2}}
)
