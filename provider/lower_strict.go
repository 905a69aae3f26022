package provider

import "slices"

// Where nothing may be optional, a property that was becomes one that can be null. What follows finds the schemas in
// which package registry could not take such a null back, since it does so for the properties of an object alone, and
// not for those in an allOf or an alternative.

// checkOptional looks at the properties of an object.
func (l *lowerer) checkOptional(n, properties *node, at place) {
	if !l.rules.allRequired || l.loose {
		return
	}
	required := setOf(n.get("required").strings())
	for _, m := range properties.members {
		if !required[m.name] && !l.typed(m.value, at, true) {
			l.loose = true
			return
		}
	}
}

// typed reports whether a schema says plainly which types it allows.
func (l *lowerer) typed(n *node, at place, enum bool) bool {
	for range 16 {
		ref, ok := n.get("$ref").string()
		if !ok || !l.more(1) {
			break
		}
		target, base := l.resolve(ref, at.base)
		if target == nil {
			return false
		}
		n, at.base = target, base
	}
	if n.get("type") != nil || enum && n.get("enum") != nil {
		return true
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if list := n.get(keyword); list != nil {
			at.level++
			return !slices.ContainsFunc(list.items, func(a *node) bool { return at.level > 8 || !l.more(1) || !l.typed(a, at, false) })
		}
	}
	return false
}

// optional reports whether there is an optional property anywhere in a lowered schema.
func (l *lowerer) optional(n *node) bool {
	if n == nil || n.kind != isObject || !l.more(1+len(n.members)) {
		return false
	}
	if properties := n.get("properties"); properties != nil {
		required := setOf(n.get("required").strings())
		for _, m := range properties.members {
			if !required[m.name] || l.optional(m.value) {
				return true
			}
		}
	}
	for _, keyword := range []string{"prefixItems", "anyOf"} {
		if list := n.get(keyword); list != nil && slices.ContainsFunc(list.items, l.optional) {
			return true
		}
	}
	return l.optional(n.get("items")) || l.optional(n.get("additionalProperties"))
}
