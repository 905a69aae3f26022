package tsdecl

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// detail is how much a declaration says.
type detail int

const (
	everything detail = iota
	onlyTypes
	noTypes
)

// The types of what is not known, or not told.
const (
	unknown   = "unknown"
	anyObject = "Record<string, unknown>"
)

// Bounds on what is told of a schema.
const (
	maxDepth    = 10 // of types in types
	maxChoices  = 40 // of an enum
	maxLiteral  = 100
	maxName     = 100
	maxProperty = 200 // bytes of a description
)

// A generator makes the types of one function.
type generator struct {
	detail detail
	root   json.RawMessage
	// left is how many bytes there may still be, about, and work how many may still be decoded: references can lead to the same ones
	// again and again. left is negative if either is used up.
	left, work int
	// within are the references that lead to what is being made, and depth is how deep in types that is.
	within []string
	depth  int
}

// A tsType is a type. One that is compound must be in parentheses before anything can be added to it.
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

// schema returns the type of what a schema allows. Lines after the first one begin with indent.
func (g *generator) schema(raw json.RawMessage, indent string) tsType {
	if g.left < 0 || g.depth >= maxDepth {
		return g.simple(unknown)
	}
	g.depth++
	defer func() { g.depth-- }()
	if string(raw) == "false" {
		return g.simple("never")
	}
	s := g.decode(raw)
	var all []tsType // which hold together
	if ref := decodeText(s["$ref"]); ref != "" {
		all = append(all, g.reference(ref, indent))
	}
	switch {
	case s["const"] != nil:
		all = append(all, g.literal(s["const"]))
	case s["enum"] != nil:
		all = append(all, g.enum(decodeList(s["enum"])))
	default:
		if types := typesOf(s); len(types) > 0 {
			all = append(all, g.typed(s, types, indent))
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if choices := decodeList(s[keyword]); len(choices) > 0 {
			all = append(all, g.combined(choices, " | ", indent))
		}
	}
	if parts := decodeList(s["allOf"]); len(parts) > 0 {
		all = append(all, g.combined(parts, " & ", indent))
	}
	return g.join(all, " & ")
}

// typesOf returns the types that a schema names, or speaks of.
func typesOf(s map[string]json.RawMessage) []string {
	if one := decodeText(s["type"]); one != "" {
		return []string{one}
	}
	switch {
	case s["type"] != nil:
		return decodeTexts(s["type"])
	case s["properties"] != nil:
		return []string{"object"}
	case s["items"] != nil || s["prefixItems"] != nil:
		return []string{"array"}
	}
	return nil
}

func (g *generator) typed(s map[string]json.RawMessage, types []string, indent string) tsType {
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

// combined is what some schemas allow together, or each of them.
func (g *generator) combined(schemas []json.RawMessage, operator, indent string) tsType {
	var types []tsType
	for _, s := range schemas {
		if g.left < 0 {
			break
		}
		types = append(types, g.schema(s, indent))
	}
	return g.join(types, operator)
}

func (g *generator) array(s map[string]json.RawMessage, indent string) tsType {
	first, rest := decodeList(s["prefixItems"]), s["items"]
	if list := decodeList(s["items"]); len(list) > 0 { // as in older drafts
		first, rest = list, s["additionalItems"]
	}
	if len(first) == 0 {
		if rest == nil {
			return g.simple("unknown[]")
		}
		return tsType{text: g.schema(rest, indent).grouped() + g.spend("[]")}
	}
	var items []string
	for _, item := range first {
		if g.left < 0 {
			break
		}
		items = append(items, g.schema(item, indent).grouped()+"?") // a schema like this does not say that there must be one
	}
	if string(rest) != "false" {
		items = append(items, g.spend("...unknown[]"))
	}
	return tsType{text: "[" + strings.Join(items, ", ") + "]"}
}

func (g *generator) object(s map[string]json.RawMessage, indent string) tsType {
	more := s["additionalProperties"]
	others := tsType{}
	if len(g.decode(more)) > 0 {
		others.text = g.spend("Record<string, ") + g.schema(more, indent).text + ">"
	}
	names, properties := decodeMembers(s["properties"])
	if len(names) == 0 {
		switch {
		case others.text != "":
			return others
		case string(more) == "false":
			return g.simple("{}")
		}
		return g.simple(anyObject)
	}
	required := map[string]bool{}
	for _, name := range decodeTexts(s["required"]) {
		required[name] = true
	}
	inner := indent + "  "
	var b strings.Builder
	b.WriteString("{\n")
	for _, name := range names {
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
			b.WriteString(g.spend(comment(inner, notes(g.decode(properties[name])))))
		}
		b.WriteString(g.spend(inner + key(name) + mark))
		b.WriteString(g.schema(properties[name], inner).text + ";\n")
	}
	b.WriteString(g.spend(indent + "}"))
	if others.text != "" {
		return tsType{b.String() + " & " + others.text, true}
	}
	return tsType{text: b.String()}
}

// reference returns the type of what a reference leads to in the same schema. One that leads to itself ends there.
func (g *generator) reference(ref, indent string) tsType {
	if slices.Contains(g.within, ref) {
		return g.simple(unknown)
	}
	target := g.at(ref)
	if target == nil {
		return g.simple(unknown)
	}
	g.within = append(g.within, ref)
	defer func() { g.within = g.within[:len(g.within)-1] }()
	return g.schema(target, indent)
}

func (g *generator) enum(values []json.RawMessage) tsType {
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

// literal is the type of one value.
func (g *generator) literal(raw json.RawMessage) tsType {
	var value any
	if len(raw) > maxLiteral || json.Unmarshal(raw, &value) != nil {
		return g.simple(unknown)
	}
	switch value := value.(type) {
	case string:
		return g.simple(quoted(value))
	case nil, bool, float64:
		return g.simple(string(raw))
	}
	return g.simple(unknown)
}

// join makes one type of several. What adds nothing is left out.
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
