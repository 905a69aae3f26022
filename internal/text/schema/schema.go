package schema

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

// A Schema is a compiled Document. It is immutable and safe for concurrent use.
type Schema struct {
	*Document
	raw  json.RawMessage
	plan *plan
	// compiled is for values that the plan does not accept. Its error is nil if Compile has called it.
	compiled func() (*jsonschema.Schema, error)
}

// Limits on a schema's size in bytes and its depth. A larger one would be useless to models.
const (
	maxSchema      = 1 << 20
	maxSchemaDepth = 200
)

// Compile compiles a schema. It refuses schemas that could take too much time or memory, to compile or to use.
func Compile(raw json.RawMessage) (*Schema, error) {
	if len(raw) > maxSchema {
		return nil, fmt.Errorf("the schema has %d bytes, more than %d", len(raw), maxSchema)
	}
	decoded, err := jsontree.Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("the schema cannot be read: %w", err)
	}
	if _, ok := decoded.(map[string]any); !ok {
		return nil, errors.New("the schema is not a JSON object")
	}
	if jsontree.Check(raw, jsontree.Limits{Depth: maxSchemaDepth}) != nil {
		return nil, fmt.Errorf("the schema is nested deeper than %d levels", maxSchemaDepth)
	}
	if levels(decoded, 0) > maxLevels {
		return nil, fmt.Errorf("the schema has %d values, which are nested too deep for so many", nodes(decoded))
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, raw); err != nil {
		return nil, err
	}
	document, err := Parse(compact.Bytes())
	if err != nil {
		return nil, err
	}
	if err := prepare(decoded, document.Draft); err != nil {
		return nil, err
	}
	compiled := sync.OnceValues(func() (*jsonschema.Schema, error) { return compile(decoded) })
	if !isSimple(document.Root) {
		if _, err := compiled(); err != nil {
			return nil, err
		}
	}
	return &Schema{document, compact.Bytes(), newPlan(document.Root), compiled}, nil
}

// noLoader keeps schemas from reading files.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("it refers to another document, %q", url)
}

// CompileObject is Compile for what tools take and return, which are objects: the schema's type must say so.
func CompileObject(raw json.RawMessage) (*Schema, error) {
	compiled, err := Compile(raw)
	if err == nil && compiled.Root.GetText("type") != "object" {
		return nil, errors.New(`the schema's "type" is not "object"`)
	}
	return compiled, err
}

// JSON returns the schema as given, without white space. Do not change it.
func (s *Schema) JSON() json.RawMessage { return s.raw }

// Accepts is a fast check. True means that the JSON is certainly valid, false that it needs to be validated.
func (s *Schema) Accepts(data []byte) bool { return json.Valid(data) && s.plan.accepts(data) }

// Resembles returns the property whose name differs from an unlisted name in case only, or "". Package json would
// confuse the two.
func (s *Schema) Resembles(name string) string {
	if _, ok := s.plan.properties[name]; ok {
		return ""
	}
	return s.plan.resembles(name)
}

// Unlisted returns the names of an object's members that the schema does not list, and those of the properties that it
// lists and the object does not have, both in order. There are none if the schema says more about other names.
func (s *Schema) Unlisted(object map[string]any) (unknown, missing []string) {
	for _, keyword := range s.Root.Members {
		switch keyword.Name {
		case "$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "if", "patternProperties",
			"dependentSchemas", "dependencies", "additionalProperties", "unevaluatedProperties":
			return nil, nil
		}
	}
	listed := s.Root.Object("properties")
	if listed == nil {
		return nil, nil
	}
	for name := range object {
		if listed.Get(name) == nil {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil, nil
	}
	for _, property := range listed.Members {
		if _, ok := object[property.Name]; !ok {
			missing = append(missing, property.Name)
		}
	}
	slices.Sort(unknown)
	slices.Sort(missing)
	return unknown, missing
}

// Validate checks a value that package json decoded with UseNumber. The error has one line for each problem, for a
// model to read. If a value fits none of several alternatives, the problems are those of the alternative that was
// probably meant. Checking takes a few seconds at most.
func (s *Schema) Validate(ctx context.Context, value any) error {
	compiled, err := s.compiled()
	if err != nil {
		return err
	}
	c := check{meter: newMeter(ctx, value), at: noAlternative}
	if err := c.run(compiled, value); err != nil || c.wrong == 0 {
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
