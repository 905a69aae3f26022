package metering

import (
	"fmt"
	"slices"
)

// landing is where exceptions go: the end of a block that takes nothing.
type landing struct {
	depth   int    // of the block in the new code
	stretch uint32 // the longest one at a branch to it: see bodyRewriter.stretch
	clauses []clause
	outer   *landing
}

// tryTable opens a try_table.
func (b *bodyRewriter) tryTable() {
	blockType := b.reader
	l := &landing{outer: b.landing}
	readTryTable(&b.reader, func(c clause) {
		if c.kind <= catchRef && b.err == nil && uint64(c.tag) >= uint64(len(b.tagTypes)) {
			b.fail(fmt.Errorf("there is no tag %d", c.tag))
		}
		l.clauses = append(l.clauses, c)
	})
	if b.err != nil {
		return
	}
	start := blockType.pos
	skipBlockType(&blockType)
	kind := b.data[start:blockType.pos]
	parameters := b.parameters(kind)
	b.out = b.appendBlockType(append(b.out, opBlock), kind)
	b.open()
	b.blocks[len(b.blocks)-1].try = l
	b.out = append(b.out, opBlock)
	if parameters == 0 {
		b.out = append(b.out, blockEmpty)
	} else {
		r := reader{data: kind}
		b.out = appendU32(b.out, b.landingType(r.u32()))
	}
	b.depth++
	l.depth = b.depth
	b.landing = l
}

// closeTry ends a try_table, which is not among the blocks any more, with the code for what has been thrown in it.
func (b *bodyRewriter) closeTry(l *landing) {
	after := b.stretch
	b.stretch = l.stretch
	b.landing = l.outer
	b.out = append(b.out, opBr, 1, opEnd)
	b.depth--
	all := false
	for _, c := range l.clauses {
		b.count(1)
		tagged := c.kind <= catchRef
		if tagged {
			b.out = appendU32(append(b.out, opGlobalGet), b.pending)
			b.out = append(appendI32(append(b.out, opI32Const), int32(c.tag)+1), opI32Eq, opIf, blockEmpty)
			b.depth++
			b.carried(c.tag)
		}
		switch reference := c.kind == catchRef || c.kind == catchAllRef; {
		case reference && len(b.tagTypes) == 0: // never reached
			b.out = b.appendZero(b.out, typeExnref)
		case reference:
			if err := b.checkReference(); err != nil {
				b.fail(err)
			}
			b.out = appendU32(append(b.out, opCall), b.capture)
		case len(b.tagTypes) > 0:
			b.out = b.appendNoPending(b.out)
		}
		b.out = appendU32(append(b.out, opBr), b.label(c.label, b.stretch))
		if tagged {
			b.out = append(b.out, opEnd)
			b.depth--
		}
		all = all || !tagged
	}
	if !all {
		b.land()
	}
	b.out = append(b.out, opEnd)
	b.depth--
	b.stretch = after
}

// carried leaves what a pending exception carries on the stack.
func (b *bodyRewriter) carried(tag uint32) {
	for _, slot := range b.slots(tag) {
		b.out = appendU32(append(b.out, opGlobalGet), slot.global)
		switch slot.kind {
		case typeF32:
			b.out = append(b.out, opF32ReinterpretI32)
		case typeF64:
			b.out = append(b.out, opF64ReinterpretI64)
		}
	}
}

// throw makes an exception pending, with the values on the stack.
func (b *bodyRewriter) throw() {
	tag := b.index(uint32(len(b.tagTypes)), "tag")
	if b.err != nil {
		return
	}
	for _, slot := range slices.Backward(b.slots(tag)) {
		switch slot.kind {
		case typeF32:
			b.out = append(b.out, opI32ReinterpretF32)
		case typeF64:
			b.out = append(b.out, opI64ReinterpretF64)
		}
		b.out = appendU32(append(b.out, opGlobalSet), slot.global)
	}
	b.out = appendI32(append(b.out, opI32Const), int32(tag)+1)
	b.out = appendU32(append(b.out, opGlobalSet), b.pending)
	b.land()
}

// throwRef makes the exception on the stack pending.
func (b *bodyRewriter) throwRef() {
	if len(b.tagTypes) == 0 { // it can only be a null reference
		b.out = append(b.out, opI64Const, 0, opI64Or, opDrop, opUnreachable) // which must be one
		b.stretch = 0
		return
	}
	if err := b.checkReference(); err != nil {
		b.fail(err)
	}
	b.out = appendU32(append(b.out, opCall), b.raise)
	b.land()
}

// land branches to the landing, if there is one. Otherwise nothing throws here.
func (b *bodyRewriter) land() {
	if b.landing == nil {
		b.out = append(b.out, opUnreachable)
	} else {
		b.out = appendU32(append(b.out, opBr), b.toLanding())
	}
	b.stretch = 0
}

// check follows a call that can throw.
func (b *bodyRewriter) check() {
	if b.landing != nil {
		b.out = appendU32(append(b.out, opGlobalGet), b.pending)
		b.out = appendU32(append(b.out, opBrIf), b.toLanding())
	}
}

func (b *bodyRewriter) toLanding() uint32 {
	b.landing.stretch = max(b.landing.stretch, b.stretch)
	return uint32(b.depth - b.landing.depth)
}

// openLanding and closeLanding turn the BODY of a function that can throw into
//
//	(block $landing
//	  BODY
//	  (return))
//	(zeros)
func (b *bodyRewriter) openLanding() {
	b.out = append(b.out, opBlock, blockEmpty)
	b.depth++
	b.landing = &landing{depth: b.depth}
}

func (b *bodyRewriter) closeLanding(results []byte) {
	b.out = append(b.out, opReturn, opEnd)
	for _, kind := range results {
		b.out = b.appendZero(b.out, kind)
	}
}

// appendBlockType appends a block type.
func (b *bodyRewriter) appendBlockType(out, kind []byte) []byte {
	if len(kind) == 1 {
		return append(out, b.lowered(&b.reader, kind[0]))
	}
	return append(out, kind...)
}

// landingType returns the index of an added type: the parameters of another one, without results.
func (w *rewriter) landingType(of uint32) uint32 {
	index, ok := w.landingOf[of]
	if !ok {
		index = w.typeLandings() + uint32(len(w.landings))
		w.landingOf[of] = index
		w.landings = append(w.landings, of)
	}
	return index
}
