package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/schema"
)

// checkLooser requires that every value that a schema accepts is also accepted by the lowered schemas of all providers.
// If folded is false, schemas with alternatives at the root are exempt: a property that only some of the alternatives
// mention is described as in these.
func checkLooser(t *testing.T, text string, values []any, folded bool) (accepted int) {
	t.Helper()
	original, err := schema.CompileObject(json.RawMessage(text))
	require.NoError(t, err, text)
	var good []any
	for _, v := range values {
		if original.Validate(context.Background(), v) == nil {
			good = append(good, v)
		}
	}
	for api, rules := range loosely {
		got, notes, err := lowerJSON(t, text, rules)
		require.NoError(t, err, text)
		if !folded && strings.Contains(strings.Join(notes, "\n"), "one of these forms") {
			return 0
		}
		low, err := schema.CompileObject(json.RawMessage(got))
		require.NoError(t, err, "%s: %s became %s", api, text, got)
		for _, v := range good {
			if err := low.Validate(context.Background(), v); err != nil {
				encoded, _ := json.Marshal(v)
				t.Fatalf("%s: %s accepts %s, but what it became does not: %s: %v", api, text, encoded, got, err)
			}
		}
	}
	return len(good)
}

// A provider's schema may be less precise than the tool's, but never more restrictive.
func TestLowerIsLooser(t *testing.T) {
	rounds := 300
	if testing.Short() {
		rounds = 100
	}
	accepted := 0
	for seed := range rounds {
		g := &generator{rand.New(rand.NewPCG(1, uint64(seed)))}
		schema := g.root()
		values := make([]any, 60)
		for i := range values {
			values[i] = g.object(3)
		}
		accepted += checkLooser(t, schema, values, false)
	}
	require.Greater(t, accepted, rounds, "too few of the values were right for the test to mean something")
}

// Alternatives at the root that list their properties become a schema that accepts all of them.
func TestLowerIsLooserWithAlternativesAtTheRoot(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	accepted := 0
	for seed := range 200 {
		g := &generator{rand.New(rand.NewPCG(2, uint64(seed)))}
		schema := `{"type":"object","` + g.pick("anyOf", "oneOf") + `":` + g.list(1+g.IntN(3), func() string {
			return `{"properties":` + g.map_(1+g.IntN(3), func() string { return g.schema(1) }) + `,"required":["` +
				g.name() + `"],"additionalProperties":false}`
		}) + `,"$defs":{"d0":` + g.schema(1) + `,"d1":{"type":"string"}}}`
		values := make([]any, 60)
		for i := range values {
			values[i] = g.object(2)
		}
		accepted += checkLooser(t, schema, values, true)
	}
	require.Greater(t, accepted, 200)
}

// checkStrict requires that a strict schema contains nothing that OpenAI refuses or, if allRequired is false,
// Anthropic.
func checkStrict(t *testing.T, n *node, allRequired bool, from string) {
	t.Helper()
	if n.Get("anyOf") == nil {
		require.NotNil(t, n.Get("type"), from)
	}
	types := typesOf(n.Get("type"))
	if n.Get("type") != nil && slices.Contains(types, "object") {
		require.True(t, n.Get("additionalProperties").Is("false"), from)
		require.NotNil(t, n.Get("properties"), from)
		if allRequired {
			require.Len(t, n.Get("required").Texts(), len(n.Get("properties").Members), from)
		}
	}
	if n.Get("type") != nil && slices.Contains(types, "array") {
		require.NotNil(t, n.Get("items"), from)
	}
	if enum := n.Get("enum"); enum != nil {
		require.NotEmpty(t, enum.Items, from)
	}
	for _, v := range valuesOf(n) {
		require.True(t, fitsOne(v, types), from)
		require.Contains(t, []jsontree.Kind{jsontree.String, jsontree.Literal}, v.Kind, from)
	}
	if properties := n.Get("properties"); properties != nil {
		for _, m := range properties.Members {
			checkStrict(t, m.Value, allRequired, from)
		}
	}
	if items := n.Get("items"); items != nil {
		checkStrict(t, items, allRequired, from)
	}
	if list := n.Get("anyOf"); list != nil {
		require.NotEmpty(t, list.Items, from)
		for _, a := range list.Items {
			checkStrict(t, a, allRequired, from)
		}
	}
}

// Schemas marked as strict must be strict, because providers refuse a whole request for one that is not.
func TestLowerIsStrict(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	count := 0
	for seed := range 2000 {
		g := &generator{rand.New(rand.NewPCG(5, uint64(seed)))}
		properties := g.map_(1+g.IntN(2), func() string {
			return "{" + strings.Join(g.keywords(g.IntN(3), false), ",") + "}"
		})
		schema := `{"type":"object","properties":` + properties + `,"required":["a","b","c","x y"],"$defs":{"d0":` +
			g.schema(1) + `,"d1":{"type":"string"}}}`
		root, err := jsontree.Parse([]byte(schema))
		require.NoError(t, err, schema)
		for _, rules := range strictly {
			if low, err := lower(root, rules); err == nil {
				checkStrict(t, low.schema, rules.allRequired, schema)
				count++
			}
		}
	}
	require.Greater(t, count, 300, "too few of the schemas can be strict for the test to mean something")
}

// A generator makes schemas and values from a small vocabulary, so that they often match.
type generator struct{ *rand.Rand }

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) name() string { return g.pick("a", "b", "c", "x y") }

func (g *generator) value(depth int) any {
	n := 8
	if depth <= 0 {
		n = 6
	}
	switch g.IntN(n) {
	case 0:
		return nil
	case 1:
		return g.IntN(2) == 0
	case 2:
		return json.Number(g.pick("0", "1", "2", "5"))
	case 3:
		return json.Number(g.pick("0.5", "1.0", "2.5"))
	case 4, 5:
		return g.pick("", "a", "ab", "abc")
	case 6:
		list := make([]any, g.IntN(4))
		for i := range list {
			list[i] = g.value(depth - 1)
		}
		return list
	}
	return g.object(depth - 1)
}

func (g *generator) object(depth int) map[string]any {
	object := map[string]any{}
	for range g.IntN(4) {
		object[g.name()] = g.value(depth)
	}
	return object
}

func (g *generator) json(v any) string {
	encoded, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(encoded)
}

func (g *generator) list(n int, one func() string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = one()
	}
	return "[" + strings.Join(parts, ",") + "]"
}

func (g *generator) map_(n int, one func() string) string {
	parts := map[string]string{}
	for range n {
		parts[g.name()] = one()
	}
	var members []string
	for _, name := range []string{"a", "b", "c", "x y"} {
		if part, ok := parts[name]; ok {
			members = append(members, fmt.Sprintf("%q:%s", name, part))
		}
	}
	return "{" + strings.Join(members, ",") + "}"
}

func (g *generator) root() string {
	members := g.keywords(3, true)
	defs := fmt.Sprintf(`"$defs":{"d0":%s,"d1":%s}`, g.schema(2), g.schema(2))
	draft := ""
	if g.IntN(4) == 0 {
		draft = `"$schema":"` + g.pick("http://json-schema.org/draft-07/schema#",
			"https://json-schema.org/draft/2019-09/schema") + `",`
	}
	return `{` + draft + `"type":"object",` + strings.Join(append(members, defs), ",") + `}`
}

func (g *generator) schema(depth int) string {
	switch g.IntN(12) {
	case 0:
		return "true"
	case 1:
		return "{}"
	case 2:
		return `{"$ref":"#/$defs/` + g.pick("d0", "d1") + `"}`
	}
	if g.IntN(25) == 0 {
		return "false"
	}
	return "{" + strings.Join(g.keywords(depth, false), ",") + "}"
}

func (g *generator) keywords(depth int, root bool) []string {
	have := map[string]string{}
	add := func(name, value string) { have[name] = value }
	if !root && g.IntN(2) == 0 {
		add("type", g.json(g.pick("object", "array", "string", "number", "integer", "boolean", "null")))
	} else if !root && g.IntN(3) == 0 {
		add("type", `["`+g.pick("object", "string", "integer")+`","`+g.pick("null", "array", "number")+`"]`)
	}
	choices := 12
	if depth > 0 {
		choices = 28
	}
	inner := func() string { return g.schema(depth - 1) }
	for range 1 + g.IntN(3) {
		switch g.IntN(choices) {
		case 0:
			add("enum", g.list(1+g.IntN(3), func() string { return g.json(g.value(1)) }))
			if have["enum"] != "" && strings.Count(have["enum"], ",") > 0 {
				delete(have, "enum") // duplicate values are invalid
			}
		case 1:
			add("const", g.json(g.value(1)))
		case 2:
			add("minimum", g.pick("0", "1", "2"))
		case 3:
			add("exclusiveMaximum", g.pick("1", "2", "2.5"))
		case 4:
			add("maxLength", g.pick("0", "1", "2"))
		case 5:
			add("pattern", g.json(g.pick("^a", "b$", "c")))
		case 6:
			add("minItems", g.pick("0", "1", "2"))
		case 7:
			add("uniqueItems", "true")
		case 8:
			add("multipleOf", g.pick("1", "0.5"))
		case 9:
			add("minProperties", g.pick("0", "1"))
		case 10:
			add("description", `"text"`)
		case 11:
			add("exclusiveMinimum", g.pick("0", "0.5"))
		case 12, 13, 14, 15:
			add("properties", g.map_(1+g.IntN(3), inner))
		case 16:
			add("required", `["`+g.name()+`"]`)
		case 17:
			add("additionalProperties", g.pick("false", "false", inner()))
		case 18:
			add("patternProperties", `{"`+g.pick("a|b", "^c", "x")+`":`+inner()+`}`)
		case 19:
			add("items", inner())
		case 20:
			add("prefixItems", g.list(1+g.IntN(2), inner))
		case 21, 22:
			add("allOf", g.list(1+g.IntN(2), inner))
		case 23:
			if !root {
				add("anyOf", g.list(1+g.IntN(3), inner))
			}
		case 24:
			if !root {
				add("oneOf", g.list(1+g.IntN(3), inner))
			}
		case 25:
			add(g.pick("not", "contains", "propertyNames", "unevaluatedProperties", "unevaluatedItems"), inner())
		case 26:
			add("if", inner())
			add(g.pick("then", "else"), inner())
		case 27:
			add("dependentRequired", `{"a":["b"]}`)
			add("$ref", `"#/$defs/`+g.pick("d0", "d1")+`"`)
		}
	}
	var members []string
	for name, value := range have {
		members = append(members, fmt.Sprintf("%q:%s", name, value))
	}
	return members
}

func FuzzLower(f *testing.F) {
	for seed := range 30 {
		g := &generator{rand.New(rand.NewPCG(3, uint64(seed)))}
		f.Add([]byte(g.root()), uint64(seed))
	}
	for _, schema := range []string{
		`{"type":"object","$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`,
		`{"type":"object","$id":"https://a.b/c",` +
			`"properties":{"a":{"$id":"d","$anchor":"e","properties":{"f":{"$ref":"#e"}}},"g":{"$ref":"d"}}}`,
		`{"type":"object","$dynamicAnchor":"n","properties":{"a":{"$dynamicRef":"#n"}}}`,
		`{"$schema":"http://json-schema.org/draft-04/schema#","id":"x",` +
			`"type":"object","properties":{"a":{"minimum":1,"exclusiveMinimum":true},"b":{"$ref":"x"}}}`,
		`{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"object","$recursiveAnchor":true,` +
			`"properties":{"a":{"$recursiveRef":"#"},"b":{"items":[{},true],"additionalItems":false}}}`,
		`{"type":"object","oneOf":[{"properties":{"a":{"const":1}},"required":["a"]},` +
			`{"anyOf":[{"required":["b"]},{"required":["c"]}]}]}`,
	} {
		f.Add([]byte(schema), uint64(0))
	}
	f.Fuzz(func(t *testing.T, raw []byte, seed uint64) {
		original, err := schema.CompileObject(raw)
		if err != nil {
			return
		}
		root, err := jsontree.Parse(original.JSON())
		if err != nil {
			return // nested too deep
		}
		g := &generator{rand.New(rand.NewPCG(4, seed))}
		for _, list := range []map[string]*rules{loosely, strictly} {
			for api, rules := range list {
				low, err := lower(root, rules)
				if err != nil {
					continue
				}
				encoded, err := low.schema.Encode(maxSchema)
				require.NoError(t, err)
				require.True(t, json.Valid(encoded))
				if rules.strict {
					checkStrict(t, low.schema, rules.allRequired, string(raw))
				}
				compiled, err := schema.CompileObject(encoded)
				require.NoError(t, err, "%s: %s became %s", api, raw, encoded)
				if rules.strict || strings.Contains(strings.Join(low.notes, "\n"), "one of these forms") {
					continue
				}
				for range 10 {
					v := g.object(3)
					if original.Validate(context.Background(), v) == nil {
						require.NoError(t, compiled.Validate(t.Context(), v),
							"%s: %s accepts %s, but what it became does not: %s", api, raw, g.json(v), encoded)
					}
				}
			}
		}
	})
}
