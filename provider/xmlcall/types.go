package xmlcall

import (
	"encoding/json"
	"net/url"
	"strings"
)

// types is a set of JSON types.
type types uint

const (
	typeString types = 1 << iota
	typeInteger
	typeNumber
	typeBoolean
	typeObject
	typeArray
	typeNull

	anyType = 1<<iota - 1
)

var typeNames = []struct {
	is   types
	name string
}{
	{typeString, "string"}, {typeInteger, "integer"}, {typeNumber, "number"}, {typeBoolean, "boolean"},
	{typeObject, "object"}, {typeArray, "array"}, {typeNull, "null"},
}

func typeOf(name any) types {
	for _, t := range typeNames {
		if t.name == name {
			return t.is
		}
	}
	return 0
}

// has reports whether one of the types is in the set.
func (t types) has(other types) bool { return t&other != 0 }

// String names the types.
func (t types) String() string {
	if t&anyType == anyType {
		return "any"
	}
	var names []string
	for _, n := range typeNames {
		if t.has(n.is) && !(n.is == typeInteger && t.has(typeNumber)) {
			names = append(names, n.name)
		}
	}
	return strings.Join(names, " or ")
}

// typeOfValue returns the type of a JSON value.
func typeOfValue(v any) types {
	switch v := v.(type) {
	case nil:
		return typeNull
	case bool:
		return typeBoolean
	case string:
		return typeString
	case json.Number:
		if isInteger(string(v)) {
			return typeInteger
		}
		return typeNumber
	case []any:
		return typeArray
	case *object:
		return typeObject
	}
	return 0
}

// A document is a schema that others can be in.
type document struct{ root *object }

// Schemas can refer to themselves, and can be made to have no end that anybody could wait for.
const (
	maxReferences = 16   // how many references are followed in a row
	maxPointer    = 1000 // how many bytes a reference has
	maxVisits     = 200  // how many schemas are looked at for one question
)

var pointerToken = strings.NewReplacer("~1", "/", "~0", "~")

// resolve follows references inside of the document. What is no object is nil.
func (d document) resolve(schema any) *object {
	o, _ := schema.(*object)
	for range maxReferences {
		ref := o.text("$ref")
		var at any = d.root
		if ref != "#" {
			path, local := strings.CutPrefix(ref, "#/")
			if !local || len(path) > maxPointer {
				return o
			}
			if plain, err := url.PathUnescape(path); err == nil {
				path = plain
			}
			for token := range strings.SplitSeq(path, "/") {
				in, _ := at.(*object)
				at = in.get(pointerToken.Replace(token))
			}
		}
		next, ok := at.(*object)
		if !ok {
			return o
		}
		o = next
	}
	return o
}

// each calls do for a schema and for those that it is made of by allOf, anyOf and oneOf, in the order in which they are
// written, until do returns false.
func (d document) each(schema any, do func(*object) bool) {
	visits := maxVisits
	d.visit(schema, &visits, do)
}

func (d document) visit(schema any, visits *int, do func(*object) bool) bool {
	if *visits--; *visits < 0 {
		return false
	}
	o := d.resolve(schema)
	if o == nil {
		return true
	}
	*visits -= len(o.list("enum")) / maxVisits // long lists take time, too
	if !do(o) {
		return false
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		for _, part := range o.list(keyword) {
			if !d.visit(part, visits, do) {
				return false
			}
		}
	}
	return true
}

// types returns the types that a schema allows, as far as it says that. If it says nothing, that is any.
func (d document) types(schema any) types {
	visits := maxVisits
	return d.typesIn(schema, &visits)
}

func (d document) typesIn(schema any, visits *int) types {
	if *visits--; *visits < 0 {
		return anyType
	}
	o := d.resolve(schema)
	if o == nil {
		return anyType
	}
	switch t := o.get("type").(type) {
	case string:
		return typeOf(t)
	case []any:
		var set types
		for _, name := range t {
			set |= typeOf(name)
		}
		return set
	}
	if values := o.list("enum"); values != nil {
		*visits -= len(values) / maxVisits // long lists take time, too
		var set types
		for _, v := range values {
			set |= typeOfValue(v)
		}
		return set
	}
	if v, ok := o.lookup("const"); ok {
		return typeOfValue(v)
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if parts := o.list(keyword); parts != nil {
			var set types
			for _, part := range parts {
				set |= d.typesIn(part, visits)
			}
			return set
		}
	}
	set := types(anyType)
	for _, part := range o.list("allOf") {
		set &= d.typesIn(part, visits)
	}
	switch {
	case set != anyType:
	case o.object("properties") != nil:
		return typeObject
	case o.get("items") != nil:
		return typeArray
	}
	return set
}

// lookup returns a member, and whether it is there.
func (o *object) lookup(name string) (any, bool) {
	if o == nil {
		return nil, false
	}
	v, ok := o.values[name]
	return v, ok
}

// part returns the first schema, of those that a schema is made of, that allows a type and has the keyword, or nil.
func (d document) part(schema any, of types, keyword string) (found *object) {
	d.each(schema, func(o *object) bool {
		if _, has := o.lookup(keyword); has && d.types(o).has(of) {
			found = o
		}
		return found == nil
	})
	return found
}

// A field is a property of an object.
type field struct {
	name     string
	schema   any
	required bool
}

// A fieldList remembers the fields of schemas, which many others can refer to.
type fieldList map[*object][]field

// of is fields of a document, found out once.
func (l fieldList) of(d document, o *object) []field {
	fields, known := l[o]
	if !known {
		fields = d.fields(o)
		l[o] = fields
	}
	return fields
}

// fields returns the properties of objects that fit a schema, in the order in which they are written. One that alternatives have, too,
// with other values by which they can be told apart, can have the values of all of them.
func (d document) fields(schema any) []field {
	var fields []field
	index := map[string]int{}
	first := d.resolve(schema)
	both := maxVisits // properties that are compared with others of the same name
	d.each(schema, func(o *object) bool {
		properties := o.object("properties")
		if properties == nil {
			return true
		}
		for _, name := range properties.names {
			if _, there := index[name]; !there {
				index[name] = len(fields)
				fields = append(fields, field{name: name, schema: properties.values[name]})
				continue
			}
			if both--; both >= 0 {
				f := &fields[index[name]]
				f.schema = d.either(f.schema, properties.values[name])
			}
		}
		return true
	})
	// What an alternative requires is not required of all.
	require := func(o *object) {
		for _, name := range o.list("required") {
			name, _ := name.(string)
			if i, there := index[name]; there {
				fields[i].required = true
			}
		}
	}
	require(first)
	for _, part := range first.list("allOf") {
		require(d.resolve(part))
	}
	return fields
}

// either returns a schema for what fits one of two, if both name the values that there can be, else the first one.
func (d document) either(one, other any) any {
	a, _ := one.(*object)
	b, _ := other.(*object)
	if a == b || !d.namesAll(a) || !d.namesAll(b) {
		return one
	}
	either := &object{names: []string{"anyOf"}, values: map[string]any{"anyOf": []any{one, other}}}
	for _, keyword := range []string{"description", "title", "default"} {
		for _, o := range append(d.every(a), d.every(b)...) {
			if v, ok := o.lookup(keyword); ok {
				either.names = append(either.names, keyword)
				either.values[keyword] = v
				break
			}
		}
	}
	return either
}

// namesAll reports whether a schema names the values that there can be.
func (d document) namesAll(schema *object) bool {
	named, others, _ := d.choices(schema)
	return len(named) > 0 && !others
}
