package provider

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/schema"
)

// A settler finishes a lowered schema: it turns notes into descriptions, separates keywords that must not stand
// together, and closes objects in strict mode.
type settler struct {
	rules *rules
	work  int
	// loose means that strict mode cannot express the schema.
	loose            bool
	properties, enum int
	chars            int  // the total length of property names and values
	longEnum         bool // an enum is longer than allowed
}

// settle finishes a schema at the given level. The root has level 0.
func (s *settler) settle(n *node, level int) *node {
	if s.work += 1 + len(n.Members); s.work > maxWork {
		return jsontree.NewObject()
	}
	if s.rules.strict && s.rules.maxLevels > 0 && level > s.rules.maxLevels {
		s.loose = true
	}
	if s.rules.apart && n.Get("anyOf") != nil {
		n = s.apart(n)
	}
	n = s.fitting(n)
	c := jsontree.NewObject()
	for _, m := range n.Members {
		v := m.Value
		switch m.Name {
		case "properties", "patternProperties":
			v = s.each(v, level)
		case "items", "additionalProperties", "propertyNames":
			if v.Kind == jsontree.Object {
				v = s.settle(v, level+1)
			}
		case "prefixItems", "anyOf":
			list := &node{Kind: jsontree.Array}
			for _, item := range v.Items {
				if m.Name == "prefixItems" || !impossible(item) {
					list.Items = append(list.Items, s.settle(item, level+1))
				}
			}
			if len(list.Items) == 0 { // no value fits any alternative
				list.Items = append(list.Items, s.settle(v.Items[0], level+1))
			}
			v = list
		case "const":
			s.chars += utf8.RuneCountInString(v.Text)
		case "enum":
			s.countEnum(v)
		}
		c.Members = append(c.Members, pair(m.Name, v))
	}
	if text, _ := n.Get("description").AsText(); len(n.Notes) > 0 {
		description := jsontree.NewString(valid(strings.TrimSpace(text + "\n" + strings.Join(n.Notes, " "))))
		c.Set("description", description)
	}
	if types := c.Get("type"); types != nil && slices.Contains(typesOf(types), "array") && c.Get("items") == nil {
		c.Set("items", jsontree.NewObject()) // some providers demand it even if it is empty
		s.loose = true
	}
	if values := valuesOf(c); values != nil && c.Get("type") == nil && s.rules.plainTypes() {
		c = jsontree.NewObject(slices.Concat([]member{pair("type", typeNode(typesOfValues(values)))}, c.Members)...)
	}
	if s.rules.strict {
		return s.strict(c)
	}
	return c
}

func (s *settler) each(n *node, level int) *node {
	c := &node{Members: make([]member, len(n.Members))}
	for i, m := range n.Members {
		c.Members[i] = pair(m.Name, s.settle(m.Value, level+1))
		s.chars += utf8.RuneCountInString(m.Name)
	}
	s.properties += len(n.Members)
	return c
}

func (s *settler) countEnum(enum *node) {
	chars := 0
	for _, v := range enum.Items {
		chars += utf8.RuneCountInString(v.Text)
	}
	s.enum += len(enum.Items)
	s.chars += chars
	s.longEnum = s.longEnum || len(enum.Items) > s.rules.manyValues && chars > s.rules.maxEnumChars
}

// fitting removes values from const and enum that the schema's type excludes, because strict mode refuses them. If none
// is left, a sentence takes their place.
func (s *settler) fitting(n *node) *node {
	for _, name := range []string{"const", "enum"} {
		v := n.Get(name)
		if v == nil {
			continue
		}
		values := valuesOf(jsontree.NewObject(pair(name, v)))
		types := typesOf(n.Get("type"))
		s.work += len(values)
		kept := slices.DeleteFunc(slices.Clone(values), func(v *node) bool { return !fitsOne(v, types) })
		switch {
		case len(kept) == 0:
			l := &lowerer{Document: &schema.Document{Draft: schema.Draft2020}, rules: s.rules, work: s.work}
			n = n.Without(name).WithNotes(slices.Concat(n.Notes, l.sentences(n, pair(name, v))))
			s.work = l.work
		case len(kept) < len(values):
			n = n.WithNotes(n.Notes)
			n.Members = slices.Clone(n.Members)
			n.Set(name, jsontree.NewArray(kept...))
		}
	}
	values := valuesOf(n)
	if values == nil || !s.rules.strict || n.Get("anyOf") != nil {
		return n
	}
	// The values say everything, so other keywords can go.
	c := &node{Notes: n.Notes}
	for _, m := range n.Members {
		switch m.Name {
		case "type":
			types := slices.DeleteFunc(slices.Clone(typesOf(m.Value)), func(t string) bool {
				return !slices.ContainsFunc(values, func(v *node) bool { return fits(v, t) })
			})
			c.Set(m.Name, typeNode(types))
		case "const", "enum", "title", "description", "default", "examples":
			c.Set(m.Name, m.Value)
		}
	}
	return c
}

// impossible reports whether a schema's type excludes all values of its const or enum.
func impossible(n *node) bool {
	values := valuesOf(n)
	types := typesOf(n.Get("type"))
	return len(values) > 0 && !slices.ContainsFunc(values, func(v *node) bool { return fitsOne(v, types) })
}

func fitsOne(v *node, types []string) bool {
	return slices.ContainsFunc(types, func(t string) bool { return fits(v, t) })
}

// fits reports whether a value has a type. A number in any notation that may stand for an integer counts as one.
func fits(v *node, t string) bool {
	is := typesOfValues([]*node{v})[0]
	if t == "integer" && is == "number" {
		_, fraction, _ := strings.Cut(v.Text, ".")
		return strings.ContainsAny(v.Text, "eE") || strings.Trim(fraction, "0") == ""
	}
	return t == is
}

// apart moves the keywords beside anyOf into the alternatives, except those that only describe.
func (s *settler) apart(n *node) *node {
	outer, shape := &node{Notes: n.Notes}, jsontree.NewObject()
	var alternatives []*node
	for _, m := range n.Members {
		switch m.Name {
		case "anyOf":
			alternatives = m.Value.Items
		case "title", "description", "default", "examples":
			outer.Members = append(outer.Members, m)
		default:
			shape.Members = append(shape.Members, m)
		}
	}
	if len(shape.Members) == 0 {
		return n
	}
	l := &lowerer{Document: &schema.Document{Draft: schema.Draft2020}, rules: s.rules, work: s.work}
	list := &node{Kind: jsontree.Array}
	for _, a := range alternatives {
		if len(commonTypes(typesOf(shape.Get("type")), typesOf(a.Get("type")))) > 0 {
			list.Items = append(list.Items, l.merge(a, shape))
		}
	}
	if s.work = l.work; len(list.Items) == 0 {
		outer.Members = append(outer.Members, shape.Members...) // no value fits all keywords
		return outer
	}
	outer.Members = append(outer.Members, pair("anyOf", list))
	return outer
}

// strict closes objects, and detects what strict mode cannot express. The schemas inside n are strict already.
func (s *settler) strict(n *node) *node {
	if n.Get("anyOf") != nil {
		return n
	}
	if n.Get("type") == nil {
		s.loose = true // it allows anything
		return n
	}
	if !slices.Contains(typesOf(n.Get("type")), "object") {
		return n
	}
	properties, additional := n.Get("properties"), n.Get("additionalProperties")
	if n.Get("patternProperties") != nil || additional != nil && !additional.Is("false") ||
		additional == nil && properties == nil {
		s.loose = true // a map
		return n
	}
	if properties == nil {
		properties = jsontree.NewObject()
	}
	c := n.Without("properties", "required", "additionalProperties")
	required := n.Get("required").Texts()
	isRequired := setOf(required)
	if s.rules.allRequired {
		all := make([]string, len(properties.Members))
		closed := &node{Members: slices.Clone(properties.Members)}
		for i, m := range properties.Members {
			all[i] = m.Name
			if !isRequired[m.Name] {
				closed.Members[i].Value = nullable(m.Value)
				if valuesOf(m.Value) != nil {
					s.enum++
				}
			}
		}
		properties, required = closed, all
	} else {
		// A required property that is not listed could not be passed.
		listed := namesIn(properties)
		required = slices.DeleteFunc(required, func(name string) bool { return !listed[name] })
	}
	c.Set("properties", properties)
	if len(required) > 0 || s.rules.allRequired {
		c.Set("required", jsontree.NewStrings(required))
	}
	c.Set("additionalProperties", jsontree.False)
	return c
}

// nullable returns a schema that accepts null as well.
func nullable(n *node) *node {
	c := &node{Members: slices.Clone(n.Members)}
	if list := n.Get("anyOf"); list != nil {
		for _, a := range list.Items {
			if slices.Contains(typesOf(a.Get("type")), "null") {
				return n
			}
		}
		null := jsontree.NewObject(pair("type", jsontree.NewString("null")))
		c.Set("anyOf", &node{Kind: jsontree.Array, Items: slices.Concat(list.Items, []*node{null})})
		return c
	}
	if types := typesOf(n.Get("type")); !slices.Contains(types, "null") {
		c.Set("type", jsontree.NewStrings(slices.Concat(types, []string{"null"})))
	}
	if v := n.Get("const"); v != nil && !v.Is("null") {
		c = c.Without("const")
		c.Set("enum", jsontree.NewArray(v))
	}
	if enum := c.Get("enum"); enum != nil && !slices.ContainsFunc(enum.Items, func(v *node) bool {
		return v.Is("null")
	}) {
		c.Set("enum", &node{Kind: jsontree.Array, Items: slices.Concat(enum.Items, []*node{jsontree.Null})})
	}
	return c
}

// typesOfValues returns the types of values, in order.
func typesOfValues(values []*node) []string {
	var types []string
	for _, v := range values {
		t := "number"
		if !v.IsNumber() {
			t = schema.TypeOf(v).String()
		}
		if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	return types
}

// over reports whether the schema exceeds strict mode's limits.
func (s *settler) over() bool {
	r := s.rules
	return r.maxProperties > 0 && s.properties > r.maxProperties || r.maxEnum > 0 && s.enum > r.maxEnum ||
		r.maxChars > 0 && s.chars > r.maxChars || r.maxEnumChars > 0 && s.longEnum
}
