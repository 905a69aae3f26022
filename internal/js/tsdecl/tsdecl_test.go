package tsdecl_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/tsdecl"
)

func declare(functions ...tsdecl.Function) string {
	var all []tsdecl.Declaration
	for _, f := range functions {
		all = append(all, tsdecl.Declare(f))
	}
	return tsdecl.Object("tools", all, 32<<10)
}

func TestDeclare(t *testing.T) {
	got := declare(tsdecl.Function{
		Name: "weather", Description: "Tells the weather.\n\nOf a city.",
		Input: json.RawMessage(`{
			"type": "object",
			"properties": {
				"city": {"type": "string", "description": "The city, in English."},
				"days": {"type": "integer", "minimum": 1, "maximum": 16, "default": 3},
				"units": {"enum": ["metric", "imperial"]},
				"where": {"type": "object", "properties": {"latitude": {"type": "number"}}, "required": ["latitude"]}
			},
			"required": ["city"]
		}`),
		Output: json.RawMessage(`{"type":"object","properties":{"celsius":{"type":["number","null"]}},` +
			`"required":["celsius"]}`),
	}, tsdecl.Function{Name: "git-hub", Input: json.RawMessage(`{"type":"object","additionalProperties":false}`)})
	require.Equal(t, `declare const tools: {
  /** Tells the weather. Of a city. */
  weather(input: {
    /** The city, in English. */
    city: string;
    /** (integer, default 3, minimum 1, maximum 16) */
    days?: number;
    units?: "metric" | "imperial";
    where?: {
      latitude: number;
    };
  }): Promise<{
    celsius: number | null;
  }>;
  "git-hub"(input?: {}): Promise<string>;
};
`, got)
	checkSyntax(t, got)
}

func TestTypes(t *testing.T) {
	for schema, want := range map[string]string{
		`true`:                  "unknown",
		`false`:                 "never",
		`{}`:                    "unknown",
		`7`:                     "unknown",
		`{"type":"string"}`:     "string",
		`{"type":"null"}`:       "null",
		`{"type":"new"}`:        "unknown",
		`{"type":7}`:            "unknown",
		`{"type":["string",7]}`: "string",
		`{"type":["array","null"],"items":{"type":"integer"}}`:             "number[] | null",
		`{"items":{"type":["string","null"]}}`:                             "(string | null)[]",
		`{"items":{"items":{"type":"string"}}}`:                            "string[][]",
		`{"type":"array"}`:                                                 "unknown[]",
		`{"prefixItems":[{"type":"string"},{"enum":[1,2]}],"items":false}`: "[string?, (1 | 2)?]",
		`{"items":[{"type":"string"}]}`:                                    "[string?, ...unknown[]]",
		`{"type":"object"}`:                                                "Record<string, unknown>",
		`{"type":"object","additionalProperties":false}`:                   "{}",
		`{"type":"object","additionalProperties":{"type":"string"}}`:       "Record<string, string>",
		`{"properties":{"a":{}},"additionalProperties":{"type":"string"},"type":"object"}`: "{ a?: unknown; " +
			"} & Record<string, string>",
		`{"const":"a"}`:                      `"a"`,
		`{"const":{"a":1}}`:                  "unknown",
		`{"enum":["a",1,-1.5,true,null,[]]}`: `"a" | 1 | -1.5 | true | null | unknown`,
		`{"enum":[]}`:                        "unknown",
		`{"anyOf":[{"type":"string"},` +
			`{"type":"object","properties":{"a":{"const":1}},"required":["a"]}]}`: "string | { a: 1; }",
		`{"oneOf":[{"type":"string"},{"type":"string"}]}`: "string",
		`{"allOf":[{"type":["string","number"]},{"enum":["a","b"]}]}`: `(string ` +
			`| number) & ("a" | "b")`,
		`{"type":"object","properties":{"a":{}},"anyOf":[{"required":["a"]}]}`: "{ a?: unknown; }",
		`{"$ref":"#/$defs/text"}`:            "string",
		`{"$ref":"#/$defs/list"}`:            "{ next?: unknown; }",
		`{"$ref":"#/$defs/escaped~1name"}`:   "boolean",
		`{"$ref":"#/$defs/choices/anyOf/1"}`: "null",
		`{"$ref":"#/$defs/missing"}`:         "unknown",
		`{"$ref":"#/$defs/self"}`:            "unknown",
		`{"$ref":"https://example.com/x"}`:   "unknown",
		`{"properties":{"a":{"type":"string"},"__proto__":{},"a b":{},"\u2028*/":{},"":{}}}`: `{ a?: string; ` +
			`__proto__?: unknown; "a b"?: unknown; "\u2028*/"?: unknown; ""?: unknown; }`,
		`{"properties":{"` + strings.Repeat("x", 200) +
			`":{}}}`: "{ // A property whose name is too long is left out. }",
	} {
		t.Run(schema, func(t *testing.T) {
			got := declare(tsdecl.Function{Name: "f", Input: json.RawMessage(`{"type":"object","properties":{"p":` +
				schema + `},"$defs":{
				"text": {"type": "string"}, "escaped/name": {"type": "boolean"}, "self": {"$ref": "#/$defs/self"},
				"list": {"properties": {"next": {"$ref": "#/$defs/list"}}}, "choices": {"anyOf": [{}, {"type": "null"}]}
			}}`)})
			checkSyntax(t, got)
			_, got, _ = strings.Cut(got, "p?: ")
			got, _, _ = strings.Cut(got, ";\n  }): Promise<string>")
			require.Equal(t, want, strings.Join(strings.Fields(got), " "))
		})
	}
}

func TestHostileTexts(t *testing.T) {
	for _, text := range []string{"*/ evil(); /*", "a\n*/\nb", "a\r\u2028\u2029*/", "*\x00/", "\xff*/", "```\n", "//",
		"**//", "\\*/", strings.Repeat("long ", 1e5), strings.Repeat("*/", 1e5)} {
		encoded, err := json.Marshal(text)
		require.NoError(t, err)
		got := declare(tsdecl.Function{Name: text[:min(len(text), 64)], Description: text,
			Input: json.RawMessage(fmt.Sprintf(
				`{"type":"object","properties":{%s:{"description":%[1]s,`+
					`"format":%[1]s,"default":%[1]s,"enum":[%[1]s],"type":%[1]s}},"required":[%[1]s]}`, encoded))})
		require.Less(t, len(got), 2000)
		require.NotContains(t, got, "```")
		checkSyntax(t, got)
	}
}

func TestDeclarationsAreBounded(t *testing.T) {
	many := func(format string, n int) string {
		var parts []string
		for i := range n {
			parts = append(parts, fmt.Sprintf(format, i))
		}
		return strings.Join(parts, ",")
	}
	// Each type contains the next one twice, so there are 2^30 types in the first.
	var towers []string
	for i := range 30 {
		towers = append(towers, fmt.Sprintf(
			`"t%d":{"properties":{"a":{"$ref":"#/$defs/t%d"},"b":{"$ref":"#/$defs/t%[2]d"}}}`, i, i+1))
	}
	for why, schema := range map[string]string{
		"many properties": `{"properties":{` + many(`"property_%d":{"type":"string"}`, 5000) + `}}`,
		"large enums": `{"properties":{` + many(`"p%d":{"enum":["`+strings.Repeat("x", 90)+`",`+many(`"%d"`,
			500)+`]}`, 20) + `}}`,
		"many choices": `{"anyOf":[` + many(`{"const":"%d"}`, 5000) + `]}`,
		"a tower":      `{"$ref":"#/$defs/t0","$defs":{` + strings.Join(towers, ",") + `}}`,
		"deep nesting": strings.Repeat(`{"items":`, 500) + `{}` + strings.Repeat(`}`, 500),
		"references to much": `{"anyOf":[` + many(`{"$ref":"#/$defs/a%d"}`, 2000) + `],"$defs":{"b":"` +
			strings.Repeat("x", 500_000) + `"}}`,
		"long texts": `{"properties":{` + many(`"p%d":{"description":"`+strings.Repeat("long ", 1000)+`"}`, 100) + `}}`,
	} {
		t.Run(why, func(t *testing.T) {
			f := tsdecl.Function{Name: "f", Description: "Does it.", Input: json.RawMessage(schema)}
			got := declare(f)
			require.Less(t, len(got), 10<<10)
			checkSyntax(t, got)
			f.Input, f.Output = json.RawMessage(`{"type":"object"}`), json.RawMessage(schema)
			require.Less(t, len(declare(f)), 10<<10)
		})
	}
	got := declare(tsdecl.Function{Name: "f", Input: json.RawMessage(`{"properties":{` + many(`"p%d":{"description":"`+
		strings.Repeat("long ", 30)+`"}`, 100) + `}}`)})
	require.Contains(t, got, "p99?: unknown;", "comments go before types")
	require.NotContains(t, got, "long")

	var functions []tsdecl.Function
	for i := range 5000 {
		functions = append(functions, tsdecl.Function{Name: fmt.Sprint("tool-", i), Description: "Does something.",
			Input: json.RawMessage(`{"type":"object"}`)})
	}
	got = declare(functions...)
	require.Less(t, len(got), 33<<10)
	require.Contains(t, got, "  // Besides, taking an object and returning a promise: \"tool-")
	require.Regexp(t, ` and \d+ more\n};\n$`, got)
	checkSyntax(t, got)
	require.Equal(t, "declare const tools: {\n};\n", declare())
}

// randomSchema returns a schema of random keywords, which need not fit together.
func randomSchema(r *rand.Rand, depth int) map[string]any {
	text := func() string {
		texts := []string{"*/", "a", "`", `\`, `"`, "\u2028", "a-b", "__proto__", "é", "\x00", "//", "constructor",
			"new", "readonly", "get", "[x]", ""}
		return texts[r.IntN(len(texts))]
	}
	if depth == 0 {
		return map[string]any{"type": "string"}
	}
	inner := func() map[string]any { return randomSchema(r, depth-1) }
	s := map[string]any{}
	for range r.IntN(3) + 1 {
		switch r.IntN(11) {
		case 0:
			s["type"] = []string{"string", "integer", "boolean", "null", "array", "object", "odd"}[r.IntN(7)]
		case 1:
			s["type"] = []any{"string", "null", "object", "array"}
		case 2:
			s["enum"] = []any{text(), 1, -0.5, 1e300, nil, true, []int{1}}
		case 3:
			s["const"] = text()
		case 4:
			s[[]string{"anyOf", "oneOf", "allOf"}[r.IntN(3)]] = []any{inner(), inner()}
		case 5:
			s["items"] = inner()
		case 6:
			s["prefixItems"] = []any{inner(), inner()}
		case 7:
			s["properties"], s["required"] = map[string]any{text(): inner(), text(): inner(), text(): inner()},
				[]any{text()}
		case 8:
			s["additionalProperties"] = inner()
		case 9:
			s["$ref"] = []string{"#", "#/$defs/a", "#/properties/a", "#/" + text()}[r.IntN(4)]
		case 10:
			s["description"], s["default"], s["format"] = text()+text(), text(), text()
		}
	}
	return s
}

func TestRandomSchemas(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 0))
		schema := randomSchema(r, 4)
		schema["$defs"] = map[string]any{"a": randomSchema(r, 3)}
		raw, err := json.Marshal(schema)
		require.NoError(t, err)
		checkSyntax(t, declare(tsdecl.Function{Name: "f", Input: raw, Output: raw}))
	}
}

// checkSyntax requires that a declaration parses, and that it cannot mislead readers: no literal or comment has several
// lines, and everything else consists of types.
func checkSyntax(t testing.TB, text string) {
	t.Helper()
	require.Empty(t, api.Transform(text, api.TransformOptions{Loader: api.LoaderTS}).Errors, text)
	require.True(t, utf8.ValidString(text))
	var open []byte
	closing := map[byte]byte{'}': '{', ')': '(', ']': '[', '>': '<'}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case strings.HasPrefix(text[i:], "//"):
			end := strings.IndexByte(text[i:], '\n')
			require.GreaterOrEqual(t, end, 0, text)
			i += end
		case strings.HasPrefix(text[i:], "/*"):
			end := strings.Index(text[i+2:], "*/")
			require.GreaterOrEqual(t, end, 0, text)
			require.NotContains(t, text[i:i+2+end], "\n", text)
			i += 2 + end + 1
		case c == '"':
			for i++; text[i] != '"'; i++ {
				require.NotEqual(t, byte('\n'), text[i], text)
				if text[i] == '\\' {
					i++
				}
			}
		case strings.IndexByte("{([<", c) >= 0:
			open = append(open, c)
		case closing[c] != 0:
			require.NotEmpty(t, open, text)
			require.Equal(t, open[len(open)-1], closing[c], text)
			open = open[:len(open)-1]
		default:
			require.True(t, c >= ' ' && c < 0x7f || c == '\n', "%q in %s", c, text)
			require.True(t, strings.IndexByte("*\\`'@#%^~", c) < 0, "%q in %s", c, text)
		}
	}
	require.Empty(t, open, text)
	require.True(t, strings.HasSuffix(text, "};\n"), text)
}

func FuzzDeclare(f *testing.F) {
	for _, schema := range []string{
		`{"type":"object","properties":{"a":{"type":"string","description":"*/"}},"required":["a"]}`,
		`{"$ref":"#/$defs/a","$defs":{"a":{"items":{"$ref":"#/$defs/a"}}}}`,
		`{"anyOf":[{"const":"\u2028"},{"enum":[1e5,-0,"*/"]}],"additionalProperties":{"type":["string","null"]}}`,
		`{"prefixItems":[true,{}],"items":false}`,
	} {
		f.Add("name", "description", schema)
		f.Add("a-b", "*/\n", schema)
	}
	f.Fuzz(func(t *testing.T, name, description, schema string) {
		if len(name) > 64 {
			return
		}
		got := declare(tsdecl.Function{Name: name, Description: description, Input: json.RawMessage(schema),
			Output: json.RawMessage(schema)})
		require.Less(t, len(got), 20<<10)
		checkSyntax(t, got)
	})
}

// TestReferences has all forms of references in a schema.
func TestReferences(t *testing.T) {
	for _, ref := range []string{
		`"$ref":"#/$defs/n"`, `"$ref":"#/%24defs/n"`, `"$ref":"#anchor"`, `"$dynamicRef":"#moving"`,
		`"allOf":[{"$ref":"#anchor"}]`,
	} {
		got := declare(tsdecl.Function{Name: "f", Input: json.RawMessage(`{"type":"object","properties":{"a":{` +
			ref + `}},
			"$defs":{"n":{"$anchor":"anchor","$dynamicAnchor":"moving","type":"integer"}}}`)})
		require.Contains(t, got, "a?: number;", ref)
	}
	got := declare(tsdecl.Function{Name: "f",
		Input: json.RawMessage(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object",
		"properties":{"a":{"$ref":"#n","type":"string"}},"definitions":{"n":{"$id":"#n","type":"boolean"}}}`)})
	require.Contains(t, got, "a?: boolean;", "beside a reference nothing counts in draft 7")
}
