package quickjs

import (
	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// noSources make the engine keep no source of functions whose file's name begins with PreludeName. It keeps a copy for
// each function, and for those around it, which is half of what the prelude would take of every sandbox. Such functions
// show "[native code]" as the engine's own do. Classes keep their source, by which they can be told from functions.
var noSources = []metering.Replacement{
	insert(780, 6262, sourceLength, dropSource), insert(780, 6363, sourceLength, dropSource), nativeText,
}

var (
	// sourceLength stores the length of a function's source in js_parse_function_decl2, and goes on to copy it.
	sourceLength = []byte{0x22, 2, 0x36, 2, 0xe4, 2, 0x20, 10, 0x20, 16, 0x20, 3, 0x20, 2, 0x10, 0x80, 2}
	// dropSource makes the length zero: local.get 0 (JSParseState*), its filename, i64.load, i64.const PreludeName,
	// i64.ne, i32.mul
	dropSource = []byte{
		0x20, 0, 0x28, 2, 20, 0x29, 0, 0, 0x42, 0xf4, 0xde, 0xbd, 0xe3, 0xa6, 0xae, 0x9d, 0xb7, 0x3a, 0x52, 0x6c,
	}

	// nativeText makes js_function_toString take an empty source for none.
	nativeText = metering.Replacement{Function: 870, At: 131,
		Old: []byte{0x22, 3, 0x45, 0x0d, 0},                                   // local.tee 3 (source), i32.eqz, br_if 0
		New: []byte{0x22, 3, 0x45, 0x20, 2, 0x28, 2, 76, 0x45, 0x72, 0x0d, 0}} // or source_len, i32.eqz
)
