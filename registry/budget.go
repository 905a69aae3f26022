package registry

import (
	"errors"
	"fmt"
	"math/bits"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The validator goes through every way that leads to a schema, and there are short schemas with more ways than atoms. It has
// no way to be stopped; but it asks for the format of each value, before it goes on to the schemas inside. So each schema is given
// a format that counts.

// What validating may cost, in schemas that are looked at. Each takes one to five microseconds.
const (
	leastCost   = 100_000
	costPerNode = 20
	mostCost    = 10_000_000
)

var errTooComplex = errors.New("the arguments are too complex to be checked: pass something simpler")

// A budget is what is left for validating. One validation uses it at a time.
type budget struct {
	mu   sync.Mutex
	left int
}

// spend runs a validation of a value, and stops it when it has cost too much.
func (b *budget) spend(value any, validate func() error) (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.left = min(leastCost+costPerNode*nodes(value), mostCost)
	defer func() {
		if b.left < 0 {
			_ = recover()
			err = errTooComplex
		}
	}()
	return validate()
}

// nodes is how many values there are in one.
func nodes(value any) int {
	n := 1
	switch value := value.(type) {
	case map[string]any:
		for _, inside := range value {
			n += nodes(inside)
		}
	case []any:
		for _, inside := range value {
			n += nodes(inside)
		}
	}
	return n
}

// costFormat begins the names of the formats, which end in the logarithm of the costs.
const costFormat = "toolrun-cost-"

// formats registers formats that count.
func (b *budget) formats(compiler *jsonschema.Compiler) {
	for i := range bits.UintSize {
		compiler.RegisterFormat(&jsonschema.Format{Name: costFormat + strconv.Itoa(i), Validate: func(any) error {
			if b.left -= 1 << i; b.left < 0 {
				panic(errTooComplex)
			}
			return nil
		}})
	}
	compiler.AssertFormat()
}

// Keywords whose values are schemas, lists of schemas, and schemas by name.
var (
	schemaKeywords = []string{
		"additionalItems", "additionalProperties", "contains", "contentSchema", "else", "if", "items", "not", "propertyNames", "then",
		"unevaluatedItems", "unevaluatedProperties", "allOf", "anyOf", "oneOf", "prefixItems",
	}
	schemasByName = []string{"$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties", "properties"}
)

// maxSchemas is how many schemas may be in one. The time that the compiler takes grows with the square.
const maxSchemas = 5000

// counting returns a copy of a schema in which each schema counts. Formats that it has are only annotations.
func counting(root any) (any, error) {
	c := counter{root: clone(root), seen: map[uintptr]bool{}}
	c.schema(c.root)
	if len(c.seen) > maxSchemas {
		return nil, fmt.Errorf("the schema consists of %d schemas, more than %d", len(c.seen), maxSchemas)
	}
	return c.root, nil
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
}

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
		// What it costs to look at its parts, where they are done with at once, is part of its own costs.
		parts := 1
		for _, keyword := range schemaKeywords {
			if inside, ok := schema[keyword]; ok {
				list, _ := inside.([]any)
				parts += max(1, len(list))
				c.schema(inside)
			}
		}
		for _, keyword := range schemasByName {
			named, _ := schema[keyword].(map[string]any)
			parts += len(named)
			for _, inside := range named {
				c.schema(inside)
			}
		}
		schema["format"] = costFormat + strconv.Itoa(bits.Len(uint(parts))-1)
		for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
			// References can lead to places that are no schemas otherwise.
			if ref, ok := schema[keyword].(string); ok {
				c.schema(at(c.root, ref))
			}
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
