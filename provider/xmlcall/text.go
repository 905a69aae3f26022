package xmlcall

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// escape returns text that contains no tag of the format, nothing that could be taken for one, and no unintended
// reference. Everything else is unchanged, so code stays readable. unescape restores the text.
func escape(text string) string { return escaped(text, "<&") }

// escapeTags is escape for text that is only read: it leaves references alone.
func escapeTags(text string) string { return escaped(text, "<") }

// escaped is escape for some of the characters with which something can begin.
func escaped(text, begins string) string {
	var b strings.Builder
	for {
		i := strings.IndexAny(text, begins)
		if i < 0 && b.Len() == 0 {
			return text
		}
		if i < 0 {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		text = text[i:]
		_, n := reference(text)
		switch {
		case n > 0:
			b.WriteString("&amp;")
		case looksLikeTag(text):
			b.WriteString("&lt;")
		default:
			b.WriteByte(text[0])
		}
		text = text[1:]
	}
}

// looksLikeTag reports whether text begins with what a reader may take for a tag of calls or of results, whoever wrote
// it: white space and slashes before the name, capitals, and characters that nobody sees do not matter.
func looksLikeTag(text string) bool {
	rest, ok := strings.CutPrefix(text, "<")
	if !ok {
		return false
	}
	rest = strings.TrimLeftFunc(rest, func(r rune) bool { return r == '/' || unicode.IsSpace(r) || invisible(r) })
	for _, begin := range []string{"tool:", "param:", resultTag, "![cdata["} {
		if looksLike(rest, begin) {
			return true
		}
	}
	return false
}

// looksLike reports whether text begins like a name, which is in ASCII.
func looksLike(text, name string) bool {
	for _, r := range text {
		if invisible(r) {
			continue
		}
		if !strings.EqualFold(string(r), name[:1]) {
			return false
		}
		if name = name[1:]; name == "" {
			return true
		}
	}
	return false
}

// invisible reports whether a character is not seen, and is no space either. Bytes that are no UTF-8 may be left out
// by somebody.
func invisible(r rune) bool {
	return unicode.IsControl(r) && !unicode.IsSpace(r) || r == utf8.RuneError ||
		unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// unescape replaces references by what they stand for.
func unescape(text string) string {
	i := strings.IndexByte(text, '&')
	if i < 0 {
		return text
	}
	var b strings.Builder
	for ; i >= 0; i = strings.IndexByte(text, '&') {
		b.WriteString(text[:i])
		text = text[i:]
		if r, n := reference(text); n > 0 {
			b.WriteRune(r)
			text = text[n:]
		} else {
			b.WriteByte('&')
			text = text[1:]
		}
	}
	b.WriteString(text)
	return b.String()
}

// maxReference is how long a reference can be.
const maxReference = len("&#x0010FFFF;")

// reference returns the character that the reference at the beginning of text stands for, and the length of the
// reference, or 0 if text does not begin with one.
func reference(text string) (r rune, n int) {
	if !strings.HasPrefix(text, "&") {
		return 0, 0
	}
	end := strings.IndexByte(text[:min(len(text), maxReference)], ';')
	if end < 0 {
		return 0, 0
	}
	switch name := text[1:end]; name {
	case "lt":
		return '<', end + 1
	case "gt":
		return '>', end + 1
	case "amp":
		return '&', end + 1
	case "quot":
		return '"', end + 1
	case "apos":
		return '\'', end + 1
	default:
		digits, ok := strings.CutPrefix(name, "#")
		base := 10
		if hex, isHex := strings.CutPrefix(strings.ToLower(digits), "x"); isHex {
			digits, base = hex, 16
		}
		code, err := strconv.ParseUint(digits, base, 32)
		if !ok || err != nil || code == 0 || code > utf8.MaxRune || !utf8.ValidRune(rune(code)) {
			return 0, 0
		}
		return rune(code), end + 1
	}
}

// A segment is a piece of a value: text, or what is in a CDATA section.
type segment struct {
	text    string
	section bool
}

// join returns the value that segments make.
func join(segments []segment) string {
	if section, ok := onlySection(segments); ok {
		return trimNewlines(section)
	}
	if len(segments) == 1 {
		return unescape(trimNewlines(segments[0].text))
	}
	var b strings.Builder
	for i, s := range segments {
		switch {
		case s.section:
			b.WriteString(s.text)
		case i == 0:
			b.WriteString(unescape(trimFirstNewline(s.text)))
		case i == len(segments)-1:
			b.WriteString(unescape(trimLastNewline(s.text)))
		default:
			b.WriteString(unescape(s.text))
		}
	}
	return b.String()
}

// onlySection returns what is in the section if there is nothing but one, and white space.
func onlySection(segments []segment) (section string, ok bool) {
	for _, s := range segments {
		switch {
		case s.section && ok, !s.section && strings.TrimSpace(s.text) != "":
			return "", false
		case s.section:
			section, ok = s.text, true
		}
	}
	return section, ok
}

// trimNewlines takes a newline from either end. If the first one is only a line feed, so is the last one, and a
// carriage return before it belongs to the value.
func trimNewlines(s string) string {
	if rest, ok := strings.CutPrefix(s, "\n"); ok {
		return strings.TrimSuffix(rest, "\n")
	}
	return trimLastNewline(trimFirstNewline(s))
}

func trimFirstNewline(s string) string {
	if rest, ok := strings.CutPrefix(s, "\r\n"); ok {
		return rest
	}
	return strings.TrimPrefix(s, "\n")
}

func trimLastNewline(s string) string {
	if rest, ok := strings.CutSuffix(s, "\r\n"); ok {
		return rest
	}
	return strings.TrimSuffix(s, "\n")
}
