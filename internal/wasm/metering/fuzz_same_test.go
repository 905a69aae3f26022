package metering_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// FuzzSameResults generates a module from the fuzzer's bytes, and compares its behaviour before and after rewriting.
func FuzzSameResults(f *testing.F) {
	for seed := range 40 {
		f.Add(scrambled(seed, 900))
	}
	f.Fuzz(testSameResults)
}

func testSameResults(t *testing.T, data []byte) {
	if len(data) < 2 || len(data) > 2000 {
		return
	}
	e := engines()[int(data[0]%8)/7%len(engines())] // the compiler is slower
	portion := []int32{1, 7, 1000}[data[1]%3]
	g := generate(data[2:])
	wasm := g.bytes()
	rewritten, err := metering.Rewrite(wasm, metering.Options{Functions: g.recursive})
	require.NoError(t, err)
	requireMetered(t, wasm, rewritten, metering.Options{Functions: g.recursive})

	// Code that the meter does not stop must end without it, too.
	got := runGenerated(t, e, rewritten, &meter{portion: portion, refills: 5000 / int(portion)}, g, math.MaxInt)
	// When it catches an exception, the compiler of wazero 1.12 resets locals to their values before the try_table.
	want := runGenerated(t, interpreter, wasm, nil, g, len(got))
	require.Equal(t, want, got)
}

// scrambled returns bytes that look random but are always the same.
func scrambled(seed, n int) []byte {
	b := make([]byte, n)
	state := uint32(seed)*2654435761 + 1
	for i := range b {
		state ^= state << 13
		state ^= state >> 17
		state ^= state << 5
		b[i] = byte(state >> 11)
	}
	return b
}

// runGenerated calls all functions of a generated module, until it has n outcomes or the module is stopped.
func runGenerated(t *testing.T, e engine, wasm []byte, m *meter, g *generator, n int) (outcomes []outcome) {
	if n == 0 {
		return nil
	}
	i, err := instantiate(t, e, wasm, m)
	require.NoError(t, err)
	for _, args := range []map[rune]uint64{
		{'i': 3, 'I': 1 << 33, 'F': math.Float64bits(2.5)},
		{'i': math.MaxUint32, 'I': 0, 'F': math.Float64bits(math.Inf(-1))},
	} {
		for f, types := range g.signatures[g.first:] {
			if len(outcomes) == n {
				return outcomes
			}
			var params []uint64
			for _, letter := range types.params {
				params = append(params, args[letter])
			}
			i.ExportedGlobal("budget").(api.MutableGlobal).Set(300)
			results, err := i.call("f"+string(rune('0'+f)), params...)
			// Metering may use more of the host's stack, so overflows are not compared.
			if errors.Is(err, errStopped) || strings.Contains(failure(err), "stack overflow") {
				return outcomes
			}
			outcomes = append(outcomes, i.outcome(results, err))
		}
	}
	return outcomes
}
