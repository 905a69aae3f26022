//go:build systemtest

// Package guests tests programs that compilers make: Go, and C where there is clang.
package guests

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// buildGo compiles a program in Go to WebAssembly.
func buildGo(source string, flags ...string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "toolrun-guest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "guest.wasm")
	args := append([]string{"build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", file}, flags...)
	build := exec.Command("go", append(args, source)...)
	build.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return os.ReadFile(file)
}

// newEngine starts an engine for one test.
func newEngine(t testing.TB, options sandbox.EngineOptions) *sandbox.Engine {
	options.CacheDir = enginetest.CacheDir()
	engine, err := sandbox.New(&options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close(context.Background())) })
	return engine
}
