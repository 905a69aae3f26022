package javascript_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/enginetest"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// A step is a script of a session, and its result or the text of its error.
type step struct{ script, want string }

func TestSessions(t *testing.T) {
	for name, steps := range map[string][]step{
		"variables stay": {
			{`let n = 1; const list = [1, 2]; var v = 'v'; function inc() { return ++n } class C { x = n }`,
				"undefined"},
			{`inc(); list.push(3); return [n, list.length, v, new C().x]`, "[\n  2,\n  3,\n  \"v\",\n  2\n]"},
			{`return inc()`, "3"},
		},
		"a later declaration takes the place of an earlier one": {
			{`const a = 1; let b = 1; var c = 1; function d() { return 1 } class E { static n = 1 }`, "undefined"},
			{`const a = 2; const b = 2; const c = 2; const d = () => 2;
				const E = { n: 2 }; return a + b + c + d() + E.n`,
				"10"},
			{`var a = 3; function b() { return 3 } let c = 3; class d { static n = 3 }
				var E = { n: 3 }; return a + b() + c + d.n + E.n`,
				"15"},
		},
		"waiting at the top level": {
			{`const x = await Promise.resolve(5); for await (const y of [6]) globalThis.y = y`, "undefined"},
			{`return x + y`, "11"},
		},
		"a return ends it early": {
			{`let x = 1; if (x) return 'early'; x = 2`, "early"},
			{`return x`, "1"},
		},
		"types": {
			{`interface P { x: number } const p: P = { x: 1 }; enum Color { Red = 7 }`, "undefined"},
			{`const q: P = { x: p.x + Color.Red }; return q.x`, "8"},
		},
		"imports": {
			{`import { join } from 'node:path'; import * as util from 'util'; export const n = join('a', 'b')`,
				"undefined"},
			{`return join(n, util.format('%d', 1))`, "a/b/1"},
		},
		"required modules stay": {
			{`const { EventEmitter } = require('events'); const e = new EventEmitter();
				e.on('x', (v) => { last = v }); var last`,
				"undefined"},
			{`e.emit('x', 5); return last`, "5"},
		},
		"generators, closures and collections": {
			{`function* g() { yield 1; yield 2; } const it = g(); it.next();
				const m = new Map([[it, new Set([1])]]); const t = new Uint8Array([1, 2])`,
				"undefined"},
			{`m.get(it).add(2); return [it.next().value, m.get(it).size, t[1]].join()`, "2,2,2"},
			{`return it.next().done`, "true"},
		},
		"a promise that settles later": {
			{`let done; const later = new Promise((resolve) => { done = resolve })`, "undefined"},
			{`done('ok'); return await later`, "ok"},
		},
		"results of CommonJS": {
			{`module.exports = { a: 1 }`, "{\n  \"a\": 1\n}"},
			{`1`, "undefined"},
		},
		"classes with private fields": {
			{`class Counter { #n = 0; inc() { return ++this.#n } } const c = new Counter(); c.inc()`, "undefined"},
			{`return c.inc()`, "2"},
		},
		"sloppy code": {
			{`x = 5; with ({ y: 1 }) { var z = y }`, "undefined"},
			{`return x + z`, "6"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var state *sandbox.State
			for _, s := range steps {
				result, err := tryRun(t, s.script, javascript.RunOptions{Session: true, State: state})
				require.NoError(t, err, s.script)
				require.Equal(t, s.want, result.Text, s.script)
				require.NotNil(t, result.State)
				state = result.State
			}
		})
	}
}

func session(t *testing.T, state *sandbox.State, script string, options ...javascript.RunOptions) (*javascript.Result,
	error) {
	o := javascript.RunOptions{}
	if len(options) > 0 {
		o = options[0]
	}
	o.Session, o.State = true, state
	return tryRun(t, script, o)
}

func TestSessionsKeepNothingOfFailures(t *testing.T) {
	t.Parallel()
	begun, err := session(t, nil, `let n = 1`)
	require.NoError(t, err)
	for name, c := range map[string]step{
		"thrown":        {`n = 2; throw new Error('no')`, "Error: no"},
		"syntax":        {`n = 2; let = ;`, "SyntaxError"},
		"unfinished":    {`n = 2; if (n) {`, "SyntaxError"},
		"uncaught":      {`n = 2; Promise.reject(new Error('later'))`, "later"},
		"exit":          {`n = 2; process.exit(3)`, "3"},
		"waits":         {`n = 2; await new Promise(() => {})`, "never"},
		"too much work": {`n = 2; for (;;) ;`, "work limit"},
	} {
		t.Run(name, func(t *testing.T) {
			result, err := session(t, begun.State, c.script,
				javascript.RunOptions{Limits: sandbox.Limits{Work: 100_000_000}})
			require.ErrorContains(t, err, c.want)
			require.Nil(t, result.State)
			result, err = session(t, begun.State, `return n`)
			require.NoError(t, err)
			require.Equal(t, "1", result.Text)
		})
	}
	result, err := session(t, begun.State, `n = 2; process.exit(0)`)
	require.NoError(t, err)
	require.Nil(t, result.State, "the script was stopped in the middle")
}

func TestSessionsHaveTheFunctionsOfTheirScripts(t *testing.T) {
	give := func(names ...string) javascript.RunOptions {
		o := javascript.RunOptions{}
		for _, name := range names {
			o.Functions = append(o.Functions, javascript.Function{
				Name: name, Async: true,
				Call: func(context.Context, []any) (any, error) { return "I am " + name, nil },
			})
		}
		return o
	}
	first, err := session(t, nil, `const b = tools.b; return await b()`, give("tools.a", "tools.b"))
	require.NoError(t, err)
	require.Equal(t, "I am tools.b", first.Text)
	second, err := session(t, first.State, `return [await tools.c(), await b(), await tools.b()].join()`,
		give("tools.c", "tools.b"))
	require.NoError(t, err)
	require.Equal(t, "I am tools.c,I am tools.b,I am tools.b", second.Text)
	third, err := session(t, second.State, `try { return await b() } catch (e) { return e.message }`, give("tools.c"))
	require.NoError(t, err)
	require.Equal(t, "tools.b is not there any more", third.Text)
	fourth, err := session(t, third.State, `return [b === tools.b, await b()].join()`, give("tools.b"))
	require.NoError(t, err)
	require.Equal(t, "true,I am tools.b", fourth.Text)
}

func TestSessionsKnowTheirScripts(t *testing.T) {
	first, err := session(t, nil, "const user = { name: 'x' };\nfunction fail() {\n  return user.address.street }")
	require.NoError(t, err)
	_, err = session(t, first.State, "\n\n  fail()")
	var script *javascript.ScriptError
	require.ErrorAs(t, err, &script)
	require.Equal(t, "Cannot read properties of undefined (reading 'street')", script.Message)
	require.Contains(t, script.Stack, "script.js:3:3")
	require.Contains(t, script.Stack, "script-2.js:3:3")
	second, err := session(t, first.State, "const typed = (s: string): void => { s.missing() }")
	require.NoError(t, err)
	_, err = session(t, second.State, "typed('')")
	require.ErrorAs(t, err, &script)
	require.Equal(t, "s.missing is not a function", script.Message)
	require.Contains(t, script.Stack, "script-2.js:1:40")
	_, err = session(t, second.State, "let x = ;")
	require.ErrorAs(t, err, &script)
	require.Equal(t, "script-3.js", script.File)
}

func TestSessionsGoOnInOtherProcesses(t *testing.T) {
	key := []byte("0123456789abcdef")
	result, err := session(t, nil,
		`const big = 'x'.repeat(1e6); let timer = 0; setTimeout(() => timer++, 1);
			class K { v = new Map([['k', [1n, /r/g]]]) }; const k = new K`)
	require.NoError(t, err)
	sealed, err := result.State.Seal(key, 0)
	require.NoError(t, err)
	t.Log(len(sealed), "bytes,", result.State.Bytes(), "of memory")
	require.NoError(t, start(t.Context(), &sandbox.EngineOptions{CacheDir: enginetest.CacheDir()},
		func(other *javascript.Interpreter) {
			state, err := other.OpenState(sealed, key, sandbox.DefaultMemory)
			require.NoError(t, err)
			for range 2 { // a state can be used more than once
				result, err := other.Run(t.Context(),
					`return [big.length, timer, k instanceof K, k.v.get('k')[0],
						'rr'.replace(k.v.get('k')[1], 's')].join()`,
					&javascript.RunOptions{Session: true, State: state})
				require.NoError(t, err)
				require.Equal(t, "1000000,1,true,1,ss", result.Text)
			}
		}))
}

func TestStatesThatCannotBeUsed(t *testing.T) {
	key := []byte("0123456789abcdef")
	result, err := session(t, nil, `let n = 1`)
	require.NoError(t, err)
	sealed, err := result.State.Seal(key, 0)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		sealed, key []byte
		memory      int64
		want        string
	}{
		"nothing": {nil, key, sandbox.DefaultMemory, "it is no state"},
		"another text": {[]byte("toolrun state 9\n" + string(sealed[16:])), key, sandbox.DefaultMemory,
			"a newer version of toolrun made it than this one, which is "},
		"changed": {append(sealed[:len(sealed)-1:len(sealed)-1], sealed[len(sealed)-1]^1), key,
			sandbox.DefaultMemory, "changed"},
		"cut off":     {sealed[:len(sealed)-1], key, sandbox.DefaultMemory, "changed"},
		"another key": {sealed, []byte("0123456789abcdeF"), sandbox.DefaultMemory, "another key"},
		"too large":   {sealed, key, 1 << 20, "memory"},
	} {
		_, err := engine.OpenState(c.sealed, c.key, c.memory)
		var refused *sandbox.StateError
		require.ErrorAs(t, err, &refused, name)
		require.ErrorContains(t, err, c.want, name)
	}
	_, err = engine.OpenState(sealed, key[:8], sandbox.DefaultMemory)
	require.ErrorContains(t, err, "16 bytes")
	_, err = result.State.Seal(key, 1000)
	var refused *sandbox.StateError
	require.ErrorAs(t, err, &refused)
	require.ErrorContains(t, err, "keep less data in variables")
}

// A state is compressed in parts, and those that are as in the state before are not compressed again. Whatever a script
// has changed, the state that is opened again is the one that was sealed.
func TestStatesAreSealedInParts(t *testing.T) {
	t.Parallel()
	key := []byte("0123456789abcdef")
	result, err := session(t, nil, `const data = new Uint8Array(3_000_000), list = [];
		new Uint32Array(data.buffer).forEach((_, i, words) => { words[i] = i * i * 40503 })
		const sum = () => require('crypto').createHash('sha256').update(data).digest('hex') + ' ' + list.length`)
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	for step := range 12 {
		state := result.State
		var group sync.WaitGroup
		sealed := make([][]byte, 2+random.IntN(2))
		for n := range sealed { // by several at once
			group.Go(func() { sealed[n], _ = state.Seal(key, 0) })
		}
		group.Wait()
		for _, one := range sealed {
			require.Equal(t, sealed[0], one)
		}
		opened, err := engine.OpenState(sealed[0], key, sandbox.DefaultMemory)
		require.NoError(t, err)
		want, err := session(t, state, `return sum()`)
		require.NoError(t, err)
		got, err := session(t, opened, `return sum()`)
		require.NoError(t, err)
		require.Equal(t, want.Text, got.Text)
		if result = want; step%3 == 2 { // which has not been sealed, or goes on from one that has no parts
			result = got
		}
		at, size := random.IntN(2_000_000), []int{0, 1, 1000, 900_000}[step%4]
		result, err = session(t, result.State,
			fmt.Sprintf(
				`for (let i = %d; i < %d; i++) data[i]++; while (list.length < %d) list.push({ n: list.length })`,
				at, at+size, random.IntN(3000)))
		require.NoError(t, err)
	}
}

// Scripts that declare nothing leave nothing behind: the state is as large after hundreds of them as after a few.
func TestSessionsDoNotGrow(t *testing.T) {
	key := []byte("0123456789abcdef")
	size := func(state *sandbox.State) int {
		sealed, err := state.Seal(key, 0)
		require.NoError(t, err)
		return len(sealed)
	}
	functions := []javascript.Function{
		{Name: "now", Call: func(context.Context, []any) (any, error) { return "y", nil }},
		{Name: "later", Async: true, Call: func(context.Context, []any) (any, error) { return "y", nil }},
	}
	for name, script := range map[string]string{
		"a result":        `return 1`,
		"the console":     `console.log('x', { a: 1 })`,
		"waiting":         `await 1; return 2`,
		"calls":           `return now('x') + await later('y')`,
		"exceptions":      `try { null.x } catch (e) { console.log(e.stack) }`,
		"async functions": `const f = async () => { await 1; return 2 }; return await f()`,
		"imports":         `import fs from 'fs'; fs.existsSync('/x'); await import('path')`,
		"types":           `const x: number = 1; enum E { A }`,
		"iterators":       `const p = new Proxy({}, {}); for await (const x of [1, 2]);`,
		"classes of the web": `structuredClone({ a: [1] }); new URL('http://a/b?c');
			crypto.randomUUID(); queueMicrotask(() => {})`,
		"CommonJS":          `exports.x = 1`,
		"garbage in cycles": `for (let i = 0; i < 100; i++) { const a = {}; a.a = a }`,
		"timers":            `await new Promise((resolve) => setTimeout(resolve, 0))`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var state *sandbox.State
			first := 0
			for i := range 60 {
				result, err := engine.Run(t.Context(), script, &javascript.RunOptions{Session: true, State: state,
					Functions: functions})
				require.NoError(t, err)
				if state = result.State; i == 10 {
					first = size(state)
				}
			}
			if name == "garbage in cycles" || name == "timers" { // which is collected now and then
				require.LessOrEqual(t, state.Bytes(), int64(1<<20))
			} else {
				require.LessOrEqual(t, size(state), first+4<<10)
			}
		})
	}
}

func TestVariablesOfSessions(t *testing.T) {
	t.Parallel()
	state, before := (*sandbox.State)(nil), 0
	for _, script := range []string{
		`let n = 1, text = 'a\n' + 'x'.repeat(100), late; const list = [1, 2];
			var old = null; function f() {} class C {} const map = new Map([[1, 2]])`,
		`import { join } from 'path'; n = -0; const big = 10n ** 20n, date = new Date(0),
			symbol = Symbol('s'), bytes = new Uint8Array(3), plain = { a: 1 }
		Object.defineProperty(globalThis, 'trap', { get() { throw new Error('no') } });
			const proxy = new Proxy({}, { get() { for (;;); } }); globalThis.added = true`,
	} {
		options := javascript.RunOptions{Functions: []javascript.Function{{Name: "tools.a", Call: func(context.Context,
			[]any) (any, error) {
			return nil, nil
		}}}}
		result, err := session(t, state, script, options)
		require.NoError(t, err)
		state = result.State
		variables, err := engine.Variables(t.Context(), state, sandbox.Limits{Work: 100_000_000})
		if before++; before == 2 {
			require.ErrorContains(t, err, "work limit", "looking at a variable can run its code")
			break
		}
		require.NoError(t, err)
		require.Equal(t, []sandbox.Variable{
			{Name: "C", Value: "class"}, {Name: "f", Value: "function"}, {Name: "late", Value: "undefined"},
			{Name: "list", Value: "Array(2)"},
			{Name: "map", Value: "Map(1)"}, {Name: "n", Value: "1"}, {Name: "old", Value: "null"},
			{Name: "text", Value: `"a\n` + strings.Repeat("x", 58) + `…"`},
		}, variables)
	}
	result, err := session(t, state, `const proxy = 1`)
	require.NoError(t, err)
	variables, err := engine.Variables(t.Context(), result.State, sandbox.Limits{})
	require.NoError(t, err)
	require.Subset(t, variables, []sandbox.Variable{
		{Name: "added", Value: "true"}, {Name: "big", Value: "100000000000000000000n"},
		{Name: "bytes", Value: "Uint8Array(3)"}, {Name: "date", Value: "Date"},
		{Name: "join", Value: "function"}, {Name: "n", Value: "-0"}, {Name: "plain", Value: "Object"},
		{Name: "proxy", Value: "1"},
		{Name: "symbol", Value: "Symbol(s)"}, {Name: "trap", Value: "accessor"},
	})
	require.Len(t, variables, 17)
	again, err := session(t, result.State, `return n + typeof describe + typeof tools`)
	require.NoError(t, err)
	require.Equal(t, "0undefinedobject", again.Text, "looking at variables changes none")
}
