package schema

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// A Sampler makes sample values that probably fit a schema. Callers that depend on a fit must validate them.
type Sampler struct {
	document *Document
	left     int
	known    FieldList
}

// NewSampler returns a sampler that makes at most this many values in total, nested ones included. Work on large
// schemas counts as values, too.
func NewSampler(d *Document, values int) *Sampler {
	return &Sampler{document: d, left: values, known: FieldList{}}
}

// Limits on samples. maxSampleText is in bytes.
const (
	maxSampleDepth = 16
	maxSampleItems = 100
	maxSampleText  = 1 << 16
)

// Sample returns a value for a property of the given name: the schema's example or default, a value of const or enum,
// or a value made from its type, its limits and the name. Different nth, from 0, give different values if possible.
func (s *Sampler) Sample(name string, schema *jsontree.Node, nth int) *jsontree.Node {
	return s.value(name, schema, nth, 0)
}

func (s *Sampler) value(name string, schema *jsontree.Node, nth, depth int) *jsontree.Node {
	if s.left--; s.left < 0 || depth > maxSampleDepth || schema == nil || schema.Kind != jsontree.Object {
		return jsontree.NewString("...")
	}
	parts := s.parts(schema)
	for _, part := range parts {
		if examples := part.List("examples"); len(examples) > 0 {
			return examples[min(nth, len(examples)-1)]
		}
	}
	if v := first(parts, "default"); v != nil && !v.Is("null") {
		return v
	}
	if named, _, _ := s.document.Choices(schema); len(named) > 0 {
		return named[min(nth, len(named)-1)].Value
	}
	switch allowed := s.document.Meant(schema); {
	case allowed.Has(String):
		return s.text(name, parts, nth)
	case allowed.Has(Number):
		return number(parts)
	case allowed.Has(Boolean):
		return jsontree.True
	case allowed.Has(Array):
		return s.array(name, schema, parts, depth)
	case allowed.Has(Object):
		return s.object(schema, parts, depth)
	}
	return jsontree.Null
}

// parts returns the schemas that a sample has to fit. Of several alternatives, it chooses the first.
func (s *Sampler) parts(schema *jsontree.Node) []*jsontree.Node {
	parts := s.document.Described(schema)
	for i := 0; i < len(parts) && len(parts) < maxVisits; i++ { // parts grows
		if alternatives := (&walk{s.document, maxVisits}).alternatives(parts[i]); len(alternatives) > 1 {
			parts = append(parts, s.document.Described(alternatives[0])...)
		}
	}
	s.left -= len(parts) / 4
	return parts
}

// first returns the value of a keyword in the first schema that has it, or nil.
func first(parts []*jsontree.Node, keyword string) *jsontree.Node {
	for _, part := range parts {
		if v := part.Get(keyword); v != nil {
			return v
		}
	}
	return nil
}

// limit returns the value of a numeric keyword, or fallback.
func limit(parts []*jsontree.Node, keyword string, fallback float64) float64 {
	if v := first(parts, keyword); v.IsNumber() {
		if n, err := strconv.ParseFloat(v.Text, 64); err == nil {
			return n
		}
	}
	return fallback
}

// object makes an object with the required properties.
func (s *Sampler) object(schema *jsontree.Node, parts []*jsontree.Node, depth int) *jsontree.Node {
	made, required := jsontree.NewObject(), map[string]bool{}
	for _, part := range parts {
		for _, name := range part.Get("required").Texts() {
			required[name] = true
		}
	}
	for _, f := range s.known.Of(s.document, schema) {
		if !required[f.Name] || s.left < 0 {
			continue
		}
		of := f.Schema
		for _, part := range parts { // prefer the property of the chosen alternative
			if own := part.Object("properties").Get(f.Name); own != nil {
				of = own
				break
			}
		}
		made.Members = append(made.Members, jsontree.Member{Name: f.Name, Value: s.value(f.Name, of, 0, depth+1)})
	}
	return made
}

// array makes as many items as minItems demands, but preferably two different ones, to show how a list is written.
func (s *Sampler) array(name string, schema *jsontree.Node, parts []*jsontree.Node, depth int) *jsontree.Node {
	items := s.document.Find(schema, Array, "items").Get("items")
	least := int(min(limit(parts, "minItems", 0), maxSampleItems))
	most := limit(parts, "maxItems", math.Inf(1))
	list := jsontree.NewArray()
	if most < 1 {
		return list
	}
	list.Items = append(list.Items, s.value(name, items, 0, depth+1))
	if second := s.value(name, items, 1, depth+1); most >= 2 && (least >= 2 || !second.Equal(list.Items[0])) {
		list.Items = append(list.Items, second)
	}
	for len(list.Items) < least && s.left >= 0 {
		list.Items = append(list.Items, s.value(name, items, len(list.Items), depth+1))
	}
	return list
}

func number(parts []*jsontree.Node) *jsontree.Node {
	n := limit(parts, "minimum", 1)
	if low := limit(parts, "exclusiveMinimum", math.Inf(-1)); n <= low {
		n = low + 1
	}
	n = min(n, limit(parts, "maximum", math.Inf(1)))
	if high := limit(parts, "exclusiveMaximum", math.Inf(1)); n >= high {
		n = high - 1
	}
	if step := limit(parts, "multipleOf", 0); step > 0 {
		n = math.Ceil(n/step) * step
	}
	if math.IsInf(n, 0) || math.IsNaN(n) {
		n = 1
	}
	return jsontree.NewNumber(strconv.FormatFloat(n, 'f', -1, 64))
}

// formats maps formats to two sample texts each.
var formats = map[string][2]string{
	"date": {"2025-01-31", "2025-02-28"}, "date-time": {"2025-01-31T12:00:00Z", "2025-02-28T12:00:00Z"},
	"time": {"12:00:00Z", "13:00:00Z"}, "duration": {"PT1H", "PT2H"},
	"uri":           {"https://example.com/a", "https://example.com/b"},
	"url":           {"https://example.com/a", "https://example.com/b"},
	"uri-reference": {"/a", "/b"}, "email": {"anna@example.com", "ben@example.com"},
	"hostname": {"a.example.com", "b.example.com"},
	"ipv4":     {"192.0.2.1", "192.0.2.2"}, "ipv6": {"2001:db8::1", "2001:db8::2"}, "regex": {"x", "y"},
	"uuid": {"123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-42d3-a456-426614174001"},
}

// text makes a text from the format or the name, and adapts its length to the limits.
func (s *Sampler) text(name string, parts []*jsontree.Node, nth int) *jsontree.Node {
	format, _ := first(parts, "format").AsText()
	texts, known := formats[format]
	if !known {
		switch name = strings.ToLower(name); {
		case strings.Contains(name, "path") || strings.Contains(name, "file"):
			texts = [2]string{"/notes.txt", "/todo.txt"}
		case strings.Contains(name, "url"):
			texts = formats["url"]
		case strings.Contains(name, "code") || strings.Contains(name, "script"):
			texts = [2]string{"if (1 < 2 && true) {\n  return 1;\n}", "if (1 < 2 && true) {\n  return 1;\n}"}
		default:
			texts = [2]string{"first text", "second text"}
		}
	}
	text := texts[nth%2]
	if least := int(min(limit(parts, "minLength", 0), maxSampleText)); len(text) < least {
		text += strings.Repeat("x", least-len(text))
		s.left -= len(text) / 100
	}
	if most := limit(parts, "maxLength", math.Inf(1)); float64(utf8.RuneCountInString(text)) > most {
		text = text[:int(max(most, 0))]
	}
	return jsontree.NewString(text)
}
