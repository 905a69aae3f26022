package metering

// bounds limit the code that runs between two checks of the fuel, in instructions of the original module.
type bounds struct {
	// small is the most that a small function executes between two checks, with all that it calls.
	small uint32
	// stretch is the most that a call of any other function executes between two checks, with the small functions that
	// it calls. The calls of others that it makes do not count, since they have checks of their own.
	stretch uint32
	// returning is the part of a stretch that can follow the return of a call that is not small. Then calls that are n
	// deep return with n such parts.
	returning uint32
}

var defaultBounds = bounds{small: 300, stretch: 4000, returning: 1000}

// findSmall finds the functions that need no check at their entry. A small function makes only direct calls, only of
// small functions of this module, and no tail calls. So it cannot recurse, and as its loops are metered, it executes
// each of its instructions at most once between two checks.
//
// The result has, for each defined function, the instructions that a call of it executes at most between two checks, or
// 0 for functions that are not small.
func (w *rewriter) findSmall(bodies [][]byte) []uint32 {
	small := make([]uint32, len(bodies))
	size := make([]uint32, len(bodies))
	unknown := make([]int, len(bodies)) // calls of functions whose size is not known yet
	callers := make([][]uint32, len(bodies))
	var ready []uint32
	for f, body := range bodies {
		calls, n, ok := w.smallCalls(body)
		if !ok {
			continue
		}
		size[f], unknown[f] = n, len(calls)
		for _, callee := range calls {
			callers[callee] = append(callers[callee], uint32(f))
		}
		if len(calls) == 0 {
			ready = append(ready, uint32(f))
		}
	}
	for len(ready) > 0 {
		f := ready[len(ready)-1]
		ready = ready[:len(ready)-1]
		if size[f] > w.bounds.small {
			continue // its callers never become ready
		}
		small[f] = size[f]
		for _, caller := range callers[f] {
			size[caller] = min(size[caller]+size[f], w.bounds.small+1)
			if unknown[caller]--; unknown[caller] == 0 {
				ready = append(ready, caller)
			}
		}
	}
	return small
}

// smallCalls returns the functions, counted without imports, that a function's body calls, one for each call, and the
// number of its instructions. ok is false if the function cannot be small. Malformed code is left to the rewriter.
func (w *rewriter) smallCalls(body []byte) (calls []uint32, size uint32, ok bool) {
	r := reader{data: body}
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		r.u32()
		skipValueType(&r)
	}
	for !r.done() {
		if size++; size > w.bounds.small {
			return nil, 0, false
		}
		switch op := r.byte(); op {
		case opCall:
			index := r.u32()
			if index < w.importFunctions || uint64(index-w.importFunctions) >= uint64(len(w.functions)) {
				return nil, 0, false
			}
			calls = append(calls, index-w.importFunctions)
		case opCallIndirect, opReturnCall, opReturnCallIndirect:
			return nil, 0, false
		case opTryTable:
			readTryTable(&r, func(clause) { size++ })
		default:
			skipImmediates(&r, op)
		}
	}
	return calls, size, r.err == nil
}
