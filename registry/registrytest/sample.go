package registrytest

import (
	"context"
	"encoding/json"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/schema"
)

// schema returns the schema of the input, compiled and as a document. Both are nil if there is none.
func (s *subject) schema() (*schema.Schema, *schema.Document) {
	d, err := s.definition(nil, plainAPI)
	if err != nil {
		return nil, nil
	}
	document, err := schema.Parse(d.Input)
	if err != nil {
		return nil, nil
	}
	compiled, err := schema.CompileObject(d.Input)
	if err != nil {
		return nil, nil
	}
	return compiled, document
}

// samples returns Options.Inputs, which are known to succeed. Without them it returns an input that fits the schema, if
// it can make one.
func (s *subject) samples() (inputs []json.RawMessage, known bool) {
	for _, input := range s.options.Inputs {
		inputs = append(inputs, json.RawMessage(input))
	}
	if len(inputs) > 0 {
		return inputs, true
	}
	compiled, document := s.schema()
	if compiled == nil {
		return nil, false
	}
	input, err := sample(document, document.Root)
	if err != nil {
		return nil, false
	}
	if value, err := jsontree.Decode(input); err != nil || compiled.Validate(context.Background(), value) != nil {
		return nil, false
	}
	return []json.RawMessage{input}, false
}

// Limits on the number of values and bytes in a sample.
const (
	maxMade   = 10_000
	maxSample = 4 << 20
)

// sample makes JSON that probably fits a schema.
func sample(d *schema.Document, of *jsontree.Node) (json.RawMessage, error) {
	return schema.NewSampler(d, maxMade).Sample("", of, 0).Encode(maxSample)
}
