package provider

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// top lowers the root: keywords that providers refuse there are folded into it or become notes.
func (l *lowerer) top() *node {
	top := l.schema(l.Root, place{inside: &inside{target: l.Root}})
	top.Set("type", jsontree.NewString("object")) // package registry requires it
	if list := top.Get("anyOf"); list != nil {
		top = l.fold(top.Without("anyOf"), list.Items)
		l.loose = l.loose || l.rules.allRequired
	}
	kept := &node{Notes: slices.Clone(top.Notes)}
	for _, m := range top.Members {
		text, isText := m.Value.AsText()
		switch {
		case l.rules.root[m.Name]:
			kept.Set(m.Name, m.Value)
		case m.Name == "title", m.Name == "additionalProperties" && m.Value.Kind != jsontree.Object:
		case m.Name == "description" && isText:
			kept.Notes = append([]string{text}, kept.Notes...)
		default:
			kept.Notes = append(kept.Notes, l.sentences(top, m)...)
		}
	}
	if kept.Get("properties") == nil && !l.rules.strict {
		kept.Set("properties", jsontree.NewObject()) // OpenAI requires it, and the others accept it
	}
	return l.renamed(kept)
}

// renamed moves properties whose names the provider refuses into notes. Models can still pass them.
func (l *lowerer) renamed(top *node) *node {
	properties := top.Get("properties")
	if l.rules.rootNames == nil || properties == nil {
		return top
	}
	kept := jsontree.NewObject()
	notes := slices.Clone(top.Notes)
	isRequired := setOf(top.Get("required").Texts())
	for _, m := range properties.Members {
		if l.rules.rootNames().MatchString(m.Name) {
			kept.Members = append(kept.Members, m)
			continue
		}
		l.loose = true
		// Settling moves notes into descriptions.
		s := &settler{rules: &rules{keep: l.rules.keep}}
		which := "may"
		if isRequired[m.Name] {
			which = "must"
		}
		schema := s.settle(m.Value, 1).Brief(longValue)
		notes = append(notes, fmt.Sprintf("There %s also be a property %s: %s", which,
			strconv.Quote(plaintext.Cut(m.Name, longValue)), schema))
		l.work += s.work
	}
	if len(kept.Members) == len(properties.Members) {
		return top
	}
	c := top.Without("additionalProperties", "required").WithNotes(notes)
	c.Set("properties", kept)
	var required []string
	for _, name := range top.Get("required").Texts() {
		if l.rules.rootNames().MatchString(name) {
			required = append(required, name)
		}
	}
	if len(required) > 0 {
		c.Set("required", jsontree.NewStrings(required))
	}
	return c
}

// maxForms limits the alternatives at the root that are told apart.
const maxForms = 64

// fold merges the root and its alternatives into one object, which has the properties of all alternatives and requires
// those that all alternatives require.
func (l *lowerer) fold(base *node, alternatives []*node) *node {
	var forms []*node
	for _, a := range alternatives {
		if slices.Contains(typesOf(a.Get("type")), "object") {
			forms = append(forms, l.flat(a)...)
		}
	}
	if len(forms) == 0 || len(forms) > maxForms {
		return base.WithNotes(slices.Concat(base.Notes,
			l.sentences(base, pair("anyOf", jsontree.NewArray(alternatives...)))))
	}
	top := &node{Members: slices.Clone(base.Members), Notes: slices.Clone(base.Notes)}
	top.Notes = append(top.Notes, l.forms(base, forms))

	names, schemas := l.properties(forms)
	properties := jsontree.NewObject()
	if have := base.Get("properties"); have != nil {
		properties.Members = slices.Clone(have.Members)
	}
	places := map[string]int{}
	for i, m := range properties.Members {
		places[m.Name] = i
	}
	for _, name := range names {
		union := l.union(schemas[name])
		if i, ok := places[name]; !ok {
			properties.Members = append(properties.Members, pair(name, union))
		} else if len(schemas[name]) == len(forms) {
			properties.Members[i].Value = l.merge(properties.Members[i].Value, union)
		}
	}
	if len(properties.Members) > 0 {
		top.Set("properties", properties)
	}

	required := base.Get("required").Texts()
	seen, in := setOf(required), map[string]int{}
	for _, form := range forms {
		for name := range setOf(form.Get("required").Texts()) {
			in[name]++
		}
	}
	for _, name := range forms[0].Get("required").Texts() {
		if in[name] == len(forms) && !seen[name] {
			required, seen[name] = append(required, name), true
		}
	}
	if len(required) > 0 {
		top.Set("required", jsontree.NewStrings(required))
	}

	if base.Get("additionalProperties") == nil &&
		!slices.ContainsFunc(forms, func(form *node) bool { return !closed(form) }) {
		top.Set("additionalProperties", jsontree.False)
	}
	return top
}

// closed reports whether an object can have only the listed properties.
func closed(n *node) bool {
	return n.Get("additionalProperties").Is("false") && n.Get("patternProperties") == nil
}

// flat returns the forms of an alternative, which may contain alternatives itself.
func (l *lowerer) flat(a *node) []*node {
	inner := a.Get("anyOf")
	if inner == nil {
		return []*node{a}
	}
	rest := a.Without("anyOf")
	var forms []*node
	for _, i := range inner.Items {
		if slices.Contains(typesOf(i.Get("type")), "object") && len(forms) <= maxForms && l.more(1) {
			forms = append(forms, l.flat(l.merge(rest, i))...)
		}
	}
	return forms
}

// properties returns the names of all properties, in order, and the schemas for each.
func (l *lowerer) properties(forms []*node) (names []string, schemas map[string][]*node) {
	schemas = map[string][]*node{}
	for _, form := range forms {
		properties := form.Get("properties")
		if properties == nil {
			continue
		}
		for _, m := range properties.Members {
			if schemas[m.Name] == nil {
				names = append(names, m.Name)
			}
			schemas[m.Name] = append(schemas[m.Name], m.Value)
			l.more(1)
		}
	}
	return names, schemas
}

func setOf(names []string) map[string]bool {
	s := make(map[string]bool, len(names))
	for _, name := range names {
		s[name] = true
	}
	return s
}

// namesIn returns the set of the names of an object's members.
func namesIn(n *node) map[string]bool {
	s := make(map[string]bool, len(n.Members))
	for _, m := range n.Members {
		s[m.Name] = true
	}
	return s
}

// union returns a schema that accepts any value that one of the schemas accepts.
func (l *lowerer) union(schemas []*node) *node {
	distinct := l.distinct(schemas)
	if len(distinct) == 1 {
		return distinct[0]
	}
	var values []*node
	var types []string
	for _, s := range distinct {
		if len(s.Members) == 0 {
			return jsontree.NewObject() // anything
		}
		if s.Get("enum") == nil && s.Get("const") == nil || !onlyValues(s) {
			return jsontree.NewObject(pair("anyOf", &node{Kind: jsontree.Array, Items: distinct}))
		}
		values = append(values, valuesOf(s)...)
		types = append(types, typesOf(s.Get("type"))...)
	}
	// All are choices between values, such as those that tell the alternatives apart.
	enum := &node{Kind: jsontree.Array, Items: l.distinct(values)}
	u := jsontree.NewObject()
	slices.Sort(types)
	if types = slices.Compact(types); len(types) < len(allTypes) {
		u.Set("type", typeNode(types))
	}
	u.Set("enum", enum)
	for _, s := range distinct {
		u.Notes = append(u.Notes, s.Notes...)
	}
	return u
}

// distinct removes duplicates.
func (l *lowerer) distinct(nodes []*node) []*node {
	var distinct []*node
	seen := map[string]bool{}
	for _, n := range nodes {
		if key := l.key(n); !seen[key] {
			distinct, seen[key] = append(distinct, n), true
		}
	}
	return distinct
}

// valuesOf returns the values in const or enum, or nil.
func valuesOf(n *node) []*node {
	if v := n.Get("const"); v != nil {
		return []*node{v}
	}
	if enum := n.Get("enum"); enum != nil {
		return enum.Items
	}
	return nil
}

// onlyValues reports whether a schema consists of a choice of values and nothing else.
func onlyValues(n *node) bool {
	for _, m := range n.Members {
		switch m.Name {
		case "type", "enum", "const", "title", "description", "default":
		default:
			return false
		}
	}
	return true
}

// forms describes the alternatives in a text.
func (l *lowerer) forms(base *node, forms []*node) string {
	var b strings.Builder
	b.WriteString("The arguments have one of these forms:")
	for _, form := range forms {
		b.WriteString("\n- ")
		b.WriteString(l.form(base, form))
		if b.Len() > 8000 {
			b.WriteString("\n- ...")
			break
		}
	}
	return b.String()
}

// form describes an alternative in one line.
func (l *lowerer) form(base, form *node) string {
	var parts []string
	for _, keyword := range []string{"title", "description"} {
		if text, ok := form.Get(keyword).AsText(); ok && text != "" {
			parts = append(parts, plaintext.Cut(strings.Join(strings.Fields(text), " "), 200))
		}
	}
	always, required := setOf(base.Get("required").Texts()), setOf(form.Get("required").Texts())
	var with []string
	for _, name := range form.Get("required").Texts() {
		if len(with) > 50 {
			break
		}
		if values := valuesOf(form.Get("properties").Get(name)); len(values) > 0 && len(values) <= 5 {
			texts := make([]string, len(values))
			for i, v := range values {
				texts[i] = v.Brief(shortValue)
			}
			with = append(with, fmt.Sprintf("%s being %s", strconv.Quote(name), strings.Join(texts, " or ")))
		} else if !always[name] {
			with = append(with, strconv.Quote(name))
		}
	}
	if len(with) > 0 {
		parts = append(parts, "with "+plaintext.Cut(strings.Join(with, ", "), 600))
	}
	var optional []string
	if properties := form.Get("properties"); properties != nil {
		for _, m := range properties.Members {
			if !required[m.Name] && len(optional) <= 50 {
				optional = append(optional, strconv.Quote(m.Name))
			}
		}
	}
	if len(optional) > 0 {
		parts = append(parts, "possibly with "+plaintext.Cut(strings.Join(optional, ", "), 600))
	}
	parts = append(parts, form.Notes...)
	if len(parts) == 0 {
		parts = append(parts, form.Brief(longValue))
	}
	l.more(8 + len(form.Members))
	return plaintext.Cut(strings.Join(parts, "; "), 1500)
}
