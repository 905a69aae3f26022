package metering_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// TestEndlessCodeIsStopped has functions that neither return nor trap.
func TestEndlessCodeIsStopped(t *testing.T) {
	functions := metering.Options{Functions: true}
	for _, c := range []struct {
		name    string
		options metering.Options
		build   func(*builder) // exports "f"
	}{
		{"a loop", metering.Options{}, func(m *builder) {
			m.exportFunction("f", ":", "", loop(nil, br(0)))
		}},
		{"a loop with a result", metering.Options{}, func(m *builder) {
			m.exportFunction("f", ":i", "", loop('i', i32(1), brIf(0), i32(5)))
		}},
		{"a loop with parameters", metering.Options{}, func(m *builder) {
			m.exportFunction("f", ":i", "", i32(1), loop(m.typ("i:i"), i32(1), opI32Add, br(0)))
		}},
		{"a loop by a branch table", metering.Options{}, func(m *builder) {
			m.exportFunction("f", ":", "i", loop(nil, block(nil, increment(0, 1), localGet(0), brTable(0, 1, 1)),
				br(0)))
		}},
		{"a loop by branches from deep inside", metering.Options{}, func(m *builder) {
			m.exportFunction("f", ":", "", loop(nil, block(nil, i32(1), when(nil, loop(nil, br(3))))))
		}},
		{"loops that are each left", metering.Options{}, func(m *builder) {
			m.exportFunction("f", ":", "", loop(nil, block(nil, loop(nil, br(1))), br(0)))
		}},
		{"a loop with many branches back", metering.Options{}, func(m *builder) {
			m.exportFunction("f", ":", "i", loop(nil, increment(0, 1), localGet(0), brIf(0), localGet(0), opI32Eqz,
				brIf(0),
				block(nil, localGet(0), when(nil, br(2))), br(0), br(0), br(0)))
		}},
		{"a loop that is started again under conditions", metering.Options{}, func(m *builder) {
			m.exportFunction("f", ":", "i", loop(nil, increment(0, 1), localGet(0), i32(1), opI32And,
				when(nil, br(1), opElse, i32(1), brIf(1))))
		}},
		{"recursion through loops that are each run through once", metering.Options{}, func(m *builder) {
			again := code(localGet(0), i32(1), opI32Sub, call(0))
			m.function("i:", "", localGet(0), when(nil, loop(nil, again), loop(nil, block(nil, again))))
			m.exportFunction("f", ":", "", i32(900), call(0))
		}},
		{"recursion through loops with blocks that are each run through once", metering.Options{}, func(m *builder) {
			again := block(nil, localGet(0), i32(1), opI32Sub, call(0))
			m.function("i:", "", localGet(0), when(nil, loop(nil, loop(nil, again)), loop(nil, again)))
			m.exportFunction("f", ":", "", i32(900), call(0))
		}},
		{"indirect recursion through a loop that is run through once", metering.Options{}, func(m *builder) {
			m.table(funcTable(limits(1)))
			m.element(0, i32(0), opEnd, indices(0))
			again := code(localGet(0), i32(1), opI32Sub, i32(0), callIndirect(m.typ("i:"), 0))
			m.function("i:", "", localGet(0), when(nil, loop(nil, block(nil, again), block(nil, again))))
			m.exportFunction("f", ":", "", i32(900), call(0))
		}},
		{"a loop that calls the host", metering.Options{}, func(m *builder) {
			successor := m.importFunction("host", "successor", "i:i")
			m.exportFunction("f", ":", "i", loop(nil, localGet(0), call(successor), localSet(0), br(0)))
		}},
		{"a loop that catches everything", metering.Options{}, func(m *builder) {
			m.exportFunction("f", ":", "",
				block(nil, tryTable(nil, [][]byte{clause(catchAll, 0)}, loop(nil, br(0)))))
		}},
		{"a loop by catching what it throws", metering.Options{}, func(m *builder) {
			tag := m.tag(":")
			m.exportFunction("f", ":", "", loop(nil, tryTable(nil, [][]byte{clause(catchAll, 0)}, throw(tag))))
		}},
		{"a loop by catching what a called loop throws", metering.Options{}, func(m *builder) {
			tag := m.tag(":")
			thrower := m.function(":", "", loop(nil, throw(tag)))
			m.exportFunction("f", ":", "", loop(nil, block('x',
				tryTable(nil, [][]byte{clause(catchAllRef, 0)}, call(thrower)), br(1)), opDrop, br(0)))
		}},
		{"a loop of bulk operations", metering.Options{}, func(m *builder) {
			m.memory(limits(1))
			m.exportFunction("f", ":", "", loop(nil, i32(0), i32(0), i32(0x10000), memoryFill(), br(0)))
		}},
		{"a tail call to itself", metering.Options{}, func(m *builder) {
			m.exportFunction("f", ":", "", returnCall(0))
		}},
		{"mutual tail calls", metering.Options{}, func(m *builder) {
			m.function("i:i", "", localGet(0), i32(1), opI32Add, returnCall(1))
			m.function("i:i", "", localGet(0), i32(2), opI32Add, returnCall(0))
			m.exportFunction("f", ":i", "", i32(0), returnCall(1))
		}},
		{"an indirect tail call to itself", metering.Options{}, func(m *builder) {
			m.table(funcTable(limits(1)))
			m.element(0, i32(0), opEnd, indices(0))
			m.exportFunction("f", ":", "", i32(0), returnCallIndirect(m.typ(":"), 0))
		}},
		{"recursion that is wide and not deep", functions, func(m *builder) {
			m.function("i:", "", localGet(0), when(nil,
				localGet(0), i32(1), opI32Sub, call(0), localGet(0), i32(1), opI32Sub, call(0)))
			m.exportFunction("f", ":", "", i32(900), call(0))
		}},
		{"indirect recursion that is wide and not deep", functions, func(m *builder) {
			m.table(funcTable(limits(1)))
			m.element(0, i32(0), opEnd, indices(0))
			again := code(localGet(0), i32(1), opI32Sub, i32(0), callIndirect(m.typ("i:"), 0))
			m.function("i:", "", localGet(0), when(nil, again, again))
			m.exportFunction("f", ":", "", i32(900), call(0))
		}},
		{"recursion that catches everything", functions, func(m *builder) {
			again := block(nil, tryTable(nil, [][]byte{clause(catchAll, 0)}, localGet(0), i32(1), opI32Sub, call(0)))
			m.function("i:", "", localGet(0), when(nil, again, again))
			m.exportFunction("f", ":", "", i32(300), call(0))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var m builder
			c.build(&m)
			m.exportFunction("short", ":", "i", loop(nil, increment(0, 1), localGet(0), i32(3), opI32LtS, brIf(0)))
			rewritten, err := metering.Rewrite(m.bytes(), c.options)
			require.NoError(t, err)
			forEachEngine(t, func(t *testing.T, e engine) {
				host := &meter{portion: 200, refills: 20}
				i, err := instantiate(t, e, rewritten, host)
				require.NoError(t, err)
				_, err = i.call("f")
				require.ErrorIs(t, err, errStopped)
				require.Len(t, host.asked, 21)

				host.refills += 10
				_, err = i.call("short")
				require.NoError(t, err)
			})
		})
	}
}

func TestAnEndlessStartFunctionIsStopped(t *testing.T) {
	var m builder
	m.startWith(m.function(":", "", loop(nil, br(0))))
	rewritten, err := metering.Rewrite(m.bytes(), metering.Options{})
	require.NoError(t, err)
	forEachEngine(t, func(t *testing.T, e engine) {
		_, err := instantiate(t, e, rewritten, &meter{portion: 1000, refills: 20})
		require.ErrorIs(t, err, errStopped)
	})
}
