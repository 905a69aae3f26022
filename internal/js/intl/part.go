package intl

import (
	"strings"
	"unicode/utf8"
)

// A Part is a piece of a formatted text, as formatToParts gives it.
type Part struct {
	Type   string `json:"type"`
	Value  string `json:"value"`
	Source string `json:"source,omitempty"` // startRange, endRange or shared, if it is a part of a range
	Unit   string `json:"unit,omitempty"`   // of a relative time's number
}

// joinParts returns the whole text.
func joinParts(parts []Part) string {
	n := 0
	for i := range parts {
		n += len(parts[i].Value)
	}
	var b strings.Builder
	b.Grow(n)
	for i := range parts {
		b.WriteString(parts[i].Value)
	}
	return b.String()
}

// tidyParts returns parts as ICU reports them: spaces and marks of direction at the ends of a part are literals, and
// equal neighbours are one.
func tidyParts(parts []Part) []Part {
	out := make([]Part, 0, len(parts)+2)
	put := func(kind, value string, like Part) {
		if value == "" {
			return
		}
		like.Type, like.Value = kind, value
		if n := len(out); n > 0 && out[n-1].Type == kind && out[n-1].Source == like.Source && kind != "group" {
			out[n-1].Value += value
			return
		}
		if kind == "literal" {
			like.Unit = ""
		}
		out = append(out, like)
	}
	for i := 0; i < len(parts); {
		p := parts[i]
		for i++; i < len(parts) && parts[i].Type == p.Type && parts[i].Source == p.Source; i++ {
			p.Value += parts[i].Value
		}
		if p.Type == "literal" || p.Type == "group" {
			put(p.Type, p.Value, p)
			continue
		}
		body := strings.TrimLeftFunc(p.Value, ignorable)
		put("literal", p.Value[:len(p.Value)-len(body)], p)
		text := strings.TrimRightFunc(body, ignorable)
		put(p.Type, text, p)
		put("literal", body[len(text):], p)
	}
	return out
}

// ignorable reports whether ICU leaves a character out of a part at its ends: white space, marks of direction and
// selectors of variants.
func ignorable(r rune) bool {
	switch {
	case r == '\t', r == ' ', r == 0xa0, r == 0x1680, r >= 0x2000 && r <= 0x200a, r == 0x202f, r == 0x205f, r == 0x3000:
		return true
	case r == 0x61c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	case r >= 0xfe00 && r <= 0xfe0f, r >= 0x180b && r <= 0x180d, r == 0x180f, r >= 0xe0100 && r <= 0xe01ef:
		return true
	}
	return false
}

// fill replaces {0}, {1}... of a pattern by lists of parts; the text between is of a kind.
func fill(pattern, kind string, args ...[]Part) []Part {
	var out []Part
	for pattern != "" {
		at := strings.IndexByte(pattern, '{')
		if at < 0 || at+2 >= len(pattern) || pattern[at+2] != '}' || int(pattern[at+1]-'0') >= len(args) {
			return append(out, Part{Type: kind, Value: pattern})
		}
		if at > 0 {
			out = append(out, Part{Type: kind, Value: pattern[:at]})
		}
		out = append(out, args[pattern[at+1]-'0']...)
		pattern = pattern[at+3:]
	}
	return out
}

// firstRune returns the first character of a text; lastRune the last one.
func firstRune(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }
func lastRune(s string) rune  { r, _ := utf8.DecodeLastRuneInString(s); return r }
