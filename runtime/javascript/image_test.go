package javascript

import (
	"bytes"
	"context"
	"fmt"
	goruntime "runtime"
	"sync"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/guest/quickjs"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// cachedEngine starts an engine for one test.
func cachedEngine(t testing.TB, options sandbox.EngineOptions) *testEngine {
	engine, err := newTestEngine(options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, engine.Close(context.Background())) })
	return engine
}

// snapshot is what a sandbox has before a run begins in it.
type snapshot struct {
	at      *instance
	memory  []byte
	vm      quickjs.State
	session session
}

// nextSandbox looks at the sandbox that the next run will get.
func nextSandbox(t testing.TB, e *testEngine) snapshot {
	r := e.begin(t, RunOptions{})
	defer r.End()
	started, err := r.Start(nil)
	require.NoError(t, err)
	in := started.Driver().(*instance)
	memory, ok := in.Module().Memory().Read(0, in.Module().Memory().Size())
	require.True(t, ok)
	return snapshot{in, bytes.Clone(memory), in.VM.State(), in.session}
}

// leftOvers are scripts that leave as much as they can in their sandbox, and whether the sandbox can be used again.
var leftOvers = []struct {
	name, script string
	reused       bool
}{
	{"nothing", `return 1`, true},
	{"strings and bytes all over the memory", `
		globalThis.kept = [];
		for (let i = 0; i < 150; i++) kept.push('SECRET'.repeat(300) + i, new Uint8Array(5000).fill(0x53));
		console.log('SECRET'.repeat(100))`, true},
	{"freed memory", `for (let i = 0; i < 300; i++) new Uint8Array(1e5).fill(0x53)`, true},
	{
		"a deep stack",
		`function r(n) { const secret = 'SECRET' + n; return n > 0 ? r(n - 1) + secret.length : 0 }; return r(3000)`,
		true,
	},
	{"an overflown stack", `function r() { r() } try { r() } catch {}`, true},
	{"changed prototypes", `
		Array.prototype.map = Object.prototype.toString = Promise.prototype.then = () => 'SECRET';
		Object.defineProperty(Object.prototype, 'SECRET', {set() {}, configurable: false});
		JSON.stringify = Math.random = Date.now = fs.readFileSync = undefined; Object.freeze(Array.prototype)`, true},
	{"an exception", `throw new Error('SECRET')`, true},
	{"an exception that cannot be shown", `throw {get message() { throw this }, toString() { throw this }}`, true},
	{"a syntax error", `let secret = 'SECRET' }`, true},
	{"a promise that never settles", `globalThis.p = new Promise(() => {}); await p`, true},
	{"rejections that nobody handles", `for (let i = 0; i < 2000; i++) Promise.reject('SECRET' + i)`, false},
	{"timers that are pending at a throw",
		`setInterval(() => console.log('SECRET'), 1); setTimeout(() => {}, 1e6);
			await new Promise(r => setTimeout(r, 5)); throw 1`,
		true},
	{"calls that are pending at a throw", `for (let i = 0; i < 10; i++) later('SECRET' + i); throw 1`, true},
	{"a stack trace hook", `Error.prepareStackTrace = () => 'SECRET'; throw new Error('x')`, true},
	{"a line that has not ended", `process.stdout.write('SECRET')`, true},
	{"a module", `import * as self from '/module.mjs'; export default self.secret`, true},
	{"a module that is not there", `await import('/missing.mjs')`, true},
	{"modules that fail in a cycle", `await import('/cycle.mjs')`, true},
	{
		"garbage for finalizers",
		`const r = new FinalizationRegistry(() => console.log('SECRET'));
			for (let i = 0; i < 1000; i++) r.register({}, i)`,
		true,
	},
	{"eval and functions", `return new Function('return "SECRET"')() + (0, eval)('var secret = "SECRET"; secret')`,
		true},
	{"more memory than there was", `globalThis.a = new Uint8Array(8e6).fill(0x53)`, true},
	{"memory over its limit", `const a = []; for (;;) a.push(new Uint8Array(1e6).fill(0x53))`, false},
	{"an endless loop", `for (;;);`, false},
	{"more arguments than the stack has room for",
		`const many = []; many.length = 60000; try { ((...a) => a)(...many, ...many, ...many) } catch {}`, true},
	{"an exit", `process.exit(3)`, false},
	{"a halt", `halt('SECRET')`, false},
	{
		"brackets in brackets",
		`for (const b of '[(') { const s = b.repeat(3000); try { JSON.parse(s) } catch {}
			; try { new RegExp(s) } catch {} }`,
		true,
	},
}

func leftOverOptions(release <-chan struct{}) *RunOptions {
	files := afero.NewMemMapFs()
	for name, text := range map[string]string{
		"/module.mjs": `export const secret = 'SECRET'`,
		"/cycle.mjs":  `import '/cycle2.mjs'; export const a = 1`,
		"/cycle2.mjs": `import {missing} from '/cycle.mjs'`,
	} {
		if err := afero.WriteFile(files, name, []byte(text), 0o600); err != nil {
			panic(err)
		}
	}
	return &RunOptions{
		Files:  files,
		Limits: sandbox.Limits{Time: patient, Memory: 16 << 20, Work: 20_000_000},
		Functions: []Function{{Name: "later", Async: true, Call: func(ctx context.Context, _ []any) (any, error) {
			<-release
			return "SECRET", nil
		}}},
	}
}

// TestNothingIsLeftInMemory compares, byte by byte, the memory of a sandbox that has been used with that of one that
// has not.
func TestNothingIsLeftInMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	for _, test := range leftOvers {
		t.Run(test.name, func(t *testing.T) {
			engine := cachedEngine(t, sandbox.EngineOptions{MaxIdle: 1})
			fresh := nextSandbox(t, engine)
			require.False(t, bytes.Contains(fresh.memory, []byte("SECRET")))
			release := make(chan struct{})
			defer close(release)
			_, err := engine.Run(t.Context(), test.script, leftOverOptions(release))
			require.True(t, err == nil || IsScriptFailure(err), "%v", err)
			after := nextSandbox(t, engine)
			require.Equal(t, test.reused, fresh.at == after.at)
			require.True(t, bytes.Equal(fresh.memory, after.memory), "something is left in memory")
			require.Equal(t, fresh.vm, after.vm)
			require.Equal(t, session{}, after.session)
		})
	}
}

// patient is the time limit of scripts that are expected to end by themselves, however busy the machine is.
const patient = 5 * time.Minute

// TestWhatWasLeftHasNoEffect runs a script after each of those that leave something, in the same sandbox where it is
// used again.
func TestWhatWasLeftHasNoEffect(t *testing.T) {
	const probe = `
		await new Promise(r => setTimeout(r, 1));
		if (typeof SECRET !== 'undefined' || ({}).SECRET !== undefined) throw 'a property is left';
		try { await later('x') } catch (e) { throw 'the call failed: ' + e }
		return [JSON.stringify([1].map(x => x + 1)), +setTimeout(() => {}, 1), typeof kept, performance.now() < 10e3,
			new Error('e').stack.includes('probe.js'), Object.keys(globalThis).length,
				module.exports === exports].join()`
	engine := cachedEngine(t, sandbox.EngineOptions{MaxIdle: 1})
	options := leftOverOptions(nil)
	options.Name, options.Limits.Time = "probe.js", patient
	calls := 0
	options.Functions[0].Call = func(context.Context, []any) (any, error) { calls++; return "mine", nil }
	first, err := engine.Run(t.Context(), probe, options)
	require.NoError(t, err)
	for _, test := range leftOvers {
		t.Run(test.name, func(t *testing.T) {
			release := make(chan struct{})
			_, err := engine.Run(t.Context(), test.script, leftOverOptions(release))
			require.True(t, err == nil || IsScriptFailure(err), "%v", err)
			close(release) // the calls of that run end while the next one goes on
			before := calls
			result, err := engine.Run(t.Context(), probe, options)
			require.NoError(t, err)
			require.Equal(t, first.Text, result.Text)
			require.Empty(t, result.Console)
			require.Equal(t, before+1, calls)
			require.Equal(t, first.Usage.Memory, result.Usage.Memory)
		})
	}
}

// TestDescriptorsAreOpenAgain closes the standard streams of a sandbox, by the engine's own modules.
func TestDescriptorsAreOpenAgain(t *testing.T) {
	engine := cachedEngine(t, sandbox.EngineOptions{MaxIdle: 1})
	before := nextSandbox(t, engine).at
	options := WithEngineModules(RunOptions{})
	_, err := engine.Run(t.Context(), `const os = await import('qjs:os'); for (let i = 0; i < 10; i++) os.close(i)`,
		&options)
	require.NoError(t, err)
	for range 2 {
		result, err := engine.Run(t.Context(),
			`const std = await import('qjs:std'); std.out.puts('one');
				std.out.flush(); std.err.puts('two'); std.err.flush()`,
			&options)
		require.NoError(t, err)
		require.Equal(t, []sandbox.Entry{
			{Level: sandbox.LevelLog, Unfinished: true, Text: "one"}, {Level: sandbox.LevelError, Unfinished: true,
				Text: "two"},
		}, result.Console)
	}
	require.Same(t, before, nextSandbox(t, engine).at, "all in the same sandbox")
}

// TestWorkIsTheSameInEachSandbox runs a script in new sandboxes and used ones.
func TestWorkIsTheSameInEachSandbox(t *testing.T) {
	engine := cachedEngine(t, sandbox.EngineOptions{MaxIdle: 2})
	work := map[int64]int{}
	for i := range 12 {
		result, err := engine.Run(t.Context(), `let s = 0; for (let i = 0; i < 50000; i++) s += i; return s`, nil)
		require.NoError(t, err)
		work[result.Usage.Work]++
		switch i % 3 {
		case 1:
			_, err = engine.Run(t.Context(), `for (;;);`, &RunOptions{Limits: sandbox.Limits{Work: 100_000}})
			require.Error(t, err)
		case 2: // take both, so that the next run gets a new one
			defer holdSandbox(t, engine)()
			defer holdSandbox(t, engine)()
		}
	}
	require.Len(t, work, 1, "%v", work)
}

// holdSandbox takes the next sandbox, until release is called.
func holdSandbox(t testing.TB, e *testEngine) (release func()) {
	r := e.begin(t, RunOptions{})
	_, err := r.Start(nil)
	require.NoError(t, err)
	return r.End
}

func TestSandboxes(t *testing.T) {
	t.Run("have any limit", func(t *testing.T) {
		engine := cachedEngine(t, sandbox.EngineOptions{})
		for _, limit := range []int64{sandbox.MinMemory, 200 << 20, sandbox.DefaultMemory, sandbox.MaxMemory,
			sandbox.MinMemory} {
			half := fmt.Sprintf(`return new Uint8Array(%d).length`, limit/3)
			result, err := engine.Run(t.Context(), half, &RunOptions{Limits: sandbox.Limits{Memory: limit}})
			require.NoError(t, err)
			require.EqualValues(t, limit/3, result.Value)
			_, err = engine.Run(t.Context(), fmt.Sprintf(`new Uint8Array(%d)`, limit),
				&RunOptions{Limits: sandbox.Limits{Memory: limit}})
			require.True(t, err != nil && IsScriptFailure(err), "%v", err)
		}
	})
	t.Run("keep no native stacks that have grown large", func(t *testing.T) {
		engine := cachedEngine(t, sandbox.EngineOptions{})
		const deep = `function r() { r() } try { r() } catch {}; let s = '['.repeat(4000) + ']'.repeat(4000);
			for (let i = 0; i < 5; i++) { JSON.parse(s); [1].sort(() => { try { r() } catch {} return 0 }) }`
		heap := func() int64 {
			goruntime.GC()
			var stats goruntime.MemStats
			goruntime.ReadMemStats(&stats)
			return int64(stats.HeapAlloc)
		}
		before := heap()
		var runs sync.WaitGroup
		for range 8 {
			runs.Go(func() {
				_, err := engine.Run(context.Background(), deep, nil)
				require.NoError(t, err)
			})
		}
		runs.Wait()
		idle := engine.engine.Stats().Idle
		require.Positive(t, idle)
		require.Less(t, heap()-before, int64(idle)*(1<<20))
	})
}
