package module_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/module"
)

var kinds = []struct {
	name, code string
	want       module.Kind
}{
	{"nothing", "", module.Script},
	{"a plain script", "var x = 1; function f() { return x }", module.Script},
	{"an import", "import x from 'y'", module.ES},
	{"an import for its effects", "import 'y'", module.ES},
	{"a namespace import", "import*as x from 'y'", module.ES},
	{"named imports", "import{x}from'y'", module.ES},
	{"an import after code", "var x = `a${{b: `c${1}`}}d`;\nimport y from 'y'", module.ES},
	{"exports of all sorts", "export default 1", module.ES},
	{"an exported constant", "const a = /[/]'/.exec(x);\nexport const b = 1", module.ES},
	{"an export list", "export {a}", module.ES},
	{"an export from", "export * from 'y'", module.ES},
	{"import.meta", "console.log(import.meta.url)", module.ES},
	{"a dynamic import", "import('y').then(f)", module.Script},
	{"a dynamic import in a function", "async function f() { await import('y') }", module.Script},
	{"an await outside of functions", "const x = await fetch('y')", module.ES},
	{"an await in a block", "if (a) { await b }", module.ES},
	{"an await in a call", "f(await b)", module.ES},
	{"for await", "for await (const x of y) {}", module.ES},
	{"an await in a function", "async function f() { await b }", module.Script},
	{"an await in an arrow function", "const f = async () => await b;", module.Script},
	{"an await in an arrow function's call", "const f = async x => g(await b);", module.Script},
	{"an await in a method", "class A { async f() { await b } }", module.Script},
	{"await as a name", "var await = 1; await = 2; x.await(1)", module.Script},
	{"the words in a comment", "// import x from 'y'\n/* export default 1 */ var x", module.Script},
	{"the words in a string", "var x = 'import x from y', y = \"\\\nexport default\"", module.Script},
	{"the words in a template", "var x = `\nexport default ${1}\nimport x from 'y'\n`", module.Script},
	{"the words in a regular expression", "x = /export default 1/; y = a ? /import x/ : 1", module.Script},
	{"a regular expression with a quote", "if (x) /'/.test(y)\nimport z from 'z'", module.ES},
	{"a division", "a = b / c; export default a / 'd'", module.ES},
	{"a division after brackets", "a = (b) / c['/'] / d; export default a", module.ES},
	{"the words as properties", "x.import = 1; x = {export: 1, import: 2}; x?.export", module.Script},
	{"a hashbang", "#!/usr/bin/env import x from 'y'\nvar x", module.Script},
	{"module.exports", "module.exports = 1", module.CommonJS},
	{"module['exports']", "module['exports'] = 1", module.CommonJS},
	{"exports.x", "exports.x = 1", module.CommonJS},
	{"exports[x]", "exports['x'] = 1", module.CommonJS},
	{"a comparison of exports.x", "if (exports.x == 1) {}", module.Script},
	{"compiled exports", "Object.defineProperty(exports, '__esModule', {value: true})", module.CommonJS},
	{"a required module", "const fs = require('fs');\nf(fs)", module.CommonJS},
	{"a module that is required if there is none", "var c = self.crypto || require('crypto')", module.Script},
	{"exports of a bundle's parts",
		"(function (m) {})({1: function (require, module, exports) { module.exports = require('x'); exports.y = 1 }})",
		module.Script},
	{"exports of a bundle's arrow functions",
		"var m = {'./x.js': ((module, exports) => { module.exports = 1 }), y: (exports) => exports.x = 1}",
		module.Script},
	{"exports after a bundle", "var m = {x: ((module, exports) => { exports.x = 1 })}; module.exports = m",
		module.CommonJS},
	{"a variable of that name", "var exports = {}; exports.x = 1", module.Script},
	{"a variable of that name for the exports", "var exports = module.exports = {}; exports.x = 1", module.CommonJS},
	{"a property of that name", "x.module.exports = 1; y.exports.x = 1", module.Script},
	{"UMD", umd, module.CommonJS},
	{"CommonJS with an import in a string", "exports.x = 'import x from \"y\"'", module.CommonJS},
	{"TypeScript's types", "import type {X} from './x';\nlet x: Array<X> = []", module.ES},
	{"TypeScript's export =", "export = 1", module.CommonJS},
	{"an open string", "import 'x\nvar y", module.Script},
	{"an open comment", "var x /* ", module.Script},
	{"an open template", "var x = `${`", module.Script},
	{"closed brackets too many", "}}} import x from 'y'", module.Script},
	{"import alone", "import", module.Script},
}

const umd = `(function (root, factory) {
  if (typeof define === 'function' && define.amd) define(['exports'], factory);
  else if (typeof exports === 'object') factory(exports);
  else factory((root.lib = {}));
}(this, function (exports) { exports.x = 1 }));`

func TestDetect(t *testing.T) {
	for _, test := range kinds {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, module.Detect(test.code))
		})
	}
}

// hostile are texts that are hard on a lexer if they are repeated many times.
var hostile = []string{
	"(", "[", "{", "`${", ")", "}", "/", "//", "/*", "'", "\"", "`", "\\", "\\u{", "!", "a/", ")/", "}/[", "}/[/",
	">/[", "a\n/[", "/[{}",
	"=>", "a=>", "?", "a?", "<", "a<", "import", "export", "import{", "export{", "import a from 'b'\n", "export {a}\n",
	"import {a as b} from", "\u2028", "\u00A0", "é", "\xff", "😀", "#", "#!", "@", "$", "${", "1", "1.", "0x", "1e", ".",
	"...", "?.", "typeof exports,", "module.exports", "await ", "(module,exports)=>{", "with{", "1e+", "\\\n",
}

func TestDetectIsLinear(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	for _, part := range hostile {
		code := strings.Repeat(part, (1<<17)/len(part))
		module.Detect(code) // quadratic time would be minutes for all of them
		module.SplitImports(code)
		module.Detect("a = }" + code)
		module.Detect("a = {}" + code + "]/")
	}
}

func TestDetectRemembersSoManyBrackets(t *testing.T) {
	for _, brackets := range [][2]string{{"(", ")"}, {"[", "]"}, {"{", "}"}, {"`${", "}`"}} {
		for n, want := range map[int]module.Kind{10_000: module.ES, 100_000: module.Script} {
			code := "a = " + strings.Repeat(brackets[0], n) + strings.Repeat(brackets[1], n) + "\nexport const b = 1"
			require.Equal(t, want, module.Detect(code), "%d of %s", n, brackets[0])
		}
	}
}

func FuzzDetect(f *testing.F) {
	for _, test := range kinds {
		f.Add(test.code)
	}
	for _, part := range hostile {
		f.Add(strings.Repeat(part, 20))
	}
	f.Fuzz(func(t *testing.T, code string) {
		require.LessOrEqual(t, module.Detect(code), module.CommonJS)
	})
}
