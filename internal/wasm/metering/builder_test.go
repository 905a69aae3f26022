package metering_test

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"

	"github.com/toolrun/toolrun/internal/wasm/wasmasm"
)

// builder assembles a WebAssembly module. Its methods return the index of what they add. Imports must be added before
// definitions of the same kind.
type builder struct {
	types, imports, functions, tables, memories, tags, globals, exports, elements, bodies, data [][]byte

	start     []byte
	dataCount bool
	custom    []byte // written between all sections

	importedFunctions, importedGlobals, importedTables, importedTags uint32
}

const (
	kindFunction = iota
	kindTable
	kindMemory
	kindGlobal
	kindTag
)

// Short names, for the tests are full of them.
var (
	code    = wasmasm.Code
	section = wasmasm.Section
	vec     = wasmasm.Sized
	str     = wasmasm.Name
	u32     = wasmasm.U32
	i32     = wasmasm.I32
)

// valueTypes maps the letters used for value types in signatures to their bytes.
var valueTypes = map[rune]byte{
	'i': 0x7f, 'I': 0x7e, 'f': 0x7d, 'F': 0x7c, 'v': 0x7b, 'r': 0x70, 'e': 0x6f, 'x': 0x69,
}

func valueTypesOf(letters string) []byte {
	var b []byte
	for _, letter := range letters {
		t, ok := valueTypes[letter]
		if !ok {
			panic("no such value type: " + string(letter))
		}
		b = append(b, t)
	}
	return b
}

// typ adds a function type, written like "ii:I" for (i32, i32) -> (i64), unless it exists already.
func (m *builder) typ(signature string) uint32 {
	params, results, _ := strings.Cut(signature, ":")
	entry := code(0x60, vec(valueTypesOf(params)), vec(valueTypesOf(results)))
	for i, t := range m.types {
		if string(t) == string(entry) {
			return uint32(i)
		}
	}
	return add(&m.types, entry)
}

func (m *builder) importFunction(module, name, signature string) uint32 {
	add(&m.imports, code(str(module), str(name), kindFunction, u32(m.typ(signature))))
	m.importedFunctions++
	return m.importedFunctions - 1
}

func (m *builder) importGlobal(module, name string, globalType []byte) uint32 {
	add(&m.imports, code(str(module), str(name), kindGlobal, globalType))
	m.importedGlobals++
	return m.importedGlobals - 1
}

func (m *builder) importTable(module, name string, tableType []byte) uint32 {
	add(&m.imports, code(str(module), str(name), kindTable, tableType))
	m.importedTables++
	return m.importedTables - 1
}

func (m *builder) importMemory(module, name string, limits []byte) {
	add(&m.imports, code(str(module), str(name), kindMemory, limits))
}

func (m *builder) importTag(module, name, signature string) uint32 {
	add(&m.imports, code(str(module), str(name), kindTag, 0, u32(m.typ(signature))))
	m.importedTags++
	return m.importedTags - 1
}

// function adds a function with locals of the types given by letters. It appends the final end to the body.
func (m *builder) function(signature, locals string, body ...any) uint32 {
	add(&m.functions, u32(m.typ(signature)))
	var groups [][]byte
	for _, t := range valueTypesOf(locals) {
		groups = append(groups, code(1, t))
	}
	return m.importedFunctions + m.body(entries(groups), body...)
}

// body adds the code of a function. The declarations of its locals are given in bytes.
func (m *builder) body(locals []byte, body ...any) uint32 {
	return add(&m.bodies, vec(code(locals, code(body...), opEnd)))
}

func (m *builder) exportFunction(name, signature, locals string, body ...any) uint32 {
	f := m.function(signature, locals, body...)
	m.export(name, kindFunction, f)
	return f
}

func (m *builder) export(name string, kind byte, index uint32) {
	add(&m.exports, code(str(name), kind, u32(index)))
}

func (m *builder) table(tableType []byte) uint32 {
	return m.importedTables + add(&m.tables, tableType)
}

// memory adds a memory and exports it as "memory".
func (m *builder) memory(limits []byte) {
	add(&m.memories, limits)
	m.export("memory", kindMemory, 0)
}

func (m *builder) tag(signature string) uint32 {
	return m.importedTags + add(&m.tags, code(0, u32(m.typ(signature))))
}

func (m *builder) global(globalType []byte, init ...any) uint32 {
	return m.importedGlobals + add(&m.globals, code(globalType, code(init...), opEnd))
}

// exportGlobal adds a mutable global and exports it.
func (m *builder) exportGlobal(name string, letter string, init ...any) uint32 {
	g := m.global(code(valueTypesOf(letter), 1), init...)
	m.export(name, kindGlobal, g)
	return g
}

func (m *builder) element(entry ...any) uint32 { return add(&m.elements, code(entry...)) }

func (m *builder) passiveData(content string) uint32 { return add(&m.data, code(1, str(content))) }

func (m *builder) activeData(offset int32, content string) uint32 {
	return add(&m.data, code(0, i32(offset), opEnd, str(content)))
}

func (m *builder) startWith(function uint32) { m.start = u32(function) }

func (m *builder) bytes() []byte {
	out := []byte("\x00asm\x01\x00\x00\x00")
	out = append(out, m.custom...)
	for _, s := range []struct {
		id      byte
		entries [][]byte
	}{
		{1, m.types}, {2, m.imports}, {3, m.functions}, {4, m.tables}, {5, m.memories}, {13, m.tags}, {6, m.globals},
		{7, m.exports}, {8, nil}, {9, m.elements}, {12, nil}, {10, m.bodies}, {11, m.data},
	} {
		content := entries(s.entries)
		switch {
		case s.id == 8 && m.start != nil:
			content = m.start
		case s.id == 12 && m.dataCount:
			content = u32(uint32(len(m.data)))
		case len(s.entries) == 0:
			continue
		}
		out = append(out, section(s.id, content)...)
		out = append(out, m.custom...)
	}
	return out
}

func add(list *[][]byte, entry []byte) uint32 {
	*list = append(*list, entry)
	return uint32(len(*list) - 1)
}

func entries(list [][]byte) []byte {
	b := u32(uint32(len(list)))
	for _, entry := range list {
		b = append(b, entry...)
	}
	return b
}

func indices(list ...uint32) []byte {
	var encoded [][]byte
	for _, index := range list {
		encoded = append(encoded, u32(index))
	}
	return entries(encoded)
}

func sleb(v int64) []byte {
	var b []byte
	for v < -0x40 || v >= 0x40 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v)&0x7f)
}

func i64(v int64) []byte { return code(opI64Const, sleb(v)) }
func f32(v float32) []byte {
	return binary.LittleEndian.AppendUint32([]byte{opF32Const}, math.Float32bits(v))
}
func f64(v float64) []byte {
	return binary.LittleEndian.AppendUint64([]byte{opF64Const}, math.Float64bits(v))
}
func v128(v byte) []byte { return code(prefixVector, 12, bytes.Repeat([]byte{v}, 16)) }

func limits(minimum uint32) []byte            { return code(0, u32(minimum)) }
func limitsTo(minimum, maximum uint32) []byte { return code(1, u32(minimum), u32(maximum)) }
func sharedLimits(minimum, maximum uint32) []byte {
	return code(3, u32(minimum), u32(maximum))
}
func funcTable(limits []byte) []byte { return code(valueTypes['r'], limits) }
