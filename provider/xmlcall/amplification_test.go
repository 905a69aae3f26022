package xmlcall_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider/xmlcall"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// repeated is n pieces of JSON, made of a format with their numbers, with commas between them.
func repeated(n int, format string) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// hostile are schemas that are short for what they stand for.
func hostile() map[string]string {
	ladder := `"l0":{"type":"string"}`
	for i := range 8 {
		ladder += fmt.Sprintf(`,"l%d":{"anyOf":[%s]}`, i+1, repeated(20, `{"$ref":"#/$defs/l`+fmt.Sprint(i)+
			`","title":"%d"}`))
	}
	either := func(n int) string {
		return `"e0":{"type":"object","properties":{` + repeated(n, `"p%d":{"const":1}`) +
			`}},"e1":{"type":"object","properties":{` + repeated(n, `"p%d":{"const":2}`) + `}}`
	}
	required := `"r":{"type":"object","properties":{` + repeated(600, `"p%d":{"$ref":"#/$defs/r"}`) + `},"required":[` +
		repeated(600, `"p%d"`) + `]}`
	return map[string]string{
		"a filter in itself": `{"type":"object","properties":{"a":{"$ref":"#/$defs/f"}},"$defs":{"f":{"anyOf":[` +
			repeated(4, `{"type":"array","items":{"$ref":"#/$defs/f"},"minItems":%d}`) + `]}}}`,
		"alternatives of alternatives": `{"type":"object","properties":{"a":{"$ref":"#/$defs/l8"}},"$defs":{` +
			ladder + `}}`,
		"the same, at the top": `{"type":"object","$ref":"#/$defs/l8","$defs":{` + ladder + `}}`,
		"alternatives with the same properties": `{"type":"object","anyOf":[` + repeated(90,
			`{"$ref":"#/$defs/e0","title":"%d"},{"$ref":"#/$defs/e1"}`) + `],"$defs":{` + either(550) + `}}`,
		"required of required": `{"type":"object","properties":{` + repeated(600,
			`"a%d":{"$ref":"#/$defs/r"}`) + `},"required":[` + repeated(600, `"a%d"`) + `],"$defs":{` + required + `}}`,
		"long enums": `{"type":"object","properties":{` + repeated(2, `"a%d":{"enum":[`+
			strings.ReplaceAll(repeated(20_000, `"v%d"`), "%", "%%")+`]}`) + `}}`,
		"a long enum in many alternatives": `{"type":"object","properties":{"a":{"anyOf":[` + repeated(1000,
			`{"$ref":"#/$defs/e","title":"%d"}`) + `]}},"$defs":{"e":{"enum":[` + repeated(20_000, `%d`) + `]}}}`,
		"many alternatives for many properties": `{"type":"object","properties":{` + repeated(500,
			`"a%d":{"$ref":"#/$defs/e"}`) + `},"$defs":{"e":{"anyOf":[` + repeated(600, `{"const":%d}`) + `]}}}`,
		"many definitions in each other": `{"type":"object","properties":{"a":{"$ref":"#/$defs/d0"}},"$defs":{` +
			repeated(
				900, `"d%d":{"properties":{"x":{"$ref":"#/$defs/d%[1]d"},`+
					`"y":{"$ref":"#/$defs/d7"},"z":{"$ref":"#/$defs/d899"}}}`,
			) + `}}`,
		"long descriptions": `{"type":"object","properties":{"a":{"$ref":"#/$defs/d"},"b":{"anyOf":[` + repeated(500,
			`{"$ref":"#/$defs/d","title":"%d"}`) +
			`]}},"$defs":{"d":{"type":"object","properties":{"x":{"description":"` + strings.Repeat("words ", 100_000) +
			`"}}}}}`,
	}
}

// TestSchemasThatTakeMemory describes tools whose schemas are hostile, and reads calls of them with many params.
func TestSchemasThatTakeMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	text := "<tool:tool>" + strings.Repeat("<param:a>x</param:a><param:p1>1</param:p1>", 5000) + "</tool:tool>"
	for name, schema := range hostile() {
		t.Run(name, func(t *testing.T) {
			r, err := registry.New(tool.JSONFunc(tool.Spec{Name: "tool", Description: "Does.",
				Schema: json.RawMessage(schema)},
				func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
					return tool.Text("done"), nil
				}))
			require.NoError(t, err)
			definitions, err := r.Definitions(tool.XML, registry.Selection{})
			require.NoError(t, err)
			var prompt string
			var calls []xmlcall.Call
			cost := allocated(func() {
				prompt = xmlcall.Prompt(definitions, nil)
				calls = xmlcall.Calls(definitions, text)
			})
			require.Less(t, len(prompt), 100<<10)
			require.Len(t, calls, 1)
			require.Less(t, int(cost), 64<<20)
		})
	}
}

// TestValuesThatTakeMemory reads a value of very many values: none of them is decoded.
func TestValuesThatTakeMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	r, err := registry.New(tool.JSONFunc(tool.Spec{Name: "tool", Description: "Does.", Schema: json.RawMessage(
		`{"type":"object","properties":{"a":{"type":"array"},"b":{"type":"object"}}}`)},
		func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Text("done"), nil
		}))
	require.NoError(t, err)
	definitions, err := r.Definitions(tool.XML, registry.Selection{})
	require.NoError(t, err)
	const size = 3 << 20
	list := "[" + strings.Repeat("[],", size/3) + "[]]"
	for _, param := range []string{"<param:a>" + list + "</param:a>", "<param:b>" + list + "</param:b>",
		`<param:b>{"b":` + list + "}</param:b>"} {
		text := "<tool:tool>" + param + "</tool:tool>"
		cost := allocated(func() {
			calls := xmlcall.Calls(definitions, text)
			if len(calls) == 1 && calls[0].Err == nil {
				r.Dispatch(t.Context(), calls[0].Call, registry.Env{})
			}
		})
		require.Less(t, int(cost), 16*size)
	}
}
