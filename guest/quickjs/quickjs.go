// Package quickjs is the code that runs inside the sandbox: the QuickJS engine as a WebAssembly module, and the
// JavaScript prelude that defines scripts' globals. Only this package knows the engine's exports, memory layout and
// bytes, so that another build of the engine can replace it; [SHA256] names the build that everything here is
// written for.
//
// The engine is QuickJS-ng 0.10.1, compiled to WebAssembly with WASI preview 1 by github.com/fastschema/qjs. Only
// the WebAssembly bytes of that Go module are used.
//
// # Trust
//
// A hostile script may have written everything in an instance's memory. A [VM] therefore checks all pointers and
// lengths that it reads there. A wrong one gives a wrong answer to the script that faked it, but never a panic or
// an access outside the instance.
//
// # Experimental
//
// Only runtime/javascript needs this package. All of it changes with the engine.
package quickjs

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	_ "unsafe" // for go:linkname

	_ "github.com/fastschema/qjs" // carries the module's bytes

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// SHA256 is the hash of the engine's original WebAssembly module.
const SHA256 = "88fcbeead33cca3ec8394feb0fb3eec8047ec9ac5062aba7a63799cee11989b7"

// ModuleSHA256 is the hash of the result of [Module]. It identifies a cached module without making it again.
const ModuleSHA256 = "d2917f26612cc05f3498f68dc7b9d6a85f7e2527dec67d6401e0b60a7c86f623"

//go:linkname wasmBytes github.com/fastschema/qjs.wasmBytes
var wasmBytes []byte

// Original returns the engine's original module. The bytes are shared: do not change them.
func Original() []byte { return wasmBytes }

// stackPointerExport is the name of the C stack pointer, which is the first global.
var stackPointerExport = metering.GlobalExport(0)

// Module returns the engine's module as it is run: metered, so that no script can keep it from calling the host; with
// its stack pointer exported, so that the stack can be moved to a place where it cannot run into other data; and with
// the changes in patches.go, reactions.go, mends.go, answers.go, source.go and search.go.
func Module() ([]byte, error) {
	module, err := metering.Rewrite(wasmBytes, metering.Options{
		State:        true,
		Replacements: slices.Concat(patches, reactions, mends, answers, noSources, searches),
	})
	if err != nil {
		return nil, fmt.Errorf("quickjs: %w", err)
	}
	if hash := sha256.Sum256(module); hex.EncodeToString(hash[:]) != ModuleSHA256 {
		return nil, fmt.Errorf("quickjs: the rewritten module is not the one that ModuleSHA256 names: "+
			"its hash is %x", hash)
	}
	return module, nil
}
