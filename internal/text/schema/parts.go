package schema

import "github.com/toolrun/toolrun/internal/text/jsontree"

// Each calls do for a schema, the schemas it refers to, and those in allOf, anyOf and oneOf, in the order in which they
// are written, until do returns false.
func (d *Document) Each(schema *jsontree.Node, do func(*jsontree.Node) bool) {
	(&walk{d, maxVisits}).each(schema, do)
}

func (w *walk) each(schema *jsontree.Node, do func(*jsontree.Node) bool) bool {
	if schema == nil || schema.Kind != jsontree.Object {
		return true
	}
	if !w.spend(1 + len(schema.List("enum"))/maxVisits) { // long lists cost time, too
		return false
	}
	alone := w.RefAlone(schema)
	if !alone && !do(schema) {
		return false
	}
	for _, target := range w.Targets(schema) {
		if !w.each(target, do) {
			return false
		}
	}
	if alone {
		return true
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		for _, part := range schema.List(keyword) {
			if !w.each(part, do) {
				return false
			}
		}
	}
	return true
}

// Find returns the first schema visited by Each that allows the type and has the keyword, or nil.
func (d *Document) Find(schema *jsontree.Node, of Types, keyword string) (found *jsontree.Node) {
	d.Each(schema, func(part *jsontree.Node) bool {
		if part.Get(keyword) != nil && d.Meant(part).Has(of) {
			found = part
		}
		return found == nil
	})
	return found
}

// alternatives returns the schemas in anyOf or oneOf that allow more than null.
func (d *Document) alternatives(schema *jsontree.Node) (alternatives []*jsontree.Node) {
	w := &walk{d, maxVisits}
	for _, part := range w.parts(schema) {
		alternatives = append(alternatives, w.alternatives(part)...)
	}
	return alternatives
}

func (w *walk) alternatives(part *jsontree.Node) (alternatives []*jsontree.Node) {
	for _, keyword := range []string{"anyOf", "oneOf"} {
		for _, alternative := range part.List(keyword) {
			if !w.spend(1) {
				return alternatives
			}
			if w.types(alternative, 0) != Null {
				alternatives = append(alternatives, alternative)
			}
		}
	}
	return alternatives
}

// Described returns the schemas that describe a value other than null: the schema itself, the schemas it refers to,
// those in allOf, and the only alternative besides null, if there is just one. A schema comes before the schemas it
// refers to.
func (d *Document) Described(schema *jsontree.Node) []*jsontree.Node {
	return (&walk{d, maxVisits}).described(nil, schema)
}

func (w *walk) described(all []*jsontree.Node, schema *jsontree.Node) []*jsontree.Node {
	if schema == nil || schema.Kind != jsontree.Object || !w.spend(1) {
		return all
	}
	all = append(all, schema)
	for _, target := range w.Targets(schema) {
		all = w.described(all, target)
	}
	for _, part := range schema.List("allOf") {
		all = w.described(all, part)
	}
	if alternatives := w.alternatives(schema); len(alternatives) == 1 {
		all = w.described(all, alternatives[0])
	}
	return all
}

// A Field is a property of an object.
type Field struct {
	Name     string
	Schema   *jsontree.Node
	Required bool
}

// Fields returns the properties of objects that fit a schema, in the order in which they are written. If alternatives
// list different values for the same property, the field allows the values of all of them.
func (d *Document) Fields(schema *jsontree.Node) []Field {
	var fields []Field
	places := map[string]int{}
	both := maxVisits // the number of properties that may be compared with others of the same name
	d.Each(schema, func(part *jsontree.Node) bool {
		properties := part.Object("properties")
		if properties == nil {
			return true
		}
		for _, m := range properties.Members {
			i, there := places[m.Name]
			if !there {
				places[m.Name] = len(fields)
				fields = append(fields, Field{Name: m.Name, Schema: m.Value})
			} else if both--; both >= 0 {
				fields[i].Schema = d.either(fields[i].Schema, m.Value)
			}
		}
		return true
	})
	for _, part := range d.Described(schema) { // a property that only one of several alternatives requires is optional
		for _, name := range part.Get("required").Texts() {
			if i, there := places[name]; there {
				fields[i].Required = true
			}
		}
	}
	return fields
}

// A FieldList caches the fields of schemas, because many others may refer to the same one.
type FieldList map[*jsontree.Node][]Field

// Of returns the cached result of Document.Fields.
func (l FieldList) Of(d *Document, schema *jsontree.Node) []Field {
	fields, known := l[schema]
	if !known {
		fields = d.Fields(schema)
		l[schema] = fields
	}
	return fields
}

// either returns a schema that allows the values of both a and b if const and enum restrict both, else a.
func (d *Document) either(a, b *jsontree.Node) *jsontree.Node {
	if a == b || !d.namesAll(a) || !d.namesAll(b) {
		return a
	}
	either := jsontree.NewObject(jsontree.Member{Name: "anyOf", Value: jsontree.NewArray(a, b)})
	for _, keyword := range []string{"description", "title", "default"} {
		for _, part := range append(d.Described(a), d.Described(b)...) {
			if v := part.Get(keyword); v != nil {
				either.Set(keyword, v)
				break
			}
		}
	}
	return either
}

// namesAll reports whether const and enum list all values that a schema allows.
func (d *Document) namesAll(schema *jsontree.Node) bool {
	named, others, _ := d.Choices(schema)
	return len(named) > 0 && !others
}
