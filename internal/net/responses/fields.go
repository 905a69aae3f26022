package responses

import (
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/network"
)

// Code has the bytes of a header as a text: each character is the byte with its number, as in JavaScript and CPython.

// NewField returns a field of a header from its name and the text of its value. The error is a
// [*network.Error].
func NewField(name, text string) (network.Field, error) {
	value := make([]byte, 0, len(text))
	for _, c := range text {
		if c > 0xff {
			return network.Field{}, &network.Error{Kind: network.KindInvalid, Message: fmt.Sprintf(
				"the header %.100q has a character above U+00FF: each stands for one byte", name)}
		}
		value = append(value, byte(c))
	}
	return network.Field{Name: name, Value: string(value)}, nil
}

// Text returns the text of bytes.
func Text(bytes string) string {
	var b strings.Builder
	for i := range len(bytes) {
		b.WriteRune(rune(bytes[i]))
	}
	return b.String()
}
