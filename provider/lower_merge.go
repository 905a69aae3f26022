package provider

import (
	"slices"
	"strings"
)

// merge returns a schema that accepts what both accept, or a little more. Where both have a keyword that cannot be merged,
// that of the first one counts, and the other one becomes a sentence.
func (l *lowerer) merge(a, b *node) *node {
	if len(b.members) == 0 && len(b.notes) == 0 {
		return a
	}
	if len(a.members) == 0 && len(a.notes) == 0 {
		return b
	}
	if !l.more(1 + len(a.members) + len(b.members) + len(a.notes) + len(b.notes)) {
		return a
	}
	c := &node{members: slices.Clone(a.members), notes: slices.Clone(a.notes)}
	for _, note := range b.notes {
		if !slices.Contains(c.notes, note) {
			c.notes = append(c.notes, note)
		}
	}
	tuples := a.get("prefixItems") != nil && b.get("prefixItems") != nil
	for _, m := range b.members {
		if tuples && (m.name == "items" || m.name == "prefixItems") {
			// Tuples of different lengths do not go together.
			if m.name == "prefixItems" && !b.get(m.name).equal(a.get(m.name)) {
				c.notes = append(c.notes, l.sentences(b, m)...)
			}
			continue
		}
		have := c.get(m.name)
		if have == nil {
			c.members = append(c.members, m)
			continue
		}
		if merged, ok := l.mergeKeyword(m.name, have, m.value); ok {
			c.set(m.name, merged)
		} else {
			c.notes = append(c.notes, l.sentences(b, m)...)
		}
	}
	return c
}

// mergeKeyword merges what two schemas have for a keyword. It reports whether nothing is lost.
func (l *lowerer) mergeKeyword(name string, a, b *node) (*node, bool) {
	switch name {
	case "title", "default", "examples":
		return a, true
	case "description":
		one, _ := a.string()
		two, _ := b.string()
		if l.more((len(one) + len(two)) / 64); strings.Contains(one, two) {
			return a, true
		}
		return stringNode(strings.TrimSpace(one + "\n" + two)), true
	case "type":
		types := commonTypes(typesOf(a), typesOf(b))
		if len(types) == 0 {
			return a, true // nothing fits the whole, then
		}
		return typeNode(types), true
	case "required":
		names := a.strings()
		l.more(len(names) + len(b.items))
		seen := make(map[string]bool, len(names))
		for _, n := range names {
			seen[n] = true
		}
		for _, n := range b.strings() {
			if !seen[n] {
				names, seen[n] = append(names, n), true
			}
		}
		return namesNode(names), true
	case "properties", "patternProperties":
		return l.mergeEach(a, b), true
	case "items", "additionalProperties":
		switch {
		case a.is("false") || b.is("true"):
			return a, true
		case b.is("false") || a.is("true"):
			return b, true
		}
		return l.merge(a, b), true
	case "uniqueItems":
		return boolNode(a.is("true") || b.is("true")), true
	}
	return a, l.more(8) && a.equal(b)
}

// mergeEach merges the schemas of the same names.
func (l *lowerer) mergeEach(a, b *node) *node {
	c := &node{members: slices.Clone(a.members)}
	places := make(map[string]int, len(a.members))
	for i, m := range a.members {
		places[m.name] = i
	}
	l.more(len(a.members) + len(b.members))
	for _, m := range b.members {
		if i, ok := places[m.name]; ok {
			c.members[i].value = l.merge(c.members[i].value, m.value)
		} else {
			c.members = append(c.members, m)
		}
	}
	return c
}

var allTypes = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

// typesOf returns the types that a value of the keyword type names.
func typesOf(n *node) []string {
	if n == nil {
		return allTypes
	}
	if t, ok := n.string(); ok {
		return []string{t}
	}
	return n.strings()
}

// commonTypes returns the types of values that are of one type of each list.
func commonTypes(a, b []string) []string {
	var common []string
	for _, t := range a {
		switch {
		case slices.Contains(b, t), t == "integer" && slices.Contains(b, "number"):
			common = append(common, t)
		case t == "number" && slices.Contains(b, "integer") && !slices.Contains(a, "integer"):
			common = append(common, "integer")
		}
	}
	return common
}

func typeNode(types []string) *node {
	if len(types) == 1 {
		return stringNode(types[0])
	}
	return namesNode(types)
}
