package metering_test

import (
	"testing"
)

func TestVectorAndAtomicInstructionsRunAsBefore(t *testing.T) { testShapes(t, vectorAndAtomicShapes()) }

func vectorAndAtomicShapes() []shape {
	return []shape{
		{
			name: "vectors added up in a loop",
			build: func(m *builder) {
				m.memory(limits(1))
				m.exportFunction("f", "i:iI", "v",
					loop(nil, localGet(1), localGet(0), vector(vectorI32x4Splat), vector(vectorI32x4Add), localSet(1),
						i32(16), localGet(1), vector(11, 0, u32(64)), // v128.store
						i32(80), localGet(1), vector(0x54, 0, u32(0), 15), localSet(1), // v128.load8_lane
						increment(0, -1), localGet(0), brIf(0)),
					localGet(1), vector(vectorI32x4Extract0, 3),
					// shuffle
					localGet(1), v128(1), vector(13, []byte{31, 30, 29, 28, 16, 17, 18, 19, 0, 1, 2, 3, 4, 5, 6, 7}),
					vector(29, 0)) // i64x2.extract_lane
			},
			calls: []invocation{returns("f", with(3), 0x06000006, 0x0101010101010101)},
		},
		{
			name: "vectors as results of blocks and loops",
			build: func(m *builder) {
				swap := m.typ("vv:vv")
				m.exportFunction("f", "i:ii", "vv",
					v128(1), v128(2),
					loop(swap, localSet(1), localSet(2), localGet(1), localGet(2), increment(0, -1), localGet(0),
						brIf(0)),
					vector(vectorI32x4Extract0, 0), localSet(0), vector(vectorI32x4Extract0, 0), localGet(0))
			},
			calls: []invocation{returns("f", with(1), 0x02020202, 0x01010101), returns("f", with(2), 0x01010101,
				0x02020202)},
		},
		{
			name: "a shared memory counted up atomically",
			build: func(m *builder) {
				m.memory(sharedLimits(1, 2))
				m.exportFunction("add", "i:i", "",
					// i32.atomic.rmw.add
					loop(nil, i32(8), i32(5), atomic(0x1e, 2), opDrop, increment(0, -1), localGet(0), brIf(0)),
					code(prefixAtomic, 3, 0), // atomic.fence
					i32(8), atomic(0x10, 2))  // i32.atomic.load
				m.exportFunction("exchange", "ii:i", "",
					i32(8), localGet(0), localGet(1), atomic(0x48, 2)) // i32.atomic.rmw.cmpxchg
				// memory.atomic.wait32: not equal
				m.exportFunction("wait", ":i", "", i32(8), i32(0), i64(-1), atomic(1, 2))
				m.exportFunction("notify", ":i", "", i32(8), i32(1), atomic(0, 2))
				m.exportFunction("unaligned", ":i", "", i32(9), atomic(0x10, 2))
			},
			calls: []invocation{
				returns("add", with(4), 20), returns("exchange", with(20, 7), 20), returns("exchange", with(20, 9), 7),
				returns("wait", nil, 1), returns("notify", nil, 0), traps("unaligned", nil, "unaligned atomic"),
			},
		},
	}
}

func TestBulkOperationsRunAsBefore(t *testing.T) { testShapes(t, bulkShapes()) }

func bulkShapes() []shape {
	return []shape{
		{
			name: "memory.copy and memory.fill",
			build: func(m *builder) {
				m.memory(limits(1))
				m.activeData(0, "0123456789")
				m.exportFunction("copy", "iii:", "", localGet(0), localGet(1), localGet(2), memoryCopy())
				m.exportFunction("fill", "iii:", "", localGet(0), localGet(1), localGet(2), memoryFill())
			},
			calls: []invocation{
				returns("copy", with(20, 2, 5)), returns("copy", with(1, 0, 5)), returns("fill", with(100, 'x', 200)),
				returns("fill", with(0, 0, 0)), traps("fill", with(65500, 1, 100), "out of bounds memory access"),
				traps("copy", with(0, 1, 0xffffffff), "out of bounds memory access"),
				returns("copy", with(65536, 65536, 0)),
			},
		},
		{
			name: "memory.init in a loop",
			build: func(m *builder) {
				m.memory(limits(1))
				segment := m.passiveData("abcdefgh")
				m.dataCount = true
				m.exportFunction("init", "i:", "",
					loop(nil, localGet(0), i32(2), i32(5), memoryInit(segment), increment(0, -7), localGet(0), i32(0),
						opI32GtS, brIf(0)))
				m.exportFunction("drop", ":", "", dataDrop(segment))
			},
			calls: []invocation{returns("init", with(700)), returns("drop", nil), traps("init", with(7),
				"out of bounds memory access")},
		},
		{
			name: "memory.grow to and over the maximum",
			build: func(m *builder) {
				m.memory(limitsTo(1, 70))
				m.exportFunction("grow", "i:ii", "", localGet(0), memoryGrow(), memorySize())
			},
			calls: []invocation{
				returns("grow", with(0), 1, 1), returns("grow", with(1), 1, 2), returns("grow", with(69),
					0xffffffff, 2),
				returns("grow", with(68), 2, 70), returns("grow", with(0xffffffff), 0xffffffff, 70),
			},
		},
		{
			name: "all operations on tables",
			build: func(m *builder) {
				m.importFunction("host", "note", ":")
				f := m.function(":i", "", i32(1))
				g := m.function(":i", "", i32(2))
				a, b := m.table(funcTable(limitsTo(4, 100))), m.table(funcTable(limits(4)))
				segment := m.element(1, elementKindFunctions, indices(f, g))
				callEach := func(table uint32) []byte {
					return code(i32(0), callIndirect(m.typ(":i"), table), i32(1), callIndirect(m.typ(":i"), table))
				}
				m.exportFunction("init", "iii:ii", "", localGet(0), localGet(1), localGet(2), tableInit(segment, b),
					callEach(b))
				m.exportFunction("copy", "iii:ii", "", localGet(0), localGet(1), localGet(2), tableCopy(a, b),
					callEach(a))
				m.exportFunction("fill", "ii:ii", "", localGet(0), refFunc(g), localGet(1), tableFill(a), callEach(a))
				m.exportFunction("grow", "i:ii", "", refFunc(f), localGet(0), tableGrow(a), tableSize(a))
				m.exportFunction("get", "i:i", "", localGet(0), tableGet(a), opRefIsNull)
				m.exportFunction("set", "i:", "", localGet(0), refNull('r'), tableSet(a))
				m.exportFunction("drop", ":", "", elementDrop(segment))
			},
			calls: []invocation{
				returns("init", with(0, 0, 2), 1, 2), returns("copy", with(0, 0, 2), 1, 2),
				returns("fill", with(0, 1), 2, 2),
				returns("grow", with(90), 4, 94), returns("grow", with(7), 0xffffffff, 94), returns("get", with(93), 0),
				returns("set", with(93)), returns("get", with(93), 1), traps("get", with(94), "invalid table access"),
				returns("drop", nil), traps("init", with(0, 0, 1), "invalid table access"),
				traps("copy", with(0, 3, 2), "invalid table access"), traps("fill", with(0, 200),
					"invalid table access"),
			},
		},
		{
			name: "select with and without a type, and conversions that saturate",
			build: func(m *builder) {
				m.exportFunction("typed", "i:i", "",
					refNull('e'), refNull('e'), localGet(0), code(0x1c, 1, valueTypes['e']), opRefIsNull)
				m.exportFunction("untyped", "i:i", "", i32(5), i32(6), localGet(0), opSelect)
				m.exportFunction("saturate", "F:iI", "", localGet(0), code(prefixMisc, 2), localGet(0),
					code(prefixMisc, 7))
				m.exportFunction("extend", "i:i", "", localGet(0), opI32Extend8S)
			},
			calls: []invocation{
				returns("typed", with(1), 1), returns("untyped", with(1), 5), returns("untyped", with(0), 6),
				returns("saturate", with(0x7ff0000000000000), 0x7fffffff, 0xffffffffffffffff),
				returns("extend", with(0x80), 0xffffff80),
			},
		},
	}
}

func TestExceptionsAreCaughtAtTheSameLabels(t *testing.T) { testShapes(t, exceptionShapes()) }

func exceptionShapes() []shape {
	return []shape{
		{
			name: "a catch label that leads out of loops around and within the try_table",
			build: func(m *builder) {
				tag := m.tag("i:")
				m.exportFunction("f", "i:i", "i",
					block('i', loop(nil,
						tryTable(nil, [][]byte{clause(catchTag, tag, 1)},
							loop(nil, increment(1, 1),
								localGet(1), localGet(0), opI32Eq, when(nil, localGet(1), throw(tag)), br(0))),
						br(0)), opUnreachable),
					i32(1000), opI32Add)
			},
			calls: []invocation{returns("f", with(5), 1005), returns("f", with(50), 1050)},
		},
		{
			name: "a catch label that is a loop",
			build: func(m *builder) {
				tag := m.tag(":")
				m.exportFunction("f", "i:i", "i",
					loop(nil, loop(nil, increment(1, 1), block(nil,
						tryTable(nil, [][]byte{clause(catchTag, tag, 1), clause(catchAll, 2)},
							localGet(1), localGet(0), opI32LtS, when(nil, throw(tag)))))),
					localGet(1))
			},
			calls: []invocation{returns("f", with(1), 1), returns("f", with(9), 9)},
		},
		{
			name: "a catch label that is a loop with a parameter",
			build: func(m *builder) {
				tag := m.tag("i:")
				m.exportFunction("f", "i:i", "", localGet(0),
					loop(m.typ("i:i"), localTee(0),
						tryTable(m.typ("i:i"), [][]byte{clause(catchTag, tag, 0)},
							i32(2), opI32Sub, localTee(0), i32(0), opI32GtS, when(nil, localGet(0), throw(tag)),
							localGet(0))))
			},
			calls: []invocation{returns("f", with(9), 0xffffffff), returns("f", with(8), 0)},
		},
		{
			name: "clauses of all four kinds, from calls",
			build: func(m *builder) {
				one := m.tag("i:")
				two := m.tag("iI:")
				thrower := m.function("i:", "",
					block(nil, block(nil, block(nil, localGet(0), brTable(0, 1, 2)), localGet(0), throw(one)),
						localGet(0), i64(77), throw(two)))
				m.exportFunction("f", "i:iI", "x", loop(m.typ(":iI"),
					block(m.typ(":iIx"), block(m.typ(":ix"),
						tryTable(nil, [][]byte{clause(catchTagRef, one, 0), clause(catchTagRef, two, 1)},
							localGet(0), call(thrower)),
						i32(-1), i64(-1), br(3)),
						localSet(1), i64(5), localGet(1)),
					opDrop))
				m.exportFunction("all", "i:i", "",
					block(nil, tryTable(nil, [][]byte{clause(catchAll, 0)}, localGet(0), call(thrower)), i32(1),
						opReturn), i32(2))
				m.exportFunction("again", "i:i", "", block('i',
					tryTable(nil, [][]byte{clause(catchTag, one, 0)}, loop(nil,
						block('x', tryTable(nil, [][]byte{clause(catchAllRef, 0)}, localGet(0), call(thrower)), i32(3),
							opReturn),
						opThrowRef)), opUnreachable))
				m.exportFunction("none", "i:", "", loop(nil, localGet(0), call(thrower)))
			},
			calls: []invocation{
				returns("f", with(0), 0, 5), returns("f", with(1), 1, 77), returns("f", with(2), 0xffffffff,
					0xffffffffffffffff),
				returns("all", with(0), 2), returns("all", with(2), 1), returns("again", with(0), 0),
				returns("again", with(5), 3),
				traps("again", with(1), "uncaught exception"), traps("none", with(0), "uncaught exception"),
				returns("none", with(7)),
			},
		},
		{
			name: "exceptions thrown again and again through loops",
			build: func(m *builder) {
				tag := m.tag("I:")
				thrower := m.function("I:", "", loop(nil, localGet(0), throw(tag)))
				m.exportFunction("f", "i:I", "I",
					loop(nil,
						block('I', tryTable(nil, [][]byte{clause(catchTag, tag, 0)}, localGet(0), opI64ExtendI32S,
							call(thrower)), i64(0)),
						localGet(1), opI64Add, localSet(1), increment(0, -1), localGet(0), brIf(0)),
					localGet(1))
			},
			calls: []invocation{returns("f", with(100), 5050)},
		},
	}
}

func TestTailCallsRunAsBefore(t *testing.T) { testShapes(t, tailCallShapes()) }

func tailCallShapes() []shape {
	return []shape{
		{
			name: "mutual return_call",
			build: func(m *builder) {
				m.importFunction("host", "note", ":")
				even, odd := uint32(1), uint32(2)
				m.function("i:i", "", localGet(0), opI32Eqz, when(nil, i32(1), opReturn), localGet(0), i32(1), opI32Sub,
					returnCall(odd))
				m.function("i:i", "", localGet(0), opI32Eqz, when(nil, i32(0), opReturn), localGet(0), i32(1), opI32Sub,
					returnCall(even))
				m.export("even", kindFunction, even)
			},
			calls: []invocation{returns("even", with(10000), 1), returns("even", with(10001), 0)},
		},
		{
			name: "return_call_indirect from within loops",
			build: func(m *builder) {
				successor := m.importFunction("host", "successor", "i:i")
				typ := m.typ("i:i")
				table := m.table(funcTable(limits(3)))
				f := m.exportFunction("f", "i:i", "",
					loop(nil, increment(0, -1), localGet(0), i32(3), opI32RemU,
						when(nil, localGet(0), localGet(0), i32(100), opI32LtU, returnCallIndirect(typ, table)),
						br(0)), i32(0))
				m.element(0, i32(0), opEnd, indices(f, successor))
			},
			calls: []invocation{returns("f", with(1000), 99)},
		},
		{
			name: "a tail call to an imported function",
			build: func(m *builder) {
				successor := m.importFunction("host", "successor", "i:i")
				m.exportFunction("f", "i:i", "", loop(nil, increment(0, 1), localGet(0), returnCall(successor)), i32(0))
			},
			calls: []invocation{returns("f", with(4), 6)},
		},
	}
}
