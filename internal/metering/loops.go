package metering

// maxShort is how many branches can start a short loop again.
const maxShort = 4

// shortLoops finds the loops in a function's code that are metered where they start again, and not at every iteration:
// a hash chain of one element costs nothing then. It returns where they begin, counted from offset.
//
// Every way around such a loop leads over a branch that pays. Once through it is straight-line code, but for calls:
// these pay too, so that recursion through loops, each of which is run through once, is not free.
//
// A loop that seems to call in every iteration is not short, since it would pay twice. A function with a loop that has
// many branches back has no short loops at all: it is an interpreter, which every additional instruction slows down.
//
// Code that is malformed is left to the rewriter.
func shortLoops(code []byte, offset int) map[int]bool {
	type block struct {
		loop  int // where it begins
		again int // how many branches lead back to there
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
			skipBlockType(&r)
			for n := r.u32(); n > 0 && r.err == nil; n-- {
				if kind := r.byte(); kind == catch || kind == catchRef {
					r.u32() // the tag
				}
				branch(r.u32(), maxShort+1)
			}
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
