package metering

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// readCode reads the functions' bodies, and finds those that are small and those that throw.
func (w *rewriter) readCode(r *reader) ([]byte, error) {
	n := r.u32()
	if r.err == nil && int(n) != len(w.functions) {
		return nil, fmt.Errorf("%d bodies for %d functions", n, len(w.functions))
	}
	replacements := map[uint32][]Replacement{}
	for _, replacement := range w.options.Replacements {
		if replacement.Function < w.importFunctions || replacement.Function-w.importFunctions >= n {
			return nil, fmt.Errorf("there is no function %d to replace", replacement.Function)
		}
		replacements[replacement.Function] = append(replacements[replacement.Function], replacement)
	}
	w.bodies = make([][]byte, 0, len(w.functions))
	for i := uint32(0); i < n && r.err == nil; i++ {
		body := r.take(r.u32())
		if changes := replacements[w.importFunctions+i]; changes != nil && r.err == nil {
			var err error
			if body, err = replaced(body, changes); err != nil {
				return nil, err
			}
		}
		w.bodies = append(w.bodies, body)
	}
	if err := r.end(); err != nil {
		return nil, err
	}
	w.small = w.findSmall(w.bodies)
	w.largestSmall = slices.Max(append(w.small, 0))
	w.findThrowing()
	return r.data, nil
}

// rewriteCode rewrites every function body and appends the helper functions.
func (w *rewriter) rewriteCode(r *reader) ([]byte, error) {
	out := make([]byte, 0, len(r.data)+len(r.data)/4)
	helpers := w.helpers()
	out = appendU32(out, uint32(len(w.bodies)+len(helpers)))
	var rewritten []byte
	for i, body := range w.bodies {
		b := bodyRewriter{rewriter: w, reader: reader{data: body}, out: rewritten[:0]}
		if rewritten = b.rewrite(uint32(i)); b.err != nil {
			return nil, fmt.Errorf("function %d: %w", w.importFunctions+uint32(i), b.err)
		}
		out = appendU32(out, uint32(len(rewritten)))
		out = append(out, rewritten...)
	}
	for _, helper := range helpers {
		out = appendU32(out, uint32(len(helper.body)))
		out = append(out, helper.body...)
	}
	return out, nil
}

// replaced returns a function's body with its changes, all of whose positions are those in the original body.
func replaced(body []byte, changes []Replacement) ([]byte, error) {
	slices.SortStableFunc(changes, func(a, b Replacement) int { return a.At - b.At })
	var out []byte
	done := 0
	for _, change := range changes {
		at := change.At
		if at < done || at > len(body) || !bytes.HasPrefix(body[at:], change.Old) {
			return nil, fmt.Errorf("function %d is not the one to replace", change.Function)
		}
		out = slices.Concat(out, body[done:at], change.New)
		done = at + len(change.Old)
	}
	return append(out, body[done:]...), nil
}

// bodyRewriter copies one function body and adds the metering code. Everything is copied byte for byte, except the
// indices of functions and the labels of branches.
type bodyRewriter struct {
	*rewriter
	reader
	out []byte

	scratch uint32 // a local that holds the fuel between its decrement and the test
	blocks  []block
	depth   int          // of the innermost block in the new code
	short   map[int]bool // the positions of loops that are metered only on restart
	landing *landing     // the innermost one, or nil

	// stretch is how many instructions may have been executed since the last check, whatever way led here. Those of
	// small functions count, those of others do not, since they have checks.
	stretch uint32
}

// block is a structured instruction of the original code that is open at the current position.
type block struct {
	target int // the depth of its branch target in the new code
	loop   loopForm

	stretch uint32 // the longest one at a branch to the end of the block: see bodyRewriter.stretch
	before  uint32 // the stretch before an if, with which its else begins, or the code after it

	try *landing // of a try_table
}

// loopForm says how a loop is metered.
type loopForm byte

const (
	noLoop             loopForm = iota
	longLoop                    // metered at every iteration
	shortLoop                   // metered on each restart, and at calls if entries of functions are not
	loopWithParameters          // metered at every iteration, in a form that allows for operands
)

func (b *bodyRewriter) rewrite(function uint32) []byte {
	groups := b.u32()
	count := uint64(len(b.types[b.functions[function]].params))
	b.out = appendU32(b.out, groups+1)
	for n := groups; n > 0 && b.err == nil; n-- {
		size := b.u32()
		count += uint64(size)
		if skipValueType(&b.reader); b.err == nil {
			b.out = append(appendU32(b.out, size), b.lowered(&b.reader, b.data[b.pos-1]))
		}
	}
	if b.err == nil && count >= 1<<31 {
		b.fail(errors.New("too many locals"))
	}
	if b.err != nil {
		return nil
	}
	b.scratch = uint32(count)
	b.out = append(b.out, 1, typeI32)

	b.short = shortLoops(b.data[b.pos:], b.pos)
	b.blocks = append(b.blocks, block{})
	entry := b.options.Functions && b.small[function] == 0
	if entry {
		b.openEntry()
	}
	throws := len(b.throws) > 0 && b.throws[function]
	if throws {
		b.openLanding()
	}
	for len(b.blocks) > 0 && b.err == nil {
		b.instruction()
	}
	if throws {
		b.closeLanding(b.types[b.functions[function]].results)
	}
	if entry {
		b.closeEntry()
	}
	b.out = append(b.out, opEnd)
	if b.err == nil && b.pos != len(b.data) {
		b.fail(errors.New("instructions behind the end of the function"))
	}
	return b.out
}

// instruction copies the next instruction and adds metering to it.
func (b *bodyRewriter) instruction() {
	start := b.pos
	op := b.byte()
	b.step(op)
	switch op {
	case opBlock, opIf:
		if skipImmediates(&b.reader, op); b.err == nil {
			b.parameters(b.data[start+1 : b.pos])
			b.out = b.appendBlockType(append(b.out, op), b.data[start+1:b.pos])
		}
		if b.open(); op == opIf {
			b.blocks[len(b.blocks)-1].before = b.stretch
		}
		return
	case opLoop:
		skipImmediates(&b.reader, op)
		kind := b.data[start+1 : b.pos]
		if b.err == nil && b.parameters(kind) == 0 {
			b.openLoop(kind, b.short[start])
			return
		}
		b.open()
		b.blocks[len(b.blocks)-1].loop = loopWithParameters
		b.out = b.appendBlockType(append(b.out, op), kind)
		b.spend()
		return
	case opTryTable:
		b.tryTable()
		return
	case opElse:
		last := &b.blocks[len(b.blocks)-1]
		last.stretch = max(last.stretch, b.stretch)
		b.stretch = last.before
	case opEnd:
		last := b.blocks[len(b.blocks)-1]
		b.stretch = max(b.stretch, last.before, last.stretch)
		b.blocks = b.blocks[:len(b.blocks)-1]
		switch {
		case last.loop == longLoop, last.loop == shortLoop:
			b.closeLoop(last.loop)
			b.depth -= 3
			return
		case last.try != nil:
			b.closeTry(last.try)
			return
		case len(b.blocks) == 0: // rewrite ends the function
			return
		}
		b.depth--
	case opBr, opBrIf:
		b.branch(op, b.u32())
		return
	case opBrTable:
		n := b.u32()
		b.out = appendU32(append(b.out, op), n)
		for i := uint64(0); i <= uint64(n) && b.err == nil; i++ {
			b.out = appendU32(b.out, b.label(b.u32(), b.stretch))
		}
		b.stretch = 0
		return
	case opReturn:
		b.stretch = 0
	case opCall, opRefFunc:
		function := b.function(&b.reader)
		if op == opCall {
			b.spendInShortLoop()
		}
		b.out = appendU32(append(b.out, op), function)
		if op == opCall && b.err == nil && function > b.yield && len(b.throws) > 0 && b.throws[function-b.yield-1] {
			b.check()
		}
		return
	case opReturnCall:
		b.spend()
		b.out = appendU32(append(b.out, op), b.function(&b.reader))
		return
	case opCallIndirect, opReturnCallIndirect:
		if op == opReturnCallIndirect {
			b.spend()
		} else {
			b.spendInShortLoop()
		}
		kind := b.typeIndex(&b.reader)
		b.u32() // the table
		b.out = append(b.out, b.data[start:b.pos]...)
		if op == opCallIndirect && b.throwing[kind] {
			b.check()
		}
		return
	case opThrow:
		b.throw()
		return
	case opThrowRef:
		b.throwRef()
		return
	case opSelectTyped:
		kinds := b.loweredTypes(&b.reader, readValueTypes(&b.reader))
		b.out = append(appendU32(append(b.out, op), uint32(len(kinds))), kinds...)
		return
	case opRefNull:
		if skipValueType(&b.reader); b.err == nil && b.data[b.pos-1] == typeExnref {
			b.lowered(&b.reader, typeExnref)
			b.out = b.appendZero(b.out, typeExnref)
			return
		}
	case opLocalGet, opLocalSet, opLocalTee:
		b.index(b.scratch, "local")
		b.out = append(b.out, b.data[start:b.pos]...)
		return
	case opGlobalGet, opGlobalSet: // first of all, not the fuel
		b.index(b.fuel, "global")
		b.out = append(b.out, b.data[start:b.pos]...)
		return
	case opMemoryGrow: // charged by pages, because the host may zero them lazily
		b.out = appendU32(append(b.out, opCall), b.charge)
		skipImmediates(&b.reader, op)
	case opTableSet:
		b.refuseChange("table.set")
		skipImmediates(&b.reader, op)
	case prefixMisc:
		misc := skipMisc(&b.reader)
		b.refuseChange(changesOthers[misc])
		switch {
		case misc == miscMemoryFill && b.memories > 0:
			b.out = appendU32(append(b.out, opCall), b.fill)
			return
		case misc == miscMemoryCopy && b.memories > 0:
			b.out = appendU32(append(b.out, opCall), b.copy)
			return
		case isBulk(misc):
			b.out = appendU32(append(b.out, opCall), b.charge)
		}
	default:
		skipImmediates(&b.reader, op)
	}
	b.out = append(b.out, b.data[start:b.pos]...)
}

// step counts the next instruction in the stretch, and inserts a check before it if the stretch becomes too long. A
// call of a function that is not small may return with a stretch of its own.
func (b *bodyRewriter) step(op byte) {
	if !b.options.Functions || op == opElse || op == opEnd {
		return
	}
	size, metered := uint32(1), op == opCallIndirect
	switch op {
	case opCall:
		ahead := b.reader
		if index := ahead.u32(); index >= b.importFunctions && uint64(index-b.importFunctions) < uint64(len(b.small)) {
			size += b.small[index-b.importFunctions]
			metered = size == 1
		}
	case opCallIndirect:
		size += b.largestSmall
	}
	if b.count(size); metered {
		b.stretch = max(b.stretch, b.bounds.stretch-b.bounds.returning)
	}
}

// count adds instructions to the stretch, after a check if it becomes too long.
func (b *bodyRewriter) count(size uint32) {
	if !b.options.Functions {
		return
	}
	if b.stretch+size > b.bounds.stretch {
		b.spend()
	}
	b.stretch += size
}

// changesOthers maps the misc instructions that change anything except memory and globals to their names.
var changesOthers = map[uint32]string{
	miscDataDrop: "data.drop", miscTableInit: "table.init", miscElementDrop: "elem.drop", miscTableCopy: "table.copy",
	miscTableGrow: "table.grow", miscTableFill: "table.fill",
}

// refuseChange refuses the named instruction if the module may change only memory and globals.
func (b *bodyRewriter) refuseChange(name string) {
	if name != "" && b.options.State {
		b.fail(fmt.Errorf("%w: %s changes what is neither memory nor a global", ErrUnsupported, name))
	}
}

// open records a block that keeps its form.
func (b *bodyRewriter) open() {
	b.depth++
	b.blocks = append(b.blocks, block{target: b.depth})
}

// label maps a branch label of the original code to the new code, and notes how long the stretch before the branch is.
func (b *bodyRewriter) label(l, stretch uint32) uint32 {
	if b.err == nil && uint64(l) >= uint64(len(b.blocks)) {
		b.fail(fmt.Errorf("label %d among %d blocks", l, len(b.blocks)))
	}
	if b.err != nil {
		return 0
	}
	to := &b.blocks[len(b.blocks)-1-int(l)]
	if to.loop == noLoop { // loops have a check of their own
		to.stretch = max(to.stretch, stretch)
	}
	return uint32(b.depth - to.target)
}

// openLoop and closeLoop turn (loop BODY) into
//
//	(block $exit
//	  (loop $next
//	    (block $empty
//	      fuel = fuel - 1
//	      (br_if $empty (fuel <= 0))
//	      BODY
//	      (br $exit))
//	    (call $refill 1)
//	    (br $next)))
//
// An iteration that runs out of fuel starts again and pays again, so the 1 makes up for it.
//
// A simple (if (fuel <= 0) (call $refill 0)) at the top would do the same at three times the price: compilers keep the
// call in the middle of the hot path, and spill and reload registers around it.
//
// A short loop pays before each branch to $next instead (see branch), so that its first iteration is free.
func (b *bodyRewriter) openLoop(kind []byte, short bool) {
	b.out = b.appendBlockType(append(b.out, opBlock), kind)
	b.out = b.appendBlockType(append(b.out, opLoop), kind)
	b.out = append(b.out, opBlock, blockEmpty)
	form := shortLoop
	if !short {
		form = longLoop
		b.decrement(opI32LeS)
		b.out = append(b.out, opBrIf, 0)
		b.stretch = 0
	}
	b.blocks = append(b.blocks, block{target: b.depth + 2, loop: form})
	b.depth += 3
}

func (b *bodyRewriter) closeLoop(form loopForm) {
	again := byte(0)
	if form == longLoop {
		again = 1
	}
	b.out = append(b.out, opBr, 2, opEnd, opI32Const, again)
	b.out = appendU32(append(b.out, opCall), b.refill)
	b.out = append(b.out, opBr, 0, opEnd, opEnd)
}

// openEntry and closeEntry turn the BODY of a function into
//
//	(loop $next
//	  (block $empty
//	    fuel = fuel - 1
//	    (br_if $empty (fuel <= 0))
//	    BODY
//	    (return))
//	  (call $refill 1)
//	  (br $next))
//	(unreachable)
//
// for the same reason as in openLoop.
func (b *bodyRewriter) openEntry() {
	b.out = append(b.out, opLoop, blockEmpty, opBlock, blockEmpty)
	b.decrement(opI32LeS)
	b.out = append(b.out, opBrIf, 0)
	b.depth = 2
}

func (b *bodyRewriter) closeEntry() {
	b.out = append(b.out, opReturn, opEnd, opI32Const, 1)
	b.out = appendU32(append(b.out, opCall), b.refill)
	b.out = append(b.out, opBr, 0, opEnd, opUnreachable)
}

// branch copies a br or br_if. If it restarts a short loop, it becomes
//
//	fuel = fuel - 1
//	(br_if $empty (fuel <= 0))
//	(br $next)
//
// For a br_if, this code is inside an if. Short loops have no parameters, so there are no operands.
func (b *bodyRewriter) branch(op byte, label uint32) {
	target := b.label(label, b.stretch)
	if op == opBr {
		defer func() { b.stretch = 0 }() // what follows is not reached from here
	}
	if b.err != nil || b.blocks[len(b.blocks)-1-int(label)].loop != shortLoop {
		b.out = appendU32(append(b.out, op), target)
		return
	}
	if op == opBrIf {
		b.out = append(b.out, opIf, blockEmpty)
		target++
	}
	b.decrement(opI32LeS)
	b.out = appendU32(append(b.out, opBrIf), target-1)
	b.out = appendU32(append(b.out, opBr), target)
	if op == opBrIf {
		b.out = append(b.out, opEnd)
	}
}

// spendInShortLoop meters a call in a short loop: see shortLoops.
func (b *bodyRewriter) spendInShortLoop() {
	if b.options.Functions {
		return
	}
	for i := len(b.blocks) - 1; i >= 0; i-- {
		if b.blocks[i].loop == shortLoop {
			b.spend()
		}
		if b.blocks[i].loop != noLoop {
			return
		}
	}
}

// decrement subtracts 1 from the fuel, and leaves on the stack whether it is used up.
func (b *bodyRewriter) decrement(test byte) {
	b.out = appendU32(append(b.out, opGlobalGet), b.fuel)
	b.out = append(b.out, opI32Const, 1, opI32Sub)
	b.out = appendU32(append(b.out, opLocalTee), b.scratch)
	b.out = appendU32(append(b.out, opGlobalSet), b.fuel)
	b.out = appendU32(append(b.out, opLocalGet), b.scratch)
	b.out = append(b.out, opI32Const, 0, test)
}

// spend subtracts 1 from the fuel and refills it if necessary, between any two instructions. It is used where
// openLoop's form is impossible: at function entries, tail calls, calls in short loops, and in loops with parameters.
func (b *bodyRewriter) spend() {
	b.decrement(opI32GtS)
	b.out = append(b.out, opIf, blockEmpty, opElse, opI32Const, 0)
	b.out = appendU32(append(b.out, opCall), b.refill)
	b.out = append(b.out, opEnd)
	b.stretch = 0
}

// parameters returns the number of parameters of a block type, and fails if the type does not exist.
func (b *bodyRewriter) parameters(kind []byte) uint32 {
	if kind[0]&0xc0 == 0x40 { // empty, or one result
		return 0
	}
	r := reader{data: kind}
	index := b.typeIndex(&r) // encoded as a signed number, which must not be negative
	if r.err != nil {
		b.fail(r.err)
		return 0
	}
	return uint32(len(b.types[index].params))
}

// constant copies a constant expression to out, shifting the function indices in it.
func (w *rewriter) constant(r *reader, out []byte) []byte {
	for r.err == nil {
		start := r.pos
		switch op := r.byte(); op {
		case opRefFunc:
			function := *r
			out = appendU32(append(out, op), w.function(r))
			w.taken = append(w.taken, function.u32())
		case opGlobalGet:
			r.index(w.fuel, "global")
			out = append(out, r.data[start:r.pos]...)
		case opRefNull:
			if skipValueType(r); r.err == nil && r.data[r.pos-1] == typeExnref {
				out = w.appendZero(out, typeExnref)
			} else {
				out = append(out, r.data[start:r.pos]...)
			}
		case opI32Const, opI64Const, opF32Const, opF64Const,
			opI32Add, opI32Sub, opI32Mul, opI64Add, opI64Sub, opI64Mul:
			skipImmediates(r, op)
			out = append(out, r.data[start:r.pos]...)
		case prefixVector:
			if skipVector(r) != vectorConst {
				r.fail(fmt.Errorf("%w: vector instruction in a constant expression", ErrUnsupported))
			}
			out = append(out, r.data[start:r.pos]...)
		case opEnd:
			return append(out, op)
		default:
			r.fail(fmt.Errorf("%w: opcode %#x in a constant expression", ErrUnsupported, op))
		}
	}
	return out
}
