package mcpclient

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// cleanText makes untrusted text suitable for a model: valid UTF-8 of limited length, without control characters, and
// without characters that people would not see.
func cleanText(text string, limit int) string {
	joining := maxJoining
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			joining = maxJoining
			return r
		case joins(r) && joining < maxJoining:
			joining++
			return r
		case unicode.IsControl(r) || isHidden(r):
			return -1
		}
		joining = 0
		return r
	}, plaintext.Clean(text, limit))
}

// maxJoining limits consecutive invisible characters that are allowed: a variation selector and a joiner. Longer
// sequences could encode hidden text.
const maxJoining = 2

// joins reports whether an invisible character is needed to write some languages and emojis correctly.
func joins(r rune) bool { return r == '\u200c' || r == '\u200d' || r == '\ufe0e' || r == '\ufe0f' }

// isHidden reports whether a character is invisible.
func isHidden(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// cleanLine is cleanText on a single line.
func cleanLine(text string, limit int) string {
	return strings.Join(strings.FieldsFunc(cleanText(text, limit), func(r rune) bool { return r == '\n' || r == '\t' }),
		" ")
}

// cleanResult removes control characters from the text of a result. Everything else stays, because it may come from a
// file.
func cleanResult(text string) string {
	clean := true
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' && c != '\n' && c != '\t' && c != '\r' || c == 0x7f || c >= utf8.RuneSelf {
			clean = false
			break
		}
	}
	if clean {
		return text
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && r != '\r' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}
