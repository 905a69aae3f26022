package javascript_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

func TestResults(t *testing.T) {
	for name, test := range map[string]struct {
		script string
		text   string
		value  any
	}{
		"a number":          {`return 6 * 7`, "42", 42.0},
		"nothing":           {``, "undefined", nil},
		"null":              {`return null`, "null", nil},
		"a string, raw":     {`return 'a "b"\n'`, "a \"b\"\n", "a \"b\"\n"},
		"a NUL in a string": {`return 'a\0b'`, "a\x00b", "a\x00b"},
		"a NUL in literals": {"/* \x00 */ const s = 'a\x00b' // \x00\nreturn [s, `${s}\x00`, /\x00/.test(s), " +
			"s.length].join('')", "a\x00ba\x00b\x00true3", "a\x00ba\x00b\x00true3"},
		"a lone surrogate":  {`return 'a\ud800b'`, "a\ufffdb", "a\ufffdb"},
		"text beyond ASCII": {`return 'caf\xe9 ' + '€' + '😀'`, "café €😀", "café €😀"},
		"not a number":      {`return NaN`, "NaN", nil},
		"minus zero":        {`return -0`, "-0", 0.0},
		"a big integer":     {`return 12345678901234567890n`, "12345678901234567890n", "12345678901234567890"},
		"a symbol":          {`return Symbol('x')`, "Symbol(x)", nil},
		"a function":        {`return function f() {}`, "[Function: f]", nil},
		"a class":           {`return class A {}`, "[class: A]", nil},
		"a date":            {`return new Date(0)`, "1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z"},
		"an invalid date":   {`return new Date(NaN)`, "Invalid Date", nil},
		"an array":          {`return [1, 'a', []]`, "[\n  1,\n  \"a\",\n  []\n]", []any{1.0, "a", []any{}}},
		"an object": {`return {a: {b: 1}, c: {}}`, "{\n  \"a\": {\n    \"b\": 1\n  },\n  \"c\": {}\n}",
			map[string]any{"a": map[string]any{"b": 1.0}, "c": map[string]any{}}},
		"undefined in an object": {`return {a: undefined}`, "{\n  \"a\": undefined\n}", map[string]any{}},
		"toJSON":                 {`return {toJSON() { return [1] }}`, "[\n  1\n]", []any{1.0}},
		"a cycle":                {`const a = []; a.push(a); return a`, "[\n  [Circular]\n]", nil},
		"a map": {`return new Map([['k', {a: 1}]])`, "Map(1) {\n  \"k\" => {\n    \"a\": 1\n  }\n}",
			map[string]any{}},
		"a set":                {`return new Set([1])`, "Set(1) {\n  1\n}", map[string]any{}},
		"a regular expression": {`return [/a+/g]`, "[\n  /a+/g\n]", []any{map[string]any{}}},
		"an error in a list":   {`return [new TypeError('x')]`, "[\n  [TypeError: x]\n]", []any{map[string]any{}}},
		"bytes":                {`return new Uint8Array([1, 2])`, "Uint8Array(2) [1, 2]", []byte{1, 2}},
		"a part of a buffer": {`return new Uint8Array([1, 2, 3, 4]).subarray(1, 3)`, "Uint8Array(2) [2, 3]",
			[]byte{2, 3}},
		"an empty buffer": {`return new ArrayBuffer(0)`, "ArrayBuffer(0) []", []byte{}},
		"bytes in data": {`return {a: [new Uint8Array([1]).buffer], b: new Uint8Array([2, 3])}`,
			"{\n  \"a\": [\n    ArrayBuffer(1) [1]\n  ],\n  \"b\": Uint8Array(2) [2, 3]\n}",
			map[string]any{"a": []any{[]byte{1}}, "b": []byte{2, 3}}},
		"a promise's value": {`return Promise.resolve(7)`, "7", 7.0},
		"boxed values":      {`return [new Number(1), new String('s')]`, "[\n  1,\n  \"s\"\n]", []any{1.0, "s"}},
		"a getter that throws": {`return {get a() { throw new Error('no') }}`,
			"[a value that cannot be shown: Error: no]", nil},
		"a revoked proxy": {`const {proxy, revoke} = Proxy.revocable({}, {}); revoke(); return [proxy]`,
			"[a value that cannot be shown: TypeError: Cannot perform an operation on a proxy that has been revoked]",
			nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := run(t, test.script)
			require.Equal(t, test.text, result.Text)
			require.Equal(t, test.value, result.Value)
			require.Empty(t, result.Console)
		})
	}
}

func TestScriptErrors(t *testing.T) {
	for name, test := range map[string]struct {
		script       string
		name         string
		line, column int
		text         string
	}{
		"an exception on the first line": {`null.x`, "TypeError", 1, 1,
			"TypeError: Cannot read properties of null (reading 'x')\n    at <anonymous> (script.js:1:1)"},
		"an exception further down": {"\n\n  throw new RangeError('r')", "RangeError", 3, 13,
			"RangeError: r\n    at <anonymous> (script.js:3:13)"},
		"an exception in a function": {"function f() {\n  throw new Error('e')\n}\nf()", "Error", 2, 13,
			"Error: e\n    at f (script.js:2:13)\n    at <anonymous> (script.js:4:1)"},
		"an exception after an await": {"await 0\nundefinedVariable", "ReferenceError", 2, 1,
			"ReferenceError: undefinedVariable is not defined\n    at <anonymous> (script.js:2:1)"},
		"an exception in a declaration": {"let a = null;\n\n  const b = a.b;", "TypeError", 3, 3,
			"TypeError: Cannot read properties of null (reading 'b')\n    at <anonymous> (script.js:3:3)"},
		"an exception in a return": {"function f(a) {\n  return a.b.c;\n}\nif (1) {\n  return " +
			"f({});\n}", "TypeError", 2, 3, "TypeError: Cannot read properties of undefined (reading 'c')\n    at f " +
			"(script.js:2:3)\n    at <anonymous> (script.js:5:10)"},
		"an exception in a condition": {"let a = null;\nif (a.b) {}", "TypeError", 2, 1,
			"TypeError: Cannot read properties of null (reading 'b')\n    at <anonymous> (script.js:2:1)"},
		"an error with a cause": {`throw new Error('a', {cause: 'b'})`, "Error", 1, 11,
			"Error: a\n    at <anonymous> (script.js:1:11)\nCaused by: b"},
		"a thrown string":    {`throw 'just text'`, "", 0, 0, "just text"},
		"a thrown object":    {`throw {code: 5}`, "", 0, 0, "{\n  \"code\": 5\n}"},
		"thrown nothing":     {`throw undefined`, "", 0, 0, "undefined"},
		"a rejected promise": {`return Promise.reject('no')`, "", 0, 0, "no"},
		"a syntax error": {"let x = 1;\nlet x = 2;", "SyntaxError", 2, 5,
			"SyntaxError: The symbol \"x\" has already been declared\n    at script.js:2:5"},
		"a syntax error on line 1": {"let 5", "SyntaxError", 1, 5,
			"SyntaxError: expecting ';'\n    at script.js:1:5"},
		"a missing bracket": {"if (1) {\n  f(", "SyntaxError", 2, 5,
			"SyntaxError: unexpected end of input: a bracket is missing, or there is one too many\n    at " +
				"script.js:2:5"},
		"a word too many on the last line": {"return 1 +\n  2 3", "SyntaxError", 2, 5,
			"SyntaxError: expecting ';'\n    at script.js:2:5"},
		"bad JSON is no syntax error of the script": {"let a;\nJSON.parse('{')", "SyntaxError", 2, 6,
			"SyntaxError: Expected property name or '}' in JSON at position 1\n    at <input>:1:1\n    at " +
				"<anonymous> (script.js:2:6)"},
		"an error when toJSON is polluted": {`Object.prototype.toJSON = () => 5; throw new Error('hi')`, "Error", 1, 46,
			"Error: hi\n    at <anonymous> (script.js:1:46)"},
		"JSX": {"const a = 1;\nreturn <b>hi</b>", "SyntaxError", 2, 17,
			"SyntaxError: Unterminated regular expression (there is no JSX here: make strings or objects)\n    at " +
				"script.js:2:17"},
		"a generic function is no JSX": {"const f = <T,>(a: T) => a;\nlet 5", "SyntaxError", 2, 5,
			"SyntaxError: Expected \";\" but found \"5\"\n    at script.js:2:5"},
		"a NUL in the source": {"let a;\nlet b\x00", "SyntaxError", 2, 6,
			"SyntaxError: a NUL character in the source (in a string, write \\0 instead)\n    at script.js:2:6"},
		"an error whose message throws": {
			`const e = new Error(); Object.defineProperty(e, 'message', {get() { throw 1 }}); throw e`,
			"Error", 1, 15, "Error\n    at <anonymous> (script.js:1:15)",
		},
		"brackets that end the wrapper": {`})(); (async () => {`, "SyntaxError", 1, 1,
			"SyntaxError: unexpected token in expression: ')'\n    at script.js:1:1"},
		"brackets that begin another one": {`}, async function () { return 2`, "SyntaxError", 1, 1,
			"SyntaxError: unexpected token in expression: ','\n    at script.js:1:1"},
		"brackets that begin a statement": {`} throw 1; async function g() {`, "SyntaxError", 1, 1,
			"SyntaxError: Unexpected \"}\"\n    at script.js:1:1"},
		"brackets that begin a block": {`} { throw 1`, "SyntaxError", 1, 1,
			"SyntaxError: Unexpected \"}\"\n    at script.js:1:1"},
		"brackets that assign": {`}[globalThis.x] = async function () { return 2`, "SyntaxError", 1, 1,
			"SyntaxError: Unexpected \"}\"\n    at script.js:1:1"},
		"brackets that begin a method": {`}, async f() {`, "SyntaxError", 1, 1,
			"SyntaxError: unexpected token in expression: ','\n    at script.js:1:1"},
		"brackets that call": {`}(0), async function () {`, "SyntaxError", 1, 1,
			"SyntaxError: Unexpected \"}\"\n    at script.js:1:1"},
		"super": {`return super.toString()`, "SyntaxError", 1, 8,
			"SyntaxError: 'super' is only valid in a method\n    at script.js:1:8"},
		"strict code": {`'use strict'; sloppy = 1`, "ReferenceError", 1, 15,
			"ReferenceError: sloppy is not defined\n    at <anonymous> (script.js:1:15)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tryRun(t, test.script)
			var e *javascript.ScriptError
			require.ErrorAs(t, err, &e)
			require.Equal(t, test.text, err.Error())
			require.Equal(t, test.name, e.Name)
			require.Equal(t, test.line, e.Line)
			require.Equal(t, test.column, e.Column)
			require.True(t, javascript.IsScriptFailure(err))
		})
	}
}

// Brackets that end the function that the script is, and begin something else.
func TestScriptsCannotLeaveTheirFunction(t *testing.T) {
	for _, ends := range []string{
		`})(); (async () => {`, `}, async function () {`, `} async function g() {`, `} {`, `} if (1) {`,
		`}[globalThis.x] = async function () {`, `}(0), async function () {`,
		`}, async f() {`, `}, ''() {`, `}})['']; ({async ''() {`, `} /x/; {`, "}`x`; {", `}; class A { m() {`,
		`} for (;;) {`, "}\n--> a comment\n{", `} <!-- {`,
	} {
		for _, language := range []javascript.Language{javascript.LanguageAuto, javascript.LanguageJavaScript,
			javascript.LanguageTypeScript} {
			result, err := tryRun(t, `console.log('it has run'); `+ends+` console.log('this too')`,
				javascript.RunOptions{Language: language})
			e, ok := errors.AsType[*javascript.ScriptError](err)
			require.True(t, ok, "%s: %v", ends, err)
			require.True(t, e.Syntax, ends)
			require.Empty(t, result.Console, ends)
		}
	}
}

// Brackets, strings and comments that would have to go on in what is behind the script.
func TestScriptsCannotUseWhatIsBehindThem(t *testing.T) {
	for _, open := range []string{
		`{`, `{{`, `({`, `({async ''(){`, `(`, `[`, "`", "`${", "`${{", `'\\`, `"\\`, `/*`, `/[`, `/\\`,
		`class A { m() {`, `if (1) {`, `switch (1) {`, `x = {`, `(function () {`, `(() => {`,
		`)`, `)]`, `]`, `)[''](`, `)[''] + ({async ''() {`, `);({async ''() {`,
	} {
		result, err := tryRun(t, `console.log('it has run'); `+open)
		e, ok := errors.AsType[*javascript.ScriptError](err)
		require.True(t, ok, "%s: %v", open, err)
		require.True(t, e.Syntax, open)
		require.Empty(t, result.Console, open)
	}
}

func TestScriptsMayEndInAComment(t *testing.T) {
	require.Equal(t, "1", run(t, `return 1 // one`).Text)
	require.Equal(t, "undefined", run(t, `// nothing`).Text)
}

func TestScriptNames(t *testing.T) {
	_, err := tryRun(t, `null.x`, javascript.RunOptions{Name: "job.js"})
	require.ErrorContains(t, err, "(job.js:1:1)")
	_, err = tryRun(t, ``, javascript.RunOptions{Name: "a\nb"})
	require.ErrorContains(t, err, "RunOptions.Name")
	require.False(t, javascript.IsScriptFailure(err))
}

func TestConsole(t *testing.T) {
	for name, test := range map[string]struct {
		script string
		want   []sandbox.Entry
	}{
		"levels": {`console.log('l'); console.info('i'); console.warn('w'); console.error('e'); console.debug('d')`,
			[]sandbox.Entry{
				{Level: sandbox.LevelLog, Text: "l"}, {Level: sandbox.LevelInfo, Text: "i"}, {Level: sandbox.LevelWarn,
					Text: "w"}, {Level: sandbox.LevelError, Text: "e"}, {Level: sandbox.LevelDebug, Text: "d"}}},
		"several arguments": {`console.log('a', 1, {b: 2}, null)`,
			[]sandbox.Entry{{Level: sandbox.LevelLog, Text: "a 1 {\n  \"b\": 2\n} null"}}},
		"no arguments": {`console.log()`, []sandbox.Entry{{Level: sandbox.LevelLog, Text: ""}}},
		"groups": {`console.group('g'); console.log('a\nb'); console.groupEnd(); console.log('c')`,
			[]sandbox.Entry{{Level: sandbox.LevelLog, Text: "g"}, {Level: sandbox.LevelLog, Text: "  a\n  b"},
				{Level: sandbox.LevelLog, Text: "c"}}},
		"assertions": {`console.assert(1, 'x'); console.assert(0, 'y')`,
			[]sandbox.Entry{{Level: sandbox.LevelError, Text: "Assertion failed: y"}}},
		"counts": {`console.count(); console.count(); console.countReset(); console.count()`,
			[]sandbox.Entry{{Level: sandbox.LevelLog, Text: "default: 1"}, {Level: sandbox.LevelLog,
				Text: "default: 2"}, {Level: sandbox.LevelLog, Text: "default: 1"}}},
		"the engine's own printing": {
			`const std = await import('qjs:std'); std.out.puts('one\ntwo\n');
				std.out.flush(); std.err.puts('three\n'); std.err.flush()`,
			[]sandbox.Entry{{Level: sandbox.LevelLog, Text: "one"}, {Level: sandbox.LevelLog, Text: "two"},
				{Level: sandbox.LevelError, Text: "three"}}},
		"rejections that are handled": {
			`Promise.reject(1).catch(() => {}); const p = Promise.reject(2);
				await 0; try { await p } catch {} await Promise.allSettled([Promise.reject(3)]);
				for (let i = 0; i < 5000; i++) await Promise.reject(i).catch(() => {})`,
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, run(t, test.script).Console)
		})
	}
}

func TestConsoleComesWithErrors(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"an exception":       `console.log('before'); null.x`,
		"the time limit":     `console.log('before'); for (;;);`,
		"the memory limit":   `console.log('before'); const a = []; for (;;) a.push(new ArrayBuffer(1e6))`,
		"an exit":            `console.log('before'); (await import('qjs:std')).exit(3)`,
		"an endless promise": `console.log('before'); await new Promise(() => {})`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := tryRun(t, script, javascript.RunOptions{Limits: sandbox.Limits{Time: 2 * time.Second}})
			require.Error(t, err)
			require.Equal(t, []sandbox.Entry{{Level: sandbox.LevelLog, Text: "before"}}, result.Console)
			require.Empty(t, result.Text)
			require.Positive(t, result.Usage.Work)
		})
	}
}

func TestEndsOfTheirOwn(t *testing.T) {
	t.Run("a promise that can never settle is an error at once", func(t *testing.T) {
		_, err := tryRun(t, `await new Promise(() => {})`)
		require.ErrorIs(t, err, javascript.ErrNeverSettles)
	})
	t.Run("also after the timers have run out", func(t *testing.T) {
		_, err := tryRun(t, `setTimeout(() => {}, 5); await new Promise(() => {})`)
		require.ErrorIs(t, err, javascript.ErrNeverSettles)
	})
	t.Run("an exit is an error with its status", func(t *testing.T) {
		_, err := tryRun(t, `(await import('qjs:std')).exit(3)`)
		var exit *javascript.ExitError
		require.ErrorAs(t, err, &exit)
		require.Equal(t, 3, exit.Code)
	})
}

func TestTimers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ script, want string }{
		"run in the order of their delays": {`
			const order = [];
			await new Promise((done) => {
				setTimeout(() => { order.push(3); done(); }, 20);
				setTimeout(() => order.push(2), 10);
				setTimeout(() => order.push(1), 0);
			});
			return order.join()`, "1,2,3"},
		"of the same delay run in the order of their start": {`
			const order = [];
			for (let i = 0; i < 20; i++) setTimeout(() => order.push(i), 1);
			await new Promise((done) => setTimeout(done, 2));
			return order.join()`, "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19"},
		"let promise reactions run between them": {`
			const order = [];
			setTimeout(() => { order.push('t1'); Promise.resolve().then(() => order.push('p1')); }, 0);
			setTimeout(() => order.push('t2'), 0);
			await new Promise((done) => setTimeout(done, 5));
			return order.join()`, "t1,p1,t2"},
		"wait as long as they say": {`
			const start = Date.now();
			await new Promise((done) => setTimeout(done, 50));
			return Date.now() - start >= 49`, "true"},
		"can be cleared": {`
			let ran = false;
			clearTimeout(setTimeout(() => { ran = true; }, 1));
			clearTimeout(undefined);
			clearTimeout(12345);
			await new Promise((done) => setTimeout(done, 10));
			return ran`, "false"},
		"repeat until they are cleared": {`
			let n = 0;
			await new Promise((done) => {
				const id = setInterval(() => { if (++n === 3) { clearInterval(id); done(); } }, 1); });
			return n`, "3"},
		"pass arguments": {`return await new Promise((done) => setTimeout(done, 1, 'argument'))`, "argument"},
		"keep a run alive that has its result": {`
			setTimeout(() => console.log('later'), 5);
			return 'result'`, "result"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, run(t, test.script).Text)
		})
	}
	t.Run("that outlast the time limit do not cost the result", func(t *testing.T) {
		result := run(t, `setInterval(() => {}, 10); setTimeout(() => {}, 1e6); return 'result'`,
			javascript.RunOptions{Limits: sandbox.Limits{Time: 2 * time.Second}})
		require.Equal(t, "result", result.Text)
		require.Equal(t, []sandbox.Entry{{Level: sandbox.LevelWarn, Text: "stopped after 2s: timers or calls were " +
			"still pending when the script had returned"}}, result.Console)
	})
	t.Run("that were cleared do not hold memory", func(t *testing.T) {
		require.Equal(t, "fine", run(t,
			`for (let i = 0; i < 20000; i++) clearTimeout(setTimeout(() => {}, 60000, new ArrayBuffer(8000)));
				return 'fine'`).Text)
	})
	t.Run("what they print after the result is kept", func(t *testing.T) {
		result := run(
			t, `async function main() { await new Promise((r) => setTimeout(r, 5)); console.log('done') } main()`,
		)
		require.Equal(t, []sandbox.Entry{{Level: sandbox.LevelLog, Text: "done"}}, result.Console)
	})
}

func TestRandomnessDiffersBetweenRuns(t *testing.T) {
	const script = `return [Math.random(), Math.random(), crypto.randomUUID(),
		crypto.getRandomValues(new Uint8Array(8)).join()]`
	seen := map[any]bool{}
	for range 20 {
		for _, v := range run(t, script).Value.([]any) {
			require.False(t, seen[v], v)
			seen[v] = true
		}
	}
	require.Regexp(t, `^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`, run(t,
		`return crypto.randomUUID()`).Text)
}

func TestRunsAreIsolated(t *testing.T) {
	run(t, `globalThis.leak = 1; Array.prototype.leak = 1; Object.prototype.leak = 1;
		JSON.stringify = null; console.log = null`)
	require.Equal(t, `["undefined","undefined","undefined","function"]`,
		run(t, `return JSON.stringify([typeof leak, typeof [].leak, typeof {}.leak, typeof JSON.stringify])`).Text)
}

func TestUsage(t *testing.T) {
	const script = `let n = 0; for (let i = 0; i < 1e5; i++) n += i; return n`
	first, second := run(t, script), run(t, script)
	require.Equal(t, first.Usage.Work, second.Usage.Work, "work must not depend on anything but the script")
	require.Greater(t, first.Usage.Work, run(t, ``).Usage.Work+1e5)
	require.Greater(t, run(t, `return new Uint8Array(2e7).length`).Usage.Memory, int64(2e7))
	require.Positive(t, first.Usage.Duration)
}

func TestInvalidOptions(t *testing.T) {
	for name, options := range map[string]javascript.RunOptions{
		"too little memory":   {Limits: sandbox.Limits{Memory: 1 << 20}},
		"unlimited memory":    {Limits: sandbox.Limits{Memory: sandbox.Unlimited}},
		"negative time":       {Limits: sandbox.Limits{Time: -5}},
		"negative output":     {Limits: sandbox.Limits{Output: -5}},
		"negative work":       {Limits: sandbox.Limits{Work: -5}},
		"an unknown language": {Language: 99},
		"no function":         {Functions: []javascript.Function{{Name: "f"}}},
		"a bad function name": {Functions: []javascript.Function{{Name: "a-b", Call: echo}}},
		"a function twice": {Functions: []javascript.Function{{Name: "f", Call: echo},
			{Name: "f", Call: echo}}},
		"a bad global name":        {Globals: map[string]any{"a..b": 1}},
		"names through each other": {Globals: map[string]any{"a": 1, "a.b": 2}},
		"a name used twice": {Functions: []javascript.Function{{Name: "f", Call: echo}},
			Globals: map[string]any{"f": 1}},
		"a global like no JSON": {Globals: map[string]any{"f": func() {}}},
	} {
		t.Run(name, func(t *testing.T) {
			if options.Limits.Time == 0 {
				options.Limits.Time = patience
			}
			_, err := engine.Run(t.Context(), `return 1`, &options)
			require.Error(t, err)
			require.False(t, javascript.IsScriptFailure(err), "%v", err)
		})
	}
}

func TestOutputLimit(t *testing.T) {
	t.Parallel()
	small := javascript.RunOptions{Limits: sandbox.Limits{Output: 100}}
	t.Run("cuts the console and counts the rest", func(t *testing.T) {
		result := run(t, `for (let i = 0; i < 100; i++) console.log('0123456789'); return 'result'`, small)
		require.LessOrEqual(t, len(result.Console), 10)
		require.Positive(t, result.Truncated)
		require.Equal(t, "result", result.Text, "the result has room of its own")
		require.Contains(t, result.Note(), "more bytes were cut off")
	})
	t.Run("cuts the result in the middle", func(t *testing.T) {
		result := run(t, `return 'é'.repeat(100)`, small)
		require.Equal(t, strings.Repeat("é", 50), result.Text)
		require.EqualValues(t, 100, result.Truncated)
		require.Nil(t, result.Value)
	})
	t.Run("cuts an exception", func(t *testing.T) {
		_, err := tryRun(t, `throw 'x'.repeat(1000)`, small)
		require.ErrorContains(t, err, "900 more bytes were cut off")
	})
	t.Run("bounds a flood of empty entries", func(t *testing.T) {
		result := run(t, `for (let i = 0; i < 10000; i++) console.log('')`, small)
		require.LessOrEqual(t, len(result.Console), 20)
	})
	t.Run("bounds the engine's own printing", func(t *testing.T) {
		result := run(t,
			`const {out} = await import('qjs:std'); for (let i = 0; i < 10000; i++) out.puts('x'); out.flush()`, small)
		require.Equal(t, []sandbox.Entry{{Level: sandbox.LevelLog, Unfinished: true, Text: strings.Repeat("x", 75)}},
			result.Console)
		require.EqualValues(t, 9925, result.Truncated)
	})
	t.Run("is one MiB by default", func(t *testing.T) {
		result := run(t, `return 'x'.repeat(3 << 20)`)
		require.Len(t, result.Text, 1<<20)
		require.EqualValues(t, 2<<20, result.Truncated)
	})
	t.Run("can be switched off", func(t *testing.T) {
		result := run(t, `return 'x'.repeat(3 << 20)`,
			javascript.RunOptions{Limits: sandbox.Limits{Output: sandbox.Unlimited}})
		require.Len(t, result.Text, 3<<20)
		require.Empty(t, result.Note())
	})
}

func TestErrorsNameTheLimit(t *testing.T) {
	_, err := tryRun(t, `for (;;);`, javascript.RunOptions{Limits: sandbox.Limits{Work: 1e6}})
	var limit *sandbox.LimitError
	require.ErrorAs(t, err, &limit)
	require.Equal(t, sandbox.LimitError{Limit: sandbox.LimitWork, Value: 1e6}, *limit)
	require.False(t, errors.Is(err, errors.ErrUnsupported))
}

// The engine's flatMap of iterators catches an exception and does not forget it.
func TestExceptionsThatTheEngineHasCaughtAreNotTheScripts(t *testing.T) {
	const leave = `
		const closed = (function* () {})();
		closed.return();
		closed.return = () => { throw new Error('caught') };
		[1].values().flatMap(() => closed).next();`
	for name, script := range map[string]string{
		"at once":     leave + `return 5`,
		"in a job":    `await null;` + leave + `return 5`,
		"in a timer":  `await new Promise((done) => { setTimeout(() => {` + leave + `done() }) }); return 5`,
		"in the last": `Promise.resolve().then(() => {` + leave + `}); return 5`,
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, "5", run(t, script).Text)
		})
	}
	for name, script := range map[string]string{
		"thrown": leave + `throw new Error('mine')`,
		"in a job": leave +
			`globalThis.r = new FinalizationRegistry(() => { throw new Error('mine') });
				r.register({}); await null; return 5`,
	} {
		_, err := tryRun(t, script)
		require.ErrorContains(t, err, "mine", name)
	}
}
