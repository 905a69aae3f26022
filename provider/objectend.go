package provider

import "strconv"

// objectEnd finds the end of a JSON object in a text that comes bit by bit. It looks at each byte once, and at
// brackets and quotes only: whether the text is valid is to be checked when the end has been found.
type objectEnd struct {
	read     int // bytes of the pieces
	depth    int
	inString bool
	escaped  bool // the last character was a backslash in a string
	found    bool
	beside   bool // there is something before or behind the object, so that the text is none

	checked, wrong bool // the text has been checked, and is not valid
}

// reached reports whether the text ends with the end of an object, but for space. The text is what is between the
// quotes of JSON strings, of which those that have been there at the last time are the beginning.
func (o *objectEnd) reached(pieces []byte) bool {
	for o.read < len(pieces) && !o.beside {
		c := pieces[o.read]
		o.read++
		if c == '\\' {
			c = o.escape(pieces)
		}
		o.take(c)
	}
	return o.found && !o.beside
}

// escape returns the escaped character. Any character outside ASCII that is not a space stands for all others.
func (o *objectEnd) escape(pieces []byte) byte {
	if o.read >= len(pieces) {
		return 0
	}
	c := pieces[o.read]
	o.read++
	switch c {
	case 'n', 'r', 't':
		return ' '
	case 'b', 'f':
		return 0
	case 'u':
		digits := pieces[o.read:min(o.read+4, len(pieces))]
		o.read += len(digits)
		code, err := strconv.ParseUint(string(digits), 16, 16)
		if err != nil || code > '~' {
			return 0
		}
		return byte(code)
	}
	return c
}

func (o *objectEnd) take(c byte) {
	space := c == ' ' || c == '\n' || c == '\r' || c == '\t'
	switch {
	case o.escaped:
		o.escaped = false
	case o.inString:
		o.escaped = c == '\\'
		o.inString = c != '"'
	case o.depth == 0 && (o.found || c != '{'):
		o.beside = !space
	case c == '"':
		o.inString = true
	case c == '{', c == '[':
		o.depth++
	case c == '}', c == ']':
		o.depth--
		o.found = o.depth == 0
	}
}
