package quickjs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/toolrun/toolrun/internal/wasm/linearmem"
	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// startVM starts the engine with some of the changes to its code.
func startVM(t testing.TB, replacements []metering.Replacement) func() *VM {
	ctx := t.Context()
	module, err := metering.Rewrite(Original(), metering.Options{
		State: true, Replacements: replacements,
	})
	require.NoError(t, err)
	cache, err := wazero.NewCompilationCacheWithDir(filepath.Join(os.TempDir(), fmt.Sprintf("toolrun-test-%d",
		os.Getuid())))
	require.NoError(t, err)
	rt := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfig().WithCompilationCache(cache))
	t.Cleanup(func() { rt.Close(context.Background()) })
	wasi_snapshot_preview1.MustInstantiate(ctx, rt)
	i32, i64 := api.ValueTypeI32, api.ValueTypeI64
	_, err = rt.NewHostModuleBuilder("env").NewFunctionBuilder().WithGoFunction(api.GoFunc(func(_ context.Context,
		stack []uint64) {
		switch this := stack[1]; int32(stack[2]) {
		case ResolveArgc:
			stack[0] = this >> 32 // the specifier itself: of one of the engine's own modules
		default:
			stack[0] = uint64(Undefined)
		}
	}), []api.ValueType{i32, i64, i32, i32}, []api.ValueType{i64}).Export("jsFunctionProxy").Instantiate(ctx)
	require.NoError(t, err)
	_, err = rt.NewHostModuleBuilder(metering.YieldModule).NewFunctionBuilder().WithGoFunction(
		api.GoFunc(func(_ context.Context, stack []uint64) {
			stack[0] = 1 << 15
		}), []api.ValueType{i32}, []api.ValueType{i32}).Export(metering.YieldName).Instantiate(ctx)
	require.NoError(t, err)
	compiled, err := rt.CompileModule(ctx, module)
	require.NoError(t, err)
	return func() *VM {
		memory, err := linearmem.Reserve(64 << 20)
		require.NoError(t, err)
		instance, err := rt.InstantiateModule(experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(
			func(_, _ uint64) experimental.LinearMemory { return memory })),
			compiled, wazero.NewModuleConfig().WithName("").WithStartFunctions())
		require.NoError(t, err)
		vm, err := Start(ctx, instance)
		require.NoError(t, err)
		return vm
	}
}

func TestTheChecksNoticeMissingMends(t *testing.T) {
	start := startVM(t, patches)
	all := mendChecks
	defer func() { mendChecks = all }()
	for _, check := range all {
		mendChecks = all[:0:0]
		mendChecks = append(mendChecks, check)
		require.ErrorContains(t, verifyMends(t.Context(), start()), check.what)
	}
	require.ErrorContains(t, verifySharedGrowth(t.Context(), start()), "shared buffers")
}
