package tsdecl_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/tsdecl"
)

// TestSchemasThatTakeMemory declares functions with long schemas, and with short ones that expand enormously.
func TestSchemasThatTakeMemory(t *testing.T) {
	alternatives := func(n int, format string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(format, i)
		}
		return strings.Join(list, ",")
	}
	ladder := `"l0":{"type":"string"}`
	for i := range 8 {
		ladder += fmt.Sprintf(`,"l%d":{"anyOf":[%s]}`, i+1, alternatives(20, `{"$ref":"#/$defs/l`+fmt.Sprint(i)+
			`","title":"%d"}`))
	}
	for name, schema := range map[string]string{
		"alternatives of alternatives": `{"type":"object","properties":{"a":{"$ref":"#/$defs/l8"}},"$defs":{` +
			ladder + `}}`,
		"a filter in itself": `{"properties":{"a":{"$ref":"#/$defs/f"}},"$defs":{"f":{"anyOf":[` + alternatives(40,
			`{"type":"array","items":{"$ref":"#/$defs/f"},"minItems":%d}`) + `]}}}`,
		"itself, by other names": `{"properties":{` + alternatives(800,
			`"p%d":{"allOf":[{"$ref":"#/properties/p%[1]d"},{"$ref":"#"}]}`) + `}}`,
		"a long enum": `{"properties":{` + alternatives(20, `"p%d":{"$ref":"#/$defs/e"}`) +
			`},"$defs":{"e":{"enum":[` + alternatives(30_000, `%d`) + `]}}}`,
		"brackets": `{"properties":{"a":` + strings.Repeat(`{"items":`, 5000) + "{}" + strings.Repeat("}",
			5000) + `}}`,
		"long references": `{"properties":{` + alternatives(100, `"p%d":{"$ref":"#/`+strings.Repeat("a/", 4000)+
			`"}`) + `}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			text := tsdecl.Object("tools",
				[]tsdecl.Declaration{tsdecl.Declare(tsdecl.Function{Name: "f", Input: json.RawMessage(schema)})},
				32<<10)
			runtime.ReadMemStats(&after)
			require.Less(t, len(text), 16<<10)
			require.Less(t, int(after.TotalAlloc-before.TotalAlloc), 128<<20)
		})
	}
}
