package javascript_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// What a hostile script may end with.
const (
	byTime   = "time limit"
	byWork   = "work limit"
	byMemory = "memory limit"
	byError  = "exception" // of the script: it has been refused something
)

// endedAs says in which of the ways a run has ended.
func endedAs(err error) string {
	var limit *sandbox.LimitError
	var script *javascript.ScriptError
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

// TestOthersGetOn has the rest of the process do what it does in a real one, while a script loops: goroutines that wait
// for each other take their turns, and garbage is collected.
func TestOthersGetOn(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	looping := make(chan struct{})
	go func() {
		defer cancel()
		<-looping
		for range 3 {
			goruntime.GC()
			there, back := make(chan int), make(chan int)
			go func() {
				for n := range there {
					back <- n
				}
			}()
			for n := range 100 {
				there <- n
				<-back
			}
			close(there)
		}
	}()
	_, err := engine.Run(ctx, `loops(); for (;;);`, &javascript.RunOptions{
		Limits: sandbox.Limits{Time: patience},
		Functions: []javascript.Function{{Name: "loops", Call: func(context.Context, []any) (any, error) {
			close(looping)
			return nil, nil
		}}},
	})
	require.ErrorIs(t, err, context.Canceled, "the rest of the process was kept from running")
}

// healthy checks that the engine still works.
func healthy(t *testing.T) {
	t.Helper()
	require.Equal(t, "[3,1,2]", run(t, `return JSON.stringify([3, 1, 2].map((x) => x))`).Text)
}

// TestEngineModulesAreStopped is for what only tests can import. What other hostile scripts do is in testdata/hostile.
func TestEngineModulesAreStopped(t *testing.T) {
	for _, script := range []string{
		`(await import('qjs:os')).sleep(1e9)`,
		`const os = await import('qjs:os'); await new Promise((r) => os.setTimeout(r, 1e9))`,
		`const {out} = await import('qjs:std'); for (;;) out.puts('x')`,
	} {
		t.Run(script, func(t *testing.T) {
			result, err := tryRun(t, script,
				javascript.RunOptions{Limits: sandbox.Limits{Time: 20 * time.Millisecond}})
			require.Equal(t, byTime, endedAs(err), "%v", err)
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.ErrorContains(t, err, "time limit")
			require.Empty(t, result.Text)
			healthy(t)
		})
	}
}

func TestMemoryErrorsNameTheLimit(t *testing.T) {
	_, err := tryRun(t, `'x'.repeat(2 ** 30)`)
	require.Equal(t, byMemory, endedAs(err))
	require.ErrorContains(t, err, "64 MiB")
}

func TestRecursion(t *testing.T) {
	t.Parallel()
	t.Run("of 4000 frames works", func(t *testing.T) {
		require.Equal(t, "4000", run(t, `function g(n) { return n ? g(n - 1) + 1 : 0 } return g(4000)`).Text)
	})
	t.Run("without end is a RangeError that can be caught, and everything works after it", func(t *testing.T) {
		require.Equal(t, "RangeError: Maximum call stack size exceeded,4000,[1,2],abc", run(t, `
			function r() { return r() + 1 }
			function g(n) { return n ? g(n - 1) + 1 : 0 }
			let caught;
			for (let i = 0; i < 20; i++) try { r() } catch (e) {
				caught = e.name + ': ' + e.message; if (!(e instanceof RangeError)) return e }
			return [caught, g(4000), JSON.stringify([2, 1].sort()),
				'ABC'.replace(/[A-Z]/g, (c) => c.toLowerCase())].join()`).Text)
	})
}

func TestStoppingFromOutside(t *testing.T) {
	t.Run("by the context", func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("changed my mind")
		stop := javascript.Function{Name: "stop", Call: func(context.Context, []any) (any, error) {
			cancel(cause)
			return nil, nil
		}}
		_, err := engine.Run(ctx, `stop(); for (;;);`, &javascript.RunOptions{Functions: []javascript.Function{stop}})
		require.ErrorIs(t, err, cause)
		require.False(t, javascript.IsScriptFailure(err))
	})
	t.Run("by the context, while it waits for a timer", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
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

// TestTheFirstReasonCounts has two reasons for the end of a run, one shortly after the other.
func TestTheFirstReasonCounts(t *testing.T) {
	t.Run("a limit, and a host that gives the run up and closes the engine then", func(t *testing.T) {
		for range 2 {
			one := enginetest.New(sandbox.EngineOptions{})
			ctx, cancel := context.WithCancel(t.Context())
			closed := make(chan error)
			wait := javascript.Function{Name: "wait", Call: func(ofRun context.Context, _ []any) (any, error) {
				<-ofRun.Done()
				cancel()
				go func() { closed <- one.Close(context.Background()) }()
				return nil, nil
			}}
			_, err := one.Run(ctx, `wait()`, &javascript.RunOptions{
				Functions: []javascript.Function{wait}, Limits: sandbox.Limits{Time: 10 * time.Millisecond},
			})
			require.Equal(t, byTime, endedAs(err))
			if ctx.Err() == nil { // on a very busy machine, time is up before the call
				cancel()
				require.NoError(t, one.Close(t.Context()))
				continue
			}
			require.NoError(t, <-closed)
		}
	})
	t.Run("the end of the context's time, and of the run's", func(t *testing.T) {
		const limit = 5 * time.Millisecond
		for range 20 {
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			_, err := engine.Run(ctx, `for (;;);`, &javascript.RunOptions{Limits: sandbox.Limits{Time: limit}})
			cancel()
			_, stopped := errors.AsType[*sandbox.StoppedError](err)
			require.True(t, stopped, "%v", err)
		}
	})
}

// A script can catch that one thing is too large for any memory that it may have, but not that its memory is used up:
// the engine would go on without what it could not have, such as the jobs of promises.
func TestCatchingMemoryErrors(t *testing.T) {
	t.Parallel()
	for _, script := range []string{`new ArrayBuffer(1e9)`, `'abc'.repeat(1e8)`} {
		require.Equal(t, "caught", run(t, `try { `+script+` } catch (e) { return 'caught' }`).Text, script)
	}
	for _, script := range []string{
		`const a = []; for (;;) a.push({})`,
		`const a = []; for (;;) a.push(new ArrayBuffer(1e6))`,
		`let s = 'x'; for (;;) s += s + 1`,
		`const b = new Uint8Array(4e7); for (;;) Promise.resolve().then(() => b)`,
		`const b = new Uint8Array(4e7); b.slice()`,
		`try { new ArrayBuffer(1e9) } catch {} const a = []; for (;;) a.push({})`,
	} {
		_, err := tryRun(t, `for (;;) try { `+script+` } catch {}`)
		require.Equal(t, byMemory, endedAs(err), script)
	}
}

func TestGarbageInCyclesIsCollected(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	// Each turn leaves what only the cycle collector finds: many times what the run may have.
	memories := []int64{sandbox.MinMemory, 8 << 20, sandbox.DefaultMemory}
	if !*soak {
		memories = memories[:2]
	}
	for _, memory := range memories {
		for _, script := range []string{
			`for (let i = 0; i < 2500; i++) { const o = {b: new ArrayBuffer(memory / 64)}; o.self = o; }`,
			`for (let i = 0; i < memory / 100; i++) { const o = [i]; o.push(o); }`,
		} {
			options := javascript.RunOptions{Limits: sandbox.Limits{Memory: memory},
				Globals: map[string]any{"memory": memory}}
			require.Equal(t, "done", run(t, script+` return 'done'`, options).Text, "%d: %s", memory, script)
		}
	}
}

func TestConcurrentRuns(t *testing.T) {
	good := []struct{ script, want string }{
		{`let n = 0; for (let i = 0; i < 1e4; i++) n += i; return n`, "49995000"},
		{`return [5, 3, 9].sort().join()`, "3,5,9"},
		{`await new Promise((r) => setTimeout(r, 5)); return 'waited'`, "waited"},
		{`return JSON.stringify(Array.from({length: 50}, (_, i) => ({i}))).length`, "441"},
		{`const m = new Map(); for (let i = 0; i < 1000; i++) m.set('k' + i, i); return m.get('k999')`, "999"},
	}
	hostile := []struct{ script, want string }{
		{`for (;;) {}`, byWork},
		{`const a = []; for (;;) a.push(new ArrayBuffer(1e6))`, byMemory},
		{`function r() { r() } r()`, byError},
		{`/^(a+)+$/.test('a'.repeat(40) + 'b')`, byWork},
		{`for (;;) await 0`, byWork},
	}
	var wg sync.WaitGroup
	for i := range 100 {
		wg.Go(func() {
			if i%5 == 0 {
				test := hostile[rand.IntN(len(hostile))]
				_, err := tryRun(t, test.script,
					javascript.RunOptions{Limits: sandbox.Limits{Work: 1_000_000, Memory: 16 << 20}})
				if ended := endedAs(err); ended != test.want {
					t.Errorf("%s: %s", test.script, ended)
				}
				return
			}
			if i%50 == 1 {
				goruntime.GC()
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

// Sources that the host would need minutes or gigabytes for, if it read parts of them again and again.
func TestSourcesThatAreHardToRead(t *testing.T) {
	var names strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&names, "a%d,", i)
	}
	for name, script := range map[string]string{
		"slashes that may begin regular expressions": "x={}" + strings.Repeat("/[{}", 100_000) + "]/",
		"imports of names from a long name": "import {" + names.String() + "} from '/" + strings.Repeat("x",
			300_000) + "';\nreturn 1",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tryRun(t, script, javascript.RunOptions{Limits: sandbox.Limits{Work: 3_000_000}})
			require.Error(t, err)
			require.True(t, javascript.IsScriptFailure(err), "%v", err)
		})
	}
}

// A regular expression looks for JSX, which takes time: not in all of what may be long.
func TestJSXFarDown(t *testing.T) {
	for lines, want := range map[int]bool{100: true, 100_000: false} {
		_, err := tryRun(t, strings.Repeat("\n", lines)+"return <b>hi</b>")
		require.Equal(t, want, strings.Contains(err.Error(), "JSX"), "%v", err)
	}
}

// Columns are those of UTF-16 code units, wherever they are.
func TestColumnsInLongLines(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 500, 5000, 50_000} {
		before := "/*" + strings.Repeat("aé€😀", n) + "*/ "
		files := filesWith(t, map[string]string{"/m.js": before + "\n" + before + "throw new Error('x')\n" + before})
		_, err := tryRun(t, "await import('/m.js')", javascript.RunOptions{Files: files})
		e, ok := errors.AsType[*javascript.ScriptError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, []int{2, len("/**/ throw new ") + 1 + 5*n}, []int{e.Line, e.Column}, e.Stack)
	}
}

// The explanation of an error looks for names in the source. One that is empty is everywhere.
func TestErrorsAboutNamesThatAreEmpty(t *testing.T) {
	result := run(t, `
		'use strict';
		const out = new Set(), tried = (f) => { try { f() } catch (e) { out.add(e.message) } };
		const o = Object.freeze({ '': 1, [Symbol('')]: 2, [Symbol()]: 3 });
		tried(() => { o[''] = 2 });
		for (const s of Object.getOwnPropertySymbols(o)) tried(() => { o[s] = 2 });
		tried(() => (0, eval)("'use strict'; Object.freeze({ '': 1 })[''] = 2"));
		tried(new Function("'use strict'; Object.freeze({ [Symbol('')]: 1 })[''] = 2; ''.x.y; (void 0)['']; ''['']()"));
		for (const thing of [undefined, null, '', 0, {}]) {
			tried(() => thing['']()); tried(() => new thing['']()); tried(() => { thing[''].x = 1 });
				tried(() => { const { '': { x } } = thing; return x });
			tried(() => { for (const x of thing['']) return x }); tried(() => [...thing['']]);
				tried(() => '' in thing); tried(() => thing instanceof thing);
		}
		return out.size > 5`)
	require.Equal(t, "true", result.Text)
}
