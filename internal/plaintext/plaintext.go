// Package plaintext shortens text without cutting characters.
package plaintext

import "unicode/utf8"

// Cut shortens text to some bytes, and adds an ellipsis if anything is missing.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return text[:Boundary(text, limit)] + "..."
}

// Boundary is the last place at or before i where no character is cut.
func Boundary(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return min(i, len(text))
}
