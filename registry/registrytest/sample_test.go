package registrytest

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/tool"
)

// TestSamplesFit checks that inputs can be made for common schemas.
func TestSamplesFit(t *testing.T) {
	for name, properties := range map[string]string{
		"nothing": `{}`,
		"text":    `{"a":{"type":"string"}}`,
		"lengths": `{"a":{"type":"string","minLength":5},"b":{"type":"string","maxLength":0}}`,
		"formats": `{"a":{"type":"string","format":"date-time"},"b":{"type":"string","format":"uuid"}}`,
		"choices": `{"a":{"enum":["x","y"]},"b":{"const":7},` +
			`"c":{"type":"string","pattern":"^q$","examples":["q"]}}`,
		"defaults": `{"a":{"type":"string","pattern":"^q$","default":"q"}}`,
		"limits": `{"a":{"type":"integer","minimum":5},"b":{"type":"number","exclusiveMaximum":1},` +
			`"c":{"type":"integer","exclusiveMinimum":1,"multipleOf":7}}`,
		"arrays":        `{"a":{"type":"array","items":{"type":"boolean"},"minItems":2},"b":{"type":"array"}}`,
		"objects":       `{"a":{"type":"object","properties":{"b":{"type":"null"}},"required":["b"]}}`,
		"several types": `{"a":{"type":["null","integer"]},"b":{}}`,
		"alternatives":  `{"a":{"oneOf":[{"type":"integer"},{"type":"string"}]},"b":{"anyOf":[{"$ref":"#/$defs/d"}]}}`,
		"all of them": `{"a":{"allOf":[{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]},` +
			`{"required":["y"],"properties":{"y":{"type":"integer"}}}]}}`,
		"references": `{"a":{"$ref":"#/$defs/d"},"b":{"$ref":"#/$defs/e~1f"}}`,
		"anchors": `{"a":{"$ref":"#here"},"b":{"allOf":[{"$ref":"#here"}]},` +
			`"c":{"anyOf":[{"type":"null"},{"$dynamicRef":"#moving"}]}}`,
		"a choice": `{"a":{"oneOf":[{"type":"object",` +
			`"properties":{"kind":{"const":"a"},"n":{"type":"integer"}},"required":["kind","n"]},` +
			`{"type":"object","properties":{"kind":{"const":"b"}},"required":["kind"]}]}}`,
		"without an end": `{"a":{"$ref":"#/$defs/loop"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var names map[string]any
			require.NoError(t, json.Unmarshal([]byte(properties), &names))
			required := []string{}
			for name := range names {
				required = append(required, name)
			}
			slices.Sort(required)
			list, err := json.Marshal(required)
			require.NoError(t, err)
			schema := `{"type":"object","properties":` + properties + `,"required":` + string(list) +
				`,"$defs":{"d":{"type":"integer"},` +
				`"e/f":{"enum":[1]},"h":{"$anchor":"here","type":"boolean"},"m":{"$dynamicAnchor":"moving",` +
				`"type":"number","minimum":3},"loop":{"type":"object","properties":{"next":{"$ref":"#/$defs/loop"}}}}}`
			s := newSubject(specified(func(spec *tool.Spec) { spec.Schema = []byte(schema) }), &Options{},
				new(findings))
			require.NotNil(t, s)
			samples, known := s.samples()
			require.False(t, known)
			require.Len(t, samples, 1)
			require.NotEmpty(t, slices.Collect(s.badInputs()))
		})
	}
}

// TestSchemasWithoutSamples checks that a schema for which no input can be made is not a fault of the tool.
func TestSchemasWithoutSamples(t *testing.T) {
	one := specified(func(spec *tool.Spec) {
		spec.Schema = []byte(
			`{"type":"object","properties":{"a":{"type":"string","pattern":"^[0-9]{3}$",` +
				`"description":"Three digits."}},"required":["a"]}`,
		)
	})
	for _, c := range checks {
		require.Empty(t, examine(one, c.name, &Options{}).faults, c.name)
	}
	require.Contains(t, examine(one, "isolation", &Options{}).advice[0], "none could be made from the schema")
}

// TestBadInputsAreBounded checks that a large schema does not cause a large test.
func TestBadInputsAreBounded(t *testing.T) {
	properties := map[string]any{}
	for _, name := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" {
		properties[string(name)] = map[string]any{"description": "x", "type": "array",
			"items": map[string]any{"type": "string"}}
	}
	schema, err := json.Marshal(map[string]any{"type": "object", "properties": properties})
	require.NoError(t, err)
	s := newSubject(specified(func(spec *tool.Spec) { spec.Schema = schema }), &Options{}, new(findings))
	names := map[string]bool{}
	for bad := range s.badInputs() {
		require.False(t, names[bad.name], bad.name)
		names[bad.name] = true
	}
	require.Less(t, len(names), 2000)
}

// TestSamplesAreBounded has schemas that would otherwise lead to endless samples and bad inputs.
func TestSamplesAreBounded(t *testing.T) {
	nested := strings.Repeat(`{"type":"array","minItems":100,"items":`, 12) + `{"type":"string","minLength":60000}` +
		strings.Repeat("}", 12)
	var names, properties []string
	for i := range 500 {
		names = append(names, fmt.Sprintf(`"p%d"`, i))
		properties = append(properties, fmt.Sprintf(`"p%d":{"$ref":"#"}`, i))
	}
	for name, text := range map[string]string{
		"arrays of arrays": `{"type":"object","properties":{"a":` + nested + `},"required":["a"]}`,
		"objects of objects": `{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` +
			strings.Join(names, ",") + `]}`,
	} {
		document, err := schema.Parse([]byte(text))
		require.NoError(t, err, name)
		_, err = sample(document, document.Root)
		require.NoError(t, err, name)
		size := 0
		for _, value := range badValues(document, document.Root, 0) {
			size += len(value.json)
		}
		require.Less(t, size, 16<<20, name)
	}
}
