package registry_test

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

var fuzzSchemas = []string{
	tenFields,
	`{"type":"object"}`,
	`{"type":"object","properties":{"a":{"type":["string","null"],"maxLength":3},` +
		`"b":{"type":"array","items":{"type":"integer","minimum":-1,"maximum":10.5},"minItems":1,"maxItems":2}},` +
		`"additionalProperties":{"type":"boolean"}}`,
	`{"type":"object","properties":{"a":{"$ref":"#/$defs/n"},"b":{"anyOf":[{"type":"integer"},{"type":"null"}]}},` +
		`"$defs":{"n":{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}}}}}`,
	`{"type":"object","properties":{"a":{"enum":["x","y",1]},"b":{"const":1},"c":{"not":{"type":"string"}}},` +
		`"required":["a","zz"]}`,
	`{"type":"object","properties":{"a":{"type":"integer"},"a b":true,` +
		`"é":false,"b":{"type":"number","exclusiveMinimum":0}},"patternProperties":{"^x":{"type":"string"}}}`,
	`{"type":"object","enum":["x"],"properties":{}}`,
}

var fuzzInputs = []string{
	tenFieldsInput, `{}`, `{"a":null,"b":[1]}`, `{"a":{"a":{"a":"{}"}},"b":"null"}`, `{"a":"x","zz":[],"b":1.0}`,
	`{"a":"1e2","a b":[{}],"x1":"\u00e9"}`,
	` { "a" : "é" , "b" : [ 1 , -0 ] , "c" : true } `, `{"a":1,"a":"x"}`, `{"\u0061":1}`, "{\"a\":\"\xff\"}", `[]`, `"`,
	``, `{"a":"\"","b":[]}`,
	`{"b":[10.5,10.500000000000001]}`, `{"a":""}`, `{"b":[9007199254740993,1e1]}`,
}

// FuzzAccepts compares the fast check with decoding, coercing and validating.
func FuzzAccepts(f *testing.F) {
	var schemas []*schema.Schema
	for _, text := range fuzzSchemas {
		s, err := schema.CompileObject(json.RawMessage(text))
		require.NoError(f, err)
		schemas = append(schemas, s)
	}
	for i := range fuzzSchemas {
		for _, input := range fuzzInputs {
			f.Add(uint8(i), []byte(input))
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, input []byte) {
		s := schemas[int(i)%len(schemas)]
		if !s.Accepts(input) {
			return
		}
		decoder := json.NewDecoder(bytes.NewReader(input))
		decoder.UseNumber()
		var object map[string]any
		require.NoError(t, decoder.Decode(&object))
		require.NotNil(t, object)
		require.NoError(t, s.Validate(context.Background(), object))
		require.False(t, s.Coerce(context.Background(), object, 128))
	})
}

// FuzzDispatch dispatches arbitrary arguments. All arguments that reach the tool must be valid.
func FuzzDispatch(f *testing.F) {
	var registries []*registry.Registry
	for _, text := range fuzzSchemas {
		schema, err := schema.CompileObject(json.RawMessage(text))
		require.NoError(f, err)
		registries = append(registries,
			newRegistry(f, doing("x", func(_ context.Context, c tool.Call, _ tool.Env) (tool.Result,
				error) {
				decoder := json.NewDecoder(bytes.NewReader(c.Input))
				decoder.UseNumber()
				var object map[string]any
				if err := decoder.Decode(&object); err != nil {
					return tool.Result{}, err
				}
				return tool.Text("done"), schema.Validate(context.Background(), object)
			}, func(s *tool.Spec) { s.Schema = json.RawMessage(text) })))
	}
	for i := range fuzzSchemas {
		for _, input := range fuzzInputs {
			f.Add(uint8(i), "x", []byte(input))
		}
	}
	f.Fuzz(func(t *testing.T, i uint8, name string, input []byte) {
		r := registries[int(i)%len(registries)]
		result := r.Dispatch(t.Context(), tool.Call{Tool: name, Input: input}, registry.Env{})
		require.NotEmpty(t, result.Text())
		require.NotEqual(t, tool.CodeFailed, result.Code, result.Text())
	})
}

// FuzzSettings parses arbitrary settings, and checks that encoding and parsing them again changes nothing.
func FuzzSettings(f *testing.F) {
	for _, stored := range []string{
		``, `{}`, `{"enabledTools":[],"toolOptions":{"x":{"a":[1,{}]}},"toolEnabled":{"x":true},"é":9007199254740993}`,
		`{"memoryEnabled":true,"jsLibEnabled":false,"toolOptions":null}`,
		`{"enabledTools":null,"memoryEnabled":true}`, `{"toolOptions":{"x":{"o":"b"}}}`, `[]`, `{"a":1,"a":2}`,
	} {
		f.Add([]byte(stored))
	}
	r := newRegistry(f, named("x", func(s *tool.Spec) {
		s.Options = []tool.Option{{ID: "a", Type: tool.OptionNumber}, {ID: "o", Type: tool.OptionText}}
	}))
	f.Fuzz(func(t *testing.T, stored []byte) {
		settings, _, err := registry.ParseSettings(stored)
		if err != nil {
			require.ErrorContains(t, err, "the settings")
			return
		}
		encoded, err := json.Marshal(settings)
		require.NoError(t, err)
		again, migrated, err := registry.ParseSettings(encoded)
		require.NoError(t, err)
		require.False(t, migrated)
		twice, err := json.Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(encoded), string(twice))
		result := r.Dispatch(t.Context(), tool.Call{Tool: "x"},
			registry.Env{Selection: registry.Selection{Settings: settings}})
		require.NotEmpty(t, result.Text())
		require.NotEqual(t, tool.CodeFailed, result.Code)
	})
}

// FuzzSchema compiles arbitrary schemas, and validates values against them.
func FuzzSchema(f *testing.F) {
	for _, schema := range fuzzSchemas {
		for _, input := range fuzzInputs[:6] {
			f.Add([]byte(schema), []byte(input))
		}
	}
	f.Fuzz(func(t *testing.T, raw, input []byte) {
		s, err := schema.CompileObject(raw)
		if err != nil {
			return
		}
		var object map[string]any
		decoder := json.NewDecoder(bytes.NewReader(input))
		decoder.UseNumber()
		if decoder.Decode(&object) != nil || object == nil {
			return
		}
		if s.Accepts(input) {
			require.NoError(t, s.Validate(context.Background(), object))
		}
		s.Coerce(context.Background(), object, 128)
		_ = s.Validate(context.Background(), object)
	})
}
