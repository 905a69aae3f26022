package metering_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestQuickJSKeepsItsStateInMemory: an instance whose memory and stack pointer are put back is as it was, because nothing else of it
// changes. Package guest relies on that.
func TestQuickJSKeepsItsStateInMemory(t *testing.T) {
	t.Parallel()
	wasm := quickJS(t)
	const globalSet, tableSet = 0x24, 0x26
	changesOthers := map[uint64]string{8: "memory.init", 9: "data.drop", 12: "table.init", 13: "elem.drop", 14: "table.copy", 15: "table.grow", 17: "table.fill"}
	globals := map[uint64]int{}
	bodies := contentOf(wasm, 10)
	for range bodies.number() {
		body := walk(bodies.take(bodies.number()))
		for range body.number() {
			body.number()
			body.byte()
		}
		for body.Len() > 0 {
			op, operand := body.instruction()
			require.NotEqual(t, byte(tableSet), op)
			if op == globalSet {
				globals[operand]++
			}
			if op == prefixMisc {
				require.NotContains(t, changesOthers, operand)
			}
		}
	}
	require.Len(t, globals, 1, "%v", globals)
	require.Positive(t, globals[0], "the stack pointer")
}
