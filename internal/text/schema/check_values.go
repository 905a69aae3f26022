package schema

import (
	"encoding/json"
	"fmt"
	"hash/maphash"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

func (c *check) object(s *jsonschema.Schema, object map[string]any, rest *unevaluated) {
	if s.MinProperties != nil && len(object) < *s.MinProperties {
		c.fail(&kind.MinProperties{Got: len(object), Want: *s.MinProperties})
	}
	if s.MaxProperties != nil && len(object) > *s.MaxProperties {
		c.fail(&kind.MaxProperties{Got: len(object), Want: *s.MaxProperties})
	}
	if missing := c.missing(object, s.Required); missing != nil {
		c.fail(&kind.Required{Missing: missing})
	}
	for name, needed := range s.Dependencies {
		if !c.has(object, name) {
			continue
		}
		switch needed := needed.(type) {
		case []string:
			if missing := c.missing(object, needed); missing != nil {
				c.fail(&kind.Dependency{Prop: name, Missing: missing})
			}
		case *jsonschema.Schema:
			c.same(needed, object, "", rest)
		}
	}
	c.properties(s, object, rest)
	if s.PropertyNames != nil {
		c.names(s.PropertyNames, object)
	}
	for name, schema := range s.DependentSchemas {
		if c.has(object, name) {
			c.same(schema, object, "", rest)
		}
	}
	for name, needed := range s.DependentRequired {
		if !c.has(object, name) {
			continue
		}
		if missing := c.missing(object, needed); missing != nil {
			c.fail(&kind.DependentRequired{Prop: name, Missing: missing})
		}
	}
}

func (c *check) has(object map[string]any, name string) bool {
	c.spend(1 + len(name)/bytesPerStep)
	_, ok := object[name]
	return ok
}

// missing returns the names that are not in an object, at most maxNames, or nil.
func (c *check) missing(object map[string]any, names []string) (missing []string) {
	for _, name := range names {
		if !c.has(object, name) {
			if len(missing) < maxNames {
				missing = append(missing, name)
			}
		}
	}
	return missing
}

func (c *check) properties(s *jsonschema.Schema, object map[string]any, rest *unevaluated) {
	if len(s.Properties) == 0 && len(s.PatternProperties) == 0 && s.AdditionalProperties == nil {
		return
	}
	since := c.mark()
	var unknown []string
	n := 0
	for name, value := range object {
		if c.quiet > 0 && c.failed(since) {
			return
		}
		if n++; n%8 == 0 || len(name) > bytesPerStep {
			c.spend(1 + len(name)/bytesPerStep)
		}
		evaluated := false
		if schema, ok := s.Properties[name]; ok {
			evaluated = true
			c.inside(schema, value, name)
		}
		for pattern, schema := range s.PatternProperties {
			if c.matches(pattern, name) {
				evaluated = true
				c.inside(schema, value, name)
			}
		}
		if !evaluated && s.AdditionalProperties != nil {
			evaluated = true
			switch additional := s.AdditionalProperties.(type) {
			case bool:
				if !additional {
					unknown = c.note(unknown, name)
				}
			case *jsonschema.Schema:
				c.inside(additional, value, name)
			}
		}
		if evaluated {
			delete(rest.names, name)
		}
	}
	if len(unknown) > 0 {
		c.fail(&kind.AdditionalProperties{Properties: unknown})
	}
}

// maxNames limits the names in one problem, because no more of them can be shown.
const maxNames = 100

// note inserts a name into a sorted list of the first maxNames names: maps are iterated in random order. If the problem
// will not be reported anyway, one name is enough.
func (c *check) note(names []string, name string) []string {
	if len(names) > 0 && (c.quiet > 0 || len(c.problems) >= mostProblems) {
		return names
	}
	i, _ := slices.BinarySearch(names, name)
	if len(names) == maxNames {
		if i == maxNames {
			return names
		}
		names = names[:maxNames-1]
	}
	return slices.Insert(names, i, name)
}

// names checks the names of properties. Problems with a name have no path.
func (c *check) names(schema *jsonschema.Schema, object map[string]any) {
	path, base, at := c.path, c.base, c.at
	c.path, c.base, c.at = nil, len(c.looks), noAlternative
	for name := range object {
		c.look(schema, name, "", 0, false)
	}
	c.path, c.base, c.at = path, base, at
}

func (c *check) array(s *jsonschema.Schema, array []any, rest *unevaluated) {
	if s.MinItems != nil && len(array) < *s.MinItems {
		c.fail(&kind.MinItems{Got: len(array), Want: *s.MinItems})
	}
	if s.MaxItems != nil && len(array) > *s.MaxItems {
		c.fail(&kind.MaxItems{Got: len(array), Want: *s.MaxItems})
	}
	if s.UniqueItems && len(array) > 1 {
		if i, j := c.duplicates(array); j > 0 {
			c.fail(&kind.UniqueItems{Duplicates: [2]int{i, j}})
		}
	}
	first, others := s.PrefixItems, s.Items2020
	switch items := s.Items.(type) { // as in drafts before 2020-12
	case *jsonschema.Schema:
		others = items
	case []*jsonschema.Schema:
		first = items
		switch additional := s.AdditionalItems.(type) {
		case bool:
			if !additional && len(array) > len(first) {
				c.fail(&kind.AdditionalItems{Count: len(array) - len(first)})
			}
		case *jsonschema.Schema:
			others = additional
		}
	}
	for i, item := range array {
		if i < len(first) {
			c.inside(first[i], item, strconv.Itoa(i))
		} else if others == nil {
			break
		} else {
			c.inside(others, item, strconv.Itoa(i))
		}
	}
	if s.Contains != nil {
		c.contains(s, array, rest)
	}
}

func (c *check) contains(s *jsonschema.Schema, array []any, rest *unevaluated) {
	since := c.mark()
	var matched []int
	for i, item := range array {
		if !c.inside(s.Contains, item, strconv.Itoa(i)) {
			continue
		}
		matched = append(matched, i)
		if s.DraftVersion >= 2020 {
			delete(rest.items, i)
		}
	}
	switch few := s.MinContains != nil && len(matched) < *s.MinContains; {
	case (few || s.MinContains == nil && len(matched) == 0) && c.failed(since): // the problems of the items say why
	case few:
		c.fail(&kind.MinContains{Got: matched, Want: *s.MinContains})
	case s.MinContains == nil && len(matched) == 0:
		c.fail(&kind.Contains{})
	default:
		c.forget(since)
	}
	if s.MaxContains != nil && len(matched) > *s.MaxContains {
		c.fail(&kind.MaxContains{Got: matched, Want: *s.MaxContains})
	}
}

// bytesPerStep is how many bytes of text are processed in the time of a step.
const bytesPerStep = 4000

func (c *check) text(s *jsonschema.Schema, text string) {
	if s.MinLength != nil || s.MaxLength != nil {
		c.spend(len(text) / bytesPerStep)
		length := utf8.RuneCountInString(text)
		if s.MinLength != nil && length < *s.MinLength {
			c.fail(&kind.MinLength{Got: length, Want: *s.MinLength})
		}
		if s.MaxLength != nil && length > *s.MaxLength {
			c.fail(&kind.MaxLength{Got: length, Want: *s.MaxLength})
		}
	}
	if s.Pattern != nil && !c.matches(s.Pattern, text) {
		c.fail(&kind.Pattern{Got: text, Want: s.Pattern.String()})
	}
}

// costOfMatching is how many units of matching (bytes of text times size of the pattern) count as one step.
const costOfMatching = 1000

func (c *check) matches(expression jsonschema.Regexp, text string) bool {
	size := maxPattern
	if p, ok := expression.(*pattern); ok {
		size = p.size
	}
	c.spend(1 + len(text)*size/costOfMatching)
	return expression.MatchString(text)
}

func (c *check) number(s *jsonschema.Schema, v any) {
	if s.Minimum == nil && s.Maximum == nil && s.ExclusiveMinimum == nil && s.ExclusiveMaximum == nil &&
		s.MultipleOf == nil {
		return
	}
	n := c.rational(v)
	if s.Minimum != nil && n.Cmp(s.Minimum) < 0 {
		c.fail(&kind.Minimum{Got: n, Want: s.Minimum})
	}
	if s.Maximum != nil && n.Cmp(s.Maximum) > 0 {
		c.fail(&kind.Maximum{Got: n, Want: s.Maximum})
	}
	if s.ExclusiveMinimum != nil && n.Cmp(s.ExclusiveMinimum) <= 0 {
		c.fail(&kind.ExclusiveMinimum{Got: n, Want: s.ExclusiveMinimum})
	}
	if s.ExclusiveMaximum != nil && n.Cmp(s.ExclusiveMaximum) >= 0 {
		c.fail(&kind.ExclusiveMaximum{Got: n, Want: s.ExclusiveMaximum})
	}
	if s.MultipleOf != nil {
		if quotient := new(big.Rat).Quo(n, s.MultipleOf); !quotient.IsInt() {
			c.fail(&kind.MultipleOf{Got: n, Want: s.MultipleOf})
		}
	}
}

// longNumber is the cost in steps of computing with a number that has many digits or an exponent.
const longNumber = 20

// rational returns the exact value of a number.
func (c *check) rational(v any) *big.Rat {
	text := fmt.Sprint(v)
	if n, ok := v.(json.Number); ok {
		text = string(n)
	}
	if !jsontree.IsReasonable([]byte(text)) {
		panic(stop{errTooComplex})
	}
	if len(text) > 20 || strings.ContainsAny(text, "eE") {
		c.spend(longNumber)
	}
	n, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(stop{fmt.Errorf("%q is not a number", shown(text))})
	}
	return n
}

// jsonType returns JSON Schema's name for the type of a value, or "" if the value is not JSON.
func jsonType(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case json.Number, float64:
		return "number"
	}
	return ""
}

// typeBits maps the name of each type to its bit in package jsonschema's sets.
var typeBits = func() map[string]jsonschema.Types {
	bits := map[string]jsonschema.Types{}
	for _, name := range []string{"null", "boolean", "number", "integer", "string", "array", "object"} {
		var t jsonschema.Types
		t.Add(name)
		bits[name] = t
	}
	return bits
}()

// isOf reports whether a value whose jsonType is name has one of the types.
func (c *check) isOf(types jsonschema.Types, name string, v any) bool {
	if types&typeBits[name] != 0 {
		return true
	}
	if name != "number" || types&typeBits["integer"] == 0 {
		return false
	}
	n, ok := v.(json.Number)
	return ok && !strings.ContainsAny(string(n), ".eE") || c.rational(v).IsInt()
}

// among reports whether v equals one of the values.
func (c *check) among(v any, values []any) bool {
	return slices.ContainsFunc(values, func(value any) bool { return c.equal(v, value) })
}

// equal reports whether two values are equal. Numbers are compared exactly.
func (c *check) equal(v, w any) bool {
	c.spend(1)
	switch v := v.(type) {
	case map[string]any:
		w, ok := w.(map[string]any)
		if !ok || len(v) != len(w) {
			return false
		}
		for name, inside := range v {
			c.spend(len(name) / bytesPerStep)
			if other, ok := w[name]; !ok || !c.equal(inside, other) {
				return false
			}
		}
		return true
	case []any:
		w, ok := w.([]any)
		if !ok || len(v) != len(w) {
			return false
		}
		for i := range v {
			if !c.equal(v[i], w[i]) {
				return false
			}
		}
		return true
	case string:
		w, ok := w.(string)
		if !ok || len(v) != len(w) {
			return false
		}
		c.spend(len(v) / bytesPerStep)
		return v == w
	case nil, bool:
		return v == w
	}
	if jsonType(w) != "number" {
		return false
	}
	return v == w || c.rational(v).Cmp(c.rational(w)) == 0
}

// duplicates returns the indices of the first two equal items, or zeros.
func (c *check) duplicates(array []any) (first, second int) {
	seed, seen := maphash.MakeSeed(), map[uint64][]int{}
	for i, item := range array {
		var h maphash.Hash
		h.SetSeed(seed)
		c.hash(item, &h)
		sum := h.Sum64()
		for _, j := range seen[sum] {
			if c.equal(item, array[j]) {
				return j, i
			}
		}
		seen[sum] = append(seen[sum], i)
	}
	return 0, 0
}

// hash writes a value to h: the same bytes for equal values, different ones for others.
func (c *check) hash(v any, h *maphash.Hash) {
	c.spend(1)
	h.WriteString(jsonType(v))
	switch v := v.(type) {
	case map[string]any:
		maphash.WriteComparable(h, len(v))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			c.spend(len(name) / bytesPerStep)
			maphash.WriteComparable(h, name)
			c.hash(v[name], h)
		}
	case []any:
		maphash.WriteComparable(h, len(v))
		for _, inside := range v {
			c.hash(inside, h)
		}
	case nil:
	case bool:
		maphash.WriteComparable(h, v)
	case string:
		c.spend(len(v) / bytesPerStep)
		maphash.WriteComparable(h, v)
	default:
		maphash.WriteComparable(h, c.rational(v).RatString())
	}
}
