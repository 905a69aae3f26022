package javascript_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/javascript"
)

// TestGlobals checks what code finds without asking for it, and that it works as on the web.
func TestGlobals(t *testing.T) {
	const console = "=== Console output ===\n"
	const undefined = "\n=== Result ===\nundefined"
	checkRules(t, nil, []rule{
		{"all of them", `return ['console', 'setTimeout', 'clearTimeout',
			'setInterval', 'clearInterval', 'queueMicrotask', 'TextEncoder', 'TextDecoder', 'atob', 'btoa',
			'structuredClone', 'URL', 'URLSearchParams', 'performance', 'crypto', 'AbortController',
				'DOMException', 'self', 'fs', 'halt'].filter((name) => !(name in globalThis)).join()`,
			"Note: the code returned an empty string."},
		{
			"no network, no DOM",
			`return ['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource',
				'document', 'window', 'localStorage'].filter((name) => name in globalThis).length`,
			"0",
		},
		{"self is the global object", `return self === globalThis`, "true"},

		{"console.trace", "function f() {\n  console.trace('here', 1)\n}\nf()",
			console + "[DEBUG] Trace: here 1\n    at f (script.js:2:11)\n    at <anonymous> (script.js:4:1)" +
				undefined},
		{"console.table", `console.table([{a: 1, b: 'x'}, {a: 2}])`, console + "[LOG] ┌─────────┬───┬─────┐\n│ " +
			"(index) │ a │ b   │\n├─────────┼───┼─────┤\n│ 0       │ 1 │ 'x' │\n│ 1       │ 2 │     " +
			"│\n└─────────┴───┴─────┘" + undefined},
		{"console.dir", `console.dir({a: [1]}, {depth: 0})`, console + "[LOG] {\n  \"a\": [\n    1\n  ]\n}" +
			undefined},
		{"console.assert", `console.assert(1 < 2, 'not this'); console.assert(false, 'this', 1); console.assert()`,
			console + "[ERROR] Assertion failed: this 1\n[ERROR] Assertion failed" + undefined},
		{"places in texts",
			`console.log('%s is %d years, %i, %f', 'Bob', 42.5, '42.9', '1.5kg');
				console.error('%j %O%c 100%% %x', {a: 1}, [], 'color: red', 'more'); console.log('%d', Symbol())`,
			console + "[LOG] Bob is 42.5 years, 42, 1.5\n[ERROR] {\"a\":1} [] 100% %x more\n[LOG] NaN" + undefined},
		{"no places in texts",
			`console.log('100%', 5); console.log('%s'); console.log('%%');
				console.log(1, '%s'); const a = {}; a.a = a; console.log('%j %s', a)`,
			console + "[LOG] 100% 5\n[LOG] %s\n[LOG] %%\n[LOG] 1 %s\n[LOG] [Circular] %s" + undefined},
		{"console.count", `console.count(); console.count('a'); console.count(); console.countReset(); console.count()`,
			console + "[LOG] default: 1\n[LOG] a: 1\n[LOG] default: 2\n[LOG] default: 1" + undefined},
		{"console.group", "console.group('outer'); console.log('a\\nb'); console.group(); console.log('c'); " +
			"console.groupEnd(); console.groupEnd(); console.log('d')",
			console + "[LOG] outer\n[LOG]   a\n  b\n[LOG]     c\n[LOG] d" + undefined},

		{"timers run in the order of their delays",
			// Once more if the machine has stood still between the first of them and the last.
			`for (;;) { const order = [], start = performance.now(); const all = new Promise((done) => {
				setTimeout(() => { order.push('c'); done() }, 30); setTimeout(() => order.push('b'), 10);
				setTimeout(() => order.push('a'), 0) });
				const took = performance.now() - start; await all; if (took < 5) return order.join('') }`,
			"abc"},
		{"timers wait as long as they should",
			`const start = performance.now(); await new Promise((done) => setTimeout(done, 40));
				return performance.now() - start >= 39`,
			"true"},
		{"timers pass arguments", `return new Promise((done) => setTimeout((a, b) => done(a + b), 1, 'x', 'y'))`, "xy"},
		{
			"timers can be cleared",
			`const id = setTimeout(() => console.log('no'), 1); clearTimeout(id);
				clearTimeout(id); clearTimeout(null); await new Promise((done) => setTimeout(done, 5)); return 1`,
			"1",
		},
		{"an interval repeats until it is cleared",
			`let n = 0; await new Promise((done) => {
				const id = setInterval(() => { if (++n === 3) { clearInterval(id); done() } }, 1) }); return n`, "3"},
		{"a throw in a timer ends the run",
			`console.log('a'); setTimeout(() => { throw new RangeError('late') });
				await new Promise((done) => setTimeout(done, 5)); console.log('b')`,
			console + "[LOG] a\n=== Result ===\nUncaught RangeError: late\n    at <anonymous> (script.js:1:48)"},
		{"so does one in an interval", `let n = 0; setInterval(() => { if (++n === 2) throw n }, 1)`, "Uncaught 2"},
		{"microtasks run before timers",
			`const order = []; setTimeout(() => order.push('timer')); queueMicrotask(() => order.push('microtask'));
				order.push('code'); await new Promise((done) => setTimeout(done, 2)); return order.join()`,
			"code,microtask,timer"},
		{"a throw in a microtask ends the run", `queueMicrotask(() => { throw 'late' }); await null; return 1`,
			"Uncaught late"},
		{"a rejection that nobody handles ends the run, after what was returned",
			`Promise.reject(new TypeError('lost')); return [1]`,
			"[\n  1\n]\nUncaught (in promise) TypeError: lost\n    at <anonymous> (script.js:1:20)"},
		{"one that is handled is not", `const p = Promise.reject(1); await null; await p.catch(() => {}); return 1`,
			"1"},

		{"TextEncoder", `return new TextEncoder().encode('é€😀\ud800').join()`,
			"195,169,226,130,172,240,159,152,128,239,191,189"},
		{"TextDecoder shows invalid bytes", `return new TextDecoder().decode(new Uint8Array([97, 255, 98, 226, 130]))`,
			"a\ufffdb\ufffd"},
		{"TextDecoder is fatal if asked",
			`try { new TextDecoder('utf-8', {fatal: true}).decode(new Uint8Array([255])) } catch (e) { return e.name }`,
			"TypeError"},
		{"TextDecoder drops a byte order mark",
			`return new TextDecoder().decode(new Uint8Array([239, 187, 191, 97])).length`, "1"},
		{
			"unless it is ignored",
			`return new TextDecoder('utf-8', {ignoreBOM: true}).decode(new Uint8Array([239, 187, 191, 97])).length`,
			"2",
		},
		{
			"TextDecoder in pieces",
			`const d = new TextDecoder(); return d.decode(new Uint8Array([226, 130]), {stream: true}) +
				d.decode(new Uint8Array([172]), {stream: true}) + d.decode(new Uint8Array([240])) `,
			"€\ufffd",
		},
		{
			"atob and btoa",
			`return btoa('a\xff') + atob('YWI=') + (() => { try { btoa('€') } catch (e) { return e.name } })() +
				(() => { try { atob('a') } catch (e) { return e instanceof DOMException } })()`,
			"Yf8=abInvalidCharacterErrortrue",
		},
		{
			"structuredClone",
			`const a = {m: new Map([[1, new Date(0)]]), s: new Set([2])}; a.self = a; const b = structuredClone(a);
				return [b !== a, b.self === b, b.m.get(1).toISOString(), b.s.has(2)].join()`,
			"true,true,1970-01-01T00:00:00.000Z,true",
		},
		{"structuredClone refuses functions", `try { structuredClone(() => 1) } catch (e) { return e.name }`,
			"DataCloneError"},
		{
			"URL",
			`const u = new URL('../b?c=1&c=2#d', 'https://user@example.com:8080/x/y/');
				return [u.href, u.host, u.pathname, u.searchParams.getAll('c').join('+'), URL.canParse('x')].join(' ')`,
			"https://user@example.com:8080/x/b?c=1&c=2#d example.com:8080 /x/b 1+2 false",
		},
		{"URLSearchParams", `return new URLSearchParams([['a', 'é &'], ['b', '1']]).toString()`, "a=%C3%A9+%26&b=1"},
		{
			"crypto.getRandomValues",
			`const a = crypto.getRandomValues(new Uint8Array(32)); return [a.length, new Set(a).size > 1].join()`,
			"32,true",
		},
		{
			"crypto.randomUUID",
			`return /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(crypto.randomUUID())`,
			"true",
		},
		{
			"AbortController",
			`const c = new AbortController(); let heard;
				c.signal.addEventListener('abort', (e) => { heard = e.type }); c.abort();
				return [heard, c.signal.aborted, c.signal.reason.name, c.signal.reason instanceof DOMException].join()`,
			"abort,true,AbortError,true",
		},
		{"lone surrogates in files", `await fs.writeFile('/a', 'a\ud800b'); return (await fs.readFile('/a')).join()`,
			"97,239,191,189,98\nFiles: created /a"},
	})
	t.Run("console.time", func(t *testing.T) {
		result := run(t, newRegistry(t), newEnv(t),
			`console.time('t'); console.timeLog('t', 'so far'); console.timeEnd('t'); console.timeEnd('t')`)
		require.Regexp(t,
			`^=== Console output ===\n\[LOG\] t: \d+(\.\d+)?ms so far\n\[LOG\] `+
				`t: \d+(\.\d+)?ms\n\[WARN\] Timer 't' does not exist\n=== Result ===\nundefined$`,
			result.Text())
	})
}

// TestLibraries checks that the scripts in /lib run first, in global scope.
func TestLibraries(t *testing.T) {
	files := map[string]string{
		"/lib/10.js":       "var order = ['10']",
		"/lib/9.js":        "order.push('9'); Promise.resolve().then(() => order.push('job of 9'))",
		"/lib/Zed.js":      "order.push('Zed'); let lexical = 'seen'; function declared() { return 'declared' }",
		"/lib/abc.js":      "order.push('abc'); undeclared = 'sloppy'",
		"/lib/nested/x.js": "order.push('nested')",
		"/lib/data.json":   "{}",
		"/lib/umd.js": "(function (root, factory) { if (typeof define === 'function' && define.amd) define([], " +
			"factory); else if (typeof module === 'object' && module.exports) module.exports = factory(); " +
			"else root.Umd = factory() })(typeof self !== 'undefined' ? self : this, function () { 'use strict'; " +
			"return {version: '1.2.3'} })",
		"/lib/iife.js": "var Iife = (function (exports) { exports.twice = (n) => 2 * n; return exports })({})",
	}
	checkRules(t, files, []rule{
		{"files only, in the byte order of their names", `return order.join()`, "10,9,job of 9,Zed,abc"},
		{"they share the global scope", `return [lexical, declared(), undeclared, typeof globalThis.order].join()`,
			"seen,declared,sloppy,object"},
		{"UMD and IIFE libraries define their globals", `return Umd.version + Iife.twice(4)`, "1.2.38"},
	})
	failing := map[string]string{
		"/lib/1-throws.js": "console.log('before')\n\nnull.x", "/lib/2-export.js": "module.exports = nothing",
		"/lib/3-rejects.js": "Promise.reject('lost')", "/lib/4-string.js": "throw 'text'",
		"/lib/5-works.js": "var works = true",
	}
	checkRules(t, failing, []rule{{"those that fail are told, and keep nobody from running", `return works`,
		"=== Output of library 1-throws.js ===\n[LOG] before\n[ERROR] TypeError: Cannot read properties of null " +
			"(reading 'x')\n    at <eval> (/lib/1-throws.js:3:1)\n" +
			"=== Output of library 2-export.js ===\n[ERROR] ReferenceError: nothing is not defined\n    at " +
			"<anonymous> (/lib/2-export.js:1:1)\n" +
			"=== Output of library 3-rejects.js ===\n[ERROR] Uncaught (in promise) lost\n=== Output of library " +
			"4-string.js ===\n[ERROR] text\n=== Result ===\ntrue"}})

	r := newRegistry(t)
	t.Run("those with wrong syntax are told", func(t *testing.T) {
		env := newEnv(t)
		writeFiles(t, env.Files, map[string]string{"/lib/a.js": "var a = 1\nvar b = )"})
		require.Regexp(
			t, `^=== Output of library a.js ===\n\[ERROR\] SyntaxError: unexpected token in expression: '\)'\n `+
				`   at /lib/a.js:2:\d+\n=== Result ===\n1$`,
			run(t, r, env, `return 1`).Text(),
		)
	})
	for loadLib, want := range map[any]string{nil: "object", true: "object", false: "undefined"} {
		t.Run(fmt.Sprint("loadLib ", loadLib), func(t *testing.T) {
			env := newEnv(t)
			writeFiles(t, env.Files, files)
			if loadLib != nil {
				env.Selection.Options = map[string]map[string]any{javascript.Name: {javascript.OptionLoadLib: loadLib}}
			}
			require.Equal(t, want, run(t, r, env, `return typeof globalThis.order`).Text())
		})
	}
	for name, c := range map[string]struct {
		library, want string
		code          tool.Code
	}{
		"of time": {`for (;;);`, "/lib/a.js, which is loaded before the code, ended this run: time limit exceeded: " +
			"the script was stopped after 200ms. " +
			"Look for loops that do not end, or do less work in one run. Correct or delete /lib/a.js.",
			tool.CodeTimeout},
		"of memory": {`const all = []; for (;;) all.push(new Uint8Array(1e6))`, "=== Output of library a.js ===\n" +
			"[ERROR] /lib/a.js is left out: memory limit exceeded: the script may use 64 MiB. Keep less data at a " +
			"time.\n=== Result ===\n1", ""},
	} {
		t.Run("they are under the limit "+name, func(t *testing.T) {
			env := newEnv(t)
			if name == "of time" {
				env.Limits.Timeout = 200 * time.Millisecond
			}
			writeFiles(t, env.Files, map[string]string{"/lib/a.js": c.library})
			result := run(t, r, env, `return 1`)
			require.Equal(t, c.want, result.Text())
			require.Equal(t, c.code, result.Code)
		})
	}
}
