package filetext

import (
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// byteOrder is an order in which UTF-16 has its bytes.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

// leastUnmarked is how many bytes of UTF-16 must be there to tell it from binary data without a byte order mark.
const leastUnmarked = 16

// withoutMark returns the byte order of what is probably UTF-16 without a mark, or nil: of ASCII, one of two bytes is
// zero.
func withoutMark(content []byte) byteOrder {
	if len(content) < leastUnmarked || len(content)%2 != 0 {
		return nil
	}
	var zeros [2]int
	for i, c := range content {
		if c == 0 {
			zeros[i%2]++
		}
	}
	switch most := len(content) / 2 * 3 / 4; {
	case zeros[0] == 0 && zeros[1] >= most:
		return binary.LittleEndian
	case zeros[1] == 0 && zeros[0] >= most:
		return binary.BigEndian
	}
	return nil
}

// decodeUTF16 returns the text of UTF-16 without its mark. It reports false if it is not text.
func decodeUTF16(content []byte, order binary.ByteOrder) ([]byte, bool) {
	if len(content)%2 != 0 {
		return nil, false
	}
	text := make([]byte, 0, len(content)/2)
	for i := 0; i < len(content); i += 2 {
		r := rune(order.Uint16(content[i:]))
		switch {
		case utf16.IsSurrogate(r):
			if i += 2; i == len(content) {
				return nil, false
			}
			if r = utf16.DecodeRune(r, rune(order.Uint16(content[i:]))); r == utf8.RuneError {
				return nil, false
			}
		case r < ' ' && isBinaryControl(byte(r)), r == 0xfffe, r == 0xffff:
			return nil, false
		}
		text = utf8.AppendRune(text, r)
	}
	return text, true
}

func encodeUTF16(text []byte, order binary.AppendByteOrder, mark bool) []byte {
	content := make([]byte, 0, 2*len(text)+2)
	if mark {
		content = order.AppendUint16(content, 0xfeff)
	}
	for _, r := range string(text) {
		if r > 0xffff {
			first, second := utf16.EncodeRune(r)
			content = order.AppendUint16(content, uint16(first))
			r = second
		}
		content = order.AppendUint16(content, uint16(r))
	}
	return content
}

// isBinaryControl reports whether a control character does not occur in text.
func isBinaryControl(c byte) bool { return c < ' ' && (c < '\t' || c > '\r') && c != '\x1b' }
