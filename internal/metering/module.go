package metering

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// Section ids, in the order in which the sections must stand.
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

// Kinds of imports and exports.
const (
	kindFunction = 0
	kindTable    = 1
	kindMemory   = 2
	kindGlobal   = 3
	kindTag      = 4
)

const (
	typeI32  = 0x7f
	typeV128 = 0x7b
	typeForm = 0x60
)

// module is a parsed module: the raw contents of its sections, and the few numbers that rewriting needs.
type module struct {
	sections map[byte][]byte

	types     []functionType
	functions []uint32 // the types of the defined functions
	imports   [][2]string

	importFunctions, importGlobals, importMemories uint32 // how many are imported
	globals                                        uint32 // how many are defined
}

// functionType is what rewriting needs to know of a type: a loop or function is rewritten by how many parameters it has.
type functionType struct{ params uint32 }

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
	for _, step := range []struct {
		id   byte
		read func(*reader)
	}{
		{sectionType, m.readTypes},
		{sectionImport, m.readImports},
		{sectionFunction, m.readFunctions},
		{sectionTable, m.readTables},
		{sectionMemory, m.readMemories},
		{sectionTag, m.readTags},
		{sectionGlobal, func(r *reader) { m.globals = r.u32() }},
		{sectionDataCount, func(r *reader) { r.u32(); _ = r.end() }},
	} {
		if content, ok := m.sections[step.id]; ok {
			sr := &reader{data: content}
			if step.read(sr); sr.err != nil {
				return nil, fmt.Errorf("section %d: %w", step.id, sr.err)
			}
		}
	}
	return m, nil
}

func (m *module) readTypes(r *reader) {
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		if form := r.byte(); form != typeForm {
			r.fail(fmt.Errorf("%w: type of form %#x", ErrUnsupported, form))
			return
		}
		params := r.u32()
		skipValueTypes(r, params)
		skipValueTypes(r, r.u32())
		m.types = append(m.types, functionType{params})
	}
	r.end()
}

func (m *module) readFunctions(r *reader) {
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		m.functions = append(m.functions, m.typeIndex(r))
	}
	r.end()
}

func (m *module) readImports(r *reader) {
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		m.imports = append(m.imports, [2]string{r.name(), r.name()})
		switch kind := r.byte(); kind {
		case kindFunction:
			m.typeIndex(r)
			m.importFunctions++
		case kindTable:
			skipTable(r)
		case kindMemory:
			skipLimits(r)
			if m.importMemories++; m.importMemories > 1 {
				r.fail(fmt.Errorf("%w: several memories", ErrUnsupported))
			}
		case kindGlobal:
			skipValueType(r)
			r.byte()
			m.importGlobals++
		case kindTag:
			m.skipTag(r)
		default:
			r.fail(fmt.Errorf("%w: import kind %d", ErrUnsupported, kind))
		}
	}
	r.end()
}

func (m *module) typeIndex(r *reader) uint32 { return r.index(uint32(len(m.types)), "type") }

// readTables refuses 64-bit tables, and tables that start out filled with the value of an expression, which may refer to
// functions.
func (m *module) readTables(r *reader) {
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		skipTable(r)
	}
	r.end()
}

func skipTable(r *reader) {
	if t := r.byte(); r.err == nil && !isReference(t) {
		r.fail(fmt.Errorf("%w: table of type %#x", ErrUnsupported, t))
	}
	skipLimits(r)
}

func (m *module) readTags(r *reader) {
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		m.skipTag(r)
	}
	r.end()
}

func (m *module) skipTag(r *reader) {
	r.byte()
	m.typeIndex(r)
}

// readMemories refuses several memories and 64-bit ones, where the operand of a bulk operation is not an i32.
func (m *module) readMemories(r *reader) {
	n := r.u32()
	if uint64(m.importMemories)+uint64(n) > 1 {
		r.fail(fmt.Errorf("%w: several memories", ErrUnsupported))
	}
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

func skipValueTypes(r *reader, n uint32) {
	for ; n > 0 && r.err == nil; n-- {
		skipValueType(r)
	}
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

func isReference(t byte) bool { return t == 0x70 || t == 0x6f || t == 0x69 } // funcref, externref, exnref

// rewriter holds the indices that the metering code refers to. One function is imported, behind the imports that were
// there, so every defined function moves up by one; types, globals and the two helper functions come last and move
// nothing.
type rewriter struct {
	*module
	options Options

	fuel           uint32 // the global
	yield          uint32 // the imported function
	refill, charge uint32 // the helper functions
}

func (m *module) rewrite(options Options) ([]byte, error) {
	w := &rewriter{module: m, options: options}
	w.fuel = m.importGlobals + m.globals
	w.yield = m.importFunctions
	w.refill = m.importFunctions + 1 + uint32(len(m.functions))
	w.charge = w.refill + 1

	steps := []struct {
		id  byte
		fix func(*reader) ([]byte, error)
	}{
		{sectionType, w.rewriteTypes},
		{sectionImport, w.rewriteImports},
		{sectionFunction, w.rewriteFunctions},
		{sectionGlobal, w.rewriteGlobals},
		{sectionExport, w.rewriteExports},
		{sectionStart, w.rewriteStart},
		{sectionElement, w.rewriteElements},
		{sectionCode, w.rewriteCode},
	}
	sections := maps.Clone(m.sections)
	for _, step := range steps {
		content, ok := sections[step.id]
		if !ok {
			if step.id == sectionStart || step.id == sectionElement {
				continue
			}
			content = []byte{0} // an empty vector
		}
		out, err := step.fix(&reader{data: content})
		if err != nil {
			return nil, fmt.Errorf("section %d: %w", step.id, err)
		}
		sections[step.id] = out
	}

	out := slices.Clone(header)
	for _, id := range sectionOrder {
		if content, ok := sections[id]; ok {
			out = append(out, id)
			out = appendU32(out, uint32(len(content)))
			out = append(out, content...)
		}
	}
	return out, nil
}

// function reads the index of a function and maps it to its new one.
func (w *rewriter) function(r *reader) uint32 {
	index := r.index(w.importFunctions+uint32(len(w.functions)), "function")
	if index >= w.importFunctions {
		return index + 1
	}
	return index
}

// Indices of the types that are added, behind those of the module.
func (w *rewriter) typeI32ToI32() uint32  { return uint32(len(w.types)) }
func (w *rewriter) typeI32ToNone() uint32 { return w.typeI32ToI32() + 1 }

func (w *rewriter) rewriteTypes(r *reader) ([]byte, error) {
	out := appendU32(nil, r.u32()+2)
	out = append(out, r.data[r.pos:]...)
	out = append(out, typeForm, 1, typeI32, 1, typeI32)
	out = append(out, typeForm, 1, typeI32, 0)
	return out, r.err
}

func (w *rewriter) rewriteImports(r *reader) ([]byte, error) {
	if slices.Contains(w.imports, [2]string{w.options.YieldModule, w.options.YieldName}) {
		return nil, fmt.Errorf("the module already imports %q from %q", w.options.YieldName, w.options.YieldModule)
	}
	out := appendU32(nil, r.u32()+1)
	out = append(out, r.data[r.pos:]...)
	out = appendName(out, w.options.YieldModule)
	out = appendName(out, w.options.YieldName)
	out = append(out, kindFunction)
	return appendU32(out, w.typeI32ToI32()), r.err
}

func (w *rewriter) rewriteFunctions(r *reader) ([]byte, error) {
	out := appendU32(nil, r.u32()+2)
	out = append(out, r.data[r.pos:]...)
	out = appendU32(out, w.typeI32ToNone()) // refill
	return appendU32(out, w.typeI32ToI32()), r.err
}

func (w *rewriter) rewriteGlobals(r *reader) ([]byte, error) {
	n := r.u32()
	out := appendU32(nil, n+1)
	for ; n > 0 && r.err == nil; n-- {
		start := r.pos
		skipValueType(r)
		r.byte()
		out = append(out, r.data[start:r.pos]...)
		out = w.constant(r, out)
	}
	out = append(out, typeI32, 1, opI32Const, 0, opEnd)
	return out, r.end()
}

func (w *rewriter) rewriteExports(r *reader) ([]byte, error) {
	added := maps.Clone(w.options.ExportGlobals)
	if added == nil {
		added = map[string]uint32{}
	}
	if _, taken := added[w.options.FuelExport]; taken {
		return nil, fmt.Errorf("the name %q is exported twice", w.options.FuelExport)
	}
	for name, index := range added {
		if index >= w.fuel {
			return nil, fmt.Errorf("there is no global %d to export as %q", index, name)
		}
	}
	added[w.options.FuelExport] = w.fuel

	n := r.u32()
	out := appendU32(nil, n+uint32(len(added)))
	for ; n > 0 && r.err == nil; n-- {
		name := r.name()
		kind := r.byte()
		if _, taken := added[name]; taken {
			return nil, fmt.Errorf("the module already exports %q", name)
		}
		var index uint32
		switch kind {
		case kindFunction:
			index = w.function(r)
		case kindGlobal:
			index = r.index(w.fuel, "global")
		default:
			index = r.u32()
		}
		out = appendName(out, name)
		out = appendU32(append(out, kind), index)
	}
	for _, name := range slices.Sorted(maps.Keys(added)) {
		out = appendName(out, name)
		out = appendU32(append(out, kindGlobal), added[name])
	}
	return out, r.end()
}

func (w *rewriter) rewriteStart(r *reader) ([]byte, error) {
	out := appendU32(nil, w.function(r))
	return out, r.end()
}

// rewriteElements shifts the function indices in element segments, of which there are eight forms.
// See https://webassembly.github.io/spec/core/binary/modules.html#element-section
func (w *rewriter) rewriteElements(r *reader) ([]byte, error) {
	n := r.u32()
	out := appendU32(nil, n)
	for ; n > 0 && r.err == nil; n-- {
		form := r.u32()
		if form > 7 {
			return nil, fmt.Errorf("%w: element segment of form %d", ErrUnsupported, form)
		}
		out = appendU32(out, form)
		passive, explicit, expressions := form&1 != 0, form&2 != 0, form&4 != 0
		if !passive {
			if explicit {
				out = appendU32(out, r.u32()) // table
			}
			out = w.constant(r, out) // offset
		}
		if passive || explicit {
			kind := r.byte() // an element kind, or the type of the expressions
			if expressions && kind != 0x70 && kind != 0x6f || !expressions && kind != 0 {
				return nil, fmt.Errorf("%w: elements of type %#x", ErrUnsupported, kind)
			}
			out = append(out, kind)
		}
		items := r.u32()
		out = appendU32(out, items)
		for ; items > 0 && r.err == nil; items-- {
			if expressions {
				out = w.constant(r, out)
			} else {
				out = appendU32(out, w.function(r))
			}
		}
	}
	return out, r.end()
}
