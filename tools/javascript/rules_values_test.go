package javascript_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/tool"
)

// TestValues checks how values read, as a result and in an entry of the console.
func TestValues(t *testing.T) {
	r, env := newRegistry(t), newEnv(t)
	for _, c := range []rule{
		{"undefined", `undefined`, "undefined"},
		{"null", `null`, "null"},
		{"a string is raw", `'a "b"\n c'`, "a \"b\"\n c"},
		{"a number", `0.1 + 0.2`, "0.30000000000000004"},
		{"a plain object is two-space JSON", `({a: {b: 'c'}, d: [1, null]})`,
			"{\n  \"a\": {\n    \"b\": \"c\"\n  },\n  \"d\": [\n    1,\n    null\n  ]\n}"},
		{"an array is two-space JSON", `[1, 'a', [], {}]`, "[\n  1,\n  \"a\",\n  [],\n  {}\n]"},
		{"a date is ISO", `new Date(0)`, "1970-01-01T00:00:00.000Z"},
		{"a date in an object", `({at: new Date(0)})`, "{\n  \"at\": \"1970-01-01T00:00:00.000Z\"\n}"},
		{"a date that is none", `new Date('x')`, "Invalid Date"},
		{"NaN", `NaN`, "NaN"},
		{"NaN in a list", `[NaN, Infinity, -Infinity, undefined]`,
			"[\n  NaN,\n  Infinity,\n  -Infinity,\n  undefined\n]"},
		{"minus zero", `-0`, "-0"},
		{"a map", `new Map([['a', 1], [{k: 1}, [2]]])`,
			"Map(2) {\n  \"a\" => 1,\n  {\n    \"k\": 1\n  } => [\n    2\n  ]\n}"},
		{"a set", `new Set(['a', 1, new Set()])`, "Set(3) {\n  \"a\",\n  1,\n  Set(0) {}\n}"},
		{"a bigint", `10n`, "10n"},
		{"a bigint in a list", `[10n]`, "[\n  10n\n]"},
		{"a symbol", `Symbol('x')`, "Symbol(x)"},
		{"a cycle", `(() => { const a = {name: 'a'}; a.self = a; a.list = [a]; return a })()`,
			"{\n  \"name\": \"a\",\n  \"self\": [Circular],\n  \"list\": [\n    [Circular]\n  ]\n}"},
		{"the same object twice is no cycle", `(() => { const a = {n: 1}; return [a, a] })()`,
			"[\n  {\n    \"n\": 1\n  },\n  {\n    \"n\": 1\n  }\n]"},
		{"a function", `function name() {}`, "[Function: name]"},
		{"a function without a name", `() => 1`, "[Function: (anonymous)]"},
		{"an ArrayBuffer", `new Uint8Array([1, 2, 255]).buffer`, "ArrayBuffer(3) [1, 2, 255]"},
		{"a typed array", `new Float64Array([1.5, -0])`, "Float64Array(2) [1.5, -0]"},
		{"a long one is cut", `new Uint8Array(40)`, "Uint8Array(40) [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, " +
			"0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ... 8 more]"},
		{"a DataView", `new DataView(new ArrayBuffer(2))`, "DataView(2) [0, 0]"},
		{"an error", `[new RangeError('x')]`, "[\n  [RangeError: x]\n]"},
		{"an instance of a class", `new (class Point { x = 1; #y = 2 })()`, "{\n  \"x\": 1\n}"},
		{"a regular expression", `/a+/gi`, "/a+/gi"},
		{"an object with toJSON", `({toJSON: () => ({a: 1})})`, "{\n  \"a\": 1\n}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, run(t, r, env, "return "+c.code).Content[0].Text)
			require.Equal(t, "=== Console output ===\n[LOG] "+c.want+"\n=== Result ===\nundefined", run(t, r, env,
				"console.log("+c.code+")").Text())
		})
	}
}

// TestErrors checks the texts of what is thrown, and whose places are told.
func TestErrors(t *testing.T) {
	files := map[string]string{
		"/lib/x.js": "function fromLibrary() {\n\n  throw new RangeError('deep')\n}\nvar later = () => " +
			"fromLibrary()",
		"/src/module.mjs": "export function f() {\n  null.x\n}",
		"/src/common.js":  "exports.f = () => {\n    throw new Error('éé') }",
		"/src/typed.ts":   "interface A { b: number }\n\nexport function f(a: A): never { throw new Error('typed') }",
	}
	rules := []rule{
		{"name, message and stack", "function inner() {\n  throw new TypeError('no')\n}\n\ninner()",
			"TypeError: no\n    at inner (script.js:2:13)\n    at <anonymous> (script.js:5:1)"},
		{"the columns of the first line", `const a = 1; throw new Error('x')`,
			"Error: x\n    at <anonymous> (script.js:1:24)"},
		{"a class of its own", "class MyError extends Error { name = 'MyError' }\nthrow new MyError('mine')",
			"MyError: mine\n    at MyError (script.js:1:1)\n    at <anonymous> (script.js:2:11)"},
		{"after an await", "const f = async () => { throw new Error('x') }\nawait null\nawait f()",
			"Error: x\n    at f (script.js:1:35)\n    at <anonymous> (script.js:3:7)"},
		{"a frame of a library", "later()", "RangeError: deep\n    at fromLibrary (/lib/x.js:3:13)\n    at later " +
			"(/lib/x.js:5:19)\n    at <anonymous> (script.js:1:1)"},
		{"a frame of a module", "import {f} from '/src/module.mjs'\n\nreturn f()", "TypeError: Cannot read " +
			"properties of null (reading 'x')\n    at f (/src/module.mjs:2:3)\n    at <anonymous> (script.js:3:8)"},
		{"a frame of CommonJS", "\nrequire('/src/common.js').f()",
			"Error: éé\n    at <anonymous> (/src/common.js:2:15)\n    at <anonymous> (script.js:2:27)"},
		{"a frame of TypeScript", "import {f} from '/src/typed.ts'\nf({b: 5})",
			"Error: typed\n    at f (/src/typed.ts:3:44)\n    at <anonymous> (script.js:2:1)"},
		{"TypeScript of its own", "interface A { b: number }\nconst f = (a: A): never => { throw new Error('typed') " +
			"}\nf({ b: 1 })", "Error: typed\n    at f (script.js:2:40)\n    at <anonymous> (script.js:3:1)"},
		{"a thrown string", `throw 'just text'`, "just text"},
		{"a thrown object shows its content", `throw {code: 5, list: [1]}`,
			"{\n  \"code\": 5,\n  \"list\": [\n    1\n  ]\n}"},
		{"a thrown number", `throw 5`, "5"},
		{"thrown nothing", `throw undefined`, "undefined"},
		{"a rejection", `return Promise.reject({a: 1})`, "{\n  \"a\": 1\n}"},
		{"a cause", `throw new Error('outer', {cause: 'inner'})`,
			"Error: outer\n    at <anonymous> (script.js:1:11)\nCaused by: inner"},
		{"a syntax error", "let x = 1;\nlet x = 2;",
			"SyntaxError: The symbol \"x\" has already been declared\n    at script.js:2:5"},
		{"on the first line", "const = 5", "SyntaxError: variable name expected\n    at script.js:1:7"},
		{"a missing bracket", "if (1) {\n  f(", "SyntaxError: unexpected end of input: a bracket is missing, or " +
			"there is one too many\n    at script.js:2:5"},
		{"a text without end", "return 'abc", "SyntaxError: unexpected end of string\n    at script.js:1:12"},
		{"of a file", "return 1 + require('/lib/missing/x')", "Error: Cannot find module \"/lib/missing/x\": there " +
			"is no directory /lib/missing.\n    at <anonymous> (script.js:1:12)"},
		{"JSON that is none", "return JSON.parse('{\"a\": }')", "SyntaxError: Unexpected token '}', \"{\"a\": }\" is " +
			"not valid JSON\n    at <input>:1:1\n    at <anonymous> (script.js:1:13)"},
	}
	checkRules(t, files, rules)
	result := run(t, newRegistry(t), newEnv(t), rules[0].code)
	require.True(t, result.IsError())
	require.Equal(t, tool.CodeTool, result.Code)
}
