package provider

import (
	"slices"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/schema"
)

// If strict mode does not permit optional properties, they become properties that can be null. Package registry removes
// these nulls again where it knows the property's types, but not inside one of several alternatives. The functions
// below find schemas in which it could not.

// checkOptional examines the properties of an object.
func (l *lowerer) checkOptional(n, properties *node) {
	if !l.rules.allRequired || l.loose {
		return
	}
	required := setOf(n.Get("required").Texts())
	for _, m := range properties.Members {
		if !required[m.Name] && (!l.more(8) || l.Types(m.Value) == schema.AnyType) {
			l.loose = true
			return
		}
	}
}

// optional reports whether a lowered schema contains an optional property at any level.
func (l *lowerer) optional(n *node) bool {
	if n == nil || n.Kind != jsontree.Object || !l.more(1+len(n.Members)) {
		return false
	}
	if properties := n.Get("properties"); properties != nil {
		required := setOf(n.Get("required").Texts())
		for _, m := range properties.Members {
			if !required[m.Name] || l.optional(m.Value) {
				return true
			}
		}
	}
	for _, keyword := range []string{"prefixItems", "anyOf"} {
		if list := n.Get(keyword); list != nil && slices.ContainsFunc(list.Items, l.optional) {
			return true
		}
	}
	return l.optional(n.Get("items")) || l.optional(n.Get("additionalProperties"))
}
