package provider

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/internal/plaintext"
)

// top lowers the root: what it must not have is folded into it, or becomes a note.
func (l *lowerer) top() *node {
	top := l.schema(l.root, place{base: l.root, inside: &inside{target: l.root}})
	top.set("type", stringNode("object")) // which package registry makes sure of
	if list := top.get("anyOf"); list != nil {
		top = l.fold(top.without("anyOf"), list.items)
		l.loose = l.loose || l.rules.allRequired
	}
	kept := &node{notes: slices.Clone(top.notes)}
	for _, m := range top.members {
		text, isText := m.value.string()
		switch {
		case l.rules.root[m.name]:
			kept.set(m.name, m.value)
		case m.name == "title", m.name == "additionalProperties" && m.value.kind != isObject:
		case m.name == "description" && isText:
			kept.notes = append([]string{text}, kept.notes...)
		default:
			kept.notes = append(kept.notes, l.sentences(top, m)...)
		}
	}
	if kept.get("properties") == nil && !l.rules.strict {
		kept.set("properties", objectNode()) // which OpenAI wants, and no one minds
	}
	return l.renamed(kept)
}

// renamed moves properties whose names the provider refuses into notes. They can still be given.
func (l *lowerer) renamed(top *node) *node {
	properties := top.get("properties")
	if l.rules.rootNames == nil || properties == nil {
		return top
	}
	kept := objectNode()
	notes := slices.Clone(top.notes)
	isRequired := setOf(top.get("required").strings())
	for _, m := range properties.members {
		if l.rules.rootNames.MatchString(m.name) {
			kept.members = append(kept.members, m)
			continue
		}
		l.loose = true
		// Settled, the schema has its notes in its descriptions.
		s := &settler{rules: &rules{keep: l.rules.keep}}
		which := "may"
		if isRequired[m.name] {
			which = "must"
		}
		schema := s.settle(m.value, 1).brief(longValue)
		notes = append(notes, fmt.Sprintf("There %s also be a property %s: %s", which, strconv.Quote(plaintext.Cut(m.name, longValue)), schema))
		l.work += s.work
	}
	if len(kept.members) == len(properties.members) {
		return top
	}
	c := top.without("additionalProperties", "required").withNotes(notes)
	c.set("properties", kept)
	var required []string
	for _, name := range top.get("required").strings() {
		if l.rules.rootNames.MatchString(name) {
			required = append(required, name)
		}
	}
	if len(required) > 0 {
		c.set("required", namesNode(required))
	}
	return c
}

// maxForms is how many alternatives at the root are told apart.
const maxForms = 64

// fold makes one object of the root and its alternatives: it has the properties of all of them, and requires what all of
// them require.
func (l *lowerer) fold(base *node, alternatives []*node) *node {
	var forms []*node
	for _, a := range alternatives {
		if slices.Contains(typesOf(a.get("type")), "object") {
			forms = append(forms, l.flat(a)...)
		}
	}
	if len(forms) == 0 || len(forms) > maxForms {
		return base.withNotes(slices.Concat(base.notes, l.sentences(base, member{"anyOf", arrayNode(alternatives...)})))
	}
	top := &node{members: slices.Clone(base.members), notes: slices.Clone(base.notes)}
	top.notes = append(top.notes, l.forms(base, forms))

	names, schemas := l.properties(forms)
	properties := objectNode()
	if have := base.get("properties"); have != nil {
		properties.members = slices.Clone(have.members)
	}
	places := map[string]int{}
	for i, m := range properties.members {
		places[m.name] = i
	}
	for _, name := range names {
		union := l.union(schemas[name])
		if i, ok := places[name]; !ok {
			properties.members = append(properties.members, member{name, union})
		} else if len(schemas[name]) == len(forms) {
			properties.members[i].value = l.merge(properties.members[i].value, union)
		}
	}
	if len(properties.members) > 0 {
		top.set("properties", properties)
	}

	required := base.get("required").strings()
	seen, in := setOf(required), map[string]int{}
	for _, form := range forms {
		for name := range setOf(form.get("required").strings()) {
			in[name]++
		}
	}
	for _, name := range forms[0].get("required").strings() {
		if in[name] == len(forms) && !seen[name] {
			required, seen[name] = append(required, name), true
		}
	}
	if len(required) > 0 {
		top.set("required", namesNode(required))
	}

	if base.get("additionalProperties") == nil && !slices.ContainsFunc(forms, func(form *node) bool { return !closed(form) }) {
		top.set("additionalProperties", falseNode)
	}
	return top
}

// closed reports whether an object has no other properties than those that are named.
func closed(n *node) bool {
	return n.get("additionalProperties").is("false") && n.get("patternProperties") == nil
}

// flat returns the forms of an alternative that has alternatives itself.
func (l *lowerer) flat(a *node) []*node {
	inner := a.get("anyOf")
	if inner == nil {
		return []*node{a}
	}
	rest := a.without("anyOf")
	var forms []*node
	for _, i := range inner.items {
		if slices.Contains(typesOf(i.get("type")), "object") && len(forms) <= maxForms && l.more(1) {
			forms = append(forms, l.flat(l.merge(rest, i))...)
		}
	}
	return forms
}

// properties returns the names of all properties of some schemas, in order, and what the schemas say of them.
func (l *lowerer) properties(forms []*node) (names []string, schemas map[string][]*node) {
	schemas = map[string][]*node{}
	for _, form := range forms {
		properties := form.get("properties")
		if properties == nil {
			continue
		}
		for _, m := range properties.members {
			if schemas[m.name] == nil {
				names = append(names, m.name)
			}
			schemas[m.name] = append(schemas[m.name], m.value)
			l.more(1)
		}
	}
	return names, schemas
}

// setOf is the set of some names.
func setOf(names []string) map[string]bool {
	s := make(map[string]bool, len(names))
	for _, name := range names {
		s[name] = true
	}
	return s
}

// namesIn is the set of the names of an object's members.
func namesIn(n *node) map[string]bool {
	s := make(map[string]bool, len(n.members))
	for _, m := range n.members {
		s[m.name] = true
	}
	return s
}

// union returns a schema for what any of the schemas accepts.
func (l *lowerer) union(schemas []*node) *node {
	distinct := l.distinct(schemas)
	if len(distinct) == 1 {
		return distinct[0]
	}
	var values []*node
	var types []string
	for _, s := range distinct {
		if len(s.members) == 0 {
			return objectNode() // anything
		}
		if s.get("enum") == nil && s.get("const") == nil || !onlyValues(s) {
			return objectNode(member{"anyOf", &node{kind: isArray, items: distinct}})
		}
		values = append(values, valuesOf(s)...)
		types = append(types, typesOf(s.get("type"))...)
	}
	// A choice between values, as of what says which alternative is meant.
	enum := &node{kind: isArray, items: l.distinct(values)}
	u := objectNode()
	slices.Sort(types)
	if types = slices.Compact(types); len(types) < len(allTypes) {
		u.set("type", typeNode(types))
	}
	u.set("enum", enum)
	for _, s := range distinct {
		u.notes = append(u.notes, s.notes...)
	}
	return u
}

// distinct returns some nodes without those that are there already.
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

// valuesOf returns the values that a schema names.
func valuesOf(n *node) []*node {
	if v := n.get("const"); v != nil {
		return []*node{v}
	}
	if enum := n.get("enum"); enum != nil {
		return enum.items
	}
	return nil
}

// onlyValues reports whether a schema says nothing but which values there are.
func onlyValues(n *node) bool {
	for _, m := range n.members {
		switch m.name {
		case "type", "enum", "const", "title", "description", "default":
		default:
			return false
		}
	}
	return true
}

// forms says what the alternatives are.
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

// form says in one line what makes an alternative.
func (l *lowerer) form(base, form *node) string {
	var parts []string
	for _, keyword := range []string{"title", "description"} {
		if text, ok := form.get(keyword).string(); ok && text != "" {
			parts = append(parts, plaintext.Cut(strings.Join(strings.Fields(text), " "), 200))
		}
	}
	always, required := setOf(base.get("required").strings()), setOf(form.get("required").strings())
	var with []string
	for _, name := range form.get("required").strings() {
		if len(with) > 50 {
			break
		}
		if values := valuesOf(form.get("properties").get(name)); len(values) > 0 && len(values) <= 5 {
			texts := make([]string, len(values))
			for i, v := range values {
				texts[i] = v.brief(shortValue)
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
	if properties := form.get("properties"); properties != nil {
		for _, m := range properties.members {
			if !required[m.name] && len(optional) <= 50 {
				optional = append(optional, strconv.Quote(m.name))
			}
		}
	}
	if len(optional) > 0 {
		parts = append(parts, "possibly with "+plaintext.Cut(strings.Join(optional, ", "), 600))
	}
	parts = append(parts, form.notes...)
	if len(parts) == 0 {
		parts = append(parts, form.brief(longValue))
	}
	l.more(8 + len(form.members))
	return plaintext.Cut(strings.Join(parts, "; "), 1500)
}
