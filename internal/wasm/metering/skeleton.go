package metering

import (
	"errors"
	"fmt"
	"slices"
)

// Skeleton returns a module that differs from another one in two points only: every function traps at once, and active
// data segments, which are part of an image of the memory, are empty. Its imports, types, functions, tables, globals
// and exports have the same indices, so machine code of the one runs in an instance of the other. A skeleton is much
// faster to read and to validate.
func Skeleton(module []byte) ([]byte, error) {
	m, err := parse(module)
	if err != nil {
		return nil, fmt.Errorf("metering: %w", err)
	}
	for _, step := range []struct {
		id   byte
		make func(*reader) ([]byte, error)
	}{
		{sectionCode, m.trappingCode},
		{sectionData, m.emptyData},
	} {
		if content, ok := m.sections[step.id]; ok {
			if m.sections[step.id], err = step.make(&reader{data: content}); err != nil {
				return nil, fmt.Errorf("metering: section %d: %w", step.id, err)
			}
		}
	}
	if _, counted := m.sections[sectionDataCount]; !counted { // no code can refer to data segments
		delete(m.sections, sectionData)
	}
	return encode(m.sections), nil
}

// encode returns the module of the sections.
func encode(sections map[byte][]byte) []byte {
	out := slices.Clone(header)
	for _, id := range sectionOrder {
		if content, ok := sections[id]; ok {
			out = append(out, id)
			out = appendU32(out, uint32(len(content)))
			out = append(out, content...)
		}
	}
	return out
}

// trappingCode returns as many functions as there are, without locals.
func (m *module) trappingCode(r *reader) ([]byte, error) {
	n := r.u32()
	if r.err == nil && int(n) != len(m.functions) {
		return nil, errors.New("there are not as many bodies as functions")
	}
	out := appendU32(nil, n)
	for ; n > 0 && r.err == nil; n-- {
		r.take(r.u32())
		out = append(out, 3, 0, opUnreachable, opEnd)
	}
	return out, r.end()
}

// emptyData leaves passive segments as they are, since code may use them at any time.
func (m *module) emptyData(r *reader) ([]byte, error) {
	constants := &rewriter{module: m, fuel: m.importGlobals + m.globals}
	n := r.u32()
	out := appendU32(nil, n)
	for ; n > 0 && r.err == nil; n-- {
		form := r.u32()
		out = appendU32(out, form)
		switch form {
		case 1:
			content := r.take(r.u32())
			out = append(appendU32(out, uint32(len(content))), content...)
			continue
		case 2:
			out = appendU32(out, r.u32()) // the memory
		case 0:
		default:
			return nil, fmt.Errorf("%w: data segment of form %d", ErrUnsupported, form)
		}
		offset := r.pos
		constants.constant(r, nil)
		out = append(out, r.data[offset:r.pos]...)
		out = append(out, 0)
		r.take(r.u32())
	}
	return out, r.end()
}
