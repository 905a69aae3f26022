package xmlcall

import (
	"context"
	"encoding/json"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/tool"
)

// anExample returns a call that a tool accepts, of the first tool that has something to show, else of the first one
// for which a call can be thought of.
func anExample(definitions []*tool.Definition) (example Block, ok bool) {
	for _, d := range definitions {
		b := exampleOf(d)
		switch {
		case b == nil:
		case len(b.Params) > 0:
			return *b, true
		case !ok:
			example, ok = *b, true
		}
	}
	return example, ok
}

// How many bytes an example may have, and how many values are made for it.
const (
	maxExample = 2000
	maxSamples = 200
)

type exampleKey struct{}

// exampleOf returns a call that a tool accepts, or nil. It is made once.
func exampleOf(d *tool.Definition) *Block {
	made, _ := d.Derive(exampleKey{}, func() (any, error) {
		c := contractOf(d)
		for _, optional := range []int{2, 0} {
			if b := c.example(d.Name, optional); len(b.String()) <= maxExample && accepts(d, b) {
				return &b, nil
			}
		}
		return (*Block)(nil), nil
	})
	return made.(*Block)
}

// accepts reports whether a call as written fits the schema.
func accepts(d *tool.Definition, b Block) bool {
	calls := Calls([]*tool.Definition{d}, b.String())
	if len(calls) != 1 || calls[0].Err != nil || d.Input == nil {
		return false
	}
	input := calls[0].Input
	value, err := jsontree.DecodeLoose(input)
	if err != nil {
		return false
	}
	compiled, err := schema.Compile(d.Input)
	return err == nil && compiled.Validate(context.Background(), value) == nil
}

// example makes a call with all required params, and some optional ones as long as there are not more than that in all.
func (c *contract) example(tool string, optional int) Block {
	b := Block{Tool: tool}
	required := 0
	for _, f := range c.params {
		if f.Required {
			required++
		}
	}
	s := schema.NewSampler(c.Document, maxSamples)
	for _, f := range c.params {
		if !f.Required {
			if required >= optional {
				continue
			}
			required++
		}
		sample := s.Sample(f.Name, f.Schema, 0)
		elements := sample.Items
		switch {
		case sample.Kind != jsontree.Array:
			elements = []*jsontree.Node{sample}
		case len(elements) == 0:
			elements = []*jsontree.Node{jsontree.NewString("")} // stands for that
		}
		for _, e := range elements {
			text, isText := e.AsText()
			if !isText {
				raw, err := e.Encode(maxExample)
				if err != nil {
					raw = json.RawMessage("...") // it is too long for an example
				}
				text = string(raw)
			}
			b.Params = append(b.Params, Param{f.Name, text})
		}
	}
	return b
}
