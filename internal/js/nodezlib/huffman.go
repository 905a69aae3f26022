package nodezlib

import "math/bits"

// fastBits is how long a code may be that is found in one step.
const fastBits = 9

// maxCode is how long a code can be.
const maxCode = 15

// huffman decodes symbols of a code.
type huffman struct {
	// by the next bits: the symbol, and the length of its code in the lowest 4 bits; 0 if it is longer
	fast    [1 << fastBits]uint16
	count   [maxCode + 1]uint16 // codes of each length
	symbols [288]uint16         // in the order of their codes
}

// build makes the code in which symbols have these lengths. It is false if there is none, or if it lacks codes, except
// for one of a single code if that is allowed.
func (h *huffman) build(lengths []uint8, single bool) bool {
	*h = huffman{}
	for _, n := range lengths {
		h.count[n]++
	}
	if int(h.count[0]) == len(lengths) {
		h.count[0] = 0
		return true // decoding anything fails
	}
	h.count[0] = 0
	left, longest := 1, 0
	var offsets, codes [maxCode + 2]uint16
	for n := 1; n <= maxCode; n++ {
		left = left<<1 - int(h.count[n])
		if left < 0 {
			return false
		}
		if h.count[n] > 0 {
			longest = n
		}
		offsets[n+1] = offsets[n] + h.count[n]
		codes[n+1] = (codes[n] + h.count[n]) << 1
	}
	if left > 0 && (!single || longest != 1) {
		return false
	}
	for symbol, n := range lengths {
		if n == 0 {
			continue
		}
		h.symbols[offsets[n]] = uint16(symbol)
		offsets[n]++
		code := codes[n]
		codes[n]++
		if n <= fastBits {
			for i := int(bits.Reverse16(code) >> (16 - n)); i < len(h.fast); i += 1 << n {
				h.fast[i] = uint16(symbol)<<4 | uint16(n)
			}
		}
	}
	return true
}

// empty reports whether there are no codes at all.
func (h *huffman) empty() bool { return h.count == [maxCode + 1]uint16{} }

// decode returns the symbol whose code the bits begin with, and the code's length. The length is 0 if there is none.
func (h *huffman) decode(hold uint64) (symbol int, length uint) {
	if entry := h.fast[hold&(1<<fastBits-1)]; entry != 0 {
		return int(entry >> 4), uint(entry & 15)
	}
	code, first, index := 0, 0, 0
	for n := 1; n <= maxCode; n++ {
		code |= int(hold & 1)
		hold >>= 1
		count := int(h.count[n])
		if code-count < first {
			return int(h.symbols[index+code-first]), uint(n)
		}
		index += count
		first = (first + count) << 1
		code <<= 1
	}
	return 0, 0
}

// fixedLiterals and fixedDistances are the code of blocks that bring none.
var fixedLiterals, fixedDistances = func() (literals, distances huffman) {
	var lengths [288]uint8
	for i := range lengths {
		switch {
		case i < 144:
			lengths[i] = 8
		case i < 256:
			lengths[i] = 9
		case i < 280:
			lengths[i] = 7
		default:
			lengths[i] = 8
		}
	}
	literals.build(lengths[:], false)
	var five [32]uint8
	for i := range five {
		five[i] = 5
	}
	distances.build(five[:], false)
	return literals, distances
}()
