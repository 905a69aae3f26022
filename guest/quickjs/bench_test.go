package quickjs_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/toolrun/toolrun/guest/quickjs"
	"github.com/toolrun/toolrun/internal/test/enginetest"
	"github.com/toolrun/toolrun/internal/wasm/linearmem"
	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// programs are scripts that compute, each in another part of the engine.
var programs = []struct{ name, source string }{
	{"fib", `function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } fib(22)`},
	{"loop", `{ let s = 0; for (let i = 0; i < 300000; i++) s = (s + i * i) % 1000003; s }`},
	{
		"map",
		`{ const m = new Map(); for (let i = 0; i < 20000; i++) m.set('k' + i, i); ` +
			`let s = 0; for (const [k, v] of m) s += v; s }`,
	},
	{
		"sort",
		`{ const a = []; let x = 12345; ` +
			`for (let i = 0; i < 15000; i++) { x = (x * 1103515245 + 12345) & 0x7fffffff; a.push(x) } ` +
			`a.sort((p, q) => p - q); a[5] }`,
	},
	{
		"json",
		`{ const o = []; for (let i = 0; i < 1000; i++) o.push({id: i, name: 'n' + i, tags: ['a', 'b'], v: i / 3}); ` +
			`let s; for (let i = 0; i < 4; i++) s = JSON.stringify(JSON.parse(JSON.stringify(o))); s.length }`,
	},
	{
		"string",
		`{ let s = ''; for (let i = 0; i < 40000; i++) { s += String.fromCharCode(97 + i % 26); ` +
			`if (i % 100 == 0) s = s.slice(-5000) } s.length }`,
	},
	{
		"regexp",
		`{ const t = 'the quick brown fox 123 jumps over 456 lazy dogs '.repeat(2000); ` +
			`let n = 0; for (const m of t.matchAll(/(\w+)\s(\d+)/g)) n += m[2].length; n }`,
	},
	{
		"float",
		`{ const N = 40, a = [], b = []; for (let i = 0; i < N * N; i++) { a.push(Math.sin(i)); b.push(i / 7) } ` +
			`let t = 0; for (let i = 0; i < N; i++) for (let j = 0; j < N; j++) ` +
			`{ let s = 0; for (let k = 0; k < N; k++) s += a[i * N + k] * b[k * N + j]; t += s } t }`,
	},
}

// bareEngine drives the engine's module without anything of this project but the metering.
type bareEngine struct {
	ctx     context.Context
	close   func()
	module  api.Module
	context uint64 // JSContext*
}

func newBareEngine(b *testing.B, cache wazero.CompilationCache, module []byte, closeOnContextDone bool) *bareEngine {
	ctx, cancel := context.WithCancel(context.Background())
	config := wazero.NewRuntimeConfig().WithCompilationCache(cache).WithCloseOnContextDone(closeOnContextDone)
	rt := wazero.NewRuntimeWithConfig(ctx, config)
	wasi_snapshot_preview1.MustInstantiate(ctx, rt)
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	_, err := rt.NewHostModuleBuilder("env").NewFunctionBuilder().WithGoFunction(
		api.GoFunc(func(context.Context, []uint64) {}),
		[]api.ValueType{i32, i64, i32, i32}, []api.ValueType{i64}).Export("jsFunctionProxy").Instantiate(ctx)
	require.NoError(b, err)
	_, err = rt.NewHostModuleBuilder(metering.YieldModule).NewFunctionBuilder().
		WithGoFunction(api.GoFunc(func(_ context.Context, stack []uint64) {
			stack[0] = 1 << 15
		}), []api.ValueType{i32}, []api.ValueType{i32}).Export(metering.YieldName).Instantiate(ctx)
	require.NoError(b, err)
	compiled, err := rt.CompileModule(ctx, module)
	require.NoError(b, err)
	memory, err := linearmem.Reserve(256 << 20)
	require.NoError(b, err)
	e := &bareEngine{ctx: ctx}
	e.module, err = rt.InstantiateModule(
		experimental.WithMemoryAllocator(ctx,
			experimental.MemoryAllocatorFunc(func(_, _ uint64) experimental.LinearMemory { return memory })),
		compiled, wazero.NewModuleConfig().WithStartFunctions().WithSysWalltime().WithSysNanotime())
	require.NoError(b, err)
	e.context = e.call(b, "QJS_GetContext", e.call(b, "New_QJS", 0, 0, 0, 0))
	e.close = func() {
		cancel()
		require.NoError(b, rt.Close(context.Background()))
	}
	return e
}

func (e *bareEngine) call(b *testing.B, name string, args ...uint64) uint64 {
	results, err := e.module.ExportedFunction(name).Call(e.ctx, args...)
	require.NoError(b, err)
	return results[0]
}

func (e *bareEngine) text(b *testing.B, s string) uint64 {
	p := e.call(b, "malloc", uint64(len(s)+1))
	require.True(b, e.module.Memory().Write(uint32(p), append([]byte(s), 0)))
	return p
}

func (e *bareEngine) eval(b *testing.B, source string) string {
	options := e.call(b, "QJS_CreateEvalOption", e.text(b, source), 0, 0, e.text(b, "bench.js"), 1<<3)
	p := uint32(e.call(b, "QJS_ToCString", e.context, e.call(b, "QJS_Eval", e.context, options)))
	word, ok := e.module.Memory().Read(p, 8)
	require.True(b, ok)
	packed := binary.LittleEndian.Uint64(word)
	data, ok := e.module.Memory().Read(uint32(packed>>32), uint32(packed))
	require.True(b, ok)
	return string(data)
}

// BenchmarkMetering runs each program, interleaved, in the engine as it comes from the dependency, metered, and with
// wazero's own checks (WithCloseOnContextDone), and reports how many times longer the last two take than the first:
// the ratio of the medians, and the geometric mean of these ratios over all programs. Each round loads the code
// afresh, since where it and its data happen to lie in memory makes a difference of up to thirty per cent. Use
// -benchtime=20x or more.
func BenchmarkMetering(b *testing.B) {
	metered, err := metering.Rewrite(quickjs.Original(), metering.Options{})
	require.NoError(b, err)
	times := map[string][3][]time.Duration{}
	b.ResetTimer()
	for range b.N {
		cache, err := wazero.NewCompilationCacheWithDir(enginetest.CacheDir())
		require.NoError(b, err)
		engines := []*bareEngine{
			newBareEngine(b, cache, quickjs.Original(), false), newBareEngine(b, cache, metered, false),
			newBareEngine(b, cache, quickjs.Original(), true),
		}
		for _, p := range programs {
			t := times[p.name]
			var want string
			for i, e := range engines {
				start := time.Now()
				got := e.eval(b, p.source)
				t[i] = append(t[i], time.Since(start))
				if want == "" {
					want = got
				}
				require.Equal(b, want, got, p.name)
			}
			times[p.name] = t
		}
		for _, e := range engines {
			e.close()
		}
		require.NoError(b, cache.Close(context.Background()))
	}
	var logs [3]float64
	for _, p := range programs {
		var median [3]float64
		for i, d := range times[p.name] {
			slices.Sort(d)
			median[i] = float64(d[len(d)/2])
		}
		for i := 1; i < 3; i++ {
			logs[i] += math.Log(median[i] / median[0])
		}
		b.ReportMetric(median[1]/median[0], p.name+"-metered")
		b.ReportMetric(median[2]/median[0], p.name+"-checked")
	}
	b.ReportMetric(math.Exp(logs[1]/float64(len(programs))), "all-metered")
	b.ReportMetric(math.Exp(logs[2]/float64(len(programs))), "all-checked")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkModule measures what rewriting the module costs at every start of an engine.
func BenchmarkModule(b *testing.B) {
	for b.Loop() {
		_, err := quickjs.Module()
		require.NoError(b, err)
	}
}

func ExampleModule() {
	module, err := quickjs.Module()
	fmt.Println(len(module) > len(quickjs.Original()), err)
	// Output: true <nil>
}
