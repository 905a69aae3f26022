package javascript_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// BenchmarkSession compares a script in a fresh sandbox with one of a session, whose state is opened before it and
// sealed behind it, and measures what a suspended script takes.
func BenchmarkSession(b *testing.B) {
	key := []byte("0123456789abcdef")
	seal := func(b *testing.B, s *sandbox.State) []byte {
		sealed, err := s.Seal(key, 0)
		require.NoError(b, err)
		return sealed
	}
	open := func(b *testing.B, sealed []byte) *sandbox.State {
		state, err := engine.OpenState(sealed, key, sandbox.DefaultMemory)
		require.NoError(b, err)
		return state
	}
	b.Run("fresh", func(b *testing.B) {
		for b.Loop() {
			_, err := engine.Run(b.Context(), `return 1`, nil)
			require.NoError(b, err)
		}
	})
	for _, c := range []struct{ name, script string }{
		{"small", `let n = 1; function f() { return n }`},
		{"2 MB", `const list = Array.from({ length: 12_000 }, (_, i) => ({ id: i, name: 'name ' + i }))`},
	} {
		first, err := engine.Run(b.Context(), c.script, &javascript.RunOptions{Session: true})
		require.NoError(b, err)
		sealed := seal(b, first.State)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				result, err := engine.Run(b.Context(), `return 1`, &javascript.RunOptions{Session: true,
					State: open(b, sealed)})
				require.NoError(b, err)
				seal(b, result.State)
			}
			b.ReportMetric(float64(len(sealed)), "bytes")
			b.ReportMetric(float64(first.State.Bytes()), "bytes-memory")
		})
	}
	waiting, err := engine.Run(b.Context(), `const m = new Map([[1, 'a']]); return m.get(1) + await ask('x')`,
		asking(nil))
	require.True(b, errors.Is(err, javascript.ErrSuspend))
	sealed := seal(b, waiting.State)
	b.Run("resumed", func(b *testing.B) {
		answer := asking(func(x any) (any, error) { return x, nil })
		for b.Loop() {
			result, err := engine.Resume(b.Context(), open(b, sealed), answer)
			require.NoError(b, err)
			require.Equal(b, "ax", result.Text)
		}
	})
}
