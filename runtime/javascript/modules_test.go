package javascript_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// filesWith makes files of a list of paths and contents.
func filesWith(t testing.TB, contents map[string]string) afero.Fs {
	t.Helper()
	files := afero.NewMemMapFs()
	for name, content := range contents {
		require.NoError(t, afero.WriteFile(files, name, []byte(content), 0o644))
	}
	return files
}

var moduleFiles = map[string]string{
	"/lib/counter.js":  "export let n = 0;\nexport function inc() { n++ }\nexport default 'counter';",
	"/lib/cycle-a.js":  "import {b} from './cycle-b.js';\nexport const a = 'a';\nexport const both = () => a + b;",
	"/lib/cycle-b.js":  "import {a} from './cycle-a.js';\nexport const b = 'b';\nexport const other = () => a;",
	"/lib/meta.mjs":    "export default import.meta.url;",
	"/a b#.js":         "",
	"/lib/late.js":     "await new Promise((r) => setTimeout(r, 5));\nexport const late = 7;",
	"/lib/throws.js":   "export const x = 1;\n\nnull.x;",
	"/lib/broken.js":   "export const x = 1;\nlet y = (;\n",
	"/lib/common.js":   "exports.one = 1; exports.class = 2; exports['not a name'] = 3; exports.self = () => exports;",
	"/lib/replaced.js": "module.exports = function twice(x) { return 2 * x }; module.exports.version = '1';",
	"/lib/babel.js": "Object.defineProperty(exports, '__esModule', {value: true}); exports.default = 'default'; " +
		"exports.named = 'named';",
	"/lib/requires.js": "const common = require('./common'); const data = require('../data/d.json'); module.exports " +
		"= common.one + data.v[0];",
	"/lib/cyclic-1.js":  "exports.first = 1; exports.of2 = require('./cyclic-2.js').of1;",
	"/lib/cyclic-2.js":  "exports.of1 = require('./cyclic-1.js').first;",
	"/lib/bad.js":       "exports.x = 1;\n  null.x;",
	"/lib/hashbang.js":  "#!/usr/bin/env node\nexports.x = __filename + ' ' + __dirname;",
	"/data/d.json":      `{"v": [1, 2], "default": 5, "__proto__": {"polluted": true}}`,
	"/data/broken.json": `{"v": [1, 2`,
	"/y.mjs":            "export const y = 'why';",
	"/typed.ts": "interface P { x: number }\nexport const typed: P = { x: 5 };\nexport function fail(p: P | " +
		"null): number {\n  type T = string;\n\n  return (p as any).x.y.z;\n}",
}

// TestExportedImportsInCycles is for modules that export what they import from each other.
func TestExportedImportsInCycles(t *testing.T) {
	for name, test := range map[string]struct {
		want  string
		files map[string]string
	}{
		"a barrel": {"1", map[string]string{
			"/convert.js": `export default function convert() { return 1 }`,
			"/test.js":    "import { convert } from './main.js'\nexport default function test() { return convert() }",
			"/main.js": "import convert from './convert.js'\nimport test from './test.js'\nexport { convert, test " +
				"}\nexport const got = () => test()",
		}},
		"defaults and other names": {"5 5 5,4", map[string]string{
			"/a.js": `import {y as z} from './b.js'; export {z as default, z as w}; export let own = 4`,
			"/b.js": `import w, {own} from './a.js'; export const y = 5; export const get = () => [w, own].join()`,
			"/main.js": `import d, {w} from './a.js'; import {get} from './b.js';
				export const got = () => [d, w, get()].join(' ')`,
		}},
		"three": {"1,2,3 1,2,3 1,2,3", map[string]string{
			"/a.js": `import {b} from './b.js'; import {c} from './c.js';
				export {b, c}; export const a = 1; export const f = () => [a, b, c].join()`,
			"/b.js": `import {c, a} from './c.js'; export {c}; export const b = 2;
				export const g = () => [a, b, c].join()`,
			"/c.js": `import {a, b} from './a.js'; export {a}; export const c = 3;
				export const h = () => [a, b, c].join()`,
			"/main.js": `import {f} from './a.js'; import {g} from './b.js';
				import {h} from './c.js'; export const got = () => [f(), g(), h()].join(' ')`,
		}},
		"await": {"1 2 2,1", map[string]string{
			"/a.js": `import {b} from './b.js'; export {b}; await 0; export const a = 1`,
			"/b.js": `import {b as same, a} from './a.js'; await 0;
				export const b = 2; export const f = () => [same, a].join()`,
			"/main.js": `import {a, b} from './a.js'; import {f} from './b.js';
				export const got = () => [a, b, f()].join(' ')`,
		}},
		"before the variable is there": {"2 ReferenceError", map[string]string{
			"/a.js": `import {b} from './b.js'; export {b}`,
			"/b.js": `import {b as same} from './a.js'; export let e;
				try { same } catch (x) { e = x.name } export const b = 2`,
			"/main.js": `import {b} from './a.js'; import {e} from './b.js'; export const got = () => b + ' ' + e`,
		}},
		"live": {"0 1 1", map[string]string{
			"/a.js": `import {n, up} from './b.js'; export {n, up}`,
			"/b.js": `import {n as seen} from './a.js'; export let n = 0;
				export const up = () => { n++; return seen }`,
			"/main.js": `import {n, up} from './a.js'; export const got = () => [n, up(), n].join(' ')`,
		}},
		"classes": {"Derived", map[string]string{
			"/base.js": `import {make} from './index.js'; export class Base { make() { return make() } }`,
			"/derived.js": `import {Base} from './index.js'; export class Derived extends Base {}
				export const make = () => new Derived()`,
			"/index.js": `import {Base} from './base.js'; import {Derived, make} from './derived.js';
				export {Base, Derived, make}`,
			"/main.js": `import {Base} from './index.js';
				export const got = () => new Base().make().constructor.name`,
		}},
		"namespaces": {"2,1 1 a,f", map[string]string{
			"/x.js": `import {y, x} from './main.js'; export const a = 1; export const f = () => [y.b, x.a].join()`,
			"/y.js": `import {x} from './main.js'; export const b = 2; export const g = () => x.a`,
			"/main.js": `import * as x from './x.js'; export {x}; import * as y from './y.js';
				export {y}; export const got = () => [x.f(), y.g(), Object.keys(x)].join(' ')`,
		}},
		"CommonJS and built-in modules": {"7,7,true", map[string]string{
			"/a.js": `import c, {x} from './c.cjs'; import path, {join} from 'node:path';
				export {c, x, path, join}; export {f} from './b.js'`,
			"/b.js": `import {c, x, path, join} from './a.js';
				export const f = () => [c.x, x, path.join === join].join()`,
			"/c.cjs":   `exports.x = 7`,
			"/main.js": `import {f} from './a.js'; export const got = f`,
		}},
		"the same variable by two ways is one": {"9 u,v", map[string]string{
			"/own.js":  `export const v = 9`,
			"/x.js":    `import {v} from './own.js'; export {v}`,
			"/y.js":    `import {v} from './own.js'; export {v}; export const u = 3`,
			"/all.js":  `export * from './x.js'; export * from './y.js'`,
			"/main.js": `import * as all from './all.js'; export const got = () => [all.v, Object.keys(all)].join(' ')`,
		}},
		"nothing but a cycle": {"SyntaxError SyntaxError", map[string]string{
			"/a.js": `import {x} from './b.js'; export {x}`,
			"/b.js": `import {x} from './a.js'; export {x}`,
			"/main.js": `export const got = async () =>
				(await Promise.allSettled(['/a.js', '/b.js'].map((f) => import(f))))
				.map((r) => r.reason.name).join(' ')`,
		}},
		"what the module does not export": {"SyntaxError", map[string]string{
			"/a.js":    `import {x} from './b.js'; export {x}`,
			"/b.js":    `import './a.js'; export const y = 1`,
			"/main.js": `export const got = () => import('/a.js').catch((e) => e.name)`,
		}},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, run(t, `return (await import('/main.js')).got()`,
				javascript.RunOptions{Files: filesWith(t, test.files)}).Text)
		})
	}
}

func TestModules(t *testing.T) {
	files := filesWith(t, moduleFiles)
	for name, test := range map[string]struct{ script, want string }{
		"a dynamic import": {`const {n, default: d} = await import('/lib/counter.js'); return n + d`,
			"0counter"},
		"a relative one is from the root": {`return (await import('./y.mjs')).y`, "why"},
		"a module is loaded once": {
			`const a = await import('/lib/counter.js'), b = await import('./lib/../lib/counter');
				a.inc(); return b.n + String(a === b)`,
			"1true",
		},
		"cycles": {
			`const {both} = await import('/lib/cycle-a.js'); const {other} = await import('/lib/cycle-b.js');
				return both() + other()`,
			"aba",
		},
		"import.meta of the script": {
			`export default [import.meta.url, import.meta.dirname, import.meta.filename,
				import.meta.resolve('./a b#.js'), import.meta.resolve('fs'), Object.keys(import.meta)].join(' ')`,
			"file:///script.js / /script.js file:///a%20b%23.js node:fs dirname,filename,resolve,url",
		},
		"import.meta.url":   {`return (await import('/lib/meta.mjs')).default`, "file:///lib/meta.mjs"},
		"await in a module": {`return (await import('/lib/late.js')).late`, "7"},
		"the script as a module": {
			`import d, {n, inc} from '/lib/counter.js'; inc(); inc(); export default d + n`, "counter2",
		},
		"a namespace": {
			`import * as c from '/lib/counter.js'; export default Object.keys(c).join()`, "default,inc,n",
		},
		"a module without a default export": {`import {n} from '/lib/counter.js'; export const x = n`, "undefined"},
		"imports and return": {"import d, {n as count} from '/lib/counter.js';\nimport * as y from " +
			"'./y.mjs';\nreturn d + count + y.y", "counter0why"},
		"JSON": {`import d from '/data/d.json'; return d.v`, "[\n  1,\n  2\n]"},
		"JSON with an attribute": {
			`import d from '/data/d.json' with {type: 'json'}; export default d.v.length`, "2",
		},
		"dynamic JSON with an attribute": {
			`return (await import('/data/d.json', {with: {type: 'json'}})).default.v.length`, "2",
		},
		"JSON pollutes nothing": {`const d = require('/data/d.json'); return String({}.polluted)`,
			"undefined"},
		"CommonJS by its default": {`import c from '/lib/common.js'; return c === c.self() && c['not a name']`,
			"3"},
		"CommonJS by name": {`import {one, class as c} from '/lib/common.js'; return one + c`, "3"},
		"CommonJS that is a function": {`import twice, {version} from '/lib/replaced.js'; return twice(4) + version`,
			"81"},
		"CommonJS that was an ES module": {`import d, {named} from '/lib/babel.js'; return d + named`, "defaultnamed"},
		"require":                        {`return require('/lib/requires.js')`, "2"},
		"require loads once":             {`return require('/lib/common') === require('./lib/common.js')`, "true"},
		"require in a cycle":             {`return require('/lib/cyclic-1.js')`, "{\n  \"first\": 1,\n  \"of2\": 1\n}"},
		"require.resolve":                {`return require.resolve('./lib/common')`, "/lib/common.js"},
		"a file with a hashbang":         {`return require('/lib/hashbang.js').x`, "/lib/hashbang.js /lib"},
		"built-in modules": {
			`return [require('fs') === fs, require('node:fs') === fs, (await import('node:fs')).default === fs].join()`,
			"true,true,true",
		},
		"a file that was written before": {
			`await fs.writeFile('/new.js', 'export default 8'); return (await import('/new.js')).default`, "8",
		},
		"caught errors are not reported": {`try { await import('/lib/throws.js') } catch (e) { return e.name }`,
			"TypeError"},
		"what failed can be tried again": {
			`try { require('/lib/bad.js') } catch {} try { require('/lib/bad.js') } catch (e) { return e.name }`,
			"TypeError",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := run(t, test.script, javascript.RunOptions{Files: files})
			require.Equal(t, test.want, result.Text)
			require.Empty(t, result.Console)
		})
	}
}

func TestModuleErrors(t *testing.T) {
	files := filesWith(t, moduleFiles)
	for name, test := range map[string]struct{ script, want string }{
		"a missing file": {`await import('/lib/nothing.js')`, "/lib/nothing.js"},
		"a missing file of a file": {`await fs.writeFile('/m.js', 'import "./nothing.js"'); await import('/m.js')`,
			"nothing.js"},
		"an unknown name": {`require('lodash')`, "lodash"},
		"a module of Node's": {`require('child_process')`,
			"there is no such module here: there are no other processes and no threads. Built-in modules are: "},
		"the same, imported": {`import {connect} from 'node:net'`,
			"there is no such module here: there is no network."},
		"a package for the network": {`import axios from 'axios'`,
			"there is no such module here: there is no network."},
		"the engine's own modules":    {`await import('bjson')`, "bjson"},
		"the network":                 {`await import('https://example.com/x.js')`, "no network"},
		"an export that is not there": {`import {nope} from '/lib/counter.js'`, "nope"},
		"the same, with return":       {`import {nope} from '/lib/counter.js'; return 1`, "nope"},
		"where it throws":             {`await import('/lib/throws.js')`, "/lib/throws.js:3:"},
		"where CommonJS throws":       {`require('/lib/bad.js')`, "/lib/bad.js:2:3"},
		"where the syntax is wrong":   {`await import('/lib/broken.js')`, "/lib/broken.js:2"},
		"JSON that is none":           {`require('/data/broken.json')`, "/data/broken.json is not valid JSON"},
		"an ES module that waits": {`fs.writeFileSync('/w.mjs', 'await 1'); require('/w.mjs')`,
			"Use import() instead: await import('/w.mjs')"},
		"what an ES module lacks": {
			`fs.writeFileSync('/l.mjs', 'import {nope} from "/lib/counter.js"'); require('/l.mjs')`, "nope",
		},
		"a name that is none":     {`require(5)`, "which is a string"},
		"a name that is too long": {`require('/' + 'x'.repeat(1e5))`, "too long"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tryRun(t, test.script, javascript.RunOptions{Files: files})
			var script *javascript.ScriptError
			require.ErrorAs(t, err, &script)
			require.Contains(t, script.Thrown, test.want)
		})
	}
}

func TestEngineModulesAreOutOfReach(t *testing.T) {
	for _, name := range []string{"qjs:std", "qjs:os", "qjs:bjson", "std", "./qjs:std", "/qjs:std", "file:qjs:std"} {
		for _, script := range []string{`await import('` + name + `')`, `require('` + name + `')`,
			`import * as x from '` + name + `'`} {
			_, err := engine.Run(t.Context(), script, &javascript.RunOptions{Files: afero.NewMemMapFs()})
			var e *javascript.ScriptError
			require.ErrorAs(t, err, &e, script)
		}
	}
}

func TestModulesThatAttack(t *testing.T) {
	t.Parallel()
	var chain = map[string]string{}
	for i := range 1000 {
		name := "/chain/" + strings.Repeat("x", i) + ".js"
		chain[name] = "exports.next = require('./" + strings.Repeat("x", i+1) + ".js')"
	}
	files := filesWith(t, chain)
	for name, script := range map[string]string{
		"files that require each other for ever": `require('/chain/.js')`,
		"a file that imports new ones for ever": `for (let i = 0; ; i++) {
			await fs.writeFile('/m' + i + '.js', 'export default ' + i); await import('/m' + i + '.js') }`,
		"a file that fails again and again": `await fs.writeFile('/m.js', 'exports.x = null.x');
			for (;;) try { require('/m.js') } catch {}`,
		"resolving for ever": `for (let i = 0; ; i++) try { require.resolve('/m' + i) } catch {}`,
		"a loop in a module": `await fs.writeFile('/m.js', 'export default 1; for (;;);');
			await import('/m.js')`,
		"a loop in a file that is required": `await fs.writeFile('/m.js', 'exports.x = 1; for (;;);');
			require('/m.js')`,
		"a loop in a getter of exports": `await fs.writeFile('/m.js',
			'module.exports = {get x() { for (;;); }}'); (await import('/m.js'))`,
		"exports that are a proxy": `await fs.writeFile('/m.js',
			'module.exports = new Proxy({}, {ownKeys() { for (;;); }})'); await import('/m.js')`,
		"an exit out of a module": `await fs.writeFile('/m.js', 'exports.x = halt("out")');
			try { require('/m.js') } finally { for (;;); }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tryRun(t, script, javascript.RunOptions{Files: afero.NewCopyOnWriteFs(files, afero.NewMemMapFs()),
				Limits: sandbox.Limits{Time: 300 * time.Millisecond}})
			require.Error(t, err)
			require.True(t, javascript.IsScriptFailure(err), "%v", err)
		})
	}
}

func TestHalt(t *testing.T) {
	for name, script := range map[string]string{
		"anywhere": `console.log('before'); halt('enough'); console.log('after')`,
		"it cannot be caught": `console.log('before');
			try { halt('enough') } catch {} finally { console.log('after') }`,
		"in a promise": `console.log('before'); Promise.resolve().then(() => halt('enough'));
			await new Promise(() => {})`,
		"in a timer": `console.log('before'); setTimeout(() => halt('enough'));
			await new Promise(() => {})`,
		"in a getter": `console.log('before'); return {get x() { halt('enough') }}`,
		"later files are not written": `console.log('before'); await fs.writeFile('/a', 'x');
			(async () => { await 0; await fs.writeFile('/b', 'x') })(); halt('enough')`,
	} {
		t.Run(name, func(t *testing.T) {
			files := afero.NewMemMapFs()
			result, err := tryRun(t, script, javascript.RunOptions{Files: files})
			require.ErrorIs(t, err, javascript.ErrHalted)
			require.True(t, javascript.IsScriptFailure(err))
			require.Equal(t, []sandbox.Entry{{Level: sandbox.LevelLog, Text: "before"}, {Level: sandbox.LevelError,
				Text: "enough"}}, result.Console)
			_, err = files.Stat("/b")
			require.Error(t, err)
		})
	}
	result, _ := tryRun(t, `halt()`)
	require.Equal(t, "Halted", result.Console[0].Text)
}

func TestLibraries(t *testing.T) {
	files := filesWith(t, map[string]string{
		"/lib/10-umd.js": "(function (root, factory) { typeof exports === 'object' && typeof module !== " +
			"'undefined' ? module.exports = factory() : root.umd = factory() })(this, function () { return {name: " +
			"'umd'} });",
		"/lib/20-script.js": "var shared = 'global'; function helper() { return shared } undeclared = 1; " +
			"console.log('script', typeof umd)",
		"/lib/30-throws.js":  "console.log('before');\nthrow new TypeError('no')",
		"/lib/40-syntax.js":  "let x = (\n",
		"/lib/date-utils.js": "module.exports = {add: (a, b) => a + b}",
		"/lib/es.js":         "export const pi = 3; await null; console.warn('es')",
		"/lib/one.js":        "export default class One {}",
		"/lib/reject.js":     "Promise.reject(new RangeError('late'))",
		"/lib/typed.ts":      "const t: number = 5;\nexport { t }",
		"/lib/typed.d.ts":    "declare const nothing: never;",
		"/lib/data.json":     "{}",
		"/lib/nested/x.js":   "console.log('not this one')",
		"/lib/.hidden.js":    "console.log('nor this')",
		"/lib/z.mjs":         "console.log('nor this, unless it is imported')",
	})
	options := javascript.RunOptions{Files: files, Libraries: []string{"/lib"}}
	result := run(
		t, `return [umd.name, shared, helper(), undeclared, dateUtils.add(1, 2),
			es.pi, typeof one, new one().constructor.name, typed.t].join()`,
		options,
	)
	require.Equal(t, "umd,global,global,1,3,3,function,One,5", result.Text)
	var got []string
	for _, e := range result.Console {
		got = append(got, e.Library+" "+e.Level.String()+" "+strings.ReplaceAll(e.Text, "\n", "|"))
	}
	require.Equal(t, []string{
		"20-script.js LOG script object",
		"30-throws.js LOG before",
		"30-throws.js ERROR TypeError: no|    at <eval> (/lib/30-throws.js:2:11)",
		"40-syntax.js ERROR SyntaxError: unexpected token in expression: ''|    at /lib/40-syntax.js:2:8",
		"es.js WARN es",
		"reject.js ERROR Uncaught (in promise) RangeError: late|    at <eval> (/lib/reject.js:1:20)",
	}, got)

	options = javascript.RunOptions{Files: afero.NewMemMapFs(), Libraries: []string{"/lib"}}
	require.Equal(t, "1", run(t, `return 1`, options).Text)
	options.Files = filesWith(t, map[string]string{"/lib": "a file"})
	result = run(t, `return 1`, options)
	require.Equal(t, "1", result.Text)
	require.Len(t, result.Console, 1)
}

func TestTypeScript(t *testing.T) {
	files := filesWith(t, moduleFiles)
	for name, test := range map[string]struct{ script, want string }{
		"types in the body of a function": {"interface P { x: number }\nconst p: P = { x: 2 };\nreturn p.x as number",
			"2"},
		"an enum":    {"enum E { A = 1, B }\nreturn E.B", "2"},
		"with await": {"const f = async (x: number): Promise<number> => x;\nreturn await f(4)", "4"},
		"with imports": {"import { typed } from '/typed.ts';\nconst x: number = typed.x;\nexport default x",
			"5"},
		"with imports and return": {"import { typed } from './typed';\nconst x: number = typed.x;\nreturn x", "5"},
		"only types are imported": {"import type { P } from '/typed.ts';\nconst x: P = {x: 1};\nreturn x.x", "1"},
		"generics": {"function first<T>(list: T[]): T | undefined { return list[0] }\nreturn " +
			"first<number>([9])", "9"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, run(t, test.script, javascript.RunOptions{Files: files}).Text)
			require.Equal(t, test.want, run(t, test.script, javascript.RunOptions{Files: files,
				Language: javascript.LanguageTypeScript}).Text)
			_, err := tryRun(t, test.script, javascript.RunOptions{Files: files,
				Language: javascript.LanguageJavaScript})
			var script *javascript.ScriptError
			if name != "only types are imported" && name != "with imports" || err != nil {
				require.ErrorAs(t, err, &script)
			}
		})
	}
	position := func(script string) (string, int, int) {
		_, err := tryRun(t, script, javascript.RunOptions{Files: files})
		var e *javascript.ScriptError
		require.ErrorAs(t, err, &e)
		return e.File, e.Line, e.Column
	}
	file, line, _ := position("interface A {\n  x: number;\n}\n\nconst a: A | null = null;\n  a!.x;")
	require.Equal(t, "script.js", file)
	require.Equal(t, 6, line)
	file, line, _ = position("import { fail } from '/typed.ts';\n\nfail({} as any)")
	require.Equal(t, "/typed.ts", file)
	require.Equal(t, 6, line)
	file, line, column := position("interface A { x: number }\nconst a: A = {x: 1};\nreturn a..x")
	require.Equal(t, "script.js", file)
	require.Equal(t, 3, line)
	require.Positive(t, column)
	_, line, _ = position("const a = 1;\nconst b = (a;\n")
	require.Equal(t, 2, line)
	_, line, _ = position("throw Object.assign(new Error(), {stack: 'at f (script.js:' + '9'.repeat(30) + ':1)\\n at " +
		"script.js:7:' + '9'.repeat(30)})")
	require.Equal(t, 7, line)
}

func TestModulesAfterFailures(t *testing.T) {
	const settle = `const settle = async (name) => {
		try { return Object.keys(await import(name)).join() } catch (e) { return e.message.slice(0, 50) } };`
	for name, test := range map[string]struct {
		files        map[string]string
		script, want string
	}{
		"a cycle with something missing": {
			files: map[string]string{"/a.js": "import './b.js'; import './missing.js'; export const a = 1",
				"/b.js": "import {a} from './a.js'; export const b = a"},
			script: settle + `const before = [await settle('/a.js'), await settle('/b.js')];
				const junk = []; for (let i = 0; i < 10000; i++) junk.push({i}); // in the place of what has been freed
				await fs.writeFile('/missing.js', '');
				return before.concat(await settle('/b.js'), await settle('/a.js'), await settle('/b.js')).join('|')`,
			want: `Cannot find module "./missing.js" imported from ` +
				`/a|Cannot find module "./missing.js" imported from /a|b|a|b`,
		},
		"what did not fail can be imported": {
			files: map[string]string{"/a.js": "import './b.js'; import './c.cjs'; let x = (;",
				"/b.js": "export const b = 1", "/c.cjs": "exports.c = 1; globalThis.n = (globalThis.n ?? 0) + 1"},
			script: settle +
				`return [await settle('/a.js'), await settle('/b.js'), await settle('/c.cjs'), n].join('|')`,
			want: "unexpected token in expression: ';'|b|c,default|1",
		},
		"a script that is compiled again as TypeScript": {
			files:  map[string]string{"/b.js": "export const b = 5; globalThis.n = (globalThis.n ?? 0) + 1"},
			script: "import {b} from '/b.js';\nconst five: number = b;\nexport default [five, n].join()",
			want:   "5,1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := run(t, test.script, javascript.RunOptions{Files: filesWith(t, test.files)})
			require.Equal(t, test.want, result.Text)
		})
	}
}

func TestErrorsOfImportsAreNotThoseOfTheScript(t *testing.T) {
	for name, thrown := range map[string]string{
		"a syntax error": `new SyntaxError('fake')`,
		"one that says to be of the script": `Object.assign(new SyntaxError('fake'),
			{stack: '    at script.js:1:1\n'})`,
		"one that says to be behind its end": `Object.assign(new SyntaxError('fake'),
			{stack: '    at script.js:99:1\n'})`,
		"one that looks like return in vain":  `new SyntaxError('return not in a function')`,
		"one with a prototype that is hidden": `Object.setPrototypeOf(new SyntaxError('fake'), SyntaxError.prototype)`,
	} {
		t.Run(name, func(t *testing.T) {
			files := filesWith(t, map[string]string{"/c.cjs": "fs.appendFileSync('/runs', 'x'); throw " + thrown})
			_, err := tryRun(t, "import '/c.cjs';\nexport default 1", javascript.RunOptions{Files: files})
			var script *javascript.ScriptError
			require.ErrorAs(t, err, &script)
			require.False(t, script.Syntax, "something has run")
			require.NotContains(t, script.Message, "unexpected end")
			runs, err := afero.ReadFile(files, "/runs")
			require.NoError(t, err)
			require.Equal(t, "x", string(runs))
		})
	}
}

func TestPositionsInTypeScriptAreBounded(t *testing.T) {
	if !*soak {
		t.Skip("it takes seconds: -soak runs it")
	}
	// Types in front of the code are gone in what the engine sees, so that its lines are others.
	code := "interface A {\n\n}\nexport const f = () => null.x;\n" + strings.Repeat("f;", 15_000)
	result, err := tryRun(t, `const code = `+strconv.Quote(code)+`;
		for (let i = 0; i < 120; i++) {
			fs.writeFileSync('/f.ts', code);
			fs.renameSync('/f.ts', '/f' + i + '.ts');
			const {f} = await import('/f' + i + '.ts');
			if (i === 0 || i === 119) try { f() } catch (e) { console.log(e.stack) }
		}`, javascript.RunOptions{Files: afero.NewMemMapFs(), Limits: sandbox.Limits{Memory: 256 << 20,
		Time: patience}})
	require.NoError(t, err)
	require.Len(t, result.Console, 2)
	require.Contains(t, result.Console[0].Text, "/f0.ts:4:")
	require.Contains(t, result.Console[1].Text, "/f119.ts:1:", "the host keeps no more")
}

func TestTooManyModules(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes long")
	}
	files := afero.NewMemMapFs()
	var all strings.Builder
	for i := range 20_000 {
		name := fmt.Sprintf("/%d.mjs", i)
		fmt.Fprintf(&all, "import %q;\n", name)
		require.NoError(t, afero.WriteFile(files, name, nil, 0o644))
	}
	require.NoError(t, afero.WriteFile(files, "/all.mjs", []byte(all.String()), 0o644))
	_, err := tryRun(t, `await import('/all.mjs')`, javascript.RunOptions{Files: files,
		Limits: sandbox.Limits{Memory: 512 << 20, Time: patience}})
	require.ErrorContains(t, err, "more than 20000 modules have been loaded")
}
