package tsdecl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/schema"
)

// detail is the amount of detail in a declaration.
type detail int

const (
	everything detail = iota
	onlyTypes
	noTypes
)

// Types of unknown or omitted values.
const (
	unknown   = "unknown"
	anyObject = "Record<string, unknown>"
)

// Limits on the parts of a declaration.
const (
	maxDepth    = 10 // levels of nested types
	maxChoices  = 40 // values of an enum
	maxLiteral  = 100
	maxName     = 100
	maxProperty = 200 // bytes of a description
)

// A generator writes the types of one function.
type generator struct {
	*schema.Document
	detail detail
	// left is roughly the number of bytes that may still be written. It is negative once the limit is exceeded.
	left int
	// within holds the targets of the references being followed, and depth is the current nesting of types.
	within []*jsontree.Node
	depth  int
}

// A tsType is a type expression. If it is compound, it needs parentheses before anything can be added to it.
type tsType struct {
	text     string
	compound bool
}

func (t tsType) grouped() string {
	if t.compound {
		return "(" + t.text + ")"
	}
	return t.text
}

// spend counts text that becomes part of the declaration.
func (g *generator) spend(text string) string {
	g.left -= len(text) + 1
	return text
}

func (g *generator) simple(text string) tsType { return tsType{text: g.spend(text)} }

// of returns the type of the values that a schema allows. Lines after the first begin with indent.
func (g *generator) of(s *jsontree.Node, indent string) tsType {
	if g.left < 0 || g.depth >= maxDepth {
		return g.simple(unknown)
	}
	g.depth++
	defer func() { g.depth-- }()
	if s.Is("false") {
		return g.simple("never")
	}
	var all []tsType // parts of an intersection
	for _, target := range g.Targets(s) {
		all = append(all, g.reference(target, indent))
	}
	if g.RefAlone(s) {
		return g.join(all, " & ")
	}
	switch {
	case s.Get("const") != nil:
		all = append(all, g.literal(s.Get("const")))
	case s.Get("enum") != nil:
		all = append(all, g.enum(s.List("enum")))
	default:
		if types := typesOf(s); len(types) > 0 {
			all = append(all, g.typed(s, types, indent))
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if choices := s.List(keyword); len(choices) > 0 {
			all = append(all, g.combined(choices, " | ", indent))
		}
	}
	if parts := s.List("allOf"); len(parts) > 0 {
		all = append(all, g.combined(parts, " & ", indent))
	}
	return g.join(all, " & ")
}

// typesOf returns the types in the keyword type, or else the type that other keywords imply.
func typesOf(s *jsontree.Node) []string {
	named := s.Get("type")
	if one, ok := named.AsText(); ok {
		return []string{one}
	}
	switch {
	case named != nil:
		return named.Texts()
	case s.Get("properties") != nil:
		return []string{"object"}
	case s.Get("items") != nil || s.Get("prefixItems") != nil:
		return []string{"array"}
	}
	return nil
}

func (g *generator) typed(s *jsontree.Node, types []string, indent string) tsType {
	var choices []tsType
	for _, t := range types {
		switch t {
		case "string", "number", "boolean", "null":
			choices = append(choices, g.simple(t))
		case "integer":
			choices = append(choices, g.simple("number"))
		case "array":
			choices = append(choices, g.array(s, indent))
		case "object":
			choices = append(choices, g.object(s, indent))
		default:
			choices = append(choices, g.simple(unknown))
		}
	}
	return g.join(choices, " | ")
}

// combined joins the types of several schemas with an operator.
func (g *generator) combined(schemas []*jsontree.Node, operator, indent string) tsType {
	var types []tsType
	for _, s := range schemas {
		if g.left < 0 {
			break
		}
		types = append(types, g.of(s, indent))
	}
	return g.join(types, operator)
}

func (g *generator) array(s *jsontree.Node, indent string) tsType {
	first, rest := s.List("prefixItems"), s.Get("items")
	if list := s.List("items"); len(list) > 0 { // as in older drafts
		first, rest = list, s.Get("additionalItems")
	}
	if len(first) == 0 {
		if rest == nil {
			return g.simple("unknown[]")
		}
		return tsType{text: g.of(rest, indent).grouped() + g.spend("[]")}
	}
	var items []string
	for _, item := range first {
		if g.left < 0 {
			break
		}
		items = append(items, g.of(item, indent).grouped()+"?") // the schema does not require the item to exist
	}
	if !rest.Is("false") {
		items = append(items, g.spend("...unknown[]"))
	}
	return tsType{text: "[" + strings.Join(items, ", ") + "]"}
}

func (g *generator) object(s *jsontree.Node, indent string) tsType {
	more := s.Get("additionalProperties")
	others := tsType{}
	if more != nil && len(more.Members) > 0 {
		others.text = g.spend("Record<string, ") + g.of(more, indent).text + ">"
	}
	properties := s.Object("properties")
	if properties == nil || len(properties.Members) == 0 {
		switch {
		case others.text != "":
			return others
		case more.Is("false"):
			return g.simple("{}")
		}
		return g.simple(anyObject)
	}
	required := map[string]bool{}
	for _, name := range s.Get("required").Texts() {
		required[name] = true
	}
	inner := indent + "  "
	var b strings.Builder
	b.WriteString("{\n")
	for _, m := range properties.Members {
		name := m.Name
		if g.left < 0 {
			break
		}
		if len(name) > maxName {
			b.WriteString(g.spend(inner + "// A property whose name is too long is left out.\n"))
			continue
		}
		mark := "?: "
		if required[name] {
			mark = ": "
		}
		if g.detail == everything {
			b.WriteString(g.spend(comment(inner, notes(m.Value))))
		}
		b.WriteString(g.spend(inner + key(name) + mark))
		b.WriteString(g.of(m.Value, inner).text + ";\n")
	}
	b.WriteString(g.spend(indent + "}"))
	if others.text != "" {
		return tsType{b.String() + " & " + others.text, true}
	}
	return tsType{text: b.String()}
}

// reference returns the type of a reference's target. A reference that leads back to itself becomes unknown.
func (g *generator) reference(target *jsontree.Node, indent string) tsType {
	if slices.Contains(g.within, target) {
		return g.simple(unknown)
	}
	g.within = append(g.within, target)
	defer func() { g.within = g.within[:len(g.within)-1] }()
	return g.of(target, indent)
}

func (g *generator) enum(values []*jsontree.Node) tsType {
	var choices []tsType
	for i, v := range values {
		if i == maxChoices {
			choices = append(choices, g.simple(fmt.Sprintf("%s /* %d more */", unknown, len(values)-i)))
			break
		}
		choices = append(choices, g.literal(v))
	}
	return g.join(choices, " | ")
}

// literal returns the type of a single value.
func (g *generator) literal(v *jsontree.Node) tsType {
	text, err := v.Encode(maxLiteral)
	switch {
	case err != nil, v.Kind == jsontree.Object, v.Kind == jsontree.Array:
		return g.simple(unknown)
	case v.Kind == jsontree.String:
		return g.simple(quoted(v.Text))
	}
	return g.simple(string(text))
}

// join joins types with an operator. It omits types that add nothing.
func (g *generator) join(types []tsType, operator string) tsType {
	if operator == " & " {
		types = slices.DeleteFunc(types, func(t tsType) bool { return t.text == unknown })
	}
	types = slices.Compact(types)
	switch len(types) {
	case 0:
		return g.simple(unknown)
	case 1:
		return types[0]
	}
	var b strings.Builder
	for i, t := range types {
		if i > 0 {
			b.WriteString(operator)
		}
		b.WriteString(t.grouped())
	}
	return tsType{b.String(), true}
}
