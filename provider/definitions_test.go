package provider_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/provider"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

func TestDefinitions(t *testing.T) {
	r := samples(t)
	for _, api := range apis {
		t.Run(string(api), func(t *testing.T) {
			list, err := provider.Definitions(r, api, registry.Selection{}, nil)
			require.NoError(t, err)
			golden(t, "definitions/"+string(api)+".json", list)
			require.NotContains(t, string(list), "SECRET")

			again, err := provider.Definitions(r, api, registry.Selection{}, &provider.Options{})
			require.NoError(t, err)
			require.Equal(t, string(list), string(again))

			strict, err := provider.Definitions(r, api, registry.Selection{}, &provider.Options{Strict: true})
			require.NoError(t, err)
			if api == tool.Gemini || api == tool.MCP {
				require.Equal(t, string(list), string(strict), "there is no strict mode")
				return
			}
			golden(t, "definitions/"+string(api)+"-strict.json", strict)
		})
	}
}

// What is left of a schema for a provider must be valid JSON Schema.
func TestDefinitionsHaveSchemasThatCompile(t *testing.T) {
	r := samples(t)
	for _, api := range apis {
		for _, strict := range []bool{false, true} {
			list, err := provider.Definitions(r, api, registry.Selection{}, &provider.Options{Strict: strict})
			require.NoError(t, err)
			for name, raw := range schemasIn(t, api, list) {
				_, err := schema.CompileObject(raw)
				require.NoError(t, err, "%s %s: %s", api, name, raw)
			}
		}
	}
}

// schemasIn returns the input schemas of a list of tools, by the tools' names.
func schemasIn(t *testing.T, api tool.API, list json.RawMessage) map[string]json.RawMessage {
	t.Helper()
	type sent struct {
		Name                 string
		Input_Schema         json.RawMessage
		Parameters           json.RawMessage
		ParametersJSONSchema json.RawMessage
		InputSchema          json.RawMessage
		Function, ToolSpec   *sent
		FunctionDeclarations []*sent
	}
	var tools []*sent
	require.NoError(t, json.Unmarshal(list, &tools))
	if api == tool.Gemini {
		tools = tools[0].FunctionDeclarations
	}
	schemas := map[string]json.RawMessage{}
	for _, one := range tools {
		if one.Function != nil {
			one = one.Function
		}
		if one.ToolSpec != nil {
			one = one.ToolSpec
			var in struct{ JSON json.RawMessage }
			require.NoError(t, json.Unmarshal(one.InputSchema, &in))
			one.InputSchema = in.JSON
		}
		for _, schema := range []json.RawMessage{one.Input_Schema, one.Parameters, one.ParametersJSONSchema,
			one.InputSchema} {
			if schema != nil {
				schemas[one.Name] = schema
			}
		}
	}
	require.NotEmpty(t, schemas)
	return schemas
}

func TestDefinitionsOfNothing(t *testing.T) {
	r := samples(t)
	for _, api := range apis {
		list, err := provider.Definitions(r, api, registry.Selection{}.Only(), nil)
		require.NoError(t, err)
		require.Equal(t, "[]", string(list))
	}
	list, err := provider.Definitions(r, tool.Gemini, registry.Selection{}.Only("memory"), nil)
	require.NoError(t, err)
	require.Equal(t, `[{"googleSearch":{}}]`, string(list))
	list, err = provider.Definitions(r, tool.Anthropic, registry.Selection{}.Only("memory"), nil)
	require.NoError(t, err)
	require.Equal(t, `[{"type":"memory_20250818","name":"memory"}]`, string(list))
}

func TestDefinitionsOfUnknownAPI(t *testing.T) {
	for _, api := range []tool.API{tool.XML, "", "cohere"} {
		_, err := provider.Definitions(samples(t), api, registry.Selection{}, nil)
		require.ErrorContains(t, err, "there is no API")
		_, err = provider.Calls(api, []byte("{}"))
		require.ErrorContains(t, err, "there is no API")
		_, err = provider.NewStream(api)
		require.ErrorContains(t, err, "there is no API")
		_, err = provider.Results(api, nil)
		require.ErrorContains(t, err, "there is no API")
	}
}

type badNative struct{ tool.Tool }

func (badNative) APIOverride(tool.API, tool.Options) json.RawMessage {
	return json.RawMessage(`{"a":`)
}

func TestDefinitionsNameTheToolToBlame(t *testing.T) {
	r := newRegistry(t, plainTool("good", ""), badNative{plainTool("bad", "")})
	for _, api := range apis {
		_, err := provider.Definitions(r, api, registry.Selection{}, nil)
		var toolError *registry.ToolError
		require.ErrorAs(t, err, &toolError)
		require.Equal(t, "bad", toolError.Tool)
	}
}

// A schema that is too long is shortened, and does not affect the other tools.
func TestDefinitionsWithLongSchemas(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	// Each definition refers twice to the previous one: 2^40 schemas in 3 KB.
	var laughs strings.Builder
	laughs.WriteString(`{"type":"object","properties":{"a":{"$ref":"#/$defs/d40"}},"$defs":{"d0":{"type":"string"}`)
	for i := 1; i <= 40; i++ {
		fmt.Fprintf(
			&laughs, `,"d%d":{"type":"object","properties":{"a":{"$ref":"#/$defs/d%d"},"b":{"$ref":"#/$defs/d%d"}}}`,
			i, i-1, i-1,
		)
	}
	laughs.WriteString(`}}`)
	// Each of seven definitions refers to all others, and so produces all their permutations.
	seven := `{"type":"object","properties":{"root":{"$ref":"#/$defs/d0"}},"$defs":{`
	for i := range 7 {
		seven += fmt.Sprintf(`"d%d":{"type":"object","properties":{`, i)
		for j := range 7 {
			seven += fmt.Sprintf(`"p%d":{"$ref":"#/$defs/d%d"},`, j, j)
		}
		seven += `"name":{"type":"string"}}},`
	}
	seven = strings.TrimSuffix(seven, ",") + `}}`
	wide := `{"type":"object","$defs":{"text":{"type":"string","description":"` + strings.Repeat("long ", 1000) +
		`"}},"properties":{`
	options := `{"type":"object","properties":{`
	for i := range 200 {
		wide += fmt.Sprintf(`"p%d":{"$ref":"#/$defs/text"},`, i)
	}
	for i := range 1500 {
		options += fmt.Sprintf(`"%0100d":{"type":"string"},`, i)
	}
	notes := `{"type":"object","allOf":[` + strings.Repeat(`{"not":{"const":"`+strings.Repeat("x", 300)+`"}},`,
		10) + `{}]}`
	for i := range 1500 {
		notes = strings.Replace(notes, `{}]}`, fmt.Sprintf(`{"not":{"const":"%0300d"}},{}]}`, i), 1)
	}
	for name, test := range map[string]struct{ schema, want string }{
		"laughs": {laughs.String(), `"a":{"type":"object","properties":{"a":{"type":"object","properties":`},
		"seven":  {seven, `"root":{"type":"object","properties":{"p0":`},
		"wide": {wide + `"last":{}}}`,
			`"p0":{"type":"string","description":"The rest of it is too long to be described."}`},
		"options": {options + `"last":{"type":"string"}}}`, `"last":{"type":"string"}`},
		"long": {`{"type":"object","properties":{"p":{"type":"string","description":"` + strings.Repeat("x",
			300<<10) + `"}}}`, `{"type":"object","properties":{}}`},
		"long by notes": {notes, `{"type":"object","properties":{}}`},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRegistry(t, plainTool("good",
				`{"type":"object","properties":{"g":{"type":"string"}},"required":["g"],"additionalProperties":false}`),
				plainTool("bad", test.schema))
			for _, api := range apis {
				for _, strict := range []bool{false, true} {
					list, err := provider.Definitions(r, api, registry.Selection{}, &provider.Options{Strict: strict})
					require.NoError(t, err)
					schemas := schemasIn(t, api, list)
					require.Contains(t, string(schemas["good"]), `"g":{"type":"string"}`)
					if api == tool.MCP {
						require.Contains(t, string(schemas["bad"]), test.schema[1:100], "it is sent as it is")
						continue
					}
					require.LessOrEqual(t, len(schemas["bad"]), 256<<10)
					if name != "options" || !strict {
						require.Contains(t, string(schemas["bad"]), test.want)
					}
					if test.want == string(schemas["bad"]) {
						require.Contains(t, string(list),
							"Does bad.\\n\\nThe schema of the arguments is too long to be shown here.")
					}
				}
			}
			list, err := provider.Definitions(r, tool.OpenAIChat, registry.Selection{},
				&provider.Options{Strict: true})
			require.NoError(t, err)
			require.Contains(t, string(list), `"strict":true`, "the good one")
			require.Contains(t, string(list), `"strict":false`, "the bad one")
		})
	}
}

func TestDefinitionsConcurrently(t *testing.T) {
	r := samples(t)
	want, err := provider.Definitions(samples(t), tool.Anthropic, registry.Selection{}, nil)
	require.NoError(t, err)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 20 {
				list, err := provider.Definitions(r, tool.Anthropic, registry.Selection{}, nil)
				if err != nil || string(list) != string(want) {
					t.Errorf("%v: %s", err, list)
					return
				}
			}
		})
	}
	group.Wait()
}

// manyTools returns a registry of 200 tools with 10 fields each.
func manyTools(t testing.TB) *registry.Registry {
	var tools []tool.Tool
	for i := range 200 {
		var b strings.Builder
		b.WriteString(`{"type":"object","properties":{`)
		for f := range 10 {
			if f > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `"field_%d":{"type":%q,"description":"The field number %d of this tool."}`, f,
				[]string{"string", "integer", "boolean"}[f%3], f)
		}
		b.WriteString(`},"required":["field_0","field_1"],"additionalProperties":false}`)
		tools = append(tools, plainTool(fmt.Sprintf("tool_%d", i), b.String()))
	}
	return newRegistry(t, tools...)
}

func BenchmarkDefinitions(b *testing.B) {
	b.Run("cold", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			b.StopTimer()
			r := manyTools(b)
			b.StartTimer()
			if _, err := provider.Definitions(r, tool.OpenAIChat, registry.Selection{}, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("warm", func(b *testing.B) {
		r := manyTools(b)
		b.ReportAllocs()
		for b.Loop() {
			if _, err := provider.Definitions(r, tool.OpenAIChat, registry.Selection{}, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}
