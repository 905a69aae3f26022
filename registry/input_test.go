package registry_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

func TestInputs(t *testing.T) {
	const schema = `{"type":"object","properties":{
		"text":{"type":"string"},"n":{"type":"integer"},"x":{"type":"number"},"on":{"type":"boolean"},
		"list":{"type":"array","items":{"type":"integer"}},
			"map":{"type":"object","additionalProperties":{"type":"boolean"}},
		"maybe":{"type":["integer","null"]},"either":{"anyOf":[{"type":"integer"},{"type":"boolean"}]},
		"textOrN":{"type":["string","integer"]},"ref":{"$ref":"#/$defs/a~1b"},"free":{},"kind":{"enum":["a","b"]}
	},"required":["text"],"additionalProperties":false,
		"$defs":{"a/b":{"type":"object","properties":{"n":{"type":"integer"}}}}}`
	r := newRegistry(t, echo(schema))
	for _, c := range []struct{ why, input, want string }{
		{"what is right stays as it is", `{ "text" : "x", "n":9007199254740993, "x": 1e+0400}`,
			`{ "text" : "x", "n":9007199254740993, "x": 1e+0400}`},
		{"every digit is kept", `{"text":"x","free":[9007199254740993,0.1000000000000000000001,-0,1E+2]}`,
			`{"text":"x","free":[9007199254740993,0.1000000000000000000001,-0,1E+2]}`},
		{"also of what is coerced", `{"text":"x","n":"9007199254740993","x":" 0.1000000000000000000001 "}`,
			`{"n":9007199254740993,"text":"x","x":0.1000000000000000000001}`},
		{"a number in quotes", `{"text":"x","n":"-12"}`, `{"n":-12,"text":"x"}`},
		{"an integer with a point", `{"text":"x","n":"2.0"}`, `{"n":2.0,"text":"x"}`},
		{"booleans in quotes", `{"text":"x","on":"true"}`, `{"on":true,"text":"x"}`},
		{"a scalar where an array is wanted", `{"text":"x","list":3}`, `{"list":[3],"text":"x"}`},
		{"a scalar in quotes where an array is wanted", `{"text":"x","list":"3"}`, `{"list":[3],"text":"x"}`},
		{"an array as text", `{"text":"x","list":"[1, \"2\"]"}`, `{"list":[1,2],"text":"x"}`},
		{"an object as text", `{"text":"x","map":"{\"a\":\"false\"}"}`, `{"map":{"a":false},"text":"x"}`},
		{"null in quotes", `{"text":"x","maybe":"null"}`, `{"maybe":null,"text":"x"}`},
		{"null where it is allowed", `{"text":"x","maybe":null}`, `{"text":"x","maybe":null}`},
		{"null for what need not be there", `{"text":"x","n":null,"list":null,"ref":null,"kind":null}`, `{"text":"x"}`},
		{"null where anything is allowed", `{"text":"x","free":null}`, `{"text":"x","free":null}`},
		{"alternatives", `{"text":"x","either":"true"}`, `{"either":true,"text":"x"}`},
		{"text stays text where that is allowed", `{"text":"12","textOrN":"12"}`, `{"text":"12","textOrN":"12"}`},
		{"through references", `{"text":"x","ref":{"n":"1"}}`, `{"ref":{"n":1},"text":"x"}`},
		{"characters stay what they are", `{"text":"<a&b>","n":"1"}`, `{"n":1,"text":"<a&b>"}`},

		{"all of it as text", `"{\"text\": \"x\", \"n\": 9007199254740993}"`, `{"n":9007199254740993,"text":"x"}`},
		{"all of it as text of text", ` " \"{\\\"text\\\":\\\"x\\\",\\\"n\\\":\\\"1\\\"}\" " `, `{"n":1,"text":"x"}`},
		{"nothing as text", `""`, "invalid tool call: the arguments do not fit the schema of echo:\nmissing property " +
			"'text'"},
		{"null as text", `" null"`, "invalid tool call: the arguments do not fit the schema of echo:\nmissing " +
			"property 'text'"},
		{"an array as all of the text", `"[{}]"`, "invalid tool call: the arguments must be a JSON object, not text"},
		{"text as text", `"\"x\""`, "invalid tool call: the arguments must be a JSON object, not text"},
		{"an object that is cut off, as text", `"{\"text\":"`,
			"invalid tool call: the arguments are not valid JSON: unexpected end of JSON input"},
		{"a name twice, as text", `"{\"text\":1,\"text\":2}"`,
			"invalid tool call: the arguments cannot be used: the name \"text\" is in an object twice"},
		{"too deep, as text", `"{\"text\":\"x\",\"free\":` + strings.Repeat("[", 128) + strings.Repeat("]", 128) + `}"`,
			"invalid tool call: the arguments cannot be used: the JSON has more than 128 levels of nesting"},
		{"many values, as text", `"{\"list\":[` + strings.Repeat("1,", 100_000) + `1]}"`,
			"invalid tool call: the arguments cannot be used: there are more than 100000 values. Pass less, for " +
				"example the name of a file."},
		{"no JSON", `{"text":`, "invalid tool call: the arguments are not valid JSON: unexpected end of JSON input"},
		{"something behind it", `{"text":"x"}}`,
			"invalid tool call: the arguments are not valid JSON: invalid character '}' after top-level value"},
		{"a number that takes forever to compute with", `{"text":"x","n":[1e99999999]}`,
			"invalid tool call: the arguments cannot be used: the number 1e99999999 is too large, too small or too " +
				"long"},
		{"one that is close to nothing", `{"text":"x","free":-1.0E-1000}`,
			"invalid tool call: the arguments cannot be used: the number -1.0E-1000 is too large, too small or too " +
				"long"},
		{"one that is long", `{"text":"x","free":{"a":` + strings.Repeat("1", 1001) + `}}`,
			"invalid tool call: the arguments cannot be used: the number " + strings.Repeat("1", 30) +
				"... is too large, too small or too long"},
		{"a name twice", `{"text":"x","free":{"a":1,"\u0061":2}}`,
			"invalid tool call: the arguments cannot be used: the name \"a\" is in an object twice"},
		{"an argument twice", `{"text":"x","text":"x"}`,
			"invalid tool call: the arguments cannot be used: the name \"text\" is in an object twice"},
		{"too many values", `{"text":"x","list":[` + strings.Repeat(`"",`, 100_000) + `1]}`,
			"invalid tool call: the arguments cannot be used: there are more than 100000 values. Pass less, for " +
				"example the name of a file."},
		{"one in quotes", `{"text":"x","n":"1e99999999"}`,
			"invalid tool call: the arguments do not fit the schema of echo:\n/n: got string, want integer"},
		{"an array", `["x"]`, "invalid tool call: the arguments must be a JSON object, not an array"},
		{"text", `"x"`, "invalid tool call: the arguments must be a JSON object, not text"},
		{"a number", ` 1 `, "invalid tool call: the arguments must be a JSON object, not a number"},
		{"nothing at all", ``, "invalid tool call: the arguments do not fit the schema of echo:\nmissing property " +
			"'text'"},
		{"null", `null`, "invalid tool call: the arguments do not fit the schema of echo:\nmissing property 'text'"},
		{"all that is wrong, in order", `{"n":"x","on":1,"list":["a"],"other":1}`,
			"invalid tool call: the arguments do not fit the schema of echo:\n" +
				"/list/0: got string, want integer\n/n: got string, want integer\n/on: got number, want boolean\n" +
				"additional properties 'other' not allowed\nmissing property 'text'"},
		{"all that is unknown, in order", `{"text":"x","f":1,"e":1,"d":1,"c":1,"b":1,"a":1}`,
			"invalid tool call: the arguments do not fit the schema of echo:\n" +
				"additional properties 'a', 'b', 'c', 'd', 'e', 'f' not allowed"},
		{"numbers that are none", `{"text":"x","x":"0x10","n":"1_000"}`,
			"invalid tool call: the arguments do not fit the schema of echo:\n" +
				"/n: got string, want integer\n/x: got string, want number"},
		{"a fraction where an integer is wanted", `{"text":"x","n":1.5}`,
			"invalid tool call: the arguments do not fit the schema of echo:\n/n: got number, want integer"},
		{"no number becomes text", `{"text":12}`,
			"invalid tool call: the arguments do not fit the schema of echo:\n/text: got number, want string"},
		{"none of the values", `{"text":"x","kind":"c"}`,
			"invalid tool call: the arguments do not fit the schema of echo:\n/kind: value must be one of 'a', 'b'"},
	} {
		t.Run(c.why, func(t *testing.T) {
			result := r.Dispatch(t.Context(), call("echo", c.input), registry.Env{})
			require.Equal(t, c.want, result.Text())
			require.Equal(t, strings.HasPrefix(c.want, "invalid"), result.Code == tool.CodeInvalidInput)
		})
	}
	require.Contains(t, r.Dispatch(t.Context(), call("echo", `{"text":"xyz"}`),
		registry.Env{Limits: registry.Limits{Input: 13}}).Text(), "have 14 bytes, and may have 13")
	many := r.Dispatch(t.Context(), call("echo", `{"text":"x","list":["`+strings.Repeat(`a","`, 5000)+`"]}`),
		registry.Env{}).Text()
	require.Less(t, len(many), 2000)
	require.Contains(t, many, "and 4981 more")
	deep := r.Dispatch(t.Context(), call("echo", strings.Repeat(`{"free":`, 20000)+"1"+strings.Repeat(`}`, 20000)),
		registry.Env{})
	require.Equal(t, tool.CodeInvalidInput, deep.Code)
}

// choosy reports invalid input in its own words.
type choosy struct{ tool.Tool }

func (choosy) CheckInput(input map[string]any) error {
	if _, ok := input["code"].(string); !ok {
		return tool.Errorf("Error: code parameter is required and must be a string")
	}
	return nil
}

func TestAToolsOwnWordsComeFirst(t *testing.T) {
	r := newRegistry(t, choosy{echo(
		`{"type":"object","properties":{"code":{"type":"string"},"n":{"type":"integer"}},"required":["code"]}`)})
	result := r.Dispatch(t.Context(), call("echo", `{"n":"x"}`), registry.Env{})
	require.Equal(t, "Error: code parameter is required and must be a string", result.Text())
	require.Equal(t, tool.CodeInvalidInput, result.Code)
	require.Contains(t, r.Dispatch(t.Context(), call("echo", `{"code":"","n":"x"}`), registry.Env{}).Text(),
		"/n: got string")
	require.False(t, r.Dispatch(t.Context(), call("echo", `{"code":"","n":"1"}`), registry.Env{}).IsError())
}

func TestWhatIsCheckedIsWhatIsExecuted(t *testing.T) {
	spec := tool.Spec{Name: "echo", Description: "Echoes.", Schema: json.RawMessage(
		`{"type":"object","properties":{"command":{"enum":["view"]},"name":{},"Name":{}},"required":["command"]}`)}
	type in struct{ Command, Name string }
	open := newRegistry(t, tool.Func(spec, func(_ context.Context, in in, _ tool.Env) (string, error) {
		return in.Command, nil
	}))
	for _, input := range []string{`{"command":"view","COMMAND":"delete"}`, `{"COMMAND":"delete","command":"view"}`,
		`{"command":"view","\u0043ommand":"delete"}`} {
		result := open.Dispatch(t.Context(), call("echo", input), registry.Env{})
		require.Equal(t, tool.CodeInvalidInput, result.Code, input)
		require.Regexp(t, `^invalid tool call: there is no argument "(COMMAND|Command)". Do you mean "command"\?$`,
			result.Text())
	}
	for _, input := range []string{`{"command":"view","name":"a","Name":"b"}`, `{"command":"view","other":1}`} {
		require.Equal(t, "view", open.Dispatch(t.Context(), call("echo", input), registry.Env{}).Text())
	}
}
