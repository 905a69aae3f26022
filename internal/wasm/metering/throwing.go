package metering

import (
	"fmt"
	"slices"
)

// findThrowing finds the functions that can return with a pending exception: those that throw, or call one of these,
// where no try_table catches everything.
func (w *rewriter) findThrowing() {
	if len(w.tagTypes) == 0 {
		return
	}
	kinds := w.equalTypes()
	n := uint32(len(w.functions))
	w.throws = make([]bool, n)
	indirect := make([]bool, len(w.types))
	callers := make([][]uint32, int(n)+len(w.types)) // of functions, and of types
	var thrown []uint32
	throw := func(f uint32) {
		if !w.throws[f] {
			w.throws[f] = true
			thrown = append(thrown, f)
		}
	}
	for f, body := range w.bodies {
		w.throwingCode(body, func() { throw(uint32(f)) }, func(callee uint32, byType bool) {
			switch {
			case byType && int(callee) < len(kinds):
				callee = n + kinds[callee]
			case !byType && callee >= w.importFunctions && callee-w.importFunctions < n:
				callee -= w.importFunctions
			default:
				return
			}
			if list := callers[callee]; len(list) == 0 || list[len(list)-1] != uint32(f) {
				callers[callee] = append(list, uint32(f))
			}
		})
	}
	taken := make([]bool, n)
	for _, function := range w.taken {
		if function >= w.importFunctions && function-w.importFunctions < n {
			taken[function-w.importFunctions] = true
		}
	}
	for len(thrown) > 0 {
		f := thrown[len(thrown)-1]
		thrown = thrown[:len(thrown)-1]
		for _, caller := range callers[f] {
			throw(caller)
		}
		if kind := kinds[w.functions[f]]; taken[f] && !indirect[kind] {
			indirect[kind] = true
			for _, caller := range callers[n+kind] {
				throw(caller)
			}
		}
	}
	w.throwing = map[uint32]bool{}
	for index, kind := range kinds {
		if indirect[kind] {
			w.throwing[uint32(index)] = true
		}
	}
}

// equalTypes returns, for each type, the first one that is the same once exnref is replaced: indirect calls compare
// types by what they are.
func (w *rewriter) equalTypes() []uint32 {
	first := map[string]uint32{}
	kinds := make([]uint32, len(w.types))
	replaced := func(kinds []byte) []byte {
		kinds = slices.Clone(kinds)
		for i, kind := range kinds {
			if kind == typeExnref {
				kinds[i] = w.reference()
			}
		}
		return kinds
	}
	for i, t := range w.types {
		key := string(replaced(t.params)) + ":" + string(replaced(t.results))
		kind, ok := first[key]
		if !ok {
			kind = uint32(i)
			first[key] = kind
		}
		kinds[i] = kind
	}
	return kinds
}

// throwingCode reads a function's body. It calls throw for what throws in it, and call for each call, where an
// exception leaves the function. It also notes functions that are taken as values. Malformed code is left to the
// rewriter.
func (w *rewriter) throwingCode(body []byte, throw func(), call func(callee uint32, byType bool)) {
	r := &reader{data: body}
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		r.u32()
		skipValueType(r)
	}
	caught := []bool{false} // for each open block, whether everything thrown in it is caught
	open := func(all bool) { caught = append(caught, all || caught[len(caught)-1]) }
	for len(caught) > 0 && r.err == nil {
		inside := caught[len(caught)-1]
		switch op := r.byte(); op {
		case opBlock, opLoop, opIf:
			skipImmediates(r, op)
			open(false)
		case opTryTable:
			all := false
			readTryTable(r, func(c clause) { all = all || c.kind >= catchAll })
			open(all)
		case opEnd:
			caught = caught[:len(caught)-1]
		case opThrow, opThrowRef:
			if skipImmediates(r, op); !inside {
				throw()
			}
		case opCall:
			if callee := r.u32(); !inside {
				call(callee, false)
			}
		case opReturnCall: // leaves this function first
			call(r.u32(), false)
		case opCallIndirect:
			if kind := r.u32(); !inside {
				call(kind, true)
			}
			r.u32()
		case opReturnCallIndirect:
			call(r.u32(), true)
			r.u32()
		case opRefFunc:
			w.taken = append(w.taken, r.u32())
		default:
			skipImmediates(r, op)
		}
	}
}

// clause is a catch clause of a try_table.
type clause struct {
	kind  byte
	tag   uint32 // of catch and catchRef
	label uint32
}

// readTryTable calls do with each catch clause behind the opcode of a try_table.
func readTryTable(r *reader, do func(clause)) {
	skipBlockType(r)
	for n := r.u32(); n > 0 && r.err == nil; n-- {
		c := clause{kind: r.byte()}
		switch c.kind {
		case catch, catchRef:
			c.tag = r.u32()
		case catchAll, catchAllRef:
		default:
			r.fail(fmt.Errorf("%w: catch clause of kind %d", ErrUnsupported, c.kind))
		}
		c.label = r.u32()
		do(c)
	}
}
