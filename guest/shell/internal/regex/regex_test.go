package regex_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/guest/shell/internal/regex"
)

// TestTexts: expressions that are no more than a text, which are looked for as such, match as others do.
func TestTexts(t *testing.T) {
	for name, test := range map[string]struct {
		expr, text string
		options    regex.Options
		n          int
		want       [][]int
	}{
		"all":            {expr: "aa", text: "aaaaa", n: -1, want: [][]int{{0, 2}, {2, 4}}},
		"some":           {expr: "a", text: "aaaa", n: 2, want: [][]int{{0, 1}, {1, 2}}},
		"none":           {expr: "ab", text: "aaaa", n: -1},
		"bytes":          {expr: "é", text: "\xffé\xff", n: -1, want: [][]int{{1, 3}}},
		"escapes":        {expr: `\.a\*`, text: "xa*.a*", n: -1, want: [][]int{{3, 6}}},
		"a whole line":   {expr: "^ab$", text: "xabx", n: -1},
		"a group":        {expr: `\(ab\)`, text: "xab", n: -1, want: [][]int{{1, 3, 1, 3}}},
		"of either case": {expr: "ab", text: "xAb", options: regex.Options{Fold: true}, n: -1, want: [][]int{{1, 3}}},
		"Perl's":         {expr: "a-b", text: "xa-b", options: regex.Options{Perl: true}, n: -1, want: [][]int{{1, 4}}},
	} {
		t.Run(name, func(t *testing.T) {
			re, err := regex.Compile(test.expr, test.options)
			require.NoError(t, err)
			require.Equal(t, test.want, re.All([]byte(test.text), test.n))
			require.Equal(t, test.want != nil, re.Match([]byte(test.text)))
			more := re.AppendAll([][]int{{7, 8}}, []byte(test.text), test.n)
			require.Equal(t, append([][]int{{7, 8}}, test.want...), more)
		})
	}
}
