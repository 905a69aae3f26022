package javascript_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/javascript"
)

// The tests of the rules that the tool keeps: what it takes, what it prints, how runs end, what code finds. All go
// through a registry, and compare whole texts.

// rule is code, and what the model gets for it.
type rule struct{ name, code, want string }

// checkRules checks that rules hold, each in a project of its own that has the files.
func checkRules(t *testing.T, files map[string]string, rules []rule) {
	t.Helper()
	r := newRegistry(t)
	for _, c := range rules {
		t.Run(c.name, func(t *testing.T) {
			env := newEnv(t)
			env.Limits.Timeout = 5 * time.Minute // more than any of them takes, however busy the machine is
			writeFiles(t, env.Files, files)
			require.Equal(t, c.want, run(t, r, env, c.code).Text())
		})
	}
}

func writeFiles(t testing.TB, files afero.Fs, contents map[string]string) {
	t.Helper()
	for name, content := range contents {
		require.NoError(t, files.MkdirAll(path.Dir(name), 0o755))
		require.NoError(t, afero.WriteFile(files, name, []byte(content), 0o644))
	}
}

// TestInput checks that code is the body of an async function, which runs in a fresh sandbox.
func TestInput(t *testing.T) {
	r, env := newRegistry(t), newEnv(t)
	for _, input := range []string{`{}`, `{"code":""}`, `{"code":1}`, `{"code":["x"]}`, `{"code":null}`, `{"code":{}}`,
		`{"code":true}`} {
		result := r.Dispatch(t.Context(), tool.Call{Tool: javascript.Name, Input: json.RawMessage(input)}, env)
		require.Equal(t, "Error: code parameter is required and must be a string", result.Text(), input)
		require.Equal(t, tool.CodeInvalidInput, result.Code)
	}
	checkRules(t, nil, []rule{
		{"return gives the value", `return 6 * 7`, "42"},
		{"await works", `const x = await Promise.resolve(5); return x + await 1`, "6"},
		{"a promise that is returned is awaited", `return Promise.resolve({a: 1})`, "{\n  \"a\": 1\n}"},
		{"no return is undefined", "const x = 1;\nif (!x) return 2\nconsole.log(x)",
			"=== Console output ===\n[LOG] 1\n=== Result ===\nundefined"},
		{"an empty string has a note", `return ''`, "Note: the code returned an empty string."},
		{"it is not strict: this", `return this === module.exports && (function () { return this })() === globalThis`,
			"true"},
		{"it is not strict: undeclared variables", `for (i of [1, 2]); x = i; return globalThis.x`, "2"},
		{"it is not strict: what cannot be deleted", `return delete Object.prototype`, "false"},
		{"it can be strict: undeclared variables", `'use strict'; x = 1`,
			"ReferenceError: x is not defined\n    at <anonymous> (script.js:1:15)"},
		{"it can be strict: what cannot be deleted", `"use strict"; delete Object.prototype`,
			"TypeError: Cannot delete property\n    at <anonymous> (script.js:1:15)"},
		{"a module is strict", `export default 1; x = 1`,
			"ReferenceError: x is not defined\n    at <anonymous> (script.js:1:19)"},
		{"code that imports is strict", "import fs from 'fs';\nx = 1; return 2",
			"ReferenceError: x is not defined\n    at <anonymous> (script.js:2:1)"},
		{"it may end in a comment", "return 1 // one", "1"},
		{"it may be a comment alone", "// nothing\n/* at all */ console.log(1)",
			"=== Console output ===\n[LOG] 1\n=== Result ===\nundefined"},
		{"it cannot leave the function", `})(); (async () => {`,
			"SyntaxError: unexpected token in expression: ')'\n    at script.js:1:1"},
		{"nor begin another one", `}, async function () { return 2`,
			"SyntaxError: unexpected token in expression: ','\n    at script.js:1:1"},
		{"nothing of it has run then", `fs.writeFileSync('/a', ''); })(); (async () => {`,
			"SyntaxError: unexpected token in expression: ')'\n    at script.js:1:29"},
		{
			"declarations are its own",
			`var a = 1; let b = 2; function c() {}
				return [typeof globalThis.a, typeof globalThis.b, typeof globalThis.c].join()`,
			"undefined,undefined,undefined",
		},
		{"it may be between the marks of Markdown", "```js\nthrow new Error('x')\n```\n",
			"Error: x\n    at <anonymous> (script.js:2:11)"},
		{"lone surrogates are replaced", `return ['a\ud800b', '\udc00'].join('') + '\ud83d\ude00'`, "a\ufffdb\ufffd😀"},
	})
	t.Run("unknown arguments are ignored, and named", func(t *testing.T) {
		for input, want := range map[string]string{
			`{"code":"return 1","timeout":5,"a\nb":{"code":2}}`: "1\nNote: these arguments are unknown and were " +
				"ignored: timeout, a\nb. The only argument is code.",
			`{"kode":"return 1"}`: "Error: code parameter is required and must be a string. The " +
				"argument kode is unknown; did you mean code?",
			`{"lang":"js","code":""}`:                 "Error: code parameter is required and must be a string",
			`{"code":"return [1, {code: 2}].length"}`: "2",
		} {
			result := r.Dispatch(t.Context(), tool.Call{Tool: javascript.Name, Input: json.RawMessage(input)},
				newEnv(t))
			require.Equal(t, want, result.Text(), input)
		}
		many := map[string]any{"code": "return 1"}
		for i := range 30 {
			many[fmt.Sprintf("a%02d", i)] = i
		}
		input, err := json.Marshal(many)
		require.NoError(t, err)
		result := r.Dispatch(t.Context(), tool.Call{Tool: javascript.Name, Input: input}, newEnv(t))
		require.Contains(t, result.Text(), "ignored: a00, a01, a02, a03, a04, a05, a06, a07, a08, a09 and 20 more.")
	})
	t.Run("nothing persists but files", func(t *testing.T) {
		env := newEnv(t)
		require.Equal(t, "undefined\nFiles: created /kept.txt",
			run(t, r, env, `globalThis.kept = 1; Array.prototype.kept = 2;
				JSON.stringify = null; await fs.writeFile('/kept.txt', 'yes')`).Text())
		require.Equal(t, "undefined,undefined,{},yes",
			run(t, r, env, `return [typeof kept, typeof [].kept, JSON.stringify({}),
				await fs.readFile('/kept.txt', 'utf8')].join()`).Text())
	})
}

// TestOutput checks the sections of the text, and the entries of the console.
func TestOutput(t *testing.T) {
	checkRules(t, nil, []rule{
		{"a result alone", `return 'a'`, "a"},
		{"an entry, and then the result", `console.log('a'); return 'b'`,
			"=== Console output ===\n[LOG] a\n=== Result ===\nb"},
		{"the levels", `for (const level of ['log', 'warn', 'error', 'info', 'debug']) console[level](level)`,
			"=== Console output ===\n[LOG] log\n[WARN] warn\n[ERROR] error\n[INFO] info\n[DEBUG] debug\n=== Result " +
				"===\nundefined"},
		{"arguments are joined by a space", `console.log('a', 1, true, null, undefined, 2n)`,
			"=== Console output ===\n[LOG] a 1 true null undefined 2n\n=== Result ===\nundefined"},
		{"strings are raw", `console.log('"a"\n\tb', '%s', 5)`,
			"=== Console output ===\n[LOG] \"a\"\n\tb %s 5\n=== Result ===\nundefined"},
		{"objects are two-space JSON", `console.log('x', {a: ['b', 1]})`,
			"=== Console output ===\n[LOG] x {\n  \"a\": [\n    \"b\",\n    1\n  ]\n}\n=== Result ===\nundefined"},
		{"an empty entry", `console.log(); return 1`, "=== Console output ===\n[LOG] \n=== Result ===\n1"},
		{"an error is a result too", `console.log('a'); throw new TypeError('no')`,
			"=== Console output ===\n[LOG] a\n=== Result ===\nTypeError: no\n    at <anonymous> (script.js:1:29)"},
		{"what comes after the return", `setTimeout(() => console.log('late'), 1); return 1`,
			"=== Console output ===\n[LOG] late\n=== Result ===\n1"},
	})
	libraries := map[string]string{
		"/lib/a.js": "console.log('one'); console.warn('two', {a: 1})", "/lib/b.js": "var silent",
		"/lib/c.js": "console.error('three')",
	}
	checkRules(t, libraries, []rule{
		{"libraries come first", `console.log('mine'); return 1`,
			"=== Output of library a.js ===\n[LOG] one\n[WARN] two {\n  \"a\": 1\n}\n=== Output of library c.js " +
				"===\n[ERROR] three\n=== Console output ===\n[LOG] mine\n=== Result ===\n1"},
		{"they always show", `return 1`, "=== Output of library a.js ===\n[LOG] one\n[WARN] two {\n  \"a\": " +
			"1\n}\n=== Output of library c.js ===\n[ERROR] three\n=== Result ===\n1"},
		{"also before an error", `null.x`, "=== Output of library a.js ===\n[LOG] one\n[WARN] two {\n  \"a\": " +
			"1\n}\n=== Output of library c.js ===\n[ERROR] three\n=== Result ===\n" +
			"TypeError: Cannot read properties of null (reading 'x')\n    at <anonymous> (script.js:1:1)"},
		{"also before a syntax error", `let 5`, "=== Output of library a.js ===\n[LOG] one\n[WARN] two {\n  \"a\": " +
			"1\n}\n=== Output of library c.js ===\n[ERROR] three\n=== Result ===\n" +
			"SyntaxError: expecting ';'\n    at script.js:1:5"},
	})
}

// TestHalt checks that halt ends a run at once, and that nothing can prevent that.
func TestHalt(t *testing.T) {
	r := newRegistry(t)
	for name, c := range map[string]struct{ code, console string }{
		"the message is optional": {`halt()`, "[ERROR] Halted"},
		"it has a message":        {`halt('enough')`, "[ERROR] enough"},
		"of any type":             {`halt(5)`, "[ERROR] 5"},
		"entries before it show":  {`console.log('a'); halt('enough'); console.log('b')`, "[LOG] a\n[ERROR] enough"},
		"catch does not see it":   {`try { halt('enough') } catch { console.log('caught') }`, "[ERROR] enough"},
		"nor does finally":        {`try { halt('enough') } finally { console.log('finally') }`, "[ERROR] enough"},
		"nor does a promise": {`await (async () => halt('enough'))().catch(() => console.log('caught'))`,
			"[ERROR] enough"},
		"in a timer": {
			`setTimeout(() => halt('enough')); await new Promise((done) => setTimeout(done, 1000));
				console.log('after')`,
			"[ERROR] enough",
		},
		"in a function of others": {`[1, 2].map(() => halt('enough')); console.log('after')`, "[ERROR] enough"},
		"after the result":        {`setTimeout(() => halt('enough')); return 1`, "[ERROR] enough"},
		"later writes do not run": {
			`fs.writeFile('/early', ''); (async () => { await null; fs.writeFile('/late', '') })();
				try { halt('enough') } finally { fs.writeFileSync('/late', '') }`,
			"[ERROR] enough",
		},
		"no change can prevent it": {`String = Error = undefined; Object.prototype.toString = null; halt('enough')`,
			"[ERROR] enough"},
	} {
		t.Run(name, func(t *testing.T) {
			env := newEnv(t)
			result := run(t, r, env, c.code)
			require.Equal(t, "=== Console output ===\n"+c.console+"\n=== Result ===\nHalted", result.Content[0].Text)
			require.True(t, result.IsError())
			require.Equal(t, tool.CodeTool, result.Code)
			exists, err := afero.Exists(env.Files, "/late")
			require.NoError(t, err)
			require.False(t, exists)
		})
	}
	t.Run("in a library", func(t *testing.T) {
		env := newEnv(t)
		writeFiles(t, env.Files, map[string]string{"/lib/a.js": "halt('no')"})
		require.Equal(t, "=== Output of library a.js ===\n[ERROR] no (/lib/a.js called halt, which ends that library "+
			"only)\n=== Result ===\n1",
			run(t, r, env, `return 1`).Text())
	})
}

// TestTimeLimit checks the limit on time, which libraries are under too, and that a run that can only wait for ever
// ends at once.
func TestTimeLimit(t *testing.T) {
	r := newRegistry(t)
	spec, _ := r.Spec(javascript.Name)
	require.Equal(t, time.Minute, spec.Timeout)
	const stopped = "time limit exceeded: the script was stopped after 200ms. Look for loops that do not end, or do " +
		"less work in one run."
	const blamed = "/lib/a.js, which is loaded before the code, ended this run: " + stopped +
		" Correct or delete /lib/a.js."
	for name, c := range map[string]struct{ code, library, want string }{
		"a loop": {`for (;;);`, "", stopped},
		"what was printed shows": {`console.log('before'); for (;;);`, "",
			"=== Console output ===\n[LOG] before\n=== Result ===\n" + stopped},
		"a loop that cannot be caught": {`try { for (;;); } finally { console.log('after') }`, "", stopped},
		"a regular expression":         {`/^(a+)+$/.test('a'.repeat(50) + 'b')`, "", stopped},
		"promises without end": {`const again = () => Promise.resolve().then(again); await again()`, "",
			stopped},
		"timers without end": {`await new Promise(() => setInterval(() => {}, 1))`, "", stopped},
		"a long wait":        {`await new Promise((done) => setTimeout(done, 1e6))`, "", stopped},
		"a library": {`return 1`, "console.log('loading'); for (;;);",
			"=== Output of library a.js ===\n[LOG] loading\n=== Result ===\n" + blamed},
		"jobs of a library": {`return 1`, "const again = () => Promise.resolve().then(again); again()", blamed},
	} {
		t.Run(name, func(t *testing.T) {
			env := newEnv(t)
			env.Limits.Timeout = 200 * time.Millisecond
			if c.library != "" {
				writeFiles(t, env.Files, map[string]string{"/lib/a.js": c.library})
			}
			result := run(t, r, env, c.code)
			require.Equal(t, c.want, result.Text())
			require.Equal(t, tool.CodeTimeout, result.Code)
			require.ErrorIs(t, result.Err, context.DeadlineExceeded)
		})
	}
	const never = "the script waits for a promise that can never settle: no timer and no call is pending that could " +
		"resolve or reject it"
	checkRules(t, nil, []rule{
		{"a promise that never settles", `await new Promise(() => {})`, never},
		{"after the last timer", `setTimeout(() => console.log('last'), 1); await new Promise(() => {})`,
			"=== Console output ===\n[LOG] last\n=== Result ===\n" + never},
	})
}
