package python_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pythontest"
	"github.com/toolrun/toolrun/runtime"
	py "github.com/toolrun/toolrun/runtime/python"
)

// BenchmarkPrint runs print(6*7) in fresh sandboxes: by the interpreter alone, and as a model's call, through the
// registry, with the files of a project.
func BenchmarkPrint(b *testing.B) {
	const code = "print(6*7)"
	b.Run("runtime", func(b *testing.B) {
		interpreter := pythontest.New(b, runtime.EngineOptions{})
		b.ReportAllocs()
		for b.Loop() {
			_, err := interpreter.Run(b.Context(), code, &py.RunOptions{})
			require.NoError(b, err)
		}
	})
	b.Run("registry", func(b *testing.B) {
		r, env := newRegistry(b), newEnv(b)
		b.ReportAllocs()
		for b.Loop() {
			require.Empty(b, run(b, r, env, code).Code)
		}
	})
}
