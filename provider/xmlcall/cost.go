package xmlcall

// maxCost is what validating an example may cost. Validators go through every way that leads to a schema, and there are
// schemas with more ways than atoms.
const maxCost = 2000

// What schemas are made of: other schemas for the same value, for the members of an object, and for the items of an array.
// Those in forNames have schemas by name.
var (
	forSame    = []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else"}
	forMembers = []string{"additionalProperties", "unevaluatedProperties", "propertyNames"}
	forItems   = []string{"items", "prefixItems", "additionalItems", "unevaluatedItems", "contains"}
	forNames   = struct{ same, members []string }{[]string{"dependentSchemas", "dependencies"}, []string{"patternProperties"}}
)

// affordable reports whether a value can be validated in reasonable time.
func (d document) affordable(value any) bool {
	c := cost{d, maxCost}
	c.schema(d.root, value)
	return c.left > 0
}

// A cost counts down the schemas that a validator looks at.
type cost struct {
	document
	left int
}

func (c *cost) schema(schema, value any) {
	if c.left <= 0 {
		return
	}
	if list, ok := schema.([]any); ok { // as in allOf
		for _, one := range list {
			c.schema(one, value)
		}
		return
	}
	o, _ := schema.(*object)
	if o == nil {
		return
	}
	c.left--
	if target := c.resolve(o); target != o {
		c.schema(target, value)
	}
	c.parts(o, forSame, forNames.same, value)
	switch value := value.(type) {
	case *object:
		for _, name := range value.names {
			inside := value.values[name]
			c.schema(o.object("properties").get(name), inside)
			c.parts(o, forMembers, forNames.members, inside)
		}
	case []any:
		for _, inside := range value {
			c.parts(o, forItems, nil, inside)
		}
	}
}

// parts counts the schemas that some keywords of a schema have, the latter ones by name.
func (c *cost) parts(o *object, keywords, byName []string, value any) {
	for _, keyword := range keywords {
		c.schema(o.get(keyword), value)
	}
	for _, keyword := range byName {
		if parts := o.object(keyword); parts != nil {
			for _, name := range parts.names {
				c.schema(parts.values[name], value)
			}
		}
	}
}
