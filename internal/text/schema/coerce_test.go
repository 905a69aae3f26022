package schema_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/schema"
)

// TestCoerce coerces one argument, a, to schemas that express the wanted type in many ways.
func TestCoerce(t *testing.T) {
	const defs = `"$defs":{"n":{"type":"integer"},"a/b%":{"type":"integer"},"anchored":{"$anchor":"here",
	"type":"integer"},
		"dynamic":{"$dynamicAnchor":"moving","type":"integer"},
		"chain":{"$ref":"#/$defs/n"},
	"model":{"type":"object","properties":{"n":{"type":"integer"},"o":{"type":"string"}},"required":["n"]},
		"circle":{"type":"object","properties":{"kind":{"const":"circle"},"r":{"type":"number"}},
		"required":["kind","r"]},
		"square":{"type":"object","properties":{"kind":{"enum":["square"]},"side":{"type":"number"}},
		"required":["kind","side"]},
		"tree":{"type":"object","properties":{"n":{"type":"integer"},"next":{"anyOf":[
		{"$ref":"#/$defs/tree"},{"type":"null"}]}}}},
		"definitions":{"old":{"$id":"#there","type":"integer"},"oldest":{"id":"#where","type":"integer"}}`
	const draft4, draft7, draft2019 = `"$schema":"http://json-schema.org/draft-04/schema#",`,
		`"$schema":"http://json-schema.org/draft-07/schema#",`,
		`"$schema":"https://json-schema.org/draft/2019-09/schema",`
	for _, test := range []struct{ why, head, schema, from, to string }{
		{"a pointer", ``, `{"$ref":"#/$defs/n"}`, `"5"`, `5`},
		{"an escaped pointer", ``, `{"$ref":"#/$defs/a~1b%25"}`, `"5"`, `5`},
		{"a percent-encoded pointer", ``, `{"$ref":"#/%24defs/n"}`, `"5"`, `5`},
		{"a pointer into a list", ``, `{"anyOf":[{"type":"integer"}],"items":{"$ref":"#/properties/a/anyOf/0"}}`, `"5"`,
			`5`},
		{"a reference to a reference", ``, `{"$ref":"#/$defs/chain"}`, `"5"`, `5`},
		{"a reference beside other keywords", ``, `{"$ref":"#/$defs/n","minimum":1}`, `"5"`, `5`},
		{"the whole schema", ``, `{"type":"object","properties":{"b":{"$ref":"#"}}}`, `{"b":"{\"a\":{}}"}`,
			`{"b":{"a":{}}}`},
		{"an anchor", ``, `{"$ref":"#here"}`, `"5"`, `5`},
		{"an anchor of draft 7", draft7, `{"$ref":"#there"}`, `"5"`, `5`},
		{"an anchor of draft 4", draft4, `{"$ref":"#where"}`, `"5"`, `5`},
		{"a dynamic anchor", ``, `{"$dynamicRef":"#moving"}`, `"5"`, `5`},
		{"a recursive reference", draft2019, `{"type":"object","properties":{"b":{"$recursiveRef":"#"}}}`,
			`{"b":"{\"a\":{}}"}`, `{"b":{"a":{}}}`},
		{"beside a reference of draft 7 nothing counts", draft7, `{"$ref":"#/$defs/n","type":"string"}`, `"5"`, `5`},
		{"allOf", ``, `{"allOf":[{"minimum":1},{"type":"integer"}]}`, `"5"`, `5`},
		{"allOf of references", ``, `{"allOf":[{"$ref":"#/$defs/n"}],"description":"a number"}`, `"5"`, `5`},
		{"properties in allOf", ``, `{"allOf":[{"$ref":"#/$defs/model"},{"properties":{"m":{"type":"boolean"}}}]}`,
			`{"n":"5","m":"true"}`, `{"m":true,"n":5}`},
		{"integers among numbers", ``, `{"allOf":[{"type":"number"},{"type":["integer","string"]}]}`, `"5"`, `5`},
		{"an optional number", ``, `{"anyOf":[{"type":"integer"},{"type":"null"}]}`, `"5"`, `5`},
		{"an optional reference", ``, `{"anyOf":[{"$ref":"#/$defs/chain"},{"type":"null"}],"default":null}`,
			`"5"`, `5`},
		{"null stays where it may be", ``, `{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}`, `null`, `null`},
		{"null in quotes", ``, `{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}`, `"null"`, `null`},
		{"an optional object", ``, `{"anyOf":[{"$ref":"#/$defs/model"},{"type":"null"}]}`, `{"n":"5","o":null}`,
			`{"n":5}`},
		{"an optional object as text", ``, `{"oneOf":[{"type":"null"},{"$ref":"#/$defs/model"}]}`, `"{\"n\":\"5\"}"`,
			`{"n":5}`},
		{"objects in objects", ``, `{"$ref":"#/$defs/tree"}`, `{"n":"1","next":{"n":"2","next":null}}`,
			`{"n":1,"next":{"n":2,"next":null}}`},
		{"the alternative that is named", ``, `{"oneOf":[{"$ref":"#/$defs/circle"},{"$ref":"#/$defs/square"}]}`,
			`{"kind":"square","side":"2"}`, `{"kind":"square","side":2}`},
		{"no alternative is guessed", ``, `{"oneOf":[{"$ref":"#/$defs/model"},{"$ref":"#/$defs/tree"}]}`, `{"n":"2"}`,
			`{"n":"2"}`},
		{"a named value", ``, `{"enum":[1,2,3]}`, `"2"`, `2`},
		{"a text that is a value stays", ``, `{"enum":["1",1]}`, `"1"`, `"1"`},
		{"a text that is none", ``, `{"anyOf":[{"enum":["all"]},{"type":"integer"}]}`, `"5"`, `5`},
		{
			"the items of a tuple",
			``,
			`{"prefixItems":[{"type":"string"},{"type":"integer"}],"items":{"type":"boolean"}}`,
			`["1","2","true"]`,
			`["1",2,true]`,
		},
		{"the items of an old tuple", draft7,
			`{"items":[{"type":"string"},{"type":"integer"}],"additionalItems":{"type":"boolean"}}`, `["1","2","true"]`,
			`["1",2,true]`},
		{"what a pattern allows stays", ``,
			`{"patternProperties":{"^x":{"type":"string"}},"additionalProperties":{"type":"integer"}}`, `{"x":"1"}`,
			`{"x":"1"}`},
		{"an object for a list of them", ``, `{"type":"array","items":{"$ref":"#/$defs/model"}}`, `{"n":"5"}`,
			`[{"n":5}]`},
		{"an object for a list of them, deeper", ``,
			`{"type":"array",` +
				`"items":{"type":"object","properties":{"b":{"type":"array","items":{"$ref":"#/$defs/model"}}}}}`,
			`{"b":{"n":"5"}}`, `[{"b":[{"n":5}]}]`},
		{"an object for an optional list", ``,
			`{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/model"}},{"type":"null"}]}`, `{"n":"5"}`, `[{"n":5}]`},
		{"an object as text for a list of them", ``, `{"type":"array","items":{"$ref":"#/$defs/model"}}`, `"{\"n\":5}"`,
			`[{"n":5}]`},
		{"an object for a list of texts stays", ``, `{"type":"array","items":{"type":"string"}}`, `{"n":1}`, `{"n":1}`},
		{"an object for a list of anything stays", ``, `{"type":"array"}`, `{"n":1}`, `{"n":1}`},
		{"an object for an object or a list stays", ``, `{"type":["array","object"],"items":{"type":"object"}}`,
			`{"n":1}`, `{"n":1}`},
		{"a large integer", ``, `{"$ref":"#/$defs/n"}`, `"1e30"`, `1e30`},
	} {
		t.Run(test.why, func(t *testing.T) {
			s, err := schema.Compile([]byte(`{` + test.head + `"type":"object","properties":{"a":` + test.schema +
				`},` + defs + `}`))
			require.NoError(t, err)
			value := decoded(t, []byte(`{"a":`+test.from+`}`)).(map[string]any)
			require.Equal(t, test.from != test.to, s.Coerce(t.Context(), value, 100))
			got, err := jsontree.Marshal(value)
			require.NoError(t, err)
			require.Equal(t, `{"a":`+test.to+`}`, string(got))
		})
	}
}

// TestErrorsNameTheAlternative validates values that fit none of several alternatives.
func TestErrorsNameTheAlternative(t *testing.T) {
	const shapes = `{"oneOf":[
		{"type":"object","title":"Circle","properties":{"kind":{"const":"circle"},"r":{"type":"number"}},
			"required":["kind","r"]},
		{"type":"object","title":"Square","properties":{"kind":{"const":"square"},
			"side":{"type":"number"},"at":{"type":"array"}},"required":["kind","side"]}]}`
	for _, test := range []struct{ why, schema, value, want string }{
		{"the property that tells alternatives apart", shapes, `{"kind":"square","at":1}`,
			"/a/at: got number, want array (with kind 'square')\n/a: missing property 'side' (with kind 'square')"},
		{"no such kind", shapes, `{"kind":"line","r":"x"}`,
			"/a/kind: value must be 'circle'\n/a/kind: value must be 'square'"},
		{"no kind at all", shapes, `{"r":1}`, "/a: missing properties 'kind', 'side'\n/a: missing property 'kind'"},
		{"no object", shapes, `5`, "/a: got number, want object"},
		{"an optional object", `{"anyOf":[{"type":"object","title":"Model","required":["n"]},{"type":"null"}]}`, `{}`,
			"/a: missing property 'n'"},
		{"an optional text", `{"anyOf":[{"type":"string","maxLength":2},{"type":"null"}]}`, `"long"`,
			"/a: maxLength: got 4, want 2"},
		{"none of the types", `{"anyOf":[{"type":"boolean"},{"type":"null"}]}`, `5`,
			"/a: got number, want boolean\n/a: got number, want null"},
		{"a value of the right type", `{"anyOf":[{"enum":["x","y"]},{"type":"string","const":"z"},{"type":"object"}]}`,
			`"w"`, "/a: value must be 'z'\n/a: value must be one of 'x', 'y'"},
		{"alternatives of alternatives", `{"anyOf":[{"type":"null"},{"anyOf":[` + shapes + `,{"type":"boolean"}]}]}`,
			`{"kind":"circle"}`, "/a: missing property 'r' (with kind 'circle')"},
	} {
		t.Run(test.why, func(t *testing.T) {
			s, err := schema.Compile([]byte(`{"type":"object","properties":{"a":` + test.schema + `}}`))
			require.NoError(t, err)
			require.EqualError(t, s.Validate(t.Context(), decoded(t, []byte(`{"a":`+test.value+`}`))), test.want)
		})
	}
}
