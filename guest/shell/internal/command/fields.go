package command

import "math/bits"

// IsBlank reports whether a byte separates fields, if nothing else is said: a space, a tab or a newline.
func IsBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }

// A Span is where a field of a text begins and ends.
type Span struct{ From, To uint32 }

// Fields adds the fields of a text from a place on, which are what is between blanks, until there are n. Calls and
// turns of loops are slow in WebAssembly, so it calls nothing and looks at eight bytes together.
func Fields(fields []Span, text string, at, n int) []Span {
	for len(fields) < n {
		for at < len(text) && IsBlank(text[at]) {
			at++
		}
		if at == len(text) {
			break
		}
		from := at
		for at+8 <= len(text) {
			b := text[at : at+8]
			eight := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
				uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
			// The lowest bit that is set here is of the first byte that is a space or less. Those above may be wrong.
			const each = 0x0101010101010101
			found := (eight - each*(' '+1)) &^ eight & (each * 0x80)
			if found == 0 {
				at += 8
				continue
			}
			at += bits.TrailingZeros64(found) / 8
			if IsBlank(text[at]) {
				break
			}
			at++
		}
		for at < len(text) && !IsBlank(text[at]) {
			at++
		}
		fields = append(fields, Span{uint32(from), uint32(at)})
	}
	return fields
}
