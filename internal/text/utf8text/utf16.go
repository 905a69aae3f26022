package utf8text

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendUTF16 decodes little-endian code units and appends them to text, up to limit bytes. It reports whether it
// reached the end. An unpaired surrogate becomes U+FFFD; a last odd byte is dropped.
func AppendUTF16(text, data []byte, limit int) (more []byte, end bool) {
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
		if len(text)+utf8.RuneLen(r) > limit {
			return text, true
		}
		text = utf8.AppendRune(text, r)
	}
	return text, false
}

// SizeUTF16 returns how many bytes of UTF-8 the code units become.
func SizeUTF16(data []byte) int {
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
