package python_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

// BenchmarkRun is a fresh sandbox and what some code does in it, with numpy, pandas and matplotlib if the build
// has them.
func BenchmarkRun(b *testing.B) {
	needPython(b)
	for _, bench := range []struct{ name, code string }{
		{"print(6*7)", "print(6*7)"},
		{"a result", "6 * 7"},
		{"an exception", "1 / 0"},
		{"a file", "open('/a', 'w').write('x')"},
		{"JSON and a function", "import json\n\ndef f(x):\n    return json.dumps({'a': [x, 1.5, None]})\n\nf(1)"},
		{"a sum", "import numpy as np\nnp.arange(10).sum()"},
		{"groups of 1000 rows", "import pandas as pd\n" +
			"pd.DataFrame({'k': [i % 7 for i in range(1000)], 'v': range(1000)}).groupby('k').sum()"},
		{"a line chart", "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2, 4])\nplt.savefig('/chart.png')"},
	} {
		b.Run(bench.name, func(b *testing.B) {
			for _, name := range []string{"numpy", "pandas", "matplotlib"} {
				if strings.Contains(bench.code, name) && !slices.Contains(interpreter.Packages(), name) {
					b.Skip("the build does not have " + name)
				}
			}
			files := afero.NewMemMapFs()
			b.ReportAllocs()
			for b.Loop() {
				_, _ = interpreter.Run(b.Context(), bench.code, &python.RunOptions{Files: files})
			}
		})
	}
}

// BenchmarkStart loads Python into a new engine, from the cache.
func BenchmarkStart(b *testing.B) {
	needPython(b)
	m := python.FromBytes(module)
	for b.Loop() {
		engine, err := sandbox.New(&sandbox.EngineOptions{CacheDir: enginetest.CacheDir()})
		require.NoError(b, err)
		_, err = python.New(b.Context(), engine, m)
		require.NoError(b, err)
		require.NoError(b, engine.Close(b.Context()))
	}
}

// BenchmarkLibraries measures code that begins with an import of a package, the first time and then. TOOLRUN_PACKAGES
// names a folder with jinja2 and sympy.
func BenchmarkLibraries(b *testing.B) {
	needPython(b)
	dir := os.Getenv("TOOLRUN_PACKAGES")
	if dir == "" {
		b.Skip("TOOLRUN_PACKAGES does not name a folder")
	}
	for _, name := range []string{"jinja2", "sympy"} {
		for _, kept := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/kept=%v", name, kept), func(b *testing.B) {
				options := python.RunOptions{Files: afero.NewBasePathFs(afero.NewOsFs(), dir), Libraries: []string{"/"}}
				if kept {
					run(b, "import "+name, options)
				}
				for n := 0; b.Loop(); n++ {
					if !kept { // owners share no images
						options.Owner = fmt.Sprint(b.N, n)
					}
					run(b, "import "+name, options)
				}
			})
		}
	}
}
