package schema_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/schema"
)

// repairs are schemas of servers, what is made of them, and what is left out. A property of a schema stands for the
// schema {"type":"object","properties":{"a":PROPERTY}}.
var repairs = []struct {
	name, raw, want string
	lost            []string
}{
	{"nothing wrong", `{ "type": "object" }`, `{ "type": "object" }`, nil},
	{"nothing wrong in an old draft",
		`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","definitions":{"d":{"type":"string"}},` +
			`"properties":{"a":{"$ref":"#/definitions/d"},"b":{"items":[{"type":"string"}]}}}`,
		"", nil},
	{"no type", `{"properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}}}`, nil},
	{"a type that may be null", `{"type":["object","null"]}`, `{"type":"object"}`, nil},
	{"a reference to what need not be an object", `{"properties":{"a":{"$ref":"#"}}}`,
		`{"type":"object","properties":{"a":{}}}`,
		[]string{"/properties/a/$ref (it leads to the root, which allowed more than objects)"}},
	{"a reference to what may be null", `{"type":["object","null"],"properties":{"a":{"$ref":"#"}}}`,
		`{"type":"object","properties":{"a":{}}}`,
		[]string{"/properties/a/$ref (it leads to the root, which allowed more than objects)"}},
	{"a lookahead",
		`{"type":"object","properties":{"email":{"type":"string","pattern":"^(?!\\.)[^@]+@[^@]+$"},` +
			`"n":{"type":"integer"}},"required":["email"]}`,
		`{"type":"object","properties":{"email":{"type":"string","description":"It ` +
			`must match the regular expression ^(?!\\.)[^@]+@[^@]+$"},"n":{"type":"integer"}},"required":["email"]}`,
		[]string{"/properties/email/pattern (error parsing regexp: invalid or unsupported Perl syntax: `(?!`)"}},
	{"a backreference", `{"pattern":"(a)\\1","description":"Twice"}`,
		`{"description":"Twice. It must match the regular expression (a)\\1"}`,
		[]string{"/properties/a/pattern (error parsing regexp: invalid escape sequence: `\\1`)"}},
	{"escapes of JavaScript", `{"pattern":"^[\\u4e00-\\u9fa5\\ud83d\\ude00\\u{61}]+\\\\u12$"}`,
		`{"pattern":"^[\\u4e00-\\u9fa5\\ud83d\\ude00\\u{61}]+\\\\u12$"}`, nil},
	{"half a pair", `{"pattern":"\\ud83d\\u0041"}`,
		`{"description":"It must match the regular expression \\ud83d\\u0041"}`,
		[]string{"/properties/a/pattern (error parsing regexp: invalid escape sequence: `\\u`)"}},
	{"a pattern that is no text", `{"pattern":5}`, `{}`, []string{"/properties/a/pattern (it is not text)"}},
	{"items of a tuple", `{"type":"array","items":[{"type":"string"},{"type":"integer"}],"additionalItems":false}`,
		`{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}`, nil},
	{"no items of a tuple", `{"type":"array","items":[]}`, `{"type":"array"}`, nil},
	{"exclusive bounds", `{"type":"number","minimum":0,"exclusiveMinimum":true,"maximum":9,"exclusiveMaximum":false}`,
		`{"type":"number","exclusiveMinimum":0,"maximum":9}`, nil},
	{"an exclusive bound of nothing", `{"type":"number","exclusiveMinimum":true}`, `{"type":"number"}`, nil},
	{"bounds as text", `{"type":"number","minimum":"0","maxLength":"x","multipleOf":0}`,
		`{"type":"number","minimum":0}`,
		[]string{"/properties/a/maxLength (it is not a number of things)",
			"/properties/a/multipleOf (it is not positive)"}},
	{"what is required of draft 3",
		`{"type":"object","properties":{"a":{"type":"string","required":true},"b":{"required":false,"type":"any"}},` +
			`"required":["c"]}`,
		`{"type":"object","properties":{"a":{"type":"string"},"b":{}},"required":["c","a"]}`, nil},
	{"required as one name", `{"type":"object","properties":{"a":{}},"required":"a"}`,
		`{"type":"object","properties":{"a":{}},"required":["a"]}`, nil},
	{"required as true", `{"type":"object","properties":{"a":{}},"required":true}`,
		`{"type":"object","properties":{"a":{}}}`, nil},
	{"required of what is no name", `{"type":"object","required":["a","a",5]}`, `{"type":"object","required":["a"]}`,
		[]string{"/required (something in it is not a name)"}},
	{"nullable", `{"type":"string","nullable":true,"enum":["x"]}`, `{"type":["string","null"],"enum":["x",null]}`, nil},
	{"types of other languages", `{"anyOf":[{"type":"String"},{"type":"int"},{"type":["list","None"]},{"type":"any"}]}`,
		`{"anyOf":[{"type":"string"},{"type":"integer"},{"type":["array","null"]},{}]}`, nil},
	{"a type that there is not", `{"type":"strnig","minLength":1}`, `{"minLength":1}`,
		[]string{"/properties/a/type (it is unknown)"}},
	{"schemas as names of types", `{"type":"object","properties":{"a":"string","b":"x","c":null,"d":true}}`,
		`{"type":"object","properties":{"a":{"type":"string"},"b":{},"c":{},"d":true}}`,
		[]string{"/properties/b (it is not a schema)"}},
	{"empty lists of PHP", `{"type":"object","properties":[],"required":[],"additionalProperties":[]}`,
		`{"type":"object","properties":{},"required":[],"additionalProperties":{}}`, nil},
	{"what is not set",
		`{"type":"string","description":null,"pattern":null,"enum":null,"items":null,"default":null,"const":null}`,
		`{"type":"string","default":null,"const":null}`, nil},
	{"an empty enum", `{"enum":[]}`, `{}`, []string{"/properties/a/enum (it is not a list of values, or has text " +
		"that people would not see)"}},
	{"an enum with a value twice",
		`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object",` +
			`"properties":{"a":{"enum":["x","y","x"]}},"required":[]}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"a":{"enum":["x","y"]}}}`,
		nil},
	{"a reference to nothing",
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/no"},"b":{"$ref":"#no","description":"B"},` +
			`"c":{"$ref":"https://example.com/x"}}}`,
		`{"type":"object","properties":{"a":{},"b":{"description":"B"},"c":{}}}`,
		[]string{"/properties/a/$ref (it leads nowhere)", "/properties/b/$ref (it leads nowhere)",
			"/properties/c/$ref (it leads to another document)"}},
	{"a reference beside which nothing counted",
		`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",` +
			`"properties":{"a":{"$ref":"#/no","type":"string","title":"A"}}}`,
		`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"a":{"title":"A"}}}`,
		[]string{"/properties/a/$ref (it leads nowhere)"}},
	{"a reference by the schema's id",
		`{"$id":"https://example.com/s","type":"object","properties":{"a":{"$ref":"https://example.com/s#/$defs/d"}},` +
			`"$defs":{"d":{"type":"string"}}}`,
		`{"$id":"https://example.com/s","type":"object","properties":{"a":{"$ref":"#/$defs/d"}},` +
			`"$defs":{"d":{"type":"string"}}}`, nil},
	{"references in a schema with an id",
		`{"type":"object","properties":{"a":{"$id":"https://example.com/a","$ref":"#/$defs/d"},` +
			`"b":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"string"}}}`,
		`{"type":"object","properties":{"a":{"$id":"https://example.com/a"},"b":{"$ref":"#/$defs/d"}},` +
			`"$defs":{"d":{"type":"string"}}}`,
		[]string{"/properties/a/$ref (in a schema with an id of its own)"}},
	{"what is referred to elsewhere",
		`{"type":"object","properties":{"a":{"$ref":"#/components/schemas/A"}},` +
			`"components":{"schemas":{"A":{"type":"string","pattern":"(?=x)"}}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/components/schemas/A"}},"components":{` +
			`"schemas":{"A":{"type":"string","description":"It must match the regular expression (?=x)"}}}}`,
		[]string{"/components/schemas/A/pattern (error parsing regexp: invalid or unsupported Perl syntax: `(?=`)"}},
	{"recursion", `{"type":"object","properties":{"a":{"$ref":"#"}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#"}}}`, nil},
	{"recursion without end",
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},` +
			`"$defs":{"x":{"allOf":[{"$ref":"#/$defs/y"}]},"y":{"anyOf":[{"$ref":"#/$defs/x"},{"type":"string"}]}}}`,
		`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},` +
			`"$defs":{"x":{"allOf":[{"$ref":"#/$defs/y"}]},"y":{"anyOf":[{},{"type":"string"}]}}}`,
		[]string{"/$defs/y/anyOf/0/$ref (it leads back to itself)"}},
	{"drafts that there are not", `{"$schema":"http://json-schema.org/draft-03/schema#","type":"object"}`,
		`{"type":"object"}`, nil},
	{"keywords with other values",
		`{"type":"object","properties":{"a":{"anyOf":{"type":"string"},` +
			`"oneOf":"x","allOf":[5],"title":5,"uniqueItems":"yes","dependentRequired":{"x":"y"}}},` +
			`"patternProperties":7,"dependencies":{"a":["b"],"b":5}}`,
		`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"}],"allOf":[{}],"dependentRequired":{}}},` +
			`"dependencies":{"a":["b"],"b":{}}}`,
		[]string{"/properties/a/oneOf (it is not a list of schemas)", "/properties/a/allOf/0 (it is not a schema)",
			"/properties/a/dependentRequired/x (it is not a list of names)",
			"/patternProperties (it is not an object)", "/dependencies/b (it is not a schema)"}},
	{"names twice", `{"type":"object","properties":{"a":{"type":"string"}},"properties":{"b":{"type":"string"}}}`,
		`{"type":"object","properties":{"b":{"type":"string"}}}`, nil},
	{"a number that takes forever", `{"default":1e99999,"const":1e99999}`, `{}`,
		[]string{"/properties/a/default (it has text that people would not see, or a number that is too large)",
			"/properties/a/const (it has text that people would not see, or a number that is too large)"}},
	{"hidden text",
		`{"type":"object","properties":{"a":{"enum":["x","HIDDEN"]},"HIDDEN":{},"b":{"format":"HIDDEN",` +
			`"x-more":{"y":["HIDDEN"]}}},"required":["HIDDEN","b"],"additionalProperties":false}`,
		`{"type":"object","properties":{"a":{},"b":{}},"required":["b"]}`,
		[]string{"/properties/a/enum (it is not a list of values, or has text that people would not see)",
			"/properties/HIDDEN (people would not see its name)",
			"/properties/b/x-more (it has text that people would not see, or a number that is too large)",
			"/required (something in it is not a name)"}},

	// What is left out must not make other keywords refuse more.
	{"a pattern of names",
		`{"type":"object","patternProperties":{"(?=x)":{},"^y":{"type":"string"}},"additionalProperties":false}`,
		`{"type":"object","patternProperties":{"^y":{"type":"string"}}}`,
		[]string{"/patternProperties/(?=x) (error parsing regexp: invalid or unsupported Perl syntax: `(?=`)"}},
	{"in a negation", `{"not":{"pattern":"(?=x)"},"type":"string"}`, `{"type":"string"}`,
		[]string{"/properties/a/not/pattern (error parsing regexp: invalid or unsupported Perl syntax: `(?=`)",
			"/properties/a/not (something in it is left out)"}},
	{"in a condition", `{"if":{"properties":{"x":{"type":"no"}}},"then":{"required":["y"]},"else":false}`, `{}`,
		[]string{"/properties/a/if/properties/x/type (it is unknown)",
			"/properties/a/if (something in it is left out)"}},
	{"in one alternative, by a reference",
		`{"type":"object","properties":{"a":{"oneOf":[{"$ref":"#/$defs/x"},{"type":"string"}]}},` +
			`"$defs":{"x":{"type":"string","pattern":"(?=x)"}}}`,
		`{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#/$defs/x"},{"type":"string"}]}},` +
			`"$defs":{"x":{"type":"string","description":"It must match the regular expression (?=x)"}}}`,
		[]string{"/$defs/x/pattern (error parsing regexp: invalid or unsupported Perl syntax: `(?=`)"}},
	{"in what is evaluated",
		`{"type":"object","allOf":[{"properties":{"x":{}},"patternProperties":{"(?=x)":{}}}],` +
			`"unevaluatedProperties":false}`,
		`{"type":"object","allOf":[{"properties":{"x":{}},"patternProperties":{}}]}`,
		[]string{"/allOf/0/patternProperties/(?=x) (error parsing regexp: invalid or unsupported Perl syntax: `(?=`)",
			"/unevaluatedProperties (something in it is left out)"}},
	{"in what is contained", `{"contains":{"type":"no"},"maxContains":1}`, `{"contains":{}}`,
		[]string{"/properties/a/contains/type (it is unknown)"}},
}

func hiddenText(text string) bool { return strings.Contains(text, "HIDDEN") }

func TestRepair(t *testing.T) {
	for _, test := range repairs {
		t.Run(test.name, func(t *testing.T) {
			raw, want := test.raw, test.want
			if want == "" {
				want = raw
			}
			if root, err := jsontree.Parse([]byte(raw)); err == nil && root.Get("properties") == nil &&
				root.Get("allOf") == nil &&
				root.Get("patternProperties") == nil && root.GetText("type") != "object" &&
				root.Get("type").Texts() == nil {
				raw = `{"type":"object","properties":{"a":` + raw + `}}`
				want = `{"type":"object","properties":{"a":` + want + `}}`
			}
			repaired, lost, err := schema.Repair(json.RawMessage(raw), hiddenText)
			require.NoError(t, err)
			require.Equal(t, want, string(repaired))
			require.Equal(t, test.lost, lost)
			again, lost, err := schema.Repair(repaired, hiddenText)
			require.NoError(t, err)
			require.Equal(t, string(repaired), string(again), "what is repaired stays")
			require.Empty(t, lost)
		})
	}
	for raw, want := range map[string]string{
		`[]`: "it is not a JSON object", `{"type":"array"}`: "its type is not object",
		`{"type":5}`: "its type is not object", `{`: "EOF",
		`{"type":"object","allOf":[` + strings.Repeat(`{},`, 6000) + `{}]}`: "more than 5000",
	} {
		_, _, err := schema.Repair(json.RawMessage(raw), nil)
		require.ErrorContains(t, err, want)
	}
}

// FuzzRepair checks that what is repaired compiles, and allows all that the schema allows, if that compiles itself.
func FuzzRepair(f *testing.F) {
	for _, test := range repairs {
		f.Add([]byte(test.raw), []byte(`{"a":"x","b":[1,{"a":null}],"y":1.5}`))
	}
	f.Fuzz(func(t *testing.T, raw, value []byte) {
		repaired, _, err := schema.Repair(raw, hiddenText)
		if err != nil {
			return
		}
		left, err := schema.Compile(repaired)
		require.NoError(t, err)
		require.Equal(t, "object", left.Root.GetText("type"))
		whole, err := schema.Compile(raw)
		if err != nil {
			return
		}
		decoded, err := jsontree.Decode(value)
		if _, ok := decoded.(map[string]any); err != nil || !ok || whole.Validate(t.Context(), decoded) != nil {
			return
		}
		require.NoError(t, left.Validate(t.Context(), decoded), "%s became %s", raw, repaired)
	})
}

// TestRepairOfHostileSchemas repairs schemas as large as servers may have them, in which all is wrong or leads
// elsewhere.
func TestRepairOfHostileSchemas(t *testing.T) {
	list := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, strings.ReplaceAll(format, "NEXT", strconv.Itoa(i+1)), i)
		}
		return b.String()
	}
	for name, raw := range map[string]string{
		"references to nothing": `{"properties":{` + list(1900,
			`"p%d":{"$ref":"#/$defs/nothing","pattern":"(?=x)"}`) + `}}`,
		"references to the last": `{"properties":{` + list(1900,
			`"p%d":{"$ref":"#/properties/p1899","not":{"type":"no"}}`) + `}}`,
		"a chain of references": `{"$ref":"#/$defs/d0","$defs":{` + list(1900, `"d%d":{"$ref":"#/$defs/dNEXT"}`) +
			`}}`,
		"a circle of references": `{"$defs":{` + list(1900, `"d%d":{"$ref":"#/$defs/dNEXT"}`) +
			`,"d1900":{"$ref":"#/$defs/d0"}}}`,
		"each refers to all": `{"$defs":{` + list(40, `"d%d":{"anyOf":[`+list(40, `{"$ref":"#/$defs/d%d"}`)+
			`]}`) + `}}`,
		"properties that are none": `{"properties":{` + list(20_000, `"p%d":5`) + `}}`,
		"names that are required":  `{"required":[` + list(20_000, `"p%d",5`) + `]}`,
		"values that are the same": `{"enum":["` + strings.Repeat("x", 2000) + `"` +
			strings.Repeat(`,"`+strings.Repeat("x", 2000)+`"`, 100) + `]}`,
		"keywords that are unknown": `{` + list(15_000, `"k%d":1e999`) + `}`,
		"patterns": `{"patternProperties":{` + list(1900, `"(a{100}){9}%d":{"pattern":"\\ud800"}`) +
			`}}`,
		"depth": strings.Repeat(`{"not":{"oneOf":[`, 30) + `{"type":"no"}` + strings.Repeat(`]}}`, 30),
	} {
		t.Run(name, func(t *testing.T) {
			require.Less(t, len(raw), 256<<10)
			repaired, lost, err := schema.Repair(json.RawMessage(raw), hiddenText)
			require.LessOrEqual(t, len(lost), 100)
			if err == nil {
				require.Less(t, len(repaired), 2*len(raw)+100)
			}
		})
	}
}
