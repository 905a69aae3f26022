package schema

import (
	"slices"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// A Choice is a value that const or enum allows.
type Choice struct {
	Value *jsontree.Node
	// Description describes this value alone, or is "".
	Description string
}

// Choices returns the values that const and enum allow in a schema and in all of its alternatives except null. others
// reports whether other values are allowed as well. fixed reports whether const allows exactly one value.
func (d *Document) Choices(schema *jsontree.Node) (named []Choice, others, fixed bool) {
	w := &walk{d, maxVisits}
	named, others = w.choices(schema)
	for _, part := range d.Described(schema) {
		if part.Get("const") != nil && len(d.alternatives(schema)) == 0 {
			fixed = len(named) == 1
		}
	}
	return named, others, fixed
}

func (w *walk) choices(schema *jsontree.Node) (named []Choice, others bool) {
	others = true
	for _, part := range w.parts(schema) {
		more, open := w.ownChoices(part)
		switch {
		case open && !others || len(more) == 0:
		case others && !open || len(named) == 0:
			named, others = more, open
		case !open:
			named = without(named, without(named, more))
		}
	}
	return named, others
}

// ownChoices returns the choices of a schema and its alternatives, ignoring references and allOf.
func (w *walk) ownChoices(part *jsontree.Node) (named []Choice, others bool) {
	if v := part.Get("const"); v != nil && w.Draft > Draft4 {
		return []Choice{{v, part.GetText("description")}}, false
	}
	if enum := part.Get("enum"); enum != nil && enum.Kind == jsontree.Array {
		w.spend(len(enum.Items) / maxVisits) // long lists cost time, too
		for _, v := range enum.Items {
			named = append(named, Choice{Value: v})
		}
		if len(named) == 1 {
			named[0].Description = part.GetText("description")
		}
		return named, false
	}
	alternatives := w.alternatives(part)
	if alternatives == nil {
		return nil, true
	}
	known := map[string]bool{}
	for _, alternative := range alternatives {
		if w.left < 0 {
			return named, true
		}
		more, open := w.choices(alternative)
		others = others || open
		if len(alternatives) > 1 {
			more = unknownOf(more, known)
			remember(more, known)
		}
		named = append(named, more...)
	}
	return named, others
}

// without returns the choices whose values are not among others.
func without(choices, others []Choice) []Choice {
	if len(choices) == 0 || len(others) == 0 {
		return choices
	}
	known := make(map[string]bool, len(others))
	remember(others, known)
	return unknownOf(choices, known)
}

// maxKey is the number of bytes by which values are compared.
const maxKey = 4 << 10

// remember adds the values of choices to known.
func remember(choices []Choice, known map[string]bool) {
	for _, c := range choices {
		known[c.Value.Key(maxKey)] = true
	}
}

// unknownOf returns the choices whose values are not in known.
func unknownOf(choices []Choice, known map[string]bool) []Choice {
	return slices.DeleteFunc(slices.Clone(choices), func(c Choice) bool { return known[c.Value.Key(maxKey)] })
}
