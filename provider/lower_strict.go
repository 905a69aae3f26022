package provider

import (
	"slices"

	"github.com/toolrun/toolrun/internal/jsontree"
	"github.com/toolrun/toolrun/internal/schema"
)

// Where nothing may be optional, an optional property becomes one that can be null. What follows finds the schemas in
// which package registry could not take such a null back: it does so for properties whose types are known, but not in
// one of several alternatives.

// checkOptional looks at the properties of an object.
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

// optional reports whether there is an optional property anywhere in a lowered schema.
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
