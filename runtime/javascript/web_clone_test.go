package javascript_test

import (
	"testing"
)

func TestStructuredClone(t *testing.T) {
	t.Parallel()
	const same = `const c = structuredClone;`
	scriptTests{
		"primitives": {same +
			`return [c(1), c('a'), c(null), c(undefined), c(10n), c(true),
				Object.is(c(-0), -0), c(NaN)].map(String).join()`,
			"1,a,null,undefined,10,true,true,NaN"},
		"boxed primitives": {same +
			`return [c(Object(1)), c(Object('s')), c(Object(false)), c(Object(1n))].map((v) => typeof v + v).join()`,
			"object1,objects,objectfalse,object1"},
		"dates": {same +
			`const d = new Date(5); const e = c(d);
				return [e !== d, e.getTime(), e instanceof Date, c(new Date(NaN)).getTime()].join()`,
			"true,5,true,NaN"},
		"regular expressions": {same +
			`const r = /a/dgimsuy; r.lastIndex = 3; const q = c(r); return [q, q.lastIndex, q !== r, c(/x/v)].join()`,
			"/a/dgimsuy,0,true,/x/v"},
		"maps and sets": {same +
			`const m = c(new Map([[{k: 1}, new Set([1, 'a'])]]));
				return [[...m.keys()][0].k, [...[...m.values()][0]].join()].join()`,
			"1,1,a"},
		"arrays with holes": {same +
			`const a = [1, , 3]; a.x = 'y'; const b = c(a);
				return [b.length, 1 in b, b.x, Array.isArray(b), c(new Array(4e9)).length].join()`,
			"3,false,y,true,4000000000"},
		"objects": {same +
			`class A { a = 1; get b() { return 2 } } const o = c(new A()); return JSON.stringify(o) + (
				o.constructor === Object) + JSON.stringify(c({get x() { return 1 }, [Symbol()]: 1, ['__proto__']: 5}))`,
			`{"a":1}true{"x":1,"__proto__":5}`},
		"null prototypes": {same + `return Object.getPrototypeOf(c(Object.create(null))) === Object.prototype`,
			"true"},
		"errors": {same +
			`const e = new RangeError('m', {cause: {a: 1}}); e.extra = 1;
				const f = c(e); return [f.name, f.message, f.cause.a, f.extra,
				f.stack === e.stack, f instanceof RangeError, Object.keys(f).length, Error.isError(f)].join()`,
			"RangeError,m,1,,true,true,0,true"},
		"errors of other names": {same +
			`class MyError extends Error { name = 'MyError' } const e = c(new MyError('m'));
				return [e.name, e.message, Object.getPrototypeOf(e) === Error.prototype].join()`,
			"Error,m,true"},
		"DOMExceptions": {same +
			`const e = c(new DOMException('m', 'AbortError'));
				return [e.name, e.message, e.code, e instanceof DOMException].join()`,
			"AbortError,m,20,true"},
		"buffers": {same +
			`const a = new Uint8Array([1, 2, 3]).buffer; const b = c(a); new Uint8Array(a)[0] = 9;
				return [new Uint8Array(b), b !== a, c(new ArrayBuffer(2, {maxByteLength: 8})).maxByteLength].join()`,
			"1,2,3,true,8"},
		"typed arrays": {same +
			`return [Int8Array, Uint8ClampedArray, Int16Array, Uint32Array,
				Float16Array, Float32Array, Float64Array].map((T) => { const a = c(new T([1, 2]));
				return a.constructor === T && a.join('') }).join() + c(new BigInt64Array([5n]))[0]`,
			"12,12,12,12,12,12,125"},
		"views of one buffer": {same +
			`const b = new ArrayBuffer(8);
				const [x, y, z, w] = c([b, new Uint8Array(b, 2, 3), new DataView(b, 1, 4), new Uint16Array(b)]);
				return [x === y.buffer, y.buffer === z.buffer, y.byteOffset,
				y.length, z.byteOffset, z.byteLength, w.length].join()`,
			"true,true,2,3,1,4,4"},
		"cycles": {same +
			`const o = {m: new Map(), e: new Error('x')}; o.o = o; o.m.set(o, o);
				o.e.cause = o; const d = c(o); return [d.o === d, d.m.get(d) === d, d.e.cause === d, d !== o].join()`,
			"true,true,true,true"},
		"shared references": {same + `const x = {}; const [a, b] = c([x, x]); return a === b`, "true"},
		"refuses": {same +
			`return [() => {}, Symbol('s'), {f() {}}, Object(Symbol()),
				new WeakMap(), new WeakSet(), new WeakRef({}), Promise.resolve(),
				new Map().keys(), (function* () {})(), new URL('http://a'), new EventTarget(), AbortSignal.abort(),
				new TextDecoder(), new SharedArrayBuffer(1)].map((v) => thrown(() => c(v))).join()`,
			"DataCloneError 25,DataCloneError 25,DataCloneError 25,DataCloneError 25,DataCloneError " +
				"25,DataCloneError 25,DataCloneError 25,DataCloneError 25,DataCloneError 25,DataCloneError " +
				"25,DataCloneError 25,DataCloneError 25,DataCloneError 25,DataCloneError 25,DataCloneError 25"},
		"says what it refuses": {same + `try { c({a: [() => 1]}) } catch (e) { return e.message }`,
			"[Function: (anonymous)] could not be cloned."},
		"transfers buffers": {same +
			`const b = new ArrayBuffer(4, {maxByteLength: 8}), v = new Uint8Array(b).fill(7), d = new DataView(b),
				r = c({v, b}, {transfer: [b]}); return [r.v.join(), r.v.buffer === r.b, r.b.maxByteLength,
				b.byteLength, b.detached, v.length, v[0], thrown(() => d.getInt8(0)), thrown(() => c(b)),
				thrown(() => c(v)), thrown(() => c(d)), thrown(() => c(1, {transfer: [b]}))].join(';')`,
			"7,7,7,7;true;8;0;true;0;;TypeError;DataCloneError 25;DataCloneError " +
				"25;DataCloneError 25;DataCloneError 25"},
		"checks what is to move": {same +
			`const b = new ArrayBuffer(4);
				return [thrown(() => c(b, {transfer: [b, b]})), thrown(() => c(b, {transfer: [{}]})),
				thrown(() => c(b, {transfer: 5})), thrown(() => c(() => {}, {transfer: [b]})),
				b.byteLength, thrown(() => c({get a() { b.transfer() }}, {transfer: [b]}))].join()`,
			"DataCloneError 25,DataCloneError 25,TypeError ERR_INVALID_ARG_TYPE,DataCloneError " +
				"25,4,DataCloneError 25"},
		"of files": {same +
			`const f = c(new File(['abc'], 'n', {type: 'a/b', lastModified: 5})); return [f instanceof File,
				f.name, f.type, f.lastModified, await f.text(), c([new Blob(['x'])])[0].size].join()`,
			"true,n,a/b,5,abc,1"},
		"throws what getters do": {same +
			`return thrown(() => c({get a() { throw new RangeError() }})) +
				thrown(() => c(new Proxy({}, {ownKeys() { throw new SyntaxError() }})))`,
			"RangeErrorSyntaxError"},
		"keeps to what is left": {same +
			`const o = {get a() { delete o.b; return 1 }, b: 2}; return JSON.stringify(c(o))`, `{"a":1}`},
		"needs an argument": {same + `return thrown(() => c())`, "TypeError ERR_MISSING_ARGS"},
		"of deep data": {same +
			`let o = []; for (let i = 0; i < 1e5; i++) o = [o]; const one = thrown(() => c(o));
				let m = new Map(); for (let i = 0; i < 1e5; i++) m = new Map([[m, 1]]);
				let e = new Error(); for (let i = 0; i < 1e5; i++) e = new Error('', {cause: e});
				return [one, thrown(() => c(m)), thrown(() => c(e)), c([1])].join()`,
			"RangeError,RangeError,RangeError,1"},
		"of data that is not deep": {same +
			`let o = []; for (let i = 0; i < 1000; i++) o = [o]; return Array.isArray(c(o))`, "true"},
	}.run(t)
}
