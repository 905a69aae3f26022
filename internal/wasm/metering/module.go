package metering

import (
	"errors"
	"fmt"
	"slices"
)

// Section ids, in the required order of the sections.
const (
	sectionCustom    = 0
	sectionType      = 1
	sectionImport    = 2
	sectionFunction  = 3
	sectionTable     = 4
	sectionMemory    = 5
	sectionTag       = 13
	sectionGlobal    = 6
	sectionExport    = 7
	sectionStart     = 8
	sectionElement   = 9
	sectionDataCount = 12
	sectionCode      = 10
	sectionData      = 11
)

var sectionOrder = []byte{
	sectionType, sectionImport, sectionFunction, sectionTable, sectionMemory, sectionTag, sectionGlobal,
	sectionExport, sectionStart, sectionElement, sectionDataCount, sectionCode, sectionData,
}

const (
	typeI32    = 0x7f
	typeI64    = 0x7e
	typeF32    = 0x7d
	typeF64    = 0x7c
	typeV128   = 0x7b
	typeExnref = 0x69
	typeForm   = 0x60
)

// module is a parsed module: the raw contents of its sections, and the numbers that rewriting needs.
type module struct {
	sections map[byte][]byte

	types     []functionType
	functions []uint32 // the types of the defined functions
	imports   [][2]string

	tagTypes []uint32 // the types of the defined tags

	importFunctions, importGlobals, importTags uint32 // the numbers of imports

	globals  uint32 // the number of defined globals
	memories uint32 // the number of memories, at most one
}

// functionType is the type of a function or block: the value types of what it takes and gives.
type functionType struct{ params, results []byte }

var header = []byte{0, 'a', 's', 'm', 1, 0, 0, 0}

// parse splits a module into sections and counts what it defines and imports.
func parse(data []byte) (*module, error) {
	r := &reader{data: data}
	if h := r.take(uint32(len(header))); r.err != nil || string(h) != string(header) {
		return nil, errors.New("not a WebAssembly module of version 1")
	}
	m := &module{sections: map[byte][]byte{}}
	last := -1
	for !r.done() {
		id := r.byte()
		content := r.take(r.u32())
		if id == sectionCustom || r.err != nil {
			continue
		}
		order := slices.Index(sectionOrder, id)
		if order < 0 {
			return nil, fmt.Errorf("%w: section %d", ErrUnsupported, id)
		}
		if order <= last {
			return nil, fmt.Errorf("section %d is repeated or out of order", id)
		}
		last = order
		m.sections[id] = content
	}
	if r.err != nil {
		return nil, r.err
	}
	return m, m.read([]sectionReader{
		{sectionType, func(r *reader) { r.each(func() { m.readType(r) }) }},
		{sectionImport, m.readImports},
		{sectionFunction, func(r *reader) { r.each(func() { m.functions = append(m.functions, m.typeIndex(r)) }) }},
		{sectionTable, func(r *reader) { r.each(func() { skipTable(r) }) }},
		{sectionMemory, m.readMemories},
		{sectionTag, func(r *reader) { r.each(func() { m.tagTypes = append(m.tagTypes, m.tag(r)) }) }},
		{sectionGlobal, func(r *reader) { m.globals = r.u32() }},
		{sectionDataCount, func(r *reader) { r.u32(); _ = r.end() }},
	})
}

// A sectionReader reads the section with an id.
type sectionReader struct {
	id   byte
	read func(*reader)
}

// read reads those sections that are there.
func (m *module) read(sections []sectionReader) error {
	for _, section := range sections {
		if content, ok := m.sections[section.id]; ok {
			r := &reader{data: content}
			if section.read(r); r.err != nil {
				return fmt.Errorf("section %d: %w", section.id, r.err)
			}
		}
	}
	return nil
}

// maxTypes limits the types of a module, because each takes many times the memory of its three bytes. Compilers make
// some hundreds.
const maxTypes = 100_000

func (m *module) readType(r *reader) {
	if len(m.types) == maxTypes {
		r.fail(fmt.Errorf("more than %d types", maxTypes))
		return
	}
	if form := r.byte(); form != typeForm {
		r.fail(fmt.Errorf("%w: type of form %#x", ErrUnsupported, form))
		return
	}
	m.types = append(m.types, functionType{readValueTypes(r), readValueTypes(r)})
}

func (m *module) readImports(r *reader) {
	r.each(func() {
		m.imports = append(m.imports, [2]string{r.name(), r.name()})
		switch kind := Kind(r.byte()); kind {
		case Function:
			m.typeIndex(r)
			m.importFunctions++
		case Table:
			skipTable(r)
		case Memory:
			skipLimits(r)
			if m.memories++; m.memories > 1 {
				r.fail(fmt.Errorf("%w: several memories", ErrUnsupported))
			}
		case Global:
			if t := r.byte(); t == typeExnref {
				r.fail(fmt.Errorf("%w: an imported global of the type exnref", ErrUnsupported))
			} else if r.pos--; r.err == nil {
				skipValueType(r)
			}
			r.byte()
			m.importGlobals++
		case Tag:
			m.tag(r)
			m.importTags++
		default:
			r.fail(fmt.Errorf("%w: import kind %d", ErrUnsupported, byte(kind)))
		}
	})
}

func (m *module) typeIndex(r *reader) uint32 { return r.index(uint32(len(m.types)), "type") }

// skipTable refuses 64-bit tables, and tables whose initial elements are given by an expression, which may refer to
// functions.
func skipTable(r *reader) {
	if t := r.byte(); r.err == nil && (!isReference(t) || t == typeExnref) {
		r.fail(fmt.Errorf("%w: table of type %#x", ErrUnsupported, t))
	}
	skipLimits(r)
}

// tag reads a tag and returns the index of its type.
func (m *module) tag(r *reader) uint32 {
	if attribute := r.byte(); attribute != 0 {
		r.fail(fmt.Errorf("%w: tag with the attribute %d", ErrUnsupported, attribute))
	}
	return m.typeIndex(r)
}

// readMemories refuses several memories, and 64-bit ones, in which the operands of bulk operations are not i32.
func (m *module) readMemories(r *reader) {
	n := r.u32()
	if uint64(m.memories)+uint64(n) > 1 {
		r.fail(fmt.Errorf("%w: several memories", ErrUnsupported))
	}
	m.memories += n
	for ; n > 0 && r.err == nil; n-- {
		skipLimits(r)
	}
	r.end()
}

func skipLimits(r *reader) {
	flags := r.byte()
	if flags > 3 { // 1: has a maximum, 2: shared, 4: 64-bit
		r.fail(fmt.Errorf("%w: limits with flags %#x", ErrUnsupported, flags))
		return
	}
	r.u32()
	if flags&1 != 0 {
		r.u32()
	}
}

func readValueTypes(r *reader) []byte {
	n := r.u32()
	start := r.pos
	for ; n > 0 && r.err == nil; n-- {
		skipValueType(r)
	}
	return r.data[start:r.pos]
}

func skipValueType(r *reader) {
	switch t := r.byte(); {
	case r.err != nil:
	case t >= typeV128 && t <= typeI32: // v128 and the four numbers
	case isReference(t):
	default:
		r.fail(fmt.Errorf("%w: value type %#x", ErrUnsupported, t))
	}
}

func isReference(t byte) bool { return t == 0x70 || t == 0x6f || t == typeExnref } // funcref, externref, exnref
