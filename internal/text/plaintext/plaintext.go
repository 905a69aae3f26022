// Package plaintext shortens text without cutting characters.
package plaintext

import (
	"strings"
	"unicode/utf8"
)

// Cut shortens text to at most limit bytes, and marks a cut with an ellipsis.
func Cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	return text[:Boundary(text, limit)] + "..."
}

// Around shortens text to about limit bytes around a place, and marks cuts with an ellipsis.
func Around(text string, at, limit int) string {
	if len(text) <= limit {
		return text
	}
	begin := Boundary(text, max(0, min(at-limit/4, len(text)-limit)))
	if begin == 0 {
		return Cut(text, limit)
	}
	return "..." + Cut(text[begin:], limit)
}

// Clean is Cut, and replaces what is not UTF-8 by U+FFFD.
func Clean(text string, limit int) string { return strings.ToValidUTF8(Cut(text, limit), "\uFFFD") }

// WithoutDataURLs returns text with another text in the place of each data URL in base64.
func WithoutDataURLs(text, instead string) string {
	const scheme, mark, longestType = "data:", ";base64,", 300
	var b strings.Builder
	for {
		i := strings.Index(text, mark)
		if i < 0 {
			break
		}
		rest := text[i+len(mark):]
		start := strings.LastIndex(text[max(0, i-longestType):i], scheme)
		if start < 0 {
			b.WriteString(text[:i+len(mark)])
			text = rest
			continue
		}
		b.WriteString(text[:max(0, i-longestType)+start] + instead)
		text = strings.TrimLeftFunc(rest, func(r rune) bool {
			return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
				strings.ContainsRune("+/=-_%", r)
		})
	}
	b.WriteString(text)
	return b.String()
}

// Subtitle is the first line of a description, at most 80 bytes of it, for lists of tools.
func Subtitle(description string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(description), "\n")
	return Cut(strings.TrimSpace(line), 80)
}

// Boundary returns the last place at or before i that is not inside a character.
func Boundary(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return min(i, len(text))
}
