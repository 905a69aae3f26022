package metering_test

import (
	"bytes"
	"fmt"
	"io"
)

// walker reads WebAssembly without the code under test, in a simpler way: it panics if the module is malformed.
type walker struct{ *bytes.Reader }

func walk(b []byte) walker { return walker{bytes.NewReader(b)} }

func (w walker) byte() byte {
	b, err := w.ReadByte()
	if err != nil {
		panic(err)
	}
	return b
}

// number reads a LEB128 number of any length that is not negative.
func (w walker) number() (v uint64) {
	for shift := 0; ; shift += 7 {
		b := w.byte()
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v
		}
	}
}

func (w walker) numbers(n int) {
	for range n {
		w.number()
	}
}

func (w walker) take(n uint64) []byte {
	if n > uint64(w.Len()) {
		panic(io.ErrUnexpectedEOF)
	}
	b := make([]byte, n)
	_, _ = io.ReadFull(w, b)
	return b
}

type rawSection struct {
	id      byte
	content []byte
	end     int // the position of its end in the module
}

func sectionsOf(wasm []byte) (sections []rawSection) {
	w := walk(wasm)
	w.take(8)
	for w.Len() > 0 {
		id := w.byte()
		content := w.take(w.number())
		sections = append(sections, rawSection{id, content, len(wasm) - w.Len()})
	}
	return sections
}

func contentOf(wasm []byte, id byte) walker {
	for _, s := range sectionsOf(wasm) {
		if s.id == id {
			return walk(s.content)
		}
	}
	return walk([]byte{0})
}

// census counts the things in a module that metering deals with.
type census struct {
	imported, defined uint64 // functions
	loops, tailCalls  int
	indirect          int // calls
	instructions      int
	bulk              int // operations that are metered, but for fills and copies
	fills, copies     int // of memory
	memories, tags    uint64
	globals           uint32         // with the imported ones
	calls             map[uint64]int // by the function called
	locals            uint64         // of the function with the most
}

func censusOf(wasm []byte) (c census) {
	c.calls = map[uint64]int{}
	imports := contentOf(wasm, 2)
	for range imports.number() {
		imports.take(imports.number())
		imports.take(imports.number())
		switch imports.byte() {
		case kindFunction:
			c.imported++
			imports.number()
		case kindTable:
			imports.byte()
			imports.limits()
		case kindMemory:
			imports.limits()
			c.memories++
		case kindGlobal:
			imports.take(2)
			c.globals++
		case kindTag:
			imports.numbers(2)
		}
	}
	c.defined = contentOf(wasm, 3).number()
	c.memories += contentOf(wasm, 5).number()
	c.tags = contentOf(wasm, 13).number()
	c.globals += uint32(contentOf(wasm, 6).number())
	bodies := contentOf(wasm, 10)
	for range bodies.number() {
		body := walk(bodies.take(bodies.number()))
		var locals uint64
		for range body.number() {
			locals += body.number()
			body.byte()
		}
		c.locals = max(c.locals, locals)
		for body.Len() > 0 {
			c.count(body.instruction())
		}
	}
	return c
}

func (w walker) limits() {
	if w.byte()&1 != 0 {
		w.number()
	}
	w.number()
}

func (c *census) count(op byte, operand uint64) {
	c.instructions++
	switch {
	case op == 0x03:
		c.loops++
	case op == 0x10:
		c.calls[operand]++
	case op == 0x11:
		c.indirect++
	case op == 0x12 || op == 0x13:
		c.tailCalls++
	case op == 0x40:
		c.bulk++
	case op == prefixMisc && operand == 10:
		c.copies++
	case op == prefixMisc && operand == 11:
		c.fills++
	case op == prefixMisc && (operand == 8 || operand == 12 || operand == 14 || operand == 15 || operand == 17):
		c.bulk++
	}
}

// instruction reads one instruction and returns it with its first operand, if that is a number.
func (w walker) instruction() (op byte, operand uint64) {
	op = w.byte()
	switch {
	case op == 0x02, op == 0x03, op == 0x04: // block, loop, if
		w.number()
	case op <= 0x01, op == opElse, op == opThrowRef, op == opEnd, op == opReturn, op == opDrop, op == opSelect,
		op == opRefIsNull,
		op >= opI32Eqz && op <= 0xc4:
	case op == 0x08, op >= 0x0c && op <= 0x0d, op == 0x10, op == 0x12, op >= 0x20 && op <= 0x26, op == 0x3f, op == 0x40,
		op == opI32Const, op == opI64Const, op == 0xd0, op == 0xd2:
		operand = w.number()
	case op == opBrTable:
		w.numbers(int(w.number()) + 1)
	case op == 0x11, op == 0x13, op >= opI32Load && op <= 0x3e:
		operand = w.number()
		w.number()
	case op == 0x1c:
		w.take(w.number())
	case op == 0x1f: // try_table
		w.number()
		for range w.number() {
			if w.byte() <= catchTagRef {
				w.number()
			}
			w.number()
		}
	case op == opF32Const:
		w.take(4)
	case op == opF64Const:
		w.take(8)
	case op == prefixMisc:
		operand = w.number()
		w.numbers(map[uint64]int{8: 2, 9: 1, 10: 2, 11: 1, 12: 2, 13: 1, 14: 2, 15: 1, 16: 1, 17: 1}[operand])
	case op == prefixVector:
		operand = w.number()
		switch {
		case operand <= 11 || operand == 92 || operand == 93:
			w.numbers(2)
		case operand == 12 || operand == 13:
			w.take(16)
		case operand >= 21 && operand <= 34:
			w.byte()
		case operand >= 84 && operand <= 91:
			w.numbers(2)
			w.byte()
		}
	case op == prefixAtomic:
		if operand = w.number(); operand == 3 {
			w.byte()
		} else {
			w.numbers(2)
		}
	default:
		panic(fmt.Sprintf("opcode %#x", op))
	}
	return op, operand
}
