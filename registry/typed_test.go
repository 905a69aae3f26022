package registry_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
)

type weatherIn struct {
	City  string             `json:"city" jsonschema:"the name of the city"`
	Days  int64              `json:"days,omitempty"`
	Tags  []string           `json:"tags,omitempty"`
	Extra map[string]any     `json:"extra,omitzero"`
	Place struct{ X, Y int } `json:"place,omitzero"`
	When  *time.Time         `json:"when,omitempty"`
}

type weatherOut struct {
	City string  `json:"city"`
	Days []int64 `json:"days"`
}

func TestToolsOfFunctions(t *testing.T) {
	tool := registry.Func(registry.Spec{Name: "weather", Description: "Tells the weather."},
		func(_ context.Context, in weatherIn, env registry.Env) (weatherOut, error) {
			if in.City == "Atlantis" {
				return weatherOut{}, registry.Errorf("There is no weather in %s.", in.City)
			}
			if n, ok := in.Extra["n"].(json.Number); ok {
				return weatherOut{City: n.String()}, nil
			}
			return weatherOut{in.City, []int64{in.Days}}, nil
		})
	r := newRegistry(t, tool)
	spec, _ := r.Spec("weather")
	require.JSONEq(t, `{"type":"object","required":["city"],"additionalProperties":false,"properties":{
		"city":{"type":"string","description":"the name of the city"},"days":{"type":"integer"},
		"tags":{"type":"array","items":{"type":"string"}},"extra":{"type":"object","additionalProperties":true},
		"place":{"type":"object","properties":{"X":{"type":"integer"},"Y":{"type":"integer"}},"required":["X","Y"],"additionalProperties":false},
		"when":{"type":"string"}
	}}`, string(spec.Schema))
	require.Less(t, strings.Index(string(spec.Schema), `"city"`), strings.Index(string(spec.Schema), `"days"`), "in the order of the fields")
	require.JSONEq(t, `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":["null","array"],"items":{"type":"integer"}}},
		"required":["city","days"],"additionalProperties":false}`, string(spec.OutputSchema))

	output, err := registry.CompileSchema(spec.OutputSchema)
	require.NoError(t, err)
	require.NoError(t, output.Validate(map[string]any{"city": "", "days": nil}), "as the zero value is encoded")

	for _, c := range []struct{ input, text string }{
		{`{"city":"Oslo","days":9007199254740993}`, `{"city":"Oslo","days":[9007199254740993]}`},
		{`{"city":"x","extra":{"n":9007199254740993}}`, `{"city":"9007199254740993","days":null}`},
		{`{"city":"Atlantis"}`, `There is no weather in Atlantis.`},
		{`{"city":"x","days":9223372036854775808}`, `Failed to parse parameters: json: cannot unmarshal number 9223372036854775808 into Go struct field weatherIn.days of type int64`},
		{`{"days":1}`, "invalid tool call: the arguments do not fit the schema of weather:\nmissing property 'city'"},
	} {
		result := r.Dispatch(t.Context(), call("weather", c.input), registry.Env{})
		require.Equal(t, c.text, result.Text())
		if !result.IsError() {
			require.Equal(t, c.text, string(result.Data.(json.RawMessage)))
		}
	}
}

type rendered struct{ n int }

func (r *rendered) Result() registry.Result {
	return registry.Result{Content: []registry.Part{{Text: "rendered"}}, Status: "ok", Data: r.n}
}

func TestWhatFunctionsReturn(t *testing.T) {
	text := func(tool registry.Tool) registry.Result {
		return newRegistry(t, tool).Dispatch(t.Context(), call("x", ""), registry.Env{})
	}
	spec := registry.Spec{Name: "x", Description: "A tool."}
	type none struct{}
	require.Equal(t, "plain", text(registry.Func(spec, func(context.Context, none, registry.Env) (string, error) { return "plain", nil })).Text())
	require.Equal(t, "no", text(registry.Func(spec, func(context.Context, none, registry.Env) (registry.Result, error) {
		return registry.Failure(registry.CodeTool, "no"), nil
	})).Text())
	require.Equal(t, "a\nb", text(registry.Func(spec, func(context.Context, none, registry.Env) ([]registry.Part, error) {
		return []registry.Part{{Text: "a"}, {Text: "b"}}, nil
	})).Text())
	require.Equal(t, `["<a>"]`, text(registry.Func(spec, func(context.Context, none, registry.Env) ([]string, error) { return []string{"<a>"}, nil })).Text())
	require.Contains(t, text(registry.Func(spec, func(context.Context, none, registry.Env) (any, error) { return nil, nil })).Text(), "returned no result")
	result := text(registry.Func(spec, func(context.Context, none, registry.Env) (*rendered, error) { return &rendered{1}, nil }))
	require.Equal(t, "rendered", result.Text())
	require.Equal(t, "ok", result.Status)
	require.Contains(t, text(registry.Func(spec, func(context.Context, none, registry.Env) (*rendered, error) { return nil, nil })).Text(), "returned no result")
	require.Contains(t, text(registry.Func(spec, func(context.Context, none, registry.Env) (chan int, error) { return nil, nil })).Text(), "the result is not JSON")

	for why, tool := range map[string]registry.Tool{
		"inferring the schema":       registry.Func(spec, func(context.Context, struct{ F func() }, registry.Env) (string, error) { return "", nil }),
		`"type" is not "object"`:     registry.Func(spec, func(context.Context, []string, registry.Env) (string, error) { return "", nil }),
		"inferring the schema of st": registry.Func(spec, func(context.Context, none, registry.Env) (struct{ C chan int }, error) { panic("") }),
	} {
		_, err := registry.New(tool)
		require.ErrorContains(t, err, `tool "x": `)
		require.ErrorContains(t, err, why)
	}
	own := spec
	own.Schema = json.RawMessage(`{"type":"object","properties":{"kind":{"enum":["a"]}}}`)
	r := newRegistry(t, registry.Func(own, func(_ context.Context, in struct{ Kind string }, _ registry.Env) (string, error) { return in.Kind, nil }))
	require.Equal(t, "a", r.Dispatch(t.Context(), call("x", `{"kind":"a"}`), registry.Env{}).Text())
	require.True(t, r.Dispatch(t.Context(), call("x", `{"kind":"b"}`), registry.Env{}).IsError())
}
