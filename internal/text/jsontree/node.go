package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// A Node is a JSON value whose objects keep the order of their members. The zero value is an empty object. A nil
// node is a missing value, and its methods accept it. Nodes are shared: do not change one that is part of another.
type Node struct {
	Kind Kind
	// Text is the decoded text of a string, or a number, true, false or null as written.
	Text string
	// Items are the elements of an array. Members are the members of an object.
	Items   []*Node
	Members []Member
	// Notes are remarks about the value. They are not part of it and are not encoded.
	Notes []string

	places map[string]int // the indices of the members by name, if there are many
}

// A Member is a name and a value in an object.
type Member struct {
	Name  string
	Value *Node
}

// A Kind is the kind of a node.
type Kind byte

// The kinds of nodes.
const (
	Object Kind = iota
	Array
	String
	Literal // a number, true, false or null
)

// Nodes for literals.
var (
	Null  = &Node{Kind: Literal, Text: "null"}
	True  = &Node{Kind: Literal, Text: "true"}
	False = &Node{Kind: Literal, Text: "false"}
)

// NewBool returns the node of a boolean.
func NewBool(b bool) *Node {
	if b {
		return True
	}
	return False
}

// NewString returns the node of a string.
func NewString(s string) *Node { return &Node{Kind: String, Text: s} }

// NewNumber returns the node of a number, which keeps its spelling.
func NewNumber(text string) *Node { return &Node{Kind: Literal, Text: text} }

// NewArray returns the node of an array with these items.
func NewArray(items ...*Node) *Node { return &Node{Kind: Array, Items: items} }

// NewStrings returns the node of an array of strings.
func NewStrings(texts []string) *Node {
	n := &Node{Kind: Array, Items: make([]*Node, len(texts))}
	for i, text := range texts {
		n.Items[i] = NewString(text)
	}
	return n
}

// NewObject returns the node of an object with these members.
func NewObject(members ...Member) *Node { return &Node{Members: members} }

// maxNesting limits the nesting of JSON that Parse accepts.
const maxNesting = 500

// Parse parses one JSON value. The last of several members with the same name counts, as in package json. Nesting
// deeper than 500 levels is an error.
func Parse(data []byte) (*Node, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	n, err := readNode(decoder, 0)
	if err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("there is something after the end of the value")
	}
	return n, nil
}

func readNode(decoder *json.Decoder, depth int) (*Node, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("it is nested more than %d levels deep", maxNesting)
	}
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		n := &Node{Kind: Array}
		if token == '{' {
			n.Kind = Object
		}
		for decoder.More() {
			if n.Kind == Array {
				item, err := readNode(decoder, depth+1)
				if err != nil {
					return nil, err
				}
				n.Items = append(n.Items, item)
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
			n.put(name.(string), value)
		}
		_, err := decoder.Token()
		return n, err
	case string:
		return NewString(token), nil
	case json.Number:
		return NewNumber(token.String()), nil
	case bool:
		return NewBool(token), nil
	}
	return Null, nil
}

// manyMembers is the number of members from which a map is used to find them.
const manyMembers = 16

// put sets a member of an object that is being parsed.
func (n *Node) put(name string, value *Node) {
	if n.places == nil && len(n.Members) >= manyMembers {
		n.places = make(map[string]int, 2*len(n.Members))
		for i, m := range n.Members {
			n.places[m.Name] = i
		}
	}
	if n.places == nil {
		n.Set(name, value)
	} else if i, ok := n.places[name]; ok {
		n.Members[i].Value = value
	} else {
		n.places[name] = len(n.Members)
		n.Members = append(n.Members, Member{name, value})
	}
}

// Get returns a member of an object, or nil.
func (n *Node) Get(name string) *Node {
	if n == nil || n.Kind != Object {
		return nil
	}
	if n.places != nil {
		if i, ok := n.places[name]; ok {
			return n.Members[i].Value
		}
		return nil
	}
	for i := range n.Members {
		if n.Members[i].Name == name {
			return n.Members[i].Value
		}
	}
	return nil
}

// Object returns a member that is an object, or nil.
func (n *Node) Object(name string) *Node {
	if v := n.Get(name); v != nil && v.Kind == Object {
		return v
	}
	return nil
}

// List returns the items of a member that is an array, or nil.
func (n *Node) List(name string) []*Node {
	if v := n.Get(name); v != nil && v.Kind == Array {
		return v.Items
	}
	return nil
}

// GetText returns a member that is a string, or "".
func (n *Node) GetText(name string) string {
	text, _ := n.Get(name).AsText()
	return text
}

// Set sets a member of an object under construction. It replaces a member of that name, or adds one at the end.
func (n *Node) Set(name string, value *Node) {
	for i := range n.Members {
		if n.Members[i].Name == name {
			n.Members[i].Value = value
			return
		}
	}
	n.Members, n.places = append(n.Members, Member{name, value}), nil
}

// Keep removes the members of an object under construction, or the items of an array, for which keep is false. keep may
// replace what it is given, and nothing else.
func (n *Node) Keep(keep func(m *Member) bool) {
	kept := n.Members[:0]
	for _, m := range n.Members {
		if keep(&m) {
			kept = append(kept, m)
		}
	}
	clear(n.Members[len(kept):])
	n.Members, n.places = kept, nil
	items := n.Items[:0]
	for _, item := range n.Items {
		if m := (Member{Value: item}); keep(&m) {
			items = append(items, m.Value)
		}
	}
	clear(n.Items[len(items):])
	n.Items = items
}

// Without returns a copy of an object without the named members.
func (n *Node) Without(names ...string) *Node {
	c := &Node{Notes: n.Notes, Members: make([]Member, 0, len(n.Members))}
	for _, m := range n.Members {
		if !slices.Contains(names, m.Name) {
			c.Members = append(c.Members, m)
		}
	}
	return c
}

// WithNotes returns a copy of an object with other notes.
func (n *Node) WithNotes(notes []string) *Node {
	return &Node{Members: slices.Clip(n.Members), Notes: notes}
}

// AsText returns the text of a string.
func (n *Node) AsText() (text string, ok bool) {
	if n == nil || n.Kind != String {
		return "", false
	}
	return n.Text, true
}

// Is reports whether a node is the literal.
func (n *Node) Is(literal string) bool { return n != nil && n.Kind == Literal && n.Text == literal }

// IsNumber reports whether a node is a number.
func (n *Node) IsNumber() bool {
	return n != nil && n.Kind == Literal && n.Text != "true" && n.Text != "false" && n.Text != "null"
}

// Texts returns the strings in an array.
func (n *Node) Texts() []string {
	if n == nil || n.Kind != Array {
		return nil
	}
	texts := make([]string, 0, len(n.Items))
	for _, item := range n.Items {
		if text, ok := item.AsText(); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// Equal reports whether two values have the same JSON, apart from white space.
func (n *Node) Equal(m *Node) bool {
	if n == m {
		return true
	}
	if n == nil || m == nil || n.Kind != m.Kind || n.Text != m.Text || len(n.Items) != len(m.Items) ||
		len(n.Members) != len(m.Members) {
		return false
	}
	for i := range n.Items {
		if !n.Items[i].Equal(m.Items[i]) {
			return false
		}
	}
	for i, member := range n.Members {
		if other := m.Members[i]; member.Name != other.Name || !member.Value.Equal(other.Value) {
			return false
		}
	}
	return true
}

// errTooLong means that the encoding of a value exceeds a limit.
var errTooLong = errors.New("too long")

// Encode returns the value as JSON, or an error if that has more bytes than the limit. Because nodes are
// shared, the JSON can be much longer than the nodes.
func (n *Node) Encode(limit int) (json.RawMessage, error) {
	e := nodeEncoder{limit: limit}
	e.node(n)
	if len(e.out) > limit {
		return nil, errTooLong
	}
	return e.out, nil
}

// Brief returns the beginning of the value's JSON, about limit bytes. An ellipsis marks a cut.
func (n *Node) Brief(limit int) string {
	e := nodeEncoder{limit: limit, short: true}
	e.node(n)
	return plaintext.Clean(string(e.out), limit)
}

// Key returns a text that is equal for values whose JSON is equal in about the first limit bytes.
func (n *Node) Key(limit int) string {
	e := nodeEncoder{limit: limit}
	e.node(n)
	return string(e.out)
}

type nodeEncoder struct {
	out   []byte
	limit int
	// short means that long strings are cut.
	short bool
}

func (e *nodeEncoder) node(n *Node) {
	if len(e.out) > e.limit {
		return
	}
	switch n.Kind {
	case String:
		e.string(n.Text)
	case Literal:
		e.out = append(e.out, n.Text...)
	case Array:
		e.out = append(e.out, '[')
		for i, item := range n.Items {
			if i > 0 {
				e.out = append(e.out, ',')
			}
			e.node(item)
		}
		e.out = append(e.out, ']')
	default:
		e.out = append(e.out, '{')
		for i, m := range n.Members {
			if i > 0 {
				e.out = append(e.out, ',')
			}
			e.string(m.Name)
			e.out = append(e.out, ':')
			e.node(m.Value)
		}
		e.out = append(e.out, '}')
	}
}

func (e *nodeEncoder) string(s string) {
	if e.short {
		s = plaintext.Cut(s, e.limit)
	}
	e.out = AppendString(e.out, s)
}
