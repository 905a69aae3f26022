package javascript_test

import (
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

func BenchmarkEngineStart(b *testing.B) {
	starts := func(b *testing.B, options *sandbox.EngineOptions) {
		for b.Loop() {
			require.NoError(b, start(b.Context(), options, nil))
		}
	}
	b.Run("cold", func(b *testing.B) { starts(b, nil) })
	b.Run("cached", func(b *testing.B) { starts(b, &sandbox.EngineOptions{CacheDir: enginetest.CacheDir()}) })
}

// BenchmarkRun is a fresh sandbox and what a small script does in it.
func BenchmarkRun(b *testing.B) {
	files := afero.NewMemMapFs()
	require.NoError(b, afero.WriteFile(files, "/1MiB", make([]byte, 1<<20), 0o600))
	echoes := []javascript.Function{{Name: "echo", Call: echo}}
	for _, bench := range []struct{ name, script string }{
		{"return 1", `return 1`},
		{"console and JSON", `console.log({a: [1, 2, 3]}); return {b: 'c'}`},
		{"1 MiB in and out", `await fs.writeFile('/copy', await fs.readFile('/1MiB'))`},
		{"1 MiB of text in and out", `await fs.writeFile('/copy', await fs.readFile('/1MiB', 'utf8'))`},
		{"1000 calls of a Go function", `for (let i = 0; i < 1000; i++) echo(i)`},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				run(b, bench.script, javascript.RunOptions{Files: files, Functions: echoes})
			}
		})
	}
	b.Run("return 1, in parallel", func(b *testing.B) {
		b.RunParallel(func(pb *testing.PB) {
			for pb.Next() {
				run(b, `return 1`)
			}
		})
	})
}
