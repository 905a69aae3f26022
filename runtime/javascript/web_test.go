package javascript_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// scriptTests are scripts by what they show, and the texts of their results.
type scriptTests map[string]struct{ script, want string }

func (tests scriptTests) run(t *testing.T) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := run(t, thrownBy+test.script)
			require.Equal(t, test.want, result.Text)
			require.Empty(t, result.Console)
		})
	}
}

// thrownBy defines a function for scripts.
const thrownBy = `const thrown = (f) => { ` +
	`try { f(); return 'nothing' } catch (e) { return e.name + (e.code ? ' ' + e.code : '') } };`

func TestTextEncoder(t *testing.T) {
	scriptTests{
		"encodes": {`return new TextEncoder().encode('a€\0😀')`,
			"Uint8Array(9) [97, 226, 130, 172, 0, 240, 159, 152, 128]"},
		"encodes nothing":      {`return new TextEncoder().encode().length`, "0"},
		"encodes other values": {`return new TextEncoder().encode(12).join()`, "49,50"},
		"replaces surrogates": {`return new TextEncoder().encode('\ud800a\udc00').join()`,
			"239,191,189,97,239,191,189"},
		"says its encoding": {`return new TextEncoder().encoding`, "utf-8"},
		"encodes into an array": {
			`const b = new Uint8Array(8);
				return JSON.stringify(new TextEncoder().encodeInto('a€b😀', b.subarray(1))) + b.join()`,
			`{"read":3,"written":5}0,97,226,130,172,98,0,0`,
		},
		"fills an array": {
			`const b = new Uint8Array(4); const {read, written} = new TextEncoder().encodeInto('😀x', b);
				return [read, written, b].join()`,
			"2,4,240,159,152,128",
		},
		"counts a replacement": {
			`const {read, written} = new TextEncoder().encodeInto('\ud800', new Uint8Array(9));
				return [read, written].join()`,
			"1,3",
		},
		"needs a Uint8Array": {
			`return [new Uint16Array(4), new DataView(new ArrayBuffer(4)),
				new ArrayBuffer(4), {}, null].map((d) => thrown(() => new TextEncoder().encodeInto('a', d))).join()`,
			"TypeError,TypeError,TypeError,TypeError,TypeError",
		},
		"needs its class": {`return thrown(() => TextEncoder.prototype.encode.call({}, 'a'))`,
			"TypeError ERR_INVALID_THIS"},
	}.run(t)
}

func TestTextDecoder(t *testing.T) {
	scriptTests{
		"decodes": {
			`return new TextDecoder().decode(new Uint8Array([97, 226, 130, 172, 0, 240, 159, 152, 128]))`, "a€\x00😀",
		},
		"decodes a part": {
			`return new TextDecoder().decode(new Uint8Array([97, 98, 99, 100]).subarray(1, 3)) +
				new TextDecoder().decode(new DataView(new ArrayBuffer(4), 1, 2)).length`,
			"bc2",
		},
		"decodes nothing": {`return new TextDecoder().decode() === ''`, "true"},
		"replaces": {
			`return new TextDecoder().decode(new Uint8Array([97, 240, 159, 152, 98, 255]))`, "a\ufffdb\ufffd",
		},
		"can be fatal": {
			`return thrown(() => new TextDecoder('utf-8', {fatal: true}).decode(new Uint8Array([255])))`,
			"TypeError ERR_ENCODING_INVALID_ENCODED_DATA",
		},
		"drops a byte order mark": {
			`return new TextDecoder().decode(new Uint8Array([239, 187, 191, 97])).length`, "1",
		},
		"can keep a byte order mark": {
			`return new TextDecoder('utf-8', {ignoreBOM: true}).decode(new Uint8Array([239, 187, 191, 97])).length`,
			"2",
		},
		"knows labels": {
			`return ['UTF8', ' utf-16 ', 'latin1', 'sjis', 'gb2312'].map((l) => new TextDecoder(l).encoding).join()`,
			"utf-8,utf-16le,windows-1252,shift_jis,gbk",
		},
		"refuses labels": {
			`return ['utf-7', '', 'replacement', 'x'.repeat(1e6),
				'utf-8\0'].map((l) => thrown(() => new TextDecoder(l))).join()`,
			strings.Repeat("RangeError ERR_ENCODING_NOT_SUPPORTED,", 4) + "RangeError ERR_ENCODING_NOT_SUPPORTED",
		},
		"shows its options": {
			`const d = new TextDecoder('utf-8', {fatal: 1}); return [d.encoding, d.fatal, d.ignoreBOM].join()`,
			"utf-8,true,false",
		},
		"decodes other encodings": {
			`return new TextDecoder('utf-16be').decode(new Uint8Array([0, 97, 216, 61, 222, 0])) +
				new TextDecoder('shift_jis').decode(new Uint8Array([0x93, 0xfa]))`,
			"a😀日",
		},
		"streams": {
			`const d = new TextDecoder(); let s = '';
				for (const b of new TextEncoder().encode('\ufeffa€😀\ufeff')) s += d.decode(new Uint8Array([b]),
				{stream: true}); return [...s].length + s + d.decode().length`,
			"4a€😀\ufeff0",
		},
		"streams a state": {
			`const d = new TextDecoder('iso-2022-jp'); let s = '';
				for (const b of [27, 36, 66, 70, 124, 75, 92, 27, 40, 66, 97]) s += d.decode(new Uint8Array([b]),
				{stream: true}); return s + d.decode()`,
			"日本a",
		},
		"ends a stream": {
			`const d = new TextDecoder(); return d.decode(new Uint8Array([226, 130]), {stream: true}) +
				d.decode() + d.decode(new Uint8Array([97]))`,
			"\ufffda",
		},
		"looks for a mark in each": {
			`const d = new TextDecoder(); const b = new Uint8Array([239, 187, 191, 97]);
				return d.decode(b).length + ',' + d.decode(b).length`,
			"1,1",
		},
		"recovers from an error": {
			`const d = new TextDecoder('utf-8', {fatal: true});
				thrown(() => d.decode(new Uint8Array([255]), {stream: true})); return d.decode(new Uint8Array([97]))`,
			"a",
		},
		"needs bytes": {
			`return [1, 'a', {}, null, [1]].map((v) => thrown(() => new TextDecoder().decode(v))).join()`,
			strings.Repeat("TypeError ERR_INVALID_ARG_TYPE,", 4) + "TypeError ERR_INVALID_ARG_TYPE",
		},
		"decodes what a getter shrinks": {
			`const b = new ArrayBuffer(8, {maxByteLength: 8});
				return new TextDecoder().decode(b, {get stream() { b.resize(2); return false }}).length`,
			"2",
		},
		"decodes shared memory": {`return new TextDecoder().decode(new SharedArrayBuffer(3)).length`, "3"},
		"is what it says": {
			`return [Object.prototype.toString.call(new TextDecoder()), Object.keys(TextDecoder.prototype).join(),
				TextDecoder.length, 'TextDecoder' in Object.assign({}, globalThis)].join()`,
			"[object TextDecoder],encoding,fatal,ignoreBOM,decode,0,false",
		},
		"decodes other files' encodings": {
			`return new TextDecoder('windows-1251').decode(new Uint8Array([0xcf, 0xf0, 0xe8]))`, "При",
		},
	}.run(t)
}

func TestBase64(t *testing.T) {
	scriptTests{
		"decodes": {`return atob(' aG k=\n') + atob('/w==').charCodeAt(0) + atob('').length`,
			"hi2550"},
		"decodes a NUL": {`return [...atob('AGEA')].map((c) => c.charCodeAt()).join()`, "0,97,0"},
		"encodes":       {`return btoa('hi\xff\0') + btoa('') + btoa(12)`, "aGn/AA==MTI="},
		"refuses bad base64": {
			`return ['a', 'aGk==', '-_', 'a\u00a0Gk', 'é', undefined].map((v) => thrown(() => atob(v))).join()`,
			"InvalidCharacterError 5,InvalidCharacterError 5,InvalidCharacterError " +
				"5,InvalidCharacterError 5,InvalidCharacterError 5,InvalidCharacterError 5",
		},
		"refuses what is no byte": {`return thrown(() => btoa('€')) + thrown(() => btoa('\ud800'))`,
			"InvalidCharacterError 5InvalidCharacterError 5"},
		"goes back and forth": {
			`let s = ''; for (let i = 0; i < 256; i++) s += String.fromCharCode(i);
				s = s.repeat(1000); return atob(btoa(s)) === s`,
			"true",
		},
		"throws what conversions do": {
			`return thrown(() => btoa({toString() { throw new RangeError() }})) + thrown(() => atob(Symbol()))`,
			"RangeErrorTypeError",
		},
	}.run(t)
}

func TestDigest(t *testing.T) {
	const hex = `const hex = (b) => Array.from(new Uint8Array(b), (x) => x.toString(16).padStart(2, '0')).join('');`
	scriptTests{
		"SHA-1": {hex + `return hex(await crypto.subtle.digest('SHA-1', new TextEncoder().encode('abc')))`,
			"a9993e364706816aba3e25717850c26c9cd0d89d"},
		"SHA-256": {hex + `return hex(await crypto.subtle.digest({name: 'sha-256'}, new ArrayBuffer(0)))`,
			"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		"all lengths": {
			`return (await Promise.all(['SHA-1', 'SHA-256', 'SHA-384',
				'SHA-512'].map((a) => crypto.subtle.digest(a, new Uint8Array(3))))).map((b) => b.byteLength).join()`,
			"20,32,48,64",
		},
		"another algorithm": {`return await crypto.subtle.digest('MD5', new Uint8Array(1)).catch((e) => e.name)`,
			"NotSupportedError"},
		"no bytes": {`return await crypto.subtle.digest('SHA-1', 'abc').catch((e) => e.name)`, "TypeError"},
	}.run(t)
}

func TestGlobals(t *testing.T) {
	scriptTests{
		"self": {`return self === globalThis`, "true"},
		"the time origin": {
			`return Math.abs(performance.timeOrigin + performance.now() - Date.now()) < 1000 &&
				performance.timeOrigin === performance.timeOrigin`,
			"true",
		},
		"DOMException": {
			`const e = new DOMException('m', 'AbortError'); return [e instanceof Error,
				e.name, e.code, e.message, DOMException.ABORT_ERR, Object.prototype.toString.call(e), e].join()`,
			"true,AbortError,20,m,20,[object DOMException],AbortError: m",
		},
		"none is listed": {`const names = []; for (const n in globalThis) names.push(n); return names.length`, "0"},
		"classes need new": {
			`return [URL, URLSearchParams, TextEncoder, TextDecoder, Event,
				EventTarget, AbortController, DOMException].map((c) => thrown(() => c('http://a'))).join()`,
			"TypeError,TypeError,TypeError,TypeError,TypeError,TypeError,TypeError,TypeError",
		},
		"classes may be extended": {`class A extends EventTarget { x = 1 }
			; class B extends URL { y = 2 }; class C extends DOMException { constructor() { super('m', 'n') } };
			const a = new A(); let n = 0; a.addEventListener('e', () => n++); a.dispatchEvent(new Event('e')); return [
				n, a.x, new B('http://a').href, new B('http://a').y, new C().name, new C() instanceof C].join()`,
			"1,1,http://a/,2,n,true"},
	}.run(t)
}

func TestHowObjectsRead(t *testing.T) {
	scriptTests{
		"a URL": {`return new URL('http://u:p@a:81/b?c=d#e')`, `URL {
  "href": "http://u:p@a:81/b?c=d#e",
  "origin": "http://a:81",
  "protocol": "http:",
  "username": "u",
  "password": "p",
  "host": "a:81",
  "hostname": "a",
  "port": "81",
  "pathname": "/b",
  "search": "?c=d",
  "hash": "#e"
}`},
		"parameters": {`return new URLSearchParams('a=1&b=2')`,
			"URLSearchParams {\n  \"a\" => \"1\",\n  \"b\" => \"2\"\n}"},
		"no parameters": {`return new URLSearchParams()`, "URLSearchParams {}"},
		"a signal": {`return AbortSignal.abort('why')`,
			"AbortSignal {\n  \"aborted\": true,\n  \"reason\": \"why\"\n}"},
		"a controller": {`return new AbortController()`,
			"AbortController {\n  \"signal\": AbortSignal {\n    \"aborted\": false\n  }\n}"},
		"a decoder": {`return new TextDecoder()`,
			"TextDecoder {\n  \"encoding\": \"utf-8\",\n  \"fatal\": false,\n  \"ignoreBOM\": false\n}"},
		"an event": {`return new Event('x')`, "Event {\n  \"type\": \"x\",\n  \"defaultPrevented\": false,\n " +
			" \"cancelable\": false,\n  \"target\": null\n}"},
		"a target":       {`return [new EventTarget()]`, "[\n  EventTarget {}\n]"},
		"a DOMException": {`return [new DOMException('m', 'AbortError')]`, "[\n  [AbortError: m]\n]"},
		"a reason in full": {"\nreturn new DOMException('m', 'AbortError')",
			"AbortError: m\n    at <anonymous> (script.js:2:12)"},
	}.run(t)
	t.Run("a URL in data is its text", func(t *testing.T) {
		require.Equal(t, map[string]any{"u": "http://a/"}, run(t, `return {u: new URL('http://a')}`).Value)
	})
	t.Run("an uncaught DOMException", func(t *testing.T) {
		_, err := tryRun(t, "\natob('x')")
		var e *javascript.ScriptError
		require.ErrorAs(t, err, &e)
		require.Equal(t, "InvalidCharacterError", e.Name)
		require.Equal(t, 2, e.Line)
		require.Equal(t, "InvalidCharacterError: The string to be decoded is not correctly encoded.\n    at "+
			"<anonymous> (script.js:2:1)", err.Error())
	})
}

func TestConsoleOfTheStandard(t *testing.T) {
	const log, warn = sandbox.LevelLog, sandbox.LevelWarn
	for name, test := range map[string]struct {
		script string
		want   []sandbox.Entry
	}{
		"dirxml": {`console.dirxml(1, {})`, []sandbox.Entry{{Level: log, Text: "1 {}"}}},
		"groups": {`console.groupCollapsed('g'); console.log('a'); console.clear(); console.log('b')`,
			[]sandbox.Entry{{Level: log, Text: "g"}, {Level: log, Text: "  a"}, {Level: log, Text: "b"}}},
		"a missing count": {`console.countReset('x')`,
			[]sandbox.Entry{{Level: warn, Text: "Count for 'x' does not exist"}}},
		"a missing timer": {`console.timeEnd('x'); console.timeLog()`,
			[]sandbox.Entry{{Level: warn, Text: "Timer 'x' does not exist"},
				{Level: warn, Text: "Timer 'default' does not exist"}}},
		"a timer twice": {`console.time(); console.time()`,
			[]sandbox.Entry{{Level: warn, Text: "Timer 'default' already exists"}}},
		"a label of a method": {`console.countReset('toString'); console.timeEnd('constructor')`,
			[]sandbox.Entry{{Level: warn, Text: "Count for 'toString' does not exist"},
				{Level: warn, Text: "Timer 'constructor' does not exist"}}},
		"a table of objects": {`console.table([{a: 1, b: 'x'}, {b: {c: [1, 2]}}, 5])`,
			[]sandbox.Entry{{Level: log, Text: `
┌─────────┬───┬───────────────────┬────────┐
│ (index) │ a │ b                 │ Values │
├─────────┼───┼───────────────────┼────────┤
│ 0       │ 1 │ 'x'               │        │
│ 1       │   │ { "c": [ 1, 2 ] } │        │
│ 2       │   │                   │ 5      │
└─────────┴───┴───────────────────┴────────┘`[1:]}}},
		"a table of some columns": {`console.table({r: {a: 1, b: 2}}, ['b', 'toString'])`,
			[]sandbox.Entry{{Level: log, Text: `
┌─────────┬───┬──────────┐
│ (index) │ b │ toString │
├─────────┼───┼──────────┤
│ r       │ 2 │          │
└─────────┴───┴──────────┘`[1:]}}},
		"a table of some columns and a value": {`console.table([{a: 1}, 5], ['a'])`,
			[]sandbox.Entry{{Level: log, Text: `
┌─────────┬───┐
│ (index) │ a │
├─────────┼───┤
│ 0       │ 1 │
│ 1       │   │
└─────────┴───┘`[1:]}}},
		"a table of a map": {`console.table(new Map([['日', 1]]))`, []sandbox.Entry{{Level: log, Text: `
┌───────────────────┬──────┬────────┐
│ (iteration index) │ Key  │ Values │
├───────────────────┼──────┼────────┤
│ 0                 │ '日' │ 1      │
└───────────────────┴──────┴────────┘`[1:]}}},
		"a table of a set": {`console.table(new Set(['a\n  b']))`, []sandbox.Entry{{Level: log, Text: `
┌───────────────────┬────────┐
│ (iteration index) │ Values │
├───────────────────┼────────┤
│ 0                 │ 'a b'  │
└───────────────────┴────────┘`[1:]}}},
		"a table of nothing": {`console.table([])`, []sandbox.Entry{{Level: log, Text: "┌─────────┐\n│ (index) " +
			"│\n├─────────┤\n└─────────┘"}}},
		"a table of no object": {`console.table(5); console.table('x'); console.table(null)`,
			[]sandbox.Entry{{Level: log, Text: "5"}, {Level: log, Text: "x"}, {Level: log, Text: "null"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, run(t, test.script).Console)
		})
	}
	t.Run("a timer", func(t *testing.T) {
		console := run(
			t, `Number.prototype.toFixed = console.log = null; console.time('t');
				console.timeLog('t', 'x', 1); console.timeEnd('t')`,
		).Console
		require.Len(t, console, 2)
		require.Regexp(t, `^t: \d+(\.\d{1,3})?ms x 1$`, console[0].Text)
		require.Regexp(t, `^t: \d+(\.\d{1,3})?ms$`, console[1].Text)
	})
	t.Run("durations", func(t *testing.T) { // as Node writes them
		want := "0ms 0.123ms 1ms 9.877ms 123.457ms 1000ms 1.000s 1.235s 59.999s 1:00.000 (m:ss.mmm) 1:02.346 " +
			"(m:ss.mmm) 59:59.000 (m:ss.mmm) " +
			"1:00:00.000 (h:mm:ss.mmm) 1:02:03.457 (h:mm:ss.mmm) 30:00:00.000 (h:mm:ss.mmm)"
		require.Equal(t, want, run(t, `
			const lines = [];
			const out = new (require('stream').Writable)({ write(chunk, _, done) {
				lines.push(chunk.toString().trim().slice(3)); done() } });
			const c = new console.Console(out);
			for (const ms of [0, 0.1234567, 1, 9.87654, 123.45678, 999.9996,
				1000, 1234.5678, 59999.4, 60000, 62345.6, 3599000, 3600000, 3723456.7, 1.08e8]) {
				performance.now = () => 0;
				c.time('t');
				performance.now = () => ms;
				c.timeEnd('t');
			}
			return lines.join(' ')`).Text)
	})
}

func TestAbortSignalTimeout(t *testing.T) {
	long := javascript.RunOptions{Limits: sandbox.Limits{Time: time.Hour}}
	t.Run("does not keep a run going that has its result", func(t *testing.T) {
		require.Equal(t, "done", run(t, `AbortSignal.timeout(3e6); return 'done'`, long).Text)
	})
	t.Run("ends what the script waits for", func(t *testing.T) {
		require.Equal(t, "TimeoutError", run(t, `
			const signal = AbortSignal.timeout(5);
			await new Promise((done) => signal.addEventListener('abort', done));
			return signal.reason.name`, long).Text)
	})
	t.Run("goes off while a call keeps the run going", func(t *testing.T) {
		released := make(chan struct{})
		functions := []javascript.Function{
			{Name: "slow", Async: true, Call: func(ctx context.Context, _ []any) (any, error) {
				select {
				case <-released:
				case <-ctx.Done():
				}
				return nil, nil
			}},
			{Name: "release", Call: func(context.Context, []any) (any, error) {
				close(released)
				return nil, nil
			}},
		}
		result := run(t, `AbortSignal.timeout(5).onabort = () => release(); slow(); return 'done'`,
			javascript.RunOptions{Functions: functions})
		require.Empty(t, result.Console)
	})
	t.Run("of any length is waited for", func(t *testing.T) {
		require.Equal(t, "false", run(t,
			`const s = AbortSignal.timeout(2 ** 40); await new Promise((r) => setTimeout(r, 20)); return s.aborted`).
			Text)
	})
	t.Run("goes off while other timers keep the run going", func(t *testing.T) {
		result := run(
			t, `AbortSignal.timeout(5).onabort = () => console.log('aborted'); setTimeout(() => {}, 50); return 'done'`,
		)
		require.Equal(t, []sandbox.Entry{{Level: sandbox.LevelLog, Text: "aborted"}}, result.Console)
	})
}
