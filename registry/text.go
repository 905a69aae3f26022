package registry

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable is text that a model or a client has invented, as it can be shown: without control characters.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
