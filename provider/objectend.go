package provider

import "strconv"

// objectEnd finds the end of a JSON object in text that arrives in pieces. It reads each byte once, and looks only at
// brackets and quotes. When it has found the end, the text still has to be validated.
type objectEnd struct {
	read     int // bytes of the pieces so far
	depth    int
	inString bool
	escaped  bool // the last character was a backslash in a string
	found    bool
	beside   bool // text before or after the object makes it invalid

	checked, wrong bool // the complete text has been validated, and is wrong
}

// reached reports whether the text ends with the end of an object, ignoring space. pieces is all text so far, as the
// contents of JSON strings without their quotes; it begins with the pieces of the previous call.
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

// escape returns the escaped character. It returns 0 for characters outside ASCII, which make no difference here.
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
