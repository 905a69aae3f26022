// Package jsontree reads JSON text without decoding it.
package jsontree

import "fmt"

// Limits bound what decoding a JSON text may make. Zero means no limit.
type Limits struct {
	// Depth is how deeply arrays and objects may be nested. A text without any has depth 0.
	Depth int
	// Values is how many values there may be: each array, object, string, number, true, false, null and name of a member
	// counts as one.
	Values int
}

// LimitError says which limit a JSON text exceeds.
type LimitError struct {
	// What is counted: "levels of nesting" or "values".
	What string
	// Limit is the limit that is exceeded.
	Limit int
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("the JSON has more than %d %s", e.Limit, e.What)
}

// Check returns a [LimitError] if a JSON text exceeds a limit. It reads the text once, stops at the first excess and
// allocates nothing, whatever the text is; whether the text is valid JSON is for the decoder to say. Text that is not
// valid is measured as a decoder would measure what it reads before it fails.
func Check(text []byte, limits Limits) error {
	depth, values := 0, 0
	for i := 0; i < len(text); {
		switch text[i] {
		case '{', '[':
			depth++
			values++
			i++
			if limits.Depth > 0 && depth > limits.Depth {
				return &LimitError{"levels of nesting", limits.Depth}
			}
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\r', '\n':
			i++
			continue
		case '"':
			values++
			i = skipString(text, i)
		default:
			values++
			i = skipLiteral(text, i)
		}
		if limits.Values > 0 && values > limits.Values {
			return &LimitError{"values", limits.Values}
		}
	}
	return nil
}

// skipString returns where the string that begins at i ends.
func skipString(text []byte, i int) int {
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

// skipLiteral returns where the number, true, false or null that begins at i ends.
func skipLiteral(text []byte, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case ',', ':', '{', '}', '[', ']', '"', ' ', '\t', '\r', '\n':
			return i
		}
	}
	return len(text)
}
