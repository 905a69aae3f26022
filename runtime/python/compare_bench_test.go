package python_test

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/runtime/python"
)

// cold runs code as any host of WASI would: a new instance for each run, and no way to stop it.
func cold(b *testing.B) (run func(code string) string) {
	ctx := context.Background()
	cache, err := wazero.NewCompilationCacheWithDir(enginetest.CacheDir() + "-cold")
	require.NoError(b, err)
	rt := wazero.NewRuntimeWithConfig(ctx,
		wazero.NewRuntimeConfig().WithCompilationCache(cache).WithDebugInfoEnabled(false))
	b.Cleanup(func() { require.NoError(b, rt.Close(ctx)) })
	wasi_snapshot_preview1.MustInstantiate(ctx, rt)
	compiled, err := rt.CompileModule(ctx, module)
	require.NoError(b, err)
	return func(code string) string {
		var out bytes.Buffer
		config := wazero.NewModuleConfig().WithName("").WithStdout(&out).WithSysNanotime().WithSysWalltime().
			WithArgs("python", "-I", "-S", "-c", code)
		instance, err := rt.InstantiateModule(ctx, compiled, config)
		if err == nil {
			err = instance.Close(ctx)
		}
		if err != nil && !strings.Contains(err.Error(), "exit_code(0)") {
			require.NoError(b, err)
		}
		return strings.TrimSpace(out.String())
	}
}

// BenchmarkAgainstAColdStart compares a fresh sandbox with an instance that starts CPython anew.
func BenchmarkAgainstAColdStart(b *testing.B) {
	needPython(b)
	const code = "print(6 * 7)"
	start := cold(b)
	b.Run("cold", func(b *testing.B) {
		for b.Loop() {
			require.Equal(b, "42", start(code))
		}
	})
	b.Run("image", func(b *testing.B) {
		for b.Loop() {
			run(b, code)
		}
	})
}

// BenchmarkStoppable shows what being stoppable costs: the same programs, in turn, with and without it. The metric is
// the median of the ratios.
func BenchmarkStoppable(b *testing.B) {
	needPython(b)
	start := cold(b)
	for name, code := range map[string]string{
		"fib":   "def f(n): return n if n < 2 else f(n - 1) + f(n - 2)\nf(20)",
		"dicts": "d = {}\nfor i in range(50000): d[i % 997] = d.get(i % 997, 0) + i",
		"sort":  "sorted((i * 7919) % 100003 for i in range(50000))",
		"text":  "import re\nre.sub('[aeiou]', lambda m: m[0].upper(), 'the quick brown fox ' * 1000)",
		"json":  "import json\nfor i in range(20): json.loads(json.dumps([{'a': i, 'b': [1, 2, 3]}] * 200))",
	} {
		b.Run(name, func(b *testing.B) {
			timed := "import time, re, json\nt = time.perf_counter()\n" + code + "\nprint(time.perf_counter() - t)"
			var ratios []float64
			for b.Loop() {
				without, err := strconv.ParseFloat(start(timed), 64)
				require.NoError(b, err)
				result := run(b, timed, python.RunOptions{})
				with, err := strconv.ParseFloat(result.Console[0].Text, 64)
				require.NoError(b, err)
				ratios = append(ratios, with/without)
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "x")
			b.ReportMetric(0, "ns/op")
		})
	}
}
