package metering_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"

	"github.com/toolrun/toolrun/internal/metering"
)

// quickJS returns the engine's module from the dependency.
func quickJS(t *testing.T) []byte {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/fastschema/qjs").Output()
	require.NoError(t, err)
	wasm, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "qjs.wasm"))
	require.NoError(t, err)
	return wasm
}

func TestQuickJSIsMetered(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	t.Parallel()
	wasm := quickJS(t)
	for _, options := range []metering.Options{{}, {Functions: true}} {
		rewritten, err := metering.Rewrite(wasm, options)
		require.NoError(t, err)
		requireMetered(t, wasm, rewritten, options)
		require.NoError(t, compiles(interpreter, rewritten))
	}
}

func TestAGoProgramRunsAsBefore(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a program")
	}
	t.Parallel()
	file := filepath.Join(t.TempDir(), "program.wasm")
	build := exec.Command("go", "build", "-o", file, "./testdata/program")
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "GOFLAGS=", "CGO_ENABLED=0")
	message, err := build.CombinedOutput()
	require.NoError(t, err, string(message))
	wasm, err := os.ReadFile(file)
	require.NoError(t, err)

	want := runProgram(t, wasm, nil)
	require.Contains(t, want, " of\n")
	rewritten, err := metering.Rewrite(wasm, metering.Options{})
	require.NoError(t, err)
	requireMetered(t, wasm, rewritten, metering.Options{})
	host := &meter{portion: 10000, refills: 1 << 20}
	require.Equal(t, want, runProgram(t, rewritten, host))
	require.NotEmpty(t, host.asked)
}

func runProgram(t *testing.T, wasm []byte, m *meter) string {
	ctx := context.Background()
	runtime := interpreter.runtime()
	defer runtime.Close(ctx)
	wasi_snapshot_preview1.MustInstantiate(ctx, runtime)
	if m != nil {
		_, err := runtime.NewHostModuleBuilder(metering.YieldModule).
			NewFunctionBuilder().WithFunc(m.yield).Export(metering.YieldName).
			Instantiate(ctx)
		require.NoError(t, err)
	}
	var output bytes.Buffer
	config := wazero.NewModuleConfig().WithStdout(&output).WithStderr(&output)
	_, err := runtime.InstantiateWithConfig(ctx, wasm, config)
	require.NoError(t, err, output.String())
	return output.String()
}
