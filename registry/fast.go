package registry

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"

	"github.com/toolrun/toolrun/internal/jsontree"
)

// A plan is a schema in a form that checks JSON without decoding it. It knows the keywords that nearly all schemas of tools
// consist of, and accepts only what is valid for certain; what it does not accept has to be coerced and validated. That is
// what makes checking the input of a call cost a tenth of decoding and validating it.
type plan struct {
	// never says that the schema is of a kind that a plan cannot check.
	never bool
	types typeSet
	// properties are those of objects, with a bit each for the required ones.
	properties map[string]property
	required   uint64
	// folded has their names by what is left of them if case does not matter.
	folded map[string]string
	// additional is for other properties: nil if they may be anything. closed says that there may be none.
	additional *plan
	closed     bool
	// items is for the elements of arrays, nil if they may be anything.
	items    *plan
	minItems int
	maxItems int // -1: no limit
	// enum has the strings that are allowed, or is nil.
	enum                 map[string]bool
	minLength, maxLength int // -1: no limit
	minimum, maximum     *float64
}

type property struct {
	plan *plan
	bit  uint64
}

// A typeSet is a set of JSON types. All of them stand for no limitation.
type typeSet uint8

const (
	typeNull typeSet = 1 << iota
	typeBoolean
	typeInteger // a number without a fraction
	typeNumber
	typeString
	typeArray
	typeObject
	anyType = 1<<iota - 1
)

var typeSets = map[string]typeSet{
	"null": typeNull, "boolean": typeBoolean, "integer": typeInteger, "number": typeNumber | typeInteger,
	"string": typeString, "array": typeArray, "object": typeObject,
}

// newPlan makes the plan of a schema, as it has been decoded.
func newPlan(schema any) *plan {
	p := &plan{types: anyType, maxItems: -1, maxLength: -1}
	object, ok := schema.(map[string]any)
	if !ok {
		p.never = schema != true
		return p
	}
	properties, _ := object["properties"].(map[string]any)
	for keyword, value := range object {
		ok := true
		switch keyword {
		case "title", "description", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly", "format", "$defs":
		case "type":
			p.types, ok = typesOf(value)
		case "properties":
			p.properties = make(map[string]property, len(properties))
			p.folded = make(map[string]string, len(properties))
			for name, inside := range properties {
				p.properties[name] = property{plan: newPlan(inside)}
				p.folded[fold(name)] = name
			}
		case "required":
			names, _ := value.([]any)
			for i, name := range names {
				name, _ := name.(string)
				_, known := properties[name]
				ok = ok && known && i < 64
			}
		case "additionalProperties":
			if p.closed = value == false; !p.closed {
				p.additional = newPlan(value)
			}
		case "items":
			p.items = newPlan(value)
		case "enum":
			p.enum = map[string]bool{}
			for _, v := range value.([]any) {
				text, isString := v.(string)
				ok = ok && isString
				p.enum[text] = true
			}
			p.types &= typeString
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
	if p.enum != nil {
		p.types &= typeString // whatever came first
	}
	if names, _ := object["required"].([]any); !p.never {
		for i, name := range names {
			name := name.(string)
			p.properties[name] = property{p.properties[name].plan, p.properties[name].bit | 1<<i}
			p.required |= 1 << i
		}
	}
	return p
}

func typesOf(value any) (types typeSet, ok bool) {
	switch value := value.(type) {
	case string:
		types, ok = typeSets[value]
		return types, ok
	case []any:
		for _, v := range value {
			name, _ := v.(string)
			t, ok := typeSets[name]
			if !ok {
				return 0, false
			}
			types |= t
		}
		return types, true
	}
	return 0, false
}

func count(value any) (int, bool) {
	n, _ := value.(json.Number)
	i, err := strconv.Atoi(string(n))
	return i, err == nil && i >= 0
}

// bound returns a number that a float64 has exactly.
func bound(value any) (*float64, bool) {
	n, _ := value.(json.Number)
	f, ok := exactly([]byte(n))
	return &f, ok
}

// exactly returns a number if it has so few digits that comparing it as a float64 is right.
func exactly(text []byte) (float64, bool) {
	if len(text) == 0 || len(text) > 15 {
		return 0, false
	}
	for _, c := range text {
		if c == 'e' || c == 'E' {
			return 0, false
		}
	}
	f, err := strconv.ParseFloat(string(text), 64)
	return f, err == nil
}

// accepts reports whether a value, of which it is known that it is valid JSON, is valid for certain.
func (p *plan) accepts(data []byte) bool {
	_, ok := p.value(data, 0)
	return ok
}

// value checks the value at i, and returns where it ends. A nil plan checks nothing.
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
		return end, p == nil || p.types&typeString != 0 && p.text(text, plain)
	case 't':
		return i + 4, p.is(typeBoolean)
	case 'f':
		return i + 5, p.is(typeBoolean)
	case 'n':
		return i + 4, p.is(typeNull)
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

func (p *plan) is(t typeSet) bool { return p == nil || p.types&t != 0 }

func (p *plan) number(text []byte, whole bool) bool {
	if !jsontree.IsReasonable(text) {
		return false
	}
	if p == nil {
		return true
	}
	if p.types&typeNumber == 0 && !(whole && p.types&typeInteger != 0) {
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
	return plain && (p.enum == nil || p.enum[string(text)]) && len(text) >= p.minLength && (p.maxLength < 0 || len(text) <= p.maxLength)
}

func (p *plan) object(data []byte, i int) (end int, ok bool) {
	if !p.is(typeObject) {
		return i, false
	}
	var seen uint64
	var names [32][]byte // what is in an object twice means different things to different readers
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

// resembles returns a property whose name differs from this one, which is no property, in case only, or "".
func (p *plan) resembles(name string) string {
	if len(p.folded) == 0 {
		return ""
	}
	return p.folded[fold(name)]
}

// fold makes names the same that package json takes for the same.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		for { // to the smallest of those that differ in case only
			next := unicode.SimpleFold(r)
			if next <= r {
				return next
			}
			r = next
		}
	}, name)
}

func (p *plan) array(data []byte, i int) (end int, ok bool) {
	if !p.is(typeArray) {
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
