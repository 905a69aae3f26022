package tool

import (
	"bytes"
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/plaintext"
)

// Func makes a tool from a function. The input's schema is inferred from In, a struct whose fields are the
// arguments. If spec.Schema is set, it is used instead, and In must fit it. Struct tags say more of a field:
//
//	json:"city,omitempty"        its name; omitempty or omitzero makes it optional
//	jsonschema:"the city"        its description
//	enum:"celsius,fahrenheit"    the values that it can have, separated by commas
//	default:"5"                  its value if the model leaves it out, which makes it optional
//	minimum:"1" maximum:"14"     bounds of a number
//	minLength:"1" maxLength:"80" bounds of a text, in characters
//	minItems:"1" maxItems:"10"   bounds of a list
//	pattern:"^[A-Z]{3}$"         a regular expression that a text must match
//	format:"email"               what a text is, for the model to know; it is not checked
//
// A []byte is a text in base64. For a list, enum, format, pattern, and bounds of numbers and texts are those of its
// items. A time.Time is described to the model with an example. A time.Duration is a number of nanoseconds, which
// models get wrong: rather take a number whose name has a unit.
//
// The result depends on what the function returns:
//
//   - a string is the text for the model
//   - a [Result] or a []Part is used unchanged
//   - a value that implements [Renderer] renders itself
//   - any other value is encoded as JSON and is Result.Data too; if it is a struct, its schema becomes
//     spec.OutputSchema
//
// An error made by [Errorf] is the text for the model. The model gets the text of any other error as well, as "Tool
// execution failed: TEXT": do not return errors that contain secrets, or set [Env].HideErrors.
//
// registry.New fails if a type has no schema, if a tag does not fit its field, or if the function is nil.
func Func[In, Out any](spec Spec, do func(ctx context.Context, in In, env Env) (Out, error)) Tool {
	t := &funcTool[In, Out]{spec: spec, do: do}
	if do == nil {
		t.err = errNoFunction
		return t
	}
	if spec.Schema == nil && spec.SchemaFor == nil {
		var tags tagReader
		t.spec.Schema, t.err = infer[In](forInput, &tags)
		t.defaults = tags.defaults
	}
	if spec.OutputSchema == nil && isPlainStruct[Out]() {
		var err error
		t.spec.OutputSchema, err = infer[Out](forOutput, nil)
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
	err  error // in the function and its types

	defaults []fieldDefault
}

func (t *funcTool[In, Out]) Spec() Spec    { return t.spec }
func (t *funcTool[In, Out]) madeOf() error { return t.err }

func (t *funcTool[In, Out]) Execute(ctx context.Context, call Call, env Env) (Result, error) {
	var in In
	for _, d := range t.defaults {
		reflect.ValueOf(&in).Elem().FieldByIndex(d.index).Set(d.value)
	}
	decoder := json.NewDecoder(bytes.NewReader(call.Input))
	decoder.UseNumber()
	if err := decoder.Decode(&in); err != nil {
		text := err.Error()
		if wrong, ok := errors.AsType[*time.ParseError](err); ok {
			text = fmt.Sprintf("%q is not a time. Write it as in %s.", plaintext.Cut(wrong.Value, 100), exampleTime)
		}
		return Result{}, &ModelError{Text: "Failed to parse parameters: " + text, Code: CodeInvalidInput, Err: err}
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

// infer returns the schema of a type, and calls tidy for each schema in it. tags, if not nil, adds the contents of
// struct tags.
func infer[T any](tidy func(*jsonschema.Schema), tags *tagReader) (json.RawMessage, error) {
	t := reflect.TypeFor[T]()
	schema, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: byteSlices(t)})
	if err == nil && tags != nil {
		err = tags.read(t, schema, []int{})
	}
	if err != nil {
		return nil, fmt.Errorf("inferring the schema of %v: %w", t, err)
	}
	each(schema, tidy)
	return json.Marshal(schema)
}

// byteSlices returns schemas for the types of bytes in a type: encoding/json makes a text in base64 of them.
func byteSlices(t reflect.Type) map[reflect.Type]*jsonschema.Schema {
	schemas := map[reflect.Type]*jsonschema.Schema{}
	seen := map[reflect.Type]bool{}
	var add func(t reflect.Type)
	add = func(t reflect.Type) {
		if seen[t] {
			return
		}
		seen[t] = true
		switch t.Kind() {
		case reflect.Slice:
			if t.Elem().Kind() == reflect.Uint8 && !encodesItself(t) && !encodesItself(t.Elem()) {
				schemas[t] = &jsonschema.Schema{Types: []string{"null", "string"}, ContentEncoding: "base64"}
				return
			}
			add(t.Elem())
		case reflect.Pointer, reflect.Array, reflect.Map:
			add(t.Elem())
		case reflect.Struct:
			for field := range t.Fields() {
				add(field.Type)
			}
		}
	}
	add(t)
	return schemas
}

// encodesItself reports whether a type, or a pointer to it, tells encoding/json how it is encoded.
func encodesItself(t reflect.Type) bool {
	for _, m := range []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()} {
		if t.Implements(m) || reflect.PointerTo(t).Implements(m) {
			return true
		}
	}
	return false
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

// forInput removes null from the types of slices and of optional pointers: models omit such arguments instead.
func forInput(s *jsonschema.Schema) {
	if len(s.Types) == 2 && s.Types[0] == "null" && (s.Types[1] == "array" || s.ContentEncoding != "") {
		s.Type, s.Types = s.Types[1], nil
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
