package quickjs_test

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/guest/quickjs"
)

func TestTheEngineIsTheOneThatThisPackageIsWrittenFor(t *testing.T) {
	sum := sha256.Sum256(quickjs.Original())
	require.Equal(t, quickjs.SHA256, hex.EncodeToString(sum[:]), `
The engine's module has changed. Before you change the hash, check again what belongs to one build of it:
  - layout.go: every offset, the number of the stack pointer's global, the functions that patches.go, mends.go,
    answers.go and search.go change and call, the numbers of the classes. Start and Verify fail where most of them are
    wrong; TestUsage and TestGarbageInCyclesIsCollected of package runtime show that sizes of allocations are counted.
  - value.go: the tags of values. vm.go: the names and types of the exports that it calls, the flags of JS_Eval.
  - runtime/javascript/language/prelude/kernel.js: how QJS_CreateFunctionProxy calls the native function that it wraps.
  - runtime/wasi.go: the list of imports. runtime/exception.go: the texts of the errors for too much memory.
  - StackSize: that 4 000 frames still fit, and that wazero's own stack does not end before (TestRecursion).
  - the hostile scripts of package runtime and BenchmarkMetering.`)
}
