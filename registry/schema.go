package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolrun/toolrun/internal/jsontree"
)

// A Schema is a JSON Schema that is ready for use. It cannot be changed, and is safe for concurrent use.
type Schema struct {
	raw      json.RawMessage
	doc      any
	plan     *plan
	compiled *jsonschema.Schema
}

// noArguments is the schema of tools without one: an object with nothing in it.
var noArguments = json.RawMessage(`{"type":"object","properties":{},"additionalProperties":false}`)

// How many bytes a schema may have, and how deep it may be. Models could not do anything with a larger one.
const (
	maxSchema      = 1 << 20
	maxSchemaDepth = 200
)

// CompileSchema makes a schema of JSON. It must be of type object, as what tools get and return is. References to other
// documents are not followed. Formats are annotations, whatever the draft.
func CompileSchema(raw json.RawMessage) (*Schema, error) {
	if len(raw) > maxSchema {
		return nil, fmt.Errorf("the schema has %d bytes, more than %d", len(raw), maxSchema)
	}
	doc, err := jsontree.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("the schema cannot be read: %w", err)
	}
	root, ok := doc.(map[string]any)
	if !ok {
		return nil, errors.New("the schema is not a JSON object")
	}
	if t := root["type"]; t != "object" {
		return nil, errors.New(`the schema's "type" is not "object"`)
	}
	if deeper(doc, maxSchemaDepth) {
		return nil, fmt.Errorf("the schema is nested deeper than %d levels", maxSchemaDepth)
	}
	compiled, err := compile(doc)
	if err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, err
	}
	return &Schema{raw: compact.Bytes(), doc: doc, plan: newPlan(doc), compiled: compiled}, nil
}

// deeper reports whether a value is nested deeper than a number of levels.
func deeper(value any, levels int) bool {
	if levels < 0 {
		return true
	}
	switch value := value.(type) {
	case map[string]any:
		for _, inside := range value {
			if deeper(inside, levels-1) {
				return true
			}
		}
	case []any:
		for _, inside := range value {
			if deeper(inside, levels-1) {
				return true
			}
		}
	}
	return false
}

// noLoader keeps schemas from reading files.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to another document, %q", url)
}

// JSON returns the schema, without white space, as it was given. It must not be changed.
func (s *Schema) JSON() json.RawMessage { return s.raw }

// accepts reports whether JSON is valid, as it is, for certain.
func (s *Schema) accepts(data []byte) bool { return json.Valid(data) && s.plan.accepts(data) }

// Validate checks a value as package json decodes it with UseNumber. The error has one line for each thing that is wrong,
// for a model to read. Checking takes some seconds at most.
func (s *Schema) Validate(value any) error { return s.validate(context.Background(), value) }

func (s *Schema) validate(ctx context.Context, value any) error {
	c := check{meter: newMeter(ctx, value)}
	if err := c.run(s.compiled, value); err != nil || c.wrong == 0 {
		return err
	}
	problems := make([]string, len(c.problems))
	for i, p := range c.problems {
		if err := ctx.Err(); err != nil {
			return err
		}
		problems[i] = p.String()
	}
	slices.Sort(problems)
	problems = slices.Compact(problems)
	if more := c.wrong - mostProblems; more > 0 {
		problems = append(problems[:min(len(problems), mostProblems)], fmt.Sprintf("and %d more", more))
	}
	return errors.New(strings.Join(problems, "\n"))
}
