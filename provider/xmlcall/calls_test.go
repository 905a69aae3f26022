package xmlcall_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/provider/xmlcall"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// property is the schema of a tool with one property, p, and what the schema refers to.
func property(schema string) string {
	return `{"type": "object", "properties": {"p": ` + schema + `}, "additionalProperties": false, "$defs": {
		"count": {"type": "integer"}, "color": {"enum": ["red", "blue"], "description": "Which color."},
		"here": {"$anchor": "here", "type": "integer"}, "moving": {"$dynamicAnchor": "moving", "type": "boolean"},
		"again": {"$ref": "#/$defs/again2"}, "again2": {"$ref": "#/$defs/again"},
		"tree": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#/$defs/tree"}}]}
	}}`
}

func call(params ...string) string {
	b := xmlcall.Block{Tool: "t"}
	for i := 0; i < len(params); i += 2 {
		b.Params = append(b.Params, xmlcall.Param{Key: params[i], Value: params[i+1]})
	}
	return b.String()
}

// TestCallsByType has the schema of a property, the values that are given for it, and what comes of them: JSON, or an
// error.
func TestCallsByType(t *testing.T) {
	const (
		texts    = `{"type": "array", "items": {"type": "string"}}`
		integers = `{"type": "array", "items": {"type": "integer"}}`
		failed   = "Failed to parse "
	)
	values := func(v ...string) []string { return v }
	for _, test := range []struct {
		name, schema string
		values       []string
		want         string
	}{
		{"text is as it is", `{"type": "string"}`, values(" <5>\n"), `" <5>\n"`},
		{"text that is a number stays text", `{"type": "string"}`, values("5"), `"5"`},
		{"text that is JSON stays text", `{"type": "string"}`, values(`{"a":1}`), `"{\"a\":1}"`},
		{"text that is no UTF-8 is mended", `{"type": "string"}`, values("a\x80"), `"a\ufffd"`},

		{"an integer", `{"type": "integer"}`, values(" -5\n"), `-5`},
		{"an integer with more digits than a float has", `{"type": "integer"}`, values("9007199254740993"),
			`9007199254740993`},
		{"an integer with a fraction of nothing", `{"type": "integer"}`, values("2.0"), `2`},
		{"an integer with an exponent", `{"type": "integer"}`, values("1e3"), `1000`},
		{"an integer with a point and an exponent", `{"type": "integer"}`, values("-12.50e+1"), `-125`},
		{"an integer with an exponent that makes it smaller", `{"type": "integer"}`, values("1200E-2"), `12`},
		{"an exponent that leaves a fraction", `{"type": "integer"}`, values("1200e-3"),
			failed + "'1200e-3' as integer for parameter 'p'"},
		{"an integer that has all of its digits in the fraction", `{"type": "integer"}`, values("0.0045e4"), `45`},
		{"nothing, in many ways", `{"type": "array", "items": {"type": "integer"}}`, values("0.0", "-0.0", "0e5",
			"0.00e-9"), `[0,0,0,0]`},
		{"an integer that no float is", `{"type": "integer"}`, values("90071992547409930.0e-1"), `9007199254740993`},
		{"an integer beyond all floats", `{"type": "integer"}`, values("1e400"), `1` + strings.Repeat("0", 400)},
		{"an integer with more digits than may be", `{"type": "integer"}`, values("12e999"),
			failed + "'12e999' as integer for parameter 'p'"},
		{"a fraction that a float cannot have", `{"type": "integer"}`, values("4503599627370497.5"),
			failed + "'4503599627370497.5' as integer for parameter 'p'"},
		{"what is nearly an integer", `{"type": "integer"}`, values("0.99999999999999999999"),
			failed + "'0.99999999999999999999' as integer for parameter 'p'"},
		{"a fraction that is nearly nothing", `{"type": "integer"}`, values("1e-400"),
			failed + "'1e-400' as integer for parameter 'p'"},
		{"a word for an integer", `{"type": "integer"}`, values("x"), failed + "'x' as integer for parameter 'p'"},
		{"a fraction for an integer", `{"type": "integer"}`, values("1.5"),
			failed + "'1.5' as integer for parameter 'p'"},
		{"nothing for an integer", `{"type": "integer"}`, values(""), failed + "'' as integer for parameter 'p'"},
		{"a number that JSON does not have", `{"type": "integer"}`, values("0x10"),
			failed + "'0x10' as integer for parameter 'p'"},
		{"a huge exponent", `{"type": "integer"}`, values("1e999999999"),
			failed + "'1e999999999' as integer for parameter 'p'"},
		{"an integer that is long", `{"type": "integer"}`, values(strings.Repeat("x", 500)),
			failed + "'" + strings.Repeat("x", 100) + "...' as integer for parameter 'p'"},

		{"a number", `{"type": "number"}`, values("0.10000000000000000001"), `0.10000000000000000001`},
		{"a word for a number", `{"type": "number"}`, values("NaN"), failed + "'NaN' as number for parameter 'p'"},
		{"a boolean", `{"type": "boolean"}`, values("true"), `true`},
		{"a boolean as Python has them", `{"type": "boolean"}`, values(" False "), `false`},
		{"a word for a boolean", `{"type": "boolean"}`, values("yes"), failed + "'yes' as boolean for parameter 'p'"},
		{"null", `{"type": "null"}`, values("null"), `null`},
		{"a word for null", `{"type": "null"}`, values("x"), failed + "'x' as null for parameter 'p'"},

		{"an object is JSON", `{"type": "object"}`, values("\n{\"b\": [1.0, 9007199254740993],\n\"a\": \"<\"}\n"),
			`{"b":[1.0,9007199254740993],"a":"<"}`},
		{"an object that is not JSON", `{"type": "object"}`, values("{a: 1}"),
			failed + "'{a: 1}' as object for parameter 'p': invalid character"},
		{"an array for an object", `{"type": "object"}`, values("[]"), failed + "'[]' as object for parameter 'p'"},

		{"one value of an array", texts, values("a"), `["a"]`},
		{"several values of an array", integers, values("1", "2", "3"), `[1,2,3]`},
		{"an array as JSON", texts, values(`["a", "b"]`), `["a","b"]`},
		{"arrays as JSON between others", integers, values("1", "[2, 3]", "4"), `[1,2,3,4]`},
		{"an array as JSON of other things is text", texts, values("[0]"), `["[0]"]`},
		{"an empty value is an array of nothing", texts, values(""), `[]`},
		{"so is white space, if it cannot be text", integers, values(" \n"), `[]`},
		{"but not if there are others", texts, values("", "a"), `["","a"]`},
		{"a word in an array of integers", integers, values("1", "x"), failed + "'x' as integer for parameter 'p'"},
		{"an array of arrays, by its rows", `{"type": "array", "items": ` + integers + `}`, values("[1, 2]", "[3]"),
			`[[1,2],[3]]`},
		{"an array of arrays at once", `{"type": "array", "items": ` + integers + `}`, values("[[1, 2], [3]]"),
			`[[1,2],[3]]`},
		{"an array of objects", `{"type": "array", "items": {"type": "object"}}`, values(`{"a": 1}`, `{"b": 2}`),
			`[{"a":1},{"b":2}]`},
		{"an array of anything", `{"type": "array"}`, values("1", "a", "true"), `[1,"a",true]`},
		{"a value that can be there once", `{"type": "string"}`, values("a", "b"),
			"Parameter 'p' is given 2 times, and can be given once"},

		{"an integer or null", `{"type": ["integer", "null"]}`, values("5"), `5`},
		{"null instead of an integer", `{"type": ["integer", "null"]}`, values("null"), `null`},
		{"nothing instead of an integer", `{"anyOf": [{"type": "integer"}, {"type": "null"}]}`, values(""), `null`},
		{"neither integer nor null", `{"type": ["integer", "null"]}`, values("x"),
			failed + "'x' as integer for parameter 'p'"},
		{"null instead of text", `{"type": ["string", "null"]}`, values("null"), `null`},
		{"nothing is text", `{"type": ["string", "null"]}`, values(""), `""`},
		{"null instead of an array", `{"anyOf": [` + integers + `, {"type": "null"}]}`, values("null"), `null`},
		{"an array or null", `{"anyOf": [{"type": "null"}, ` + integers + `]}`, values("5"), `[5]`},
		{"an integer where text is possible", `{"type": ["string", "integer"]}`, values("5"), `5`},
		{"digits that are no number", `{"type": ["string", "integer"]}`, values("007"), `"007"`},
		{"a number with white space, where text is possible", `{"type": ["string", "integer"]}`, values("5\n"),
			`"5\n"`},
		{"a boolean as Python has them, where text is possible", `{"type": ["string", "boolean"]}`, values("True"),
			`"True"`},
		{"an array where text is possible", `{"anyOf": [{"type": "string"}, ` + texts + `]}`, values(`["a"]`), `["a"]`},
		{"text where an array is possible", `{"anyOf": [{"type": "string"}, ` + texts + `]}`, values("a"), `"a"`},
		{"texts where an array is possible", `{"anyOf": [{"type": "string"}, ` + texts + `]}`, values("a", "b"),
			`["a","b"]`},
		{"an integer or a boolean, and neither", `{"type": ["boolean", "integer"]}`, values("x"),
			failed + "'x' as integer or boolean for parameter 'p'"},

		{"a text of a choice", `{"enum": ["1", "2", 3]}`, values("1"), `"1"`},
		{"a number of a choice", `{"enum": ["1", "2", 3]}`, values("3"), `3`},
		{"a constant", `{"const": 5}`, values("5"), `5`},
		{"a reference", `{"$ref": "#/$defs/count"}`, values("5"), `5`},
		{"a reference to nothing but references", `{"$ref": "#/$defs/again"}`, values("5"), `5`},
		{"a schema that contains itself", `{"$ref": "#/$defs/tree"}`, values("[1, [2, 3]]"), `[1,[2,3]]`},
		{"an anchor", `{"$ref": "#here"}`, values("5"), `5`},
		{"an optional reference", `{"anyOf": [{"$ref": "#here"}, {"type": "null"}]}`, values("5"), `5`},
		{"references in allOf", `{"allOf": [{"$ref": "#here"}, {"$ref": "#/$defs/count"}]}`, values("5"), `5`},
		{"a dynamic reference", `{"$dynamicRef": "#moving"}`, values("true"), `true`},
		{"all of several schemas", `{"allOf": [{"minimum": 1}, {"type": "integer"}]}`, values("5"), `5`},
		{"anything that is JSON", `{}`, values(`{"a": 1}`), `{"a":1}`},
		{"anything that is not", `true`, values("a [1"), `"a [1"`},
		{"anything, twice", `{}`, values("1", "x"), `[1,"x"]`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var params []string
			for _, v := range test.values {
				params = append(params, "p", v)
			}
			_, definitions := tools(t, toolOf("t", property(test.schema)))
			calls := xmlcall.Calls(definitions, call(params...))
			require.Len(t, calls, 1)
			if strings.HasPrefix(test.want, failed) || strings.HasPrefix(test.want, "Parameter") {
				require.ErrorContains(t, calls[0].Err, test.want)
				var e *tool.ModelError
				require.ErrorAs(t, calls[0].Err, &e)
				require.Equal(t, tool.CodeInvalidInput, e.Code)
				return
			}
			require.NoError(t, calls[0].Err)
			require.Equal(t, `{"p":`+test.want+`}`, string(calls[0].Input))
		})
	}
}

// TestCallsByKey has keys, each with the value 1, and the input that comes of them.
func TestCallsByKey(t *testing.T) {
	const schema = `{
		"type": "object",
		"properties": {
			"b": {"type": "integer"}, "a": {"type": "string"}, "paths": {"type": "array", "items": {"type": "string"}},
			"entry": {"type": "array"}, "box": {"type": ["array", "null"]},
				"file": {"type": "string"}, "files": {"type": "array"},
			"days": {"type": "string"}, "s": {"type": "array"}, "cities": {"type": "array"},
				"ax": {"type": "array"}, "axe": {"type": "array"}
		}
	}`
	for _, test := range []struct{ name, keys, want string }{
		{"arguments are in the order in which they are written", "b a paths", `{"b":1,"a":"1","paths":["1"]}`},
		{"the singular stands for an array", "path", `{"paths":["1"]}`},
		{"both stand for one array", "path a paths path", `{"paths":["1","1","1"],"a":"1"}`},
		{"the plural stands for an array", "entries", `{"entry":[1]}`},
		{"so does one with es", "boxes", `{"box":[1]}`},
		{"so does one with ies, either way", "city entries", `{"cities":[1],"entry":[1]}`},
		{"an s is no plural of nothing", "ss", `{"s":[1]}`},
		{"a property of that name goes first", "file", `{"file":"1"}`},
		{"the plural of what is no array is unknown", "day", `{"day":"1"}`},
		{"what could be two arrays is unknown", "axes ax", `{"axes":"1","ax":[1]}`},
		{"what is unknown is kept as text", "zzz yyy zzz", `{"zzz":["1","1"],"yyy":"1"}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var params []string
			for _, key := range strings.Fields(test.keys) {
				params = append(params, key, "1")
			}
			_, definitions := tools(t, toolOf("t", schema))
			calls := xmlcall.Calls(definitions, call(params...))
			require.NoError(t, calls[0].Err)
			require.Equal(t, test.want, string(calls[0].Input))
		})
	}
}

// manyParams returns a tool with n properties, and a call with as many different params, each the plural of one.
func manyParams(t testing.TB, n int) (definitions []*tool.Definition, text string) {
	var properties, params []string
	for i := range n {
		properties = append(properties, fmt.Sprintf(`"property_%d_%s": {"type": "array"}`, i, strings.Repeat("x", 50)))
		params = append(params, fmt.Sprintf("property_%d_%ss", i, strings.Repeat("x", 50)), strings.Repeat("y", 40))
	}
	input := json.RawMessage(`{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`)
	return []*tool.Definition{{Name: "t", Input: input}}, call(params...)
}

func TestManyParams(t *testing.T) {
	cost := map[int]uint64{}
	for _, n := range []int{1200, 4800} {
		definitions, text := manyParams(t, n)
		cost[n] = allocated(func() {
			calls := xmlcall.Calls(definitions, text)
			require.NoError(t, calls[0].Err)
			require.Contains(t, string(calls[0].Input), `{"property_0_x`)
		})
	}
	require.LessOrEqual(t, cost[4800], 5*cost[1200])
}

// BenchmarkManyParams has as many params as properties, which must not be looked through for each: four times as many
// take about four times as long.
func BenchmarkManyParams(b *testing.B) {
	for _, n := range []int{1200, 4800} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			definitions, text := manyParams(b, n)
			for b.Loop() {
				xmlcall.Calls(definitions, text)
			}
		})
	}
}

func TestCallsNameEverythingThatIsWrong(t *testing.T) {
	_, definitions := tools(t, toolOf("t",
		`{"type": "object", "properties": {"a": {"type": "integer"}, `+
			`"b": {"type": "boolean"}, "c": {"type": "string"}}}`))
	calls := xmlcall.Calls(definitions, call("a", "x", "c", "y", "b", "z"))
	require.EqualError(t, calls[0].Err,
		"Failed to parse 'x' as integer for parameter 'a'\nFailed to parse 'z' as boolean for parameter 'b'")
	require.Empty(t, calls[0].Input)
	require.Equal(t, "t", calls[0].Tool)
}

func TestCallsReadAdditionalPropertiesAsTheirSchemaSays(t *testing.T) {
	_, definitions := tools(t, toolOf("t", `{"type": "object", "additionalProperties": {"type": "integer"}}`))
	calls := xmlcall.Calls(definitions, call("a", "1"))
	require.Equal(t, `{"a":1}`, string(calls[0].Input))
}

func TestCallsFindPropertiesInAlternatives(t *testing.T) {
	_, definitions := tools(t, toolOf(
		"t", `{"type": "object", "oneOf": [{"properties": {"a": {"type": "integer"}}}, {"$ref": "#/$defs/b"}],
		"$defs": {"b": {"properties": {"b": {"type": "boolean"}}}}}`))
	calls := xmlcall.Calls(definitions, call("a", "1", "b", "true"))
	require.Equal(t, `{"a":1,"b":true}`, string(calls[0].Input))
}

func TestCallsOfUnknownToolsAndWithoutSchemas(t *testing.T) {
	calls := xmlcall.Calls([]*tool.Definition{{Name: "plain"}},
		"<tool:x><param:a>1</param:a></tool:x><tool:plain/>")
	require.NoError(t, calls[0].Err)
	require.Equal(t, `{"a":"1"}`, string(calls[0].Input))
	require.Equal(t, `{}`, string(calls[1].Input))
}

func TestDispatchDoesWhatIsSoundAndTellsWhatIsNot(t *testing.T) {
	r, definitions := tools(t, toolOf("count",
		`{"type": "object", "properties": {"n": {"type": "integer", "minimum": 0}}, "additionalProperties": false}`))
	calls := xmlcall.Calls(definitions, strings.Join([]string{
		"I count:", "<tool:count><param:n>1</param:n></tool:count>", "<tool:count><param:n>x</param:n></tool:count>",
		"<tool:count><param:n>2</param:m></tool:count>", "<tool:nothing/>",
		"<tool:count><param:n>-1</param:n><param:m>1</param:m></tool:count>",
		"<tool:count><param:n>3</param:n></tool:count>",
	}, "\n"))
	require.Len(t, calls, 6)
	for i := range calls {
		calls[i].ID = fmt.Sprint("id-", i)
	}
	results := xmlcall.Dispatch(context.Background(), r, calls, registry.Env{})
	var texts []string
	for i, result := range results {
		require.Equal(t, calls[i].ID, result.CallID)
		require.Equal(t, calls[i].Tool, result.Tool)
		texts = append(texts, fmt.Sprintf("%s %s", result.Code, result.Text()))
	}
	require.Equal(t, []string{
		` {"n":1}`,
		`invalid_input Failed to parse 'x' as integer for parameter 'n'`,
		`invalid_input invalid tool call: <param:n> in <tool:count> is closed by </param:m>`,
		`unknown_tool Unknown tool: nothing`,
		"invalid_input invalid tool call: the arguments do not fit the schema of count:\n/n: minimum: got -1, want " +
			"0\nadditional properties 'm' not allowed",
		` {"n":3}`,
	}, texts)
	var e *tool.ModelError
	require.True(t, errors.As(results[2].Err, &e))
}

// TestHostileSchemas has schemas that are made to take forever. They compile. Who followed each way through them would
// not end.
func TestHostileSchemas(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	wide := func(keyword string) string { // 20 to the 12th ways through it
		var defs []string
		for level := range 12 {
			var parts []string
			for range 20 {
				parts = append(parts, fmt.Sprintf(`{"$ref": "#/$defs/d%d"}`, level+1))
			}
			defs = append(defs, fmt.Sprintf(`"d%d": {"%s": [%s]}`, level, keyword, strings.Join(parts, ",")))
		}
		return `{"type": "object", "properties": {"p": {"$ref": "#/$defs/d0"}}, "required": ["p"], "$defs": {` +
			strings.Join(defs, ",") + `, "d12": {"type": "integer"}}}`
	}
	required := func(width int) string { // objects in objects, without end
		var properties, names []string
		for i := range width {
			properties = append(properties, fmt.Sprintf(`"p%d": {"$ref": "#/$defs/o", "description": "%s"}`, i,
				strings.Repeat("long ", 5000)))
			names = append(names, fmt.Sprintf(`"p%d"`, i))
		}
		return `{"type": "object", "properties": {"p": {"$ref": "#/$defs/o"}}, "required": ["p"],
			"$defs": {"o": {"type": "object",
			"properties": {` + strings.Join(properties, ",") + `}, "required": [` + strings.Join(names, ",") + `]}}}`
	}
	nested := func(open, end string) string {
		return `{"type": "object", "properties": {"p": ` + strings.Repeat(open, 60) + `{}` + strings.Repeat(end, 60) +
			`}, "required": ["p"]}`
	}
	var manyNames []string
	for i := range 200 {
		manyNames = append(manyNames, fmt.Sprintf(`"p%d"`, i))
	}
	for name, schema := range map[string]string{
		"anyOf": wide("anyOf"), "oneOf": wide("oneOf"), "allOf": wide("allOf"), "objects": required(20),
		"many of anyOf": strings.Replace(wide("anyOf"), `"p": {`, strings.Join(manyNames, `: {"$ref": "#/$defs/d0"}, `)+
			`: {"$ref": "#/$defs/d0"}, "p": {`, 1),
		"itself":       `{"type": "object", "properties": {"p": {"$ref": "#"}}, "required": ["p"]}`,
		"deep objects": nested(`{"type": "object", "required": ["q"], "properties": {"q": `, `}}`),
		"deep arrays":  nested(`{"type": "array", "items": `, `}`),
		"many choices": `{"type": "object", "properties": {"p": {"enum": [` + strings.Repeat(`"x",`, 50000) + `"y"]}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			definitions := []*tool.Definition{{Name: "t", Description: "Does.", Input: json.RawMessage(schema)}}
			xmlcall.Calls(definitions, call("p", "1", "q", "2"))
			xmlcall.Calls(definitions, call("p", "1", "p", "{}"))
			prompt := xmlcall.Prompt(definitions, nil)
			require.Less(t, len(prompt), 50<<10)
		})
	}
}
