package javascript_test

import (
	"bytes"
	"compress/gzip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

func TestCompressionStreams(t *testing.T) {
	const helpers = `
		const all = async (readable) => { const chunks = []; for await (const c of readable) chunks.push(c);
			return Buffer.concat(chunks) };
		const through = (stream, ...chunks) => all(
			new ReadableStream({ start(c) { for (const x of chunks) c.enqueue(x); c.close() } }).pipeThrough(stream));
		const text = (bytes) => new TextDecoder().decode(bytes);
		const fails = async (f) => { try { await f(); return 'no' } catch (e) { return e.name } };
		const data = new TextEncoder().encode('what is said '.repeat(2000));
	`
	for name, c := range map[string]struct{ script, want string }{
		"there and back": {`
			const sizes = [];
			for (const format of ['gzip', 'deflate', 'deflate-raw', 'brotli']) {
				const small = await through(new CompressionStream(format), data.subarray(0, 100), data.subarray(100));
				sizes.push(small.length < 1000 && text(await through(new DecompressionStream(format),
					...Array.from(small, (b) => new Uint8Array([b])))) === text(data));
			}
			return sizes.join()`, "true,true,true,true"},
		"output comes before the input has ended": {`
			const small = await through(new CompressionStream('gzip'), data);
			const { readable, writable } = new DecompressionStream('gzip');
			const writer = writable.getWriter(), reader = readable.getReader();
			writer.write(small.subarray(0, small.length - 8));
			const { value } = await reader.read();
			return text(value).slice(0, 12)`, "what is said"},
		"with node:zlib": {`
			const zlib = require('zlib');
			return [zlib.gunzipSync(await through(new CompressionStream('gzip'), data)).length,
				(await through(new DecompressionStream('deflate'), zlib.deflateSync(data))).length].join()`,
			"26000,26000"},
		"what is refused": {`
			const small = await through(new CompressionStream('gzip'), data);
			const log = [];
			for (const f of [() => new CompressionStream('zip'), () => new DecompressionStream(),
				() => through(new DecompressionStream('gzip'), small.subarray(0, -1)),
				() => through(new DecompressionStream('gzip'), small, new Uint8Array(1)),
					() => through(new DecompressionStream('gzip'), data),
				() => through(new CompressionStream('gzip'), 3.14), () =>
					through(new DecompressionStream('deflate'), small), () => through(new DecompressionStream('gzip')),
				() => through(new CompressionStream('gzip'), new SharedArrayBuffer(1))]) log.push(await fails(f));
			return log.join() + ' ' + await fails(() => through(new CompressionStream('gzip')))`,
			"TypeError,TypeError,TypeError,TypeError,TypeError,TypeError,TypeError,TypeError,TypeError no"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, run(t, helpers+c.script).Text) })
	}
}

func TestMessages(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"ports": {`
			const { port1, port2 } = new MessageChannel(), log = [];
			port1.postMessage({ a: [1] }); port1.postMessage('two');
			await new Promise((resolve) => { port2.onmessage = (e) => { log.push(JSON.stringify(e.data),
				e.constructor.name, e.target === port2); if (e.data === 'two') resolve() } });
			port2.once('message', (m) => log.push('once', m)); port1.postMessage('x'); port1.postMessage('y');
			await new Promise((resolve) => setTimeout(resolve, 1));
			return log.join()`,
			`{"a":[1]},MessageEvent,true,"two",MessageEvent,true,"x",MessageEvent,true,once,x,"y",MessageEvent,true`},
		"a port nobody has started gets its messages later": {`
			const { port1, port2 } = new MessageChannel();
			port1.postMessage(1);
			await new Promise((resolve) => setTimeout(resolve, 2));
			return await new Promise((resolve) => port2.on('message', resolve))`, "1"},
		"a port moves with its messages": {`
			const one = new MessageChannel(), two = new MessageChannel();
			one.port1.postMessage('waits');
			two.port1.postMessage({ port: one.port2 }, [one.port2]);
			const { port } = await new Promise((resolve) => two.port2.on('message', resolve));
			const got = await new Promise((resolve) => port.on('message', resolve));
			let error; try { one.port1.postMessage(two.port1) } catch (e) { error = e.name }
			try { one.port1.postMessage(1, [one.port1]) } catch (e) { error += e.name }
			return [got, port === one.port2, port instanceof MessagePort, error].join()`,
			"waits,false,true,DataCloneErrorDataCloneError"},
		"buffers move": {`
			const { port1, port2 } = new MessageChannel(), b = new ArrayBuffer(8);
			port1.postMessage(b, { transfer: [b] });
			const got = await new Promise((resolve) => port2.on('message', resolve));
			return [got.byteLength, b.byteLength].join()`, "8,0"},
		"a port that is closed gets nothing, and the other end hears of it": {`
			const { port1, port2 } = new MessageChannel(), log = [];
			port2.on('message', (m) => log.push(m));
			const closed = new Promise((resolve) => port2.on('close', () => resolve(log.push('closed'))));
			port1.postMessage(1); port1.close(() => log.push('own')); port1.postMessage(2);
			await closed;
			port2.postMessage(3);
			return log.join()`, "1,own,closed"},
		"open ports do not hold a run": {
			`const { port1, port2 } = new MessageChannel(); port1.onmessage = () => {};
				new BroadcastChannel('x').onmessage = () => {}; return 'over'`,
			"over",
		},
		"messages on their way hold a run": {`
			const { port1, port2 } = new MessageChannel();
			port2.onmessage = ({ data }) => { if (data < 3) port1.postMessage(data + 1); else console.log('last') };
			port1.postMessage(0);
			return 'returned'`, "returned"},
		"channels by name": {`
			const a = new BroadcastChannel('n'), b = new BroadcastChannel('n'),
				c = new BroadcastChannel('n'), other = new BroadcastChannel('m'), log = [];
			const heard = new Promise((resolve) => {
				a.onmessage = b.onmessage = c.onmessage = other.onmessage = (e) =>
					resolve(log.push([a, b, c].indexOf(e.target), e.data));
			});
			a.postMessage('x'); c.close();
			await heard;
			try { c.postMessage(1) } catch (e) { log.push(e.name) }
			return log.join()`, "1,x,InvalidStateError"},
	} {
		t.Run(name, func(t *testing.T) {
			result := run(t, c.script)
			require.Equal(t, c.want, result.Text)
			if name == "messages on their way hold a run" {
				require.Equal(t, "last", result.Console[0].Text)
			}
		})
	}
}

func TestPerformance(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"marks and measures": {`
			performance.mark('a', { startTime: 5, detail: { x: 1 } }); performance.mark('b', { startTime: 9 });
			const m = performance.measure('m', 'a', 'b'),
				log = [m.startTime, m.duration, m.entryType, m.detail, performance.getEntriesByName('a')[0].detail.x];
			log.push(performance.measure('n', { start: 1, duration: 2 }).duration,
				performance.getEntries().map((e) => e.name).join(''), performance.getEntriesByType('mark').length);
			performance.clearMarks('a'); performance.clearMeasures();
			log.push(performance.getEntries().map((e) => e.name).join(''), JSON.stringify(performance.getEntries()[0]));
			for (const f of [() => performance.measure('x', 'missing'), () => performance.mark('x', { startTime: -1 }),
				() => performance.mark(), () => new Performance()]) try { f() } catch (e) { log.push(e.name) }
			return log.join()`,
			`5,4,measure,,1,2,namb,2,b,{"name":"b","entryType":"mark","startTime":9,"duration":0,"detail":null},` +
				`SyntaxError,TypeError,TypeError,TypeError`},
		"observers": {`
			const log = [];
			performance.mark('before');
			await new Promise((resolve) => {
				const o = new PerformanceObserver((list, self) => {
					log.push(list.getEntries().map((e) => e.name).join('+'), self === o); o.disconnect(); resolve() });
				o.observe({ type: 'mark', buffered: true });
				performance.mark('after'); performance.measure('other');
			});
			performance.mark('unseen');
			return log.join() + ' ' + PerformanceObserver.supportedEntryTypes`,
			"before+after,true function,mark,measure,resource"},
		"the clock": {`
			const { performance: p, PerformanceObserver: O } = require('perf_hooks'), t = performance.now();
			return [p === performance, O === PerformanceObserver, performance.now() >= t,
				Math.abs(Date.now() - performance.timeOrigin - performance.now()) < 1000,
				String(performance), p.timerify((a) => a + 1)(1)].join()`,
			"true,true,true,true,[object Performance],2"},
		"navigator": {`return [navigator.hardwareConcurrency, navigator.language,
			navigator.languages.join(), navigator.userAgent, navigator.platform,
			String(navigator), Object.keys(globalThis).includes('navigator')].join()`,
			"1,en-US,en-US,toolrun,linux,[object Navigator],false"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, run(t, c.script).Text)
		})
	}
}

func TestURLPattern(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"groups": {`
			const p = new URLPattern({ pathname: '/books/:id(\\d+)/:part?' }),
				found = p.exec('https://example.com/books/12/index?q=1');
			return JSON.stringify([found.pathname, found.search, p.test('https://example.com/books/x'),
				p.pathname, p.hasRegExpGroups, p.exec('nothing')])`,
			`[{"input":"/books/12/index","groups":{"id":"12","part":"index"}},` +
				`{"input":"q=1","groups":{"0":"q=1"}},false,"/books/:id(\\d+)/:part?",true,null]`},
		"texts": {`
			const p = new URLPattern('http{s}?://*.example.com/a/*\\?x=:y#*', { ignoreCase: true });
			return [p.protocol, p.hostname, p.port, p.pathname, p.search,
				p.hash, p.test('https://www.example.com/A/b?X=1'), p.test('https://example.com/a/b?x=1'),
				new URLPattern('/:a', 'https://h/').exec('/v', 'https://h/').pathname.groups.a].join()`,
			"http{s}?,*.example.com,,/a/*,x=:y,*,true,false,v"},
		"what is refused": {`
			const log = [];
			for (const f of [() => new URLPattern('/x'), () => new URLPattern({ pathname: '/(' }),
				() => new URLPattern({ pathname: '/:a/:a' }), () => new URLPattern({ pathname: '/([z-a])' }),
				() => new URLPattern({ port: '99999' }), () => new URLPattern({}, 'https://h/')]) try {
				f(); log.push('no') } catch (e) { log.push(e.name) }
			return log.join()`, "TypeError,TypeError,TypeError,TypeError,TypeError,TypeError"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, c.want, run(t, c.script).Text) })
	}
}

func TestKeysOfPairs(t *testing.T) {
	require.Equal(t,
		"true,false;true,false;true,false;true,false;secret;true;true;"+
			"private,sign,public,verify;true;"+
			"InvalidAccessError,InvalidAccessError,SyntaxError,DataError,OperationError",
		run(t, `
		const { subtle } = crypto, data = new TextEncoder().encode('what is signed'), log = [], hash = 'SHA-256';
		let pair;
		for (const a of [{ name: 'ECDSA', namedCurve: 'P-256', hash }, { name: 'Ed25519' },
			{ name: 'RSA-PSS', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash, saltLength: 32 },
				{ name: 'RSASSA-PKCS1-v1_5', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]), hash }]) {
			const { privateKey, publicKey } = await subtle.generateKey(a, true, ['sign', 'verify']);
			const read = await subtle.importKey('pkcs8', await subtle.exportKey('pkcs8', privateKey),
				a, false, ['sign']);
			const other = await subtle.importKey('jwk', await subtle.exportKey('jwk', publicKey), a, true, ['verify']);
			const signature = await subtle.sign(a, read, data);
			log.push([await subtle.verify(a, other, signature, data),
				await subtle.verify(a, other, signature, data.slice(1))].join());
			pair ??= { privateKey, publicKey };
		}
		const oaep = { name: 'RSA-OAEP', modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]),
			hash: 'SHA-1' };
		const sealing = await subtle.generateKey(oaep, false, ['encrypt', 'decrypt']);
		log.push(new TextDecoder().decode(await subtle.decrypt(oaep, sealing.privateKey,
			await subtle.encrypt(oaep, sealing.publicKey, new TextEncoder().encode('secret')))));
		for (const a of [{ name: 'X25519' }, { name: 'ECDH', namedCurve: 'P-384' }]) {
			const [one, two] = [await subtle.generateKey(a, true, ['deriveBits']),
				await subtle.generateKey(a, true, ['deriveBits'])];
			const bits = async (own, other) => new Uint8Array(
				await subtle.deriveBits({ ...a, public: other.publicKey }, own.privateKey, 128)).join();
			log.push(await bits(one, two) === await bits(two, one));
		}
		log.push([pair.privateKey.type, pair.privateKey.usages, pair.publicKey.type, pair.publicKey.usages].join());
		const wrap = await subtle.generateKey({ name: 'AES-KW', length: 128 }, true, ['wrapKey', 'unwrapKey']),
			secret = await subtle.generateKey({ name: 'AES-CBC', length: 256 }, true, ['encrypt']);
		const same = await subtle.unwrapKey('raw', await subtle.wrapKey('raw', secret, wrap, 'AES-KW'),
			wrap, 'AES-KW', 'AES-CBC', true, ['encrypt']);
		log.push((await subtle.exportKey('jwk', same)).k === (await subtle.exportKey('jwk', secret)).k);
		const fails = async (f) => { try { await f(); return 'no' } catch (e) { return e.name } };
		log.push([await fails(() => subtle.sign({ name: 'ECDSA', hash }, pair.publicKey, data)),
			await fails(() => subtle.exportKey('pkcs8', sealing.privateKey)),
			await fails(() => subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['sign'])),
				await fails(() => subtle.importKey('spki', data, { name: 'Ed25519' }, true, ['verify'])),
			await fails(() => subtle.generateKey({ ...oaep, publicExponent: new Uint8Array([3]) },
				true, ['encrypt', 'decrypt']))].join());
		return log.join(';')`).Text)
}

// TestHostileWebPlatform runs what would go on for ever, or grow without end: each ends by a limit of the run, or by an
// exception of its own.
func TestHostileWebPlatform(t *testing.T) {
	t.Parallel()
	var bomb bytes.Buffer
	w := gzip.NewWriter(&bomb)
	_, err := w.Write(make([]byte, 32<<20))
	require.NoError(t, err)
	require.NoError(t, w.Close())
	for name, c := range map[string]struct {
		script string
		limit  sandbox.Limit
	}{
		"a pattern that backtracks": {
			`new URLPattern({ pathname: '/((?:a+)+)b' }).test({ pathname: '/' + 'a'.repeat(5000) })`, sandbox.LimitTime,
		},
		"a decompression bomb": {
			`const d = new DecompressionStream('gzip'); d.readable.getReader().read();
				await d.writable.getWriter().write(bomb)`,
			sandbox.LimitMemory,
		},
		"keys again and again": {
			`const a = { name: 'RSA-PSS', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]),
				hash: 'SHA-1' }; for (;;) await crypto.subtle.generateKey(a, true, ['sign'])`,
			sandbox.LimitTime,
		},
		"messages there and back": {
			`const { port1, port2 } = new MessageChannel(); port1.onmessage = () => port1.postMessage(1);
				port2.onmessage = () => port2.postMessage(1); port1.postMessage(1); await new Promise(() => {})`,
			sandbox.LimitTime,
		},
		"channels that answer": {
			`const a = new BroadcastChannel('x'), b = new BroadcastChannel('x');
				a.onmessage = () => a.postMessage(1); b.onmessage = () => { b.postMessage(1); b.postMessage(2) };
				a.postMessage(1); await new Promise(() => {})`,
			sandbox.LimitTime,
		},
		"messages that nobody reads": {
			`const { port1 } = new MessageChannel(); for (;;) port1.postMessage('x'.repeat(1e5) + Math.random())`,
			sandbox.LimitMemory,
		},
		"marks without end": {
			`for (let i = 0; ; i++) performance.mark('m' + i, { detail: 'x'.repeat(1e5) + i })`, sandbox.LimitMemory,
		},
		"clones of what is endless": {
			`let n = 0; const f = () => ({ get a() { n++; return f() }, get b() { return f() } });
				for (;;) try { structuredClone(f()) } catch {}`,
			sandbox.LimitTime,
		},
		"a list that never ends": {
			`structuredClone(1, { transfer: { *[Symbol.iterator]() { for (;;) yield new ArrayBuffer(5000) } } })`,
			sandbox.LimitMemory,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			limits := sandbox.Limits{Time: 200 * time.Millisecond, Memory: 8 << 20}
			if c.limit == sandbox.LimitMemory {
				limits.Time = patience
			}
			_, err := tryRun(t, c.script, javascript.RunOptions{Limits: limits,
				Globals: map[string]any{"bomb": bomb.Bytes()}})
			var limit *sandbox.LimitError
			require.ErrorAs(t, err, &limit)
			require.Equal(t, c.limit, limit.Limit)
		})
	}
}
