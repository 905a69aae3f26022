package jsontree

import (
	"bytes"
	"encoding/json"
)

// Members calls do with each member of an object, in order, a name that is there twice included. The value is part of
// the text, and so is the name, unless it has escapes. It reports whether the text, which must be valid JSON, is an
// object.
func Members(text []byte, do func(name, value []byte)) bool {
	return inside(text, '{', func(text []byte, i int) int {
		end := skipString(text, i)
		if text[i] != '"' || end < i+2 { // it is not valid
			return len(text)
		}
		name := text[i+1 : end-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			var unquoted string
			_ = json.Unmarshal(text[i:end], &unquoted) // it is valid
			name = []byte(unquoted)
		}
		i = skipBlanks(text, end)
		i = skipBlanks(text, min(i+1, len(text))) // after the colon
		end = skipValue(text, i)
		do(name, text[i:end])
		return end
	})
}

// Elements calls do with each element of an array, in order, until it returns false. An element is part of the text. It
// reports whether the text, which must be valid JSON, is an array.
func Elements(text []byte, do func(element []byte) bool) bool {
	return inside(text, '[', func(text []byte, i int) int {
		end := skipValue(text, i)
		if !do(text[i:end]) {
			return len(text)
		}
		return end
	})
}

// inside calls item where each item of an object or an array begins. It returns where the item ends.
func inside(text []byte, open byte, item func(text []byte, i int) (end int)) bool {
	i := skipBlanks(text, 0)
	if i == len(text) || text[i] != open {
		return false
	}
	for i = skipBlanks(text, i+1); i < len(text) && text[i] != open+2; i = skipBlanks(text, i) { // ] and } are two behind
		if text[i] == ',' {
			i++
			continue
		}
		i = item(text, i)
	}
	return true
}

// skipValue returns where the value that begins at i ends.
func skipValue(text []byte, i int) int {
	for depth := 0; i < len(text); {
		switch text[i] {
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\r', '\n':
			i++
			continue
		case '"':
			i = skipString(text, i)
		default:
			i = skipLiteral(text, i)
		}
		if depth <= 0 {
			return i
		}
	}
	return len(text)
}

func skipBlanks(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n') {
		i++
	}
	return i
}
