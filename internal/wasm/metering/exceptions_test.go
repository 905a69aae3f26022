package metering_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

func TestExceptionsRunAsBefore(t *testing.T) { testShapes(t, moreExceptionShapes()) }

const uncaught = "uncaught exception"

func moreExceptionShapes() []shape {
	return []shape{
		{
			name: "values of every type",
			build: func(m *builder) {
				tag := m.tag("ifIFi:")
				m.function("ifIFi:", "", localGet(0), localGet(1), localGet(2), localGet(3), localGet(4), throw(tag))
				m.exportFunction("f", "ifIFi:ifIFi", "", block(m.typ(":ifIFi"),
					tryTable(nil, [][]byte{clause(catchTag, tag, 0)},
						localGet(0), localGet(1), localGet(2), localGet(3), localGet(4), call(0)),
					opUnreachable))
			},
			calls: []invocation{returns("f", with(1, 0x7fc00001, 1<<40, math.Float64bits(-2), 5),
				1, 0x7fc00001, 1<<40, math.Float64bits(-2), 5)},
		},
		{
			name: "references to exceptions with three numbers",
			build: func(m *builder) {
				tag := m.tag("ifi:")
				m.exportFunction("f", "ifi:ifi", "x", block(m.typ(":ifi"),
					tryTable(nil, [][]byte{clause(catchTag, tag, 0)},
						block('x', tryTable(nil, [][]byte{clause(catchAllRef, 0)},
							localGet(0), localGet(1), localGet(2), throw(tag)), opUnreachable),
						localSet(3), block(nil, tryTable(nil, [][]byte{clause(catchAll, 0)},
							i32(7), f32(7), i32(7), throw(tag)), opUnreachable),
						localGet(3), opThrowRef),
					opUnreachable))
			},
			calls: []invocation{returns("f", with(1, 0x7fc00001, 1<<31), 1, 0x7fc00001, 1<<31)},
		},
		{
			name: "a try_table with parameters and results",
			build: func(m *builder) {
				tag := m.tag("iI:")
				m.exportFunction("f", "i:iI", "", block(m.typ(":iI"), localGet(0), i64(5),
					tryTable(m.typ("iI:iI"), [][]byte{clause(catchTag, tag, 0)},
						localGet(0), when(nil, i32(11), i64(12), throw(tag)), i64(1), opI64Add),
					i64(100), opI64Add))
			},
			calls: []invocation{returns("f", with(0), 0, 106), returns("f", with(1), 11, 12)},
		},
		{
			name: "a landing between operands",
			build: func(m *builder) {
				tag := m.tag("i:")
				g := m.function("i:i", "", localGet(0), when(nil, localGet(0), throw(tag)), i32(3))
				m.exportFunction("f", "i:i", "", i32(1000), block('i', i32(7),
					tryTable(m.typ("i:i"), [][]byte{clause(catchTag, tag, 0)},
						i32(8), localGet(0), call(g), opI32Add, opI32Add)), opI32Add)
			},
			calls: []invocation{returns("f", with(0), 1018), returns("f", with(5), 1005)},
		},
		{
			name: "clauses in their order",
			build: func(m *builder) {
				one, two := m.tag("i:"), m.tag("i:")
				g := m.function("i:", "", block(nil, localGet(0), brIf(0), i32(10), throw(one)), i32(20), throw(two))
				m.exportFunction("f", "i:i", "", block('i', block('i', block(nil,
					tryTable(nil, [][]byte{
						clause(catchTag, two, 1), clause(catchTag, two, 2), clause(catchAll, 0),
						clause(catchTag, one, 2),
					}, localGet(0), call(g)), opUnreachable), i32(1)), opReturn), i32(100), opI32Add)
			},
			calls: []invocation{returns("f", with(0), 1), returns("f", with(1), 20)},
		},
		{
			name: "inner clauses before outer ones",
			build: func(m *builder) {
				one, two := m.tag(":"), m.tag(":")
				g := m.function("i:", "", block(nil, localGet(0), brIf(0), throw(one)), throw(two))
				m.exportFunction("f", "i:i", "", block(nil, tryTable(nil, [][]byte{clause(catchTag, two, 0)},
					block(nil, tryTable(nil, [][]byte{clause(catchTag, one, 0)}, localGet(0), call(g)), opUnreachable),
					throw(two)), opUnreachable), i32(3))
				m.exportFunction("again", ":i", "", block(nil, tryTable(nil, [][]byte{clause(catchAll, 0)},
					block(nil, tryTable(nil, [][]byte{clause(catchAll, 0)}, throw(one)), opUnreachable),
					throw(two)), i32(1), opReturn), i32(2))
			},
			calls: []invocation{returns("f", with(0), 3), returns("f", with(1), 3), returns("again", nil, 2)},
		},
		{
			name: "indirect calls, by two tables, and by types that are equal",
			build: func(m *builder) {
				tag := m.tag("i:")
				thrower := m.function("i:i", "", localGet(0), throw(tag))
				harmless := m.function("i:i", "", localGet(0))
				a, b := m.table(funcTable(limits(2))), m.table(funcTable(limits(2)))
				m.element(0, i32(0), opEnd, indices(harmless, thrower))
				m.element(2, u32(b), i32(0), opEnd, elementKindFunctions, indices(thrower, harmless))
				equal := add(&m.types, code(0x60, 1, valueTypes['i'], 1, valueTypes['i']))
				for name, table := range map[string]uint32{"a": a, "b": b} {
					m.exportFunction(name, "i:i", "", block('i', tryTable('i', [][]byte{clause(catchTag, tag, 0)},
						i32(40), localGet(0), callIndirect(equal, table)), opReturn), i32(2), opI32Add)
				}
				m.exportFunction("none", "i:i", "", i32(40), localGet(0), callIndirect(equal, a))
			},
			calls: []invocation{
				returns("a", with(0), 40), returns("a", with(1), 42), returns("b", with(0), 42),
				returns("b", with(1), 40), traps("none", with(1), uncaught), returns("none", with(0), 40),
				traps("a", with(2), "invalid table access"),
			},
		},
		{
			name: "a function that is put into a table by its reference",
			build: func(m *builder) {
				tag := m.tag(":")
				thrower := m.function(":", "", throw(tag))
				held := m.global(code(valueTypes['r'], 0), refFunc(thrower))
				table := m.table(funcTable(limits(2)))
				m.exportFunction("f", ":i", "", i32(1), globalGet(held), tableSet(table),
					block(nil, tryTable(nil, [][]byte{clause(catchAll, 0)}, i32(1), callIndirect(m.typ(":"), table)),
						i32(1), opReturn), i32(2))
			},
			calls: []invocation{returns("f", nil, 2)},
		},
		{
			name: "tail calls, which leave their try_table",
			build: func(m *builder) {
				tag := m.tag("i:")
				thrower := m.function("i:i", "", localGet(0), throw(tag))
				table := m.table(funcTable(limits(1)))
				m.element(0, i32(0), opEnd, indices(thrower))
				direct := m.function("i:i", "", block('i', tryTable('i', [][]byte{clause(catchTag, tag, 0)},
					localGet(0), returnCall(thrower))), i32(100), opI32Add)
				indirect := m.function("i:i", "", block(nil, tryTable('i', [][]byte{clause(catchAll, 0)},
					localGet(0), i32(0), returnCallIndirect(m.typ("i:i"), table)), opReturn), i32(100))
				for name, f := range map[string]uint32{"direct": direct, "indirect": indirect} {
					m.exportFunction(name, "i:i", "", block('i', tryTable('i', [][]byte{clause(catchTag, tag, 0)},
						localGet(0), call(f))), i32(1), opI32Add)
				}
				m.export("none", kindFunction, direct)
			},
			calls: []invocation{
				returns("direct", with(5), 6), returns("indirect", with(5), 6), traps("none", with(5), uncaught),
			},
		},
		{
			name: "references in locals, globals, parameters and results",
			build: func(m *builder) {
				one, two := m.tag("i:"), m.tag(":")
				held := m.global(code(valueTypes['x'], 1), refNull('x'))
				capture := m.function("i:x", "", block('x', tryTable(nil, [][]byte{clause(catchAllRef, 0)},
					localGet(0), when(nil, localGet(0), throw(one)), throw(two)), opUnreachable))
				raise := m.function("x:", "", localGet(0), opThrowRef)
				hold := m.exportFunction("hold", "i:", "", localGet(0), call(capture), globalSet(held))
				m.exportFunction("f", "iii:i", "x", block('i', block(nil, tryTable(nil,
					[][]byte{clause(catchTag, one, 1), clause(catchAll, 0)},
					localGet(0), call(hold), localGet(1), call(capture), localSet(3),
					localGet(2), when('x', globalGet(held), opElse, localGet(3)),
					block(m.typ("x:x")), call(raise)), opUnreachable), i32(-1)))
				m.exportFunction("null", ":", "x", localGet(0), opThrowRef)
				m.exportFunction("again", ":i", "", block('i', tryTable(nil, [][]byte{clause(catchTag, one, 0)},
					globalGet(held), call(raise)), opUnreachable))
			},
			calls: []invocation{
				traps("again", nil, "unreachable"), returns("f", with(7, 8, 1), 7), returns("f", with(7, 8, 0), 8),
				returns("f", with(0, 8, 1), 0xffffffff), traps("again", nil, uncaught), returns("hold", with(9)),
				returns("again", nil, 9), returns("again", nil, 9), traps("null", nil, "unreachable"),
			},
		},
		{
			name: "a reference and a value",
			build: func(m *builder) {
				tag := m.tag("f:")
				m.exportFunction("f", "f:f", "f", block('f', tryTable(nil, [][]byte{clause(catchTag, tag, 0)},
					block(m.typ(":fx"), tryTable(nil, [][]byte{clause(catchTagRef, tag, 0)},
						localGet(0), throw(tag)), opUnreachable), opThrowRef), opUnreachable))
			},
			calls: []invocation{returns("f", with(0x7fc00001), 0x7fc00001)},
		},
		{
			name: "uncaught exceptions, after which functions go on",
			build: func(m *builder) {
				tag := m.tag("I:")
				m.exportFunction("f", "iI:Fvr", "", localGet(0), when(nil, localGet(1), throw(tag)), f64(2), v128(1),
					refNull('r'))
				m.exportFunction("g", "i:i", "", localGet(0), i64(1), call(0), opDrop, opDrop, opDrop, i32(3))
			},
			calls: []invocation{
				traps("g", with(1), uncaught), returns("g", with(0), 3), traps("g", with(1), uncaught),
				returns("g", with(0), 3),
			},
		},
		{
			name: "an uncaught exception, after which others are caught or not thrown",
			build: func(m *builder) {
				tag := m.tag("i:")
				thrower := m.exportFunction("f", "i:", "", localGet(0), when(nil, localGet(0), throw(tag)))
				m.exportFunction("all", "i:i", "", block('i', block(nil,
					tryTable(nil, [][]byte{clause(catchTag, tag, 1), clause(catchAll, 0)}, localGet(0), call(thrower)),
					i32(-1), opReturn), opUnreachable))
			},
			calls: []invocation{
				traps("f", with(5), uncaught), returns("all", with(0), 0xffffffff), traps("f", with(5), uncaught),
				returns("all", with(6), 6), traps("f", with(5), uncaught), returns("f", with(0)),
			},
		},
		{
			name: "the host calls the guest, which throws, and goes on",
			build: func(m *builder) {
				host := m.importFunction("host", "call", "i:i")
				tag := m.tag("i:")
				thrower := m.exportFunction("called", "i:", "", localGet(0), when(nil, localGet(0), throw(tag)))
				m.exportFunction("f", "ii:i", "i", localGet(0), call(host), localSet(2),
					block(nil, tryTable(nil, [][]byte{clause(catchAll, 0)}, localGet(1), call(thrower)),
						localGet(2), opReturn), localGet(2), i32(100), opI32Add)
			},
			calls: []invocation{
				returns("f", with(0, 0), 0), returns("f", with(1, 0), 0xffffffff), returns("f", with(0, 1), 100),
				returns("f", with(1, 1), 99), returns("f", with(0, 0), 0),
			},
		},
		{
			name: "a function in a table that was only exported before",
			build: func(m *builder) {
				tag := m.tag(":")
				thrower := m.exportFunction("thrower", ":", "", throw(tag))
				table := m.table(funcTable(limits(1)))
				m.exportFunction("f", ":i", "", i32(0), refFunc(thrower), tableSet(table),
					block(nil, tryTable(nil, [][]byte{clause(catchAll, 0)}, i32(0), callIndirect(m.typ(":"), table)),
						i32(1), opReturn), i32(2))
			},
			calls: []invocation{traps("thrower", nil, uncaught), returns("f", nil, 2)},
		},
		{
			name: "a clause with a reference, for another tag",
			build: func(m *builder) {
				one, two := m.tag(":"), m.tag(":")
				g := m.function(":", "", block('x', tryTable(nil, [][]byte{clause(catchTagRef, one, 0)}, throw(two)),
					opUnreachable), opDrop)
				m.exportFunction("f", ":i", "", block(nil, tryTable(nil, [][]byte{clause(catchAll, 0)}, call(g)),
					i32(1), opReturn), i32(2))
			},
			calls: []invocation{returns("f", nil, 2)},
		},
		{
			name: "a catch label that is the function's",
			build: func(m *builder) {
				tag := m.tag("iF:")
				m.exportFunction("f", "i:iF", "", tryTable(nil, [][]byte{clause(catchTag, tag, 0)},
					localGet(0), f64(2.5), throw(tag)), opUnreachable)
				m.exportFunction("g", "i:iF", "", i32(1), loop(nil, tryTable(nil, [][]byte{clause(catchTag, tag, 1)},
					localGet(0), f64(4), throw(tag))), opUnreachable)
			},
			calls: []invocation{
				returns("f", with(3), 3, math.Float64bits(2.5)), returns("g", with(4), 4, math.Float64bits(4)),
			},
		},
		{
			name: "branches out of a try_table, past landings",
			build: func(m *builder) {
				tag := m.tag("i:")
				g := m.function("i:i", "", localGet(0), i32(5), opI32Eq, when(nil, i32(50), throw(tag)), localGet(0))
				m.exportFunction("f", "i:i", "",
					block('i', block('i', block('i',
						tryTable('i', [][]byte{clause(catchTag, tag, 1)},
							tryTable('i', nil, i32(30), localGet(0), call(g), brTable(0, 1, 2, 3, 0))),
						i32(1), opI32Add), i32(10), opI32Add), i32(100), opI32Add), i32(1000), opI32Add)
			},
			calls: []invocation{
				returns("f", with(0), 1141), returns("f", with(1), 1141), returns("f", with(2), 1140),
				returns("f", with(3), 1130), returns("f", with(4), 1141), returns("f", with(5), 1150),
			},
		},
		{
			name: "a throw in each arm of an if, and in a condition",
			build: func(m *builder) {
				one, two := m.tag("i:"), m.tag("i:")
				g := m.function("i:i", "", localGet(0), i32(2), opI32Eq, when(nil, i32(9), throw(two)), localGet(0))
				m.exportFunction("f", "i:i", "", block('i', block('i', tryTable('i',
					[][]byte{clause(catchTag, one, 0), clause(catchTag, two, 1)},
					localGet(0), call(g), when('i', i32(1), throw(one), opElse, i32(2), throw(two))), opUnreachable),
					opReturn), i32(100), opI32Add)
			},
			calls: []invocation{returns("f", with(1), 1), returns("f", with(0), 102), returns("f", with(2), 109)},
		},
		{
			name: "exceptions where nothing is reached",
			build: func(m *builder) {
				tag := m.tag("iF:")
				m.exportFunction("f", "i:i", "x", block('i', localGet(0), br(0), throw(tag)),
					opReturn, throw(tag),
					block('x', tryTable(nil, [][]byte{clause(catchAllRef, 0)},
						opUnreachable, throw(tag), throw(tag), call(0), opDrop), opUnreachable),
					opThrowRef, opI32Add)
			},
			calls: []invocation{returns("f", with(5), 5)},
		},
		{
			name: "references through tables, ifs, loops and branches",
			build: func(m *builder) {
				tag := m.tag("i:")
				same := m.function("xi:xi", "", localGet(0), localGet(1))
				table := m.table(funcTable(limits(1)))
				m.element(0, i32(0), opEnd, indices(same))
				capture := m.function("i:x", "", block('x', tryTable(nil, [][]byte{clause(catchAllRef, 0)},
					localGet(0), throw(tag)), opUnreachable))
				m.exportFunction("f", "iii:i", "xx", block('i', tryTable(nil, [][]byte{clause(catchTag, tag, 0)},
					localGet(0), call(capture), localSet(3), localGet(1), call(capture), localSet(4),
					loop('x', block('x', localGet(2), when('x', localGet(3), opElse, localGet(4)),
						localGet(2), brIf(0), opDrop, localGet(2), when('x', refNull('x'), opElse, localGet(3)))),
					i32(0), i32(0), callIndirect(m.typ("xi:xi"), table), opDrop, opThrowRef), opUnreachable))
			},
			calls: []invocation{returns("f", with(7, 8, 1), 7), returns("f", with(7, 8, 0), 7)},
		},
		{
			name: "a start function that catches what it throws",
			build: func(m *builder) {
				log := m.importFunction("host", "log", "i:")
				tag := m.tag("i:")
				thrower := m.function(":", "", i32(5), throw(tag))
				m.startWith(m.function(":", "", block('i', tryTable(nil, [][]byte{clause(catchTag, tag, 0)},
					call(thrower)), opUnreachable), call(log)))
			},
		},
		{
			name: "a trap while an exception is held, and a trap that nothing catches",
			build: func(m *builder) {
				tag := m.tag("i:")
				m.exportFunction("f", "i:i", "x", block('x', tryTable(nil, [][]byte{clause(catchAllRef, 0)},
					localGet(0), throw(tag)), opUnreachable), localSet(1),
					block(nil, tryTable(nil, [][]byte{clause(catchAll, 0)}, localGet(0), i32(0), opI32RemU, opDrop)),
					localGet(1), opThrowRef)
				m.exportFunction("g", "i:i", "", block('i', tryTable('i', [][]byte{clause(catchTag, tag, 0)},
					localGet(0))))
			},
			calls: []invocation{
				traps("f", with(3), "integer divide by zero"), returns("g", with(4), 4),
				traps("f", with(3), "integer divide by zero"),
			},
		},
		{
			name: "no tags at all",
			build: func(m *builder) {
				m.exportFunction("f", ":i", "x", block('x', block(nil, tryTable('i',
					[][]byte{clause(catchAll, 0), clause(catchAllRef, 1)}, i32(5)), opReturn), opUnreachable),
					localSet(0), opUnreachable)
				m.exportFunction("null", ":i", "", refNull('x'), opThrowRef)
			},
			calls: []invocation{returns("f", nil, 5), traps("null", nil, "unreachable")},
		},
		{
			name: "throws and catches in a deep recursion",
			build: func(m *builder) {
				tag := m.tag("i:")
				m.exportFunction("f", "i:i", "", localGet(0), opI32Eqz, when(nil, i32(1), throw(tag)),
					block('i', tryTable('i', [][]byte{clause(catchTag, tag, 0)},
						localGet(0), i32(1), opI32Sub, call(0)), opReturn), i32(1), opI32Add, throw(tag))
			},
			calls: []invocation{traps("f", with(200), uncaught)},
		},
	}
}

// TestWhatExceptionsCarryIsAmongTheGlobals: one run must not see what another one has thrown.
func TestWhatExceptionsCarryIsAmongTheGlobals(t *testing.T) {
	var m builder
	tag := m.tag("i:")
	m.exportFunction("f", "i:i", "", block('i', tryTable(nil, [][]byte{clause(catchTag, tag, 0)}, localGet(0),
		throw(tag)), opUnreachable))
	rewritten, err := metering.Rewrite(m.bytes(), metering.Options{Functions: true, State: true})
	require.NoError(t, err)
	i, err := instantiate(t, interpreter, rewritten, endless())
	require.NoError(t, err)
	results, err := i.call("f", 7)
	require.NoError(t, err)
	require.Equal(t, with(7), results)
	require.Zero(t, i.ExportedGlobal(metering.ExceptionExport).Get())
	require.EqualValues(t, 7, i.ExportedGlobal(metering.GlobalExport(2)).Get(), "what the exception carried")
	require.Nil(t, i.ExportedGlobal(metering.GlobalExport(3)))
}

func TestAnExceptionOfTheStartFunctionIsATrap(t *testing.T) {
	var m builder
	m.tag(":")
	m.startWith(m.function(":", "", throw(0)))
	rewritten, err := metering.Rewrite(m.bytes(), metering.Options{})
	require.NoError(t, err)
	_, err = instantiate(t, interpreter, rewritten, endless())
	require.ErrorContains(t, err, "unreachable")

	rewritten, err = metering.Rewrite(m.bytes(), metering.Options{State: true})
	require.NoError(t, err)
	i, err := instantiate(t, interpreter, rewritten, endless())
	require.NoError(t, err)
	_, err = i.call(metering.StartExport)
	require.ErrorContains(t, err, "unreachable")
	require.NotZero(t, i.ExportedGlobal(metering.ExceptionExport).Get())
}

func TestExceptionsThatCannotBeLoweredAreRefused(t *testing.T) {
	withTag := func(types string, body ...any) []byte {
		var m builder
		tag := m.tag(types + ":")
		m.function(":", "", block(nil, tryTable(nil, [][]byte{clause(catchTag, tag, 0)}), code(body...)))
		return m.bytes()
	}
	imported := func() []byte {
		var m builder
		m.importTag("env", "tag", "i:")
		return m.bytes()
	}()
	held := code(block('x', tryTable(nil, [][]byte{clause(catchAllRef, 0)}), opUnreachable), opDrop)
	testRefusals(t, true, []refusal{
		{"an imported tag", imported, "an imported tag"},
		{"a tag with many values", withTag("iiiiiiiiiiiiiiiii"), "a tag with 17 values"},
		{"a tag with a vector", withTag("v"), "a tag with a value of the type v128"},
		{"a tag with a function", withTag("r"), "a tag with a value of the type funcref"},
		{"a tag with an exception", withTag("x"), "a tag with a value of the type exnref"},
		{"a reference to four numbers", withTag("iiii", held), "more than 12 bytes"},
		{"a reference to two long numbers", withTag("II", held), "more than 12 bytes"},
		{"a table of exceptions", withSections(4, code(1, valueTypes['x'], limits(1))), "table of type 0x69"},
		{"an imported global", withSections(2, code(1, str("env"), str("g"), kindGlobal, valueTypes['x'], 0)),
			"an imported global of the type exnref"},
		{"a tag that is none", withSections(1, code(1, 0x60, 0, 0), 13, code(1, 1, 0)), "attribute 1"},
	})
	testRefusals(t, false, []refusal{
		{"a tag with results", withSections(1, code(1, 0x60, 0, 1, 0x7f), 13, code(1, 0, 0)), "a tag of the type"},
		{"a throw of no tag", withTag("", throw(1)), "there is no tag 1"},
		{"a clause for no tag", withTag("", tryTable(nil, [][]byte{clause(catchTag, 1, 0)})), "there is no tag 1"},
		{"an export of no tag", func() []byte {
			var m builder
			m.tag(":")
			m.export("tag", kindTag, 1)
			return m.bytes()
		}(), "there is no tag 1"},
	})
}

// TestCallsAreCheckedOnlyIfTheyCanThrow counts the reads of globals: those of the fuel, and of the pending exception.
func TestCallsAreCheckedOnlyIfTheyCanThrow(t *testing.T) {
	var m builder
	tag := m.tag(":")
	thrower := m.function(":", "", throw(tag))
	caught := m.function(":", "", block(nil, tryTable(nil, [][]byte{clause(catchAll, 0)}, call(thrower))))
	quiet := m.function("i:", "", call(caught))
	m.table(funcTable(limits(2)))
	m.element(0, i32(0), opEnd, indices(thrower, quiet))
	m.function(":", "", call(caught), call(caught), i32(1), i32(1), callIndirect(m.typ("i:"), 0))
	m.function(":", "", call(thrower), call(thrower), i32(0), callIndirect(m.typ(":"), 0))
	rewritten, err := metering.Rewrite(m.bytes(), metering.Options{})
	require.NoError(t, err)
	bodies := contentOf(rewritten, 10)
	var checks []int
	for range min(bodies.number(), 5) {
		body := walk(bodies.take(bodies.number()))
		for range body.number() {
			body.number()
			body.byte()
		}
		n := 0
		for body.Len() > 0 {
			if op, operand := body.instruction(); op == 0x23 && operand == 2 {
				n++
			}
		}
		checks = append(checks, n)
	}
	require.Equal(t, []int{0, 1, 0, 0, 3}, checks)
}
