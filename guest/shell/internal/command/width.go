package command

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// Width returns how many columns of a terminal a text takes. Control characters take none.
func Width(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			if s[i] >= ' ' && s[i] != 127 {
				n++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		n += RuneWidth(r)
	}
	return n
}

// RuneWidth returns how many columns of a terminal a character takes: 0, 1 or 2.
func RuneWidth(r rune) int {
	switch k := width.LookupRune(r).Kind(); {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case k == width.EastAsianWide || k == width.EastAsianFullwidth:
		return 2
	}
	return 1
}
