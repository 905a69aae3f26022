package module_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/module"
)

func TestFindEnding(t *testing.T) {
	for code, want := range map[string]string{
		"x.map(v => 2 * v)":                     "x.map(v => 2 * v)",
		"const x = [1]; x.map(v => 2 * v);":     "x.map(v => 2 * v)",
		"const x = 1\nx // the end":             "x",
		"let a = 1;\n\n(async () => a)() ; ;":   "(async () => a)()",
		"async function main() {}  main()":      "main()",
		"async function main() {}\n(() => 1)()": "(() => 1)()",
		"if (x) { y } z":                        "z",
		"if (x) { return 1 } f()":               "f()",
		"a\n? b\n: c":                           "a\n? b\n: c",
		"x\n  .y()\n  .z":                       "x\n  .y()\n  .z",
		"await f({a: 1})":                       "await f({a: 1})",
		"`a${1}b`":                              "`a${1}b`",
		"import('x').then(f)":                   "import('x').then(f)",
		"new Foo":                               "new Foo",
		"[1, 2].length":                         "[1, 2].length",
		"a === b":                               "a === b",
		"f(a = 1)":                              "f(a = 1)",
		"yes; /x/.test(y)":                      "/x/.test(y)",
		"return 1":                              "",
		"f(); return 1":                         "",
		"const x = 1":                           "",
		"x = 1":                                 "",
		"a.b += 1":                              "",
		"i++":                                   "",
		"delete a.b":                            "",
		"{a: 1}":                                "",
		"a: b()":                                "",
		"function f() { return 1 }":             "",
		"async function f() { return 1 }":       "",
		"class A {}":                            "",
		"import x from 'y'; x()":                "",
		"export default 1":                      "",
		"'use strict'":                          "",
		"for (const x of y) f(x)":               "",
		"try { f() } finally { g() }":           "",
		"while (x) { f() }":                     "",
		"throw f()":                             "",
		"f(":                                    "",
		"'":                                     "",
		"":                                      "",
		";":                                     "",
		"// nothing":                            "",
		"x; let y = 2":                          "",
		"f()\nif (x) g()":                       "",
		"const f = () => {}\nconst g = function(){}": "",
	} {
		e, _, ok := module.FindEnding(code)
		require.Equal(t, want != "", ok, "%q: %+v", code, e)
		require.Equal(t, want, code[e.Start:e.End], "%q", code)
	}
	for code, want := range map[string]bool{
		"async () => { return 5 }":        true,
		"() => 5":                         true,
		"x => x;":                         true,
		"async x => x":                    true,
		"({a}, [b] = []) => { f(); g() }": true,
		"(async () => { return 5 })":      true,
		"async function () { return 5 };": true,
		"(function f(a) { return a })":    true,
		"() => ({a: 1, b: [2, 3]})":       true,
		"async () => 5, f()":              false,
		"(async () => { return 5 })()":    false,
		"(() => 1)(), () => 2":            false,
		"f(() => 1)":                      false,
		"f":                               false,
		"(f)":                             false,
		"1; () => 5":                      false,
		"async(1)":                        false,
	} {
		e, _, ok := module.FindEnding(code)
		require.True(t, ok, code)
		require.Equal(t, want, e.Function, code)
	}
	for code, want := range map[string]string{
		"async function main() { return 5 }":                     "main",
		"const x = 1; function* steps() {}":                      "steps",
		"function a() { b() } function b() {}":                   "a",
		"function main() {} main()":                              "",
		"const main = async () => { return 5 }":                  "main",
		"1\nconst f = x => x; const g = 5":                       "f",
		"const f = function () {}":                               "",
		"const f = x; f":                                         "",
		"const f = (x)":                                          "",
		"const f = function () { return 1 }(2)":                  "",
		"{ function f() {} }":                                    "",
		"function recursive(n) { return recursive(n - 1) }":      "",
		"async function main() { return 5 }\nmodule.exports = 1": "main",
	} {
		_, name, _ := module.FindEnding(code)
		require.Equal(t, want, name, code)
	}
}

// FuzzFindEnding checks that the expression lies in the code, for code that need not be valid.
func FuzzFindEnding(f *testing.F) {
	for _, code := range []string{"a; b()", "(function x)", "async function", "async () => {}", "({", "))(",
		"function f(){}(1)", "const a = (", "const a = async", "a:b", "`${", "x =>"} {
		f.Add(code)
	}
	f.Fuzz(func(t *testing.T, code string) {
		e, _, ok := module.FindEnding(code)
		require.True(t, !ok || 0 <= e.Start && e.Start < e.End && e.End <= len(code), "%+v", e)
	})
}
