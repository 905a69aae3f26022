package metering

import (
	"bytes"
	"fmt"
	"slices"
)

// Exceptions are lowered to what every module can do. A global variable, the pending exception, holds the number of a
// tag, counted from 1, or 0. Others hold what the exception carries. Throwing sets them and branches to the landing of
// the innermost try_table, or of the function, which returns values that nobody uses. Every call of a function that can
// return so is followed by a check:
//
//	(call $f)
//	(br_if $landing (pending))
//
// and (try_table BODY (catch $tag $l) (catch_all_ref $m)) becomes
//
//	(block $done
//	  (block $landing
//	    BODY
//	    (br $done))
//	  (if (pending == $tag) (pending = 0) (br $l (carried values)))
//	  (br $m (call $capture)))
//
// Without a clause for all, it ends with a branch to the next landing further out. An exnref is a number that holds the
// tag and the values, and zero if it is null.
//
// An exception is pending only between a throw and the clause that catches it, where nothing of the module runs but
// such branches, and the host only if fuel is needed there. All other code finds none pending.
//
// See https://webassembly.github.io/spec/core/syntax/instructions.html#control-instructions and
// https://webassembly.github.io/spec/core/exec/instructions.html#control-instructions
type exceptions struct {
	uncaught uint32 // the global that is exported as ExceptionExport
	pending  uint32 // the global
	words    uint32 // the number of i32 globals, which follow the pending exception
	longs    uint32 // the number of i64 globals, which follow the words

	raise, capture uint32 // the helper functions

	throws    []bool            // for each defined function, whether it can return with a pending exception
	throwing  map[uint32]bool   // the same for indirect calls of a type
	taken     []uint32          // functions that indirect calls may reach
	wrappers  []uint32          // the functions that wrappers are for, in their order
	wrapped   map[uint32]uint32 // the indices of wrappers
	landings  []uint32          // the types whose parameters the landings of added types take
	landingOf map[uint32]uint32 // their indices
}

// slot is where a value of an exception is kept while it is pending.
type slot struct {
	kind   byte
	global uint32
}

// maxCarried limits the values that an exception carries, because each throw and catch clause becomes as many
// instructions.
const maxCarried = 16

// readTags finds how many globals it takes to hold what an exception carries.
func (w *rewriter) readTags() error {
	if w.importTags > 0 {
		return fmt.Errorf("%w: an imported tag", ErrUnsupported)
	}
	w.uncaught = w.fuel + 1
	w.pending = w.uncaught + 1
	w.wrapped, w.landingOf = map[uint32]uint32{}, map[uint32]uint32{}
	for _, index := range w.tagTypes {
		t := w.types[index]
		if len(t.results) > 0 {
			return fmt.Errorf("a tag of the type %v", t)
		}
		if len(t.params) > maxCarried {
			return fmt.Errorf("%w: a tag with %d values", ErrUnsupported, len(t.params))
		}
		var words, longs uint32
		for _, kind := range t.params {
			switch kind {
			case typeI32, typeF32:
				words++
			case typeI64, typeF64:
				longs++
			default:
				return fmt.Errorf("%w: a tag with a value of the type %s", ErrUnsupported, typeName(kind))
			}
		}
		w.words, w.longs = max(w.words, words), max(w.longs, longs)
	}
	return nil
}

// slots returns where an exception of a tag keeps what it carries.
func (w *rewriter) slots(tag uint32) []slot {
	kinds := w.types[w.tagTypes[tag]].params
	slots := make([]slot, len(kinds))
	word := w.pending + 1
	long := word + w.words
	for n, kind := range kinds {
		next := &word
		if kind == typeI64 || kind == typeF64 {
			next = &long
		}
		slots[n] = slot{kind, *next}
		*next++
	}
	return slots
}

// exceptionGlobals returns the types of the globals that are added for exceptions, from the uncaught one on.
func (w *rewriter) exceptionGlobals() []byte {
	if len(w.tagTypes) == 0 {
		return nil
	}
	words, longs := bytes.Repeat([]byte{typeI32}, int(w.words)), bytes.Repeat([]byte{typeI64}, int(w.longs))
	return slices.Concat([]byte{typeI32, typeI32}, words, longs)
}

// reference returns the type that takes the place of exnref.
func (w *rewriter) reference() byte {
	if w.words <= 1 && w.longs == 0 {
		return typeI64
	}
	return typeV128
}

// checkReference fails if what exceptions carry does not fit into a value of the type that takes the place of exnref.
func (w *rewriter) checkReference() error {
	if w.longs == 0 && w.words <= 3 || w.longs == 1 && w.words <= 1 {
		return nil
	}
	return fmt.Errorf("%w: a reference to an exception that carries more than 12 bytes", ErrUnsupported)
}

// lowered returns the type that takes the place of a value type.
func (w *rewriter) lowered(r *reader, kind byte) byte {
	if kind != typeExnref {
		return kind
	}
	if err := w.checkReference(); err != nil {
		r.fail(err)
	}
	return w.reference()
}

// loweredTypes is lowered for a list.
func (w *rewriter) loweredTypes(r *reader, kinds []byte) []byte {
	if !slices.Contains(kinds, typeExnref) {
		return kinds
	}
	kinds = slices.Clone(kinds)
	for i, kind := range kinds {
		kinds[i] = w.lowered(r, kind)
	}
	return kinds
}

// appendZero appends an instruction for the zero of a type.
func (w *rewriter) appendZero(out []byte, kind byte) []byte {
	if kind == typeExnref {
		kind = w.reference()
	}
	switch kind {
	case typeI32:
		return append(out, opI32Const, 0)
	case typeI64:
		return append(out, opI64Const, 0)
	case typeF32:
		return append(append(out, opF32Const), make([]byte, 4)...)
	case typeF64:
		return append(append(out, opF64Const), make([]byte, 8)...)
	case typeV128:
		return append(append(out, prefixVector, vectorConst), make([]byte, 16)...)
	}
	return append(out, opRefNull, kind)
}

// raiseBody is (exnref) -> (). It makes an exception pending again, and traps if the reference is null.
func (w *rewriter) raiseBody() []byte {
	b := []byte{0}
	set := func(global uint32, code ...byte) {
		b = append(append(b, opLocalGet, 0), code...)
		b = appendU32(append(b, opGlobalSet), global)
	}
	word := w.pending + 1
	if w.reference() == typeI64 {
		set(w.pending, opI32WrapI64)
		if w.words > 0 {
			set(word, opI64Const, 32, opI64ShrU, opI32WrapI64)
		}
	} else if w.checkReference() == nil {
		for lane := range 1 + w.words {
			set(w.pending+lane, prefixVector, vectorExtractI32, byte(lane))
		}
		if w.longs > 0 {
			set(word+w.words, prefixVector, vectorExtractI64, 1)
		}
	}
	b = appendU32(append(b, opGlobalGet), w.pending)
	return append(b, opI32Eqz, opIf, blockEmpty, opUnreachable, opEnd, opEnd)
}

// captureBody is () -> (exnref): the pending exception, which then is not pending any more.
func (w *rewriter) captureBody() []byte {
	b := []byte{0}
	get := func(global uint32, code ...byte) { b = append(appendU32(append(b, opGlobalGet), global), code...) }
	word := w.pending + 1
	if w.reference() == typeI64 {
		get(w.pending, opI64ExtendI32U)
		if w.words > 0 {
			get(word, opI64ExtendI32U, opI64Const, 32, opI64Shl, opI64Or)
		}
	} else {
		get(w.pending, prefixVector, vectorSplatI32)
		if w.checkReference() == nil {
			for lane := range w.words {
				get(word+lane, prefixVector, vectorReplaceI32, byte(lane)+1)
			}
			if w.longs > 0 {
				get(word+w.words, prefixVector, vectorReplaceI64, 1)
			}
		}
	}
	return append(w.appendNoPending(b), opEnd)
}

func (w *rewriter) appendNoPending(b []byte) []byte {
	return appendU32(append(b, opI32Const, 0, opGlobalSet), w.pending)
}

// entry returns the index of a function for those who call it from outside. That is a wrapper for a function that can
// throw: nothing outside knows of a pending exception.
func (w *rewriter) entry(r *reader) uint32 {
	index := w.function(r)
	if r.err != nil || index <= w.yield || len(w.throws) == 0 || !w.throws[index-w.yield-1] {
		return index
	}
	wrapper, ok := w.wrapped[index]
	if !ok {
		wrapper = w.capture + 1 + uint32(len(w.wrappers))
		w.wrapped[index] = wrapper
		w.wrappers = append(w.wrappers, index)
	}
	return wrapper
}

// wrapperBody calls a function, and traps if it returns with a pending exception, which then is not pending any more.
func (w *rewriter) wrapperBody(function uint32) []byte {
	b := []byte{0}
	for n := range w.types[w.functions[function-w.yield-1]].params {
		b = appendU32(append(b, opLocalGet), uint32(n))
	}
	b = appendU32(append(b, opCall), function)
	b = append(appendU32(append(b, opGlobalGet), w.pending), opIf, blockEmpty)
	b = appendU32(append(b, opGlobalGet), w.pending)
	b = w.appendNoPending(appendU32(append(b, opGlobalSet), w.uncaught))
	return append(b, opUnreachable, opEnd, opEnd)
}
