package provider

import (
	"slices"
	"strings"
)

// A settler brings a lowered schema into its last form: notes become descriptions, what must not stand together is taken
// apart, and in strict mode objects are closed.
type settler struct {
	rules *rules
	work  int
	// loose means that strict mode cannot have the schema.
	loose            bool
	properties, enum int
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
				list.items = append(list.items, s.settle(item, level+1))
			}
			v = list
		case "enum":
			s.enum += len(v.items)
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
	}
	s.properties += len(n.members)
	return c
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
	if valuesOf(n) != nil {
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
	return s.rules.maxProperties > 0 && s.properties > s.rules.maxProperties || s.rules.maxEnum > 0 && s.enum > s.rules.maxEnum
}
