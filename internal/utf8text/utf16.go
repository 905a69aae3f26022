package utf8text

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// FromUTF16 makes text of little-endian code units: at most limit bytes of it, and cut is how many are left out. Half of a pair
// becomes U+FFFD, and a last odd byte nothing.
func FromUTF16(data []byte, limit int) (text []byte, cut int) {
	size := sizeUTF16(data)
	out := make([]byte, 0, min(size, limit))
	for i := 0; i+1 < len(data); i += 2 {
		r := rune(binary.LittleEndian.Uint16(data[i:]))
		if utf16.IsSurrogate(r) {
			next := rune(0)
			if i+3 < len(data) {
				next = rune(binary.LittleEndian.Uint16(data[i+2:]))
			}
			if r = utf16.DecodeRune(r, next); r != utf8.RuneError {
				i += 2
			}
		}
		if len(out)+utf8.RuneLen(r) > limit {
			break
		}
		out = utf8.AppendRune(out, r)
	}
	return out, size - len(out)
}

// sizeUTF16 is how many bytes of UTF-8 the code units make. It is apart from decoding because it runs over all of a
// string of which only the beginning is wanted.
func sizeUTF16(data []byte) int {
	size := 0
	for i := 0; i+1 < len(data); i += 2 {
		switch c := binary.LittleEndian.Uint16(data[i:]); {
		case c < 0x80:
			size++
		case c < 0x800:
			size += 2
		case c >= 0xd800 && c < 0xdc00 && i+3 < len(data) && data[i+3]&0xfc == 0xdc:
			size += 4
			i += 2
		default:
			size += 3
		}
	}
	return size
}
