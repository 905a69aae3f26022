package registry

import (
	"errors"
	"fmt"
	"math/bits"
	"net/url"
	"reflect"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/internal/plaintext"
)

// costFormat begins the names of the formats, which end in the logarithm of the costs.
const costFormat = "toolrun-cost-"

// Keywords whose values are schemas, lists of schemas, and schemas by name.
var (
	schemaKeywords = []string{
		"additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then",
		"unevaluatedItems", "unevaluatedProperties", "allOf", "anyOf", "oneOf", "prefixItems",
	}
	schemasByName = []string{"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)

// references are the keywords that refer to schemas, and behind them those that are referred to.
var references = []string{"$ref", "$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor", "$recursiveAnchor"}

// maxSchemas is how many schemas may be in one. The time that the compiler takes grows with the square.
const maxSchemas = 5000

// counting returns a copy of a schema in which each schema counts. Formats that it has are only annotations.
func counting(root any) (any, error) {
	c := counter{root: clone(root), seen: map[uintptr]bool{}}
	c.schema(c.root)
	if c.err != nil {
		return nil, c.err
	}
	if len(c.seen) > maxSchemas {
		return nil, fmt.Errorf("the schema consists of %d schemas, more than %d", len(c.seen), maxSchemas)
	}
	return c.root, nil
}

// refers reports whether there is something in a value that could be a reference, or what one leads to.
func refers(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		for name, inside := range value {
			if slices.Contains(references, name) || refers(inside) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(value, refers)
	}
	return false
}

// clone copies a JSON value.
func clone(value any) any {
	switch value := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(value))
		for name, inside := range value {
			copied[name] = clone(inside)
		}
		return copied
	case []any:
		copied := make([]any, len(value))
		for i, inside := range value {
			copied[i] = clone(inside)
		}
		return copied
	}
	return value
}

type counter struct {
	root any
	seen map[uintptr]bool // by address
	err  error
	// patterns is the size of all regular expressions together.
	patterns int
}

// pattern counts a regular expression. One that is none is for the compiler to refuse.
func (c *counter) pattern(text string) {
	if len(text) > maxPattern {
		c.err = fmt.Errorf("a regular expression has %d bytes, more than %d", len(text), maxPattern)
		return
	}
	size, err := patternSize(text)
	if _, none := errors.AsType[*syntax.Error](err); err != nil && !none {
		c.err = err
	}
	if c.patterns += size; c.patterns > maxPatterns {
		c.err = errors.New("the regular expressions are too large together")
	}
}

// schema makes a schema, or each of a list of schemas, count.
func (c *counter) schema(schema any) {
	switch schema := schema.(type) {
	case []any:
		for _, inside := range schema {
			c.schema(inside)
		}
	case map[string]any:
		address := reflect.ValueOf(schema).Pointer()
		if c.seen[address] {
			return
		}
		c.seen[address] = true
		if _, ok := schema["$id"].(string); ok && len(c.seen) > 1 {
			if refers(schema) {
				c.err = errors.New(`a schema in it has an "$id" and a reference, which is not supported: it could lead anywhere`)
			}
			delete(schema, "$id") // it changes nothing: references that are not to the root are refused
		}
		cost := c.parts(schema)
		c.references(schema)
		if text, ok := schema["pattern"].(string); ok {
			c.pattern(text)
		}
		patterns, _ := schema["patternProperties"].(map[string]any)
		for text := range patterns {
			c.pattern(text)
		}
		// Values are compared with an enum before their format is asked for. As a schema of its own it is looked at later.
		if values, ok := schema["enum"]; ok {
			if all, ok := schema["allOf"].([]any); ok || schema["allOf"] == nil {
				schema["allOf"] = append(all, map[string]any{"enum": values})
				delete(schema, "enum")
			}
		}
		schema["format"] = costFormat + strconv.Itoa(bits.Len(uint(cost))-1)
	}
}

// parts makes the parts of a schema count. It returns how many there are, since it costs something to look at each even
// if it is done with at once.
func (c *counter) parts(schema map[string]any) (n int) {
	n = 1
	for _, keyword := range schemaKeywords {
		if inside, ok := schema[keyword]; ok {
			list, _ := inside.([]any)
			n += max(1, len(list))
			c.schema(inside)
		}
	}
	for _, keyword := range schemasByName {
		named, _ := schema[keyword].(map[string]any)
		n += len(named)
		for _, inside := range named {
			c.schema(inside)
		}
	}
	for _, keyword := range []string{"required", "enum"} {
		list, _ := schema[keyword].([]any)
		n += len(list)
	}
	return n
}

// references makes what a schema refers to count, which can be in places that are no schemas otherwise.
func (c *counter) references(schema map[string]any) {
	for _, keyword := range references[:3] {
		ref, ok := schema[keyword].(string)
		if ok && !strings.HasPrefix(ref, "#") {
			c.err = fmt.Errorf("it refers to another document, %q", plaintext.Cut(ref, 200))
		} else if ok {
			c.schema(at(c.root, ref))
		}
	}
}

// at returns the place in a document that a reference inside of it leads to, by a JSON pointer, or nil.
func at(root any, ref string) any {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	if unescaped, err := url.PathUnescape(path); err == nil {
		path = unescaped
	}
	for _, token := range strings.Split(path, "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		switch in := root.(type) {
		case map[string]any:
			root = in[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			root = in[i]
		default:
			return nil
		}
	}
	return root
}
