package quickjs

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// The engine forgets a match of a regular expression when it has made its result. RegExp.$1, RegExp.lastMatch and the
// like need the string and where its groups are, so these are kept instead of freed. That costs no copy and no
// allocation.

// matchAddress is where the last match is, in memory below the engine's data, which nothing uses: a JSValue, the
// string, or zero; the uint8_t*[] of where each group begins and ends; how many groups there are; and how many matches
// there have been.
const (
	matchAddress  = 1000
	matchGroups   = matchAddress + 8
	matchCount    = matchAddress + 12
	matchesBefore = matchAddress + 16
)

// A Match is the last match of a regular expression: the string and its groups, of which the first is the whole match.
type Match struct {
	Input  Value // Retain it before it is handed to the guest.
	Groups int
	Number uint32 // changes with each match

	vm *VM
}

// LastMatch returns the last match. It is false if there has been none.
func (vm *VM) LastMatch() (Match, bool) {
	input, _ := vm.memory.ReadUint64Le(matchAddress)
	m := Match{Value(input), int(vm.u32(matchCount)), vm.u32(matchesBefore), vm}
	return m, m.Input.IsString()
}

// Group returns where a group begins and ends, in code units. It is false if the group does not exist or has not
// matched.
func (m Match) Group(n int) (start, end int, ok bool) {
	if n < 0 || n >= m.Groups {
		return 0, 0, false
	}
	units, wide, _ := m.vm.units(m.Input)
	at := m.vm.u32(matchGroups) + 8*uint32(n)
	from, to, base := m.vm.u32(at), m.vm.u32(at+4), m.vm.dataOf(m.Input)
	if from < base || to < from || uint64(to) > uint64(base)+uint64(len(units)) {
		return 0, 0, false
	}
	start, end = int(from-base), int(to-base)
	if wide {
		start, end = start/2, end/2
	}
	return start, end, true
}

var lastMatch = []metering.Replacement{
	keepMatch, matched,
	// RegExp.prototype[Symbol.replace] deletes matches without making results: once, in a loop over code points, and in
	// one over code units.
	deleted(2507, []byte{0x22, 4, 0x41, 0, 0x4a, 0x04, 0x40}),
	deleted(2626, []byte{0x22, 3, 0x20, 4, 0x4a, 0x04, 0x40}),
	deleted(2918, []byte{0x22, 3, 0x20, 4, 0x4a, 0x04, 0x40}),
}

// keepMatch makes QJS_GetPropertyUint32(ctx, groups | string << 32, count) another function: it keeps a match, and
// returns a uint8_t*[] of the same size that the caller owns instead.
var keepMatch = metering.Replacement{
	Function: 79,
	Old:      []byte{0, 0x20, 0, 0x20, 1, 0x20, 2, 0xad, 0x10, 0x8f, 3, 0x0b},
	New: slices.Concat(
		[]byte{1, 1, 0x7f}, // one local of type i32
		// JS_FreeValue of the string before
		[]byte{0x20, 0, 0x41, 0, 0x29, 3}, uvarint(matchAddress), []byte{0x10, 0x98, 2},
		// the upper half of local 1, with the tag of strings, and with one reference more
		[]byte{0x41, 0, 0x20, 1, 0x42, 32, 0x88, 0x42, 0x80, 0x80, 0x80, 0x80, 0x90, 0x7f, 0x84, 0x37, 3},
		uvarint(matchAddress),
		[]byte{0x20, 1, 0x42, 32, 0x88, 0xa7, 0x22, 3, 0x20, 3, 0x28, 2, 0, 0x41, 1, 0x6a, 0x36, 2, 0},
		[]byte{0x41, 0, 0x28, 2}, uvarint(matchGroups), []byte{0x21, 3}, // the array before, local.set 3
		[]byte{0x41, 0, 0x28, 2}, uvarint(matchCount), []byte{0x20, 2, 0x47, 0x04, 0x40}, // if it is of another size
		[]byte{0x20, 0, 0x20, 3, 0x10, 0xfe, 1}, // call 254, js_free
		// call 252, js_malloc, local.tee 3, i32.eqz, if: no memory ends the run
		[]byte{0x20, 0, 0x20, 2, 0x41, 3, 0x74, 0x10, 0xfc, 1, 0x22, 3, 0x45, 0x04, 0x40, 0x00, 0x0b, 0x0b},
		[]byte{0x41, 0, 0x20, 1, 0xa7, 0x36, 2}, uvarint(matchGroups),
		[]byte{0x41, 0, 0x20, 2, 0x36, 2}, uvarint(matchCount),
		[]byte{0x41, 0, 0x41, 0, 0x28, 2}, uvarint(matchesBefore), []byte{0x41, 1, 0x6a, 0x36, 2},
		uvarint(matchesBefore),
		[]byte{0x20, 3, 0xad, 0x0b}), // local.get 3, i64.extend_i32_u, end
}

// matched makes js_regexp_exec keep the match where it would free the groups, unless its result is null or an
// exception.
var matched = insert(675, 2373, []byte{0x20, 3, 0x28, 2, 0, 0x22, 4, 0x20, 4, 0x28, 2, 20}, []byte{
	// the tag of local 17 (the result), i64.const -1, i64.eq, if: an object
	0x20, 17, 0x42, 32, 0x87, 0x42, 0x7f, 0x51, 0x04, 0x40,
	0x20, 3, 0x41, 16, 0x6b, // local.get 3 (the JSRuntime* of the JSContext), i32.const 16, i32.sub
	0x20, 2, 0xad, 0x20, 21, 0xad, 0x42, 32, 0x86, 0x84, // local 2, the groups, with local 21, the string, shifted
	0x20, 23, 0x10, 79, 0xa7, 0x21, 2, 0x0b}) // local.get 23 (how many), call 79, i32.wrap_i64, local.set 2, end

// deleted keeps a match where its beginning and end have been read from local 2.
func deleted(at int, before []byte) metering.Replacement {
	return insert(680, at, before, []byte{
		0x20, 0, 0x20, 2, 0xad, 0x20, 7, 0xad, 0x42, 32, 0x86, 0x84, // the JSContext*, the groups and the string
		0x20, 17, 0x2d, 0, 2, // local.get 17 (the compiled expression), i32.load8_u offset=2: how many groups it has
		0x10, 79, 0xa7, 0x21, 2}) // call 79, i32.wrap_i64, local.set 2
}

func uvarint(n uint64) []byte { return binary.AppendUvarint(nil, n) }

// verifyLastMatch checks that matches are kept.
func verifyLastMatch(ctx context.Context, vm *VM) error {
	for script, want := range map[string]string{
		`/b(c)?(d)(x)?/.exec('abdé'); 1`:               "abdé: 1-3 - 2-3 -",
		`'xaybya'.replace(/(a)y/g, ''); 1`:             "xaybya: 1-3 1-2",
		`'xa\u{1f600}a'.replace(/(?:(a)|y)$/u, ''); 1`: "xa\U0001f600a: 4-5 4-5",
	} {
		if _, err := vm.Eval(ctx, script, "toolrun:verify"); err != nil {
			return err
		}
		m, ok := vm.LastMatch()
		text, _, _ := vm.String(m.Input, 100)
		text += ":"
		for n := range m.Groups {
			if start, end, ok := m.Group(n); ok {
				text += fmt.Sprintf(" %d-%d", start, end)
			} else {
				text += " -"
			}
		}
		if !ok || text != want {
			return fmt.Errorf("the last match of %s is %s", script, text)
		}
	}
	return nil
}
