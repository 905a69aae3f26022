package metering

// maxShort limits the branches that restart a short loop.
const maxShort = 4

// shortLoops finds the loops in a function's code that are metered on restart instead of at every iteration: a hash
// chain of one element then costs nothing. It returns their positions, counted from offset.
//
// Every cycle through such a loop contains a branch that pays. A single pass is straight-line code, except for calls.
// Calls in it pay as well, so that recursion through loops that never restart is not free.
//
// A loop that seems to make a call in every iteration is not short, because it would pay twice. A function with a loop
// that many branches restart has no short loops at all: it is an interpreter, which every additional instruction slows
// down.
//
// Malformed code is left to the rewriter, which refuses it.
func shortLoops(code []byte, offset int) map[int]bool {
	type block struct {
		loop  int // its start
		again int // the number of branches to its start
		calls bool
	}
	const none = -1
	r := reader{data: code}
	short := map[int]bool{}
	blocks := []block{{loop: none}}
	open := func(loop int) { blocks = append(blocks, block{loop: loop}) }
	branch := func(label uint32, weight int) {
		if uint64(label) < uint64(len(blocks)) {
			blocks[len(blocks)-1-int(label)].again += weight
		}
	}
	for len(blocks) > 0 && r.err == nil {
		start := r.pos
		switch op := r.byte(); op {
		case opLoop:
			skipImmediates(&r, op)
			open(start + offset)
		case opBlock, opIf:
			skipImmediates(&r, op)
			open(none)
		case opTryTable:
			readTryTable(&r, func(c clause) { branch(c.label, maxShort+1) })
			open(none)
		case opEnd:
			last := blocks[len(blocks)-1]
			blocks = blocks[:len(blocks)-1]
			switch {
			case last.loop == none:
			case last.again > maxShort:
				return nil
			case !last.calls:
				short[last.loop] = true
			}
		case opCall, opCallIndirect:
			skipImmediates(&r, op)
			blocks[len(blocks)-1].calls = true
		case opBr, opBrIf:
			branch(r.u32(), 1)
		case opBrTable:
			for n := uint64(r.u32()) + 1; n > 0 && r.err == nil; n-- {
				branch(r.u32(), maxShort+1)
			}
		default:
			skipImmediates(&r, op)
		}
	}
	return short
}
