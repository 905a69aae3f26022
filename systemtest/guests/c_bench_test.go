//go:build systemtest

package guests

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
	"github.com/tetratelabs/wazero/sys"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/command"
)

// inC reads its input with the C library's buffers and memory, and prints how long it is.
const inC = `
#include <stdio.h>
#include <stdlib.h>
int main(void) {
	char *text = malloc(1 << 16);
	printf("{\"length\": %zu}\n", fread(text, 1, 1 << 16, stdin));
	return 0;
}`

// BenchmarkC runs a program in C, where there is clang for WASI, from its image and in a cold instance.
func BenchmarkC(b *testing.B) {
	dir := b.TempDir()
	source, module := filepath.Join(dir, "main.c"), filepath.Join(dir, "main.wasm")
	require.NoError(b, os.WriteFile(source, []byte(inC), 0o600))
	if out, err := exec.Command("clang", "--target=wasm32-wasi", "-O2", "-s", "-o", module,
		source).CombinedOutput(); err != nil {
		b.Skipf("no clang for WASI: %v: %s", err, out)
	}
	code, err := os.ReadFile(module)
	require.NoError(b, err)
	const want = "{\"length\": 2}\n"
	b.Run("image", func(b *testing.B) {
		loaded, err := command.Load(b.Context(), newEngine(b, sandbox.EngineOptions{}), code, nil)
		require.NoError(b, err)
		for b.Loop() {
			result, err := loaded.Run(b.Context(), sandbox.RunOptions{Stdin: []byte("{}")})
			require.NoError(b, err)
			require.Equal(b, want, string(result.Output))
		}
	})
	b.Run("cold", func(b *testing.B) {
		engine := wazero.NewRuntime(b.Context())
		defer engine.Close(b.Context())
		wasi_snapshot_preview1.MustInstantiate(b.Context(), engine)
		compiled, err := engine.CompileModule(b.Context(), code)
		require.NoError(b, err)
		for b.Loop() {
			var out bytes.Buffer
			config := wazero.NewModuleConfig().WithName("").WithStdin(bytes.NewReader([]byte("{}"))).WithStdout(&out)
			instance, err := engine.InstantiateModule(b.Context(), compiled, config)
			exit, ended := errors.AsType[*sys.ExitError](err)
			require.True(b, err == nil || ended && exit.ExitCode() == 0, "%v", err)
			require.Equal(b, want, out.String())
			if err == nil {
				require.NoError(b, instance.Close(b.Context()))
			}
		}
	})
}
