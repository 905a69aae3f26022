// Package jsontree processes JSON without losing what Go's maps lose: the order of members, and the digits of
// numbers.
//
//   - Check, Members and Elements read a text without decoding it.
//   - Decode makes maps and slices, but refuses text that could mean different things to different readers.
//   - Parse makes a tree of nodes.
//   - Marshal and AppendString write JSON.
package jsontree

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Limits bound what decoding a JSON text produces. Zero means no limit.
type Limits struct {
	// Depth limits the nesting of arrays and objects. A text without any has depth 0.
	Depth int
	// Values limits the number of values: each array, object, string, number, true, false, null and name of a member
	// counts as one.
	Values int
}

// A LimitError means that a JSON text exceeds a limit.
type LimitError struct {
	// What is "levels of nesting" or "values".
	What string
	// Limit is the exceeded limit.
	Limit int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the JSON has more than %d %s", e.Limit, e.What)
}

// Check returns a [LimitError] if a JSON text exceeds a limit. It reads the text once, stops at the first excess
// and allocates nothing. It does not check whether the text is valid; invalid text is measured up to where a
// decoder would fail.
func Check(text []byte, limits Limits) error {
	_, err := walk(text, 0, limits, false)
	return err
}

// Separators counts the commas and opening brackets of a JSON text, including those in its strings. The count is a
// fast upper bound for the nesting and, together with the length of the text, for the memory that decoding takes.
func Separators(text []byte) int {
	return bytes.Count(text, []byte(",")) + bytes.Count(text, []byte("[")) + bytes.Count(text, []byte("{"))
}

// Members calls do with each member of an object, in order, also with repeated names. The value is part of the
// text, and so is the name, unless it has escapes. Members reports whether the text, which must be valid JSON, is
// an object.
func Members(text []byte, do func(name, value []byte)) bool {
	return inside(text, '{', func(text []byte, i int) int {
		end := SkipString(text, i)
		if text[i] != '"' || end < i+2 { // the text is not valid
			return len(text)
		}
		name := text[i+1 : end-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			var unquoted string
			_ = json.Unmarshal(text[i:end], &unquoted) // it is valid
			name = []byte(unquoted)
		}
		i = SkipBlanks(text, end)
		i = SkipBlanks(text, min(i+1, len(text))) // after the colon
		end = skipValue(text, i)
		do(name, text[i:end])
		return end
	})
}

// Elements calls do with each element of an array, in order, until it returns false. An element is part of the
// text. Elements reports whether the text, which must be valid JSON, is an array.
func Elements(text []byte, do func(element []byte) bool) bool {
	return inside(text, '[', func(text []byte, i int) int {
		end := skipValue(text, i)
		if !do(text[i:end]) {
			return len(text)
		}
		return end
	})
}

// inside calls item at the start of each item of an object or an array. item returns the end of the item.
func inside(text []byte, open byte, item func(text []byte, i int) (end int)) bool {
	i := SkipBlanks(text, 0)
	if i == len(text) || text[i] != open {
		return false
	}
	// ] and } are two after [ and {
	for i = SkipBlanks(text, i+1); i < len(text) && text[i] != open+2; i = SkipBlanks(text, i) {
		if text[i] == ',' {
			i++
			continue
		}
		i = item(text, i)
	}
	return true
}

// skipValue returns the end of the value that begins at i.
func skipValue(text []byte, i int) int {
	end, _ := walk(text, i, Limits{}, true)
	return end
}

// walk reads the tokens of a text from i on, up to the end of the first value if one is set, else of the text. It
// returns that position.
func walk(text []byte, i int, limits Limits, one bool) (end int, err error) {
	depth, values := 0, 0
	for i < len(text) {
		switch text[i] {
		case '{', '[':
			depth++
			values++
			i++
			if limits.Depth > 0 && depth > limits.Depth {
				return i, &LimitError{"levels of nesting", limits.Depth}
			}
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\r', '\n':
			i++
			continue
		case '"':
			values++
			i = SkipString(text, i)
		default:
			values++
			i = skipLiteral(text, i)
		}
		if limits.Values > 0 && values > limits.Values {
			return i, &LimitError{"values", limits.Values}
		}
		if one && depth <= 0 {
			return i, nil
		}
	}
	return len(text), nil
}

// SkipString returns the end of the string that begins at i, or that of the text.
func SkipString(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(text)
}

// skipLiteral returns the end of the number, true, false or null that begins at i.
func skipLiteral(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case ',', ':', '{', '}', '[', ']', '"', ' ', '\t', '\r', '\n':
			return i
		}
	}
	return len(text)
}

// SkipBlanks returns the first position from i on that is not white space, or the length of the text.
func SkipBlanks(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n') {
		i++
	}
	return i
}
