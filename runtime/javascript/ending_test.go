package javascript_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// TestScriptsThatAreFunctions has scripts that are nothing but a function, as other systems want it. It is called.
func TestScriptsThatAreFunctions(t *testing.T) {
	for script, want := range map[string]string{
		"async () => {\n  const x = 5;\n  return x * 2;\n}": "10",
		"() => 5":                                        "5",
		"// comment\n(async () => [1, 2])\n":             "[\n  1,\n  2\n]",
		"async function () { return 'a' };":              "a",
		"(function named() { return arguments.length })": "0",
		"() => undefined":                                "undefined",
		"async () => { await 0; return null}":            "null",
		"async (): Promise<number> => {\n  const a: number = 1;\n  return a;\n}": "1",
		"// typed\n(n?: number) => n ?? 2 as number":                             "2",
	} {
		result := run(t, script)
		require.Equal(t, want, result.Text, script)
		require.Empty(t, result.Console, script)
	}
	_, err := tryRun(t, "async () => {\n  await 0;\n  null.x\n}")
	require.EqualError(t, err, "TypeError: Cannot read properties of null (reading 'x')\n    at <anonymous> "+
		"(script.js:3:3)")
}

// TestNotesOnEndings has scripts that print nothing and have no result, and what they are told.
func TestNotesOnEndings(t *testing.T) {
	value := func(text string) string {
		return "The code returns nothing. To get the value of its last expression, write: return " + text
	}
	promise := func(text string) string {
		return "The code returns nothing, and does not wait for its last expression. To get the result, write: " +
			"return await " + text
	}
	promises := func(text string) string {
		return "The code returns nothing, and does not wait for its last expression. To get the results, write: " +
			"return await Promise.all(" + text + ")"
	}
	uncalled := func(name string) string {
		return "The code declares " + name + " and does not call it. To get what it returns, write: return await " +
			name + "()"
	}
	for script, want := range map[string]string{
		"6 * 7":                                                   value("6 * 7"),
		"const x = [1, 2]; x.map(v => 2 * v);":                    value("x.map(v => 2 * v)"),
		"let a = 1\na // the end":                                 value("a"),
		"if (true) { } ({a: 1}).a":                                value("({a: 1}).a"),
		"function f() { return 1 }\n(() => 2)()":                  value("(() => 2)()"),
		"const f = function (g) { return g() }\n(() => 2)":        "",
		"for (const x of [1])\n x\n5":                             value("5"),
		"[1].concat([\n  2,\n])":                                  value("..."),
		"(async () => { return 5 })()":                            promise("(async () => { return 5 })()"),
		"async function main() { return 5 }  main()":              promise("main()"),
		"async function main() { await null; return 5 }\nmain();": promise("main()"),
		"async function run() { return 5 }":                       uncalled("run"),
		"async function run(): Promise<number> { return 5 }":      uncalled("run"),
		"[1, 2].map(async (x) => x)":                              promises("[1, 2].map(async (x) => x)"),
		"const a = [fs.promises.readdir('/')];\na":                promises("a"),
		"[1, fs.promises.readdir('/')]":                           value("[1, fs.promises.readdir('/')]"),
		"Object.defineProperty([], 0, {get() { throw 5 }})": value(
			"Object.defineProperty([], 0, {get() { throw 5 }})"),
		"const a: number[] = [1];\na.length":                          value("a.length"),
		"async function main(): Promise<number> { return 5 }\nmain()": promise("main()"),
		"interface A { n: number }\nlet a: A = { n: 1 }\na.n = 2":     "",
		"const data = [1];\nconst main = async () => data;":           uncalled("main"),
		"const x = 1\nasync () => x": "The last expression is a function, which is " +
			"not called. To get what it returns, write: return await (async () => x)()",
		"import fs from 'fs'; fs.readdirSync('/')": "The module exports nothing, so there is no result. To " +
			"return a value, write: export default value",
		"async function main() { console.log(1) } main()": "",
		"console.log(1); 5":                               "",
		"process.stdout.write('')":                        "",
		"fs.writeFileSync('/a', ''); 5":                   "",
		"async function main() {} main()":                 "",
		"void main(); async function main() { return 5 }": "",
		"new Promise(() => {})":                           "",
		"x = 5; var x":                                    "",
		"let x = 5; x = 6":                                "",
		"let n = 0; for (let i = 0; i < 3; i++) n += i":   "",
		"while (false)\n 5":                               "",
		"undefined":                                       "",
		"return undefined; 5":                             "",
		"return 5":                                        "",
		"export const x = 1; 5":                           "",
		"'use strict'":                                    "",
		"{ 5 }":                                           "",
	} {
		t.Run(script, func(t *testing.T) {
			result := run(t, script, javascript.RunOptions{Files: filesWith(t, nil)})
			var got string
			for _, e := range result.Console {
				if e.Level == sandbox.LevelWarn {
					got += e.Text
				}
			}
			require.Equal(t, want, got)
		})
	}
	result := run(t, "module.exports = async () => 5")
	require.Equal(t, []sandbox.Entry{{Level: sandbox.LevelWarn, Text: "The result is a function, which was not " +
		"called. To get what it returns, write: return await module.exports()"}}, result.Console)
	require.EqualValues(t, 5, run(t, "module.exports = async () => 5\nreturn await module.exports()").Value)
}

// TestPositionsInEndings has errors of the last expression, which the runtime has put something in front of.
func TestPositionsInEndings(t *testing.T) {
	for script, want := range map[string]string{
		"null.x": "TypeError: Cannot read properties of null (reading 'x')\n    at " +
			"<anonymous> (script.js:1:1)",
		"const a = '\u00e9'; a; null.x": "TypeError: Cannot read properties of null " +
			"(reading 'x')\n    at <anonymous> (script.js:1:19)",
		"const a = 1\n  nope(a)": "ReferenceError: nope is not defined\n    at " +
			"<anonymous> (script.js:2:3)",
		"const a = 1\n  1 + nope": "ReferenceError: nope is not defined\n    at " +
			"<anonymous> (script.js:2:7)",
		"[\n1,\n  (() => { throw 'y' })()\n]": "y",
		"5; (() => {\n throw 'x'\n})()":       "x",
		"let a = 1; a.": "SyntaxError: unexpected end of input: a " +
			"bracket is missing, or there is one too many\n    at script.js:1:14",
		"const f = () => {}; f(1; 2)": "SyntaxError: Expected \")\" but found \";\"\n " +
			"   at script.js:1:24",
		"const a: number = 1;\n  1 + nope": "ReferenceError: nope is not defined\n    at " +
			"<anonymous> (script.js:2:7)",
		"type A = {\n  n: number\n}\nlet a: A = null as any; a; a.n": "TypeError: Cannot read properties of null " +
			"(reading 'n')\n    at <anonymous> (script.js:4:28)",
		"const a = 5; [a, nope].map(String)": "ReferenceError: nope is not defined\n    at <anonymous> " +
			"(script.js:1:14)",
	} {
		_, err := tryRun(t, script)
		require.EqualError(t, err, want, script)
	}
}
