package mcpserver

import (
	"bytes"
	"encoding/json"
	"io"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// maxScanned is how many bytes of a request over HTTP that is too long are read to find its id.
const maxScanned = 64 << 20

// maxOutline is how many bytes an idScanner keeps. What has more has members of no use.
const maxOutline = 8 << 10

// An idScanner finds the id of a request that is too long to be kept: it reads a message piece by piece, and keeps
// nothing but its outline, which is the outermost object without what is in other objects and arrays, and without long
// strings. Clients can only tell whose error an answer is by its id, and wait without one. The zero value is ready for
// use.
type idScanner struct {
	outline           []byte
	depth             int
	inString, escaped bool
	begin             int // of the string that is being read, in the outline
}

// Write reads a piece of the message. It never fails.
func (s *idScanner) Write(piece []byte) (int, error) {
	for _, c := range piece {
		outermost, ends := s.depth <= 1, false
		switch {
		case s.escaped:
			s.escaped = false
		case s.inString:
			s.escaped, ends = c == '\\', c == '"'
			s.inString = !ends
		case c == '"':
			s.inString, s.begin = true, len(s.outline)
		case c == '{' || c == '[':
			s.depth++
		case c == '}' || c == ']':
			s.depth--
			outermost = s.depth <= 1
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			c, outermost = ' ', outermost && !bytes.HasSuffix(s.outline, []byte(" "))
		}
		long := len(s.outline)-s.begin >= maxID
		switch {
		case !outermost, s.inString && long, len(s.outline) > maxOutline:
		case ends && long: // neither an id nor a name of interest
			s.outline = s.outline[:s.begin]
			if bytes.HasSuffix(bytes.TrimSuffix(s.outline, []byte(" ")), []byte(":")) {
				s.outline = append(s.outline, "[]"...)
			} else {
				s.outline = append(s.outline, `""`...)
			}
		default:
			s.outline = append(s.outline, c)
		}
	}
	return len(piece), nil
}

// found returns the id of the request, or nil if the message is no whole request or its id is no string or number. Only
// requests are answered: the id of an answer is the server's own.
func (s *idScanner) found() json.RawMessage {
	var id, method []byte
	if len(s.outline) > maxOutline || !json.Valid(s.outline) || !jsontree.Members(s.outline, func(name, value []byte) {
		switch string(name) {
		case "id": // the last one counts, as in other messages
			id = value
		case "method":
			method = value
		}
	}) {
		return nil
	}
	var value any
	if method == nil || len(id) > maxID || !utf8.Valid(id) || json.Unmarshal(id, &value) != nil {
		return nil
	}
	switch value.(type) {
	case string, float64:
		return bytes.Clone(id)
	}
	return nil
}

// requestID returns the id of a request that is not passed on, or nil. Its text may continue in rest.
func requestID(text []byte, rest io.Reader) json.RawMessage {
	var s idScanner
	_, _ = s.Write(text) // never fails
	if rest != nil {
		if _, err := io.Copy(&s, io.LimitReader(rest, maxScanned)); err != nil {
			return nil
		}
	}
	return s.found()
}
