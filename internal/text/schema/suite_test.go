//go:build suites

package schema_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/schema"
)

// TestJSONSchemaSuite runs JSON Schema's own tests, from a checkout of json-schema-org/JSON-Schema-Test-Suite that
// TOOLRUN_JSON_SCHEMA names. The results must match those of the suite and of package jsonschema, except for the known
// differences.
func TestJSONSchemaSuite(t *testing.T) {
	checkout := os.Getenv("TOOLRUN_JSON_SCHEMA")
	if checkout == "" {
		t.Skip("TOOLRUN_JSON_SCHEMA does not name a checkout of json-schema-org/JSON-Schema-Test-Suite")
	}
	differences, tests := map[string]string{}, 0
	for draft, uri := range map[string]string{
		"draft7":       "http://json-schema.org/draft-07/schema#",
		"draft2020-12": "https://json-schema.org/draft/2020-12/schema",
	} {
		var files []string
		for _, pattern := range []string{"*.json", "optional/*.json"} {
			found, err := filepath.Glob(filepath.Join(checkout, "tests", draft, pattern))
			require.NoError(t, err)
			files = append(files, found...)
		}
		require.Greater(t, len(files), 40)
		for _, file := range files {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var groups []struct {
				Description string
				Schema      json.RawMessage
				Tests       []struct {
					Description string
					Data        json.RawMessage
					Valid       bool
				}
			}
			require.NoError(t, json.Unmarshal(text, &groups), file)
			name, err := filepath.Rel(filepath.Join(checkout, "tests"), file)
			require.NoError(t, err)
			for _, group := range groups {
				where := filepath.ToSlash(name) + ": " + group.Description
				raw := withDraft(group.Schema, uri)
				compiled, err := schema.Compile(raw)
				if err != nil {
					require.NotContains(t, err.Error(), `another document, "#`)
					differences[where] = err.Error()
					continue
				}
				reference := suiteReference(raw)
				for _, test := range group.Tests {
					tests++
					value, err := jsontree.DecodeLoose(test.Data)
					require.NoError(t, err)
					valid := compiled.Validate(t.Context(), value) == nil
					if valid != test.Valid {
						differences[where+": "+test.Description] = "not as the suite has it"
					}
					if reference != nil && valid != (reference.Validate(value) == nil) {
						differences[where+": "+test.Description] = "not as the library has it"
					}
				}
			}
		}
	}
	require.Greater(t, tests, 2000)
	t.Logf("%d tests", tests)
	found := make([]bool, len(knownDifferences))
	for where, what := range differences {
		explained := false
		for i, known := range knownDifferences {
			if known.where.MatchString(where) && strings.Contains(what, known.what) {
				explained, found[i] = true, true
			}
		}
		if !explained {
			t.Errorf("%s: %s", where, what)
		}
	}
	for i, known := range knownDifferences {
		if !found[i] {
			t.Errorf("there is no such difference any more: %v: %s", known.where, known.what)
		}
	}
}

// withDraft adds $schema to a schema that does not name its draft.
func withDraft(raw json.RawMessage, uri string) json.RawMessage {
	n, err := jsontree.Parse(raw)
	if err != nil || n.Kind != jsontree.Object || n.Get("$schema") != nil {
		return raw
	}
	n.Set("$schema", jsontree.NewString(uri))
	raw, _ = n.Encode(1 << 20)
	return raw
}

// suiteReference compiles a schema with package jsonschema, or returns nil if that fails. Formats are annotations, as
// in this project.
func suiteReference(raw json.RawMessage) *jsonschema.Schema {
	doc, err := jsontree.DecodeLoose(raw)
	if err != nil {
		return nil
	}
	compiler := jsonschema.NewCompiler()
	if compiler.AddResource("tool:schema", doc) != nil {
		return nil
	}
	compiled, err := compiler.Compile("tool:schema")
	if err != nil {
		return nil
	}
	return compiled
}

// knownDifferences lists the schemas of the suite that are refused, and the values with results other than the suite's.
// Each must occur.
var knownDifferences = []struct {
	where *regexp.Regexp
	what  string
}{
	// A tool's schema is a single document, and nothing is loaded for it. An absolute URL counts as another document
	// even if it leads back to this one.
	{regexp.MustCompile(
		`/(anchor|defs|definitions|dynamicRef|ref|refRemote|cross-draft|id|unknownKeyword|unevaluated\w+)\.json: `,
	),
		`it refers to another document, "`},
	// Within a schema with an $id of its own, references could lead anywhere.
	{regexp.MustCompile(`/(dynamicRef|ref)\.json: `), `a schema in it has an "$id" and a reference`},
	{regexp.MustCompile(`draft7/ref\.json: (refs with relative uris|relative refs with absolute uris) and defs`),
		`where nothing is`},
	// Metaschemas are other documents.
	{regexp.MustCompile(`/(format-assertion|vocabulary)\.json: `), `failing loading "http://localhost:1234/`},
	// Tools take objects.
	{regexp.MustCompile(`/boolean_schema\.json: `), `the schema is not a JSON object`},
	// Regular expressions are Go's, which take linear time: \s is ASCII, and there is no \c.
	{regexp.MustCompile(`/ecmascript-regex\.json: ECMA 262 \\[sS] matches`), `not as the suite has it`},
	{regexp.MustCompile(`/ecmascript-regex\.json: ECMA 262 regex escapes control codes with \\c`),
		`invalid escape sequence`},
	// Encoded content is not examined.
	{regexp.MustCompile(`draft7/optional/content\.json: `), `not as the suite has it`},
}
