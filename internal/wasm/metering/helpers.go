package metering

// helper is a function added to the module.
type helper struct {
	kind uint32 // the index of its type
	body []byte
}

// helpers returns the added functions in the order of their indices.
func (w *rewriter) helpers() []helper {
	helpers := []helper{{w.typeI32ToNone(), w.refillBody()}, {w.typeI32ToI32(), w.chargeBody()}}
	if w.memories > 0 {
		helpers = append(helpers, helper{w.typeBulk(), w.fillBody()}, helper{w.typeBulk(), w.copyBody()})
	}
	if len(w.tagTypes) > 0 {
		helpers = append(helpers, helper{w.typeRaise(), w.raiseBody()}, helper{w.typeCapture(), w.captureBody()})
	}
	for _, function := range w.wrappers {
		helpers = append(helpers, helper{w.functions[function-w.yield-1], w.wrapperBody(function)})
	}
	return helpers
}

// refillBody is (n i32) -> (): fuel = yield(fuel) + n.
func (w *rewriter) refillBody() []byte {
	b := []byte{0} // no locals
	b = appendU32(append(b, opGlobalGet), w.fuel)
	b = appendU32(append(b, opCall), w.yield)
	b = append(b, opLocalGet, 0, opI32Add)
	b = appendU32(append(b, opGlobalSet), w.fuel)
	return append(b, opEnd)
}

// chargeBody is (n i32) -> (i32). It subtracts the price of a bulk operation over n bytes from the fuel and returns n.
func (w *rewriter) chargeBody() []byte {
	b := w.appendCharge([]byte{0}, []byte{opLocalGet, 0})
	return append(b, opLocalGet, 0, opEnd)
}

// appendCharge subtracts the price of a bulk operation from the fuel. size is code that leaves the operation's size in
// bytes on the stack. The fuel was not negative, and the price is below 1<<26, so the difference cannot overflow.
func (w *rewriter) appendCharge(b, size []byte) []byte {
	b = appendU32(append(b, opGlobalGet), w.fuel)
	b = append(append(b, size...), opI32Const, bytesPerFuelLog2, opI32ShrU, opI32Sub)
	b = appendU32(append(b, opGlobalSet), w.fuel)
	b = appendU32(append(b, opGlobalGet), w.fuel)
	b = append(b, opI32Const, 0, opI32LeS, opIf, blockEmpty, opI32Const, 0)
	b = appendU32(append(b, opCall), w.refill)
	return append(b, opEnd)
}

// partLog2 is the binary logarithm of the bytes that are copied or filled between two checks of the fuel.
const partLog2 = 19

// part is code that leaves the size of a part on the stack: 1<<partLog2, as a signed number in LEB128.
var part = []byte{opI32Const, 0x80, 0x80, 1 << (partLog2 - 14)}

// Locals of fillBody and copyBody: their parameters.
const (
	localTo   = 0
	localFrom = 1 // the byte to fill with, for fillBody
	localSize = 2
)

// fillBody is memory.fill, divided into parts:
//
//	(if (size > part)
//	  (if (to + size <= the memory's size)
//	    (loop $next
//	      charge(part)
//	      (memory.fill to byte part)
//	      to = to + part
//	      size = size - part
//	      (br_if $next (size > part)))))
//	charge(size)
//	(memory.fill to byte size)
//
// If the range exceeds the memory, the last instruction gets all of it, and traps.
func (w *rewriter) fillBody() []byte {
	instruction := []byte{prefixMisc, miscMemoryFill, 0}
	b := ifLarge([]byte{0})
	b = append(appendFits(b, localTo), opIf, blockEmpty)
	b = w.appendParts(b, func(b []byte) []byte {
		b = append(b, opLocalGet, localTo, opLocalGet, localFrom)
		b = append(append(b, part...), instruction...)
		return advance(b, localTo)
	})
	b = append(b, opEnd, opEnd)
	return w.appendRest(b, instruction)
}

// copyBody is memory.copy, divided into parts like fillBody. If the source begins before the destination and overlaps
// it, the last part is copied first, so that no part is overwritten before it is copied:
//
//	(if (to - from < size) // to < from gives a large number
//	  parts of: size = size - part; (memory.copy (to + size) (from + size) part)
//	  parts of: (memory.copy to from part); to = to + part; from = from + part; size = size - part)
func (w *rewriter) copyBody() []byte {
	instruction := []byte{prefixMisc, miscMemoryCopy, 0, 0}
	b := ifLarge([]byte{0})
	b = append(appendFits(b, localTo), opIf, blockEmpty)
	b = append(appendFits(b, localFrom), opIf, blockEmpty)
	b = append(b, opLocalGet, localTo, opLocalGet, localFrom, opI32Sub, opLocalGet,
		localSize, opI32GeU, opIf, blockEmpty)
	b = w.appendParts(b, func(b []byte) []byte {
		b = append(b, opLocalGet, localTo, opLocalGet, localFrom)
		b = append(append(b, part...), instruction...)
		return advance(advance(b, localTo), localFrom)
	})
	b = append(b, opElse)
	b = w.appendParts(b, func(b []byte) []byte {
		for _, local := range []byte{localTo, localFrom} {
			b = append(b, opLocalGet, local, opLocalGet, localSize, opI32Add)
			b = append(append(b, part...), opI32Sub)
		}
		return append(append(b, part...), instruction...)
	})
	b = append(b, opEnd, opEnd, opEnd, opEnd)
	return w.appendRest(b, instruction)
}

// ifLarge opens an if that runs for more than one part.
func ifLarge(b []byte) []byte {
	b = append(append(b, opLocalGet, localSize), part...)
	return append(b, opI32GtU, opIf, blockEmpty)
}

// appendFits leaves on the stack whether size bytes from a local on are within the memory, which may have 4 GiB.
func appendFits(b []byte, local byte) []byte {
	b = append(b, opLocalGet, local, opI64ExtendI32U, opLocalGet, localSize, opI64ExtendI32U, opI64Add)
	return append(b, opMemorySize, 0, opI64ExtendI32U, opI64Const, 16, opI64Shl, opI64LeU)
}

// appendParts repeats the code appended by do, which processes one part, until at most one part is left.
func (w *rewriter) appendParts(b []byte, do func([]byte) []byte) []byte {
	b = w.appendCharge(append(b, opLoop, blockEmpty), part)
	b = do(b)
	b = append(append(b, opLocalGet, localSize), part...)
	b = append(b, opI32Sub, opLocalTee, localSize)
	b = append(append(b, part...), opI32GtU, opBrIf, 0, opEnd)
	return b
}

// advance moves a local to the next part.
func advance(b []byte, local byte) []byte {
	b = append(append(b, opLocalGet, local), part...)
	return append(b, opI32Add, opLocalSet, local)
}

// appendRest appends the instruction for the last part.
func (w *rewriter) appendRest(b, instruction []byte) []byte {
	b = w.appendCharge(b, []byte{opLocalGet, localSize})
	b = append(b, opLocalGet, localTo, opLocalGet, localFrom, opLocalGet, localSize)
	return append(append(b, instruction...), opEnd)
}
