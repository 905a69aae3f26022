// Package enginetest provides engines that start fast, for tests: all test binaries share one directory of compiled
// code.
package enginetest

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// CacheDir returns the directory of compiled code: what TOOLRUN_TEST_CACHE names, or [Home].
func CacheDir() string { return cmp.Or(os.Getenv("TOOLRUN_TEST_CACHE"), Home()) }

// Home returns the home directory of commands that tests start. It is among temporary files.
func Home() string { return filepath.Join(os.TempDir(), fmt.Sprintf("toolrun-test-%d", os.Getuid())) }

// Engine is an engine with JavaScript.
type Engine struct{ *javascript.Interpreter }

// Close closes the engine.
func (e Engine) Close(ctx context.Context) error { return e.Engine().Close(ctx) }

// New starts an engine, which the caller closes. It is for TestMain and panics on failure.
func New(options sandbox.EngineOptions) *Engine {
	options.CacheDir = CacheDir()
	engine, err := sandbox.New(&options)
	if err != nil {
		panic(err)
	}
	interpreter, err := javascript.New(context.Background(), engine)
	if err != nil {
		panic(err)
	}
	return &Engine{interpreter}
}

// Crash is a script that writes "before" to the console and then makes this build of the engine trap, which is a
// CrashError. It copies more bytes than a buffer has, up to the end of memory. It reads only the instance's own
// memory, so this bug is not mended.
const Crash = `
	console.log('before');
	const size = 12 << 20;
	const source = new ArrayBuffer(size, { maxByteLength: size });
	const target = new ArrayBuffer(size);
	source.constructor = { [Symbol.species]: function () {
		source.resize(1);
		globalThis.hole = new ArrayBuffer(size - (1 << 16)); // where it was
		source.resize(1 << 18); // at the end of memory, and not as long as what is copied
		return target;
	} };
	return source.slice(0).byteLength;`
