package registry

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/jsontree"
)

// coerce changes the values of an object that are not of the type that the schema wants, but clearly mean one: a scalar
// where an array is wanted becomes an array of it; "true", "false" and numbers in quotes become what they say where no text
// is wanted; and so do arrays and objects that have been encoded as text. It reports whether anything has changed. What cannot
// be coerced stays, for validation to complain about.
//
// It ends when the context does, with what has been coerced until then.
func (s *Schema) coerce(ctx context.Context, object map[string]any) (changed bool) {
	n := nodes(object)
	c := coercer{ctx: ctx, root: s.doc, left: leastCost + costPerNode*n, values: jsontree.MaxValues - n}
	c.value(s.doc, object, 0)
	return c.changed
}

type coercer struct {
	ctx     context.Context
	root    any
	changed bool
	// left is how many steps it may still take. Whoever makes a schema so that they are used up gets no more coercion.
	left int
	// values is how many values may still be made of texts.
	values int
}

// spend counts steps. It reports whether there is one left.
func (c *coercer) spend(steps int) bool {
	before := c.left
	c.left -= steps
	const often = 1024
	if before/often != c.left/often && c.ctx.Err() != nil {
		c.left = -1
	}
	return c.left >= 0
}

// maxCoerceDepth is how deep values are coerced. References can make a schema endless.
const maxCoerceDepth = 64

// value returns the value as the schema wants it, if that can be done.
func (c *coercer) value(schema, v any, depth int) any {
	object, ok := schema.(map[string]any)
	if !c.spend(1) || !ok || depth > maxCoerceDepth {
		return v
	}
	object = c.resolve(object)
	if types, ok := c.types(object, 0); ok && !types.has(v) {
		if w, ok := c.convert(types, v); ok {
			v, c.changed = w, true
		}
	}
	switch v := v.(type) {
	case map[string]any:
		properties, _ := object["properties"].(map[string]any)
		for name, inside := range v {
			of, known := properties[name]
			if !known {
				of = object["additionalProperties"]
			}
			if known && inside == nil && !c.required(object, name) && !c.nullable(of) {
				delete(v, name)
				c.changed = true
			} else {
				v[name] = c.value(of, inside, depth+1)
			}
		}
	case []any:
		for i := range v {
			v[i] = c.value(object["items"], v[i], depth+1)
		}
	}
	return v
}

func (c *coercer) required(schema map[string]any, name string) bool {
	required, _ := schema["required"].([]any)
	return c.spend(len(required)) && slices.Contains(required, any(name))
}

// nullable reports whether a schema may allow null.
func (c *coercer) nullable(schema any) bool {
	object, ok := schema.(map[string]any)
	if !ok {
		return true
	}
	object = c.resolve(object)
	if values, ok := object["enum"].([]any); ok {
		return c.spend(len(values)) && slices.Contains(values, nil)
	}
	types, ok := c.types(object, 0)
	return !ok || types["null"]
}

// bytesPerRef is how many bytes of a reference are followed in the time of a step.
const bytesPerRef = 50

// resolve follows references inside of the document.
func (c *coercer) resolve(schema map[string]any) map[string]any {
	for range 16 {
		ref, ok := schema["$ref"].(string)
		if !ok || !c.spend(len(ref)/bytesPerRef) {
			return schema
		}
		next, ok := at(c.root, ref).(map[string]any)
		if !ok {
			return schema
		}
		schema = next
	}
	return schema
}

// types are the JSON types that a schema allows.
type types map[string]bool

// types returns what a schema says about types, or what its alternatives say together. ok is false if it allows more than can
// be told.
func (c *coercer) types(schema map[string]any, depth int) (allowed types, ok bool) {
	if !c.spend(1) {
		return nil, false
	}
	allowed = types{}
	switch t := schema["type"].(type) {
	case string:
		allowed[t] = true
		return allowed, true
	case []any:
		for _, name := range t {
			name, _ := name.(string)
			allowed[name] = true
		}
		return allowed, true
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		alternatives, ok := schema[keyword].([]any)
		if !ok {
			continue
		}
		for _, alternative := range alternatives {
			alternative, ok := alternative.(map[string]any)
			if !ok || depth > 8 {
				return nil, false
			}
			more, ok := c.types(c.resolve(alternative), depth+1)
			if !ok {
				return nil, false
			}
			for name := range more {
				allowed[name] = true
			}
		}
		return allowed, true
	}
	return nil, false
}

// has reports whether a value is of one of the types.
func (t types) has(v any) bool {
	switch v := v.(type) {
	case nil:
		return t["null"]
	case bool:
		return t["boolean"]
	case string:
		return t["string"]
	case json.Number:
		return t["number"] || t["integer"] && isInteger(v)
	case []any:
		return t["array"]
	case map[string]any:
		return t["object"]
	}
	return true
}

// isInteger reports whether a number has no fraction, as JSON Schema has it: 1.0 is an integer.
func isInteger(n json.Number) bool {
	_, ok := jsontree.Integer(string(n))
	return ok
}

func (c *coercer) convert(t types, v any) (any, bool) {
	if text, ok := v.(string); ok {
		trimmed := strings.TrimSpace(text)
		if t["boolean"] && (trimmed == "true" || trimmed == "false") {
			return trimmed == "true", true
		}
		if t["number"] || t["integer"] {
			if n := json.Number(trimmed); jsontree.IsNumber(trimmed) && (t["number"] || isInteger(n)) {
				return n, true
			}
		}
		if t["array"] && strings.HasPrefix(trimmed, "[") || t["object"] && strings.HasPrefix(trimmed, "{") {
			if decoded, ok := c.decode(trimmed); ok && t.has(decoded) {
				return decoded, true
			}
		}
		if t["null"] && trimmed == "null" {
			return nil, true
		}
	}
	if _, isObject := v.(map[string]any); t["array"] && v != nil && !isObject {
		return []any{v}, true
	}
	return v, false
}

// decode decodes text that looks like JSON, unless there is too much in it, or too deep.
func (c *coercer) decode(text string) (any, bool) {
	limits := jsontree.Limits{Depth: DefaultDepth, Values: max(1, c.values)}
	if !c.spend(len(text)/bytesPerStep) || jsontree.Check([]byte(text), limits) != nil {
		return nil, false
	}
	decoded, err := jsontree.Decode([]byte(text))
	if err == nil {
		c.values -= nodes(decoded)
	}
	return decoded, err == nil
}
