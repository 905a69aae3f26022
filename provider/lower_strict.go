package provider

import (
	"slices"

	"github.com/toolrun/toolrun/internal/jsontree"
)

// Where nothing may be optional, a property that was becomes one that can be null. What follows finds the schemas in
// which package registry could not take such a null back, since it does so for the properties of an object alone, and
// not for those in an allOf or an alternative.

// checkOptional looks at the properties of an object.
func (l *lowerer) checkOptional(n, properties *node, at place) {
	if !l.rules.allRequired || l.loose {
		return
	}
	required := setOf(n.Get("required").Texts())
	for _, m := range properties.Members {
		if !required[m.Name] && !l.typed(m.Value, at, true) {
			l.loose = true
			return
		}
	}
}

// typed reports whether a schema says plainly which types it allows.
func (l *lowerer) typed(n *node, at place, enum bool) bool {
	for range 16 {
		ref, ok := n.Get("$ref").AsText()
		if !ok || !l.more(1) {
			break
		}
		target, base := l.resolve(ref, at.base)
		if target == nil {
			return false
		}
		n, at.base = target, base
	}
	if n.Get("type") != nil || enum && n.Get("enum") != nil {
		return true
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if list := n.Get(keyword); list != nil {
			at.level++
			return !slices.ContainsFunc(list.Items, func(a *node) bool { return at.level > 8 || !l.more(1) || !l.typed(a, at, false) })
		}
	}
	return false
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
