package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// TestDefinitionsThatTakeMemory has schemas that become large when they are converted to a provider's form.
func TestDefinitionsThatTakeMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	repeated := func(n int, format string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(list, ",")
	}
	ladder := `"l0":{"type":"string"}`
	for i := range 8 {
		ladder += fmt.Sprintf(`,"l%d":{"anyOf":[%s]}`, i+1, repeated(20, `{"$ref":"#/$defs/l`+fmt.Sprint(i)+
			`","title":"%d"}`))
	}
	for name, schema := range map[string]string{
		"a filter in itself": `{"type":"object","properties":{"a":{"$ref":"#/$defs/f"}},"$defs":{"f":{"anyOf":[` +
			repeated(20, `{"type":"array","items":{"$ref":"#/$defs/f"},"minItems":%d}`) + `]}}}`,
		"alternatives of alternatives": `{"type":"object","properties":{"a":{"$ref":"#/$defs/l8"}},"$defs":{` +
			ladder + `}}`,
		"alternatives at the top": `{"type":"object","anyOf":[` + repeated(90,
			`{"$ref":"#/$defs/e0","title":"%d"},{"$ref":"#/$defs/e1"}`) +
			`],"$defs":{"e0":{"type":"object","properties":{` + repeated(250, `"p%d":{"const":1}`) +
			`}},"e1":{"type":"object","properties":{` + repeated(250, `"p%d":{"const":2}`) + `}}}}`,
		"a long enum often": `{"type":"object","properties":{` + repeated(200, `"a%d":{"$ref":"#/$defs/e"}`) +
			`},"$defs":{"e":{"enum":[` + repeated(5000, `"v%d"`) + `]}}}`,
		"a long text often": `{"type":"object","properties":{` + repeated(200, `"a%d":{"$ref":"#/$defs/e"}`) +
			`},"$defs":{"e":{"description":"` + strings.Repeat("text ", 40_000) + `"}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			r, err := registry.New(tool.JSONFunc(tool.Spec{Name: "tool", Description: "Does.",
				Schema: json.RawMessage(schema)},
				func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
					return tool.Text("done"), nil
				}))
			require.NoError(t, err)
			for _, api := range []tool.API{tool.OpenAIResponses, tool.Gemini} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				definitions, err := Definitions(r, api, registry.Selection{}, nil)
				runtime.ReadMemStats(&after)
				require.NoError(t, err)
				require.Less(t, len(definitions), 2<<20)
				require.Less(t, int(after.TotalAlloc-before.TotalAlloc), 128<<20)
			}
		})
	}
}
