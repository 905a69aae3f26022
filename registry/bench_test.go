package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/race"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// tenFields is the schema of a tool of ordinary size.
const tenFields = `{"type":"object","properties":{
	"city":{"type":"string","minLength":1},"country":{"type":"string","enum":["no","pe","jp"]},
		"days":{"type":"integer","minimum":1,"maximum":16},
	"hourly":{"type":"boolean"},"units":{"type":"string","enum":["metric","imperial"]},"latitude":{"type":"number"},
	"longitude":{"type":"number"},"fields":{"type":"array","items":{"type":"string"}},
		"language":{"type":"string"},"id":{"type":"integer"}
},"required":["city","country"],"additionalProperties":false}`

const tenFieldsInput = `{"city":"Oslo","country":"no","days":3,"hourly":true,` +
	`"units":"metric","latitude":59.91,"longitude":10.75,` +
	`"fields":["wind","rain"],"language":"nb","id":9007199254740993}`

// newTrivial makes a tool that does nothing.
func newTrivial(name string) tool.Tool {
	return tool.JSONFunc(tool.Spec{Name: name, Description: "Does nothing.",
		Schema: json.RawMessage(tenFields)},
		func(context.Context, tool.Call, tool.Env) (tool.Result, error) {
			return tool.Text("done"), nil
		})
}

func BenchmarkDispatch(b *testing.B) {
	r, err := registry.New(newTrivial("trivial"))
	require.NoError(b, err)
	call := tool.Call{ID: "call-1", Tool: "trivial", Input: json.RawMessage(tenFieldsInput)}
	b.ReportAllocs()
	for b.Loop() {
		if result := r.Dispatch(b.Context(), call, registry.Env{}); result.IsError() {
			b.Fatal(result.Text())
		}
	}
}

// TestDispatchTakesLittleMemory bounds what a call of a tool that does nothing takes beside the tool itself.
func TestDispatchTakesLittleMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector empties pools at random")
	}
	r, err := registry.New(newTrivial("trivial"))
	require.NoError(t, err)
	call := tool.Call{ID: "call-1", Tool: "trivial", Input: json.RawMessage(tenFieldsInput)}
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { r.Dispatch(t.Context(), call, registry.Env{}) }), 13.0)
}

// BenchmarkDispatchCoerced has an input that must be coerced to fit the schema.
func BenchmarkDispatchCoerced(b *testing.B) {
	r, err := registry.New(newTrivial("trivial"))
	require.NoError(b, err)
	input := strings.NewReplacer(`"days":3`, `"days":"3"`, `true`, `"true"`, `["wind","rain"]`,
		`"wind"`).Replace(tenFieldsInput)
	call := tool.Call{ID: "call-1", Tool: "trivial", Input: json.RawMessage(input)}
	b.ReportAllocs()
	for b.Loop() {
		if result := r.Dispatch(b.Context(), call, registry.Env{}); result.IsError() {
			b.Fatal(result.Text())
		}
	}
}

func BenchmarkDefinitions(b *testing.B) {
	var tools []tool.Tool
	for i := range 200 {
		tools = append(tools, newTrivial(fmt.Sprint("tool_", i)))
	}
	r, err := registry.New(tools...)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Definitions(tool.Anthropic, registry.Selection{}); err != nil {
			b.Fatal(err)
		}
	}
}
