package javascript_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/javascript"
)

func TestExpressions(t *testing.T) {
	for script, want := range map[string]string{
		"6 * 7":                        "42",
		"{a: 1}":                       "{\n  \"a\": 1\n}",
		"1, 2":                         "2",
		"2 // two":                     "2",
		"(1) + (2)":                    "3",
		"await Promise.resolve(5)":     "5",
		"function f() {}":              "[Function: f]",
		"`}`":                          "}",
		"[\n1,\n2].length":             "2",
		"5 as number":                  "5",
		"((a: number) => a + 1)(1)":    "2",
		"\"import x from 'y'\".length": "17",
	} {
		require.Equal(t, want, run(t, script, javascript.RunOptions{Expression: true}).Text, script)
	}
}

// TestExpressionsThatFail has the positions of the expression, without what the runtime puts around it.
func TestExpressionsThatFail(t *testing.T) {
	for script, want := range map[string]string{
		"null.x": "TypeError: Cannot read properties of null (reading 'x')\n    at <anonymous> " +
			"(script.js:1:1)",
		"1 + nope":                  "ReferenceError: nope is not defined\n    at <anonymous> (script.js:1:5)",
		"'\u00e9\U0001f600' + nope": "ReferenceError: nope is not defined\n    at <anonymous> (script.js:1:9)",
		"(() => {\n  nope\n})()": "ReferenceError: nope is not defined\n    at <anonymous> (script.js:2:3)\n    " +
			"at <anonymous> (script.js:3:1)",
		"(5 as number) + nope": "ReferenceError: nope is not defined\n    at <anonymous> (script.js:1:17)",
		"[].each()":            "TypeError: [].each is not a function\n    at <anonymous> (script.js:1:4)",
		"let 5":                "SyntaxError: Unexpected number\n    at script.js:1:5",
		"(1": "SyntaxError: unexpected end of input: a bracket is missing, or there is one too " +
			"many\n    at script.js:1",
		"1 +": "SyntaxError: unexpected end of input: a bracket is missing, or there is one too many\n " +
			"   at script.js:1",
		"1) + (2":           "SyntaxError: a closing bracket too many: the code must be one expression",
		"1) as number + (2": "SyntaxError: expecting ';'\n    at script.js:1",
		"1 as any) + (2":    "SyntaxError: Unexpected identifier 'as'\n    at script.js:1",
		"a) => (b":          "SyntaxError: a closing bracket too many: the code must be one expression",
		"1); (2":            "SyntaxError: a closing bracket too many: the code must be one expression",
		"": "SyntaxError: unexpected end of input: a bracket is missing, or there is one too many\n " +
			"   at script.js:1",
		"1\n; 2":            "SyntaxError: Unexpected token ';'\n    at script.js:2:1",
		"return 1":          "SyntaxError: unexpected token in expression: 'return'\n    at script.js:1:1",
		"import x from 'y'": "SyntaxError: Unexpected identifier 'x'\n    at script.js:1:8",
		"1 as <":            "SyntaxError: Unexpected identifier 'as'\n    at script.js:1",
		"\x00": "SyntaxError: a NUL character in the source (in a string, write \\0 instead)\n    at " +
			"script.js:1:1",
	} {
		_, err := tryRun(t, script, javascript.RunOptions{Expression: true})
		require.EqualError(t, err, want, script)
	}
	result, err := tryRun(t, "void Promise.reject(new Error('late'))", javascript.RunOptions{Expression: true})
	require.EqualError(t, err, "Uncaught (in promise) Error: late\n    at <anonymous> (script.js:1:25)")
	require.Equal(t, "undefined", result.Text)
}
