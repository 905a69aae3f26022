package metering_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// priced is a function with a known fuel consumption.
type priced struct {
	name          string
	build         func(*builder) // exports "f"
	args          []uint64
	cost          int64
	withFunctions int64 // the cost if functions are metered
}

func loopPrices() []priced {
	return []priced{
		{"a loop of n iterations costs n-1", func(m *builder) {
			m.exportFunction("f", "i:", "i", sumDown())
		}, with(100), 99, 99},
		{"a loop that is started again in more than four places costs n", func(m *builder) {
			m.exportFunction("f", "i:", "i", longSumDown())
		}, with(100), 100, 100},
		{"a loop that is started again by a branch table costs n", func(m *builder) {
			m.exportFunction("f", "i:", "", block(nil, loop(nil, increment(0, -1), localGet(0), opI32Eqz,
				brTable(0, 1))))
		}, with(100), 100, 100},
		{"a loop that is started again in four places costs n-1", func(m *builder) {
			m.exportFunction("f", "i:", "", loop(nil, increment(0, -1),
				i32(0), brIf(0), i32(0), when(nil, br(1)), i32(0), brIf(0), localGet(0), when(nil, br(1))))
		}, with(100), 99, 99},
		{"calls in a block of such a loop cost 1, but for metered functions", func(m *builder) {
			g := m.function(":", "")
			m.table(funcTable(limits(1)))
			m.element(0, i32(0), opEnd, indices(g))
			m.exportFunction("f", "i:", "",
				loop(nil, block(nil, call(g)), block(nil, i32(0), callIndirect(m.typ(":"), 0)), increment(0, -1),
					localGet(0), brIf(0)), call(g))
		}, with(100), 99 + 200, 1 + 99},
		{"a loop that calls in every iteration costs n, and calls nothing more", func(m *builder) {
			g := m.function(":", "")
			m.exportFunction("f", "i:", "", loop(nil, call(g), block(nil, call(g)), increment(0, -1), localGet(0),
				brIf(0)))
		}, with(100), 100, 100},
		{"a loop in a function with one that is started again in many places costs n, and calls nothing more",
			func(m *builder) {
				g := m.function(":", "")
				m.exportFunction("f", "i:", "i", loop(nil, longSumDown(block(nil, call(g)))))
			}, with(100), 101, 101},
		{"a loop that tests before its body costs n", func(m *builder) {
			m.exportFunction("f", "i:", "",
				block(nil, loop(nil, localGet(0), opI32Eqz, brIf(1), increment(0, -1), br(0))))
		}, with(100), 100, 100},
		{"a loop that is run through once costs nothing", func(m *builder) {
			m.exportFunction("f", ":i", "", loop('i', i32(7)))
		}, nil, 0, 0},
		{"a loop with parameters of n iterations costs n", func(m *builder) {
			m.exportFunction("f", "i:", "", localGet(0),
				loop(m.typ("i:"), i32(1), opI32Sub, localTee(0), localGet(0), brIf(0), opDrop))
		}, with(100), 100, 100},
		{"loops in loops cost the sum of all iterations but the first ones", func(m *builder) {
			m.exportFunction("f", ":", "iii",
				loop(nil, i32(0), localSet(1),
					loop(nil, i32(0), localSet(2),
						loop(nil, increment(2, 1), localGet(2), i32(7), opI32LtS, brIf(0)),
						increment(1, 1), localGet(1), i32(7), opI32LtS, brIf(0)),
					increment(0, 1), localGet(0), i32(7), opI32LtS, brIf(0)))
		}, nil, 6 + 7*6 + 49*6, 6 + 7*6 + 49*6},
		{"a loop that is not entered costs nothing", func(m *builder) {
			m.exportFunction("f", ":", "", i32(0), when(nil, loop(nil, br(0))))
		}, nil, 0, 0},
		{"code without loops costs nothing", func(m *builder) {
			m.memory(limits(1))
			m.exportFunction("f", ":", "", block(nil, i32(0), i32(1), store(opI32Store, 0), br(0)),
				memorySize(), opDrop)
		}, nil, 0, 0},
		{"calls cost nothing, but for metered functions that are not small", func(m *builder) {
			log := m.importFunction("host", "log", "i:")
			g := m.function(":", "", i32(0), call(log))
			m.table(funcTable(limits(1)))
			m.element(0, i32(0), opEnd, indices(g))
			m.exportFunction("f", ":", "", call(g), call(g), i32(0), callIndirect(m.typ(":"), 0), i32(0), call(log))
		}, nil, 0, 4},
		{"small functions cost nothing, whoever calls them", func(m *builder) {
			g := m.function("i:i", "", localGet(0), slices.Repeat([]byte{opNop}, 200))
			h := m.function("i:i", "", localGet(0), call(g), slices.Repeat([]byte{opNop}, 50))
			m.exportFunction("f", "i:", "", localGet(0), call(g), call(h), opDrop)
		}, with(100), 0, 1},
		{"a function that executes more than 300 instructions with those that it calls costs 1", func(m *builder) {
			f := m.function(":", "")
			for range 7 { // 5, 13, 29 ... 509 instructions
				f = m.function(":", "", call(f), call(f))
			}
			m.exportFunction("f", ":", "", call(f), call(f))
		}, nil, 0, 1 + 2},
		{"4,000 instructions without a loop cost 1", func(m *builder) {
			m.exportFunction("f", ":", "", slices.Repeat([]byte{opNop}, 10000))
		}, nil, 0, 1 + 2},
		{"recursion costs nothing, but for metered functions", func(m *builder) {
			m.exportFunction("f", "i:i", "", localGet(0), i32(2), opI32LtS, when(nil, i32(1), opReturn),
				localGet(0), i32(1), opI32Sub, call(0), localGet(0), i32(2), opI32Sub, call(0), opI32Add)
		}, with(10), 0, 177},
		{"a tail call costs 1", func(m *builder) {
			m.exportFunction("f", "i:i", "", localGet(0), opI32Eqz, when(nil, i32(0), opReturn), localGet(0), i32(1),
				opI32Sub,
				returnCall(0))
		}, with(100), 100, 201},
		{"an indirect tail call costs 1", func(m *builder) {
			m.table(funcTable(limits(1)))
			m.element(0, i32(0), opEnd, indices(0))
			m.exportFunction("f", "i:i", "", localGet(0), opI32Eqz, when(nil, i32(0), opReturn), localGet(0), i32(1),
				opI32Sub,
				i32(0), returnCallIndirect(m.typ("i:i"), 0))
		}, with(100), 100, 201},
		{"a tail call to the host costs 1", func(m *builder) {
			successor := m.importFunction("host", "successor", "i:i")
			m.exportFunction("f", ":i", "", i32(1), returnCall(successor))
		}, nil, 1, 2},
		{"an iteration that starts by an exception costs 1", func(m *builder) {
			tag := m.tag(":")
			m.exportFunction("f", "i:", "",
				loop(nil, increment(0, -1), tryTable(nil, [][]byte{clause(catchTag, tag, 0)}, localGet(0),
					when(nil, throw(tag)))))
		}, with(100), 100, 100},
		{"catch clauses that an exception passes count as instructions", func(m *builder) {
			one, two := m.tag(":"), m.tag(":")
			m.exportFunction("f", ":", "", slices.Repeat([]byte{opNop}, 3900),
				block(nil, tryTable(nil, [][]byte{clause(catchAll, 0)},
					tryTable(nil, slices.Repeat([][]byte{clause(catchTag, one, 0)}, 200), throw(two)))))
		}, nil, 0, 1 + 1},
		{"a function with more than 300 catch clauses costs 1", func(m *builder) {
			tag := m.tag(":")
			g := m.function(":", "", tryTable(nil, slices.Repeat([][]byte{clause(catchTag, tag, 0)}, 300)))
			m.exportFunction("f", ":", "", call(g), call(g))
		}, nil, 0, 1 + 2},
		{"the loop of a bulk operation costs both", func(m *builder) {
			m.memory(limits(1))
			m.exportFunction("f", "i:", "",
				loop(nil, i32(0), i32(1), i32(640), memoryFill(), increment(0, -1), localGet(0), brIf(0)))
		}, with(100), 99 + 1000, 99 + 1000},
	}
}

// bulkPrices has every bulk operation with every relevant size. One unit pays for 64 bytes, elements or pages.
func bulkPrices() (prices []priced) {
	withMemory := func(m *builder) { m.memory(limitsTo(1, 1)) }
	withTable := func(m *builder) { m.table(funcTable(limitsTo(0x1000, 0x1000))) }
	for _, op := range []struct {
		name  string
		build func(*builder)
		code  []byte
		fails bool // without a trap
	}{
		{"memory.fill", withMemory, code(i32(0), i32(0), localGet(0), memoryFill()), false},
		{"memory.copy", withMemory, code(i32(0), i32(0), localGet(0), memoryCopy()), false},
		{"memory.init", func(m *builder) {
			withMemory(m)
			m.passiveData(string(make([]byte, 0x1000)))
			m.dataCount = true
		}, code(i32(0), i32(0), localGet(0), memoryInit(0)), false},
		{"memory.grow", withMemory, code(localGet(0), memoryGrow(), opDrop), true},
		{"table.fill", withTable, code(i32(0), refNull('r'), localGet(0), tableFill(0)), false},
		{"table.copy", withTable, code(i32(0), i32(0), localGet(0), tableCopy(0, 0)), false},
		{"table.init", func(m *builder) {
			withTable(m)
			m.element(1, elementKindFunctions, indices(make([]uint32, 0x1000)...))
		}, code(i32(0), i32(0), localGet(0), tableInit(0, 0)), false},
		{"table.grow", withTable, code(refNull('r'), localGet(0), tableGrow(0), opDrop), true},
	} {
		for _, n := range []uint64{0, 63, 64, 127, 0x1000, 0xffffffff} {
			cost := int64(n / 64)
			prices = append(prices, priced{fmt.Sprintf("%s over %d costs %d", op.name, n, cost), func(m *builder) {
				op.build(m)
				m.exportFunction("f", "i:", "", op.code)
			}, with(n), cost, cost})
		}
	}
	return prices
}

func TestFuelIsWhatTheDocumentationSays(t *testing.T) {
	for _, p := range append(loopPrices(), bulkPrices()...) {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			var m builder
			p.build(&m)
			forEachEngine(t, func(t *testing.T, e engine) {
				require.Equal(t, p.cost, cost(t, e, m.bytes(), metering.Options{}, endless(), p.args))
				require.Equal(t, p.withFunctions, cost(t, e, m.bytes(), metering.Options{Functions: true}, endless(),
					p.args))
			})
		})
	}
}

func TestFuelUsedDoesNotDependOnThePortions(t *testing.T) {
	for _, p := range loopPrices() {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			var m builder
			p.build(&m)
			forEachEngine(t, func(t *testing.T, e engine) {
				for _, portion := range []int32{1, 2, 3, 64, 1<<31 - 1} {
					again := func() int64 {
						return cost(t, e, m.bytes(), metering.Options{}, &meter{portion: portion, refills: 1 << 20},
							p.args)
					}
					require.Equal(t, p.cost, again(), "portion %d", portion)
					require.Equal(t, p.cost, again(), "portion %d, again", portion)
				}
			})
		})
	}
}

// cost runs the function "f", which may trap, and returns the fuel that it used.
func cost(t *testing.T, e engine, wasm []byte, options metering.Options, m *meter, args []uint64) int64 {
	rewritten, err := metering.Rewrite(wasm, options)
	require.NoError(t, err)
	i, err := instantiate(t, e, rewritten, m)
	require.NoError(t, err)
	_, err = i.call("f", args...)
	require.NotErrorIs(t, err, errStopped)
	return m.used(i.fuel())
}

func (i *instance) fuel() int32 { return int32(i.ExportedGlobal(metering.FuelExport).Get()) }

func TestTheHostIsAskedWhenFuelIsUsedUp(t *testing.T) {
	var m builder
	m.memory(limits(1))
	m.exportFunction("loop", "i:", "i", sumDown())
	m.exportFunction("long loop", "i:", "i", longSumDown())
	m.exportFunction("fill", "i:", "", i32(0), i32(0), localGet(0), memoryFill())
	tail := m.exportFunction("nothing", ":", "")
	m.exportFunction("tail", ":", "", returnCall(tail))
	rewritten, err := metering.Rewrite(m.bytes(), metering.Options{})
	require.NoError(t, err)

	for _, c := range []struct {
		name     string
		portion  int32
		function string
		arg      []uint64
		asked    []int32
		remains  int32
	}{
		{"the first loop of all asks", 100, "loop", with(2), []int32{-1}, 100},
		{"a loop that is run through once does not ask", 100, "loop", with(1), nil, 0},
		{"what is given pays for as many iterations", 4, "loop", with(10), []int32{-1, 0, 0}, 4},
		{"a portion of one pays for one iteration", 1, "loop", with(4), []int32{-1, 0, 0}, 1},
		{"the first long loop of all asks", 100, "long loop", with(1), []int32{-1}, 100},
		{"what is given pays for as many iterations of a long loop", 4, "long loop", with(10), []int32{-1, 0, 0}, 3},
		{"the largest portion does not overflow", 1<<31 - 1, "loop", with(3), []int32{-1}, 1<<31 - 1 - 1},
		{"a bulk operation asks before it is done, with what it owes", 100, "fill", with(6400), []int32{-100}, 100},
		{"a bulk operation that traps was paid for", 100, "fill", with(0xffffffff), []int32{-(1<<26 - 1)}, 100},
		{"a small bulk operation asks if there is no fuel at all", 100, "fill", with(1), []int32{0}, 100},
		{"a tail call asks", 100, "tail", nil, []int32{-1}, 100},
		{"code without loops does not ask", 100, "nothing", nil, nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			forEachEngine(t, func(t *testing.T, e engine) {
				host := &meter{portion: c.portion, refills: 100}
				i, err := instantiate(t, e, rewritten, host)
				require.NoError(t, err)
				require.Zero(t, i.fuel())
				_, err = i.call(c.function, c.arg...)
				require.NotErrorIs(t, err, errStopped)
				require.Equal(t, c.asked, host.asked)
				require.Equal(t, c.remains, i.fuel())
			})
		})
	}
}

func TestALoopAsksAgainUntilItGetsFuel(t *testing.T) {
	var m builder
	m.exportFunction("short", "i:", "i", sumDown())
	m.exportFunction("loop", "i:i", "i", longSumDown(), localGet(1))
	rewritten, err := metering.Rewrite(m.bytes(), metering.Options{})
	require.NoError(t, err)
	forEachEngine(t, func(t *testing.T, e engine) {
		host := &meter{portion: 0, refills: 7}
		i, err := instantiate(t, e, rewritten, host)
		require.NoError(t, err)
		_, err = i.call("loop", 3)
		require.ErrorIs(t, err, errStopped)
		require.Equal(t, []int32{-1, 0, 0, 0, 0, 0, 0, 0}, host.asked)

		host.portion, host.refills, host.asked = 0, 7, nil
		_, err = i.call("short", 20)
		require.ErrorIs(t, err, errStopped)
		require.Equal(t, []int32{-1, -1, -1, -1, -1, -1, -1, -1}, host.asked, "each time that it starts again")

		host.portion, host.refills = 2, 100
		results, err := i.call("loop", 3)
		require.NoError(t, err, "an instance goes on after it was stopped")
		require.Equal(t, with(6), results)
	})
}

func TestACallAsksAgainUntilItGetsFuel(t *testing.T) {
	var m builder
	m.exportFunction("f", "i:i", "", slices.Repeat([]byte{opNop}, 1000), localGet(0), i32(1), opI32Add)
	rewritten, err := metering.Rewrite(m.bytes(), metering.Options{Functions: true})
	require.NoError(t, err)
	forEachEngine(t, func(t *testing.T, e engine) {
		host := &meter{portion: 0, refills: 3}
		i, err := instantiate(t, e, rewritten, host)
		require.NoError(t, err)
		_, err = i.call("f", 6)
		require.ErrorIs(t, err, errStopped)
		require.Equal(t, []int32{-1, 0, 0, 0}, host.asked)

		host.portion, host.refills = 2, 100
		results, err := i.call("f", 6)
		require.NoError(t, err)
		require.Equal(t, with(7), results)
	})
}

func TestWhatIsNotALoopAsksOnceAndGoesOn(t *testing.T) {
	var m builder
	m.memory(limits(1))
	f := m.function(":i", "", i32(1))
	m.exportFunction("tail call", ":i", "", returnCall(f))
	m.exportFunction("fill", ":i", "", i32(0), i32(9), i32(640), memoryFill(), i32(0), load(opI32Load8U, 639))
	m.exportFunction("loop with parameters", ":i", "", i32(5), loop(m.typ("i:i")))
	rewritten, err := metering.Rewrite(m.bytes(), metering.Options{})
	require.NoError(t, err)
	for _, c := range []struct {
		function string
		asked    []int32
		result   uint64
	}{
		{"tail call", []int32{-1}, 1},
		{"fill", []int32{-10}, 9},
		{"loop with parameters", []int32{-1}, 5},
	} {
		t.Run(c.function, func(t *testing.T) {
			forEachEngine(t, func(t *testing.T, e engine) {
				host := &meter{portion: 0, refills: 100}
				i, err := instantiate(t, e, rewritten, host)
				require.NoError(t, err)
				results, err := i.call(c.function)
				require.NoError(t, err)
				require.Equal(t, with(c.result), results)
				require.Equal(t, c.asked, host.asked)
			})
		})
	}
}
