package metering

import (
	"fmt"
	"maps"
	"slices"
)

// rewriter holds the indices that the metering code refers to. It adds one imported function after the existing
// imports, which increments the indices of all defined functions. Types, globals and the helper functions are added at
// the end and move nothing.
type rewriter struct {
	*module
	options Options
	bounds  bounds

	fuel           uint32 // the global
	yield          uint32 // the imported function
	refill, charge uint32 // the helper functions
	fill, copy     uint32 // the helper functions that need a memory

	bodies       [][]byte // the code of functions, with replacements
	small        []uint32 // see findSmall
	largestSmall uint32

	exceptions
}

func (m *module) rewrite(options Options, bounds bounds) ([]byte, error) {
	w := &rewriter{module: m, options: options, bounds: bounds}
	w.fuel = m.importGlobals + m.globals
	w.yield = m.importFunctions
	w.refill = m.importFunctions + 1 + uint32(len(m.functions))
	w.charge = w.refill + 1
	w.fill = w.charge + 1
	w.copy = w.fill + 1
	if w.raise = w.fill; m.memories > 0 {
		w.raise = w.copy + 1
	}
	w.capture = w.raise + 1
	if err := w.readTags(); err != nil {
		return nil, err
	}

	steps := []struct {
		id  byte
		fix func(*reader) ([]byte, error)
	}{
		{sectionImport, w.rewriteImports},
		{sectionGlobal, w.rewriteGlobals},
		{sectionElement, w.rewriteElements},
		{sectionCode, w.readCode},
		{sectionExport, w.rewriteExports},
		{sectionStart, w.rewriteStart},
		{sectionElement, w.declareWrapped},
		{sectionFunction, w.rewriteFunctions},
		{sectionCode, w.rewriteCode},
		{sectionType, w.rewriteTypes},
		{sectionData, w.joinData},
	}
	sections := maps.Clone(m.sections)
	delete(sections, sectionTag)
	for _, step := range steps {
		content, ok := sections[step.id]
		if step.id == sectionStart && w.options.State {
			delete(sections, sectionStart)
			continue
		}
		if !ok {
			if step.id == sectionStart || step.id == sectionData || step.id == sectionElement && len(w.wrappers) == 0 {
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

	return encode(sections), nil
}

// function reads the index of a function and maps it to its new one.
func (w *rewriter) function(r *reader) uint32 {
	index := r.index(w.importFunctions+uint32(len(w.functions)), "function")
	if index >= w.importFunctions {
		return index + 1
	}
	return index
}

// Indices of the added types, which follow those of the module.
func (w *rewriter) typeI32ToI32() uint32  { return uint32(len(w.types)) }
func (w *rewriter) typeI32ToNone() uint32 { return w.typeI32ToI32() + 1 }
func (w *rewriter) typeBulk() uint32      { return w.typeI32ToI32() + 2 }
func (w *rewriter) typeRaise() uint32     { return w.typeI32ToI32() + 3 }
func (w *rewriter) typeCapture() uint32   { return w.typeI32ToI32() + 4 }
func (w *rewriter) typeLandings() uint32  { return w.typeI32ToI32() + 5 }

func (w *rewriter) rewriteTypes(r *reader) ([]byte, error) {
	types := slices.Clone(w.types)
	types = append(types, functionType{[]byte{typeI32}, []byte{typeI32}}, functionType{params: []byte{typeI32}},
		functionType{params: []byte{typeI32, typeI32, typeI32}})
	if len(w.tagTypes) > 0 || len(w.landings) > 0 {
		reference := []byte{w.reference()}
		types = append(types, functionType{params: reference}, functionType{results: reference})
	}
	for _, index := range w.landings {
		types = append(types, functionType{params: w.types[index].params})
	}
	out := appendU32(nil, uint32(len(types)))
	for _, t := range types {
		out = append(out, typeForm)
		for _, kinds := range [][]byte{t.params, t.results} {
			out = append(appendU32(out, uint32(len(kinds))), w.loweredTypes(r, kinds)...)
		}
	}
	return out, r.err
}

func (w *rewriter) rewriteImports(r *reader) ([]byte, error) {
	if slices.Contains(w.imports, [2]string{YieldModule, YieldName}) {
		return nil, fmt.Errorf("the module already imports %q from %q", YieldName, YieldModule)
	}
	out := appendU32(nil, r.u32()+1)
	out = append(out, r.data[r.pos:]...)
	out = appendName(out, YieldModule)
	out = appendName(out, YieldName)
	out = append(out, byte(Function))
	return appendU32(out, w.typeI32ToI32()), r.err
}

func (w *rewriter) rewriteFunctions(r *reader) ([]byte, error) {
	helpers := w.helpers()
	out := appendU32(nil, r.u32()+uint32(len(helpers)))
	out = append(out, r.data[r.pos:]...)
	for _, helper := range helpers {
		out = appendU32(out, helper.kind)
	}
	return out, r.err
}

func (w *rewriter) rewriteGlobals(r *reader) ([]byte, error) {
	n := r.u32()
	added := w.exceptionGlobals()
	out := appendU32(nil, n+1+uint32(len(added)))
	for ; n > 0 && r.err == nil; n-- {
		start := r.pos
		skipValueType(r)
		r.byte()
		if r.err == nil {
			out = append(out, w.lowered(r, r.data[start]), r.data[start+1])
		}
		out = w.constant(r, out)
	}
	out = append(out, typeI32, 1, opI32Const, 0, opEnd)
	for _, kind := range added {
		out = append(w.appendZero(append(out, kind, 1), kind), opEnd)
	}
	return out, r.end()
}

func (w *rewriter) rewriteExports(r *reader) ([]byte, error) {
	added := map[string]uint32{FuelExport: w.fuel}
	if w.options.State {
		for index := range w.fuel {
			added[GlobalExport(int(index))] = index
		}
		for n := range w.exceptionGlobals() {
			added[GlobalExport(int(w.fuel)+n)] = w.uncaught + uint32(n)
		}
	}
	if len(w.tagTypes) > 0 {
		added[ExceptionExport] = w.uncaught
	}
	start, starts := w.sections[sectionStart]
	starts = starts && w.options.State
	n := r.u32()
	size := n + uint32(len(added))
	if starts {
		size++
	}
	var out []byte
	for ; n > 0 && r.err == nil; n-- {
		name := r.name()
		kind := Kind(r.byte())
		if _, taken := added[name]; taken || starts && name == StartExport {
			return nil, fmt.Errorf("the module already exports %q", name)
		}
		var index uint32
		switch kind {
		case Function:
			index = w.entry(r)
		case Tag: // nothing outside can throw or catch
			r.index(uint32(len(w.tagTypes)), "tag")
			size--
			continue
		case Global:
			index = r.index(w.fuel, "global")
		default:
			index = r.u32()
		}
		out = appendName(out, name)
		out = appendU32(append(out, byte(kind)), index)
	}
	for _, name := range slices.Sorted(maps.Keys(added)) {
		out = appendName(out, name)
		out = appendU32(append(out, byte(Global)), added[name])
	}
	if starts {
		function, err := w.rewriteStart(&reader{data: start})
		if err != nil {
			return nil, fmt.Errorf("section %d: %w", sectionStart, err)
		}
		out = append(append(appendName(out, StartExport), byte(Function)), function...)
	}
	return append(appendU32(nil, size), out...), r.end()
}

func (w *rewriter) rewriteStart(r *reader) ([]byte, error) {
	out := appendU32(nil, w.entry(r))
	return out, r.end()
}

// rewriteElements shifts the function indices in element segments, which have eight forms. See
// https://webassembly.github.io/spec/core/binary/modules.html#element-section
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
				function := *r
				out = appendU32(out, w.function(r))
				w.taken = append(w.taken, function.u32())
			}
		}
	}
	return out, r.end()
}

// declareWrapped adds a segment that declares the functions that have wrappers. The code may take them as values
// because they were exported. See https://webassembly.github.io/spec/core/valid/modules.html#valid-module
func (w *rewriter) declareWrapped(r *reader) ([]byte, error) {
	if len(w.wrappers) == 0 {
		return r.data, nil
	}
	out := appendU32(nil, r.u32()+1)
	out = append(out, r.data[r.pos:]...)
	out = append(out, 3, 0) // functions, neither active nor passive
	out = appendU32(out, uint32(len(w.wrappers)))
	for _, function := range w.wrappers {
		out = appendU32(out, function)
	}
	return out, r.err
}
