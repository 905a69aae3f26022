package registry

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable returns a text of a model or a client without control characters, so that it can be shown.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
