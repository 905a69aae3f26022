//go:build systemtest

package guests

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// TestAGoProgramRunsAsBefore compares what a program prints with and without its being metered.
func TestAGoProgramRunsAsBefore(t *testing.T) {
	t.Parallel()
	wasm, err := buildGo("./testdata/program")
	require.NoError(t, err)
	want := runProgram(t, wasm, nil)
	require.Contains(t, want, " of\n")
	rewritten, err := metering.Rewrite(wasm, metering.Options{})
	require.NoError(t, err)
	portions := 0
	require.Equal(t, want, runProgram(t, rewritten, func(int32) int32 { portions++; return 10000 }))
	require.Positive(t, portions)
}

// runProgram returns what a program prints. yield grants it fuel, if it is metered.
func runProgram(t *testing.T, wasm []byte, yield func(left int32) int32) string {
	ctx := t.Context()
	runtime := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer runtime.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, runtime)
	if yield != nil {
		_, err := runtime.NewHostModuleBuilder(metering.YieldModule).
			NewFunctionBuilder().WithFunc(yield).Export(metering.YieldName).
			Instantiate(ctx)
		require.NoError(t, err)
	}
	var output bytes.Buffer
	config := wazero.NewModuleConfig().WithStdout(&output).WithStderr(&output)
	_, err := runtime.InstantiateWithConfig(ctx, wasm, config)
	require.NoError(t, err, output.String())
	return output.String()
}
