package metering_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// replaceable has the functions successor (0, imported), "f" (1), which is x+1, and "g" (2), which is f(x)+100.
func replaceable() (wasm, f, g []byte) {
	var m builder
	m.importFunction("host", "successor", "i:i")
	m.exportFunction("f", "i:i", "", localGet(0), i32(1), opI32Add)
	m.exportFunction("g", "i:i", "I", localGet(0), call(1), i32(100), opI32Add)
	unsized := func(body []byte) []byte { return body[1:] }
	return m.bytes(), unsized(m.bodies[0]), unsized(m.bodies[1])
}

func TestReplacedFunctionsRunAndAreMetered(t *testing.T) {
	wasm, f, g := replaceable()
	noLocals, oneLocal := []byte{0}, code(1, 1, valueTypes['i'])
	for _, c := range []struct {
		name         string
		replacements []metering.Replacement
		f, g         uint64 // the results for 5
		cost         int64  // of both calls
	}{
		{"nothing replaced", nil, 6, 106, 0},
		{"a whole body", []metering.Replacement{{1, 0, f, code(noLocals, localGet(0), i32(2), opI32Mul, opEnd)}}, 10,
			110, 0},
		{"a body by itself", []metering.Replacement{{1, 0, f, f}}, 6, 106, 0},
		{"a body by one with a loop and other locals",
			[]metering.Replacement{{1, 0, f, code(oneLocal, sumDown(), localGet(1), opEnd)}}, 15, 115, 8},
		{"the beginning of a body", []metering.Replacement{{2, 0, g[:5], code(g[:3], localGet(0), i32(7), opI32Mul)}},
			6, 136, 0},
		{"the beginning of a body by one with a loop",
			[]metering.Replacement{{2, 0, g[:3], code(2, 1, valueTypes['I'], 1, valueTypes['i'],
				loop(nil, increment(2, 1), localGet(2), i32(3), opI32LtS, brIf(0)))}}, 6, 106, 2},
		{"calls by the indices of the original module",
			[]metering.Replacement{{1, 0, f, code(noLocals, localGet(0), call(0), call(0), opEnd)},
				{2, 0, g, code(noLocals, localGet(0), call(1), opEnd)}},
			7, 7, 0},
		{"the middle of a body", []metering.Replacement{{1, 3, f[3:5], i32(3)}}, 8, 108, 0},
		{"nothing in the middle, by instructions", []metering.Replacement{{1, 3, nil, code(i32(3), opI32Mul)}}, 16,
			116, 0},
		{"two parts of a body, the second one first",
			[]metering.Replacement{{1, 5, f[5:6], []byte{opI32Mul}}, {1, 3, f[3:5], code(i32(3), opI32Mul, i32(2))}},
			30, 130, 0},
		{"nothing, by nothing", []metering.Replacement{{1, 0, nil, nil}}, 6, 106, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			rewritten, err := metering.Rewrite(wasm, metering.Options{Replacements: c.replacements})
			require.NoError(t, err)
			forEachEngine(t, func(t *testing.T, e engine) {
				host := endless()
				i, err := instantiate(t, e, rewritten, host)
				require.NoError(t, err)
				results, err := i.call("f", 5)
				require.NoError(t, err)
				require.Equal(t, with(c.f), results)
				results, err = i.call("g", 5)
				require.NoError(t, err)
				require.Equal(t, with(c.g), results)
				require.Equal(t, c.cost, host.used(i.fuel()))
			})
		})
	}
}

func TestReplacementsThatDoNotFitAreRefused(t *testing.T) {
	wasm, f, _ := replaceable()
	for _, c := range []struct {
		name        string
		replacement metering.Replacement
		message     string
	}{
		{"another body", metering.Replacement{Function: 2, Old: f, New: f}, "function 2 is not the one to replace"},
		{"a longer body", metering.Replacement{Function: 1, Old: code(f, opNop), New: f},
			"function 1 is not the one to replace"},
		{"another place", metering.Replacement{Function: 1, At: 1, Old: f[3:], New: f[3:]},
			"function 1 is not the one to replace"},
		{"a place behind the body", metering.Replacement{Function: 1, At: len(f) + 1},
			"function 1 is not the one to replace"},
		{"a place before the body", metering.Replacement{Function: 1, At: -1}, "function 1 is not the one to replace"},
		{"an imported function", metering.Replacement{Function: 0, Old: f, New: f},
			"there is no function 0 to replace"},
		{"a function that metering adds", metering.Replacement{Function: 3, Old: f, New: f},
			"there is no function 3 to replace"},
		{"the function with the largest index", metering.Replacement{Function: 1<<32 - 1, Old: f, New: f},
			"there is no function 4294967295 to replace"},
		{"a replacement by nothing", metering.Replacement{Function: 1, Old: f},
			"function 1: at byte 0: unexpected end"},
		{"a replacement without end", metering.Replacement{Function: 1, Old: f, New: []byte{0, opNop}},
			"unexpected end"},
		{"a replacement that refers to the fuel", metering.Replacement{Function: 1, Old: f, New: code(0, globalGet(0),
			opEnd)},
			"there is no global 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := metering.Rewrite(wasm, metering.Options{Replacements: []metering.Replacement{c.replacement}})
			require.ErrorContains(t, err, c.message)
		})
	}
}

func TestReplacementsThatOverlapAreRefused(t *testing.T) {
	wasm, f, _ := replaceable()
	_, err := metering.Rewrite(wasm, metering.Options{Replacements: []metering.Replacement{{1, 0, f[:4], f[:4]},
		{1, 3, f[3:], f[3:]}}})
	require.ErrorContains(t, err, "function 1 is not the one to replace")
}

func TestReplacementsAndTheModuleAreNotChanged(t *testing.T) {
	wasm, f, _ := replaceable()
	given := slices.Clone(wasm)
	replacement := append(make([]byte, 0, 100), f[:1]...) // with spare capacity, which must not be written to
	_, err := metering.Rewrite(given,
		metering.Options{Replacements: []metering.Replacement{{1, 0, f[:1], replacement}}})
	require.NoError(t, err)
	require.Equal(t, wasm, given)
	require.Equal(t, f[:1], replacement)
	require.Equal(t, make([]byte, 99), replacement[1:100])
}
