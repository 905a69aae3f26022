package xmlcall

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/schema"
)

// In the dialect UseTool, lists and objects can be elements in the element of a parameter.

// An element is one of a parameter, or in such a one.
type element struct {
	name, raw string
	// The element of a parameter has become Params[first : first+params] of its block.
	first, params int
	// depth is 0 for the element of a parameter.
	depth int
}

// text returns the text of the element.
func (e element) text() string {
	p := elements{text: e.raw + "</" + e.name + ">"}
	if text, ok := p.value(&Block{}, e.name); ok && p.pos == len(p.text) {
		return text
	}
	return e.raw // there are elements of the same name in it
}

// maxElementDepth is how deep elements can be nested in each other. Deeper ones are text.
const maxElementDepth = 32

// children returns the elements in an element, if there is nothing else in it.
func (e element) children() (list []element, ok bool) {
	if e.depth >= maxElementDepth {
		return nil, false
	}
	for rest := e.raw; ; {
		rest = strings.TrimLeft(rest, " \t\r\n")
		if rest == "" {
			return list, len(list) > 0
		}
		name, ok := startTag(rest)
		if len(list) == maxValues {
			return nil, false
		}
		if closed := "<" + name + "/>"; !ok && name != "" && strings.HasPrefix(rest, closed) {
			list = append(list, element{name: name, depth: e.depth + 1})
			rest = rest[len(closed):]
			continue
		}
		if !ok {
			return nil, false
		}
		rest = rest[len("<>")+len(name):]
		end := endTag(rest, name)
		if end < 0 {
			return nil, false
		}
		list = append(list, element{name: name, raw: rest[:end], depth: e.depth + 1})
		rest = rest[end+len("</>")+len(name):]
	}
}

// endTag returns where the end tag of an element is in the text behind its start tag, or -1. There can be elements of
// the same name in it.
func endTag(text, name string) int {
	depth, begin, end := 1, "<"+name+">", "</"+name+">"
	for i := strings.IndexByte(text, '<'); i >= 0; i = next(text, i) {
		switch at := text[i:]; {
		case strings.HasPrefix(at, cdataOpen):
			n := strings.Index(at, cdataClose)
			if n < 0 {
				return -1
			}
			i += n
		case strings.HasPrefix(at, begin):
			depth++
		case strings.HasPrefix(at, end):
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// nested makes what the schema wants of the elements in the elements of a key. It returns nil if they are text.
func (c *contract) nested(of *jsontree.Node, key string, list []*element) (json.RawMessage, error) {
	about := c.about(of)
	isList := about.allowed.Has(schema.Array)
	if len(list) == 0 || !isList && (len(list) > 1 || !about.allowed.Has(schema.Object)) {
		return nil, nil
	}
	var items []*element
	found := false
	for _, e := range list {
		children, ok := e.children()
		switch {
		case ok && isList && (isItems(children) || len(list) == 1 && c.areItems(about, children)):
			found = found || isItems(children)
			for i := range children {
				items = append(items, &children[i])
			}
		case len(list) > 1:
			items = append(items, e)
		case !ok:
			return nil, nil
		default:
			return c.nestedAlone(about, children)
		}
	}
	return c.nestedItems(about.items, key, items, found)
}

// nestedAlone makes an object of its properties, or a list of this object.
func (c *contract) nestedAlone(about *facts, children []element) (json.RawMessage, error) {
	isText := about.allowed.Has(schema.String)
	if raw, err := c.nestedObject(about, children, isText); raw != nil || err != nil ||
		!about.allowed.Has(schema.Array) {
		return raw, err
	}
	items := c.about(about.items)
	raw, err := c.nestedObject(items, children, isText || items.allowed.Has(schema.String))
	if raw == nil || err != nil {
		return nil, err
	}
	return encodeList([]json.RawMessage{raw}), nil
}

// nestedObject makes an object of its properties. It returns nil if no object is allowed or if, where they could be a
// text as well, not all properties are known.
func (c *contract) nestedObject(about *facts, children []element, isText bool) (json.RawMessage, error) {
	if !about.allowed.Has(schema.Object) {
		return nil, nil
	}
	list := make([]given, len(children))
	for i := range children {
		if isText && !c.knows(about, children[i].name) {
			return nil, nil
		}
		list[i] = given{key: children[i].name, element: &children[i]}
	}
	return c.properties(about.object(), list)
}

func (c *contract) knows(about *facts, key string) bool {
	_, _, known := c.param(about.object(), key)
	return known
}

// nestedItems makes a list of elements. If they need not be a list, it returns nil if there is only text in them.
func (c *contract) nestedItems(of *jsontree.Node, key string, list []*element, found bool) (json.RawMessage, error) {
	raws := make([]json.RawMessage, len(list))
	for i, e := range list {
		raw, err := c.nested(of, key, []*element{e})
		if err != nil {
			return nil, err
		}
		raws[i], found = raw, found || raw != nil
	}
	if !found {
		return nil, nil
	}
	for i, e := range list {
		if raws[i] != nil {
			continue
		}
		var err error
		if raws[i], err = c.values(of, key, []string{e.text()}); err != nil {
			return nil, err
		}
	}
	return encodeList(raws), nil
}

// isItems reports whether elements are the items of a list.
func isItems(list []element) bool {
	return !slices.ContainsFunc(list, func(e element) bool { return e.name != itemName })
}

// areItems reports whether elements can be the items of a list under another name, which all of them have, and which is
// none of a property.
func (c *contract) areItems(about *facts, list []element) bool {
	name := list[0].name
	return !about.allowed.Has(schema.Object) && !c.knows(c.about(about.items), name) &&
		!slices.ContainsFunc(list, func(e element) bool { return e.name != name })
}
