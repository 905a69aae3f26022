// Package enginetest gives tests an engine that starts fast: all test binaries share one directory of compiled code.
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

// New starts an engine, which the caller closes. It panics if that fails, since it is for TestMain.
func New(options sandbox.EngineOptions) *sandbox.Engine {
	options.CacheDir = CacheDir()
	engine, err := sandbox.NewEngine(context.Background(), &options)
	if err != nil {
		panic(err)
	}
	return engine
}
