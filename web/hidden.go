package web

import (
	"fmt"
	"strings"
	"unicode"
)

// isHidden reports whether a character is not seen, or makes others look different: controls, marks of direction, and
// some without a width. The joiners that scripts and emoji need are not among them.
func isHidden(r rune) bool {
	switch {
	case r == 0x200c, r == 0x200d:
		return false
	case r == 0x2028, r == 0x2029, r == 0xfffd, r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0:
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r)
}

// shown returns a name with characters that are hidden written out, so that it cannot be taken for another one.
func shown(name string) string {
	if !strings.ContainsFunc(name, isHidden) {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		if isHidden(r) {
			fmt.Fprintf(&b, "\u2039U+%04X\u203a", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
