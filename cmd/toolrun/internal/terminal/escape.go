package terminal

import (
	"fmt"
	"unicode/utf8"
)

// Escape returns text that cannot control a terminal. Everything that is not plain text is written as an escape of
// JavaScript, such as \x1b: control characters except newlines and tabs, C1 controls (which some terminals take for
// ESC [ and the like), characters that change the direction of text, separators of lines and paragraphs, and
// invalid UTF-8.
func Escape(text string) string { return string(appendEscaped(nil, []byte(text), true)) }

// appendEscaped appends the escaped form of text. An incomplete character at the end is escaped byte by byte if the
// text is complete, and otherwise left out.
func appendEscaped(to, text []byte, complete bool) []byte {
	for len(text) > 0 {
		if !complete && !utf8.FullRune(text) {
			break
		}
		r, size := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && size == 1:
			to = fmt.Appendf(to, `\x%02x`, text[0])
		case drives(r) && r < 0x100:
			to = fmt.Appendf(to, `\x%02x`, r)
		case drives(r):
			to = fmt.Appendf(to, `\u%04x`, r)
		default:
			to = append(to, text[:size]...)
		}
		text = text[size:]
	}
	return to
}

// drives reports whether a character does anything to a terminal but appear.
func drives(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < ' ', r >= 0x7f && r < 0xa0:
		return true
	}
	switch r {
	case 0x61c, 0x200e, 0x200f, 0x2028, 0x2029:
		return true
	}
	return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// incomplete returns how many bytes at the end of text are an incomplete character.
func incomplete(text []byte) int {
	for i := 1; i < utf8.UTFMax && i <= len(text); i++ {
		if tail := text[len(text)-i:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				return i
			}
			break
		}
	}
	return 0
}
