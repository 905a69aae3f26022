package provider_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

var update = flag.Bool("update", false, "write the golden files")

var apis = []tool.API{
	tool.Anthropic, tool.OpenAIChat, tool.OpenAIResponses, tool.Gemini, tool.Bedrock, tool.MCP,
}

// golden compares JSON with a file that contains it indented.
func golden(t *testing.T, name string, data []byte) {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, json.Indent(&b, data, "", "  "), "%s", data)
	b.WriteByte('\n')
	file := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, b.Bytes(), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String(), "%s; if the new one is right, run the test with -update", file)
}

// native is a tool that Anthropic's and Gemini's APIs define themselves.
type native struct{ tool.Tool }

func (n native) APIOverride(api tool.API, _ tool.Options) json.RawMessage {
	switch api {
	case tool.Anthropic:
		return json.RawMessage(`{"type": "memory_20250818", "name": "memory"}`)
	case tool.Gemini:
		return json.RawMessage(`{"googleSearch":{}}`)
	}
	return nil
}

// plainTool returns a tool with the given schema. Its result is its input.
func plainTool(name, schema string) tool.Tool {
	spec := tool.Spec{Name: name, Description: "Does " + name + "."}
	if schema != "" {
		spec.Schema = json.RawMessage(schema)
	}
	return echo(spec)
}

// eventsOf returns the events of a text, which has one a line. What ends with a comma goes on in the next line.
func eventsOf(text string) []string {
	return strings.Split(regexp.MustCompile(`,\n\t+`).ReplaceAllString(text, ","), "\n")
}

type echoTool struct{ spec tool.Spec }

func echo(spec tool.Spec) tool.Tool { return echoTool{spec} }

func (e echoTool) Spec() tool.Spec { return e.spec }

func (e echoTool) Execute(_ context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
	return tool.Text(string(call.Input)), nil
}

func newRegistry(t testing.TB, tools ...tool.Tool) *registry.Registry {
	t.Helper()
	r, err := registry.New(tools...)
	require.NoError(t, err)
	return r
}

// samples returns tools whose schemas have features that are common, or that providers commonly refuse.
func samples(t testing.TB) *registry.Registry {
	weather := echo(tool.Spec{
		Name:        "get_weather",
		DisplayName: "Weather",
		Subtitle:    "SECRET subtitle",
		Description: "Get the weather of a city.\nTemperatures are in <°C>.",
		Category:    "SECRET category",
		Icons:       tool.Icons{Input: "SECRET-icon", Output: "SECRET-icon"},
		Options:     []tool.Option{{ID: "secret", Label: "SECRET", Type: tool.OptionBool, Default: true}},
		Schema: json.RawMessage(`{
			"$schema": "https://json-schema.org/draft/2020-12/schema",
			"type": "object",
			"properties": {
				"city": {"type": "string", "description": "The city.", "minLength": 1},
				"days": {"type": "integer", "minimum": 1, "exclusiveMaximum": 15, "default": 1},
				"units": {"enum": ["metric", "imperial"]},
				"at": {"type": "string", "format": "date-time"}
			},
			"required": ["city"],
			"additionalProperties": false
		}`),
		OutputSchema: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`),
		Annotations:  tool.Annotations{ReadOnly: true, Idempotent: true, OpenWorld: true},
	})
	return newRegistry(t, weather,
		native{
			plainTool("memory", `{"type":"object","properties":{"command":{"const":"view"}},"required":["command"]}`),
		},
		plainTool("no_arguments", ""),
		plainTool("alternatives", `{
			"type": "object",
			"description": "A shape.",
			"properties": {"colour": {"type": "string", "pattern": "^#[0-9a-f]{6}$"}},
			"oneOf": [
				{"title": "A circle", "properties": {"kind": {"const": "circle"},
					"radius": {"type": "number", "exclusiveMinimum": 0}}, "required": ["kind", "radius"]},
				{"title": "A box", "properties": {"kind": {"const": "box"}, "size": {"type": "array",
					"items": {"type": "number"}, "minItems": 2, "maxItems": 2}}, "required": ["kind", "size"]}
			]
		}`),
		plainTool("references", `{
			"type": "object",
			"$defs": {
				"point": {"type": "object", "properties": {"y": {"type": "number"}, "x": {"type": "number"}},
					"required": ["y", "x"]},
				"named": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
				"tree": {"type": "object",
					"properties": {"value": {}, "children": {"type": "array", "items": {"$ref": "#/$defs/tree"}}}}
			},
			"properties": {
				"to": {"$ref": "#/$defs/point", "description": "Where to go."},
				"from": {"allOf": [{"$ref": "#/$defs/point"}, {"$ref": "#/$defs/named"}]},
				"tree": {"$ref": "#/$defs/tree"}
			},
			"required": ["to"]
		}`),
		plainTool("map", `{
			"type": "object",
			"properties": {
				"filter[id]": {"type": "string", "maxLength": 8},
				"headers": {"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1},
				"any": true,
				"pair": {"type": "array", "prefixItems": [{"type": "string"}, {"type": "integer"}], "items": false},
				"either": {"anyOf": [{"type": "string", "format": "uri"},
					{"type": "array", "items": {"type": "string"}, "uniqueItems": true}]},
				"not": {"type": "string", "not": {"enum": ["a", "b"]}}
			},
			"required": ["filter[id]"]
		}`),
	)
}
