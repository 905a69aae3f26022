package metering_test

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// FuzzRewrite passes arbitrary bytes to Rewrite, and compares its verdict and result with wazero's.
func FuzzRewrite(f *testing.F) {
	for _, s := range allShapes() {
		if wasm := s.module(); len(wasm) < 1000 {
			f.Add(wasm, false)
		}
	}
	f.Add(withCode(loop(nil, br(0))), true)
	f.Add(envModule(), true)
	for seed := range 10 {
		f.Add(generate(scrambled(seed, 200)).bytes(), seed%2 == 0)
	}
	f.Fuzz(func(t *testing.T, data []byte, functions bool) {
		given := slices.Clip(slices.Clone(data))
		rewritten, err := metering.Rewrite(given, metering.Options{Functions: functions})
		require.True(t, bytes.Equal(data, given), "the argument was changed")
		if errors.Is(err, metering.ErrUnsupported) || !harmless(data, err == nil) {
			return
		}
		if err != nil {
			// wazero reads a count in an empty data count section at the end of a module.
			if !strings.Contains(err.Error(), "section 12: at byte 0: unexpected end") {
				require.Error(t, compiles(interpreter, data), "refused: %v", err)
			}
			return
		}
		// Custom sections are dropped without reading them.
		if err := compiles(interpreter, withoutCustomSections(data)); err == nil {
			if err := compiles(interpreter, rewritten); err != nil { // a ref.is_null of an exnref
				require.ErrorContains(t, err, "expected reference type but was")
			}
			requireMetered(t, data, rewritten, metering.Options{Functions: functions})
		} else if !invalidOnlyBefore.MatchString(err.Error()) {
			require.Error(t, compiles(interpreter, rewritten), "the original does not compile: %v", err)
		}
	})
}

// invalidOnlyBefore matches the faults that rewriting removes. The branches that are added, and those that take the
// place of catch clauses, drop surplus values, references to exceptions become numbers, and exports of tags are left
// out.
var invalidOnlyBefore = regexp.MustCompile(`too many results|clause type mismatch|exnref|export name|export\[`)

// harmless reports whether a module can be passed to wazero, which trusts some numbers in modules and allocates memory
// before it checks them.
func harmless(data []byte, wellFormed bool) bool {
	if wellFormed {
		for _, s := range sectionsOf(data) {
			if s.id == 11 && hasLongNumbers(s.content) {
				return false // Rewrite does not read data segments
			}
		}
		return censusOf(data).locals < 1<<16
	}
	return !hasLongNumbers(data)
}

// hasLongNumbers reports whether data may contain LEB128 numbers of more than two bytes.
func hasLongNumbers(data []byte) bool {
	for n := 1; n < len(data); n++ {
		if data[n-1] >= 0x80 && data[n] >= 0x80 {
			return true
		}
	}
	return false
}

func withoutCustomSections(wasm []byte) []byte {
	out := slices.Clone(header)
	for _, s := range sectionsOf(wasm) {
		if s.id != 0 {
			out = append(out, section(s.id, s.content)...)
		}
	}
	return out
}
