package metering_test

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// TestVersion fails when a module is rewritten in another way than before: then Version must change as well, since
// caches keep rewritten modules under it.
func TestVersion(t *testing.T) {
	var m builder
	f := m.importFunction("env", "f", "i:i")
	m.table(funcTable(limits(1)))
	m.memory(limits(1))
	m.exportGlobal("g", "i", i32(1))
	loop := code(0x03, 0x40, i32(1), 0x10, u32(f), 0x0d, 0, 0x0b)
	bulk := code(i32(0), i32(0), i32(900), 0xfc, 10, 0, 0, i32(0), i32(0), i32(900), 0xfc, 11, 0)
	start := m.function(":", "iI", loop, bulk, code(i32(1), 0x40, 0, 0x1a))
	m.exportFunction("run", "i:", "", 0x02, 0x40, loop, 0x02, 0x40, loop, 0x0b, 0x0b)
	m.function(":", "", slices.Repeat([]byte{opNop}, 5000)) // not small
	m.startWith(start)
	digest := func() string {
		rewritten, err := metering.Rewrite(m.bytes(), metering.Options{Functions: true, State: true})
		require.NoError(t, err)
		sum := sha256.Sum256(rewritten)
		return hex.EncodeToString(sum[:])
	}
	without := digest()
	tag := m.tag("iF:")
	m.exportFunction("throw", "iF:", "x", block(m.typ(":iF"), tryTable(m.typ("iF:iF"), [][]byte{
		clause(catchTag, tag, 0), clause(catchTagRef, tag, 0), clause(catchAllRef, 0),
	}, localGet(0), localGet(1), throw(tag))), opUnreachable)
	m.exportFunction("uncaught", "iF:", "", localGet(0), localGet(1), throw(tag))
	require.Equal(t, map[int][]string{4: {
		"7bbf97d35d62cd9a6effe82f67825d517da141f0c6abbf8877ac23e5b84089b7",
		"c860f3a0fcb5572b0c2ba81f5493ea9c935a63b9b748927b0e2ef6135cd50e23",
	}}, map[int][]string{metering.Version: {without, digest()}})
}
