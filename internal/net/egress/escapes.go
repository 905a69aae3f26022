package egress

import (
	"slices"
	"strings"
)

// maxWidth is how many bytes one escaped character can have. Zeros before its number can make it longer than that; it
// is not found then.
const maxWidth = 64

// A reading is what the beginning of a text can mean: a printable character of ASCII, and how many bytes that takes.
type reading struct{ c, width byte }

// readings are all that the beginning of a text can mean. What one way of escaping ends with can be the beginning of
// another, and without a mark for the end there are several.
type readings struct {
	all  [16]reading // more than any text has
	n    byte
	open bool // the text ends before all of them can be told
}

func (r *readings) list() []reading { return r.all[:r.n] }

func (r *readings) add(c, width int) {
	got := reading{byte(c), byte(width)}
	if ' ' <= c && c <= '~' && int(r.n) < len(r.all) && !slices.Contains(r.list(), got) {
		r.all[r.n] = got
		r.n++
	}
}

// escapes reports whether a character can begin an escaped one.
func escapes(c byte) bool { return c == '%' || c == '\\' || c == '&' || c == '=' || c == '+' }

// read finds out what data can begin with: a character as it is, escaped, or escaped twice, as JSON in JSON or HTML in
// the query of an address is.
func (r *readings) read(data []byte) {
	r.n, r.open = 0, len(data) == 0
	if r.open {
		return
	}
	r.add(int(data[0]), 1)
	if !escapes(data[0]) {
		return
	}
	whole := len(data) >= maxWidth
	data = data[:min(len(data), maxWidth)]
	r.once(data)
	if slices.ContainsFunc(r.list(), func(once reading) bool { return once.width > 1 && escapes(once.c) }) {
		r.twice(data)
	}
	r.open = r.open && !whole
}

// twice adds what data can begin with if what is escaped there is escaped itself.
func (r *readings) twice(data []byte) {
	var outer [maxWidth]byte // data without its own escapes
	var ends [maxWidth]int   // where each byte of it ends in data
	n, at := 0, 0
	for more := 8; at < len(data); more *= 2 { // most is no escape after a few bytes
		for ; n < more && at < len(data); n++ {
			var next readings
			next.once(data[at:])
			r.open = r.open || next.open
			longest := reading{data[at], 1}
			for _, reading := range next.list() {
				if reading.width > longest.width {
					longest = reading
				}
			}
			at += int(longest.width)
			outer[n], ends[n] = longest.c, at
		}
		var inner readings
		inner.once(outer[:n])
		for _, reading := range inner.list() {
			r.add(int(reading.c), ends[reading.width-1])
		}
		if !inner.open {
			return
		}
	}
	r.open = true
}

// once adds what data can begin with if it begins with an escape.
func (r *readings) once(data []byte) {
	switch data[0] {
	case '+': // in queries
		r.add(' ', 1)
	case '=': // quoted-printable
		r.number(data, 1, 16, 2, 2, 0)
	case '%':
		r.number(data, 1, 16, 2, 2, 0)
		if r.has(data, 1, "uU") {
			r.number(data, 2, 16, 4, 4, 0)
		}
	case '\\':
		r.backslash(data)
	case '&':
		switch {
		case !r.has(data, 1, "#"):
			r.named(data)
		case r.has(data, 2, "xX"):
			r.number(data, 3, 16, 1, maxWidth, ';')
		default:
			r.number(data, 2, 10, 1, maxWidth, ';')
		}
	}
}

// backslash adds what an escape of JSON, of a programming language or of CSS means.
func (r *readings) backslash(data []byte) {
	if len(data) == 1 {
		r.open = true
		return
	}
	r.add(int(data[1]), 2)
	r.number(data, 1, 8, 1, 3, 0)
	r.number(data, 1, 16, 1, 6, ' ') // CSS
	at := 2
	switch data[1] {
	case 'u':
		for r.has(data, at, "u") { // Java
			at++
		}
		r.number(data, at, 16, 4, 4, 0)
		r.braced(data, at, 16)
	case 'U':
		r.number(data, at, 16, 8, 8, 0)
	case 'x':
		r.number(data, at, 16, 1, 2, 0)
		r.braced(data, at, 16)
	case 'o':
		r.braced(data, at, 8)
	}
}

// has reports whether data has one of some characters at a position.
func (r *readings) has(data []byte, at int, chars string) bool {
	if at >= len(data) {
		r.open = true
		return false
	}
	return strings.IndexByte(chars, data[at]) >= 0
}

// number adds the characters of the numbers that begin at a position, with so many digits, and behind which end can
// stand, unless it is zero.
func (r *readings) number(data []byte, at, base, least, most int, end byte) {
	value := 0
	for n := 1; n <= most; n, at = n+1, at+1 {
		if at >= len(data) {
			r.open = true
			return
		}
		digit := digit(data[at])
		if digit >= base {
			return
		}
		if value = value*base + digit; value > 0x7f {
			return
		}
		if n < least {
			continue
		}
		r.add(value, at+1)
		if end != 0 && value >= ' ' && r.has(data, at+1, string(end)) {
			r.add(value, at+2)
		}
	}
}

// braced adds the character whose number is in braces at a position.
func (r *readings) braced(data []byte, at, base int) {
	if !r.has(data, at, "{") {
		return
	}
	value := 0
	for at++; at < len(data); at++ {
		digit := digit(data[at])
		if digit >= base {
			if data[at] == '}' {
				r.add(value, at+1)
			}
			return
		}
		if value = value*base + digit; value > 0x7f {
			return
		}
	}
	r.open = true
}

// digit returns the value of a digit, or at least 16.
func digit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return 16
}

// names are those of HTML for printable characters of ASCII.
var names = map[string]byte{
	"excl": '!', "quot": '"', "QUOT": '"', "num": '#', "dollar": '$', "percnt": '%',
	"amp": '&', "AMP": '&', "apos": '\'',
	"lpar": '(', "rpar": ')', "ast": '*', "midast": '*', "plus": '+', "comma": ',', "period": '.', "sol": '/',
	"colon": ':', "semi": ';', "lt": '<', "LT": '<', "equals": '=', "gt": '>', "GT": '>', "quest": '?', "commat": '@',
	"lsqb": '[', "lbrack": '[', "bsol": '\\', "rsqb": ']', "rbrack": ']', "Hat": '^', "lowbar": '_', "UnderBar": '_',
	"grave": '`', "DiacriticalGrave": '`', "lcub": '{', "lbrace": '{', "verbar": '|', "vert": '|', "VerticalLine": '|',
	"rcub": '}', "rbrace": '}',
}

// maxName is the length of the longest of them.
const maxName = len("DiacriticalGrave")

// named adds the character that a reference of HTML names. Some names need no semicolon.
func (r *readings) named(data []byte) {
	data = data[1:]
	end := 0
	for end < len(data) && end <= maxName && 'a' <= data[end]|0x20 && data[end]|0x20 <= 'z' {
		end++
	}
	r.open = r.open || end == len(data) && end <= maxName
	if end < len(data) && data[end] == ';' {
		if c, ok := names[string(data[:end])]; ok {
			r.add(int(c), end+2)
		}
	}
	for n := 2; n <= min(end, 4); n++ {
		switch name := string(data[:n]); name {
		case "amp", "AMP", "lt", "LT", "gt", "GT", "quot", "QUOT":
			r.add(int(names[name]), n+1)
		}
	}
}
