package python_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

// BenchmarkSession compares code in a fresh sandbox with code of a session, whose state is opened before it and sealed
// behind it, and measures what suspended code takes.
func BenchmarkSession(b *testing.B) {
	needPython(b)
	seal := func(b *testing.B, s *sandbox.State) []byte {
		sealed, err := s.Seal(stateKey, 0)
		require.NoError(b, err)
		return sealed
	}
	open := func(b *testing.B, sealed []byte) *sandbox.State {
		state, err := interpreter.OpenState(sealed, stateKey, sandbox.DefaultMemory)
		require.NoError(b, err)
		return state
	}
	b.Run("fresh", func(b *testing.B) {
		for b.Loop() {
			_, err := interpreter.Run(b.Context(), `1`, nil)
			require.NoError(b, err)
		}
	})
	for _, c := range []struct{ name, code string }{
		{"small", "n = 1\ndef f(): return n"},
		{"2 MB", "items = [{'id': i, 'name': f'name {i}'} for i in range(8_000)]"},
	} {
		first, err := interpreter.Run(b.Context(), c.code, &python.RunOptions{Session: true})
		require.NoError(b, err)
		sealed := seal(b, first.State)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				result, err := interpreter.Run(b.Context(), `1`, &python.RunOptions{Session: true,
					State: open(b, sealed)})
				require.NoError(b, err)
				seal(b, result.State)
			}
			b.ReportMetric(float64(len(sealed)), "bytes")
			b.ReportMetric(float64(first.State.Bytes()), "bytes-memory")
		})
		b.Run(c.name+"/without seals", func(b *testing.B) {
			state := open(b, sealed)
			for b.Loop() {
				result, err := interpreter.Run(b.Context(), `1`, &python.RunOptions{Session: true, State: state})
				require.NoError(b, err)
				require.NotNil(b, result.State)
			}
		})
	}
	const code = "m = {1: 'a'}\nm[1] + await tools.ask('x')"
	waiting := suspended(b, code)
	sealed := seal(b, waiting.State)
	b.Run("suspended", func(b *testing.B) {
		for b.Loop() {
			result, err := interpreter.Run(b.Context(), code, asking(nil))
			require.True(b, errors.Is(err, python.ErrSuspend))
			seal(b, result.State)
		}
		b.ReportMetric(float64(len(sealed)), "bytes")
		b.ReportMetric(float64(waiting.State.Bytes()), "bytes-memory")
	})
	b.Run("resumed", func(b *testing.B) {
		for b.Loop() {
			result, err := interpreter.Resume(b.Context(), open(b, sealed), asking(echo))
			require.NoError(b, err)
			require.Equal(b, "'ax'", result.Text)
		}
	})
	b.Run("never suspended", func(b *testing.B) {
		for b.Loop() {
			_, err := interpreter.Run(b.Context(), code, asking(echo))
			require.NoError(b, err)
		}
	})
}
