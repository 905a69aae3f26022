package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/toolrun/toolrun/internal/jsontree"
)

// Func makes a tool from a function. The input's schema is inferred from In, a struct whose fields are the
// arguments: json tags give their names, omitempty or omitzero makes them optional, and a tag jsonschema:"..." is
// the description. If spec.Schema is set, it is used instead, and In must fit it.
//
// The result depends on what the function returns:
//
//   - a string is the text for the model
//   - a [Result] or a []Part is used unchanged
//   - a value that implements [Renderer] renders itself
//   - any other value is encoded as JSON and is Result.Data too; if it is a struct, its schema becomes
//     spec.OutputSchema
//
// An error made by [Errorf] is the text for the model; any other error is a failure of the tool.
//
// [New] fails if a type has no schema, or if the function is nil.
func Func[In, Out any](spec Spec, do func(ctx context.Context, in In, env Env) (Out, error)) Tool {
	t := &funcTool[In, Out]{spec: spec, do: do}
	if do == nil {
		t.err = errNoFunction
		return t
	}
	if spec.Schema == nil && spec.SchemaFor == nil {
		t.spec.Schema, t.err = infer[In](forInput)
	}
	if spec.OutputSchema == nil && isPlainStruct[Out]() {
		var err error
		t.spec.OutputSchema, err = infer[Out](forOutput)
		t.err = errors.Join(t.err, err)
	}
	return t
}

// Renderer is an optional interface of function outputs that should not be plain JSON.
type Renderer interface {
	// Result returns the result.
	Result() Result
}

type funcTool[In, Out any] struct {
	spec Spec
	do   func(ctx context.Context, in In, env Env) (Out, error)
	err  error // of the function and its types
}

func (t *funcTool[In, Out]) Spec() Spec    { return t.spec }
func (t *funcTool[In, Out]) madeOf() error { return t.err }

func (t *funcTool[In, Out]) Execute(ctx context.Context, call Call, env Env) (Result, error) {
	var in In
	decoder := json.NewDecoder(bytes.NewReader(call.Input))
	decoder.UseNumber()
	if err := decoder.Decode(&in); err != nil {
		return Result{}, &ModelError{Text: fmt.Sprintf("Failed to parse parameters: %v", err), Code: CodeInvalidInput,
			Err: err}
	}
	out, err := t.do(ctx, in, env)
	if err != nil {
		return Result{}, err
	}
	return resultFrom(out)
}

func resultFrom(out any) (Result, error) {
	switch out := out.(type) {
	case nil:
		return Result{}, nil
	case string:
		return Text(out), nil
	case Result:
		return out, nil
	case []Part:
		return Result{Content: out}, nil
	case Renderer:
		if v := reflect.ValueOf(out); v.Kind() == reflect.Pointer && v.IsNil() {
			return Result{}, nil
		}
		return out.Result(), nil
	}
	data, err := jsontree.Marshal(out)
	if err != nil {
		return Result{}, fmt.Errorf("the result is not JSON: %w", err)
	}
	return Result{Content: []Part{{Text: string(data)}}, Data: json.RawMessage(data)}, nil
}

// isPlainStruct reports whether values of a type are encoded as JSON objects.
func isPlainStruct[T any]() bool {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[Result]() {
		return false
	}
	for _, other := range []reflect.Type{reflect.TypeFor[Renderer](), reflect.TypeFor[json.Marshaler]()} {
		if t.Implements(other) || reflect.PointerTo(t).Implements(other) {
			return false
		}
	}
	return true
}

// infer returns the schema of a type, and calls tidy for each schema in it.
func infer[T any](tidy func(*jsonschema.Schema)) (json.RawMessage, error) {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		return nil, fmt.Errorf("inferring the schema of %v: %w", reflect.TypeFor[T](), err)
	}
	each(schema, tidy)
	return json.Marshal(schema)
}

// each calls do for a schema and all schemas in it.
func each(s *jsonschema.Schema, do func(*jsonschema.Schema)) {
	if s == nil {
		return
	}
	do(s)
	for _, inside := range s.Properties {
		each(inside, do)
	}
	each(s.Items, do)
	each(s.AdditionalProperties, do)
}

// forInput removes null from the types of slices, and from those of optional pointers: a model leaves the argument out
// instead.
func forInput(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" && s.Types[1] == "array" {
		s.Type, s.Types = "array", nil
	}
	for name, inside := range s.Properties {
		if len(inside.Types) == 2 && inside.Types[0] == "null" && !slices.Contains(s.Required, name) {
			inside.Type, inside.Types = inside.Types[1], nil
		}
	}
}

// forOutput allows null for maps, because a nil map is encoded as null.
func forOutput(s *jsonschema.Schema) {
	nullable := func(inside *jsonschema.Schema) {
		if inside != nil && inside.Type == "object" && inside.Properties == nil && inside.AdditionalProperties != nil {
			inside.Type, inside.Types = "", []string{"null", "object"}
		}
	}
	for _, inside := range s.Properties {
		nullable(inside)
	}
	nullable(s.Items)
	nullable(s.AdditionalProperties)
}
