package schema

import (
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/toolrun/toolrun/internal/plaintext"
)

// Where a value fits none of several alternatives, what is wrong with all of them at once helps nobody. What is told
// is what is wrong with the alternative that was meant: the one for which the value is of the right type, one of the
// values that are named, and has the values of properties that tell it from others; among those that are left, the one
// with the fewest problems.

// Signs say of an alternative that it was not meant. What comes later is the stronger sign.
type signs uint8

const (
	otherDetail signs = 1 << iota // a property has another value than the one that is named
	otherValue                    // the value is none of those that are named
	otherType                     // the value is of another type
)

// rank is how unlikely it is that an alternative with these signs was meant.
func (s signs) rank() signs {
	for _, sign := range []signs{otherType, otherValue, otherDetail} {
		if s&sign != 0 {
			return sign
		}
	}
	return 0
}

// noAlternative is where no value is.
const noAlternative = -2

// signOf returns what a problem is a sign of, for an alternative of a value with a path of some length.
func signOf(p problem, at int) signs {
	switch p.kind.(type) {
	case *kind.Type, *kind.FalseSchema:
		if len(p.path) == at {
			return otherType
		}
	case *kind.Const, *kind.Enum:
		switch len(p.path) {
		case at:
			return otherValue
		case at + 1:
			return otherDetail
		}
	}
	return 0
}

// An attempt is what has come of looking at a value with one of several alternatives.
type attempt struct {
	signs
	problems []problem
	wrong    int
}

// A choice is what is wrong with the alternatives that may have been meant.
type choice struct {
	attempt
	// schema is the only one, if chosen is 1.
	schema *jsonschema.Schema
	chosen int
	// alike is how many alternatives there are for values of this type.
	alike int
}

// try looks at a value with an alternative, and reports whether it fits.
func (c *check) try(schema *jsonschema.Schema, v any, rest *unevaluated, among *choice) bool {
	at, outside := c.at, c.attempt
	c.at, c.attempt = len(c.path), attempt{}
	valid := c.same(schema, v, "", rest)
	tried := c.attempt
	c.at, c.attempt = at, outside
	if !valid {
		among.add(schema, tried)
	}
	return valid
}

func (m *choice) add(schema *jsonschema.Schema, tried attempt) {
	if tried.rank() != otherType {
		m.alike++
	}
	switch {
	case m.chosen == 0, tried.rank() < m.rank(), tried.rank() == 0 && m.rank() == 0 && tried.wrong < m.wrong/m.chosen:
		m.attempt, m.schema, m.chosen = tried, schema, 1
	case tried.rank() == m.rank() && (m.rank() > 0 || tried.wrong == m.wrong/m.chosen):
		m.chosen++
		m.wrong += tried.wrong
		m.problems = append(m.problems, tried.problems[:min(len(tried.problems), mostProblems-len(m.problems))]...)
		m.signs |= tried.signs
	}
}

// tell takes over the problems of the alternatives that may have been meant for a value.
func (c *check) tell(v any, m choice) {
	at := len(c.path)
	if m.chosen > 1 && m.rank() == otherDetail { // the other problems are of alternatives that were not meant
		told := slices.DeleteFunc(slices.Clone(m.problems), func(p problem) bool { return signOf(p, at) != otherDetail })
		if len(told) > 0 {
			m.problems, m.wrong = told, len(told)
		}
	}
	if m.chosen == 1 && m.alike > 1 {
		name := c.nameOf(m.schema, v)
		for i := range m.problems {
			if m.problems[i].of == "" {
				m.problems[i].of = name
			}
		}
	}
	c.wrong += m.wrong
	c.problems = append(c.problems, m.problems[:min(len(m.problems), mostProblems-len(c.problems))]...)
	switch c.at {
	case at:
		c.signs |= m.signs
	case at - 1:
		if m.signs&otherValue != 0 {
			c.signs |= otherDetail
		}
	}
}

// nameOf says how a model knows an alternative for a value: by the property that tells it from others, or by its title.
func (c *check) nameOf(schema *jsonschema.Schema, v any) string {
	const maxName = 100
	title := ""
	object, _ := v.(map[string]any)
	for range maxNested {
		if schema == nil {
			break
		}
		c.spend(1 + len(schema.Properties)/16)
		if object != nil {
			for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
				value, there := object[name].(string)
				if is := schema.Properties[name].Const; there && is != nil && *is == value {
					return " (with " + plaintext.Cut(name, maxName) + " '" + plaintext.Cut(value, maxName) + "')"
				}
			}
		}
		if title == "" && schema.Title != "" {
			title = " (as " + plaintext.Cut(schema.Title, maxName) + ")"
		}
		schema = schema.Ref
	}
	return title
}
