package schema

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// Coerce changes values of an object that have the wrong type but a clear meaning, and reports whether it changed
// any:
//
//   - a scalar becomes an array of one where an array is wanted, and an object where an array of objects is
//   - "true", "false" and quoted numbers become booleans and numbers where no text is wanted
//   - arrays and objects encoded as text, nested at most depth levels, are decoded where no text is wanted
//   - null is removed if the property is optional and cannot be null
//
// A value must fit the schema itself, what it refers to, the schemas in allOf, and, of those in anyOf and oneOf,
// the only one that the value can be meant for. A value that fits never changes. Values that cannot be coerced
// stay, for validation to report.
//
// When the context ends, Coerce stops, with the changes so far.
func (s *Schema) Coerce(ctx context.Context, object map[string]any, depth int) (changed bool) {
	n := nodes(object)
	c := coercer{ctx: ctx, walk: walk{s.Document, leastCost + coercionPerNode*n}, textDepth: depth,
		values: jsontree.MaxValues - n}
	c.value([]*jsontree.Node{s.Root}, object, 0)
	return c.changed
}

// coercionPerNode is the number of steps allowed for each value, in addition to leastCost.
const coercionPerNode = 20

// A coercer coerces one value. When a schema has used up its steps, the rest of the value stays as it is.
type coercer struct {
	walk
	ctx     context.Context
	changed bool
	// textDepth limits the nesting of JSON decoded from text. values is how many more values such JSON may contain.
	textDepth, values int
	// stack holds the schemas of the values being coerced, outermost first.
	stack []*jsontree.Node
}

// spend counts steps, and reports whether any are left.
func (c *coercer) spend(steps int) bool {
	before := c.left
	c.left -= steps
	const often = 1024
	if before/often != c.left/often && c.ctx.Err() != nil {
		c.left = -1
	}
	return c.left >= 0
}

// maxCoerceDepth limits the depth of coercion, because references can make a schema infinitely deep.
const maxCoerceDepth = 64

// value returns v coerced to fit all of the schemas, or v if that is impossible.
func (c *coercer) value(schemas []*jsontree.Node, v any, depth int) any {
	if len(schemas) == 0 || !c.spend(1) || depth > maxCoerceDepth {
		return v
	}
	is, allowed, possible := typeOfDecoded(v), Types(AnyType), true
	for _, schema := range schemas {
		allowed &= c.types(schema, 0)
	}
	if possible = allowed.Has(is); possible && is == String { // const or enum may exclude this string
		for _, schema := range schemas {
			possible = possible && c.possible(schema, v, true, 0)
		}
		if !possible {
			allowed &^= is
		}
	}
	if !possible {
		w, ok := c.convert(allowed, v)
		if !ok && is == Object && allowed.Has(Array) && c.itemFits(schemas, v) {
			w, ok = []any{v}, true
		}
		if ok {
			v, c.changed = w, true
		}
	}
	from := len(c.stack)
	defer func() { c.stack = c.stack[:from] }()
	switch inside := v.(type) {
	case map[string]any:
		parts := c.applying(schemas, v)
		top := len(c.stack)
		for name, value := range inside {
			c.stack = c.stack[:top]
			of, required, known := c.property(parts, name)
			if known && value == nil && !required && !c.nullable(of) {
				delete(inside, name)
				c.changed = true
			} else {
				inside[name] = c.value(of, value, depth+1)
			}
		}
	case []any:
		parts := c.applying(schemas, v)
		top := len(c.stack)
		for i := range inside {
			c.stack = c.stack[:top]
			inside[i] = c.value(c.item(parts, i), inside[i], depth+1)
		}
	}
	return v
}

// itemFits reports whether all of the schemas want an array whose items may be objects.
func (c *coercer) itemFits(schemas []*jsontree.Node, object any) bool {
	from := len(c.stack)
	defer func() { c.stack = c.stack[:from] }()
	items := c.item(c.applying(schemas, []any{object}), 0)
	for _, item := range items {
		if t := c.types(item, 0); t == AnyType || !t.Has(Object) {
			return false
		}
	}
	return len(items) > 0
}

// applying returns the schemas that v must fit if it fits all of the given ones: their parts, and each alternative that
// is the only possible one.
func (c *coercer) applying(schemas []*jsontree.Node, v any) []*jsontree.Node {
	from := len(c.stack)
	parts := c.stack[from:]
	for _, schema := range schemas {
		parts = c.addParts(parts, schema)
	}
	for i := 0; i < len(parts); i++ { // parts grows
		for _, keyword := range []string{"anyOf", "oneOf"} {
			if meant := c.onlyPossible(parts[i].List(keyword), v); meant != nil {
				parts = c.addParts(parts, meant)
			}
		}
	}
	c.stack = append(c.stack[:from], parts...)
	return c.stack[from:]
}

// onlyPossible returns the alternative that a value may fit, or nil if there are none or several.
func (c *coercer) onlyPossible(alternatives []*jsontree.Node, v any) (only *jsontree.Node) {
	for _, alternative := range alternatives {
		if !c.spend(1) {
			return nil
		}
		if !c.possible(alternative, v, true, 0) {
			continue
		}
		if only != nil {
			return nil
		}
		only = alternative
	}
	return only
}

// possible reports whether a value may fit a schema once the values nested in it are coerced: its type is right, const
// and enum allow it, and an object has all required properties, no forbidden ones, and the right values of properties
// that distinguish alternatives. Without shape only const and enum are checked. When no steps are left, everything is
// possible.
func (c *coercer) possible(schema *jsontree.Node, v any, shape bool, depth int) bool {
	if schema.Is("false") {
		return false
	}
	if c.single(schema) {
		return !c.spend(1) || c.ownPossible(schema, v, shape, depth)
	}
	for _, part := range c.parts(schema) {
		if !c.ownPossible(part, v, shape, depth) {
			return false
		}
	}
	return true
}

// ownPossible is possible without references and allOf.
func (c *coercer) ownPossible(part *jsontree.Node, v any, shape bool, depth int) bool {
	for _, m := range part.Members {
		switch m.Name {
		case "type":
			if shape && !declared(part).Has(typeOfDecoded(v)) {
				return false
			}
		case "const":
			if c.Draft > Draft4 && !c.same(m.Value, v) {
				return false
			}
		case "enum":
			if !c.among(m.Value.Items, v) {
				return false
			}
		case "anyOf", "oneOf":
			if shape && len(m.Value.Items) > 0 && depth < maxNested && !c.anyPossible(m.Value.Items, v, depth+1) {
				return false
			}
		}
	}
	object, ok := v.(map[string]any)
	return !shape || !ok || c.shaped(part, object)
}

func (c *coercer) anyPossible(alternatives []*jsontree.Node, v any, depth int) bool {
	return slices.ContainsFunc(alternatives, func(alternative *jsontree.Node) bool {
		return !c.spend(1) || c.possible(alternative, v, true, depth)
	})
}

// shaped is possible for an object and the keywords of one schema.
func (c *coercer) shaped(part *jsontree.Node, object map[string]any) bool {
	required := part.List("required")
	for _, name := range required {
		if !c.spend(1) {
			return true
		}
		if name, ok := name.AsText(); ok {
			if _, there := object[name]; !there {
				return false
			}
		}
	}
	properties := part.Object("properties")
	closed := part.Get("additionalProperties").Is("false") && part.Get("patternProperties") == nil
	if properties == nil && !closed {
		return true
	}
	for name, value := range object {
		if !c.spend(1) {
			return true
		}
		property := properties.Get(name)
		switch {
		case property == nil && closed:
			return false
		case property != nil && !c.possible(property, value, false, 0):
			return false
		}
	}
	return true
}

// manyValues is the longest enum that is compared.
const manyValues = 64

// among reports whether a value may be one of the values of an enum.
func (c *coercer) among(values []*jsontree.Node, v any) bool {
	return len(values) > manyValues || slices.ContainsFunc(values, func(value *jsontree.Node) bool {
		return !c.spend(1) || c.same(value, v)
	})
}

// same reports whether v may equal a value in a schema. Arrays, objects and numbers are compared by type only, because
// they may still be coerced.
func (c *coercer) same(value *jsontree.Node, v any) bool {
	switch v := v.(type) {
	case string: // quoted literals are coerced
		return value.Text == v || value.Kind == jsontree.Literal && value.Text == strings.TrimSpace(v)
	case nil:
		return value.Is("null")
	case bool:
		return value.Is("true") && v || value.Is("false") && !v
	case json.Number:
		return value.IsNumber()
	case []any:
		return value.Kind == jsontree.Array
	case map[string]any:
		return value.Kind == jsontree.Object
	}
	return true
}

// property returns the schemas that parts have for a property, whether it is required, and whether properties lists it.
func (c *coercer) property(parts []*jsontree.Node, name string) (schemas []*jsontree.Node, required, known bool) {
	from := len(c.stack)
	for _, part := range parts {
		if !c.spend(1) {
			return nil, true, false
		}
		if of := part.Object("properties").Get(name); of != nil {
			c.stack, known = append(c.stack, of), true
		} else if of := part.Get("additionalProperties"); of != nil && part.Get("patternProperties") == nil {
			c.stack = append(c.stack, of)
		}
		if names := part.List("required"); !required && len(names) > 0 && c.spend(len(names)/16) {
			for _, n := range names {
				required = required || n.Kind == jsontree.String && n.Text == name
			}
		}
	}
	return c.stack[from:], required, known
}

// item returns the schemas that parts have for the item with index i.
func (c *coercer) item(parts []*jsontree.Node, i int) (schemas []*jsontree.Node) {
	from := len(c.stack)
	for _, part := range parts {
		if !c.spend(1) {
			return nil
		}
		first, rest := part.List("prefixItems"), part.Get("items")
		if c.Draft < Draft2020 {
			if first = nil; rest != nil && rest.Kind == jsontree.Array {
				first, rest = rest.Items, part.Get("additionalItems")
			}
		}
		if i < len(first) {
			c.stack = append(c.stack, first[i])
		} else if rest != nil {
			c.stack = append(c.stack, rest)
		}
	}
	return c.stack[from:]
}

// nullable reports whether all of the schemas allow null.
func (c *coercer) nullable(schemas []*jsontree.Node) bool {
	for _, schema := range schemas {
		if !c.types(schema, 0).Has(Null) {
			return false
		}
	}
	return true
}

// convert converts v to one of the types if its meaning is clear.
func (c *coercer) convert(t Types, v any) (any, bool) {
	if text, ok := v.(string); ok {
		trimmed := strings.TrimSpace(text)
		if t.Has(Boolean) && (trimmed == "true" || trimmed == "false") {
			return trimmed == "true", true
		}
		if t.Has(Number) && jsontree.IsNumber(trimmed) && t.Has(typeOfNumber(trimmed)) {
			return json.Number(trimmed), true
		}
		if t.Has(Array) && strings.HasPrefix(trimmed, "[") || t.Has(Object) && strings.HasPrefix(trimmed, "{") {
			if decoded, ok := c.decode(trimmed); ok && t.Has(typeOfDecoded(decoded)) {
				return decoded, true
			}
		}
		if t.Has(Null) && trimmed == "null" {
			return nil, true
		}
	}
	if _, isObject := v.(map[string]any); t.Has(Array) && v != nil && !isObject {
		if _, isArray := v.([]any); !isArray {
			return []any{v}, true
		}
	}
	return v, false
}

// decode decodes text that looks like JSON, unless it contains too many values or is nested too deep.
func (c *coercer) decode(text string) (any, bool) {
	limits := jsontree.Limits{Depth: c.textDepth, Values: max(1, c.values)}
	if !c.spend(len(text)/bytesPerStep) || jsontree.Check([]byte(text), limits) != nil {
		return nil, false
	}
	decoded, err := jsontree.Decode([]byte(text))
	if err == nil {
		c.values -= nodes(decoded)
	}
	return decoded, err == nil
}
