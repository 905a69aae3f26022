package runtime_test

import (
	"context"
	"errors"
	"math/rand/v2"
	goruntime "runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// What a hostile script may end with.
const (
	byTime   = "time limit"
	byMemory = "memory limit"
	byError  = "exception" // of the script: it has been refused something
)

// hostileScripts never end well by themselves. Each ends in one of the given ways.
var hostileScripts = []struct{ script, want string }{
	// Endless loops, in the interpreter and in native code.
	{`for (;;) {}`, byTime},
	{`while (true) try { throw 0 } catch {}`, byTime},
	{`const f = () => { for (;;) {} }; f()`, byTime},
	{`for (;;) await 0`, byTime},
	{`(function f() { Promise.resolve().then(f) })(); await new Promise(() => {})`, byTime},
	{`queueMicrotask(function f() { queueMicrotask(f) })`, byTime},
	{`setTimeout(function f() { setTimeout(f, 0) }, 0); await new Promise(() => {})`, byTime},
	{`setInterval(() => {}, 0); await new Promise(() => {})`, byTime},
	{`setInterval(() => { for (;;); }, 0)`, byTime},
	{`await new Promise((r) => setTimeout(r, 1e9))`, byTime},
	{`for (const x of (function* () { for (;;) yield 1 })());`, byTime},
	{`[].indexOf.call({length: 2 ** 53 - 1}, 1)`, byTime},
	{`[].includes.call({length: 2 ** 53 - 1}, 1)`, byTime},
	{`[].copyWithin.call({length: 2 ** 53 - 1}, 0, 1)`, byTime},
	{`Array.prototype.reverse.call({length: 2 ** 53 - 1})`, byTime},
	{`/^(a+)+$/.test('a'.repeat(40) + 'b')`, byTime},
	{`/(x+x+)+y/.exec('x'.repeat(60))`, byTime},
	{`'a'.repeat(1e5).replace(/a*?b/g, '')`, byTime},
	{`let x = 2n; for (;;) x = x * x`, byError + "|" + byTime}, // the engine refuses numbers of more than a million bits
	{`let x = 2n ** 500000n; for (;;) x * x`, byTime},
	{`for (;;) (7n ** 200000n).toString()`, byTime},
	{`for (;;) [3, 2, 1].sort(() => { for (;;); })`, byTime},
	{`const a = Array.from({length: 1e5}, (_, i) => -i); for (;;) a.slice().sort()`, byTime},
	{`const s = JSON.stringify(Array(1e5).fill({a: 1})); for (;;) JSON.parse(s)`, byTime},
	{`const b = new Uint8Array(4e7); for (;;) b.fill(7)`, byTime},
	{`const b = new Uint8Array(4e7); for (;;) b.copyWithin(0, 1)`, byTime},
	{`let o = []; for (let i = 0; i < 30; i++) o = [o, o]; JSON.stringify(o)`, byTime + "|" + byMemory},
	{`new Array(2 ** 32 - 2).fill(0)`, byTime + "|" + byMemory},
	{`for (;;) 'é'.repeat(1e5).normalize('NFD')`, byTime},
	// Long straight-line code, which has no loop of its own.
	{`const f = new Function('let x = 1;' + 'x+x;'.repeat(1e6)); for (;;) f()`, byTime},
	{`const f = new Function('let x = {y: 1};' + 'x.y;'.repeat(1e6)); for (;;) f()`, byTime},
	// Where the host looks at values.
	{`return {toJSON() { for (;;); }}`, byTime},
	{`return new Proxy({}, {ownKeys() { for (;;); }})`, byTime},
	{`return {get then() { for (;;); }}`, byTime},
	{`throw {get message() { for (;;); }}`, byTime},
	{`const e = new Error(); Object.defineProperty(e, 'stack', {get() { for (;;); }}); throw e`, byTime},
	{`Error.prepareStackTrace = () => { for (;;); }; null.x`, byTime},
	{`console.log({get a() { for (;;); }})`, byTime},
	{`Object.defineProperty(Object.prototype, 'then', {get() { for (;;); }}); return {}`, byTime},
	// What the engine's own modules offer.
	{`(await import('qjs:os')).sleep(1e9)`, byTime},
	{`const os = await import('qjs:os'); await new Promise((r) => os.setTimeout(r, 1e9))`, byTime},
	{`const {out} = await import('qjs:std'); for (;;) out.puts('x')`, byTime},
	// Floods of calls of the host.
	{`for (;;) console.log('x'.repeat(1000))`, byTime},
	{`for (;;) crypto.getRandomValues(new Uint8Array(65536))`, byTime},
	{`for (;;) try { await fs.readFile('/missing') } catch {}`, byTime},
	// Floods of rejections.
	{`for (;;) Promise.reject(1)`, byTime + "|" + byMemory},
	{`for (;;) await Promise.reject(1).catch(() => {})`, byTime},
	{`Promise.reject({get a() { for (;;); }})`, byTime},
	// Work of the web platform's globals.
	{`const s = 'x'.repeat(1e7); for (;;) new TextEncoder().encode(s)`, byTime},
	{`const b = new Uint8Array(2e7).fill(255); for (;;) new TextDecoder().decode(b)`, byTime + "|" + byMemory},
	{`const b = new Uint8Array(2e7).fill(255); for (;;) try { new TextDecoder('gbk', {fatal: true}).decode(b) } catch {}`, byTime},
	{`const s = 'x'.repeat(5e6); for (;;) btoa(s)`, byTime},
	{`const s = 'A'.repeat(5e6); for (;;) atob(s)`, byTime},
	{`const b = new Uint8Array(4e7); for (;;) await crypto.subtle.digest('SHA-512', b)`, byTime},
	{`for (;;) try { new URL('http://' + '@'.repeat(8000)) } catch {}`, byTime},
	{`for (;;) new URL('http://a' + '/'.repeat(8000))`, byTime},
	{`for (;;) new URL('x://' + '%'.repeat(8000))`, byTime},
	{`const u = new URL('http://a'); for (let i = 0; ; i++) u.searchParams.append('x', i)`, byTime + "|" + byError},
	{`const u = new URL('http://a'); for (;;) { u.search = 'é'.repeat(1e5); u.searchParams.size }`, byTime},
	{`for (;;) new URLSearchParams('&a'.repeat(1e5)).sort()`, byTime},
	{`const a = []; for (;;) a.push(structuredClone(a))`, byTime + "|" + byMemory},
	{`structuredClone({get a() { for (;;); }})`, byTime},
	{`const d = []; for (;;) d.push(new TextDecoder('gbk'))`, byTime + "|" + byMemory},
	{`const t = new EventTarget(); t.addEventListener('e', function f() { t.addEventListener('e', () => f()); t.dispatchEvent(new Event('e')) }); for (;;) t.dispatchEvent(new Event('e'))`, byTime + "|" + byMemory},
	{`let s = new AbortController().signal; for (;;) s = AbortSignal.any([s, s])`, byTime + "|" + byMemory},
	{`for (;;) AbortSignal.timeout(1e6)`, byTime + "|" + byMemory},
	{`const rows = []; for (let i = 0; i < 3000; i++) rows.push({['c' + i]: i}); for (;;) console.table(rows)`, byTime + "|" + byMemory},
	{`console.table(new Proxy([], {ownKeys() { for (;;); }}))`, byTime},
	// Recursion.
	{`function r() { try { r() } finally { r() } } r()`, byTime},
	{`function r() { r() } r()`, byError},
	{`class A { constructor() { new A() } } new A()`, byError},
	{`const p = new Proxy({}, {get(t, k, r) { return r[k] }}); p.x`, byError},
	{`const a = []; a[0] = a; a.flat(Infinity)`, byError},
	{`eval('('.repeat(1e6))`, byError},
	{`JSON.parse('['.repeat(1e6))`, byError},
	{`new RegExp('(?:'.repeat(1e5) + ')'.repeat(1e5))`, byError},
	{`let o = []; for (let i = 0; i < 1e5; i++) o = [o]; o.toString()`, byError},
	{`let o = []; for (let i = 0; i < 2e4; i++) o = [o]; JSON.stringify(o)`, byError + "|" + byTime},
	{`let f = (x) => x; for (let i = 0; i < 1e5; i++) f = f.bind(null); f()`, byError + "|" + byMemory + "|" + byTime},
	{`const o = {toString() { return '' + this }}; '' + o`, byError},
	{`[1, 2].sort(function f() { [1, 2].sort(f) })`, byError},
	{`'a'.replace('a', function f() { return 'a'.replace('a', f) })`, byError},
	// Memory.
	{`'x'.repeat(2 ** 30)`, byMemory},
	{`'x'.repeat(2 ** 29)`, byMemory},
	{`let s = 'x'; for (;;) s += s`, byMemory},
	{`const a = []; for (;;) a.push({a: 1})`, byMemory + "|" + byTime},
	{`const a = []; for (;;) a.push(new ArrayBuffer(1e6))`, byMemory},
	{`const m = new Map(); for (let i = 0; ; i++) m.set(i, i)`, byMemory + "|" + byTime},
	{`new ArrayBuffer(2 ** 31)`, byMemory},
	{`new Float64Array(1e9)`, byMemory},
	{`'a'.repeat(2e7).split('')`, byMemory},
	{`const a = []; for (let i = 0; ; i++) a.push(Symbol(i))`, byMemory + "|" + byTime},
	{`const a = []; for (let i = 0; ; i++) a.push(() => i)`, byMemory + "|" + byTime},
	{`for (let i = 0; ; i++) setTimeout(() => i, 1e6)`, byMemory + "|" + byTime},
	{`for (let i = 0; ; i++) Promise.resolve().then(() => i)`, byMemory + "|" + byTime},
	{`Error.prepareStackTrace = () => { console.log('x'); crypto.randomUUID(); return '' }; const a = []; for (;;) a.push(crypto.randomUUID() + a.length)`, byMemory + "|" + byTime},
	{`Error.prepareStackTrace = () => { throw 1 }; const a = []; for (;;) a.push(crypto.getRandomValues(new Uint8Array(60000)))`, byMemory},
	{`let s = 'x'.repeat(1e7); return [s, s, s, s, s, s, s, s].join('') + s`, byMemory},
}

// endedAs says in which of the ways a run has ended.
func endedAs(err error) string {
	var limit *sandbox.LimitError
	var script *sandbox.ScriptError
	switch {
	case err == nil:
		return "success"
	case errors.As(err, &limit):
		return string(limit.Limit) + " limit"
	case errors.As(err, &script):
		return byError
	}
	return err.Error()
}

// disturb makes the rest of the process do what it would do in a real one, and fails the test if it is kept from it: one
// goroutine collects garbage all the time, another ticks.
func disturb(t *testing.T) {
	stop := make(chan struct{})
	var done sync.WaitGroup
	var ticks, collections atomic.Int64
	done.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				goruntime.GC()
				collections.Add(1)
				time.Sleep(5 * time.Millisecond)
			}
		}
	})
	done.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
				ticks.Add(1)
			}
		}
	})
	t.Cleanup(func() {
		close(stop)
		done.Wait()
		require.GreaterOrEqual(t, ticks.Load(), int64(3), "the rest of the process was kept from running")
		require.GreaterOrEqual(t, collections.Load(), int64(3), "garbage collections were kept from ending")
	})
}

// healthy checks that the engine still works.
func healthy(t *testing.T) {
	t.Helper()
	require.Equal(t, "[3,1,2]", run(t, `return JSON.stringify([3, 1, 2].map((x) => x))`).Text)
}

func TestHostileScriptsAreStopped(t *testing.T) {
	disturb(t)
	for _, test := range hostileScripts {
		t.Run(test.script, func(t *testing.T) {
			limits := sandbox.Limits{Time: 250 * time.Millisecond}
			if !strings.Contains(test.want, byTime) {
				limits.Time = patience // it ends by itself, but not always fast
			}
			result, err := tryRun(t, test.script, sandbox.RunOptions{Limits: limits})
			ended := endedAs(err)
			require.Contains(t, strings.Split(test.want, "|"), ended, "%v", err)
			if ended == byTime {
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.ErrorContains(t, err, "time limit")
			}
			if ended == byMemory {
				require.ErrorContains(t, err, "64 MiB")
			}
			require.Empty(t, result.Text)
			healthy(t)
		})
	}
}

func TestRecursion(t *testing.T) {
	t.Run("of 4000 frames works", func(t *testing.T) {
		require.Equal(t, "4000", run(t, `function g(n) { return n ? g(n - 1) + 1 : 0 } return g(4000)`).Text)
	})
	t.Run("without end is a RangeError that can be caught, and everything works after it", func(t *testing.T) {
		require.Equal(t, "RangeError: Maximum call stack size exceeded,4000,[1,2],abc", run(t, `
			function r() { return r() + 1 }
			function g(n) { return n ? g(n - 1) + 1 : 0 }
			let caught;
			for (let i = 0; i < 20; i++) try { r() } catch (e) { caught = e.name + ': ' + e.message; if (!(e instanceof RangeError)) return e }
			return [caught, g(4000), JSON.stringify([2, 1].sort()), 'ABC'.replace(/[A-Z]/g, (c) => c.toLowerCase())].join()`).Text)
	})
}

func TestStoppingFromOutside(t *testing.T) {
	t.Run("by the context", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("changed my mind")
		time.AfterFunc(50*time.Millisecond, func() { cancel(cause) })
		_, err := engine.Run(ctx, `for (;;);`, nil)
		require.ErrorIs(t, err, cause)
		require.False(t, sandbox.IsScriptFailure(err))
	})
	t.Run("by the context, while it waits for a timer", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		_, err := engine.Run(ctx, `await new Promise((r) => setTimeout(r, 1e9))`, nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		var stopped *sandbox.StoppedError
		require.ErrorAs(t, err, &stopped, "the time limit of the run is not the context's")
	})
	t.Run("by a context that has ended before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := engine.Run(ctx, `return 1`, nil)
		require.ErrorIs(t, err, context.Canceled)
	})
}

func TestCatchingAMemoryErrorIsAllowed(t *testing.T) {
	require.Equal(t, "caught", run(t, `try { new ArrayBuffer(1e9) } catch (e) { return 'caught' }`).Text)
}

func TestGarbageInCyclesIsCollected(t *testing.T) {
	// Each turn leaves what only the cycle collector finds: many times what the run may have.
	for _, memory := range []int64{sandbox.MinMemory, 8 << 20, sandbox.DefaultMemory} {
		for _, script := range []string{
			`for (let i = 0; i < 2500; i++) { const o = {b: new ArrayBuffer(memory / 64)}; o.self = o; }`,
			`for (let i = 0; i < memory / 100; i++) { const o = [i]; o.push(o); }`,
		} {
			options := sandbox.RunOptions{Limits: sandbox.Limits{Memory: memory}, Globals: map[string]any{"memory": memory}}
			require.Equal(t, "done", run(t, script+` return 'done'`, options).Text, "%d: %s", memory, script)
		}
	}
}

func TestConcurrentRuns(t *testing.T) {
	disturb(t)
	good := []struct{ script, want string }{
		{`let n = 0; for (let i = 0; i < 1e4; i++) n += i; return n`, "49995000"},
		{`return [5, 3, 9].sort().join()`, "3,5,9"},
		{`await new Promise((r) => setTimeout(r, 5)); return 'waited'`, "waited"},
		{`return JSON.stringify(Array.from({length: 50}, (_, i) => ({i}))).length`, "441"},
		{`const m = new Map(); for (let i = 0; i < 1000; i++) m.set('k' + i, i); return m.get('k999')`, "999"},
	}
	hostile := []struct{ script, want string }{
		{`for (;;) {}`, byTime},
		{`const a = []; for (;;) a.push(new ArrayBuffer(1e6))`, byMemory},
		{`function r() { r() } r()`, byError},
		{`/^(a+)+$/.test('a'.repeat(40) + 'b')`, byTime},
		{`for (;;) await 0`, byTime},
	}
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			if i%5 == 0 {
				test := hostile[rand.IntN(len(hostile))]
				_, err := tryRun(t, test.script, sandbox.RunOptions{Limits: sandbox.Limits{Time: 200 * time.Millisecond, Memory: 16 << 20}})
				if ended := endedAs(err); ended != test.want && ended != byTime { // on a busy machine, time may be up first
					t.Errorf("%s: %s", test.script, ended)
				}
				return
			}
			test := good[rand.IntN(len(good))]
			result, err := tryRun(t, test.script)
			if err != nil || result.Text != test.want {
				t.Errorf("%s: %q, %v", test.script, result.Text, err)
			}
		})
	}
	wg.Wait()
}
