package javascript

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAssertionAt(t *testing.T) {
	for text, want := range map[string]string{
		"x; |assert(a > 1); y()":                       "assert(a > 1)",
		"assert.|ok(f(1)[0] === ')', `${g(')')}`) ; x": "assert.ok(f(1)[0] === ')', `${g(')')}`)",
		"a.b.|ok( /[)/]\\)/.test(x) / 2 )":             "a.b.ok( /[)/]\\)/.test(x) / 2 )",
		"|ok(1 /* ) */, // )\n  2)":                    "ok(1 /* ) */, // )\n    2)",
		"  {\n    |ok(\n      x,\n    );\n  }":         "ok(\n    x,\n  )",
		"ä.|ok('\\')', \"it's\")":                      "ä.ok('\\')', \"it's\")",
		"|ok(`${`${a(')')}`}`)":                        "ok(`${`${a(')')}`}`)",
		"|ok (1)":                                      "ok (1)",
		"assert([1, 2].|includes(3), 'm')":             "assert([1, 2].includes(3), 'm')",
		"assert(a === |b)":                             "assert(a === b)",
		"myAssert({ a: f(1), b: |c })":                 "myAssert({ a: f(1), b: c })",
		"assert(a); |f(1)":                             "",
		"other(|f(1))":                                 "",
		"f`(`; |g`x`":                                  "",
		"|ok?.(1)":                                     "",
		"|ok":                                          "",
		"|ok(1":                                        "",
		"|ok('1)":                                      "",
		"|ok(`${1)":                                    "",
		"|ok(/* )":                                     "",
		"|ok(// )":                                     "",
		"ok(1)|":                                       "",
		"|)":                                           "",
		"|ok(" + strings.Repeat("(", 5000):             "",
		"|ok(" + strings.Repeat("`${", 3000):           "",
		"|ok('" + strings.Repeat("x", maxQuoted) + "')": "",
		"|ok(" + strings.Repeat("x", maxQuoted-5) + ")": "ok(" + strings.Repeat("x", maxQuoted-5) + ")",
	} {
		at := strings.IndexByte(text, '|')
		require.Equal(t, want, assertionAt(text[:at]+text[at+1:], at), "%.100s", text)
	}
	require.Empty(t, assertionAt("ok(1)", -1))
	require.Empty(t, assertionAt("ok(1)", 100))
}
