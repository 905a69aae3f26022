package javascript_test

import (
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/javascript"
)

// Attempts to reach something of the host, or to break what the prelude relies on. Each script returns what it has got.
var escapeAttempts = map[string]struct{ script, want string }{
	"the engine's globals": {
		`return ['std', 'os', 'bjson', 'print', 'scriptArgs', 'gc',
			'QJS_PROXY_VALUE'].filter((n) => n in globalThis).join()`, ""},
	"globals of other systems": {
		`return ['fetch', 'XMLHttpRequest', 'WebSocket', 'Deno', 'Bun',
			'window', 'importScripts', 'WebAssembly', 'Worker'].filter((n) => n in globalThis).join()`, ""},
	"a file by std.loadFile": {`return String((await import('qjs:std')).loadFile('/etc/passwd'))`, "null"},
	"a file by std.open":     {`return String((await import('qjs:std')).open('/etc/passwd', 'r'))`, "null"},
	"a relative file":        {`return String((await import('qjs:std')).loadFile('go.mod'))`, "null"},
	"a script by std.loadScript": {
		`try { (await import('qjs:std')).loadScript('/etc/passwd') } catch (e) { return e.message }`,
		"could not load '/etc/passwd'",
	},
	"a file descriptor": {
		`const {fdopen} = await import('qjs:std'); const f = fdopen(3, 'r'); return f ? f.readAsString() : 'null'`, "",
	},
	"files by descriptors": {
		`const os = await import('qjs:os'); const b = new ArrayBuffer(10); const got = [];
			for (let fd = 3; fd < 50; fd++) if (os.read(fd, b, 0, 10) >= 0) got.push(fd); return got.join()`, ""},
	"writing a file by std":     {`return String((await import('qjs:std')).open('/tmp/toolrun-escape', 'w'))`, "null"},
	"a directory by os.readdir": {`return JSON.stringify((await import('qjs:os')).readdir('/'))`, `[[],44]`},
	"opening by os.open":        {`return (await import('qjs:os')).open('/etc/passwd', 0) < 0`, "true"},
	"making a directory":        {`return (await import('qjs:os')).mkdir('/tmp/toolrun-escape') < 0`, "true"},
	"removing a file":           {`return (await import('qjs:os')).remove('/etc/hostname') < 0`, "true"},
	"renaming a file":           {`return (await import('qjs:os')).rename('/etc/hostname', '/x') < 0`, "true"},
	"the state of a file":       {`return (await import('qjs:os')).stat('/etc/passwd')[1] !== 0`, "true"},
	"the working directory": {
		`const [path] = (await import('qjs:os')).getcwd(); return path`, "/"},
	"the environment":  {`return JSON.stringify((await import('qjs:std')).getenviron())`, "{}"},
	"a variable of it": {`return String((await import('qjs:std')).getenv('PATH'))`, "undefined"},
	"the path of the program": {
		`const {exePath} = await import('qjs:os'); try { return String(exePath()) } catch { return 'undefined' }`,
		"undefined",
	},
	"a process": {
		`return ['exec', 'kill', 'waitpid', 'pipe', 'dup'].filter((n) => typeof globalThis[n] === 'function').join()`,
		"",
	},
	"standard input":          {`return JSON.stringify((await import('qjs:std')).in.readAsString())`, `""`},
	"a module of the host":    {`try { await import('/etc/passwd') } catch (e) { return e.name }`, "Error"},
	"a module of the prelude": {`try { await import('toolrun:kernel.js') } catch (e) { return e.name }`, "Error"},
	"a worker":                {`const {Worker} = await import('qjs:os'); return typeof Worker`, "undefined"},
	"the host function by Function.prototype.call": {
		`let stolen = []; const {call} = Function.prototype;
			Function.prototype.call = function (...a) { stolen.push(this); return Reflect.apply(call, this, a) };
		 Function.prototype.apply = function () { stolen.push(this) };
		 	Function.prototype.bind = function () { stolen.push(this) };
		 console.log('x'); try { await fs.readFile('/x') } catch {} crypto.randomUUID();
		 	setTimeout(() => {}, 0); return stolen.length`, "0"},
	"the host function by iterators": {
		`let stolen = 0; Array.prototype[Symbol.iterator] = function* () { stolen++ };
			console.log(1, 2); crypto.randomUUID(); await fs.writeFile('/x', 'y'); return stolen`, "0"},
	"the kernel by stack frames": {
		`let seen = []; Error.prepareStackTrace = (e, frames) => {
			for (const f of frames) seen.push(typeof f.getThis?.(), typeof f.getFunction?.()); return '' };
		 try { await fs.readFile(5) } catch (e) { e.stack } return [seen.length > 0, ...new Set(seen)].join()`,
		"true,undefined"},
	"the kernel by caller and arguments": {
		`let got = 'nothing'; const a = {toString() { try { got = typeof a.toString.caller } catch (e) { got = e.name }
			return 'x' }}; console.count(a); return got`,
		"TypeError"},
	"the kernel by caller in sloppy functions": {
		`const got = []; const look = function () {
			for (const f of [look, arguments.callee, script]) for (const k of ['caller', 'arguments']) {
			let v; try { v = f[k] } catch (e) { v = undefined } if (v) got.push(k, String(v)) } };
		 const script = arguments.callee; [1].forEach(look); console.count({toString: look});
		 	await new Promise((done) => setTimeout(function () { look(); done() }));
		 	fs.stat('/', look); await Promise.resolve().then(look); queueMicrotask(look); process.nextTick(look);
		 new EventTarget().addEventListener.call(new EventTarget(), 'x', look);
		 	structuredClone({get a() { look(); return 1 }}); await 0; return got.join()`, ""},
	"something by this in sloppy callbacks": {
		`const seen = new Set(); const look = function () { seen.add(this) }; setTimeout(look); setImmediate(look);
			queueMicrotask(look); process.nextTick(look); fs.stat('/', look); process.stdout.write('', look);
		 await Promise.resolve().then(look); new Promise(look); [1].map(look);
		 	await {then(done) { Reflect.apply(look, undefined, []); done() }};
		 	require('fs').readdir('/', look); for (const _ of {[Symbol.iterator]: () =>
		 	({next: look.bind(undefined) && (() => { Reflect.apply(look, undefined, []); return {done: true} })})});
		 Error.prepareStackTrace = look; new Error().stack; Error.prepareStackTrace = undefined;
		 	await new Promise((r) => setTimeout(r, 2));
		 return [...seen].map((v) => v === globalThis ? 'global' : v === Error ? 'Error' : v === process.stdout
		 	? 'stdout' : v?.constructor?.name + Object.getOwnPropertyNames(v)).sort().join()`,
		"Error,Immediate,Timeout,global"},
	"the global object by sloppy functions": {
		`return [this === module.exports, Function('return this')() === globalThis,
			(function () { return this })() === globalThis, (0, eval)('this') === globalThis,
			typeof Function('return arguments')()[0]].join()`,
		"true,true,true,true,undefined"},
	"names of the prelude by with and eval": {
		`const got = []; for (const name of ['kernel', 'primitive', 'host',
			'wrapper', 'frame', 'frames', 'builtins', 'loaded', '__toolrun_host', 'f', 'script', 'details']) {
			with ({}) { if (eval('typeof ' + name) !== 'undefined') got.push(name) }
			if (Function('return typeof ' + name)() !== 'undefined') got.push(name) } return got.join()`, ""},
	"the script again by callee": {
		`globalThis.runs = (globalThis.runs ?? 0) + 1; if (runs < 3) await arguments.callee(); return runs`, "3"},
	"modules that only others may have": {
		`const got = [], Module = require('module'); await import('node:os'); await import('node:url');
		 for (const name of ['internal/intl', 'internal/errors', 'internal/types',
		 	'os', {0: '/', toString: () => 'internal/intl'}, ['internal/intl']])
		 for (const [how, f] of Object.entries({accessor: __toolrun_exports, require, load: Module._load,
		 	created: Module.createRequire('/internal/x.js'), method: (n) => module.require(n), other: (n) =>
		 	Module.prototype.require.call({filename: 'internal/x'}, n), cached: (n) => require.cache[n].exports,
		 	import: (n) => import(n), node: (n) => require('node:' + n), binding: (n) => process.binding(n)}))
		 try { await f(name); got.push(how + ' ' + name) } catch {}
		 return got.join()`, "accessor os,require os,load os,created os,method os,other os,import os,node os"},
	"what is frozen, silently": {
		`String.prototype.concat = () => 'mine'; return 'a' + ('x'.concat === String.prototype.concat) + ['b'].join()`,
		"atrueb"},
	"JSON replaced": {
		`JSON.stringify = JSON.parse = () => 'hijacked'; console.log({a: 1}); return {b: [1]}`,
		"{\n  \"b\": [\n    1\n  ]\n}"},
	"Promise replaced": {
		`globalThis.Promise = null; (async () => {})().constructor.prototype.then = () => { throw 1 }; return 'fine'`,
		"fine"},
	"Array.prototype replaced": {
		`for (const k of ['push', 'join', 'map', 'slice', 'forEach', 'concat']) Array.prototype[k] = () => {
			throw 'hijacked' }; console.log([1, {a: 2}]); return [3]`,
		"[\n  3\n]"},
	"setters on Array.prototype": {
		`Object.defineProperty(Array.prototype, '0', {set() { throw 'hijacked' }, get() { return 'wrong' }});
			return 'fine'`,
		"fine"},
	"bytes counted twice, by setters on Array.prototype": {
		`let n = 0; Object.defineProperty(Array.prototype, '0',
			{set(v) { n++; v.length = {toString: () => '400000', valueOf: () => 0} }, configurable: true});
		 const b = new Uint8Array(400000); const r = [];
		 	for (let i = 0; i < 100; i++) Object.defineProperty(r, i, {value: b, enumerable: true});
		 	console.log(r.length); return n`, "0"},
	"Object.prototype polluted": {
		`Object.prototype.code = Object.prototype.error = Object.prototype.bytes =
			Object.prototype.get = Object.prototype.set = Object.prototype.value = 'x'; return [1]`,
		"[\n  1\n]"},
	"String.prototype replaced": {
		`for (const k of Object.getOwnPropertyNames(String.prototype)) if (k !== 'length') try {
			String.prototype[k] = () => { throw 'hijacked' } } catch {}
			console.log('a'); return new Error('e').message`, "e"},
	"every constructor removed": {
		`for (const k of Object.getOwnPropertyNames(globalThis)) if (k !== 'globalThis' &&
			k !== 'undefined' && k !== 'NaN' && k !== 'Infinity') delete globalThis[k]; return 'fine'`,
		"fine"},
	"a getter as an argument": {
		`let n = 0; console.log({get a() { n++; return 'v' }}); return n`, "1"},
	"a proxy as an argument": {
		`console.log(new Proxy({}, {get() { throw new Error('trap') }, ownKeys() { throw new Error('trap') }}));
			return 'fine'`,
		"fine"},
	"a path that is an object": {
		`let n = 0; try { await fs.readFile({toString() { n++; return '/x' }}) } catch (e) { return e.code + n }`,
		"ERR_INVALID_ARG_TYPE0"},
	"a path out of the root": {
		`try { await fs.readFile('../../../../etc/passwd', 'utf8') } catch (e) { return e.message }`,
		"ENOENT: no such file or directory, '../../../../etc/passwd'",
	},
	"a NUL in a path": {`try { await fs.readFile('/a\0b') } catch (e) { return e.code }`,
		"ERR_INVALID_ARG_VALUE"},
	"a lone surrogate in a path": {
		`await fs.writeFile('/\ud800', 'x'); return await fs.readFile('/\ufffd', 'utf8')`, "x"},
	"freed memory, by detaching a buffer under its view": {`
		const detach = (b) => { b.transfer(0); return Array.from({length: 20}, () => new Uint8Array(4096).fill(200)) };
		const log = [];
		const attempt = (name, f) => {
			const b = new ArrayBuffer(4096), a = new Uint8Array(b).fill(3), seen = [];
			const at = { valueOf() { detach(b); return 0 }, toString() { detach(b); return ',' } };
			try { seen.push(String(f(a, at, b))) } catch (e) {
				if (!(e instanceof TypeError || e instanceof RangeError)) seen.push(String(e)) }
			if (String(seen).includes('200')) log.push(name);
		};
		const species = (o, f) => { o.constructor = { [Symbol.species]: f } };
		const during = (Type, b) => new Proxy(Type, { get(t, k, r) { if (k === 'prototype') detach(b);
			return Reflect.get(t, k, r) } });
		attempt('fill', (a, at) => a.fill(at)); attempt('fill from', (a, at) => a.fill(1, at));
			attempt('set', (a, at) => { a.set([at, 5]); return a });
		attempt('set to', (a, at) => { const t = new Uint8Array(4096); t.set(a, at); return t });
		attempt('sort', (a, at, b) => { let n = 0; const all = [];
			try { a.sort((x, y) => { all.push(x, y); if (n++ === 0) detach(b); return x - y }) } catch {} return all });
		attempt('toSorted', (a, at, b) => { let n = 0; const all = []; const r = a.toSorted((x, y) => { all.push(x, y);
			if (n++ === 0) detach(b); return x - y }); return [all, r] });
		attempt('map', (a, at, b) => a.map((x, i) => { if (i === 2) detach(b); return x }));
			attempt('filter', (a, at, b) => a.filter((x, i) => { if (i === 2) detach(b); return true }));
		attempt('species of map', (a, at, b) => { species(a, (n) => { detach(b); return new Uint8Array(n) });
			return a.map((x) => x) });
		attempt('species of slice', (a, at, b) => { species(a, function (n) { detach(b); return new Uint8Array(n) });
			return a.slice(0) });
		attempt('species of a buffer', (a, at, b) => {
			species(b, function (n) { detach(b); return new ArrayBuffer(n) }); return new Uint8Array(b.slice(0)) });
		for (const name of ['indexOf', 'lastIndexOf', 'includes']) attempt(name,
			(a, at) => a[name](200, at) === (name === 'includes' ? false : -1) ? 0 : 200);
		for (const name of ['copyWithin', 'slice', 'subarray']) attempt(name, (a, at) => a[name](at));
		attempt('with', (a, at) => a.with(1, at)); attempt('join', (a, at) => a.join(at));
			attempt('put', (a, at) => { a[0] = at; return a[0] });
		attempt('from', (a, at, b) => Uint8Array.from(a, (x, i) => { if (i === 2) detach(b); return x }));
			attempt('reduce', (a, at, b) => a.reduce((s, x, i) => { if (i === 2) detach(b); return [s, x] }, []));
		attempt('copy', (a, at, b) => Reflect.construct(Uint8Array, [a], during(Uint8Array, b)));
			attempt('view', (a, at, b) => Reflect.construct(Uint8Array, [b, 0, 9], during(Uint8Array, b)));
		attempt('DataView', (a, at, b) => Reflect.construct(DataView, [b, 0, 9], during(DataView, b)).getUint8(0));
			attempt('getUint8', (a, at, b) => new DataView(b).getUint8(at));
		attempt('setUint8', (a, at, b) => { const d = new DataView(b); d.setUint8(0, at); return d.getUint8(0) });
			attempt('buffer.slice', (a, at, b) => new Uint8Array(b.slice(at)));
		attempt('concat', (a, at, b) => { a[Symbol.isConcatSpreadable] = true;
			return [].concat({ [Symbol.isConcatSpreadable]: true, length: 1, get 0() { detach(b); return 1 } }, a) });
		attempt('decode', (a, at, b) => new TextDecoder('latin1').decode(a,
			{ get stream() { detach(b); return false } }).includes('\u00c8') ? 200 : 0);
		attempt('encodeInto', (a, at) => { new TextEncoder().encodeInto(at, a); return a });
			attempt('Buffer', (a, at, b) => { const x = Buffer.from(b); detach(b); return [...x] });
		attempt('random', (a, at, b) => { detach(b); crypto.getRandomValues(a); return a });
			attempt('write', (a, at, b) => { fs.writeFileSync('/x', a, { get encoding() { detach(b) } });
			return fs.readFileSync('/x') });
		return log.join()`, ""},
	"a resizable buffer that shrinks": {
		`const b = new ArrayBuffer(8, {maxByteLength: 16}); const v = new Uint8Array(b, 4, 4); b.resize(2); try {
			await fs.writeFile('/x', v) } catch (e) { return 'error' } return (await fs.readFile('/x')).length`, "0"},
	"bytecode": {
		`const bjson = await import('qjs:bjson'); const b = new Uint8Array(64).map((_, i) => i * 37);
			for (let i = 0; i < 200; i++) { b[i % 64]++; try { bjson.read(b.buffer, 0, 64, 1) } catch {} }
			return 'survived'`,
		"survived"},
}

func TestEscapes(t *testing.T) {
	t.Parallel()
	for name, test := range escapeAttempts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := run(t, test.script, javascript.RunOptions{Files: afero.NewMemMapFs()})
			require.Equal(t, test.want, result.Text)
		})
	}
}

// TestNothingOfThePreludeLeaks lets a script look at everything that goes through what it can replace.
func TestNothingOfThePreludeLeaks(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("testdata/leaks/replaced.js")
	require.NoError(t, err)
	for control, want := range map[bool]string{false: "", true: "Object.keys: kernel"} {
		t.Run(fmt.Sprint("control ", control), func(t *testing.T) {
			t.Parallel()
			options := javascript.RunOptions{Files: afero.NewMemMapFs(), Globals: map[string]any{"control": control}}
			require.Equal(t, want, run(t, string(script), options).Text)
		})
	}
}

// The host is there to be reached: what the attempts above look for exists.
func TestEscapesControl(t *testing.T) {
	if goruntime.GOOS == "windows" {
		t.Skip("the attempts are for files of Unix")
	}
	for _, name := range []string{"/etc/passwd", "go.mod"} {
		if name == "go.mod" {
			name = filepath.Join("..", "..", name)
		}
		_, err := os.Stat(name)
		require.NoError(t, err)
	}
	require.NotEmpty(t, os.Getenv("PATH"))
	_, err := os.Stat("/tmp/toolrun-escape")
	require.ErrorIs(t, err, os.ErrNotExist)
}
