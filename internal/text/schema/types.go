package schema

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// Types is a set of JSON types.
type Types uint8

// The types. A number with a fraction is of type Fraction, and one without of type Integer, so that 1.0 is an Integer.
const (
	Null Types = 1 << iota
	Boolean
	Integer
	Fraction
	String
	Array
	Object

	Number  = Integer | Fraction
	AnyType = Object<<1 - 1
	NoTypes = Types(0)
)

var typeNames = []struct {
	is   Types
	name string
}{
	{String, "string"}, {Integer, "integer"}, {Number, "number"}, {Boolean, "boolean"}, {Object, "object"},
	{Array, "array"}, {Null, "null"},
}

// namedType returns the type with a name in JSON Schema, or NoTypes if the name is unknown.
func namedType(name string) Types {
	for _, t := range typeNames {
		if t.name == name {
			return t.is
		}
	}
	return NoTypes
}

// Has reports whether the sets share a type.
func (t Types) Has(other Types) bool { return t&other != 0 }

// String names the types, as in "integer or null".
func (t Types) String() string {
	if t == AnyType {
		return "any"
	}
	var names []string
	for _, n := range typeNames {
		if n.is == Integer && t&Number == Number || n.is == Number && t&Number != Number {
			continue
		}
		if t.Has(n.is) {
			names = append(names, n.name)
		}
	}
	if t&Number == Fraction {
		names = append(names, "number")
	}
	return strings.Join(names, " or ")
}

// TypeOf returns the type of a value.
func TypeOf(n *jsontree.Node) Types {
	switch {
	case n == nil:
		return NoTypes
	case n.Kind == jsontree.Object:
		return Object
	case n.Kind == jsontree.Array:
		return Array
	case n.Kind == jsontree.String:
		return String
	case n.Is("null"):
		return Null
	case n.IsNumber():
		return typeOfNumber(n.Text)
	}
	return Boolean
}

// typeOfDecoded returns the type of a value that package json decoded with UseNumber, or NoTypes.
func typeOfDecoded(v any) Types {
	switch v := v.(type) {
	case nil:
		return Null
	case bool:
		return Boolean
	case string:
		return String
	case json.Number:
		return typeOfNumber(string(v))
	case []any:
		return Array
	case map[string]any:
		return Object
	}
	return NoTypes
}

func typeOfNumber(text string) Types {
	if _, ok := jsontree.Integer(text); ok {
		return Integer
	}
	return Fraction
}

// declared returns the types in the keyword type, or AnyType without it.
func declared(schema *jsontree.Node) Types {
	value := schema.Get("type")
	if value == nil {
		return AnyType
	}
	if name, ok := value.AsText(); ok {
		return namedType(name)
	}
	set := NoTypes
	for _, name := range value.Texts() {
		set |= namedType(name)
	}
	return set
}

// maxVisits limits how many schemas a walk visits.
const maxVisits = 600

// A walk answers a question about a document. It gives up after visiting a limited number of schemas.
type walk struct {
	*Document
	left int
}

// spend counts visited schemas, and reports whether the limit still permits more.
func (w *walk) spend(n int) bool {
	w.left -= n
	return w.left >= 0
}

// Types returns the types of the values that fit a schema. It may return too many if that depends on more than a
// few keywords.
func (d *Document) Types(schema *jsontree.Node) Types {
	return (&walk{d, maxVisits}).types(schema, 0)
}

// Meant returns the types that a schema is about: its Types, or, if it allows all types, those that its other keywords
// apply to.
func (d *Document) Meant(schema *jsontree.Node) Types {
	types := d.Types(schema)
	if types != AnyType && types != NoTypes {
		return types
	}
	for _, part := range d.parts(schema) {
		switch {
		case part.Object("properties") != nil:
			return Object
		case part.Get("items") != nil || part.Get("prefixItems") != nil:
			return Array
		}
	}
	return AnyType
}

// maxNested limits how deep alternatives within alternatives are followed.
const maxNested = 16

func (w *walk) types(schema *jsontree.Node, depth int) Types {
	if schema.Is("false") {
		return NoTypes
	}
	if w.single(schema) {
		if !w.spend(1) {
			return AnyType
		}
		return w.ownTypes(schema, depth)
	}
	set := Types(AnyType)
	for _, part := range w.parts(schema) {
		set &= w.ownTypes(part, depth)
	}
	return set
}

// ownTypes returns the types that a schema and its alternatives allow, ignoring references and allOf.
func (w *walk) ownTypes(part *jsontree.Node, depth int) Types {
	set := Types(AnyType)
	for _, m := range part.Members {
		switch m.Name {
		case "type":
			set &= declared(part)
		case "const":
			if w.Draft > Draft4 {
				set &= TypeOf(m.Value)
			}
		case "enum":
			if m.Value.Kind == jsontree.Array {
				set &= w.typesNamed(m.Value)
			}
		case "anyOf", "oneOf":
			if len(m.Value.Items) == 0 || depth >= maxNested {
				continue
			}
			union := NoTypes
			for _, alternative := range m.Value.Items {
				if !w.spend(1) {
					return set
				}
				union |= w.types(alternative, depth+1)
			}
			set &= union
		}
	}
	return set
}

// single reports whether a schema is an object without references and allOf.
func (w *walk) single(schema *jsontree.Node) bool {
	return schema != nil && schema.Kind == jsontree.Object && len(w.Targets(schema)) == 0 && schema.Get("allOf") == nil
}

// parts returns the schemas that every fitting value must fit: the schema itself, the schemas it refers to, those in
// allOf, and their parts in turn, in this order. It stops after a few hundred.
func (d *Document) parts(schema *jsontree.Node) []*jsontree.Node {
	return (&walk{d, maxVisits}).parts(schema)
}

func (w *walk) parts(schema *jsontree.Node) []*jsontree.Node {
	return w.addParts(nil, schema)
}

func (w *walk) addParts(parts []*jsontree.Node, schema *jsontree.Node) []*jsontree.Node {
	if schema == nil || schema.Kind != jsontree.Object || len(parts) >= maxVisits || !w.spend(1+len(parts)/16) ||
		slices.Contains(parts, schema) {
		return parts
	}
	targets := w.Targets(schema)
	if w.Draft <= Draft7 && len(targets) > 0 { // keywords beside the reference are ignored
		return w.addParts(parts, targets[0])
	}
	parts = append(parts, schema)
	for _, target := range targets {
		parts = w.addParts(parts, target)
	}
	for _, part := range schema.List("allOf") {
		parts = w.addParts(parts, part)
	}
	return parts
}
