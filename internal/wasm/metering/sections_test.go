package metering_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

func TestImportsAndIndicesAreShifted(t *testing.T) { testShapes(t, importShapes()) }

func importShapes() []shape {
	return []shape{
		{
			name: "imported functions of different types, called directly",
			build: func(m *builder) {
				log := m.importFunction("host", "log", "i:")
				successor := m.importFunction("host", "successor", "i:i")
				own := m.function("i:i", "", localGet(0), i32(2), opI32Mul)
				m.exportFunction("f", "i:i", "",
					loop(nil, localGet(0), call(log), increment(0, -1), localGet(0), brIf(0)),
					i32(20), call(own), call(successor))
			},
			calls: []invocation{returns("f", with(3), 41)},
		},
		{
			name: "imported functions that are exported again",
			build: func(m *builder) {
				m.importFunction("host", "log", "i:")
				successor := m.importFunction("host", "successor", "i:i")
				m.export("again", kindFunction, successor)
				own := m.exportFunction("own", ":i", "", i32(3))
				m.export("own again", kindFunction, own)
			},
			calls: []invocation{returns("again", with(3), 4), returns("own", nil, 3), returns("own again", nil, 3)},
		},
		{
			name: "only imports and no code",
			build: func(m *builder) {
				m.export("f", kindFunction, m.importFunction("host", "successor", "i:i"))
			},
			calls: []invocation{returns("f", with(1), 2)},
		},
		{
			name: "an imported memory",
			build: func(m *builder) {
				m.importMemory("env", "memory", limitsTo(1, 4))
				m.export("memory", kindMemory, 0)
				m.activeData(100, "written by the module")
				m.exportFunction("grow", ":i", "", i32(1), memoryGrow(), i32(8), load(opI32Load8U, 0), opI32Add)
			},
			calls: []invocation{returns("grow", nil, 1+'e'), returns("grow", nil, 2+'e')},
		},
		{
			name: "imported globals before own ones",
			build: func(m *builder) {
				answer := m.importGlobal("env", "answer", code(valueTypes['i'], 0))
				counter := m.importGlobal("env", "counter", code(valueTypes['i'], 1))
				own := m.exportGlobal("g0", "i", globalGet(answer))
				m.export("g1", kindGlobal, counter)
				m.exportFunction("f", "i:i", "",
					loop(nil, globalGet(counter), i32(1), opI32Add, globalSet(counter),
						globalGet(own), globalGet(counter), opI32Add, globalSet(own),
						increment(0, -1), localGet(0), brIf(0)), globalGet(own))
			},
			calls: []invocation{returns("f", with(2), 42+6+7)},
		},
		{
			name: "an imported table, called through and written to",
			build: func(m *builder) {
				successor := m.importFunction("host", "successor", "i:i")
				table := m.importTable("env", "table", funcTable(limitsTo(4, 8)))
				m.table(funcTable(limits(1)))
				own := m.function(":i", "", i32(11))
				m.element(0, i32(1), opEnd, indices(own, successor))
				m.exportFunction("f", "i:i", "", localGet(0), callIndirect(m.typ(":i"), table))
			},
			calls: []invocation{
				returns("f", with(0), 7), returns("f", with(1), 11), traps("f", with(2), "indirect call type mismatch"),
				traps("f", with(3), "invalid table access"), traps("f", with(4), "invalid table access"),
			},
		},
		{
			name: "a start function that loops",
			build: func(m *builder) {
				log := m.importFunction("host", "log", "i:")
				global := m.exportGlobal("g0", "i", i32(3))
				m.startWith(m.function(":", "", loop(nil, globalGet(global), call(log),
					globalGet(global), i32(1), opI32Sub, globalSet(global), globalGet(global), brIf(0))))
			},
		},
		{
			name:  "a start function that is imported",
			build: func(m *builder) { m.startWith(m.importFunction("host", "note", ":")) },
		},
		{
			name: "a start function that traps",
			build: func(m *builder) {
				m.startWith(m.function(":", "", loop(nil, opUnreachable)))
			},
			notStart: "start function failed: wasm error: unreachable",
		},
		{
			name: "references to functions in code and in globals",
			build: func(m *builder) {
				successor := m.importFunction("host", "successor", "i:i")
				table := m.table(funcTable(limits(2)))
				own := m.function("i:i", "", localGet(0), i32(100), opI32Add)
				global := m.global(code(valueTypes['r'], 1), refFunc(own))
				m.global(code(valueTypes['r'], 0), refFunc(successor))
				m.exportFunction("f", "ii:i", "",
					i32(0), globalGet(global), tableSet(table), i32(1), refFunc(successor), tableSet(table),
					localGet(0), localGet(1), callIndirect(m.typ("i:i"), table))
			},
			calls: []invocation{returns("f", with(5, 0), 105), returns("f", with(5, 1), 6)},
		},
		{
			name: "globals computed from constants of every type",
			build: func(m *builder) {
				answer := m.importGlobal("env", "answer", code(valueTypes['i'], 0))
				m.exportGlobal("g0", "i", globalGet(answer), i32(2), opI32Mul, i32(4), opI32Add, i32(1), opI32Sub)
				m.exportGlobal("g1", "I", i64(5), i64(2), opI64Mul, i64(1), opI64Sub, i64(1<<40), opI64Add)
				m.exportGlobal("g2", "f", f32(1.25))
				m.exportGlobal("g3", "F", f64(-1.25))
				m.exportGlobal("g4", "e", refNull('e'))
				v := m.global(code(valueTypes['v'], 0), v128(9))
				m.exportFunction("f", ":i", "", globalGet(v), vector(vectorI32x4Extract0, 2))
			},
			calls: []invocation{returns("f", nil, 0x09090909)},
		},
		{
			name: "data segments of all three forms, and a data count",
			build: func(m *builder) {
				m.memory(limits(1))
				m.activeData(4, "active")
				passive := m.passiveData("passive")
				add(&m.data, code(2, 0, i32(30), opEnd, str("with a memory index")))
				m.dataCount = true
				m.exportFunction("f", ":", "", i32(20), i32(1), i32(6), memoryInit(passive), dataDrop(passive))
			},
			calls: []invocation{returns("f", nil), traps("f", nil, "out of bounds memory access")},
		},
		{
			name: "several tables of both kinds",
			build: func(m *builder) {
				m.table(code(valueTypes['e'], limits(3)))
				second := m.table(funcTable(limits(3)))
				f := m.function(":i", "", i32(12))
				m.element(2, u32(second), i32(1), opEnd, elementKindFunctions, indices(f))
				m.exportFunction("f", "i:i", "", localGet(0), callIndirect(m.typ(":i"), second))
			},
			calls: []invocation{returns("f", with(1), 12), traps("f", with(0), "invalid table access")},
		},
	}
}

func TestElementSegmentsAreShifted(t *testing.T) { testShapes(t, elementShapes()) }

// elementShapes returns a module for each form of element segment. It puts function 2 into slot 3 of a table, and then
// calls it through the table.
func elementShapes() (shapes []shape) {
	byItem := indices(1, 2)
	byExpression := entries([][]byte{code(refNull('r'), opEnd), code(refFunc(2), opEnd)})
	offset := code(i32(2), opEnd)
	for _, s := range []struct {
		name    string
		element []byte
		init    []byte // moves passive elements to the table
	}{
		{"active", code(0, offset, byItem), nil},
		{"passive", code(1, elementKindFunctions, byItem), code(i32(2), i32(0), i32(2), tableInit(0, 0),
			elementDrop(0))},
		{"active with table", code(2, 0, offset, elementKindFunctions, byItem), nil},
		{"declarative", code(3, elementKindFunctions, byItem), code(i32(3), refFunc(2), tableSet(0))},
		{"active with expressions", code(4, offset, byExpression), nil},
		{"passive with expressions", code(5, valueTypes['r'], byExpression), code(i32(2), i32(0), i32(2),
			tableInit(0, 0))},
		{"active with table and expressions", code(6, 0, offset, valueTypes['r'], byExpression), nil},
		{"declarative with expressions", code(7, valueTypes['r'], byExpression), code(i32(3), refFunc(2), tableSet(0))},
	} {
		shapes = append(shapes, shape{
			name: s.name,
			build: func(m *builder) {
				m.importFunction("host", "successor", "i:i")
				m.function("i:i", "", opUnreachable)
				m.function("i:i", "", localGet(0), i32(10), opI32Mul)
				m.table(funcTable(limits(4)))
				m.element(s.element)
				m.exportFunction("f", "i:i", "", s.init, localGet(0), i32(3), callIndirect(m.typ("i:i"), 0))
			},
			calls: []invocation{returns("f", with(4), 40)},
		})
	}
	return shapes
}

func TestAModuleWithoutSectionsGetsThoseOfMetering(t *testing.T) {
	forEachEngine(t, func(t *testing.T, e engine) {
		rewritten, err := metering.Rewrite(new(builder).bytes(), metering.Options{})
		require.NoError(t, err)
		i, err := instantiate(t, e, rewritten, endless())
		require.NoError(t, err)
		require.NotNil(t, i.ExportedGlobal(metering.FuelExport))
	})
}

func TestEmptySectionsAreKeptValid(t *testing.T) {
	wasm := new(builder).bytes()
	for _, id := range []byte{1, 2, 3, 4, 5, 13, 6, 7, 9, 12, 10, 11} {
		wasm = append(wasm, section(id, []byte{0})...)
	}
	forEachEngine(t, func(t *testing.T, e engine) {
		rewritten, err := metering.Rewrite(wasm, metering.Options{})
		require.NoError(t, err)
		_, err = instantiate(t, e, rewritten, endless())
		require.NoError(t, err)
	})
}

func TestCustomSectionsAreDropped(t *testing.T) {
	names := code(str("name"), 1, vec(entries([][]byte{code(0, str("a function that is moved"))})))
	m := builder{custom: code(section(0, names), section(0, code(str(".debug_info"), 1, 2, 3)))}
	m.exportFunction("f", ":i", "", loop('i', i32(1)))
	plain := m
	plain.custom = nil

	rewritten, err := metering.Rewrite(m.bytes(), metering.Options{})
	require.NoError(t, err)
	want, err := metering.Rewrite(plain.bytes(), metering.Options{})
	require.NoError(t, err)
	require.Equal(t, want, rewritten)
}

func TestWhatIsNotRewrittenIsCopiedByteForByte(t *testing.T) {
	wasm := func(body ...any) []byte {
		var m builder
		m.memory(limits(1))
		m.function("i:i", "", body...)
		return m.bytes()
	}
	longOne := []byte{0x81, 0x80, 0x80, 0x80, 0x00}
	longZero := []byte{0x80, 0x80, 0x80, 0x80, 0x00}
	for name, instruction := range map[string][]byte{
		"a constant in a longer form than needed": code(opI32Const, longOne),
		"a local in a longer form than needed":    code(0x20, longZero),
		"a memory argument with hint and offset":  code(localGet(0), opI32Load, 2, longOne),
	} {
		t.Run(name, func(t *testing.T) {
			rewritten, err := metering.Rewrite(wasm(instruction), metering.Options{})
			require.NoError(t, err)
			require.Contains(t, string(rewritten), string(instruction))
			requireCompiles(t, rewritten)
		})
	}
}
