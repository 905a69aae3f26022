package metering

import (
	"cmp"
	"slices"
)

// segment is a part of the memory that an instance begins with.
type segment struct {
	at   uint32
	data []byte
}

// nearby is how many zeros may be between segments that are joined. A segment costs an instance as much.
const nearby = 32

// joinData joins segments that are close to each other: Go makes one of every few bytes that are not zero, up to
// 100,000, and the runtime keeps a record of each one for every instance. The memory that they give is the same. They
// stay as they are if there are others than those of plain numbers, if they overlap, or if the memory is imported, so
// that it may not be zero, or the code may name them.
func (w *rewriter) joinData(r *reader) ([]byte, error) {
	memory := w.sections[sectionMemory]
	if _, named := w.sections[sectionDataCount]; named || len(memory) == 0 || memory[0] == 0 {
		return r.data, nil
	}
	var segments []segment
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		if r.byte() != 0 || r.byte() != opI32Const {
			return r.data, nil
		}
		at := r.i32()
		if r.byte() != opEnd {
			return r.data, nil
		}
		segments = append(segments, segment{uint32(at), r.take(r.u32())})
	}
	if r.end() != nil {
		return r.data, nil // the module is invalid, and stays so
	}
	slices.SortStableFunc(segments, func(a, b segment) int { return cmp.Compare(a.at, b.at) })
	var joined []segment
	end := uint64(0)
	for _, s := range segments {
		last := len(joined) - 1
		switch at := uint64(s.at); {
		case at < end:
			return r.data, nil
		case last >= 0 && at-end <= nearby:
			joined[last].data = append(append(joined[last].data, make([]byte, at-end)...), s.data...)
		default:
			joined = append(joined, segment{s.at, slices.Clone(s.data)})
		}
		end = uint64(s.at) + uint64(len(s.data))
	}
	out := appendU32(nil, uint32(len(joined)))
	for _, s := range joined {
		out = append(appendI32(append(out, 0, opI32Const), int32(s.at)), opEnd)
		out = append(appendU32(out, uint32(len(s.data))), s.data...)
	}
	return out, nil
}
