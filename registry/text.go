package registry

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// printable replaces control characters and invalid UTF-8, so that the text of a model or a client can be shown.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
