package provider

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/internal/jsontree"
	"github.com/toolrun/toolrun/internal/plaintext"
	"github.com/toolrun/toolrun/internal/schema"
)

// Limits on quotations in sentences, in bytes.
const (
	longValue  = 400
	shortValue = 120
)

// sentences describes a keyword of a schema in sentences. It returns nil for keywords that mean nothing to a model.
func (l *lowerer) sentences(n *node, m member) []string {
	name, v := m.Name, m.Value
	l.more(4)
	value := func() string { return v.Brief(shortValue) }
	one := func(format string, args ...any) []string { return []string{fmt.Sprintf(format, args...)} }
	switch name {
	case "const":
		return one("Must be %s.", value())
	case "enum":
		return one("Must be one of %s.", list(v, longValue))
	case "default":
		return one("Default: %s.", value())
	case "examples":
		return one("Examples: %s.", list(v, longValue))
	case "format":
		return one("Format: %s.", plain(v, shortValue))
	case "pattern":
		return one("Must match the pattern %s.", plain(v, longValue))
	case "minimum":
		return one("Must be at least %s.", value())
	case "maximum":
		return one("Must be at most %s.", value())
	case "exclusiveMinimum":
		return one("Must be greater than %s.", value())
	case "exclusiveMaximum":
		return one("Must be less than %s.", value())
	case "multipleOf":
		return one("Must be a multiple of %s.", value())
	case "minLength":
		return one("Must have at least %s.", count(v, "character"))
	case "maxLength":
		return one("Must have at most %s.", count(v, "character"))
	case "minItems":
		return one("Must have at least %s.", count(v, "item"))
	case "maxItems":
		return one("Must have at most %s.", count(v, "item"))
	case "minProperties":
		return one("Must have at least %s.", count(v, "property"))
	case "maxProperties":
		return one("Must have at most %s.", count(v, "property"))
	case "uniqueItems":
		if v.Is("true") {
			return one("No two items may be equal.")
		}
	case "prefixItems":
		return one("The first items must match %s, in this order.", l.quote(v))
	case "anyOf":
		return one("Must also match one of %s.", l.quote(v))
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
	case "propertyNames":
		return one("The names of properties must match %s.", l.quote(v))
	case "dependentRequired", "dependentSchemas", "dependencies":
		return l.dependencies(v)
	case "not":
		return one("Must not match %s.", l.quote(v))
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
	case "unevaluatedProperties":
		if v.Is("false") {
			return one("No other properties are allowed.")
		}
	case "unevaluatedItems":
		if v.Is("false") {
			return one("No other items are allowed.")
		}
	case "contentEncoding":
		return one("Encoded as %s.", plain(v, shortValue))
	case "contentMediaType":
		return one("Content of the type %s.", plain(v, shortValue))
	case "deprecated":
		if v.Is("true") {
			return one("Deprecated.")
		}
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
