package intl

import "strings"

// A numberPattern is a pattern of CLDR, such as #,##0.00 ¤;(#,##0.00 ¤).
type numberPattern struct {
	prefix, suffix                 []affixToken
	negativePrefix, negativeSuffix []affixToken
	hasNegative                    bool

	primary, secondary int // sizes of the groups of digits; 0 for none
	zeros              int // how many zeros it has: those that a compact number shows
	digits             bool
}

// An affixToken is a sign of a pattern (- + % ‰ ¤), or a text.
type affixToken struct {
	sign rune // 0 for a text
	text string
}

// parsePattern reads a pattern. Patterns are part of the data.
func parsePattern(text string) numberPattern {
	var p numberPattern
	positive, negative, found := cutUnquoted(text)
	var body string
	p.prefix, body, p.suffix = splitPattern(positive)
	if found {
		p.hasNegative = true
		p.negativePrefix, _, p.negativeSuffix = splitPattern(negative)
	}
	p.digits = body != ""
	whole, _, _ := strings.Cut(body, ".")
	p.zeros = strings.Count(whole, "0")
	if last := strings.LastIndexByte(whole, ','); last >= 0 {
		p.primary = len(whole) - last - 1
		p.secondary = p.primary
		if before := strings.LastIndexByte(whole[:last], ','); before >= 0 {
			p.secondary = last - before - 1
		}
	}
	return p
}

// cutUnquoted splits a pattern at the semicolon that is not between quotes.
func cutUnquoted(text string) (positive, negative string, found bool) {
	quoted := false
	for i := range len(text) {
		switch {
		case text[i] == '\'':
			quoted = !quoted
		case text[i] == ';' && !quoted:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

// splitPattern takes a pattern apart: what is before the digits, the digits, and what follows.
func splitPattern(text string) (prefix []affixToken, body string, suffix []affixToken) {
	out := &prefix
	literal := ""
	flush := func() {
		if literal != "" {
			*out = append(*out, affixToken{text: literal})
			literal = ""
		}
	}
	quoted := false
	runes := []rune(text)
	for i := 0; i < len(runes); i++ {
		c := runes[i]
		switch {
		case c == '\'' && i+1 < len(runes) && runes[i+1] == '\'':
			literal += "'"
			i++
		case c == '\'':
			quoted = !quoted
		case quoted:
			literal += string(c)
		case strings.ContainsRune("#0,.", c):
			// A separator is part of the digits only beside them.
			if c == '#' || c == '0' || body != "" && out == &prefix {
				if out == &prefix && body == "" {
					flush()
				}
				if out == &suffix {
					literal += string(c)
					continue
				}
				body += string(c)
				continue
			}
			literal += string(c)
		default:
			if body != "" && out == &prefix {
				out = &suffix
			}
			if strings.ContainsRune("-+%‰¤", c) {
				flush()
				*out = append(*out, affixToken{sign: c})
				continue
			}
			literal += string(c)
		}
	}
	if body != "" && out == &prefix {
		out = &suffix
	}
	flush()
	return prefix, body, suffix
}
