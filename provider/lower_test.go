package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/schema"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// loosely has the rules without strict mode, strictly those with it.
var (
	loosely = map[string]*rules{"claude": claudeRules, "openai": openAIRules, "gemini": geminiRules,
		"bedrock": bedrockRules}
	strictly = map[string]*rules{"claude": claudeStrict, "openai": openAIStrict, "bedrock": bedrockStrict}
)

func lowerJSON(t testing.TB, schema string, rules *rules) (string, []string, error) {
	t.Helper()
	root, err := jsontree.Parse([]byte(schema))
	require.NoError(t, err)
	low, err := lower(root, rules)
	if err != nil {
		return "", nil, err
	}
	encoded, err := low.schema.Encode(maxSchema)
	require.NoError(t, err)
	return string(encoded), low.notes, nil
}

// in returns a schema with one property, p.
func in(schema string, more ...string) string {
	return `{"type":"object","properties":{"p":` + schema + `}` + strings.Join(more, "") + `}`
}

func TestLower(t *testing.T) {
	for _, test := range []struct {
		name  string
		rules *rules
		from  string
		want  string
		notes []string
	}{
		{"order stays", claudeRules,
			`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"},"m":{}}}`,
			`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"},"m":{}}}`, nil},
		{"unknown keywords go", claudeRules,
			in(`{"type":"string","x-order":1,"$comment":"c","readOnly":true,"nullable":true}`),
			in(`{"type":"string"}`), nil},
		{"numbers keep their digits", claudeRules,
			in(`{"minimum":9007199254740993,"enum":[0.1000000000000000000001,1e400]}`),
			in(`{"minimum":9007199254740993,"enum":[0.1000000000000000000001,1e400]}`), nil},
		{"a reference with something beside it", claudeRules,
			in(`{"$ref":"#/$defs/d","description":"Mine.","maxLength":3}`,
				`,"$defs":{"d":{"type":"string","description":"Theirs.","maxLength":5}}`),
			in(`{"description":"Mine.\nTheirs.\nMust have at most 5 characters.","maxLength":3,"type":"string"}`), nil},
		{"a reference of draft 7 stands alone", claudeRules,
			`{"$schema":"http://json-schema.org/draft-07/schema#",` +
				`"type":"object","definitions":{"d":{"type":"string"}},` +
				`"properties":{"p":{"$ref":"#/definitions/d","description":"Mine.","maxLength":3}}}`,
			in(`{"description":"Mine.","type":"string"}`), nil},
		{"references by name and by pointer",
			claudeRules, `{"type":"object",
				"properties":{"a":{"$ref":"#n"},"b":{"$ref":"#/$defs/a~1b%25"},"c":{"$ref":"urn:x#/a"}},
			"$defs":{"d":{"$anchor":"n","type":"string"},"a/b%":{"type":"null"}}}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"null"},` +
				`"c":{"description":"Must match the schema urn:x#/a."}}}`, nil},
		{"a reference to the root", claudeRules,
			`{"type":"object","properties":{"inner":{"$ref":"#"}},"required":["inner"]}`,
			`{"type":"object","properties":{"inner":{"type":"object",` +
				`"description":"The same again as the whole of the arguments."}},"required":["inner"]}`, nil},
		{"references in a circle", claudeRules, in(`{"$ref":"#/$defs/a"}`,
			`,"$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/b"}},`+
				`"b":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"string"}]}}`),
			in(`{"type":"array","items":{"anyOf":[{"type":"array",` +
				`"description":"The same again as the \"a\" that it is in.","items":{}},{"type":"string"}]}}`), nil},
		{"a schema of schemas", geminiRules, in(`{"$ref":"https://json-schema.org/draft/2020-12/schema"}`),
			in(`{"description":"Must match the schema https://json-schema.org/draft/2020-12/schema."}`), nil},
		{"allOf", claudeRules, in(
			`{"allOf":[{"type":["string","integer"],"maxLength":4,"enum":["a"]},` +
				`{"type":["integer","string"],"maxLength":4,"enum":["a","b"]},{"type":"string","minLength":1}]}`),
			in(`{"type":"string","maxLength":4,"enum":["a"],"minLength":1,` +
				`"description":"Must be one of \"a\", \"b\"."}`), nil},
		{"allOf of objects", claudeRules,
			`{"type":"object","properties":{"a":{"type":"number"}},"required":["a"],` +
				`"allOf":[{"properties":{"b":{"type":"string"},"a":{"minimum":1}},"required":["b","a"]},` +
				`{"required":["c"],"minProperties":2}]}`,
			`{"type":"object","properties":{"a":{"type":"number","minimum":1},"b":{"type":"string"}},` +
				`"required":["a","b","c"],"minProperties":2}`, nil},
		{"a number that is an integer", claudeRules, in(`{"allOf":[{"type":"number"},{"type":"integer"}]}`),
			in(`{"type":"integer"}`), nil},
		{"oneOf becomes anyOf", claudeRules,
			in(`{"oneOf":[{"type":"string"},{"type":"null"},{"type":"string"},false]}`),
			in(`{"anyOf":[{"type":"string"},{"type":"null"}]}`), nil},
		{"one alternative is none", claudeRules, in(`{"anyOf":[{"type":"string"}],"description":"d"}`),
			in(`{"description":"d","type":"string"}`), nil},
		{"an alternative that takes anything", claudeRules,
			in(`{"anyOf":[{"type":"string"},{"not":{"type":"array"}}]}`),
			in(`{"description":"Must also match one of [{\"type\":\"string\"},{\"not\":{\"type\":\"array\"}}]."}`),
			nil},
		{"alternatives apart", geminiRules,
			in(`{"type":"object","description":"d","properties":{"a":{"type":"string"}},` +
				`"anyOf":[{"required":["a"]},{"type":"string"},{"properties":{"b":{"type":"null"}}}]}`),
			in(`{"description":"d","anyOf":[{"required":["a"],"type":"object","properties":{"a":{"type":"string"}}},` +
				`{"properties":{"b":{"type":"null"},"a":{"type":"string"}},"type":"object"}]}`), nil},
		{"two lists of alternatives", claudeRules,
			in(`{"anyOf":[{"type":"string"},{"type":"null"}],"oneOf":[{"maxLength":3},{"minLength":9}]}`),
			in(`{"anyOf":[{"type":"string"},{"type":"null"}],` +
				`"description":"Must also match one of [{\"maxLength\":3},{\"minLength\":9}]."}`), nil},
		{"sentences", geminiRules, in(
			`{"type":"string","minLength":1,"maxLength":3,"pattern":"^a+$","format":"uuid","default":"a",` +
				`"examples":["a","aa"],"contentEncoding":"base64","contentMediaType":"image/png","deprecated":true}`),
			in(`{"type":"string","description":"Must have at least 1 character. ` +
				`Must have at most 3 characters. Must match the pattern ^a+$. Format: uuid. Default: \"a\". ` +
				`Examples: \"a\", \"aa\". Encoded as base64. Content of the type image/png. Deprecated."}`), nil},
		{"bounds", geminiRules, in(
			`{"type":"number","exclusiveMinimum":0,"maximum":5,"exclusiveMaximum":5,"multipleOf":0.5}`),
			in(`{"type":"number","minimum":0,"maximum":5,` +
				`"description":"Must be greater than 0. Must be less than 5. Must be a multiple of 0.5."}`), nil},
		{"bounds of draft 4", claudeRules,
			`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"p":{"minimum":1,` +
				`"exclusiveMinimum":true,"maximum":2,"exclusiveMaximum":false,"const":5}}}`,
			in(`{"minimum":1,"exclusiveMinimum":1,"maximum":2}`), nil},
		{"tuples of draft 7", claudeRules,
			`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",` +
				`"properties":{"p":{"items":[{"type":"string"},{}],"additionalItems":{"type":"null"}}}}`,
			in(`{"prefixItems":[{"type":"string"},{}],"items":{"type":"null"}}`), nil},
		{"closed tuples", claudeRules, in(`{"type":"array","prefixItems":[{"type":"string"}],"items":false}`),
			in(`{"type":"array","prefixItems":[{"type":"string"}],"maxItems":1,"items":{}}`), nil},
		{"values", geminiRules, in(`{"enum":["a",1]}`), in(`{"type":["string","number"],"enum":["a",1]}`), nil},
		{"values that are not plain", geminiRules, in(`{"enum":["a",null,{"b":1}]}`),
			in(`{"description":"Must be one of \"a\", null, {\"b\":1}."}`), nil},
		{"a constant", geminiRules, in(`{"const":"a","description":"d"}`),
			in(`{"type":"string","enum":["a"],"description":"d"}`), nil},
		{"a constant that is not plain", geminiRules, in(`{"const":true}`), in(`{"description":"Must be true."}`), nil},
		{"arrays have items", openAIRules, in(`{"type":["array","null"]}`), in(`{"type":["array","null"],"items":{}}`),
			nil},
		{"properties by patterns", geminiRules,
			in(`{"type":"object","patternProperties":{"^x":{"type":"string"}},` +
				`"additionalProperties":false,"propertyNames":{"maxLength":3}}`),
			in(`{"type":"object","description":"A property whose name matches ` +
				`^x must match {\"type\":\"string\"}. The names of properties must match {\"maxLength\":3}."}`), nil},
		{"logic", claudeRules, in(
			`{"if":{"type":"string"},"then":{"minLength":2},"else":false,"not":{"const":""},` +
				`"contains":{"const":1},"minContains":2,"maxContains":3,"dependentSchemas":{"a":{"required":["b"]}},` +
				`"dependentRequired":{"a":["b"]},"unevaluatedProperties":false}`),
			in(`{"dependentRequired":{"a":["b"]},` +
				`"description":"If it matches {\"type\":\"string\"}, it must match {\"minLength\":2}, and otherwise ` +
				`false. Must not match {\"const\":\"\"}. At least 2 items and at most 3 must match {\"const\":1}. ` +
				`With \"a\" it must match {\"required\":[\"b\"]}. No other properties are allowed."}`), nil},
		{"never", claudeRules, in(`false`), in(`{"description":"Not allowed."}`), nil},

		{"the root has fewer keywords", openAIRules,
			`{"type":"object","enum":[{}],"not":{"required":["x"]},"minProperties":1}`,
			`{"type":"object","minProperties":1,"properties":{}}`, []string{"Must not match {\"required\":[\"x\"]}.",
				"Must be one of {}."}},
		{"the root has three keywords", bedrockRules,
			`{"$schema":"https://json-schema.org/draft/2020-12/schema",` +
				`"type":"object","title":"T","description":"Of the root.",` +
				`"properties":{"p":{}},"required":["p"],"additionalProperties":{"type":"string"},"minProperties":2}`,
			in(`{}`, `,"required":["p"]`),
			[]string{"Of the root.", `All other properties must match {"type":"string"}.`,
				"Must have at least 2 properties."}},
		{"names that are refused", claudeRules,
			`{"type":"object","properties":{"a":{},"b c":{"type":"string","minLength":1},"d[]":{"not":{}}},` +
				`"required":["b c","a"],"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{}},"required":["a"]}`,
			[]string{`There must also be a property "b c": {"type":"string","minLength":1}`,
				`There may also be a property "d[]": {"description":"Must not match {}."}`}},
		{"alternatives at the root", claudeRules, `{"type":"object","properties":{"all":{}},"required":["all"],"anyOf":[
				{"title":"First","required":["a"],"properties":{"a":{"type":"string"},"t":{"const":1}},
					"additionalProperties":false},
				{"description":"Second one.","required":["a","b"],
					"properties":{"a":{"type":"integer"},"b":{},"t":{"const":2}},"additionalProperties":false},
				{"type":"string"}]}`,
			`{"type":"object","properties":{"all":{},"a":{"anyOf":[{"type":"string"},{"type":"integer"}]},` +
				`"t":{"enum":[1,2]},"b":{}},"required":["all","a"],"additionalProperties":false}`,
			[]string{"The arguments have one of these forms:\n- First; with \"a\"; possibly with \"t\"\n- Second " +
				"one.; with \"a\", \"b\"; possibly with \"t\""}},
		{"alternatives in alternatives at the root", claudeRules,
			`{"type":"object","oneOf":[{"required":["a"]},{"anyOf":[{"required":["b"]},{"required":["c"]}]}]}`,
			`{"type":"object","properties":{}}`, []string{"The arguments have one of these forms:\n- with \"a\"\n- " +
				"with \"b\"\n- with \"c\""}},
		{"a property that has a type already", claudeRules,
			`{"type":"object","properties":{"k":{"type":"string","description":"The kind."}},` +
				`"oneOf":[{"properties":{"k":{"const":"a"}},"required":["k"]},` +
				`{"properties":{"k":{"const":"b"}},"required":["k"]}]}`,
			`{"type":"object","properties":{"k":{"type":"string","description":"The kind.","enum":["a","b"]}},` +
				`"required":["k"]}`,
			[]string{"The arguments have one of these forms:\n- with \"k\" being \"a\"\n- with \"k\" being \"b\""}},

		{"a property that only some alternatives have", claudeRules,
			`{"type":"object","properties":{"p":{"type":"string"}},` +
				`"anyOf":[{"properties":{"p":{"const":"a"}},"required":["p"]},{"required":["q"]}]}`,
			`{"type":"object","properties":{"p":{"type":"string"}}}`,
			[]string{"The arguments have one of these forms:\n- with \"p\" being \"a\"\n- with \"q\""}},
		{"strict", openAIStrict,
			`{"type":"object","properties":{"a":{"type":"string","maxLength":3,"default":"x"},"b":{"type":"object",` +
				`"properties":{"c":{"enum":["x",1]},"d":{"type":"array","items":{"type":["integer","null"]}}},` +
				`"required":["d"]},"e":{"anyOf":[{"type":"string"},{"type":"integer"}]},` +
				`"f":{"type":"string","const":"v"}},"required":["b"]}`,
			`{"type":"object","properties":{"a":{"type":["string","null"],` +
				`"description":"Must have at most 3 characters. Default: \"x\"."},"b":{"type":"object",` +
				`"properties":{"c":{"type":["string","number","null"],"enum":["x",1,null]},"d":{"type":"array",` +
				`"items":{"type":["integer","null"]}}},"required":["c","d"],"additionalProperties":false},` +
				`"e":{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]},"f":{"type":["string","null"],` +
				`"enum":["v",null]}},"required":["a","b","e","f"],"additionalProperties":false}`, nil},
		{"strict, with optional properties", claudeStrict,
			`{"type":"object","properties":{"a":{"type":"string","pattern":"\\bx","format":"iri"},` +
				`"b":{"type":"array","items":{"type":"number","minimum":1},"minItems":2}},"required":["b","gone"]}`,
			`{"type":"object","properties":{"a":{"type":"string","description":"Must match the pattern \\bx. ` +
				`Format: iri."},"b":{"type":"array","items":{"type":"number","description":"Must be at least 1."},` +
				`"description":"Must have at least 2 items."}},"required":["b"],"additionalProperties":false}`, nil},
		{"no values", claudeRules, in(`{"type":"string","enum":[]}`), in(`{"type":"string"}`), nil},
		{"values of other types", claudeRules, in(`{"type":"string","enum":["a",null,1]}`),
			in(`{"type":"string","enum":["a"]}`), nil},
		{"values that are integers", claudeRules, in(`{"type":"integer","enum":[1,2.0,0.5,1e2,"x"]}`),
			in(`{"type":"integer","enum":[1,2.0,1e2]}`), nil},
		{"values of no allowed type", geminiRules, in(`{"type":"string","enum":[1,2]}`),
			in(`{"type":"string","description":"Must be one of 1, 2."}`), nil},
		{"a constant of another type", claudeRules, in(`{"type":"string","const":5}`),
			in(`{"type":"string","description":"Must be 5."}`), nil},
		{"values beside alternatives", geminiRules,
			in(`{"enum":["a","b"],"anyOf":[{"type":"string"},{"type":"integer"}]}`),
			in(`{"anyOf":[{"type":"string","enum":["a","b"]}]}`), nil},
		{"values beside alternatives that nothing fits", geminiRules,
			in(`{"enum":["a","b"],"anyOf":[{"type":"boolean"},{"type":"integer"}]}`),
			in(`{"anyOf":[{"type":"boolean","description":"Must be one of \"a\", \"b\"."}]}`), nil},
		{"strict, values beside alternatives", openAIStrict,
			`{"type":"object","properties":{"p":{"enum":["a","b"],"anyOf":[{"type":"string"},{"type":"null"}]}},` +
				`"required":["p"]}`,
			in(`{"anyOf":[{"type":"string","enum":["a","b"]}]}`, `,"required":["p"],"additionalProperties":false`),
			nil},
		{"strict, values of other types", openAIStrict, in(`{"type":"string","enum":["a",null]}`),
			in(`{"type":["string","null"],"enum":["a",null]}`, `,"required":["p"],"additionalProperties":false`), nil},
		{"strict, a constant of another type", openAIStrict, in(`{"type":"string","const":5}`, `,"required":["p"]`),
			in(`{"type":"string","description":"Must be 5."}`, `,"required":["p"],"additionalProperties":false`), nil},
		{"strict, an object that is one of some values", openAIStrict,
			in(`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],"enum":[{"a":1},{"a":2}]}`,
				`,"required":["p"]`),
			in(`{"type":"object","description":"Must be one of {\"a\":1}, {\"a\":2}.",`+
				`"properties":{"a":{"type":"integer"}},"required":["a"],"additionalProperties":false}`,
				`,"required":["p"],"additionalProperties":false`), nil},
		{"strict, an object or a text that is a text", openAIStrict,
			in(`{"type":["object","string","null"],"properties":{"a":{"type":"integer"}},"enum":["x","y"]}`,
				`,"required":["p"]`),
			in(`{"type":"string","enum":["x","y"]}`, `,"required":["p"],"additionalProperties":false`), nil},
		{"strict, alternatives at the root", claudeStrict,
			`{"type":"object","anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}}}]}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"additionalProperties":false}`,
			[]string{"The arguments have one of these forms:\n- possibly with \"a\"\n- possibly with \"b\""}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if _, err := schema.CompileObject(json.RawMessage(test.from)); err != nil {
				// Package registry refuses such schemas, but lowering them works.
				require.Regexp(t, `refers to another document|"\$id"`, err.Error())
			}
			got, notes, err := lowerJSON(t, test.from, test.rules)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
			require.Equal(t, test.notes, notes)
			_, err = schema.CompileObject(json.RawMessage(got))
			require.NoError(t, err)
		})
	}
}

func TestLowerNotStrict(t *testing.T) {
	closed := `,"additionalProperties":false`
	for name, schema := range map[string]string{
		"anything":            in(`{}`, closed),
		"a map":               in(`{"type":"object","additionalProperties":{"type":"string"}}`),
		"an open object":      in(`{"type":"object"}`),
		"an object with more": in(`{"type":"object","properties":{},"additionalProperties":true}`),
		"patterns of names": in(
			`{"type":"object","properties":{},"patternProperties":{"^x":{"type":"string"}}}`),
		"an array of anything": in(`{"type":"array"}`),
		"a tuple":              in(`{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"string"}}`),
		"recursion": in(`{"$ref":"#/$defs/d"}`,
			`,"$defs":{"d":{"type":"object","properties":{"d":{"$ref":"#/$defs/d"}}}}`),
		"anything among others":     in(`{"anyOf":[{"type":"string"},{}]}`),
		"a value of no type":        in(`{"not":{"type":"string"}}`),
		"an open root":              `{"type":"object"}`,
		"a root that is a map":      `{"type":"object","properties":{},"additionalProperties":{"type":"string"}}`,
		"never":                     in(`false`),
		"a value that is an object": in(`{"const":{"a":1}}`),
		"a value that is an array":  in(`{"const":[1]}`),
		"values that are arrays":    in(`{"enum":[[1],"a"]}`),
		"no values":                 in(`{"enum":[]}`),
	} {
		for api, rules := range strictly {
			_, _, err := lowerJSON(t, schema, rules)
			require.ErrorIs(t, err, errNotStrict, "%s, %s", name, api)
		}
	}
	// In these, package registry could not tell the meaning of null.
	for name, schema := range map[string]string{
		"optional in an alternative": in(
			`{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"null"}]}`),
		"optional in two alternatives": in(
			`{"anyOf":[{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}},` +
				`{"type":"null"}]}`),
		"alternatives at the root": `{"type":"object","oneOf":[{"properties":{"a":{"type":"string"}},` +
			`"required":["a"]},{"properties":{"b":{"type":"string"}},"required":["b"]}]}`,
	} {
		_, _, err := lowerJSON(t, schema, openAIStrict)
		require.ErrorIs(t, err, errNotStrict, name)
		_, _, err = lowerJSON(t, schema, claudeStrict)
		require.NoError(t, err, name)
	}
}

// OpenAI limits schemas in strict mode. Anthropic does not.
func TestLowerStrictIsLimited(t *testing.T) {
	nested := func(levels int) string {
		schema := `{"type":"string"}`
		for range levels {
			schema = in(schema, `,"required":["p"]`)
		}
		return schema
	}
	object := func(properties string) string { return `{"type":"object","properties":{` + properties + `}}` }
	names := func(n int, more string) string {
		return `{"type":"object","properties":{` + many(n, `"%0200d":{"type":"string"}`) + more + `},"required":[` +
			many(n, `"%0200d"`) + `,"p"]}`
	}
	enum := func(n int, format string) string {
		return in(`{"type":"string","enum":[`+many(n, format)+`]}`, `,"required":["p"]`)
	}
	claude := *claudeStrict
	claude.rootNames = nil
	for name, test := range map[string]struct{ most, over string }{
		"levels": {nested(10), nested(11)},
		"properties": {object(many(5000, `"p%d":{"type":"string"}`)), object(many(5001,
			`"p%d":{"type":"string"}`))},
		"values": {enum(1000, `"%d"`), enum(1001, `"%d"`)},
		"values with null": {object(`"p":{"enum":[` + many(999, `"%d"`) + `]}`), object(`"p":{"enum":[` + many(1000,
			`"%d"`) + `]}`)},
		"characters of values": {enum(300, `"%050d"`), enum(300, `"%051d"`)},
		"of few values":        {enum(250, `"%0100d"`), enum(251, `"%0100d"`)},
		"characters of names":  {names(600, ""), names(600, `,"p":{"type":"string"}`)},
		"characters of both": {names(599, `,"p":{"type":"string","enum":["`+strings.Repeat("é", 199)+`"]}`),
			names(599, `,"p":{"type":"string","const":"`+strings.Repeat("é", 200)+`"}`)},
	} {
		_, _, err := lowerJSON(t, test.most, openAIStrict)
		require.NoError(t, err, name)
		_, _, err = lowerJSON(t, test.over, openAIStrict)
		require.ErrorIs(t, err, errNotStrict, name)
		_, _, err = lowerJSON(t, test.over, &claude)
		require.NoError(t, err, name)
	}
}

func TestLowerIsLimited(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	deep := `{"type":"string"}`
	for range 100 {
		deep = in(deep)
	}
	got, _, err := lowerJSON(t, deep, claudeRules)
	require.NoError(t, err)
	require.Contains(t, got, "Nested too deep to be described.")
	for levels, cut := range map[int]bool{maxLevels - 1: false, maxLevels: true} { // the limit applies to the text, too
		deep := `{"type":"string"}`
		for range levels {
			deep = in(deep)
		}
		got, _, err := lowerJSON(t, deep, claudeRules)
		require.NoError(t, err)
		require.Equal(t, cut, strings.Contains(got, "Nested too deep"), levels)
	}

	_, err = jsontree.Parse([]byte(strings.Repeat("[", 1000) + strings.Repeat("]", 1000)))
	require.ErrorContains(t, err, "nested more than")

	for name, schema := range map[string]string{
		"long": in(`{"type":"string","description":"` + strings.Repeat("x", maxSchema) + `"}`),
		"many in anyOf": in(`{"type":"object","properties":{` + many(500, `"p%d":{"type":"string"}`) + `},"anyOf":[` +
			many(500, `{"required":["p%d"]}`) + `]}`),
		"many in enum": in(`{"enum":[` + many(60000, `"value %d"`) + `]}`),
		"many at a time": `{"type":"object","properties":{` + many(30000, `"p%d":{"$ref":"#/$defs/d"}`) +
			`},"$defs":{"d":{"type":"string"}}}`,
	} {
		for api, rules := range loosely {
			if api != "gemini" && name == "many in anyOf" {
				continue // it becomes long only where anyOf stands alone
			}
			_, _, err := lowerJSON(t, schema, rules)
			require.ErrorIs(t, err, errSchemaTooLong, "%s %s", api, name)
		}
	}
	got, _, err = lowerJSON(t, in(`{"anyOf":[`+many(5000, `{"const":%d}`)+`]}`), claudeRules)
	require.NoError(t, err)
	require.Contains(t, got, `{"const":4999}`)
}

// Schemas come from MCP servers, too. Lowering these without limits would take hours.
func TestLowerOfHostileSchemas(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	big := strings.Repeat("x", 100000)
	cases := map[string]string{
		"allOf refs bigdesc": in(`{"allOf":[`+strings.Repeat(`{"$ref":"#/$defs/d"},`, 6000)+`{}]}`,
			`,"$defs":{"d":{"type":"object","description":"`+big+`"}}`),
		"allOf refs 2bigdesc": in(`{"allOf":[`+strings.Repeat(`{"$ref":"#/$defs/d"},{"$ref":"#/$defs/e"},`, 4000)+
			`{}]}`, `,"$defs":{"d":{"type":"object","description":"`+big+`"},"e":{"description":"`+strings.Repeat("y",
			90000)+`"}}`),
		"default refs": in(`{"allOf":[`+strings.Repeat(`{"$ref":"#/$defs/d"},`, 6000)+`{}]}`,
			`,"$defs":{"d":{"default":"`+big+`","pattern":"`+big+`","const":["`+big+`"]}}`),
		"anyOf dup big": in(`{"anyOf":[`+strings.Repeat(`{"$ref":"#/$defs/d"},`, 6000)+`{"type":"string"}]}`,
			`,"$defs":{"d":{"enum":["`+strings.Repeat("x", 60000)+`"]}}`),
		"anyOf dup notes": in(`{"anyOf":[`+strings.Repeat(`{"$ref":"#/$defs/d"},`, 6000)+`{"type":"string"}]}`,
			`,"$defs":{"d":{"type":"object","patternProperties":{`+many(4000, `"a%d":{"type":"null"}`)+`}}}`),
		"props merge": `{"type":"object","allOf":[{"properties":{` + many(6000, `"a%d":true`) + `}},{"properties":{` +
			many(6000, `"a%d":true`) + `}}]}`,
		"required": `{"type":"object","allOf":[` + strings.Repeat(`{"$ref":"#/$defs/d"},`, 4000) +
			`{}],"$defs":{"d":{"required":[` + many(6000, `"a%d"`) + `]}}}`,
		"ptr": `{"type":"object","properties":{` + many(6000, `"p%d":{"$ref":"#/$defs/z"}`) + `},"$defs":{` +
			many(6000, `"q%d":{}`) + `,"z":{"type":"null"}}}`,
		"forms": `{"type":"object","anyOf":[` + strings.Repeat(`{"$ref":"#/$defs/d"},`, 60) +
			`{"required":["x"]}],"$defs":{"d":{"required":[` + many(2000, `"a%d"`) + `],"properties":{` + many(2000,
			`"a%d":{"type":"null"}`) + `}}}}`,
		"nested anyOf": func() string {
			s := `{"type":"string"}`
			for i := 0; i < 60; i++ {
				s = fmt.Sprintf(`{"minLength":%d,"anyOf":[%s,{"maxLength":%d}]}`, i, s, i)
			}
			return in(s)
		}(),
		"anyOf doubling": in(`{"$ref":"#/$defs/d30"}`, `,"$defs":{"d0":{"type":"string"},`+func() string {
			var p []string
			for i := 1; i <= 30; i++ {
				p = append(p, fmt.Sprintf(
					`"d%d":{"minLength":%d,`+
						`"anyOf":[{"$ref":"#/$defs/d%d"},{"maxLength":%d,"allOf":[{"$ref":"#/$defs/d%d"}]}]}`,
					i, i, i-1, i, i-1,
				))
			}
			return strings.Join(p, ",")
		}()+`}`),
		"notes doubling": in(`{"$ref":"#/$defs/d30"}`, `,"$defs":{"d0":{"not":{}},`+func() string {
			var p []string
			for i := 1; i <= 30; i++ {
				p = append(p, fmt.Sprintf(
					`"d%d":{"not":{"const":%d},`+
						`"allOf":[{"$ref":"#/$defs/d%d"},{"not":{"const":-%d}},{"$ref":"#/$defs/d%d"}]}`,
					i, i, i-1, i, i-1,
				))
			}
			return strings.Join(p, ",")
		}()+`}`),
		"long pointer": `{"type":"object","properties":{` + many(4000,
			`"p%d":{"$ref":"#/$defs/z/properties/a/properties/a/properties/a/properties/a"}`) +
			`},"$defs":{"z":{` +
			`"properties":{"a":{"properties":{"a":{"properties":{"a":{"properties":{"a":{"type":"null"}}}}}}}}}}}`,
		"not quotes": in(`{"allOf":[`+strings.Repeat(`{"$ref":"#/$defs/d"},`, 6000)+`{}]}`,
			`,"$defs":{"d":{"not":{"const":"`+big+`"},"if":{"const":["`+big+`"]},"then":{"enum":["`+big[:1000]+`"]}}}`),
		"refs chain": `{"type":"object","properties":{"p":{"$ref":"#/$defs/d0"}},"$defs":{` + many(4000,
			`"d%d":{"$ref":"#/$defs/e"}`) + `,"e":{"$ref":"#/$defs/d1"}}}`,
	}
	for name, schema := range cases {
		t.Run(name, func(t *testing.T) {
			for _, rules := range []*rules{claudeRules, geminiRules, openAIStrict} {
				got, _, err := lowerJSON(t, schema, rules)
				if err == nil { // compiling it would take longer
					require.True(t, json.Valid([]byte(got)))
				}
			}
		})
	}
}

func many(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(parts, ",")
}

// TestStrictNullIsTakenBack passes null for optional properties, in many kinds of schemas, as models do in strict mode.
func TestStrictNullIsTakenBack(t *testing.T) {
	for name, schema := range map[string]string{
		"a property": in(`{"type":"string"}`),
		"a value":    in(`{"const":"x"}`),
		"an anchor":  in(`{"$ref":"#n"}`, `,"$defs":{"n":{"$anchor":"n","type":"integer"}}`),
		"allOf": `{"type":"object","properties":{},"allOf":[{"properties":{"p":{"type":"string"}}},` +
			`{"$ref":"#/$defs/q"}],"$defs":{"q":{"properties":{"p":{"type":["string","null"],"maxLength":3}}}}}`,
		"beside a reference": `{"type":"object","properties":{"p":{"type":"boolean"}},` +
			`"$ref":"#/$defs/q","$defs":{"q":{"type":"object"}}}`,
		"an optional integer": in(`{"anyOf":[{"type":"integer"},{"type":"string"}]}`),
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := lowerJSON(t, schema, openAIStrict)
			require.NoError(t, err)
			r, err := registry.New(tool.JSONFunc(tool.Spec{Name: "tool", Description: "Does.",
				Schema: json.RawMessage(schema)},
				func(_ context.Context, call tool.Call, _ tool.Env) (tool.Result, error) {
					return tool.Text(string(call.Input)), nil
				}))
			require.NoError(t, err)
			result := r.Dispatch(t.Context(), tool.Call{Tool: "tool", Input: json.RawMessage(`{"p":null}`)},
				registry.Env{})
			require.Equal(t, "{}", result.Text())
		})
	}
}
