package schema

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// A plan is a compiled schema that checks JSON without decoding it. It implements the keywords that nearly all tool
// schemas consist of, and accepts only JSON that is certainly valid; anything else has to be decoded, coerced and
// validated. This makes the check of a call's input ten times as fast.
type plan struct {
	// never means that a plan cannot check this kind of schema.
	never bool
	types Types
	// properties are the listed properties of an object. Each required one has its own bit.
	properties map[string]property
	required   uint64
	// folded maps case-folded names to the properties' names.
	folded map[string]string
	// additional is for properties that are not listed, nil if they may be anything. closed forbids them.
	additional *plan
	closed     bool
	// items is for the items of arrays, nil if they may be anything.
	items    *plan
	minItems int
	maxItems int // -1: no limit
	// enum holds the allowed strings, or is nil.
	enum                 map[string]bool
	minLength, maxLength int // -1: no limit
	minimum, maximum     *float64
}

type property struct {
	plan *plan
	bit  uint64
}

func newPlan(schema *jsontree.Node) *plan {
	p := &plan{types: AnyType, maxItems: -1, maxLength: -1}
	if schema.Kind != jsontree.Object {
		p.never = !schema.Is("true")
		return p
	}
	properties := schema.Object("properties")
	for _, keyword := range schema.Members {
		ok, value := true, keyword.Value
		switch keyword.Name {
		case "title", "description", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly", "format",
			"$defs":
		case "type":
			p.types &= declared(schema)
		case "properties":
			p.properties = make(map[string]property, len(value.Members))
			p.folded = make(map[string]string, len(value.Members))
			for _, m := range value.Members {
				p.properties[m.Name] = property{plan: newPlan(m.Value)}
				p.folded[fold(m.Name)] = m.Name
			}
		case "required":
			for i, name := range value.Texts() {
				ok = ok && properties.Get(name) != nil && i < 64
			}
		case "additionalProperties":
			if p.closed = value.Is("false"); !p.closed {
				p.additional = newPlan(value)
			}
		case "items":
			p.items = newPlan(value)
		case "enum":
			p.enum = map[string]bool{}
			for _, v := range value.Items {
				ok = ok && v.Kind == jsontree.String
				p.enum[v.Text] = true
			}
			p.types &= String
		case "minLength":
			p.minLength, ok = count(value)
		case "maxLength":
			p.maxLength, ok = count(value)
		case "minItems":
			p.minItems, ok = count(value)
		case "maxItems":
			p.maxItems, ok = count(value)
		case "minimum":
			p.minimum, ok = bound(value)
		case "maximum":
			p.maximum, ok = bound(value)
		default:
			ok = false
		}
		p.never = p.never || !ok
	}
	if !p.never {
		for i, name := range schema.Get("required").Texts() {
			p.properties[name] = property{p.properties[name].plan, p.properties[name].bit | 1<<i}
			p.required |= 1 << i
		}
	}
	return p
}

func count(value *jsontree.Node) (int, bool) {
	i, err := strconv.Atoi(value.Text)
	return i, err == nil && i >= 0
}

// bound returns the value of a number if a float64 represents it well enough to compare with it.
func bound(value *jsontree.Node) (*float64, bool) {
	f, ok := exactly([]byte(value.Text))
	return &f, ok
}

// exactly parses a number if it has so few digits that comparing it as a float64 is exact.
func exactly(text []byte) (float64, bool) {
	if len(text) == 0 || len(text) > 15 || bytes.ContainsAny(text, "eE") {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(text), 64)
	return f, err == nil
}

// accepts reports whether data, which must be valid JSON, certainly fits.
func (p *plan) accepts(data []byte) bool {
	_, ok := p.value(data, 0)
	return ok
}

// value checks the value at i, and returns where it ends. A nil plan accepts any value.
func (p *plan) value(data []byte, i int) (end int, ok bool) {
	if p != nil && p.never {
		return i, false
	}
	i = jsontree.SkipBlanks(data, i)
	switch data[i] {
	case '{':
		return p.object(data, i+1)
	case '[':
		return p.array(data, i+1)
	case '"':
		text, end, plain := jsontree.Quoted(data, i)
		return end, p == nil || p.types&String != 0 && p.text(text, plain)
	case 't':
		return i + 4, p.is(Boolean)
	case 'f':
		return i + 5, p.is(Boolean)
	case 'n':
		return i + 4, p.is(Null)
	}
	end = i + 1
	whole := true
	for ; end < len(data); end++ {
		switch c := data[end]; {
		case c >= '0' && c <= '9', c == '-':
		case c == '.' || c == 'e' || c == 'E' || c == '+':
			whole = false
		default:
			return end, p.number(data[i:end], whole)
		}
	}
	return end, p.number(data[i:end], whole)
}

func (p *plan) is(t Types) bool { return p == nil || p.types&t != 0 }

func (p *plan) number(text []byte, whole bool) bool {
	if !jsontree.IsReasonable(text) {
		return false
	}
	if p == nil {
		return true
	}
	if p.types&Fraction == 0 && !(whole && p.types&Integer != 0) {
		return false
	}
	if p.minimum == nil && p.maximum == nil {
		return true
	}
	f, ok := exactly(text)
	return ok && (p.minimum == nil || f >= *p.minimum) && (p.maximum == nil || f <= *p.maximum)
}

func (p *plan) text(text []byte, plain bool) bool {
	if p.enum == nil && p.minLength == 0 && p.maxLength < 0 {
		return true
	}
	return plain && (p.enum == nil || p.enum[string(text)]) && len(text) >= p.minLength &&
		(p.maxLength < 0 || len(text) <= p.maxLength)
}

func (p *plan) object(data []byte, i int) (end int, ok bool) {
	if !p.is(Object) {
		return i, false
	}
	var seen uint64
	var names [32][]byte // duplicate names are refused: readers disagree about their meaning
	n := 0
	for i = jsontree.SkipBlanks(data, i); data[i] != '}'; {
		name, after, plain := jsontree.Quoted(data, i)
		if !plain || n == len(names) {
			return i, false
		}
		for _, other := range names[:n] {
			if bytes.Equal(other, name) {
				return i, false
			}
		}
		names[n] = name
		n++
		var inside *plan
		if p != nil {
			known, ok := p.properties[string(name)]
			switch {
			case ok:
				inside = known.plan
				seen |= known.bit
			case p.closed || p.resembles(string(name)) != "":
				return i, false
			default:
				inside = p.additional
			}
		}
		i = jsontree.SkipBlanks(data, after) + 1 // the colon
		if i, ok = inside.value(data, i); !ok {
			return i, false
		}
		if i = jsontree.SkipBlanks(data, i); data[i] == ',' {
			i = jsontree.SkipBlanks(data, i+1)
		}
	}
	return i + 1, p == nil || seen&p.required == p.required
}

// resembles returns the property whose name differs from this unlisted one in case only, or "".
func (p *plan) resembles(name string) string {
	if len(p.folded) == 0 {
		return ""
	}
	return p.folded[fold(name)]
}

// fold maps all names that package json considers equal to the same string.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		for { // to the smallest rune that differs in case only
			next := unicode.SimpleFold(r)
			if next <= r {
				return next
			}
			r = next
		}
	}, name)
}

func (p *plan) array(data []byte, i int) (end int, ok bool) {
	if !p.is(Array) {
		return i, false
	}
	var items *plan
	if p != nil {
		items = p.items
	}
	n := 0
	for i = jsontree.SkipBlanks(data, i); data[i] != ']'; n++ {
		if i, ok = items.value(data, i); !ok {
			return i, false
		}
		if i = jsontree.SkipBlanks(data, i); data[i] == ',' {
			i = jsontree.SkipBlanks(data, i+1)
		}
	}
	return i + 1, p == nil || n >= p.minItems && (p.maxItems < 0 || n <= p.maxItems)
}
