package metering_test

import (
	"fmt"
	"testing"
)

// sumDown counts local 0 down to zero, and adds its values up in local 1.
func sumDown() []byte {
	return loop(nil, localGet(0), localGet(1), opI32Add, localSet(1), increment(0, -1), localGet(0), brIf(0))
}

// longSumDown is sumDown with so many branches to the loop that it is metered at every iteration.
func longSumDown(body ...any) []byte {
	never := code(i32(0), brIf(0))
	return loop(nil, never, never, never, never, localGet(0), localGet(1), opI32Add, localSet(1), code(body...),
		increment(0, -1), localGet(0), brIf(0))
}

func TestLoopsRunAsBefore(t *testing.T) { testShapes(t, loopShapes()) }

func loopShapes() []shape {
	return []shape{
		{
			name: "a loop that counts down",
			build: func(m *builder) {
				m.exportFunction("sum", "i:i", "i", sumDown(), localGet(1))
			},
			calls: []invocation{returns("sum", with(1), 1), returns("sum", with(100), 5050)},
		},
		{
			name: "a loop with many branches back",
			build: func(m *builder) {
				m.exportFunction("sum", "i:i", "i", longSumDown(), localGet(1))
			},
			calls: []invocation{returns("sum", with(1), 1), returns("sum", with(100), 5050)},
		},
		{
			name: "a loop that tests before its body",
			build: func(m *builder) {
				m.exportFunction("sum", "i:i", "i",
					block(nil, loop(nil,
						localGet(0), opI32Eqz, brIf(1),
						localGet(0), localGet(1), opI32Add, localSet(1), increment(0, -1), br(0))),
					localGet(1))
			},
			calls: []invocation{returns("sum", with(0), 0), returns("sum", with(10), 55)},
		},
		{
			name: "a loop in a loop in a loop",
			build: func(m *builder) {
				countTo := func(local uint32, body ...any) []byte {
					return code(i32(0), localSet(local),
						loop(nil, code(body...), increment(local, 1), localGet(local), localGet(0), opI32LtS, brIf(0)))
				}
				m.exportFunction("cube", "i:i", "iiii",
					countTo(1, countTo(2, countTo(3, increment(4, 1)))), localGet(4))
			},
			calls: []invocation{returns("cube", with(1), 1), returns("cube", with(7), 343)},
		},
		{
			name: "a loop that is never left by branching back",
			build: func(m *builder) {
				m.exportFunction("once", ":i", "", loop('i', i32(3)))
			},
			calls: []invocation{returns("once", nil, 3)},
		},
		{
			name: "loops with operands below them on the stack",
			build: func(m *builder) {
				m.exportFunction("f", "i:i", "i",
					i32(1000), loop('i', sumDown(), localGet(1)), opI32Add)
			},
			calls: []invocation{returns("f", with(4), 1010)},
		},
		{
			name: "loops with a result of every type",
			build: func(m *builder) {
				values := [][]byte{i32(-5), i64(1 << 40), f32(1.5), f64(-2.25), refNull('r'), refNull('e')}
				for n, letter := range "iIfFre" {
					m.exportFunction(string(letter), "i:"+string(letter), "i", loop(letter, sumDown(), values[n]))
				}
				m.exportFunction("v", ":i", "", loop('v', v128(3)), vector(vectorI32x4Extract0, 0))
			},
			calls: []invocation{
				returns("i", with(3), 0xfffffffb), returns("I", with(3), 1<<40), returns("f", with(3), 0x3fc00000),
				returns("F", with(3), 0xc002000000000000), returns("r", with(3), 0), returns("e", with(3), 0),
				returns("v", nil, 0x03030303),
			},
		},
		{
			name: "a loop with several results and no parameters, by the index of its type",
			build: func(m *builder) {
				m.exportFunction("f", "i:iI", "i", loop(m.typ(":iI"), sumDown(), localGet(1), i64(9)))
			},
			calls: []invocation{returns("f", with(3), 6, 9)},
		},
		{
			name: "a loop with parameters, which branches carry along",
			build: func(m *builder) {
				// (a, b) = (b, a+b), n times.
				m.exportFunction("fibonacci", "i:ii", "ii", i32(0), i32(1),
					loop(m.typ("ii:ii"), localSet(2), localSet(1), localGet(2), localGet(1), localGet(2), opI32Add,
						increment(0, -1), localGet(0), brIf(0)))
			},
			calls: []invocation{returns("fibonacci", with(1), 1, 1), returns("fibonacci", with(20), 6765, 10946)},
		},
		{
			name: "a loop with parameters and other results",
			build: func(m *builder) {
				m.exportFunction("f", "i:I", "i", localGet(0),
					loop(m.typ("i:I"), localTee(1), i32(3), opI32Sub, localTee(1), localGet(1), i32(0), opI32GtS,
						brIf(0),
						opI64ExtendI32S))
			},
			calls: []invocation{returns("f", with(7), 0xfffffffffffffffe), returns("f", with(1), 0xfffffffffffffffe)},
		},
		{
			name: "loops whose end is not reached",
			build: func(m *builder) {
				m.exportFunction("branch back", "i:i", "",
					loop('i', increment(0, -1), localGet(0), opI32Eqz, when(nil, i32(5), opReturn), br(0)))
				m.exportFunction("branch out", "i:i", "",
					block('i', loop('i', increment(0, -1), localGet(0), brIf(0), i32(6), br(1))))
				m.exportFunction("return", ":i", "", loop('i', i32(7), opReturn))
				m.exportFunction("unreachable", ":i", "", loop('i', opUnreachable))
				m.exportFunction("nothing", ":", "", loop(nil, opReturn))
				m.exportFunction("table", "i:i", "", loop('i',
					increment(0, -1), block(nil, localGet(0), brTable(0, 1)), i32(8), opReturn))
			},
			calls: []invocation{
				returns("branch back", with(3), 5), returns("branch out", with(3), 6), returns("return", nil, 7),
				traps("unreachable", nil, "unreachable"), returns("nothing", nil), returns("table", with(4), 8),
			},
		},
		{
			name: "loops in code that is not reached",
			build: func(m *builder) {
				m.exportFunction("return", ":i", "", i32(1), opReturn, loop(nil, br(0)), loop('i', i32(2), br(1)))
				m.exportFunction("branch", ":i", "", block(nil, br(0), opI32Add, loop(m.typ("i:"), opDrop, br(1)),
					opDrop),
					i32(2))
			},
			calls: []invocation{returns("return", nil, 1), returns("branch", nil, 2)},
		},
		{
			name: "returns from within loops",
			build: func(m *builder) {
				m.exportFunction("f", "i:i", "i", loop('i', loop('i',
					increment(1, 1),
					localGet(1), localGet(0), opI32GtS, when(nil, localGet(1), i32(100), opReturn),
					localGet(1), i32(5), opI32Eq, when(nil, localGet(1), opReturn), br(1))))
			},
			calls: []invocation{returns("f", with(3), 100), returns("f", with(30), 5)},
		},
		{
			name: "conditions in loops and loops in conditions",
			build: func(m *builder) {
				m.exportFunction("collatz", "i:i", "i",
					loop(nil, localGet(0), i32(1), opI32And,
						when('i', localGet(0), i32(3), opI32Mul, i32(1), opI32Add, opElse, localGet(0), i32(1),
							opI32ShrU),
						localSet(0), increment(1, 1), localGet(0), i32(1), opI32GtS, brIf(0)),
					localGet(1))
				m.exportFunction("either", "ii:i", "i", localGet(1),
					when(nil, sumDown(), opElse, loop(nil, increment(1, 2), increment(0, -1), localGet(0), brIf(0))),
					localGet(1))
			},
			calls: []invocation{
				returns("collatz", with(27), 111), returns("either", with(4, 0), 8), returns("either", with(4, 1), 11),
			},
		},
		{
			name: "loops that are nested five hundred levels deep",
			build: func(m *builder) {
				nest := increment(0, 1)
				for range 500 {
					nest = loop(nil, nest)
				}
				m.exportFunction("f", "i:i", "", nest,
					localGet(0))
				nest = br(500)
				for range 500 {
					nest = loop(nil, nest)
				}
				m.exportFunction("out", "i:i", "", loop(nil, increment(0, -1),
					localGet(0), opI32Eqz, when(nil, i32(1), opReturn), nest), i32(0))
			},
			calls: []invocation{returns("f", with(1), 2), returns("out", with(5), 1)},
		},
	}
}

func TestBranchTablesAndLocalsRunAsBefore(t *testing.T) { testShapes(t, tableAndLocalShapes()) }

func tableAndLocalShapes() []shape {
	return []shape{
		{
			name: "a branch table with three thousand labels",
			build: func(m *builder) {
				var labels []uint32
				for n := range uint32(3000) {
					labels = append(labels, n%3)
				}
				labels = append(labels, 3)
				m.exportFunction("f", "i:i", "",
					block(nil, block(nil, loop(nil, increment(0, 1), block(nil,
						localGet(0), brTable(labels...)), localGet(0), opReturn), opUnreachable),
						increment(0, 1000), localGet(0), opReturn),
					i32(-1))
			},
			calls: []invocation{returns("f", with(1), 1002), returns("f", with(2), 3), returns("f", with(2996), 2997),
				returns("f", with(20000), 0xffffffff)},
		},
		{
			name: "parameters and locals of all types around the added local",
			build: func(m *builder) {
				inner := m.function("iIfFvre:iIfFvre", "iIfFvrex", loop(nil, increment(7, 1), localGet(7), i32(5),
					opI32LtS, brIf(0)),
					localGet(0), localGet(1), localGet(2), localGet(3), localGet(4), localGet(5), localGet(6))
				m.exportFunction("f", "iIfF:iIfFii", "rev", localGet(0), localGet(1), localGet(2), localGet(3), v128(6),
					refNull('r'), refNull('e'), call(inner), localSet(5), localSet(4), localSet(6),
					localGet(6), vector(vectorI32x4Extract0, 1), localGet(4), opRefIsNull)
			},
			calls: []invocation{returns("f", with(1, 2, 3, 4), 1, 2, 3, 4, 0x06060606, 1)},
		},
		{
			name: "thousands of locals in groups",
			build: func(m *builder) {
				add(&m.functions, u32(m.typ("i:i")))
				m.body(entries([][]byte{
					code(u32(3000), valueTypes['i']), code(0, valueTypes['I']), code(u32(2000), valueTypes['F']),
				}), loop(nil, increment(3000, 2), increment(0, -1), localGet(0), brIf(0)), localGet(3000),
					localGet(2999), opI32Add)
				m.export("f", kindFunction, 0)
			},
			calls: []invocation{returns("f", with(21), 42)},
		},
	}
}

// construct is a block that branches can leave or restart.
type construct struct {
	name  string
	label []byte // the operand of a branch to it
	wrap  func(m *builder, body ...any) []byte
}

func constructs() []construct {
	return []construct{
		{"block", nil, func(_ *builder, body ...any) []byte { return block(nil, body...) }},
		{"block with result", i32(1), func(_ *builder, body ...any) []byte {
			return code(block('i', code(body...), i32(2)), opDrop)
		}},
		{"loop", nil, func(_ *builder, body ...any) []byte { return loop(nil, body...) }},
		{"loop with result", nil, func(_ *builder, body ...any) []byte {
			return code(loop('i', code(body...), i32(3)), opDrop)
		}},
		{"loop with parameter", i32(4), func(m *builder, body ...any) []byte {
			return code(i32(5), loop(m.typ("i:"), opDrop, code(body...)))
		}},
		{"if", nil, func(_ *builder, body ...any) []byte { return code(i32(1), when(nil, body...)) }},
		{"else", nil, func(_ *builder, body ...any) []byte {
			return code(i32(0), when(nil, opNop, opElse, code(body...)))
		}},
		{"try_table", nil, func(_ *builder, body ...any) []byte { return tryTable(nil, nil, body...) }},
	}
}

// branches are the ways to branch to a label if local 1 is not zero, with an operand or nil.
var branches = []struct {
	name   string
	branch func(label uint32, operand []byte) []byte
}{
	{"br", func(label uint32, operand []byte) []byte {
		return code(localGet(1), when(nil, operand, br(label+1)))
	}},
	{"br_if", func(label uint32, operand []byte) []byte {
		b := code(operand, localGet(1), brIf(label))
		if operand != nil {
			b = code(b, opDrop)
		}
		return b
	}},
	{"br_table", func(label uint32, operand []byte) []byte {
		return code(localGet(1), when(nil, operand, localGet(1), brTable(label+1, label+1, label+1)))
	}},
	{"br whatever local 1 is", func(label uint32, operand []byte) []byte { return code(operand, br(label)) }},
}

// TestBranchesLeadToTheSameDepth nests every construct in every other, branches from the innermost to every depth in
// every way, and records the path in a global.
func TestBranchesLeadToTheSameDepth(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	mark := func(n int32) []byte { return code(globalGet(0), i32(11), opI32Mul, i32(n), opI32Add, globalSet(0)) }
	s := shape{name: "all functions in one module"}
	var m builder
	m.exportGlobal("g0", "i", i32(0))
	for _, outer := range constructs() {
		for _, inner := range constructs() {
			for _, way := range branches {
				for depth, operand := range [][]byte{inner.label, outer.label, nil} {
					// Local 0 ends the function after a few iterations.
					body := code(increment(0, 1), localGet(0), i32(4), opI32GeS, when(nil, opReturn),
						mark(1), way.branch(uint32(depth), operand), mark(2))
					body = code(mark(3), inner.wrap(&m, body), mark(4))
					body = code(mark(5), outer.wrap(&m, body), mark(6))
					name := fmt.Sprintf("%s to %d from %s in %s", way.name, depth, inner.name, outer.name)
					m.exportFunction(name, "ii:", "", body)
					s.calls = append(s.calls, returns(name, with(0, 1)), returns(name, with(0, 0)))
				}
			}
		}
	}
	s.build = func(b *builder) { *b = m }
	testShapes(t, []shape{s})
}
