package provider

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A settler brings a lowered schema into its last form: notes become descriptions, what must not stand together is taken
// apart, and in strict mode objects are closed.
type settler struct {
	rules *rules
	work  int
	// loose means that strict mode cannot have the schema.
	loose            bool
	properties, enum int
	chars            int  // in the names of properties and in values
	longEnum         bool // there is one that has more characters than one may have
}

// settle returns a schema of the given level; the root has level 0.
func (s *settler) settle(n *node, level int) *node {
	if s.work += 1 + len(n.members); s.work > maxWork {
		return objectNode()
	}
	if s.rules.strict && s.rules.maxLevels > 0 && level > s.rules.maxLevels {
		s.loose = true
	}
	if s.rules.apart && n.get("anyOf") != nil {
		n = s.apart(n)
	}
	n = s.fitting(n)
	c := objectNode()
	for _, m := range n.members {
		v := m.value
		switch m.name {
		case "properties", "patternProperties":
			v = s.each(v, level)
		case "items", "additionalProperties", "propertyNames":
			if v.kind == isObject {
				v = s.settle(v, level+1)
			}
		case "prefixItems", "anyOf":
			list := &node{kind: isArray}
			for _, item := range v.items {
				if m.name == "prefixItems" || !impossible(item) {
					list.items = append(list.items, s.settle(item, level+1))
				}
			}
			if len(list.items) == 0 { // nothing fits any
				list.items = append(list.items, s.settle(v.items[0], level+1))
			}
			v = list
		case "const":
			s.chars += utf8.RuneCountInString(v.text)
		case "enum":
			s.countEnum(v)
		}
		c.members = append(c.members, member{m.name, v})
	}
	if text, _ := n.get("description").string(); len(n.notes) > 0 {
		description := stringNode(valid(strings.TrimSpace(text + "\n" + strings.Join(n.notes, " "))))
		c.set("description", description)
	}
	if types := c.get("type"); types != nil && slices.Contains(typesOf(types), "array") && c.get("items") == nil {
		c.set("items", objectNode()) // some want it even where it says nothing
		s.loose = true
	}
	if values := valuesOf(c); values != nil && c.get("type") == nil && s.rules.plainTypes() {
		c = objectNode(slices.Concat([]member{{"type", typeNode(typesOfValues(values))}}, c.members)...)
	}
	if s.rules.strict {
		return s.strict(c)
	}
	return c
}

func (s *settler) each(n *node, level int) *node {
	c := &node{members: make([]member, len(n.members))}
	for i, m := range n.members {
		c.members[i] = member{m.name, s.settle(m.value, level+1)}
		s.chars += utf8.RuneCountInString(m.name)
	}
	s.properties += len(n.members)
	return c
}

func (s *settler) countEnum(enum *node) {
	chars := 0
	for _, v := range enum.items {
		chars += utf8.RuneCountInString(v.text)
	}
	s.enum += len(enum.items)
	s.chars += chars
	s.longEnum = s.longEnum || len(enum.items) > s.rules.manyValues && chars > s.rules.maxEnumChars
}

// fitting leaves of the values that a schema names those that its type allows: strict mode refuses the others. If there are
// none, a sentence remains.
func (s *settler) fitting(n *node) *node {
	for _, name := range []string{"const", "enum"} {
		v := n.get(name)
		if v == nil {
			continue
		}
		values := valuesOf(objectNode(member{name, v}))
		types := typesOf(n.get("type"))
		s.work += len(values)
		kept := slices.DeleteFunc(slices.Clone(values), func(v *node) bool { return !fitsOne(v, types) })
		switch {
		case len(kept) == 0:
			l := &lowerer{rules: s.rules, draft: draft2020, work: s.work}
			n = n.without(name).withNotes(slices.Concat(n.notes, l.sentences(n, member{name, v})))
			s.work = l.work
		case len(kept) < len(values):
			n = n.withNotes(n.notes)
			n.members = slices.Clone(n.members)
			n.set(name, arrayNode(kept...))
		}
	}
	values := valuesOf(n)
	if values == nil || !s.rules.strict || n.get("anyOf") != nil {
		return n
	}
	// The values say all that there is to say.
	c := &node{notes: n.notes}
	for _, m := range n.members {
		switch m.name {
		case "type":
			types := slices.DeleteFunc(slices.Clone(typesOf(m.value)), func(t string) bool {
				return !slices.ContainsFunc(values, func(v *node) bool { return fits(v, t) })
			})
			c.set(m.name, typeNode(types))
		case "const", "enum", "title", "description", "default", "examples":
			c.set(m.name, m.value)
		}
	}
	return c
}

// impossible reports whether no value that a schema names is of its type.
func impossible(n *node) bool {
	values := valuesOf(n)
	return len(values) > 0 && !slices.ContainsFunc(values, func(v *node) bool { return fitsOne(v, typesOf(n.get("type"))) })
}

func fitsOne(v *node, types []string) bool {
	return slices.ContainsFunc(types, func(t string) bool { return fits(v, t) })
}

// fits reports whether a value is of a type. Numbers that may be integers, written in another way, are taken for some.
func fits(v *node, t string) bool {
	is := typesOfValues([]*node{v})[0]
	if t == "integer" && is == "number" {
		_, fraction, _ := strings.Cut(v.text, ".")
		return strings.ContainsAny(v.text, "eE") || strings.Trim(fraction, "0") == ""
	}
	return t == is
}

// apart moves the keywords beside anyOf into the alternatives. Those that describe stay.
func (s *settler) apart(n *node) *node {
	outer, shape := &node{notes: n.notes}, objectNode()
	var alternatives []*node
	for _, m := range n.members {
		switch m.name {
		case "anyOf":
			alternatives = m.value.items
		case "title", "description", "default", "examples":
			outer.members = append(outer.members, m)
		default:
			shape.members = append(shape.members, m)
		}
	}
	if len(shape.members) == 0 {
		return n
	}
	l := &lowerer{rules: s.rules, draft: draft2020, work: s.work}
	list := &node{kind: isArray}
	for _, a := range alternatives {
		if len(commonTypes(typesOf(shape.get("type")), typesOf(a.get("type")))) > 0 {
			list.items = append(list.items, l.merge(a, shape))
		}
	}
	if s.work = l.work; len(list.items) == 0 {
		outer.members = append(outer.members, shape.members...) // nothing fits all of it
		return outer
	}
	outer.members = append(outer.members, member{"anyOf", list})
	return outer
}

// strict closes objects, and notes what strict mode cannot have. All in the schema is strict already.
func (s *settler) strict(n *node) *node {
	if n.get("anyOf") != nil {
		return n
	}
	if n.get("type") == nil {
		s.loose = true // anything
		return n
	}
	if !slices.Contains(typesOf(n.get("type")), "object") {
		return n
	}
	properties, additional := n.get("properties"), n.get("additionalProperties")
	if n.get("patternProperties") != nil || additional != nil && !additional.is("false") || additional == nil && properties == nil {
		s.loose = true // a map
		return n
	}
	if properties == nil {
		properties = objectNode()
	}
	c := n.without("properties", "required", "additionalProperties")
	required := n.get("required").strings()
	isRequired := setOf(required)
	if s.rules.allRequired {
		all := make([]string, len(properties.members))
		closed := &node{members: slices.Clone(properties.members)}
		for i, m := range properties.members {
			all[i] = m.name
			if !isRequired[m.name] {
				closed.members[i].value = nullable(m.value)
				if valuesOf(m.value) != nil {
					s.enum++
				}
			}
		}
		properties, required = closed, all
	} else {
		// What is required and not listed cannot be given.
		listed := namesIn(properties)
		required = slices.DeleteFunc(required, func(name string) bool { return !listed[name] })
	}
	c.set("properties", properties)
	if len(required) > 0 || s.rules.allRequired {
		c.set("required", namesNode(required))
	}
	c.set("additionalProperties", falseNode)
	return c
}

// nullable returns a schema that accepts null, too.
func nullable(n *node) *node {
	c := &node{members: slices.Clone(n.members)}
	if list := n.get("anyOf"); list != nil {
		for _, a := range list.items {
			if slices.Contains(typesOf(a.get("type")), "null") {
				return n
			}
		}
		c.set("anyOf", &node{kind: isArray, items: slices.Concat(list.items, []*node{objectNode(member{"type", stringNode("null")})})})
		return c
	}
	if types := typesOf(n.get("type")); !slices.Contains(types, "null") {
		c.set("type", namesNode(slices.Concat(types, []string{"null"})))
	}
	if v := n.get("const"); v != nil && !v.is("null") {
		c = c.without("const")
		c.set("enum", arrayNode(v))
	}
	if enum := c.get("enum"); enum != nil && !slices.ContainsFunc(enum.items, func(v *node) bool { return v.is("null") }) {
		c.set("enum", &node{kind: isArray, items: slices.Concat(enum.items, []*node{nullNode})})
	}
	return c
}

// typesOfValues returns the types that some values have.
func typesOfValues(values []*node) []string {
	var types []string
	for _, v := range values {
		t := "object"
		switch {
		case v.kind == isArray:
			t = "array"
		case v.kind == isString:
			t = "string"
		case v.kind != isLiteral:
		case v.is("null"):
			t = "null"
		case v.isNumber():
			t = "number"
		default:
			t = "boolean"
		}
		if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	return types
}

// over reports whether the schema is larger than strict mode can have it.
func (s *settler) over() bool {
	r := s.rules
	return r.maxProperties > 0 && s.properties > r.maxProperties || r.maxEnum > 0 && s.enum > r.maxEnum ||
		r.maxChars > 0 && s.chars > r.maxChars || r.maxEnumChars > 0 && s.longEnum
}
