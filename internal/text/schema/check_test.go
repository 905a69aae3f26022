package schema_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/toolrun/toolrun/internal/text/schema"
)

// FuzzCheck validates random values against random schemas of all drafts, and compares the problems with those that
// package jsonschema reports.
func FuzzCheck(f *testing.F) {
	for seed := range uint64(500) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		r := random{rand.New(rand.NewPCG(seed, 1))}
		raw, err := json.Marshal(r.root())
		require.NoError(t, err)
		compiled, err := schema.Compile(raw)
		reference, want := compileReference(t, raw)
		require.Equal(t, want == nil, err == nil, "%s: %v, %v", raw, want, err)
		if err != nil {
			return
		}
		for range 8 {
			encoded, err := json.Marshal(r.object(4))
			require.NoError(t, err)
			value := decoded(t, encoded)
			want, got := leaves(reference.Validate(value)), []string(nil)
			if want == nil {
				require.False(t, compiled.Coerce(t.Context(), decoded(t, encoded).(map[string]any), 100), "%s: %s", raw,
					encoded)
			}
			if err := compiled.Validate(t.Context(), value); err != nil {
				got = strings.Split(alternativeNames.ReplaceAllString(err.Error(), ""), "\n")
			}
			if len(want) > 20 {
				require.Equal(t, fmt.Sprintf("and %d more", len(want)-20), got[len(got)-1], "%s: %s", raw, encoded)
				continue
			}
			slices.Sort(want)
			require.Equal(t, slices.Compact(want), got, "%s: %s", raw, encoded)
		}
	})
}

// TestMalformedKeywords has each keyword with each kind of value, alone and within others. Compile refuses what package
// jsonschema refuses, also where it leaves compiling for later.
func TestMalformedKeywords(t *testing.T) {
	keywords := []string{"title", "description", "$comment", "default", "const", "examples", "enum", "deprecated",
		"readOnly", "writeOnly", "type", "properties", "$defs", "required", "additionalProperties", "items", "anyOf",
		"allOf", "not", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minimum",
		"maximum", "exclusiveMinimum", "multipleOf", "pattern", "patternProperties", "propertyNames", "uniqueItems",
		"if", "contains", "$anchor", "$ref", "$schema", "x-other"}
	values := []string{`null`, `true`, `1`, `0`, `-1`, `1.5`, `1.0`, `1e400`, `123456789012345678901234567890`, `""`,
		`"string"`, `"strin"`, `"("`, `[]`, `["string"]`, `["string","null"]`, `["string","string"]`, `[1]`, `["a",1]`,
		`[{}]`, `[true]`, `[null]`, `[[]]`, `{}`, `{"a":1}`, `{"a":{}}`, `{"a":true}`, `{"a":null}`, `{"a":{"type":1}}`,
		`{"type":"strin"}`, `{"type":"string"}`, `{"$id":"x","$ref":"y"}`, `{"properties":{"a":{"minLength":-1}}}`,
		`[{"type":"string"},{"type":7}]`}
	for _, keyword := range keywords {
		for _, value := range values {
			for _, around := range []string{`{%s}`, `{"properties":{"p":{%s}}}`, `{"items":{"anyOf":[true,{%s}]}}`} {
				raw := fmt.Appendf(nil, around, fmt.Sprintf("%q:%s", keyword, value))
				compiled, err := schema.Compile(raw)
				_, want := compileReference(t, raw)
				if keyword == "$ref" || keyword == "$schema" || strings.Contains(value, "$ref") {
					want = err // which documents there are is another matter
				}
				require.Equal(t, want == nil, err == nil, "%s: %v, %v", raw, want, err)
				if err == nil {
					if err := compiled.Validate(t.Context(), []any{map[string]any{}}); err != nil {
						require.NotContains(t, err.Error(), "compile", "%s", raw)
					}
				}
			}
		}
	}
}

func decoded(t testing.TB, encoded []byte) (value any) {
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	require.NoError(t, decoder.Decode(&value))
	return value
}

func compileReference(t testing.TB, raw []byte) (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource("tool:schema", enumsLast(decoded(t, raw))))
	return compiler.Compile("tool:schema")
}

// enumsLast moves enums into allOf, so that package jsonschema reports other problems of the value as well.
func enumsLast(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, inside := range v {
			v[name] = enumsLast(inside)
		}
		delete(v, "format") // here format is an annotation
		if values, ok := v["enum"].([]any); ok {
			all, _ := v["allOf"].([]any)
			v["allOf"] = append(all, map[string]any{"enum": values})
			delete(v, "enum")
		}
	case []any:
		for i := range v {
			v[i] = enumsLast(v[i])
		}
	}
	return v
}

// alternativeNames matches the names of alternatives at the end of problems.
var alternativeNames = regexp.MustCompile(`(?m) \((with [^ ]+ '[^']*'|as .*)\)$`)

// leaves returns the texts of the errors without causes that a model is told.
func leaves(err error) (texts []string) {
	if err == nil {
		return nil
	}
	for _, e := range told(err.(*jsonschema.ValidationError)) {
		texts = append(texts, textOf(e.ValidationError))
	}
	return texts
}

// A leaf is an error without causes.
type leaf struct {
	*jsonschema.ValidationError
	// ofName means that the error concerns the name of a property, not the value.
	ofName bool
}

// told returns the errors without causes. Of several alternatives it includes only those that were probably meant,
// which it finds by comparing all errors of each.
func told(e *jsonschema.ValidationError) (errs []leaf) {
	if len(e.Causes) == 0 {
		return []leaf{{ValidationError: e}}
	}
	alternatives := false
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf:
		alternatives = true
	case *kind.OneOf:
		alternatives = k.Subschemas == nil
	}
	ranks := map[int][][]leaf{}
	for _, cause := range e.Causes {
		inside := told(cause)
		errs = append(errs, inside...)
		rank := 0
		for _, leaf := range inside {
			rank = max(rank, rankOf(leaf, len(e.InstanceLocation)))
		}
		ranks[rank] = append(ranks[rank], inside)
	}
	if _, ofNames := e.ErrorKind.(*kind.PropertyNames); ofNames {
		for i := range errs {
			errs[i].ofName = true
		}
	}
	if !alternatives {
		return errs
	}
	errs = nil
	for rank := range 4 {
		if len(ranks[rank]) == 0 {
			continue
		}
		fewest := slices.MinFunc(ranks[rank], func(a, b []leaf) int { return len(a) - len(b) })
		for _, inside := range ranks[rank] {
			for _, leaf := range inside {
				if rank > 1 || rank == 0 && len(inside) == len(fewest) ||
					rank == 1 && (len(ranks[rank]) == 1 || rankOf(leaf, len(e.InstanceLocation)) == 1) {
					errs = append(errs, leaf)
				}
			}
		}
		return errs
	}
	return nil
}

// rankOf returns how strongly an error suggests that an alternative was not meant. path is the length of the path of
// the value that the alternative is for.
func rankOf(e leaf, path int) int {
	if e.ofName {
		return 0
	}
	below := len(e.InstanceLocation) - path
	switch e.ErrorKind.(type) {
	case *kind.Type, *kind.FalseSchema:
		if below == 0 {
			return 3
		}
	case *kind.Const, *kind.Enum:
		if below == 0 || below == 1 {
			return 2 - below
		}
	}
	return 0
}

func textOf(e *jsonschema.ValidationError) string {
	text := e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
	if name, ok := strings.CutPrefix(text, "additional properties "); ok { // their order is random
		names := strings.Split(strings.TrimSuffix(name, " not allowed"), ", ")
		slices.Sort(names)
		text = "additional properties " + strings.Join(names, ", ") + " not allowed"
	}
	if len(text) > 300 {
		text = text[:300] + "..."
	}
	if len(e.InstanceLocation) > 0 {
		text = "/" + strings.Join(e.InstanceLocation, "/") + ": " + text
	}
	return text
}

// random makes schemas and values from a small vocabulary, so that they often match.
type random struct{ *rand.Rand }

func (r random) one(of ...any) any { return of[r.IntN(len(of))] }

func (r random) name() string { return r.one("a", "b", "c", "ab").(string) }

func (r random) value(depth int) any {
	switch n := r.IntN(10); {
	case n < 2 && depth > 0:
		return r.object(depth)
	case n < 4 && depth > 0:
		list := make([]any, r.IntN(5))
		for i := range list {
			list[i] = r.value(depth - 1)
		}
		return list
	}
	return r.one("", "a", "ab", "ababab", "é", 0, 1, 2, 3, 1.5, json.Number("1.0"), json.Number("1e1"), -1, true,
		false, nil)
}

func (r random) object(depth int) map[string]any {
	object := map[string]any{}
	for range r.IntN(4) {
		object[r.name()] = r.value(depth - 1)
	}
	return object
}

func (r random) root() map[string]any {
	root := r.schema(3).(map[string]any)
	root["type"] = "object"
	root["$defs"] = map[string]any{"x": r.schema(3), "y": r.schema(2), "z": r.schema(1),
		"w": map[string]any{"$dynamicAnchor": "w", "minimum": 1}}
	if draft := r.one("", "", "http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-06/schema#",
		"http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema",
		"https://json-schema.org/draft/2020-12/schema"); draft != "" {
		root["$schema"] = draft
	}
	return root
}

func (r random) schemas(depth int) []any {
	list := make([]any, 1+r.IntN(3))
	for i := range list {
		list[i] = r.schema(depth)
	}
	return list
}

func (r random) named(depth int, names ...any) map[string]any {
	schemas := map[string]any{}
	for range 1 + r.IntN(3) {
		name := r.name()
		if len(names) > 0 {
			name = r.one(names...).(string)
		}
		schemas[name] = r.schema(depth)
	}
	return schemas
}

// schema returns a schema with few keywords.
func (r random) schema(depth int) any {
	s := map[string]any{}
	if depth <= 0 {
		s["type"] = r.one("string", "integer", "number", "object", "array", "null", "boolean")
		return s
	}
	for range 1 + r.IntN(3) {
		keyword := r.one("type", "properties", "properties", "items", "items", "anyOf", "oneOf", "allOf", "$ref",
			"$ref", "enum", "const", "not", "if", "required",
			"additionalProperties", "unevaluatedProperties", "unevaluatedItems", "prefixItems", "contains", "minimum",
			"maxLength", "pattern",
			"patternProperties", "propertyNames", "dependencies", "dependentRequired", "dependentSchemas",
			"uniqueItems", "minItems", "maxItems",
			"multipleOf", "exclusiveMinimum", "minProperties", "maxProperties", "$dynamicRef", "$recursiveRef",
			"additionalItems", "format").(string)
		switch keyword {
		case "type":
			s[keyword] = r.one("object", "array", "string", "integer", []any{"object", "array"},
				[]any{"number", "null"}, "boolean")
		case "properties", "dependentSchemas":
			s[keyword] = r.named(depth - 1)
		case "patternProperties":
			s[keyword] = r.named(depth-1, "^a", "b$", ".")
		case "items":
			s[keyword] = r.one(r.schema(depth-1), r.schema(depth-1), r.schemas(depth-1), r.one(true, false))
		case "anyOf", "oneOf", "allOf", "prefixItems":
			s[keyword] = r.schemas(depth - 1)
		case "$ref":
			s[keyword] = r.one("#/$defs/x", "#/$defs/y", "#/$defs/z", "#")
		case "$dynamicRef":
			s[keyword] = r.one("#w", "#/$defs/x")
		case "$recursiveRef":
			s[keyword] = "#"
		case "enum":
			s[keyword] = []any{r.value(1), r.value(1), r.value(2)}
		case "const":
			s[keyword] = r.value(1)
		case "not", "propertyNames":
			s[keyword] = r.schema(depth - 1)
		case "if":
			s["if"], s["then"], s["else"] = r.schema(depth-1), r.schema(depth-1), r.schema(depth-1)
		case "required":
			s[keyword] = []any{r.name()}
		case "contains":
			s[keyword] = r.schema(depth - 1)
			if r.IntN(2) == 0 {
				s[r.one("minContains", "maxContains").(string)] = r.IntN(3)
			}
		case "additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems":
			s[keyword] = r.one(true, false, r.schema(depth-1))
		case "dependencies":
			s[keyword] = map[string]any{r.name(): r.one(r.schema(depth-1), []any{r.name()})}
		case "dependentRequired":
			s[keyword] = map[string]any{r.name(): []any{r.name()}}
		case "pattern":
			s[keyword] = r.one("^a", "b", "^(ab)*$")
		case "uniqueItems":
			s[keyword] = true
		case "multipleOf":
			s[keyword] = r.one(2, 0.5)
		case "exclusiveMinimum":
			s[keyword] = r.IntN(2)
		case "format":
			s[keyword] = r.one("date", "regex")
		default:
			s[keyword] = r.IntN(3)
		}
	}
	return s
}
