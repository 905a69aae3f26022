package provider

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/toolrun/toolrun/internal/jsontree"
	"github.com/toolrun/toolrun/internal/plaintext"
)

// A node is a JSON value whose objects keep the order of their members. Nodes are shared, and not changed once they are
// part of another one.
type node struct {
	kind kind
	// text is that of a string, decoded, or of a number, true, false or null, as it is written.
	text    string
	items   []*node
	members []member
	// notes are sentences about a schema that have yet to become part of its description.
	notes []string
}

type member struct {
	name  string
	value *node
}

type kind byte

const (
	isObject kind = iota
	isArray
	isString
	isLiteral // a number, true, false or null
)

// maxNesting is how deep JSON may be nested to become nodes.
const maxNesting = 500

// parseNode reads one JSON value. Of members with the same name the last one counts, as for package json.
func parseNode(data []byte) (*node, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	n, err := readNode(decoder, 0)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("there is something behind the end of the value")
	}
	return n, nil
}

func readNode(decoder *json.Decoder, depth int) (*node, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("it is nested more than %d levels deep", maxNesting)
	}
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		n := &node{kind: isArray}
		if token == '{' {
			n.kind = isObject
		}
		var places map[string]int // where members are, once there are many
		for decoder.More() {
			if n.kind == isArray {
				item, err := readNode(decoder, depth+1)
				if err != nil {
					return nil, err
				}
				n.items = append(n.items, item)
				continue
			}
			name, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			value, err := readNode(decoder, depth+1)
			if err != nil {
				return nil, err
			}
			places = n.put(name.(string), value, places)
		}
		_, err := decoder.Token()
		return n, err
	case string:
		return stringNode(token), nil
	case json.Number:
		return &node{kind: isLiteral, text: token.String()}, nil
	case bool:
		return boolNode(token), nil
	}
	return nullNode, nil
}

// manyMembers is from how many members on they are looked up in a map.
const manyMembers = 16

// put sets a member in an object under construction. Places is what put returned before, or nil.
func (n *node) put(name string, value *node, places map[string]int) map[string]int {
	if places == nil && len(n.members) >= manyMembers {
		places = make(map[string]int, 2*len(n.members))
		for i, m := range n.members {
			places[m.name] = i
		}
	}
	if places == nil {
		n.set(name, value)
		return nil
	}
	if i, ok := places[name]; ok {
		n.members[i].value = value
		return places
	}
	places[name] = len(n.members)
	n.members = append(n.members, member{name, value})
	return places
}

var (
	nullNode  = &node{kind: isLiteral, text: "null"}
	trueNode  = &node{kind: isLiteral, text: "true"}
	falseNode = &node{kind: isLiteral, text: "false"}
)

func boolNode(b bool) *node {
	if b {
		return trueNode
	}
	return falseNode
}

func stringNode(s string) *node { return &node{kind: isString, text: s} }

func arrayNode(items ...*node) *node { return &node{kind: isArray, items: items} }

// namesNode is an array of strings.
func namesNode(names []string) *node {
	n := &node{kind: isArray, items: make([]*node, len(names))}
	for i, name := range names {
		n.items[i] = stringNode(name)
	}
	return n
}

// objectNode is an object with these members.
func objectNode(members ...member) *node { return &node{members: members} }

// get returns a member of an object, or nil.
func (n *node) get(name string) *node {
	if n == nil || n.kind != isObject {
		return nil
	}
	for i := range n.members {
		if n.members[i].name == name {
			return n.members[i].value
		}
	}
	return nil
}

// set sets a member of an object that is not yet part of another node, where it was or at the end.
func (n *node) set(name string, value *node) {
	for i := range n.members {
		if n.members[i].name == name {
			n.members[i].value = value
			return
		}
	}
	n.members = append(n.members, member{name, value})
}

// without returns a copy of an object that lacks some members.
func (n *node) without(names ...string) *node {
	c := &node{notes: n.notes, members: make([]member, 0, len(n.members))}
members:
	for _, m := range n.members {
		for _, name := range names {
			if m.name == name {
				continue members
			}
		}
		c.members = append(c.members, m)
	}
	return c
}

// string returns the text of a string.
func (n *node) string() (text string, ok bool) {
	if n == nil || n.kind != isString {
		return "", false
	}
	return n.text, true
}

// is reports whether a node is the literal.
func (n *node) is(literal string) bool { return n != nil && n.kind == isLiteral && n.text == literal }

// isNumber reports whether a node is a number.
func (n *node) isNumber() bool {
	return n.kind == isLiteral && n.text != "true" && n.text != "false" && n.text != "null"
}

// strings returns the strings in an array.
func (n *node) strings() []string {
	if n == nil || n.kind != isArray {
		return nil
	}
	texts := make([]string, 0, len(n.items))
	for _, item := range n.items {
		if text, ok := item.string(); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// equal reports whether two values are written alike, but for white space.
func (n *node) equal(m *node) bool {
	if n == m {
		return true
	}
	if n == nil || m == nil || n.kind != m.kind || n.text != m.text || len(n.items) != len(m.items) || len(n.members) != len(m.members) {
		return false
	}
	for i := range n.items {
		if !n.items[i].equal(m.items[i]) {
			return false
		}
	}
	for i, member := range n.members {
		if other := m.members[i]; member.name != other.name || !member.value.equal(other.value) {
			return false
		}
	}
	return true
}

// errTooLong is what encoding to a limited length returns.
var errTooLong = errors.New("too long")

// encode returns the value as JSON, or [errTooLong] if it has more bytes than the limit. Since nodes are shared, a value can be much
// longer than what it has been made of.
func (n *node) encode(limit int) (json.RawMessage, error) {
	e := nodeEncoder{limit: limit}
	e.node(n)
	if len(e.out) > limit {
		return nil, errTooLong
	}
	return e.out, nil
}

type nodeEncoder struct {
	out   []byte
	limit int
	// short means that long strings are cut.
	short bool
}

func (e *nodeEncoder) node(n *node) {
	if len(e.out) > e.limit {
		return
	}
	switch n.kind {
	case isString:
		e.string(n.text)
	case isLiteral:
		e.out = append(e.out, n.text...)
	case isArray:
		e.out = append(e.out, '[')
		for i, item := range n.items {
			if i > 0 {
				e.out = append(e.out, ',')
			}
			e.node(item)
		}
		e.out = append(e.out, ']')
	default:
		e.out = append(e.out, '{')
		for i, m := range n.members {
			if i > 0 {
				e.out = append(e.out, ',')
			}
			e.string(m.name)
			e.out = append(e.out, ':')
			e.node(m.value)
		}
		e.out = append(e.out, '}')
	}
}

// plain reports whether a string is JSON if it is put into quotes.
func plain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < 0x20 || c >= 0x7F || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

func (e *nodeEncoder) string(s string) {
	if e.short {
		s = plaintext.Cut(s, e.limit)
	}
	if plain(s) {
		e.out = append(append(append(e.out, '"'), s...), '"')
		return
	}
	quoted, err := jsontree.Marshal(s)
	if err != nil { // which strings do not cause
		quoted = []byte(`""`)
	}
	e.out = append(e.out, quoted...)
}

// brief is a value for a sentence.
func (n *node) brief(limit int) string {
	e := nodeEncoder{limit: limit, short: true}
	e.node(n)
	return strings.ToValidUTF8(plaintext.Cut(string(e.out), limit), "\uFFFD")
}
