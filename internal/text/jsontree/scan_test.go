package jsontree_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/jsontree"
)

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		name, text    string
		depth, values int
	}{
		{"nothing", ``, 0, 0},
		{"a number", ` -1.5e3 `, 0, 1},
		{"a word", `null`, 0, 1},
		{"a string", `"[{\"\\"`, 0, 1},
		{"an empty array", `[ ]`, 1, 1},
		{"an array", `[1, "two", true, [], {}]`, 2, 6},
		{"an object", `{"a": 1, "b": {"c": [null]}}`, 3, 8},
		{"depth that ends and begins again", `[[[]],[[]]]`, 3, 5},
		{"many", "[" + strings.Repeat("0,", 999) + "0]", 1, 1001},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := []byte(test.text)
			require.NoError(t, jsontree.Check(text, jsontree.Limits{}))
			require.NoError(t, jsontree.Check(text, jsontree.Limits{Depth: test.depth, Values: test.values}))
			var limit *jsontree.LimitError
			if test.depth > 1 {
				require.ErrorAs(t, jsontree.Check(text, jsontree.Limits{Depth: test.depth - 1}), &limit)
				require.Equal(t, jsontree.LimitError{What: "levels of nesting", Limit: test.depth - 1}, *limit)
			}
			if test.values > 1 {
				require.ErrorAs(t, jsontree.Check(text, jsontree.Limits{Values: test.values - 1}), &limit)
				require.Equal(t, jsontree.LimitError{What: "values", Limit: test.values - 1}, *limit)
			}
			require.Zero(t, testing.AllocsPerRun(10, func() {
				_ = jsontree.Check(text, jsontree.Limits{Depth: 1 << 20})
			}))
		})
	}
}

// FuzzCheck compares the counts with the values that package json decodes.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2,{"b":null}],"c":"\"]"}`, `[[[[`, `"\u00`, `{"a":1,"a":2}`, `1 2 3`, `[tru`,
		`]]]]`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_ = jsontree.Check(text, jsontree.Limits{Depth: 3, Values: 10})
		if !json.Valid(text) {
			return
		}
		depth, values := 0, 0
		decoder := json.NewDecoder(strings.NewReader(string(text)))
		decoder.UseNumber()
		for at := 0; ; {
			token, err := decoder.Token()
			if err != nil {
				break
			}
			switch token {
			case json.Delim('['), json.Delim('{'):
				at++
				values++
				depth = max(depth, at)
			case json.Delim(']'), json.Delim('}'):
				at--
			default:
				values++
			}
		}
		require.NoError(t, jsontree.Check(text, jsontree.Limits{Depth: depth, Values: values}))
		if depth > 1 {
			require.Error(t, jsontree.Check(text, jsontree.Limits{Depth: depth - 1}))
		}
		if values > 1 {
			require.Error(t, jsontree.Check(text, jsontree.Limits{Values: values - 1}))
		}
	})
}
