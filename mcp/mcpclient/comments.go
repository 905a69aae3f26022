package mcpclient

import "bytes"

// plainJSON returns JSON for what editors take as JSON: comments, and commas after the last value of an object or an
// array, become blanks, so that all else stays in its place. Text that is JSON is not changed, and one that is wrong
// otherwise stays wrong.
func plainJSON(data []byte) []byte {
	out := bytes.Clone(data)
	comma := -1     // the place of one that is blanked if nothing comes after it
	last := byte(0) // the last byte that means something
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
			for ; end < len(out) && out[end] != '"'; end++ {
				if out[end] == '\\' {
					end++
				}
			}
			end++
			comma = -1
		case c == ',':
			if comma = i; bytes.IndexByte([]byte("\x00[{,:"), last) >= 0 { // there is no value before it
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

// commentEnd returns where the comment that begins at i ends, or -1 if it does not.
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
