package registry

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/toolrun/toolrun/internal/schema"
)

// A Schema is a compiled JSON Schema. It is immutable and safe for concurrent use.
type Schema struct{ compiled *schema.Schema }

// noArguments is the schema of tools without arguments.
var noArguments = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)

// CompileSchema compiles a schema. Its type must be object, because tools take and return objects. It may have 1
// MiB, 5000 subschemas and 200 levels. References to other documents are refused. Formats are annotations, whatever
// the draft.
func CompileSchema(raw json.RawMessage) (*Schema, error) {
	compiled, err := schema.Compile(raw)
	if err != nil {
		return nil, err
	}
	if compiled.Root.GetText("type") != "object" {
		return nil, errors.New(`the schema's "type" is not "object"`)
	}
	return &Schema{compiled}, nil
}

// JSON returns the schema as given, without white space. Do not change it.
func (s *Schema) JSON() json.RawMessage { return s.compiled.JSON() }

// Validate checks a value that package json decoded with UseNumber. The error has one line for each problem, for a
// model to read. Checking takes some seconds at most.
func (s *Schema) Validate(value any) error { return s.compiled.Validate(context.Background(), value) }
