package provider

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/internal/plaintext"
)

// The lengths of what sentences quote.
const (
	longValue  = 400
	shortValue = 120
)

// sentences says what a keyword of a schema means, for a description. It is nothing for what means nothing to a model.
func (l *lowerer) sentences(n *node, m member) []string {
	name, v := m.name, m.value
	l.more(4)
	value := func() string { return v.brief(shortValue) }
	one := func(format string, args ...any) []string { return []string{fmt.Sprintf(format, args...)} }
	switch name {
	case "const":
		return one("Must be %s.", value())
	case "enum":
		return one("Must be one of %s.", v.list(longValue))
	case "default":
		return one("Default: %s.", value())
	case "examples":
		return one("Examples: %s.", v.list(longValue))
	case "format":
		return one("Format: %s.", v.plain(shortValue))
	case "pattern":
		return one("Must match the pattern %s.", v.plain(longValue))
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
		if v.is("true") {
			return one("No two items may be equal.")
		}
	case "prefixItems":
		return one("The first items must match %s, in this order.", l.quote(v))
	case "anyOf":
		return one("Must also match one of %s.", l.quote(v))
	case "additionalProperties":
		if v.kind == isObject && len(v.members) > 0 {
			return one("All other properties must match %s.", l.quote(v))
		}
	case "patternProperties":
		var texts []string
		for _, m := range v.members {
			texts = append(texts, fmt.Sprintf("A property whose name matches %s must match %s.", plaintext.Cut(m.name, longValue), l.quote(m.value)))
		}
		return texts
	case "propertyNames":
		return one("The names of properties must match %s.", l.quote(v))
	case "dependentRequired", "dependentSchemas", "dependencies":
		return l.dependencies(v)
	case "not":
		return one("Must not match %s.", l.quote(v))
	case "if":
		then, otherwise := n.get("then"), n.get("else")
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
		if least := n.get("minContains"); least != nil && l.draft >= draft2019 {
			text = "At least " + count(least, "item")
		}
		if most := n.get("maxContains"); most != nil && l.draft >= draft2019 {
			text += " and at most " + most.brief(shortValue)
		}
		return one("%s must match %s.", text, l.quote(v))
	case "unevaluatedProperties":
		if v.is("false") {
			return one("No other properties are allowed.")
		}
	case "unevaluatedItems":
		if v.is("false") {
			return one("No other items are allowed.")
		}
	case "contentEncoding":
		return one("Encoded as %s.", v.plain(shortValue))
	case "contentMediaType":
		return one("Content of the type %s.", v.plain(shortValue))
	case "deprecated":
		if v.is("true") {
			return one("Deprecated.")
		}
	}
	return nil
}

func (l *lowerer) dependencies(v *node) []string {
	var texts []string
	for _, m := range v.members {
		if m.value.kind == isArray {
			texts = append(texts, fmt.Sprintf("With %s there must be %s.", strconv.Quote(plaintext.Cut(m.name, shortValue)), m.value.list(longValue)))
		} else {
			texts = append(texts, fmt.Sprintf("With %s it must match %s.", strconv.Quote(plaintext.Cut(m.name, shortValue)), l.quote(m.value)))
		}
		if !l.more(4) {
			break
		}
	}
	return texts
}

// quote is a schema, or some schemas, in a sentence. It is as it was written: what of it the provider takes does not
// matter there.
func (l *lowerer) quote(v *node) string {
	l.more(longValue / 16)
	return v.brief(longValue)
}

// plain is a value without quotes.
func (n *node) plain(limit int) string {
	if text, ok := n.string(); ok {
		return valid(plaintext.Cut(text, limit))
	}
	return n.brief(limit)
}

// list is the values of an array, separated by commas.
func (n *node) list(limit int) string {
	if n.kind != isArray {
		return n.brief(limit)
	}
	var b strings.Builder
	for i, item := range n.items {
		if i > 0 {
			b.WriteString(", ")
		}
		if b.Len() > limit {
			b.WriteString("...")
			break
		}
		b.WriteString(item.brief(limit))
	}
	return b.String()
}

// count is a number of things.
func count(n *node, thing string) string {
	text := n.brief(shortValue)
	switch {
	case text == "1":
		return "1 " + thing
	case strings.HasSuffix(thing, "y"):
		return text + " " + strings.TrimSuffix(thing, "y") + "ies"
	}
	return text + " " + thing + "s"
}
