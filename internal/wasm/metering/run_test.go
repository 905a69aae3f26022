package metering_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

const features = api.CoreFeaturesV2 | experimental.CoreFeaturesTailCall | experimental.CoreFeaturesThreads |
	experimental.CoreFeaturesExtendedConst | experimental.CoreFeaturesExceptionHandling

type engine struct {
	name   string
	config func() wazero.RuntimeConfig
}

var interpreter = engine{"interpreter", wazero.NewRuntimeConfigInterpreter}

// engines returns the engines of wazero that work on this platform.
var engines = sync.OnceValue(func() []engine {
	compiler := engine{"compiler", wazero.NewRuntimeConfigCompiler}
	list := []engine{interpreter}
	func() {
		defer func() { _ = recover() }()
		_ = compiler.runtime().Close(context.Background())
		list = append(list, compiler)
	}()
	return list
})

func (e engine) runtime() wazero.Runtime {
	return wazero.NewRuntimeWithConfig(context.Background(), e.config().WithCoreFeatures(features))
}

func forEachEngine(t *testing.T, test func(*testing.T, engine)) {
	for _, e := range engines() {
		t.Run(e.name, func(t *testing.T) { test(t, e) })
	}
}

var errStopped = errors.New("stopped by the meter")

// meter is the host's side of metering: it grants the same portion of fuel a number of times, then stops the code.
type meter struct {
	portion int32
	refills int
	asked   []int32 // the fuel left at each call
	asking  func()  // called each time, if it is not nil
}

func endless() *meter { return &meter{portion: 1 << 30, refills: 1 << 20} }

func (m *meter) yield(left int32) int32 {
	m.asked = append(m.asked, left)
	if m.asking != nil {
		m.asking()
	}
	if len(m.asked) > m.refills {
		panic(errStopped)
	}
	return m.portion
}

// used returns the total fuel used, given the fuel that remains in the module.
func (m *meter) used(remaining int32) int64 {
	used := -int64(remaining)
	for _, left := range m.asked {
		used += int64(m.portion) - int64(left)
	}
	return used
}

// instance is a running module in a runtime of its own.
type instance struct {
	api.Module
	t      testing.TB
	logged *[]int32 // the values passed to the host function "log"
}

// instantiate runs a module to the end of its start function. It provides the imports "host", "env" and those of
// metering. It returns the instance even if the start function fails, so that its log can be read.
func instantiate(t testing.TB, e engine, wasm []byte, m *meter) (*instance, error) {
	ctx := context.Background()
	runtime := e.runtime()
	t.Cleanup(func() { require.NoError(t, runtime.Close(ctx)) })

	logged := []int32{}
	_, err := runtime.NewHostModuleBuilder("host").
		NewFunctionBuilder().WithFunc(func(v int32) { logged = append(logged, v) }).Export("log").
		NewFunctionBuilder().WithFunc(func(v int32) int32 { return v + 1 }).Export("successor").
		NewFunctionBuilder().WithFunc(func() { logged = append(logged, -1) }).Export("note").
		NewFunctionBuilder().WithFunc(callBack).Export("call").
		Instantiate(ctx)
	require.NoError(t, err)
	if m != nil {
		_, err = runtime.NewHostModuleBuilder(metering.YieldModule).
			NewFunctionBuilder().WithFunc(m.yield).Export(metering.YieldName).
			Instantiate(ctx)
		require.NoError(t, err)
	}
	if bytes.Contains(wasm, str("env")) {
		_, err = runtime.InstantiateWithConfig(ctx, envModule(), wazero.NewModuleConfig().WithName("env"))
		require.NoError(t, err)
	}
	module, err := runtime.InstantiateWithConfig(ctx, wasm, wazero.NewModuleConfig().WithName("module"))
	return &instance{module, t, &logged}, err
}

// callBack is a host function that calls the guest, and goes on if that fails.
func callBack(ctx context.Context, guest api.Module, v int32) int32 {
	if _, err := guest.ExportedFunction("called").Call(ctx, uint64(uint32(v))); err == nil {
		return 0
	}
	if g := guest.ExportedGlobal(metering.ExceptionExport); g != nil {
		g.(api.MutableGlobal).Set(0)
	}
	return -1
}

// envModule returns a module that exports a memory, a table, globals and a tag, which a host module cannot do.
var envModule = sync.OnceValue(func() []byte {
	var m builder
	seven := m.function(":i", "", i32(7))
	m.memory(limitsTo(1, 4))
	m.activeData(8, "environment")
	m.export("table", kindTable, m.table(funcTable(limitsTo(4, 8))))
	m.element(0, i32(0), opEnd, indices(seven))
	m.export("answer", kindGlobal, m.global(code(valueTypes['i'], 0), i32(42)))
	m.exportGlobal("counter", "i", i32(5))
	m.export("tag", kindTag, m.tag("i:"))
	return m.bytes()
})

// outcome is the observable state of a module after a call.
type outcome struct {
	results []uint64
	failure string // the first line of the error
	logged  []int32
	memory  string // without the zeros at its end
	pages   uint32
	globals string // the globals exported as "g0" to "g9"
}

func (i *instance) call(function string, args ...uint64) ([]uint64, error) {
	f := i.ExportedFunction(function)
	if f == nil {
		return nil, fmt.Errorf("there is no function %q", function)
	}
	results, err := f.Call(context.Background(), args...)
	for n, t := range f.Definition().ResultTypes() {
		if n < len(results) && (t == api.ValueTypeI32 || t == api.ValueTypeF32) {
			results[n] &= 1<<32 - 1 // the upper half is undefined
		}
	}
	return results, err
}

func (i *instance) outcome(results []uint64, err error) outcome {
	o := outcome{results: append([]uint64{}, results...), failure: failure(err), logged: append([]int32{},
		*i.logged...)}
	if i.Module == nil {
		return o
	}
	if g := i.ExportedGlobal(metering.ExceptionExport); g != nil && g.Get() != 0 {
		require.Equal(i.t, "wasm error: unreachable", o.failure)
		o.failure = "wasm error: uncaught exception"
		g.(api.MutableGlobal).Set(0)
	}
	if i.ExportedMemoryDefinitions()["memory"] != nil {
		memory := i.ExportedMemory("memory")
		o.pages, _ = memory.Grow(0)
		content, _ := memory.Read(0, memory.Size())
		o.memory = strings.TrimRight(string(content), "\x00")
	}
	for n := range 10 {
		if g := i.ExportedGlobal(fmt.Sprint("g", n)); g != nil {
			v := g.Get()
			if g.Type() == api.ValueTypeI32 { // wazero's interpreter leaves anything in the other half
				v = uint64(api.DecodeU32(v))
			}
			o.globals += fmt.Sprintf("g%d=%#x ", n, v)
		}
	}
	return o
}

func failure(err error) string {
	if err == nil {
		return ""
	}
	line, _, _ := strings.Cut(err.Error(), "\n")
	line = strings.ReplaceAll(line, "null reference", "unreachable") // the trap of a throw_ref that is lowered
	return functionIndex.ReplaceAllString(line, "function")          // metering shifts the indices of functions
}

var functionIndex = regexp.MustCompile(`function\[\d+\]`)

// invocation is a call of an exported function, with its expected result.
type invocation struct {
	function string
	args     []uint64
	want     []uint64
	trap     string
}

func returns(function string, args []uint64, want ...uint64) invocation {
	return invocation{function: function, args: args, want: append([]uint64{}, want...)}
}

func traps(function string, args []uint64, trap string) invocation {
	return invocation{function: function, args: args, want: []uint64{}, trap: "wasm error: " + trap}
}

func with(args ...uint64) []uint64 { return args }

func run(t *testing.T, e engine, wasm []byte, m *meter, calls []invocation) []outcome {
	i, err := instantiate(t, e, wasm, m)
	outcomes := []outcome{i.outcome(nil, err)}
	if err != nil {
		return outcomes
	}
	for _, c := range calls {
		outcomes = append(outcomes, i.outcome(i.call(c.function, c.args...)))
	}
	return outcomes
}

// shape is a module whose behaviour must not change when it is rewritten.
type shape struct {
	name     string
	build    func(*builder)
	calls    []invocation
	notStart string // the error of the instantiation, if it fails
}

func allShapes() []shape {
	return slices.Concat(loopShapes(), tableAndLocalShapes(), importShapes(), elementShapes(), vectorAndAtomicShapes(),
		bulkShapes(), exceptionShapes(), moreExceptionShapes(), tailCallShapes())
}

func (s shape) module() []byte {
	var m builder
	s.build(&m)
	return m.bytes()
}

func testShapes(t *testing.T, shapes []shape) {
	for _, s := range shapes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			wasm := s.module()
			forEachEngine(t, func(t *testing.T, e engine) { testShape(t, e, wasm, s) })
		})
	}
}

func testShape(t *testing.T, e engine, wasm []byte, s shape) {
	want := run(t, e, wasm, nil, s.calls)
	require.Equal(t, s.notStart, want[0].failure)
	for n, c := range s.calls {
		require.Equal(t, c.want, want[n+1].results, "call %d, of %s%v: %s", n, c.function, c.args, want[n+1].failure)
		require.Equal(t, c.trap, want[n+1].failure, "call %d, of %s%v", n, c.function, c.args)
	}
	for _, functions := range []bool{false, true} {
		rewritten, err := metering.Rewrite(wasm, metering.Options{Functions: functions})
		require.NoError(t, err)
		for _, portion := range []int32{1, 1 << 30} {
			got := run(t, e, rewritten, &meter{portion: portion, refills: 1 << 20}, s.calls)
			require.Equal(t, want, got, "functions metered: %v, portion %d", functions, portion)
		}
	}
}

func compiles(e engine, wasm []byte) (err error) {
	ctx := context.Background()
	runtime := e.runtime()
	defer func() {
		// Some invalid modules make wazero panic.
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
		_ = runtime.Close(ctx)
	}()
	_, err = runtime.CompileModule(ctx, wasm)
	return err
}

func requireCompiles(t *testing.T, wasm []byte) {
	for _, e := range engines() {
		require.NoError(t, compiles(e, wasm))
	}
}
