package javascript

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxJSONSource is how many bytes a text may have for which JSON.parse says where it is wrong.
const maxJSONSource = 16 << 20

// jsonError returns what V8 says of a text that is not JSON, or "" if it is.
//
// See JsonParser in https://github.com/v8/v8/blob/11.3.244/src/json/json-parser.cc
func jsonError(source string) string {
	p := jsonParser{source: source}
	p.value()
	return p.failure
}

// A jsonParser reads JSON as V8 does, until the first failure.
type jsonParser struct {
	source  string
	at      int    // in bytes
	open    []byte // the brackets that are open
	failure string
}

// peek returns the byte at the position, or 0 at the end: no JSON has a byte 0 outside of strings.
func (p *jsonParser) peek() byte {
	if p.at >= len(p.source) {
		return 0
	}
	return p.source[p.at]
}

func (p *jsonParser) space() {
	for p.at < len(p.source) && strings.IndexByte(" \t\n\r", p.source[p.at]) >= 0 {
		p.at++
	}
}

// take steps over a byte after white space, if it is there.
func (p *jsonParser) take(c byte) bool {
	p.space()
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

// fail records what is wrong at the position.
func (p *jsonParser) fail(what string) bool {
	p.failure = what + " in JSON at position " + strconv.Itoa(units(p.source[:p.at]))
	return false
}

// value reads the whole text: values, and what is around them.
func (p *jsonParser) value() {
	for {
		p.space()
		switch c := p.peek(); {
		case c == '{':
			p.at++
			if !p.take('}') {
				p.open = append(p.open, '{')
				if !p.name("Expected property name or '}'", "Expected ':' after property name") {
					return
				}
				continue
			}
		case c == '[':
			p.at++
			if !p.take(']') {
				p.open = append(p.open, '[')
				continue
			}
		case c == '"':
			if !p.text() {
				return
			}
		case c == '-' || decimal(c):
			if !p.number() {
				return
			}
		case c == 't':
			if !p.word("true") {
				return
			}
		case c == 'f':
			if !p.word("false") {
				return
			}
		case c == 'n':
			if !p.word("null") {
				return
			}
		default:
			p.unexpected()
			return
		}
		if !p.next() {
			return
		}
	}
}

// next goes on after a value. It reports whether another value follows.
func (p *jsonParser) next() bool {
	for len(p.open) > 0 {
		inObject := p.open[len(p.open)-1] == '{'
		switch {
		case p.take(','):
			return !inObject || p.name("Expected double-quoted property name", "")
		case inObject && !p.take('}'):
			return p.fail("Expected ',' or '}' after property value")
		case !inObject && !p.take(']'):
			return p.fail("Expected ',' or ']' after array element")
		}
		p.open = p.open[:len(p.open)-1]
	}
	p.space()
	if p.at < len(p.source) {
		p.failure = "Unexpected non-whitespace character after JSON at position " + strconv.Itoa(units(p.source[:p.at]))
	}
	return false
}

// name reads the name of a property and the colon. noName and noColon are said if there is none.
func (p *jsonParser) name(noName, noColon string) bool {
	p.space()
	switch {
	case p.peek() != '"':
		return p.fail(noName)
	case !p.text():
		return false
	case p.take(':'):
		return true
	case noColon != "":
		return p.fail(noColon)
	}
	return p.unexpected()
}

func (p *jsonParser) text() bool {
	for p.at++; p.at < len(p.source); p.at++ {
		switch c := p.source[p.at]; {
		case c == '"':
			p.at++
			return true
		case c == '\\':
			p.at++
			switch r, _ := utf8.DecodeRuneInString(p.source[p.at:]); {
			case p.at == len(p.source) || r > 0xff:
				return p.unexpected()
			case r == 'u':
				for range 4 {
					p.at++
					if c := p.peek() | 0x20; !decimal(p.peek()) && (c < 'a' || c > 'f') {
						return p.fail("Bad Unicode escape")
					}
				}
			case !strings.ContainsRune(`"\/bfnrt`, r):
				return p.fail("Bad escaped character")
			}
		case c < ' ':
			return p.fail("Bad control character in string literal")
		}
	}
	return p.fail("Unterminated string")
}

func (p *jsonParser) number() bool {
	if p.peek() == '-' {
		p.at++
	}
	if p.peek() == '0' {
		p.at++
		if decimal(p.peek()) {
			return p.unexpected()
		}
	} else if !p.digits() {
		return p.fail("No number after minus sign")
	}
	if p.peek() == '.' {
		p.at++
		if !p.digits() {
			return p.fail("Unterminated fractional number")
		}
	}
	if p.peek()|0x20 == 'e' {
		p.at++
		if c := p.peek(); c == '-' || c == '+' {
			p.at++
		}
		if !p.digits() {
			return p.fail("Exponent part is missing a number")
		}
	}
	return true
}

// digits steps over digits, of which there must be one.
func (p *jsonParser) digits() bool {
	start := p.at
	for decimal(p.peek()) {
		p.at++
	}
	return p.at > start
}

func (p *jsonParser) word(word string) bool {
	for i := range len(word) {
		if p.at == len(p.source) || p.source[p.at] != word[i] {
			return p.unexpected()
		}
		p.at++
	}
	return true
}

func decimal(c byte) bool { return c >= '0' && c <= '9' }

// How much of the text V8 shows around an unexpected character, in code units.
const jsonContext = 10

// unexpected records that what is at the position cannot be there.
func (p *jsonParser) unexpected() bool {
	c := p.peek()
	switch {
	case p.at == len(p.source):
		p.failure = "Unexpected end of JSON input"
		return false
	case decimal(c) || c == '-':
		return p.fail("Unexpected number")
	case c == '"':
		return p.fail("Unexpected string")
	}
	switch p.source {
	case "undefined", "NaN", "Infinity", "[object Object]":
		p.failure = `"` + p.source + `" is not valid JSON`
		return false
	}
	before := lastUnits(p.source[:p.at], jsonContext+1)
	after := firstUnits(p.source[p.at:], jsonContext+1)
	token := string(utf16.Decode(after[:1]))
	var shown string
	switch {
	case units(p.source) <= 2*jsonContext:
		shown = `"` + p.source + `"`
	case len(before) < jsonContext: // near the beginning
		shown = `"` + string(utf16.Decode(before)) + string(utf16.Decode(after[:min(jsonContext, len(after))])) + `"...`
	case len(after) > jsonContext:
		shown = `..."` + string(utf16.Decode(before[len(before)-jsonContext:])) +
			string(utf16.Decode(after[:jsonContext])) + `"...`
	default:
		shown = `..."` + string(utf16.Decode(before[len(before)-jsonContext:])) + string(utf16.Decode(after)) + `"`
	}
	p.failure = "Unexpected token '" + token + "', " + shown + " is not valid JSON"
	return false
}

// units returns how many code units a text has.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += max(1, utf16.RuneLen(r))
	}
	return n
}

// firstUnits returns the first code units of a text, up to n.
func firstUnits(s string, n int) []uint16 {
	all := utf16.Encode([]rune(s[:min(len(s), n*utf8.UTFMax)]))
	return all[:min(n, len(all))]
}

// lastUnits returns the last code units of a text, up to n.
func lastUnits(s string, n int) []uint16 {
	from := max(0, len(s)-n*utf8.UTFMax)
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	all := utf16.Encode([]rune(s[from:]))
	return all[max(0, len(all)-n):]
}
