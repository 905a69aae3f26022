package provider

import (
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// merge returns a schema that accepts all values that both a and b accept, and perhaps a few others. If a keyword of
// both cannot be merged, a's keyword stays, and b's becomes a sentence.
func (l *lowerer) merge(a, b *node) *node {
	if len(b.Members) == 0 && len(b.Notes) == 0 {
		return a
	}
	if len(a.Members) == 0 && len(a.Notes) == 0 {
		return b
	}
	if !l.more(1 + len(a.Members) + len(b.Members) + len(a.Notes) + len(b.Notes)) {
		return a
	}
	c := &node{Members: slices.Clone(a.Members), Notes: slices.Clone(a.Notes)}
	for _, note := range b.Notes {
		if !slices.Contains(c.Notes, note) {
			c.Notes = append(c.Notes, note)
		}
	}
	tuples := a.Get("prefixItems") != nil && b.Get("prefixItems") != nil
	for _, m := range b.Members {
		if tuples && (m.Name == "items" || m.Name == "prefixItems") {
			// Tuples of different lengths cannot be merged.
			if m.Name == "prefixItems" && !b.Get(m.Name).Equal(a.Get(m.Name)) {
				c.Notes = append(c.Notes, l.sentences(b, m)...)
			}
			continue
		}
		have := c.Get(m.Name)
		if have == nil {
			c.Members = append(c.Members, m)
			continue
		}
		if merged, ok := l.mergeKeyword(m.Name, have, m.Value); ok {
			c.Set(m.Name, merged)
		} else {
			c.Notes = append(c.Notes, l.sentences(b, m)...)
		}
	}
	return c
}

// mergeKeyword merges the values of a keyword in two schemas. It reports whether that loses nothing.
func (l *lowerer) mergeKeyword(name string, a, b *node) (*node, bool) {
	switch name {
	case "title", "default", "examples":
		return a, true
	case "description":
		one, _ := a.AsText()
		two, _ := b.AsText()
		if l.more((len(one) + len(two)) / 64); strings.Contains(one, two) {
			return a, true
		}
		return jsontree.NewString(strings.TrimSpace(one + "\n" + two)), true
	case "type":
		types := commonTypes(typesOf(a), typesOf(b))
		if len(types) == 0 {
			return a, true // no value fits both
		}
		return typeNode(types), true
	case "required":
		names := a.Texts()
		l.more(len(names) + len(b.Items))
		seen := setOf(names)
		for _, n := range b.Texts() {
			if !seen[n] {
				names, seen[n] = append(names, n), true
			}
		}
		return jsontree.NewStrings(names), true
	case "properties", "patternProperties":
		return l.mergeEach(a, b), true
	case "items", "additionalProperties":
		switch {
		case a.Is("false") || b.Is("true"):
			return a, true
		case b.Is("false") || a.Is("true"):
			return b, true
		}
		return l.merge(a, b), true
	case "uniqueItems":
		return jsontree.NewBool(a.Is("true") || b.Is("true")), true
	}
	return a, l.more(8) && a.Equal(b)
}

// mergeEach merges two maps from names to schemas.
func (l *lowerer) mergeEach(a, b *node) *node {
	c := &node{Members: slices.Clone(a.Members)}
	places := make(map[string]int, len(a.Members))
	for i, m := range a.Members {
		places[m.Name] = i
	}
	l.more(len(a.Members) + len(b.Members))
	for _, m := range b.Members {
		if i, ok := places[m.Name]; ok {
			c.Members[i].Value = l.merge(c.Members[i].Value, m.Value)
		} else {
			c.Members = append(c.Members, m)
		}
	}
	return c
}

var allTypes = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

// typesOf returns the types that a value of the keyword "type" lists, or all types for nil.
func typesOf(n *node) []string {
	if n == nil {
		return allTypes
	}
	if t, ok := n.AsText(); ok {
		return []string{t}
	}
	return n.Texts()
}

// commonTypes returns the types that both lists allow.
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
		return jsontree.NewString(types[0])
	}
	return jsontree.NewStrings(types)
}
