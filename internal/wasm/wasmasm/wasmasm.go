// Package wasmasm assembles small WebAssembly modules by hand, for tests of what a hostile module can do.
package wasmasm

import (
	"encoding/binary"
	"strings"
)

// A Module is a module that is being assembled. Imports come before functions.
type Module struct {
	types, imports, functions, tables, memories, tags, globals, exports, elements, bodies, data [][]byte

	start    []byte
	imported uint32
	// Custom is written as it is behind every section.
	Custom []byte
}

// letters are the letters of value types in signatures.
var letters = map[rune]byte{'i': 0x7f, 'I': 0x7e, 'f': 0x7d, 'F': 0x7c, 'v': 0x7b, 'r': 0x70, 'e': 0x6f, 'x': 0x69}

func valueTypes(text string) []byte {
	var b []byte
	for _, letter := range text {
		b = append(b, letters[letter])
	}
	return b
}

// Type adds a function type, written like "iI:i" for (i32, i64) -> (i32), unless it is there, and returns its index.
func (m *Module) Type(signature string) uint32 {
	params, results, _ := strings.Cut(signature, ":")
	entry := Code(0x60, Sized(valueTypes(params)), Sized(valueTypes(results)))
	for i, t := range m.types {
		if string(t) == string(entry) {
			return uint32(i)
		}
	}
	return add(&m.types, entry)
}

// RepeatType adds the last type n times.
func (m *Module) RepeatType(n int) {
	for range n {
		add(&m.types, m.types[len(m.types)-1])
	}
}

// Import imports a function and returns its index.
func (m *Module) Import(module, name, signature string) uint32 {
	m.ImportRaw(module, name, 0, U32(m.Type(signature)))
	m.imported++
	return m.imported - 1
}

// ImportRaw imports something of any kind, which is described in bytes.
func (m *Module) ImportRaw(module, name string, kind byte, description []byte) {
	add(&m.imports, Code(Name(module), Name(name), kind, description))
}

// Func adds a function with locals, such as "iiF", and returns its index. The last end is added to the body.
func (m *Module) Func(signature, locals string, body ...any) uint32 {
	var groups []byte
	for _, t := range valueTypes(locals) {
		groups = append(groups, 1, t)
	}
	return m.FuncRaw(signature, Code(U32(uint32(len(locals))), groups, Code(body...), End))
}

// FuncRaw adds a function whose body is given in bytes, declarations of locals and the last end included.
func (m *Module) FuncRaw(signature string, body []byte) uint32 {
	add(&m.functions, U32(m.Type(signature)))
	return m.imported + add(&m.bodies, Sized(body))
}

// Repeat adds the last function n times.
func (m *Module) Repeat(n int) {
	for range n {
		add(&m.functions, m.functions[len(m.functions)-1])
		add(&m.bodies, m.bodies[len(m.bodies)-1])
	}
}

// Export exports a function.
func (m *Module) Export(name string, function uint32) {
	add(&m.exports, Code(Name(name), 0, U32(function)))
}

// Memory adds a memory of some pages, and exports it as "memory".
func (m *Module) Memory(pages uint32) { m.MemoryRaw(Code(0, U32(pages))) }

// MemoryRaw is Memory with limits in bytes.
func (m *Module) MemoryRaw(limits []byte) {
	add(&m.memories, limits)
	add(&m.exports, Code(Name("memory"), 2, 0))
}

// Table adds a table of functions.
func (m *Module) Table(limits []byte) uint32 { return add(&m.tables, Code(0x70, limits)) }

// Elements fills a table from its beginning.
func (m *Module) Elements(functions ...uint32) {
	entry := Code(0, I32(0), End, U32(uint32(len(functions))))
	for _, f := range functions {
		entry = append(entry, U32(f)...)
	}
	add(&m.elements, entry)
}

// Global adds a mutable i32.
func (m *Module) Global(value int32) uint32 { return add(&m.globals, Code(0x7f, 1, I32(value), End)) }

// Tag adds a tag, for exceptions that carry the parameters of the signature.
func (m *Module) Tag(signature string) uint32 { return add(&m.tags, Code(0, U32(m.Type(signature)))) }

// Data adds bytes that are in memory from the start.
func (m *Module) Data(at int32, content string) { add(&m.data, Code(0, I32(at), End, Name(content))) }

// Start makes a function the start function.
func (m *Module) Start(function uint32) { m.start = U32(function) }

// Header is how every module begins.
const Header = "\x00asm\x01\x00\x00\x00"

// Bytes returns the module.
func (m *Module) Bytes() []byte {
	out := append([]byte(Header), m.Custom...)
	for _, s := range []struct {
		id      byte
		entries [][]byte
	}{
		{1, m.types}, {2, m.imports}, {3, m.functions}, {4, m.tables}, {5, m.memories}, {13, m.tags}, {6, m.globals},
		{7, m.exports}, {8, nil}, {9, m.elements}, {10, m.bodies}, {11, m.data},
	} {
		content := entries(s.entries)
		if s.id == 8 {
			content = m.start
		} else if len(s.entries) == 0 {
			continue
		}
		if content != nil {
			out = append(out, Section(s.id, content)...)
			out = append(out, m.Custom...)
		}
	}
	return out
}

// Section returns a section.
func Section(id byte, content []byte) []byte { return Code(id, Sized(content)) }

func add(list *[][]byte, entry []byte) uint32 {
	*list = append(*list, entry)
	return uint32(len(*list) - 1)
}

func entries(list [][]byte) []byte {
	b := U32(uint32(len(list)))
	for _, entry := range list {
		b = append(b, entry...)
	}
	return b
}

// Code concatenates bytes, given as numbers or slices.
func Code(parts ...any) []byte {
	var b []byte
	for _, part := range parts {
		switch p := part.(type) {
		case []byte:
			b = append(b, p...)
		case byte:
			b = append(b, p)
		case int:
			if p < 0 || p > 0xff {
				panic("not a byte")
			}
			b = append(b, byte(p))
		default:
			panic("neither a byte nor bytes")
		}
	}
	return b
}

// Sized puts the length of b before it.
func Sized(b []byte) []byte { return Code(U32(uint32(len(b))), b) }

// Name returns a string as the binary format has it.
func Name(s string) []byte { return Sized([]byte(s)) }

// U32 encodes an unsigned number.
func U32(v uint32) []byte { return binary.AppendUvarint(nil, uint64(v)) }

// I32 returns the instruction i32.const.
func I32(v int32) []byte {
	b := []byte{0x41}
	for v < -0x40 || v >= 0x40 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v)&0x7f)
}

// Instructions without operands, and the type of blocks that take and give nothing.
const (
	Unreachable byte = 0x00
	End         byte = 0x0b
	Drop        byte = 0x1a
	Add         byte = 0x6a
	Empty       byte = 0x40

	Block      byte = 0x02 // a block type follows
	Loop       byte = 0x03 // a block type follows
	If         byte = 0x04 // a block type follows
	Br         byte = 0x0c // a depth follows
	BrIf       byte = 0x0d // a depth follows
	Throw      byte = 0x08 // a tag follows
	ThrowRef   byte = 0x0a
	TryTable   byte = 0x1f // a block type and catch clauses follow
	LocalGet   byte = 0x20 // an index follows
	LocalSet   byte = 0x21 // an index follows
	MemoryGrow byte = 0x40 // a 0 follows
)

// Call returns a call.
func Call(function uint32) []byte { return Code(0x10, U32(function)) }

// Load returns the instruction i32.load, for the address on the stack.
func Load() []byte { return []byte{0x28, 2, 0} }

// Store returns the instruction i32.store, for the address and the value on the stack.
func Store() []byte { return []byte{0x36, 2, 0} }

// Forever returns an endless loop.
func Forever(body ...any) []byte { return Code(Loop, Empty, Code(body...), Br, 0, End) }
