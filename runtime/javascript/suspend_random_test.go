package javascript_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// pieces are statements of random scripts. Each has names that end with its number, N, for what it makes, and may wait
// for calls of ask, which gives what it gets, or throws what is negative.
var pieces = []string{
	`const cN = (() => { let n = 0; return { up: async () => { n += await ask(N); return n } } })();
		out(await cN.up(), await cN.up());`,
	`class AN { #x = N; static made = 0; constructor() { AN.made++ } async x() { return this.#x += await ask(1) }
		get y() { return this.#x } }
	 class BN extends AN { async x() { return await super.x() * 2 } } const bN = new BN();
	 	out(await bN.x(), bN.y, AN.made, bN instanceof AN);`,
	`function* gN() { try { for (let i = 0; ; i++) { const got = yield i; if (got) i += got } } finally {
		out('closed', N) } }
	 const itN = gN(); itN.next(); out(itN.next(await ask(N)).value); itN.return(); out(itN.next().done);`,
	`async function* agN() { for (let i = 0; i < 3; i++) yield await ask(i) }
		for await (const v of agN()) { out(v); if (v === 1) await ask('in a loop') }`,
	`const mN = new Map([[{}, 1], ['k', await ask(N)]]), sN = new Set(mN.values()), wN = new WeakMap();
		for (const k of mN.keys()) if (typeof k === 'object') wN.set(k, 'w');
	 await ask(0); out([...mN.values()], sN.has(N), wN.get([...mN.keys()][0]));`,
	`const tN = new Uint8Array(await ask(8)), fN = new Float64Array(4);
		tN.set([1, 2, 3], 2); fN.fill(0.5); const vN = new DataView(tN.buffer); vN.setInt16(0, -N); await ask(1);
	 out([...tN], fN.at(-1), vN.getInt16(0), tN.buffer.byteLength);`,
	`const pN = new Proxy({ n: N }, { get: (o, k) => k === 'then' ? undefined : k in o ? o[k] : 'no ' + String(k),
		has: () => true }); await ask(1); out(pN.n, pN.other, 'x' in pN);`,
	`const timersN = []; const fullN = Promise.withResolvers();
		const ivN = setInterval(() => { if (timersN.push('i') > 3) { clearInterval(ivN); fullN.resolve() } }, 1);
	 await ask(N); await fullN.promise; setTimeout(() => timersN.push('late'), 50_000).unref(); out(timersN.join());`,
	`out(...await Promise.all([ask(N), ask('b'), Promise.resolve(1), ask([1, { a: null }])]));`,
	`out(await Promise.race([ask(N), new Promise((r) => setTimeout(r, 60_000).unref())]));`,
	`out(await Promise.allSettled([ask(-N), ask(N)]).then(
		(r) => r.map((x) => x.status + (x.value ?? x.reason.message))));`,
	`try { await ask(-1 - N); out('no') } catch (e) { out(e instanceof Error, e.message) } finally {
		out(await ask('finally')) }`,
	`const { join: joinN } = await import('node:path'); const { EventEmitter: EN } = require('events');
		const eN = new EN(); eN.on('x', (v) => out('event', v)); await ask(1); eN.emit('x', joinN('a', String(N)));`,
	`const aN = await ask({ deep: [{ bytes: new Uint8Array([1, N]) }] });
		out(aN.deep[0].bytes[1], JSON.stringify(aN).length);`,
	`const reN = /(\d+)-(?<w>\w+)/gy; reN.exec('12-ab34-cd'); await ask(1);
		out(reN.lastIndex, reN.exec('12-ab34-cd')?.groups.w);`,
	`let sumN = 0n; for (let i = 0n; i < 5n; i++) sumN += BigInt(await ask(Number(i))); out(String(sumN ** 20n));`,
	`const symN = Symbol('s'), oN = { [symN]: 1, get g() { return N }, __proto__: { inherited: 2 } };
		Object.freeze(oN); await ask(1); out(oN[symN], oN.g, oN.inherited, Object.isFrozen(oN));`,
	`labelN: for (const i of [1, 2, 3]) { for (const j of [1, 2, 3]) {
		if (await ask(i * j) === 4) break labelN; if (j === 2) continue labelN; out(i, j) } }`,
	`const dN = new Date(86400000 * N), iN = new Intl.NumberFormat('de').format(1234.5);
		await ask(1); out(dN.toISOString(), iN, new Intl.DateTimeFormat('en', { timeZone: 'UTC' }).format(dN));`,
	`queueMicrotask(() => out('microtask', N)); process.nextTick(() => out('tick', N));
		await ask(1); const stN = structuredClone(new Map([[1, new Set([N])]])); await ask(2); out(stN.get(1).has(N));`,
	`const bufN = Buffer.from('héllo' + N); await ask(bufN.length);
		out(bufN.toString('hex'), require('crypto').createHash('sha256').update(bufN).digest('base64'));`,
	`const taggedN = (s, ...v) => s.raw.join('|') + v.join(); out(taggedN` + "`a${await ask(N)}b\\n${await ask(2)}`" +
		`);`,
	`const rN = Promise.withResolvers(); ask(N).then((v) => setTimeout(() => rN.resolve(v), 1));
		out(await rN.promise);`,
	`const { AsyncLocalStorage: ALN } = require('async_hooks'); const alsN = new ALN();
	 await alsN.run('store N', async () => { await ask(N); out(alsN.getStore());
	 	await new Promise((r) => setTimeout(() => { out('late', alsN.getStore()); r() }, 1)) }); out(alsN.getStore());`,
	`const { Readable: RN, Transform: TN } = require('stream'); const { pipeline: plN } = require('stream/promises');
		const partsN = [];
	 await plN(RN.from(['a', 'b', 'c']), async function* (source) { for await (const x of source) yield await ask(x) +
	 	N }, async function (source) { for await (const x of source) partsN.push(String(x)) }); out(partsN.join());`,
	`const zN = require('zlib'), hN = require('crypto').createHash('sha1'); hN.update('a');
		await ask(1); hN.update('b'); const gzN = zN.gzipSync(await ask('x'.repeat(1000 + N))); await ask(2);
	 out(hN.digest('hex'), zN.gunzipSync(gzN).length, new URL('?a=' + N, 'http://x/').href);`,
	`const tsN = new TransformStream({ async transform(chunk, c) { c.enqueue(await ask(chunk * 2)) } });
		const wrN = tsN.writable.getWriter(); for (const n of [1, 2, N]) wrN.write(n); wrN.close();
	 const readN = []; for await (const v of tsN.readable) readN.push(v); out(readN);`,
	`const acN = new AbortController();
		acN.signal.addEventListener('abort', () => out('aborted', acN.signal.reason.message));
		await ask(N); acN.abort(new Error('why N')); out(acN.signal.aborted);`,
	`{ const collN = new Intl.Collator('de'), segN = new Intl.Segmenter('en', { granularity: 'word' }).segment('a b');
		const itN = segN[Symbol.iterator](); itN.next(); await ask(N);
	  out(['z', 'ä', 'a'].sort(collN.compare), itN.next().value.segment, (12345.678).toLocaleString('en')) }`,
	`function recurseN(n) { return n === 0 ? ask(N) : recurseN(n - 1).then((v) => v + 1) } out(await recurseN(20));`,
}

var numberName = regexp.MustCompile(`JSON|N\b`)

// randomScript returns a script of some pieces. The first scripts have one piece each.
func randomScript(seed int, random *rand.Rand) string {
	var b strings.Builder
	b.WriteString("const lines = []; const out = (...v) => { lines.push(JSON.stringify(v)); console.log(...v) };\n")
	chosen := []string{pieces[seed%len(pieces)]}
	for range random.IntN(6) {
		if seed >= len(pieces) {
			chosen = append(chosen, pieces[random.IntN(len(pieces))])
		}
	}
	for n, piece := range chosen {
		piece = numberName.ReplaceAllStringFunc(piece, func(name string) string {
			if name == "JSON" {
				return name
			}
			return fmt.Sprint(n + 1)
		})
		if random.IntN(4) == 0 { // everything that a block has is in a closure's frame
			piece = "await (async () => { " + piece + " })();"
		}
		b.WriteString(piece + "\n")
	}
	b.WriteString("return lines.join('\\n')")
	return b.String()
}

// A script that is suspended whenever it waits, and goes on in another process, gives what it gives without that.
func TestRandomScriptsAreSuspendedAtEveryWait(t *testing.T) {
	count := len(pieces) + 4
	if *soak {
		count = 600
	}
	answer := func(x any) (any, error) {
		if n, ok := x.(float64); ok && n < 0 {
			return nil, fmt.Errorf("refused %v", n)
		}
		return x, nil
	}
	key := []byte("0123456789abcdef")
	require.NoError(t, start(t.Context(), &sandbox.EngineOptions{CacheDir: enginetest.CacheDir()},
		func(other *javascript.Interpreter) {
			for seed := range count {
				random := rand.New(rand.NewPCG(uint64(seed), 1))
				script := randomScript(seed, random)
				options := asking(answer)
				options.Session = seed%2 == 1
				want, err := engine.Run(t.Context(), script, options)
				require.NoError(t, err, script)

				options = asking(nil)
				options.Session = seed%2 == 1
				got, err := engine.Run(t.Context(), script, options)
				suspensions := 0
				for ; err == javascript.ErrSuspend; suspensions++ {
					on := other
					if suspensions%2 == 1 {
						on = engine.Interpreter
					}
					sealed, sealErr := got.State.Seal(key, 0)
					require.NoError(t, sealErr)
					state, openErr := on.OpenState(sealed, key, sandbox.DefaultMemory)
					require.NoError(t, openErr)
					answered := false // one of the calls that wait
					options.Functions[0].Call = func(_ context.Context, args []any) (any, error) {
						if answered || random.IntN(2) == 0 {
							return nil, javascript.ErrSuspend
						}
						answered = true
						return answer(args[0])
					}
					options.Functions[0].Call = inOrder(options.Functions[0].Call)
					got, err = on.Resume(t.Context(), state, options)
					require.Less(t, suspensions, 1000, script)
				}
				require.NoError(t, err, script)
				require.Equal(t, want.Text, got.Text, script)
				require.Equal(t, want.Console, got.Console, script)
				if strings.Contains(script, "ask(") {
					require.Positive(t, suspensions)
				}
			}
		}))
}

// inOrder makes a function that is not safe for concurrent use safe.
func inOrder(f func(context.Context, []any) (any, error)) func(context.Context, []any) (any, error) {
	turn := make(chan struct{}, 1)
	return func(ctx context.Context, args []any) (any, error) {
		turn <- struct{}{}
		defer func() { <-turn }()
		return f(ctx, args)
	}
}
