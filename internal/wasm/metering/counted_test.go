package metering_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tetratelabs/wazero/api"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

// counted changes a rewritten module to count the instructions that it executes between two checks, with code that
// knows nothing of metering: "steps" counts instructions, "checks" is for the host to count in, and "most" is the
// largest number of steps before a check, or before the return of a call in which there was one.
//
// After such a return it goes on counting from a number, so that less can follow.
func counted(original, wasm []byte, returned uint32) []byte {
	types := contentOf(wasm, 1)
	var params []uint64
	for range types.number() {
		types.byte()
		params = append(params, types.number())
		types.take(params[len(params)-1])
		types.take(types.number())
	}
	globals := contentOf(wasm, 6)
	c := censusOf(wasm)
	helpers := c.imported + censusOf(original).defined
	own := func(function uint64) bool { return function >= c.imported && function < helpers } // of the original module
	steps := c.globals
	checks, most := steps+1, steps+2
	keep := code(globalGet(steps), globalGet(most), 0x56, when(nil, globalGet(steps), globalSet(most)),
		i64(int64(returned)), globalSet(steps))

	out := slices.Clone(header)
	for _, s := range sectionsOf(wasm) {
		w := walk(s.content)
		var content []byte
		switch s.id {
		case 6:
			content = code(u32(uint32(globals.number())+3), s.content[len(s.content)-globals.Len():],
				valueTypes['I'], 1, i64(0), opEnd, valueTypes['i'], 1, i32(0), opEnd, valueTypes['I'], 1, i64(0), opEnd)
		case 7:
			content = code(u32(uint32(w.number())+3), s.content[len(s.content)-w.Len():])
			for n, name := range []string{"steps", "checks", "most"} {
				content = code(content, str(name), kindGlobal, u32(steps+uint32(n)))
			}
		case 10:
			kinds := contentOf(wasm, 3)
			kinds.number()
			n := w.number()
			content = u32(uint32(n))
			for range n {
				body := w.take(w.number())
				counting := countedBody(body, uint32(params[kinds.number()]), steps, checks, own, keep)
				content = code(content, u32(uint32(len(counting))), counting)
			}
		default:
			content = s.content
		}
		out = append(out, section(s.id, content)...)
	}
	return out
}

func countedBody(body []byte, params, steps, checks uint32, own func(uint64) bool, keep []byte) []byte {
	w := walk(body)
	before := params // a local: the number of checks before a call
	groups := w.number()
	start := len(body) - w.Len()
	for range groups {
		before += uint32(w.number())
		w.byte()
	}
	out := code(u32(uint32(groups+1)), body[start:len(body)-w.Len()], 1, valueTypes['i'])
	for w.Len() > 0 {
		start := len(body) - w.Len()
		op, operand := w.instruction()
		instruction := body[start : len(body)-w.Len()]
		switch op {
		case 0x02, 0x03, opElse, opEnd: // no instructions but places
			out = append(out, instruction...)
			continue
		}
		out = code(out, globalGet(steps), i64(1), opI64Add, globalSet(steps))
		if op != 0x11 && (op != 0x10 || !own(operand)) {
			out = append(out, instruction...)
			continue
		}
		out = code(out, globalGet(checks), localSet(before), instruction,
			globalGet(checks), localGet(before), opI32Eq, when(nil, opElse, keep))
	}
	return out
}

// mostSteps runs code that may fail, and returns the most instructions between two checks.
func mostSteps(t *testing.T, wasm []byte, small, stretch, returning uint32, refills int, do func(*instance)) uint64 {
	rewritten, err := metering.RewriteBounded(wasm, metering.Options{Functions: true}, small, stretch, returning)
	require.NoError(t, err)
	host := &meter{portion: 1, refills: refills}
	i, err := instantiate(t, interpreter, counted(wasm, rewritten, stretch-returning), host)
	require.NoError(t, err)
	global := func(name string) api.MutableGlobal { return i.ExportedGlobal(name).(api.MutableGlobal) }
	check := func() {
		global("most").Set(max(global("most").Get(), global("steps").Get()))
		global("steps").Set(0)
		global("checks").Set(global("checks").Get() + 1)
	}
	host.asking = check
	do(i)
	check()
	return global("most").Get()
}

// within is the most steps for a stretch, with the instructions that metering adds.
func within(stretch uint32) uint64 { return uint64(stretch)*5/4 + 40 }

func TestFewInstructionsAreExecutedBetweenChecks(t *testing.T) {
	const small, stretch, returning = 60, 200, 80
	nops := func(n int) []byte { return slices.Repeat([]byte{opNop}, n) }
	for _, c := range []struct {
		name  string
		build func(*builder) // exports "f"
	}{
		{"a long function", func(m *builder) { m.exportFunction("f", ":", "", nops(1000)) }},
		{"calls of small functions", func(m *builder) {
			g := m.function(":", "", nops(55))
			m.exportFunction("f", ":", "", slices.Repeat(call(g), 30))
		}},
		{"calls that double", func(m *builder) {
			f := m.function(":", "", nops(3))
			for range 12 {
				f = m.function(":", "", call(f), call(f))
			}
			m.exportFunction("f", ":", "", call(f))
		}},
		{"indirect calls that double", func(m *builder) {
			m.table(funcTable(limits(20)))
			f := []uint32{m.function(":", "", nops(3))}
			for n := range 12 {
				f = append(f, m.function(":", "", i32(int32(n)), callIndirect(m.typ(":"), 0), i32(int32(n)),
					callIndirect(m.typ(":"), 0)))
			}
			m.element(0, i32(0), opEnd, indices(f...))
			m.exportFunction("f", ":", "", i32(12), callIndirect(m.typ(":"), 0))
		}},
		{"indirect calls of small functions", func(m *builder) {
			m.table(funcTable(limits(1)))
			m.element(0, i32(0), opEnd, indices(m.function(":", "", nops(58))))
			m.exportFunction("f", ":", "", slices.Repeat(code(i32(0), callIndirect(m.typ(":"), 0)), 30))
		}},
		{"recursion", func(m *builder) { m.exportFunction("f", ":", "", nops(5), call(0)) }},
		{"returning from recursion", func(m *builder) {
			m.exportFunction("f", ":", "i", localGet(0), when(nil, opReturn), globalGet(0), i32(1), opI32Sub,
				globalSet(0),
				globalGet(0), when(nil, call(0)), nops(190))
			m.global(code(valueTypes['i'], 1), i32(100))
		}},
		{"returning from indirect calls", func(m *builder) {
			m.table(funcTable(limits(1)))
			f := m.function(":", "", nops(100))
			m.element(0, i32(0), opEnd, indices(f))
			g := m.function(":", "", i32(0), callIndirect(m.typ(":"), 0), nops(190))
			m.exportFunction("f", ":", "", slices.Repeat(call(g), 20))
		}},
		{"mutual recursion of small functions", func(m *builder) {
			m.function(":", "", call(1), call(1))
			m.function(":", "", call(2), call(2))
			m.function(":", "", call(0), call(0))
			m.exportFunction("f", ":", "", call(0))
		}},
		{"tail calls", func(m *builder) {
			m.function(":", "", nops(50), returnCall(1))
			m.function(":", "", nops(50), returnCall(0))
			m.exportFunction("f", ":", "", call(0))
		}},
		{"a loop by a branch table", func(m *builder) {
			m.exportFunction("f", ":", "", loop(nil, nops(30), block(nil, nops(10), i32(0), brTable(1, 0))))
		}},
		{"a small function with a loop", func(m *builder) {
			g := m.function(":", "", loop(nil, nops(10), i32(1), brIf(0)))
			m.exportFunction("f", ":", "", loop(nil, call(g), br(0)))
		}},
		{"a loop that is run through once, with calls in it", func(m *builder) {
			g := m.function(":", "", nops(50))
			m.exportFunction("f", ":", "", slices.Repeat(loop(nil, block(nil, call(g), call(g)), i32(0), brIf(0)), 20))
		}},
		{"checks that are jumped over", func(m *builder) {
			part := code(nops(190), block(nil, i32(1), brIf(0), nops(15)))
			m.exportFunction("f", ":", "", slices.Repeat(part, 8))
		}},
		{"checks in one branch of an if", func(m *builder) {
			m.exportFunction("f", ":", "", slices.Repeat(code(i32(0), when(nil, nops(250), opElse, nops(150))), 8))
			m.exportFunction("g", ":", "", slices.Repeat(code(i32(0), when(nil, nops(250)), nops(50)), 8))
		}},
		{"checks that a branch table jumps over", func(m *builder) {
			part := block(nil, block(nil, block(nil, nops(150), i32(1), brTable(0, 2, 1)), nops(100)), nops(100))
			m.exportFunction("f", ":", "", slices.Repeat(part, 8))
		}},
		{"checks that an exception jumps over", func(m *builder) {
			tag := m.tag(":")
			part := block(nil, nops(180), tryTable(nil, [][]byte{clause(catchAll, 0)}, throw(tag)), nops(50))
			m.exportFunction("f", ":", "", slices.Repeat(part, 8))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var m builder
			c.build(&m)
			most := mostSteps(t, m.bytes(), small, stretch, returning, 300, func(i *instance) {
				_, _ = i.call("f")
				if i.ExportedFunction("g") != nil {
					_, _ = i.call("g")
				}
			})
			require.LessOrEqual(t, most, within(stretch))
			require.Greater(t, most, uint64(4), "something is counted")
		})
	}
}

// TestFewInstructionsAreExecutedBetweenChecksOfAnyModule does the same with generated modules.
func TestFewInstructionsAreExecutedBetweenChecksOfAnyModule(t *testing.T) {
	const small, stretch, returning = 24, 80, 40
	var most uint64
	for seed := range 30 {
		g := generate(scrambled(seed, 1500))
		steps := mostSteps(t, g.bytes(), small, stretch, returning, 500, func(i *instance) {
			for f, types := range g.signatures[g.first:] {
				i.ExportedGlobal("budget").(api.MutableGlobal).Set(300)
				_, _ = i.call("f"+string(rune('0'+f)), make([]uint64, len(types.params))...)
			}
		})
		require.LessOrEqual(t, steps, within(stretch), fmt.Sprintf("seed %d", seed))
		most = max(most, steps)
	}
	require.Greater(t, most, uint64(stretch), "the bound is reached")
}
