package mcpserver

import (
	"encoding/json"
	"io"
	"unicode/utf8"
)

// maxName is how many bytes of a member's name are kept: more than the names of interest have, however they are
// escaped.
const maxName = 64

// maxScanned is how many bytes of a request over HTTP that is too long are read to find its id.
const maxScanned = 64 << 20

// An idScanner finds the id of a request that is too long to be kept: it reads a message piece by piece, and keeps
// nothing but its outermost id and method. Clients can only tell whose error an answer is by its id, and wait without
// one. The zero value is ready for use.
type idScanner struct {
	depth             int
	expects           scanned
	inString, escaped bool

	// kept is the name or the value that is being read, if it is of interest.
	kept    []byte
	keeps   int // how many more bytes are kept, or -1 if there are too many
	member  string
	id      []byte
	request bool
}

// scanned is what an idScanner expects in the outermost object.
type scanned int

const (
	theObject scanned = iota
	aName
	aColon
	aValue
	theEnd
	nothing // it is no object
)

// Write reads a piece of the message. It never fails.
func (s *idScanner) Write(piece []byte) (int, error) {
	for i := 0; i < len(piece) && s.expects != nothing; i++ {
		c := piece[i]
		s.keep(c)
		switch {
		case s.escaped:
			s.escaped = false
		case s.inString:
			s.escaped = c == '\\'
			if c == '"' {
				s.inString = false
				s.named()
			}
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
		case s.depth > 1:
			switch c {
			case '"':
				s.inString = true
			case '{', '[':
				s.depth++
			case '}', ']':
				s.depth--
			}
		default:
			s.outermost(c)
		}
	}
	return len(piece), nil
}

// outermost reads a character of the outermost object, outside of strings.
func (s *idScanner) outermost(c byte) {
	switch {
	case s.expects == theObject && c == '{':
		s.depth, s.expects = 1, aName
	case s.expects == aName && c == '"':
		s.inString = true
		s.kept, s.keeps = append(s.kept[:0], c), maxName
	case s.expects == aName && c == '}' && s.member == "":
		s.expects = theEnd
	case s.expects == aColon && c == ':':
		s.expects = aValue
		s.kept = s.kept[:0]
		if s.keeps = 0; s.member == "id" || s.member == "method" {
			s.keeps = maxID + 2 // with the character behind it, and one more means that it is too long
		}
	case s.expects == aValue && c == ',':
		s.ended()
		s.expects = aName
	case s.expects == aValue && c == '}':
		s.ended()
		s.expects = theEnd
	case s.expects == aValue:
		s.inString = c == '"'
		if c == '{' || c == '[' {
			s.depth++
		}
	default:
		s.expects = nothing
	}
}

// keep keeps a character of what is being read, but not the blanks before it.
func (s *idScanner) keep(c byte) {
	if s.keeps <= 0 || len(s.kept) == 0 && (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
		return
	}
	s.kept = append(s.kept, c)
	if s.keeps--; s.keeps == 0 {
		s.keeps = -1
	}
}

// named is called at the end of a string, which may be the name of a member.
func (s *idScanner) named() {
	if s.depth != 1 || s.expects != aName {
		return
	}
	s.expects = aColon
	s.member = "another"
	var name string
	if s.keeps > 0 && json.Unmarshal(s.kept, &name) == nil && name != "" {
		s.member = name
	}
	s.keeps = 0
}

// ended is called behind the value of a member, with the character that ends it.
func (s *idScanner) ended() {
	var value []byte
	if s.keeps > 0 {
		value = s.kept[:len(s.kept)-1]
	}
	switch s.member {
	case "id": // the last one counts, as in other messages
		s.id = append([]byte(nil), value...)
	case "method":
		s.request = true
	}
	s.keeps = 0
}

// found returns the id of the request, or nil if the message is no whole request or its id is no string or number. Only
// requests are answered: the id of an answer is the server's own.
func (s *idScanner) found() json.RawMessage {
	var id any
	if s.expects != theEnd || !s.request || !utf8.Valid(s.id) || json.Unmarshal(s.id, &id) != nil {
		return nil
	}
	switch id.(type) {
	case string, float64:
		return append(json.RawMessage(nil), s.id...)
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
