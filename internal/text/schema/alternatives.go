package schema

import (
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// If a value fits none of several alternatives, listing the problems of all of them helps nobody. The check reports
// only the problems of the alternative that the caller probably meant: one whose type fits, whose const or enum holds
// the value, and whose distinguishing properties match. Among equal candidates, the one with the fewest problems wins.

// signs are reasons to believe that an alternative was not the one the caller meant, the weakest first.
type signs uint8

const (
	otherDetail signs = 1 << iota // a property differs from the const or enum for it
	otherValue                    // the value differs from the const or enum
	otherType                     // the value has another type
)

// rank returns the strongest of the signs, or 0.
func (s signs) rank() signs {
	for _, sign := range []signs{otherType, otherValue, otherDetail} {
		if s&sign != 0 {
			return sign
		}
	}
	return 0
}

// noAlternative is the value of check.at outside of alternatives. Neither -2 nor -1 is the length of a path.
const noAlternative = -2

// signOf returns the sign that a problem is, for an alternative of the value whose path has length at.
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

// An attempt is the result of checking a value against one alternative.
type attempt struct {
	signs
	problems []problem
	wrong    int
}

// A choice collects the problems of the alternatives that were most likely meant.
type choice struct {
	attempt
	// schema is the alternative if chosen is 1.
	schema *jsonschema.Schema
	chosen int
	// alike counts the alternatives that allow the value's type.
	alike int
}

// try checks a value against an alternative, and reports whether it fits.
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

// tell reports the problems of the alternatives in m, which are those most likely meant for v.
func (c *check) tell(v any, m choice) {
	at := len(c.path)
	if m.chosen > 1 && m.rank() == otherDetail { // drop problems that do not tell these alternatives apart
		told := slices.DeleteFunc(slices.Clone(m.problems), func(p problem) bool {
			return signOf(p, at) != otherDetail
		})
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

// nameOf describes an alternative to a model: by the property that distinguishes it, or by its title.
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
