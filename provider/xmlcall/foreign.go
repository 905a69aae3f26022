package xmlcall

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// Descriptions and names can come from anywhere, such as a server that somebody has connected. What follows keeps them
// from looking like another part of the prompt.

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f",
	"\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// prose returns a description without tags, and all of it indented if it has a heading: so code in it stays code.
func prose(text string) string {
	text = escapeTags(strings.TrimSpace(lineBreaks.Replace(text)))
	lines := strings.Split(text, "\n")
	for _, line := range lines {
		if looksLikeHeading(line) {
			const indent = "    "
			return indent + strings.Join(lines, "\n"+indent)
		}
	}
	return text
}

// looksLikeHeading reports whether a line can be taken for a heading, or for what makes one of the line before it.
func looksLikeHeading(line string) bool {
	line = strings.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || invisible(r) })
	for _, mark := range []string{"#", "\uff03", "\ufe5f"} {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return line != "" && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "")
}

// memberName writes a name as in JSON, in quotes if it contains invisible characters.
func memberName(name string) string {
	odd := func(r rune) bool { return r == '`' || !unicode.IsPrint(r) }
	if strings.IndexFunc(name, odd) >= 0 {
		raw, _ := jsontree.Marshal(name) // a string always can be
		name = written(string(raw), odd)
	}
	return escape(name)
}

// written writes some of the characters of a JSON text as \u and a number.
func written(raw string, these func(rune) bool) string {
	var b strings.Builder
	for _, r := range raw {
		switch {
		case !these(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
