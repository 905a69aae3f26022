package xmlcall

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/toolrun/toolrun/internal/jsontree"
	"github.com/toolrun/toolrun/registry"
)

// anExample returns a call that a tool accepts, of the first tool that has something to show, else of the first one
// for which a call can be thought of.
func anExample(definitions []*registry.Definition) (example Block, ok bool) {
	for _, d := range definitions {
		b := exampleOf(d)
		switch {
		case b == nil:
		case len(b.Params) > 0:
			return *b, true
		case !ok:
			example, ok = *b, true
		}
	}
	return example, ok
}

// maxExample is how many bytes an example may have.
const maxExample = 2000

type exampleKey struct{}

// exampleOf returns a call that a tool accepts, or nil. It is made once.
func exampleOf(d *registry.Definition) *Block {
	made, _ := d.Derive(exampleKey{}, func() (any, error) {
		c := contractOf(d)
		for _, optional := range []int{2, 0} {
			if b := c.example(d.Name, optional); len(b.String()) <= maxExample && accepts(d, b) {
				return &b, nil
			}
		}
		return (*Block)(nil), nil
	})
	return made.(*Block)
}

// accepts reports whether a call, as it is written, fits the schema.
func accepts(d *registry.Definition, b Block) bool {
	calls := Calls([]*registry.Definition{d}, b.String())
	if len(calls) != 1 || calls[0].Err != nil || d.Input == nil {
		return false
	}
	input := calls[0].Input
	ordered, err := decodeOrdered(input)
	if err != nil || !contractOf(d).affordable(ordered) {
		return false
	}
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.UseNumber()
	var value any
	return decoder.Decode(&value) == nil && d.Input.Validate(value) == nil
}

// example makes a call with all required params, and some optional ones as long as there are not more than that in all.
func (c *contract) example(tool string, optional int) Block {
	b := Block{Tool: tool}
	required := 0
	for _, f := range c.params {
		if f.required {
			required++
		}
	}
	s := sampler{document: c.document, visits: maxVisits, known: fieldList{}}
	for _, f := range c.params {
		if !f.required {
			if required >= optional {
				continue
			}
			required++
		}
		sample := s.value(f.name, f.schema, 0)
		elements, isList := sample.([]any)
		switch {
		case !isList:
			elements = []any{sample}
		case len(elements) == 0:
			elements = []any{""} // stands for that
		}
		for _, e := range elements {
			text, isText := e.(string)
			if !isText {
				raw, _ := jsontree.Marshal(e)
				text = string(raw)
			}
			b.Params = append(b.Params, Param{f.name, text})
		}
	}
	return b
}

// A sampler thinks of values that may fit a schema. Whether they do is for others to see.
type sampler struct {
	document
	visits int
	// known are the fields of schemas.
	known fieldList
}

func (s *sampler) value(name string, schema any, nth int) any {
	o := s.resolve(schema)
	if s.visits--; s.visits < 0 || o == nil {
		return "..."
	}
	if examples := o.list("examples"); len(examples) > 0 {
		return examples[min(nth, len(examples)-1)]
	}
	if v := o.get("default"); v != nil {
		return v
	}
	if named, _, _ := s.choices(o); len(named) > 0 {
		return named[min(nth, len(named)-1)].value
	}
	switch allowed := s.types(o); {
	case allowed.has(typeString):
		return s.text(name, o, nth)
	case allowed.has(typeInteger | typeNumber):
		if v := s.limit(o, "minimum"); v != nil {
			return v
		}
		return json.Number("1")
	case allowed.has(typeBoolean):
		return true
	case allowed.has(typeArray):
		return s.array(name, o)
	case allowed.has(typeObject):
		made := &object{values: map[string]any{}}
		for _, f := range s.known.of(s.document, o) {
			if f.required && s.visits >= 0 {
				made.names = append(made.names, f.name)
				made.values[f.name] = s.value(f.name, f.schema, 0)
			}
		}
		return made
	}
	return nil
}

// array makes two items, to show how a list is written, if there can be two that differ.
func (s *sampler) array(name string, o *object) []any {
	array := s.part(o, typeArray, "items")
	items := array.get("items")
	first := s.value(name, items, 0)
	if array.get("maxItems") == json.Number("1") {
		return []any{first}
	}
	second := s.value(name, items, 1)
	a, _ := jsontree.Marshal(first)
	b, _ := jsontree.Marshal(second)
	if bytes.Equal(a, b) {
		return []any{first}
	}
	return []any{first, second}
}

// limit returns what a schema, or one that it is made of, has as a limit.
func (s *sampler) limit(o *object, keyword string) (found any) {
	s.each(o, func(part *object) bool {
		found = part.get(keyword)
		return found == nil
	})
	return found
}

// text makes a text by what the parameter is called, and by its format.
func (s *sampler) text(name string, o *object, nth int) string {
	choose := func(texts ...string) string { return texts[nth%len(texts)] }
	switch o.text("format") {
	case "date":
		return choose("2025-01-31", "2025-02-28")
	case "date-time":
		return choose("2025-01-31T12:00:00Z", "2025-02-28T12:00:00Z")
	case "time":
		return choose("12:00:00Z", "13:00:00Z")
	case "uri", "url":
		return choose("https://example.com/a", "https://example.com/b")
	case "email":
		return choose("anna@example.com", "ben@example.com")
	}
	switch name = strings.ToLower(name); {
	case strings.Contains(name, "path") || strings.Contains(name, "file"):
		return choose("/notes.txt", "/todo.txt")
	case strings.Contains(name, "url"):
		return choose("https://example.com/a", "https://example.com/b")
	case strings.Contains(name, "code") || strings.Contains(name, "script"):
		return "if (1 < 2 && true) {\n  return 1;\n}"
	}
	return choose("first text", "second text")
}
