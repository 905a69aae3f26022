package provider

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/internal/text/schema"
)

// Limits on quotations in sentences, in bytes.
const (
	longValue  = 400
	shortValue = 120
)

// valueSentences describe keywords by their values.
var valueSentences = map[string]struct {
	format string
	value  func(l *lowerer, v *node) string
}{
	"const": {"Must be %s.", brief}, "default": {"Default: %s.", brief},
	"enum": {"Must be one of %s.", listed}, "examples": {"Examples: %s.", listed},
	"format": {"Format: %s.", short}, "pattern": {"Must match the pattern %s.", long},
	"minimum": {"Must be at least %s.", brief}, "exclusiveMinimum": {"Must be greater than %s.", brief},
	"maximum": {"Must be at most %s.", brief}, "exclusiveMaximum": {"Must be less than %s.", brief},
	"multipleOf":    {"Must be a multiple of %s.", brief},
	"minLength":     {"Must have at least %s.", some("character")},
	"maxLength":     {"Must have at most %s.", some("character")},
	"minItems":      {"Must have at least %s.", some("item")},
	"maxItems":      {"Must have at most %s.", some("item")},
	"minProperties": {"Must have at least %s.", some("property")},
	"maxProperties": {"Must have at most %s.", some("property")},
	"prefixItems":   {"The first items must match %s, in this order.", (*lowerer).quote},
	"anyOf":         {"Must also match one of %s.", (*lowerer).quote},
	"propertyNames": {"The names of properties must match %s.", (*lowerer).quote},
	"not":           {"Must not match %s.", (*lowerer).quote},

	"contentEncoding": {"Encoded as %s.", short}, "contentMediaType": {"Content of the type %s.", short},
}

func brief(_ *lowerer, v *node) string  { return v.Brief(shortValue) }
func short(_ *lowerer, v *node) string  { return plain(v, shortValue) }
func long(_ *lowerer, v *node) string   { return plain(v, longValue) }
func listed(_ *lowerer, v *node) string { return list(v, longValue) }

func some(thing string) func(*lowerer, *node) string {
	return func(_ *lowerer, v *node) string { return count(v, thing) }
}

// flagSentences describe keywords that mean something with one value only.
var flagSentences = map[string]struct{ flag, text string }{
	"uniqueItems":           {"true", "No two items may be equal."},
	"unevaluatedProperties": {"false", "No other properties are allowed."},
	"unevaluatedItems":      {"false", "No other items are allowed."},
	"deprecated":            {"true", "Deprecated."},
}

// sentences describes a keyword of a schema in sentences. It returns nil for keywords that mean nothing to a model.
func (l *lowerer) sentences(n *node, m member) []string {
	name, v := m.Name, m.Value
	l.more(4)
	one := func(format string, args ...any) []string { return []string{fmt.Sprintf(format, args...)} }
	if about, ok := valueSentences[name]; ok {
		return one(about.format, about.value(l, v))
	}
	if about, ok := flagSentences[name]; ok && v.Is(about.flag) {
		return []string{about.text}
	}
	switch name {
	case "additionalProperties":
		if v.Kind == jsontree.Object && len(v.Members) > 0 {
			return one("All other properties must match %s.", l.quote(v))
		}
	case "patternProperties":
		var texts []string
		for _, m := range v.Members {
			texts = append(texts, fmt.Sprintf("A property whose name matches %s must match %s.",
				plaintext.Cut(m.Name, longValue), l.quote(m.Value)))
		}
		return texts
	case "dependentRequired", "dependentSchemas", "dependencies":
		return l.dependencies(v)
	case "if":
		then, otherwise := n.Get("then"), n.Get("else")
		text := "If it matches " + l.quote(v) + ", it must match "
		switch {
		case then != nil && otherwise != nil:
			return one("%s%s, and otherwise %s.", text, l.quote(then), l.quote(otherwise))
		case then != nil:
			return one("%s%s.", text, l.quote(then))
		case otherwise != nil:
			return one("Unless it matches %s, it must match %s.", l.quote(v), l.quote(otherwise))
		}
	case "contains":
		text := "At least one item"
		if least := n.Get("minContains"); least != nil && l.Draft >= schema.Draft2019 {
			text = "At least " + count(least, "item")
		}
		if most := n.Get("maxContains"); most != nil && l.Draft >= schema.Draft2019 {
			text += " and at most " + most.Brief(shortValue)
		}
		return one("%s must match %s.", text, l.quote(v))
	}
	return nil
}

func (l *lowerer) dependencies(v *node) []string {
	var texts []string
	for _, m := range v.Members {
		if m.Value.Kind == jsontree.Array {
			texts = append(texts, fmt.Sprintf("With %s there must be %s.",
				strconv.Quote(plaintext.Cut(m.Name, shortValue)), list(m.Value, longValue)))
		} else {
			texts = append(texts, fmt.Sprintf("With %s it must match %s.",
				strconv.Quote(plaintext.Cut(m.Name, shortValue)), l.quote(m.Value)))
		}
		if !l.more(4) {
			break
		}
	}
	return texts
}

// quote returns a schema, or a list of schemas, for a sentence. It stays as written, because a sentence need not follow
// the provider's rules.
func (l *lowerer) quote(v *node) string {
	l.more(longValue / 16)
	return v.Brief(longValue)
}

// plain returns a value without quotation marks.
func plain(n *node, limit int) string {
	if text, ok := n.AsText(); ok {
		return plaintext.Clean(text, limit)
	}
	return n.Brief(limit)
}

// list returns the values of an array, separated by commas.
func list(n *node, limit int) string {
	if n.Kind != jsontree.Array {
		return n.Brief(limit)
	}
	var b strings.Builder
	for i, item := range n.Items {
		if i > 0 {
			b.WriteString(", ")
		}
		if b.Len() > limit {
			b.WriteString("...")
			break
		}
		b.WriteString(item.Brief(limit))
	}
	return b.String()
}

// count returns a number with a noun, in the plural if needed.
func count(n *node, thing string) string {
	text := n.Brief(shortValue)
	switch {
	case text == "1":
		return "1 " + thing
	case strings.HasSuffix(thing, "y"):
		return text + " " + strings.TrimSuffix(thing, "y") + "ies"
	}
	return text + " " + thing + "s"
}
