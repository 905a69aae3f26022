package metering_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/wasm/metering"
)

var header = new(builder).bytes()

// refusal is a module that Rewrite must refuse.
type refusal struct {
	name    string
	wasm    []byte
	message string
}

func testRefusals(t *testing.T, unsupported bool, refusals []refusal) {
	for _, r := range refusals {
		t.Run(r.name, func(t *testing.T) {
			out, err := metering.Rewrite(r.wasm, metering.Options{})
			require.ErrorContains(t, err, r.message)
			require.ErrorContains(t, err, "metering: ")
			require.Equal(t, unsupported, strings.Contains(err.Error(), metering.ErrUnsupported.Error()), err)
			if unsupported {
				require.ErrorIs(t, err, metering.ErrUnsupported)
			} else {
				require.NotErrorIs(t, err, metering.ErrUnsupported)
			}
			require.Nil(t, out)
		})
	}
}

// withSections returns a module of sections that are given as id and content.
func withSections(parts ...any) []byte {
	wasm := slices.Clone(header)
	for n := 0; n < len(parts); n += 2 {
		wasm = append(wasm, section(byte(parts[n].(int)), code(parts[n+1]))...)
	}
	return wasm
}

// withCode returns a module with one function of type (i32) -> (), and one of each kind of things that code can refer
// to.
func withCode(body ...any) []byte { return withBody(entries(nil), code(body...), opEnd) }

func withBody(parts ...any) []byte {
	var m builder
	m.importFunction("host", "log", "i:")
	m.table(funcTable(limits(1)))
	m.memory(limits(1))
	m.global(code(valueTypes['i'], 1), i32(0))
	add(&m.functions, u32(0))
	add(&m.bodies, vec(code(parts...)))
	return m.bytes()
}

func withGlobal(init ...any) []byte {
	return withSections(6, code(1, valueTypes['i'], 0, code(init...), opEnd))
}

func TestWhatIsNotWellFormedIsRefused(t *testing.T) {
	type_ := code(1, 0x60, 0, 0)
	testRefusals(t, false, []refusal{
		{"nothing", nil, "not a WebAssembly module"},
		{"text", []byte("(module)"), "not a WebAssembly module"},
		{"half a header", header[:6], "not a WebAssembly module"},
		{"a component", []byte("\x00asm\x0d\x00\x01\x00"), "not a WebAssembly module of version 1"},
		{"a section without length", code(header, 1), "unexpected end"},
		{"a section longer than the module", code(header, 1, 2, 0), "unexpected end"},
		{"a section whose length is too large a number", code(header, 1, 0xff, 0xff, 0xff, 0xff, 0x1f),
			"number too large"},
		{"a section whose length has too many bytes", code(header, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0),
			"number too large"},
		{"a repeated section", withSections(1, []byte{0}, 1, []byte{0}), "section 1 is repeated or out of order"},
		{"sections out of order", withSections(3, []byte{0}, 1, []byte{0}), "section 1 is repeated or out of order"},
		{"the data count behind the code", withSections(10, []byte{0}, 12, []byte{0}),
			"section 12 is repeated or out of order"},
		{"tags before the memory", withSections(13, []byte{0}, 5, []byte{0}), "section 5 is repeated or out of order"},
		{"bytes left over behind the types", withSections(1, []byte{0, 0}),
			"section 1: at byte 1: bytes are left over"},
		{"bytes left over behind the imports", withSections(2, []byte{0, 0}),
			"section 2: at byte 1: bytes are left over"},
		{"bytes left over behind the functions", withSections(3, []byte{0, 0}),
			"section 3: at byte 1: bytes are left over"},
		{"bytes left over behind the tables", withSections(4, []byte{0, 0}),
			"section 4: at byte 1: bytes are left over"},
		{"bytes left over behind the memory", withSections(5, []byte{0, 0}),
			"section 5: at byte 1: bytes are left over"},
		{"bytes left over behind the tags", withSections(13, []byte{0, 0}),
			"section 13: at byte 1: bytes are left over"},
		{"bytes left over behind the globals", withSections(6, []byte{0, 0}),
			"section 6: at byte 1: bytes are left over"},
		{"bytes left over behind the exports", withSections(7, []byte{0, 0}),
			"section 7: at byte 1: bytes are left over"},
		{"bytes left over behind the start", withSections(1, type_, 3, []byte{1, 0}, 8, []byte{0, 0}, 10,
			[]byte{1, 2, 0, opEnd}),
			"section 8: at byte 1: bytes are left over"},
		{"bytes left over behind the elements", withSections(9, []byte{0, 0}),
			"section 9: at byte 1: bytes are left over"},
		{"bytes left over behind the code", withSections(10, []byte{0, 0}),
			"section 10: at byte 1: bytes are left over"},
		{"bytes left over behind the data count", withSections(12, []byte{0, 0}),
			"section 12: at byte 1: bytes are left over"},
		{"a data count section without a count", withSections(12, []byte{}), "section 12: at byte 0: unexpected end"},
		{"more imports than there are", withSections(2, []byte{1}), "section 2: at byte 1: unexpected end"},
		{"a name longer than its section", withSections(2, []byte{1, 9, 'x'}), "unexpected end"},
		{"more bodies than functions", withSections(10, []byte{1, 2, 0, opEnd}), "1 bodies for 0 functions"},
		{"functions without bodies", withSections(1, type_, 3, []byte{1, 0}), "0 bodies for 1 functions"},
		{"a body longer than its section", withSections(1, type_, 3, []byte{1, 0}, 10, []byte{1, 3, 0, opEnd}),
			"unexpected end"},
		{"code without end", withBody(0, opNop), "unexpected end"},
		{"code with an open block", withBody(0, 0x02, blockEmpty, opEnd), "unexpected end"},
		{"code behind the end", withBody(0, opEnd, opNop), "instructions behind the end of the function"},
		{"code behind the end that closes another block", withBody(0, opEnd, opEnd),
			"instructions behind the end of the function"},
		{"two billion locals", withBody(2, u32(1<<31-2), valueTypes['i'], 1, valueTypes['i'], opEnd),
			"too many locals"},
		{"more locals than numbers", withBody(2, u32(1<<32-1), valueTypes['i'], u32(1<<32-1), valueTypes['i'], opEnd),
			"too many locals"},
		{"a constant of too many bytes", withCode(opI32Const, 0x80, 0x80, 0x80, 0x80, 0x80, 0), "number too long"},
		{"a branch table that ends too early", withBody(0, opBrTable, u32(1<<32-1), 0, 0), "unexpected end"},
		{"an i64x2.replace_lane without lane", withBody(0, vector(30), opEnd), "unexpected end"},
		{"an f64x2.extract_lane without lane", withBody(0, vector(33), opEnd), "unexpected end"},
		{"an f64x2.replace_lane without lane", withBody(0, vector(34), opEnd), "unexpected end"},
		{"a start function without index", withSections(8, []byte{}), "section 8: at byte 0: unexpected end"},
	})
}

func TestIndicesOfWhatMeteringAddsAreRefused(t *testing.T) {
	withTypes := func(id int, content ...any) []byte {
		return withSections(1, code(1, 0x60, 0, 0), id, code(content...))
	}
	refusals := []refusal{
		{"a label of no block", withCode(br(1)), "label 1 among 1 blocks"},
		{"a label of no block in a condition", withCode(i32(0), brIf(5)), "label 5 among 1 blocks"},
		{"a label of no block in a table", withCode(block(nil, i32(0), brTable(0, 1, 2))), "label 2 among 2 blocks"},
		{"a label of no block in a catch clause", withCode(tryTable(nil, [][]byte{clause(catchAll, 1)})),
			"label 1 among 1 blocks"},
		{"the largest label", withCode(br(1<<32 - 1)), "label 4294967295 among 1 blocks"},
		{"a call of the function that refills", withCode(i32(0), call(2)), "there is no function 2"},
		{"a call of the function that charges", withCode(i32(0), call(3)), "there is no function 3"},
		{"a call of the function with the largest index", withCode(i32(0), call(1<<32-1)),
			"there is no function 4294967295"},
		{"a tail call of an added function", withCode(i32(0), returnCall(2)), "there is no function 2"},
		{"a reference to an added function", withCode(refFunc(2), opDrop), "there is no function 2"},
		{"reading the fuel", withCode(globalGet(1), opDrop), "there is no global 1"},
		{"writing the fuel", withCode(i32(1<<30), globalSet(1)), "there is no global 1"},
		{"reading the added local", withCode(localGet(1), opDrop), "there is no local 1"},
		{"writing the added local", withCode(i32(0), localSet(1)), "there is no local 1"},
		{"writing the added local, and keeping the value", withCode(i32(0), localTee(1), opDrop),
			"there is no local 1"},
		{"an indirect call of an added type", withCode(i32(0), callIndirect(1, 0)), "there is no type 1"},
		{"an indirect tail call of an added type", withCode(i32(0), returnCallIndirect(2, 0)), "there is no type 2"},
		{"an added type in a function", withSections(3, []byte{1, 0}), "there is no type 0"},
		{"an added type in an import", withSections(2, code(1, str("host"), str("f"), kindFunction, 0)),
			"there is no type 0"},
		{"an added type in an imported tag", withSections(2, code(1, str("host"), str("t"), kindTag, 0, 0)),
			"there is no type 0"},
		{"an added type in a tag", withTypes(13, 1, 0, 1), "there is no type 1"},
		{"an added function in a start section", withSections(8, []byte{0}), "there is no function 0"},
		{"an added function in an export", withSections(7, code(1, str("f"), kindFunction, 0)),
			"there is no function 0"},
		{"the fuel in an export", withSections(7, code(1, str("g"), kindGlobal, 0)), "there is no global 0"},
		{"an added function in elements", withSections(9, code(1, 1, 0, indices(0))), "there is no function 0"},
		{"an added function in an element expression",
			withSections(9, code(1, 5, valueTypes['r'], 1, refFunc(0), opEnd)), "there is no function 0"},
		{"an added function in a global", withGlobal(refFunc(0)), "there is no function 0"},
		{"the fuel in a global", withGlobal(globalGet(1)), "there is no global 1"},
	}
	for _, kind := range []byte{0x02, 0x03, 0x04} {
		refusals = append(refusals, refusal{"an added block type in " + map[byte]string{2: "a block", 3: "a loop",
			4: "an if"}[kind],
			withCode(i32(0), kind, 1, opEnd), "there is no type 1"})
	}
	refusals = append(refusals, refusal{"an added block type in a try_table", withCode(tryTable(uint32(1), nil)),
		"there is no type 1"})
	testRefusals(t, false, refusals)
}

func TestTakenNamesAreRefused(t *testing.T) {
	var m builder
	m.importFunction("host", "log", "i:")
	m.importGlobal("env", "answer", code(valueTypes['i'], 0))
	m.exportGlobal("g0", "i", i32(1))
	m.exportFunction("f", ":", "")
	m.exportGlobal(metering.FuelExport, "i", i32(1))
	_, err := metering.Rewrite(m.bytes(), metering.Options{})
	require.ErrorContains(t, err, `the module already exports "toolrun_fuel"`)
	require.NotErrorIs(t, err, metering.ErrUnsupported)

	m = builder{}
	m.importFunction(metering.YieldModule, metering.YieldName, "i:i")
	_, err = metering.Rewrite(m.bytes(), metering.Options{})
	require.ErrorContains(t, err, `the module already imports "yield" from "toolrun"`)

	m = builder{}
	m.exportGlobal(metering.GlobalExport(0), "i", i32(1))
	_, err = metering.Rewrite(m.bytes(), metering.Options{})
	require.NoError(t, err)
	_, err = metering.Rewrite(m.bytes(), metering.Options{State: true})
	require.ErrorContains(t, err, `the module already exports "toolrun_global_0"`)
}

func TestAModuleIsNotMeteredTwice(t *testing.T) {
	var m builder
	m.exportFunction("f", ":", "", loop(nil))
	once, err := metering.Rewrite(m.bytes(), metering.Options{})
	require.NoError(t, err)
	_, err = metering.Rewrite(once, metering.Options{})
	require.Error(t, err)
}

// TestChangesOfOtherThingsThanMemoryAndGlobals has a function for each instruction that makes such changes.
func TestChangesOfOtherThingsThanMemoryAndGlobals(t *testing.T) {
	for name, instruction := range map[string][]byte{
		"table.set": {0x41, 0, 0xd0, 0x70, 0x26, 0}, "data.drop": {0xfc, 9, 0}, "elem.drop": {0xfc, 13, 0},
		"table.init": {0x41, 0, 0x41, 0, 0x41, 0, 0xfc, 12, 0, 0}, "table.copy": {0x41, 0, 0x41, 0, 0x41, 0, 0xfc,
			14, 0, 0},
		"table.grow": {0xd0, 0x70, 0x41, 0, 0xfc, 15, 0, 0x1a}, "table.fill": {0x41, 0, 0xd0, 0x70, 0x41, 0,
			0xfc, 17, 0},
	} {
		var m builder
		m.table(code(0x70, 0, 1))
		m.exportFunction("f", ":", "", instruction)
		_, err := metering.Rewrite(m.bytes(), metering.Options{})
		require.NoError(t, err, name)
		_, err = metering.Rewrite(m.bytes(), metering.Options{State: true})
		require.ErrorIs(t, err, metering.ErrUnsupported, name)
		require.ErrorContains(t, err, name)
	}
}

// modulesToDamage returns small modules that together contain all kinds of sections and instructions.
func modulesToDamage() (modules [][]byte) {
	for _, s := range allShapes() {
		if wasm := s.module(); len(wasm) < 2000 {
			modules = append(modules, wasm)
		}
	}
	return append(modules, everyInstruction())
}

func TestTruncatedModulesAreRefused(t *testing.T) {
	for _, wasm := range modulesToDamage() {
		whole := map[int]bool{len(header): true}
		for _, s := range sectionsOf(wasm) {
			whole[s.end] = true
		}
		for n := range wasm {
			_, err := metering.Rewrite(wasm[:n], metering.Options{})
			if !whole[n] {
				require.Error(t, err, "%d bytes", n)
			}
		}
	}
}

func TestDamagedModulesDoNotPanicAndArgumentsAreNotChanged(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	for _, wasm := range modulesToDamage() {
		damaged := slices.Clone(wasm)
		for n := range wasm {
			values := []byte{0, 1, 0x0b, 0x40, 0x7f, 0x80, 0xff, wasm[n] + 1, wasm[n] ^ 0x40}
			damaged[n] = values[n%len(values)]
			given := slices.Clip(slices.Clone(damaged))
			_, _ = metering.Rewrite(given, metering.Options{Functions: n%2 == 0})
			require.True(t, slices.Equal(damaged, given))
			damaged[n] = wasm[n]
		}
	}
}
