package mcpclient

import (
	"bytes"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// plainJSON converts JSON with comments and trailing commas, as editors write it, to plain JSON. It replaces them by
// blanks, so that all positions stay. Plain JSON stays unchanged, and text with other faults stays invalid.
func plainJSON(data []byte) []byte {
	out := bytes.Clone(data)
	comma := -1     // the position of a comma that is blanked if no value follows
	last := byte(0) // the last byte that is not blank
	for i := 0; i < len(out); {
		c, end := out[i], i+1
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			i = end
			continue
		case bytes.HasPrefix(out[i:], []byte("//")), bytes.HasPrefix(out[i:], []byte("/*")):
			if end = commentEnd(out, i); end < 0 {
				return out
			}
			for ; i < end; i++ {
				out[i] = ' '
			}
			continue
		case c == '"':
			end, comma = jsontree.SkipString(out, i), -1
		case c == ',':
			if comma = i; bytes.IndexByte([]byte("\x00[{,:"), last) >= 0 { // no value precedes the comma
				comma = -1
			}
		case c == ']' || c == '}':
			if comma >= 0 {
				out[comma] = ' '
			}
			comma = -1
		default:
			comma = -1
		}
		last, i = c, end
	}
	return out
}

// commentEnd returns the end of the comment that begins at i, or -1 if it is not closed.
func commentEnd(text []byte, i int) int {
	if text[i+1] == '*' {
		if n := bytes.Index(text[i+2:], []byte("*/")); n >= 0 {
			return i + 2 + n + 2
		}
		return -1
	}
	if n := bytes.IndexAny(text[i:], "\r\n"); n >= 0 {
		return i + n
	}
	return len(text)
}
