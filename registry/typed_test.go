package registry_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
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
	one := tool.Func(tool.Spec{Name: "weather", Description: "Tells the weather."},
		func(_ context.Context, in weatherIn, env tool.Env) (weatherOut, error) {
			if in.City == "Atlantis" {
				return weatherOut{}, tool.Errorf("There is no weather in %s.", in.City)
			}
			if n, ok := in.Extra["n"].(json.Number); ok {
				return weatherOut{City: n.String()}, nil
			}
			return weatherOut{in.City, []int64{in.Days}}, nil
		})
	r := newRegistry(t, one)
	spec, _ := r.Spec("weather")
	require.JSONEq(t, `{"type":"object","required":["city"],"additionalProperties":false,"properties":{
		"city":{"type":"string","description":"the name of the city"},"days":{"type":"integer"},
		"tags":{"type":"array","items":{"type":"string"}},"extra":{"type":"object","additionalProperties":true},
		"place":{"type":"object","properties":{"X":{"type":"integer"},"Y":{"type":"integer"}},
			"required":["X","Y"],"additionalProperties":false},
		"when":{"type":"string","format":"date-time","description":"(written as in 2025-01-31T15:04:05Z)"}
	}}`, string(spec.Schema))
	require.Less(t, strings.Index(string(spec.Schema), `"city"`), strings.Index(string(spec.Schema), `"days"`),
		"in the order of the fields")
	require.JSONEq(t, `{"type":"object",
		"properties":{"city":{"type":"string"},"days":{"type":["null","array"],"items":{"type":"integer"}}},
		"required":["city","days"],"additionalProperties":false}`, string(spec.OutputSchema))

	output, err := schema.CompileObject(spec.OutputSchema)
	require.NoError(t, err)
	require.NoError(t, output.Validate(t.Context(), map[string]any{"city": "", "days": nil}),
		"as the zero value is encoded")

	for _, c := range []struct{ input, text string }{
		{`{"city":"Oslo","days":9007199254740993}`, `{"city":"Oslo","days":[9007199254740993]}`},
		{`{"city":"x","extra":{"n":9007199254740993}}`, `{"city":"9007199254740993","days":null}`},
		{`{"city":"Atlantis"}`, `There is no weather in Atlantis.`},
		{`{"city":"x","days":9223372036854775808}`,
			`Failed to parse parameters: json: cannot unmarshal number ` +
				`9223372036854775808 into Go struct field weatherIn.days of type int64`},
		{`{"city":"x","when":"tomorrow"}`,
			`Failed to parse parameters: "tomorrow" is not a time. Write it as in 2025-01-31T15:04:05Z.`},
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

func (r *rendered) Result() tool.Result {
	return tool.Result{Content: []tool.Part{{Text: "rendered"}}, Status: "ok", Data: r.n}
}

// TestBytes are a text in base64 in the schemas, as they are in JSON.
func TestBytes(t *testing.T) {
	type picture struct {
		Data  []byte            `json:"data" jsonschema:"the picture"`
		Parts map[string][]byte `json:"parts,omitempty"`
		Empty []byte            `json:"empty"`
	}
	one := tool.Func(tool.Spec{Name: "copy", Description: "Copies a picture."},
		func(_ context.Context, in picture, _ tool.Env) (picture, error) {
			require.Equal(t, "hello", string(in.Data))
			return picture{in.Data, in.Parts, nil}, nil
		})
	r := newRegistry(t, one)
	spec, _ := r.Spec("copy")
	const text = `"type":"string","contentEncoding":"base64"`
	require.JSONEq(t, `{"type":"object","required":["data","empty"],"additionalProperties":false,"properties":{
		"data":{`+text+`,"description":"the picture"},"empty":{`+text+`},
		"parts":{"type":"object","additionalProperties":{`+text+`}}}}`, string(spec.Schema))
	result := r.Dispatch(t.Context(), tool.Call{Tool: "copy",
		Input: json.RawMessage(`{"data":"aGVsbG8=","parts":{"a":"aGVsbG8="},"empty":""}`)}, registry.Env{})
	require.Equal(t, `{"data":"aGVsbG8=","parts":{"a":"aGVsbG8="},"empty":null}`, result.Text())
	output, err := schema.CompileObject(spec.OutputSchema)
	require.NoError(t, err)
	var data map[string]any
	require.NoError(t, json.Unmarshal([]byte(result.Text()), &data))
	require.NoError(t, output.Validate(t.Context(), data))
	require.Error(t, output.Validate(t.Context(), map[string]any{"data": []any{104.}, "empty": nil}))
}

func TestWhatFunctionsReturn(t *testing.T) {
	text := func(one tool.Tool) tool.Result {
		return newRegistry(t, one).Dispatch(t.Context(), call("x", ""), registry.Env{})
	}
	spec := tool.Spec{Name: "x", Description: "A tool."}
	type none struct{}
	require.Equal(t, "plain", text(tool.Func(spec, func(context.Context, none, tool.Env) (string, error) {
		return "plain", nil
	})).Text())
	require.Equal(t, "no", text(tool.Func(spec, func(context.Context, none, tool.Env) (tool.Result, error) {
		return tool.Failure(tool.CodeTool, "no"), nil
	})).Text())
	require.Equal(t, "a\nb", text(tool.Func(spec, func(context.Context, none, tool.Env) ([]tool.Part,
		error) {
		return []tool.Part{{Text: "a"}, {Text: "b"}}, nil
	})).Text())
	require.Equal(t, `["<a>"]`, text(tool.Func(spec, func(context.Context, none, tool.Env) ([]string, error) {
		return []string{"<a>"}, nil
	})).Text())
	require.Contains(t, text(tool.Func(spec, func(context.Context, none, tool.Env) (any, error) {
		return nil, nil
	})).Text(), "returned no result")
	result := text(tool.Func(spec, func(context.Context, none, tool.Env) (*rendered, error) {
		return &rendered{1}, nil
	}))
	require.Equal(t, "rendered", result.Text())
	require.Equal(t, "ok", result.Status)
	require.Contains(t, text(tool.Func(spec, func(context.Context, none, tool.Env) (*rendered, error) {
		return nil, nil
	})).Text(), "returned no result")
	require.Contains(t, text(tool.Func(spec, func(context.Context, none, tool.Env) (chan int, error) {
		return nil, nil
	})).Text(), "the result is not JSON")

	for why, one := range map[string]tool.Tool{
		"inferring the schema": tool.Func(spec, func(context.Context, struct{ F func() },
			tool.Env) (string, error) {
			return "", nil
		}),
		`"type" is not "object"`: tool.Func(spec, func(context.Context, []string, tool.Env) (string,
			error) {
			return "", nil
		}),
		"inferring the schema of st": tool.Func(spec, func(context.Context, none,
			tool.Env) (struct{ C chan int }, error) {
			panic("")
		}),
	} {
		_, err := registry.New(one)
		require.ErrorContains(t, err, `tool "x": `)
		require.ErrorContains(t, err, why)
	}
	own := spec
	own.Schema = json.RawMessage(`{"type":"object","properties":{"kind":{"enum":["a"]}}}`)
	r := newRegistry(t, tool.Func(own, func(_ context.Context, in struct{ Kind string }, _ tool.Env) (string,
		error) {
		return in.Kind, nil
	}))
	require.Equal(t, "a", r.Dispatch(t.Context(), call("x", `{"kind":"a"}`), registry.Env{}).Text())
	require.True(t, r.Dispatch(t.Context(), call("x", `{"kind":"b"}`), registry.Env{}).IsError())
}

type embedded struct {
	Lang string `json:"lang" enum:"en,nb" default:"en"`
}

type taggedIn struct {
	embedded
	Unit  string   `json:"unit,omitempty" enum:"celsius,fahrenheit"`
	Days  int      `json:"days" default:"5" minimum:"1" maximum:"14"`
	Code  string   `json:"code" pattern:"^[A-Z]{3}$"`
	Name  string   `json:"name,omitempty" minLength:"1" maxLength:"80"`
	Mails []string `json:"mails,omitempty" format:"email" minItems:"1" maxItems:"2"`
	Sizes []int    `json:"sizes,omitempty" enum:"1,2" `
	Wide  *float64 `json:"wide,omitempty" minimum:"0.5"`
	Place struct {
		Exact bool `json:"exact" default:"true"`
	} `json:"place,omitzero"`
	Stops []struct {
		At time.Time `json:"at" jsonschema:"when to stop"`
	} `json:"stops,omitempty"`
}

func TestTags(t *testing.T) {
	var got taggedIn
	r := newRegistry(t, tool.Func(tool.Spec{Name: "x", Description: "A tool."},
		func(_ context.Context, in taggedIn, _ tool.Env) (string, error) { got = in; return "done", nil }))
	spec, _ := r.Spec("x")
	require.JSONEq(t, `{"type":"object","required":["code"],"additionalProperties":false,"properties":{
		"lang":{"type":"string","enum":["en","nb"],"default":"en"},
		"unit":{"type":"string","enum":["celsius","fahrenheit"]},
		"days":{"type":"integer","default":5,"minimum":1,"maximum":14},
		"code":{"type":"string","pattern":"^[A-Z]{3}$"},
		"name":{"type":"string","minLength":1,"maxLength":80},
		"mails":{"type":"array","minItems":1,"maxItems":2,"items":{"type":"string","format":"email"}},
		"sizes":{"type":"array","items":{"type":"integer","enum":[1,2]}},
		"wide":{"type":"number","minimum":0.5},
		"place":{"type":"object","additionalProperties":false,"properties":{"exact":{"type":"boolean","default":true}}},
		"stops":{"type":"array","items":{"type":"object","required":["at"],"additionalProperties":false,"properties":{
			"at":{"type":"string","format":"date-time",
				"description":"when to stop (written as in 2025-01-31T15:04:05Z)"}}}}
	}}`, string(spec.Schema))

	result := r.Dispatch(t.Context(), call("x", `{"code":"OSL"}`), registry.Env{})
	require.Equal(t, "done", result.Text())
	require.Equal(t, 5, got.Days)
	require.Equal(t, "en", got.Lang)
	require.True(t, got.Place.Exact)
	result = r.Dispatch(t.Context(), call("x", `{"code":"OSL","days":7,"place":{"exact":false},"lang":"nb"}`),
		registry.Env{})
	require.Equal(t, "done", result.Text())
	require.Equal(t, 7, got.Days)
	require.Equal(t, "nb", got.Lang)
	require.False(t, got.Place.Exact)
	result = r.Dispatch(t.Context(), call("x", `{"code":"osl","days":15,"unit":"kelvin","mails":["a","b","c"]}`),
		registry.Env{})
	require.Equal(t, tool.CodeInvalidInput, result.Code)
	for _, field := range []string{"code", "days", "unit", "mails"} {
		require.Contains(t, result.Text(), "/"+field)
	}
}

func TestTagsThatDoNotFit(t *testing.T) {
	spec := tool.Spec{Name: "x", Description: "A tool."}
	for want, one := range map[string]tool.Tool{
		`field N: tag default: "x" is no value of the type int`: tool.Func(spec,
			func(context.Context, struct {
				N int `default:"x"`
			}, tool.Env) (string, error) {
				return "", nil
			}),
		`field S: tag minimum: it is for numbers, not for string`: tool.Func(spec,
			func(context.Context, struct {
				S string `minimum:"1"`
			}, tool.Env) (string, error) {
				return "", nil
			}),
		`field N: tag maxLength: it is for a string, not for int`: tool.Func(spec,
			func(context.Context, struct {
				N int `maxLength:"1"`
			}, tool.Env) (string, error) {
				return "", nil
			}),
		`field S: tag default: c is not in the enum`: tool.Func(spec,
			func(context.Context, struct {
				S string `enum:"a,b" default:"c"`
			}, tool.Env) (string, error) {
				return "", nil
			}),
		`field P: tag default: a default is for fields that are not behind a pointer`: tool.Func(spec,
			func(context.Context, struct {
				P *int `default:"1"`
			}, tool.Env) (string, error) {
				return "", nil
			}),
		`does not compile`: tool.Func(spec,
			func(context.Context, struct {
				S string `pattern:"("`
			}, tool.Env) (string, error) {
				return "", nil
			}),
	} {
		_, err := registry.New(one)
		require.ErrorContains(t, err, want)
	}
}
