// Package enginetest provides engines that start fast, for tests: all test binaries share one directory of compiled
// code.
package enginetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// CacheDir returns the directory of compiled code.
func CacheDir() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("toolrun-test-%d", os.Getuid()))
}

// New starts an engine, which the caller closes. It is for TestMain and panics on failure.
func New(options sandbox.EngineOptions) *sandbox.Engine {
	options.CacheDir = CacheDir()
	engine, err := sandbox.NewEngine(context.Background(), &options)
	if err != nil {
		panic(err)
	}
	return engine
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
