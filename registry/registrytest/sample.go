package registrytest

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/registry"
)

// decode decodes JSON as a registry does.
func decode(data []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// schema returns the schema of the input, and the same decoded.
func (s *subject) schema() (*registry.Schema, map[string]any) {
	d, err := s.definition(nil, plainAPI)
	if err != nil {
		return nil, nil
	}
	doc, err := decode(d.Input.JSON())
	if err != nil {
		return nil, nil
	}
	root, _ := doc.(map[string]any)
	return d.Input, root
}

// samples returns the inputs that succeed, or else one that at least fits the schema. known says which.
func (s *subject) samples() (inputs []json.RawMessage, known bool) {
	for _, input := range s.options.Inputs {
		inputs = append(inputs, json.RawMessage(input))
	}
	if len(inputs) > 0 {
		return inputs, true
	}
	schema, root := s.schema()
	if schema == nil {
		return nil, false
	}
	m := newMaker(root)
	value := m.value(root, 0)
	if schema.Validate(value) != nil {
		return nil, false
	}
	input, err := json.Marshal(value)
	if err != nil {
		return nil, false
	}
	return []json.RawMessage{input}, false
}

// A maker makes values that fit a schema, as far as that is easy. What it makes has to be validated.
type maker struct {
	root map[string]any
	// left is how many values it may still make, and keywords it may look at for them.
	left int
}

const (
	maxMakeDepth = 16
	maxMade      = 10_000
)

func newMaker(root map[string]any) *maker { return &maker{root, maxMade} }

func (m *maker) value(schema map[string]any, depth int) any {
	schema = resolve(m.root, schema)
	if m.left -= 1 + len(schema); depth > maxMakeDepth || m.left < 0 {
		return nil
	}
	for _, keyword := range []string{"const", "default"} {
		if v, ok := schema[keyword]; ok {
			return v
		}
	}
	for _, keyword := range []string{"enum", "examples"} {
		if list, _ := schema[keyword].([]any); len(list) > 0 {
			return list[0]
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := schema[keyword].([]any)
		if len(list) == 0 {
			continue
		}
		merged := maps.Clone(schema)
		delete(merged, keyword)
		if keyword != "allOf" {
			list = list[:1]
		}
		for _, one := range list[:min(len(list), max(m.left, 0))] {
			one, _ := one.(map[string]any)
			m.left--
			merge(merged, resolve(m.root, one))
		}
		return m.value(merged, depth+1)
	}
	switch typeOf(schema) {
	case "object":
		return m.object(schema, depth)
	case "array":
		list := []any{}
		items, _ := schema["items"].(map[string]any)
		for range min(int(limit(schema, "minItems", 0)), 100) {
			if m.left < 0 {
				break
			}
			list = append(list, m.value(items, depth+1))
		}
		return list
	case "boolean":
		return true
	case "integer", "number":
		return m.number(schema)
	case "null":
		return nil
	}
	return m.text(schema)
}

func (m *maker) object(schema map[string]any, depth int) any {
	object := map[string]any{}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if m.left < 0 {
			break
		}
		name, _ := name.(string)
		property, _ := properties[name].(map[string]any)
		object[name] = m.value(property, depth+1)
	}
	return object
}

func (m *maker) number(schema map[string]any) any {
	n := 1.0
	if low := limit(schema, "minimum", math.Inf(-1)); n < low {
		n = low
	}
	if low := limit(schema, "exclusiveMinimum", math.Inf(-1)); n <= low {
		n = low + 1
	}
	if high := limit(schema, "maximum", math.Inf(1)); n > high {
		n = high
	}
	if high := limit(schema, "exclusiveMaximum", math.Inf(1)); n >= high {
		n = high - 1
	}
	if step := limit(schema, "multipleOf", 0); step > 0 {
		n = math.Ceil(n/step) * step
	}
	encoded, _ := json.Marshal(n)
	return json.Number(encoded)
}

func (m *maker) text(schema map[string]any) any {
	format, _ := schema["format"].(string)
	text, ok := map[string]string{
		"date-time": "2025-03-01T12:00:00Z", "date": "2025-03-01", "time": "12:00:00Z", "duration": "PT1H",
		"email": "ada@example.com", "hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
		"uri": "https://example.com/", "uri-reference": "/x", "uuid": "123e4567-e89b-42d3-a456-426614174000", "regex": "x",
	}[format]
	if !ok {
		text = strings.Repeat("x", max(1, min(int(limit(schema, "minLength", 1)), 1<<16)))
		m.left -= len(text) / 100
		if most := limit(schema, "maxLength", 1); most < 1 {
			text = ""
		}
	}
	return text
}

// merge adds the keywords of one schema to another.
func merge(into, from map[string]any) {
	for keyword, value := range from {
		switch old := into[keyword].(type) {
		case map[string]any:
			if value, ok := value.(map[string]any); ok {
				both := maps.Clone(old)
				maps.Copy(both, value)
				into[keyword] = both
				continue
			}
		case []any:
			if value, ok := value.([]any); ok && keyword == "required" {
				into[keyword] = slices.Concat(old, value)
				continue
			}
		}
		into[keyword] = value
	}
}

// typeOf is the first type that a schema allows.
func typeOf(schema map[string]any) string {
	types := typesOf(schema)
	switch {
	case len(types) > 0:
		return types[0]
	case schema["properties"] != nil:
		return "object"
	case schema["items"] != nil:
		return "array"
	}
	return "string"
}

// typesOf are the types that a schema names, "null" last.
func typesOf(schema map[string]any) []string {
	var types []string
	switch t := schema["type"].(type) {
	case string:
		types = []string{t}
	case []any:
		for _, name := range t {
			if name, ok := name.(string); ok {
				types = append(types, name)
			}
		}
	}
	slices.SortStableFunc(types, func(a, b string) int {
		switch {
		case a == b:
			return 0
		case a == "null":
			return 1
		case b == "null":
			return -1
		}
		return 0
	})
	return types
}

// limit is the value of a keyword that is a number.
func limit(schema map[string]any, keyword string, fallback float64) float64 {
	if n, ok := schema[keyword].(json.Number); ok {
		if f, err := n.Float64(); err == nil {
			return f
		}
	}
	return fallback
}

// resolve follows references inside of a schema.
func resolve(root, schema map[string]any) map[string]any {
	for range 16 {
		ref, ok := schema["$ref"].(string)
		path, local := strings.CutPrefix(ref, "#")
		if !ok || !local {
			return schema
		}
		var at any = root
		for token := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
			if token == "" {
				continue
			}
			in, _ := at.(map[string]any)
			at = in[strings.NewReplacer("~1", "/", "~0", "~").Replace(token)]
		}
		next, ok := at.(map[string]any)
		if !ok {
			return schema
		}
		schema = next
	}
	return schema
}
