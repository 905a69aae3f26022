package mcpclient

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/plaintext"
)

// cleanText is text of a stranger as a model may get it: valid, of limited length, without control characters, and
// without what people would not see.
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

// maxJoining is how many joiners and the like may follow each other: one that chooses a form and one that joins it to
// the next. With more of them, texts can be written.
const maxJoining = 2

// joins reports whether a character is one without which some languages and emojis are written wrong.
func joins(r rune) bool { return r == '\u200c' || r == '\u200d' || r == '\ufe0e' || r == '\ufe0f' }

// isHidden reports whether people do not see a character.
func isHidden(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// cleanLine is text of a stranger as one line.
func cleanLine(text string, limit int) string {
	return strings.Join(strings.FieldsFunc(cleanText(text, limit), func(r rune) bool { return r == '\n' || r == '\t' }),
		" ")
}

// cleanResult is a text that a tool has returned. It can be a file's, so that only control characters are taken out.
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
