package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

// keywords repairs the keywords of one schema.
type keywords struct {
	*repairer
	n       *jsontree.Node
	foreign bool     // the schema is inside of one with its own id
	drop    []string // keywords that would refuse more than before
	// describes is the regular expression that is left out, which models can read.
	describes  string
	unfollowed []repairedRef
}

// How keywords are checked whose values are neither schemas nor special.
var (
	numberKeywords = []string{"maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum", "multipleOf"}
	countKeywords  = []string{"maxLength", "minLength", "maxItems", "minItems", "maxProperties", "minProperties",
		"maxContains", "minContains"}
	boolKeywords = []string{"uniqueItems", "deprecated", "readOnly", "writeOnly", "$recursiveAnchor"}
	textKeywords = []string{"title", "description", "$comment", "format", "contentEncoding", "contentMediaType"}
	// neverNull are left out where they are null: programs write that for what is not set.
	neverNull = slices.Concat(schemaKeywords, schemasByName, numberKeywords, countKeywords, boolKeywords, textKeywords,
		referenceWords, []string{"type", "enum", "required", "pattern", "examples"})
)

// keep repairs a keyword, and reports whether it stays.
func (k *keywords) keep(m *jsontree.Member) bool {
	name, value := m.Name, m.Value
	if value.Is("null") && slices.Contains(neverNull, name) {
		return false
	}
	switch {
	case slices.Contains([]string{"allOf", "anyOf", "oneOf", "prefixItems"}, name),
		name == "items" && value.Kind == jsontree.Array && k.draft < Draft2020:
		return k.list(m)
	case slices.Contains(schemaKeywords, name):
		return k.inner(m)
	case slices.Contains(schemasByName, name), name == "dependentRequired":
		return k.named(m)
	case slices.Contains(numberKeywords, name):
		return k.number(m)
	case slices.Contains(countKeywords, name):
		return k.count(m)
	case slices.Contains(boolKeywords, name):
		return value.Is("true") || value.Is("false")
	case slices.Contains(textKeywords, name):
		text, ok := value.AsText()
		return ok && (name == "title" || name == "description" || !k.hidden(text))
	case slices.Contains(referenceWords, name):
		return k.refer(m)
	}
	switch name {
	case "type":
		types, ok := k.types(value)
		if !ok {
			k.lose(k.n, name, "it is unknown")
			return false
		}
		if len(types) == 1 && value.Kind != jsontree.Array {
			if types[0] != value.Text {
				m.Value = jsontree.NewString(types[0])
			}
		} else if !slices.Equal(types, value.Texts()) {
			m.Value = jsontree.NewStrings(types)
		}
		return len(types) > 0
	case "pattern":
		return k.pattern(m)
	case "required":
		m.Value = k.strings(name, value)
		return m.Value != nil && (k.draft != Draft4 || len(m.Value.Items) > 0)
	case "enum":
		return k.values(m)
	case "examples":
		return value.Kind == jsontree.Array && !k.unfit(value)
	case "$vocabulary":
		return false
	case "$id", "id":
		if _, ok := value.AsText(); !ok && (name == "$id") != (k.draft == Draft4) {
			return false
		}
	case "$schema":
		return k.n == k.root
	}
	if k.unfit(value) {
		if name == "const" {
			k.loose[k.n] = true
		}
		k.note(k.n, name, "it has text that people would not see, or a number that is too large")
		return false
	}
	return true
}

// unfit reports whether a value, which is no schema, has text that is hidden or numbers that are unreasonable.
func (k *keywords) unfit(value *jsontree.Node) bool {
	switch value.Kind {
	case jsontree.String:
		return k.hidden(value.Text)
	case jsontree.Literal:
		return value.IsNumber() && !jsontree.IsReasonable([]byte(value.Text))
	}
	return slices.ContainsFunc(value.Items, k.unfit) ||
		slices.ContainsFunc(value.Members, func(m jsontree.Member) bool { return k.hidden(m.Name) || k.unfit(m.Value) })
}

// asSchema returns a value as a schema, or nil if it is not one.
func (k *keywords) asSchema(value *jsontree.Node) *jsontree.Node {
	text, _ := value.AsText()
	switch {
	case value.Kind == jsontree.Object:
		return value
	case value.Kind == jsontree.Array && len(value.Items) == 0: // as some languages write an empty object
		return jsontree.NewObject()
	case value.Is("true"), text == "true":
		if k.draft == Draft4 {
			return jsontree.NewObject()
		}
		return jsontree.True
	case value.Is("false"), text == "false":
		if k.draft == Draft4 {
			return jsontree.NewObject(jsontree.Member{Name: "not", Value: jsontree.NewObject()})
		}
		return jsontree.False
	}
	return nil
}

// below repairs a schema at a place below this one.
func (k *keywords) below(value *jsontree.Node, steps string) {
	if value.Kind == jsontree.Object {
		k.child(k.n, value, k.places[k.n]+steps, k.foreign)
	}
}

// inner repairs a keyword whose value is a schema.
func (k *keywords) inner(m *jsontree.Member) bool {
	value := k.asSchema(m.Value)
	if value == nil {
		k.lose(k.n, m.Name, "it is not a schema")
		return false
	}
	if m.Value.Kind == jsontree.Literal && strings.HasPrefix(m.Name, "additional") { // which every draft allows
		return true
	}
	m.Value = value
	k.below(value, "/"+m.Name)
	return true
}

// list repairs a keyword whose value is a list of schemas.
func (k *keywords) list(m *jsontree.Member) bool {
	value := m.Value
	if value.Kind == jsontree.Object {
		value = jsontree.NewArray(value)
	}
	if value.Kind != jsontree.Array {
		k.lose(k.n, m.Name, "it is not a list of schemas")
		k.prefix(m.Name)
		return false
	}
	if len(value.Items) == 0 {
		return false
	}
	for i, item := range value.Items {
		if of := k.asSchema(item); of != nil {
			value.Items[i] = of
			k.below(of, "/"+m.Name+step(i))
			continue
		}
		k.lose(k.n, m.Name+step(i), "it is not a schema")
		if m.Name == "anyOf" || m.Name == "oneOf" { // without the alternative less would be allowed
			return false
		}
		value.Items[i] = jsontree.NewObject()
	}
	m.Value = value
	return true
}

// prefix says that a list of the first items is left out, so that it is not known which are the others.
func (k *keywords) prefix(name string) {
	if name == "prefixItems" || name == "items" {
		k.drop = append(k.drop, "items", "additionalItems")
	}
}

// named repairs a keyword whose value has schemas, or lists of names, by names.
func (k *keywords) named(m *jsontree.Member) bool {
	if m.Value.Kind == jsontree.Array && len(m.Value.Items) == 0 {
		m.Value = jsontree.NewObject()
	}
	if m.Value.Kind != jsontree.Object {
		k.lose(k.n, m.Name, "it is not an object")
		k.closed(m.Name)
		return false
	}
	m.Value.Keep(func(of *jsontree.Member) bool { return k.one(m.Name, of) })
	return true
}

// closed says that properties are left out, so that it is not known which are additional.
func (k *keywords) closed(name string) {
	if name == "properties" || name == "patternProperties" {
		k.drop = append(k.drop, "additionalProperties")
	}
}

// one repairs a member of a keyword whose value has schemas by names.
func (k *keywords) one(keyword string, m *jsontree.Member) bool {
	place := keyword + token(m.Name)
	if k.hidden(m.Name) {
		k.lose(k.n, place, "people would not see its name")
		k.closed(keyword)
		return false
	}
	if keyword == "patternProperties" {
		if reason := k.unusable(m.Name); reason != "" {
			k.lose(k.n, place, reason)
			k.closed(keyword)
			return false
		}
	}
	if keyword == "dependentRequired" || keyword == "dependencies" && m.Value.Kind == jsontree.Array {
		m.Value = k.strings(place, m.Value)
		return m.Value != nil && (k.draft != Draft4 || len(m.Value.Items) > 0)
	}
	value := k.asSchema(m.Value)
	if types, ok := k.types(m.Value); ok && value == nil && len(types) > 0 { // {"name": "string"}
		value = jsontree.NewObject(jsontree.Member{Name: "type", Value: jsontree.NewStrings(types)})
		if len(types) == 1 {
			value.Set("type", jsontree.NewString(types[0]))
		}
	}
	if value == nil {
		if !m.Value.Is("null") {
			k.lose(k.n, place, "it is not a schema")
		}
		value = jsontree.NewObject()
	}
	m.Value = value
	k.below(value, "/"+place)
	return true
}

// strings returns a list of different names, or nil if value is not one.
func (k *keywords) strings(place string, value *jsontree.Node) *jsontree.Node {
	if value.Kind != jsontree.Array {
		if !value.Is("true") && !value.Is("false") {
			k.lose(k.n, place, "it is not a list of names")
		}
		return nil
	}
	seen := map[string]bool{}
	value.Keep(func(m *jsontree.Member) bool {
		name, ok := m.Value.AsText()
		if !ok || k.hidden(name) {
			k.lose(k.n, place, "something in it is not a name")
			return false
		}
		again := seen[name]
		seen[name] = true
		return !again
	})
	return value
}

// number repairs a keyword whose value is a number.
func (k *keywords) number(m *jsontree.Member) bool {
	if text, ok := m.Value.AsText(); ok && jsontree.IsNumber(text) {
		m.Value = jsontree.NewNumber(text)
	}
	exclusive := strings.HasPrefix(m.Name, "exclusive") && k.draft == Draft4
	switch {
	case exclusive && (m.Value.Is("true") || m.Value.Is("false")):
		return true
	case exclusive, !m.Value.IsNumber(), !jsontree.IsReasonable([]byte(m.Value.Text)):
		k.lose(k.n, m.Name, "it is not a number")
		return false
	case m.Name == "multipleOf":
		if f, err := strconv.ParseFloat(m.Value.Text, 64); err != nil || f <= 0 {
			k.lose(k.n, m.Name, "it is not positive")
			return false
		}
	}
	return true
}

// count repairs a keyword whose value is a number of things.
func (k *keywords) count(m *jsontree.Member) bool {
	if text, ok := m.Value.AsText(); ok && jsontree.IsNumber(text) {
		m.Value = jsontree.NewNumber(text)
	}
	if m.Value.IsNumber() {
		digits, ok := jsontree.Integer(m.Value.Text)
		if ok && len(digits) < 16 && (digits[0] != '-' || digits == "-0") {
			return true
		}
	}
	k.lose(k.n, m.Name, "it is not a number of things")
	return false
}

// values repairs an enum. One without values would allow none.
func (k *keywords) values(m *jsontree.Member) bool {
	if m.Value.Kind != jsontree.Array || len(m.Value.Items) == 0 || k.unfit(m.Value) {
		k.lose(k.n, m.Name, "it is not a list of values, or has text that people would not see")
		return false
	}
	const most = 1000
	seen := map[string]*jsontree.Node{}
	m.Value.Keep(func(v *jsontree.Member) bool { // old drafts allow no value twice
		key := v.Value.Key(most)
		if before := seen[key]; before != nil {
			return !before.Equal(v.Value)
		}
		seen[key] = v.Value
		return true
	})
	return true
}

// pattern repairs a regular expression. Models can read it where it cannot be used.
func (k *keywords) pattern(m *jsontree.Member) bool {
	text, ok := m.Value.AsText()
	reason := "it is not text"
	if ok {
		if reason = k.unusable(text); reason == "" {
			return true
		}
	}
	k.lose(k.n, m.Name, reason)
	const readable = 300
	if ok && len(text) <= readable && !k.hidden(text) {
		k.describes = text
	}
	return false
}

// unusable says why a regular expression cannot be used, or "".
func (k *keywords) unusable(text string) string {
	if k.plain || len(text) > maxPattern {
		return "the regular expression is too large"
	}
	if k.hidden(text) {
		return "it has text that people would not see"
	}
	size, err := patternSize(text)
	if err != nil {
		return err.Error()
	}
	if k.patterns+size > maxPatterns {
		return "the regular expressions are too large together"
	}
	k.patterns += size
	return ""
}

// anchor is what the name of an anchor is in all drafts that have them.
var anchor = lazyregexp.New(`^[A-Za-z][-A-Za-z0-9._]*$`)

// refer repairs a keyword that refers to a schema or declares a target of that.
func (k *keywords) refer(m *jsontree.Member) bool {
	text, ok := m.Value.AsText()
	if slices.Contains(referenceWords[:3], m.Name) {
		if !ok || k.plain || k.hidden(text) {
			k.unfollowed = append(k.unfollowed, repairedRef{of: k.n, keyword: m.Name})
			return false
		}
		k.refs = append(k.refs, repairedRef{of: k.n, keyword: m.Name, text: text, foreign: k.foreign})
		return true
	}
	if !ok || k.plain || k.foreign || !anchor().MatchString(text) || k.anchors[text] {
		return false
	}
	k.anchors[text] = true
	return true
}
