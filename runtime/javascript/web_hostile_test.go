package javascript_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// sabotage changes everything that the web platform's globals could depend on.
const sabotage = `
	const poison = () => { throw new Error('poisoned') };
	const { defineProperty } = Object;
	const targets = [];
	for (const type of [Array, String, Number, BigInt, Map, Set, Promise, RegExp,
		Date, ArrayBuffer, Uint8Array, Object.getPrototypeOf(Uint8Array), DataView, Function, Symbol, WeakMap, Error]) {
		for (const holder of [type, type.prototype]) {
			for (const name of Reflect.ownKeys(holder)) {
				if (['prototype', 'constructor', 'length', 'name', 'stack', Symbol.species].includes(name)) continue;
				const d = Object.getOwnPropertyDescriptor(holder, name);
				if (!d.configurable || (typeof d.value !== 'function' && !d.get)) continue;
				targets.push({holder, name, how: d.get ? {__proto__: null, get: poison, configurable: true} :
					{__proto__: null, value: poison, configurable: true, writable: true}});
			}
		}
	}
	for (const name of ['toJSON', 'once', 'capture', 'signal', 'transfer',
		'maxByteLength', 'reason', 'bubbles', 'cause', 'stream', 'fatal', 'href', 'list', 'text', 'next']) {
		targets.push({holder: Object.prototype, name, how: {__proto__: null, get() {
			return undefined }, set: poison, configurable: true}});
	}
	targets.push({holder: Array.prototype, name: '0',
		how: {__proto__: null, set: poison, get: poison, configurable: true}});
	for (let i = 0; i < targets.length; i++) defineProperty(targets[i].holder, targets[i].name, targets[i].how);
	const names = ['Array', 'String', 'Number', 'JSON', 'Map', 'Set', 'Promise',
		'Reflect', 'Symbol', 'Uint8Array', 'ArrayBuffer', 'DOMException',
		'Error', 'TypeError', 'RangeError', 'Date', 'RegExp', 'Function', 'DataView', 'Math'];
	for (let i = 0; i < names.length; i++) globalThis[names[i]] = undefined;
`

// TestReplacedBuiltIns runs what the prelude gives to scripts after a script has replaced all of the language.
func TestReplacedBuiltIns(t *testing.T) {
	for name, test := range map[string]struct{ prepare, script, want string }{
		"text": {
			``,
			`const b = new TextEncoder().encode('a€'); const d = new TextDecoder();
				return d.decode(b, {stream: true}) + d.decode()`,
			"a€",
		},
		"text in pieces": {`const one = new Uint8Array([226]); const two = new Uint8Array([130, 172]);`,
			`const d = new TextDecoder(); return d.decode(one, {stream: true}) + d.decode(two)`, "€"},
		"text into bytes": {`const b = new Uint8Array(4);`, `return new TextEncoder().encodeInto('abcdef', b).written`,
			"4"},
		"base64": {``, `return atob(btoa('abc'))`, "abc"},
		"URLs": {
			``,
			`const u = new URL('../x?y=1', 'http://a/b/c'); u.searchParams.append('z', 2);
				u.hash = 'h'; return u.href + ' ' + u.searchParams`,
			"http://a/x?y=1&z=2#h y=1&z=2",
		},
		"parameters": {
			``,
			`const p = new URLSearchParams('b=1&a=2&b=3'); p.sort(); p.delete('b', '1');
				p.set('c', 4); return p.toString() + p.size + p.has('a') + p.get('b')`,
			"a=2&b=3&c=43true3",
		},
		"events": {
			``,
			`const t = new EventTarget(); let n = 0; const f = () => n++;
				t.addEventListener('e', f, {once: true}); t.addEventListener('e', () => n++);
				t.dispatchEvent(new Event('e')); t.dispatchEvent(new Event('e')); return n`,
			"3",
		},
		"aborting": {
			``,
			`const c = new AbortController(); let seen; c.signal.onabort = (e) => { seen = e.type };
				c.abort(); return seen + c.signal.reason.name`,
			"abortAbortError",
		},
		"cloning": {
			`const m = new Map([[1, {a: [1, 2]}]]); const all = {m, s: new Set([1]),
				d: new Date(0), r: /a/g, b: new Uint8Array([1, 2]), e: new TypeError('x')};`,
			`const c = structuredClone(all); return c.b[1] + c.e.message + (c.m !== m) + (c.d !== all.d)`,
			"2xtruetrue",
		},
		"randomness": {`const b = new Uint8Array(4);`,
			`crypto.getRandomValues(b); return crypto.randomUUID().length`, "36"},
		"the clock": {``, `return performance.now() > 0 && performance.timeOrigin > 1e12`, "true"},
		"showing": {`const u = new URL('http://a'); const m = new Map([[1, 2]]);`, `return m`,
			"Map(1) {\n  1 => 2\n}"},
		"showing a URL": {`const u = new URL('http://a');`, `console.log(u.searchParams); return u.searchParams`,
			"URLSearchParams {}"},
		"an error's class": {``, `try { atob('a') } catch (e) { return e.name }`, "InvalidCharacterError"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, run(t, test.prepare+sabotage+test.script).Text)
		})
	}
	t.Run("template literals", func(t *testing.T) {
		require.Equal(t, "a1,TypeError",
			run(t, `'use strict'; `+thrownBy+
				`const error = thrown(() => { String.prototype.concat = () => 'x' }); return [`+"`a${1}`"+
				`, error].join()`).Text)
	})
	t.Run("tables", func(t *testing.T) {
		result := run(t, `const rows = [{a: 1}, {a: 'b'}];`+sabotage+`console.table(rows)`)
		require.Len(t, result.Console, 1)
		require.Contains(t, result.Console[0].Text, "│ 1       │ 'b' │")
	})
}
