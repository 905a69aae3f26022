package javascript_test

import (
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/javascript"
)

// TestUsingAndDecorators has what Node 24 answers, and TypeScript for decorators, which Node does not have.
func TestUsingAndDecorators(t *testing.T) {
	const setup = `const log = [],
		r = (name, fails) => ({ [Symbol.dispose]() { log.push(name); if (fails) throw Error(name) } });
`
	for _, c := range []struct{ name, script, want string }{
		{"a block", `{ using a = r('a'), b = r('b'); log.push('body') } return log.join()`, "body,b,a"},
		{"null", `{ using a = null; log.push('body') } return log.join()`, "body"},
		{"no method", `try { using a = {} } catch (e) { return e.name }`, "TypeError"},
		{
			"await using",
			`{ await using a = { async [Symbol.asyncDispose]() { await null; log.push('a') } }; log.push('body') }
				return log.join()`,
			"body,a",
		},
		{"await using without an asynchronous method", `{ await using a = r('a') } return log.join()`, "a"},
		{"loops", `for (using a of [r('a'), r('b')]) log.push('body'); return log.join()`, "body,a,body,b"},
		{"errors", `try { using a = r('a', true), b = r('b', true); throw Error('body') } catch (e) {
			return [e.name, e.error.message, e.suppressed.name, e.suppressed.error.message,
				e.suppressed.suppressed.message].join() }`,
			"SuppressedError,a,SuppressedError,b,body"},
		{"the name", `const using = 1; const x = { using: 2 }; return using + x.using`, "3"},
		{"comments and texts", "/* using a = b */ const s = `\n@a using b = c`; return s.length", "15"},
		{"errors have the author's lines", "using a = null;\n\nthrow new Error('x')",
			"Error: x\n    at <anonymous> (script.js:3:11)"},
		{"decorators", `
			const traced = (f, { name }) => function (...args) { log.push(name); return f.apply(this, args) };
			const field = (_, { kind }) => (value) => value + kind.length;
			function sealed(type) { return class extends type { sealed = true } }
			@sealed
			class A { @traced m(x) { return x + 1 } @field n = 1; @traced static s() { return 's' } }
			return [new A().m(1), new A().n, A.s(), new A().sealed, log].join()`, "2,6,s,true,m,s"},
		{"DisposableStack", `
			const stack = new DisposableStack();
			stack.use(r('a')); stack.adopt('b', (x) => log.push(x)); stack.defer(() => log.push('c'));
			const moved = stack.move();
			log.push(stack.disposed, moved.disposed);
			moved.dispose(); moved.dispose();
			try { moved.use(r('d')) } catch (e) { log.push(e.name) }
			return log.join()`, "true,false,c,b,a,ReferenceError"},
		{"AsyncDisposableStack", `
			{
				await using stack = new AsyncDisposableStack();
				stack.use(r('a')); stack.defer(async () => { await null; log.push('c') }); stack.use(null);
			}
			return log.join()`, "c,a"},
		{"SuppressedError", `const e = new SuppressedError(1, 2, 'm');
			return [e instanceof Error, e.name, e.message, e.error, e.suppressed, Object.keys(e).length,
			SuppressedError(1, 2) instanceof SuppressedError, SuppressedError.name,
				SuppressedError.length, String(e)].join()`,
			"true,SuppressedError,m,1,2,0,true,SuppressedError,3,SuppressedError: m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			script := setup + c.script
			if c.name == "errors have the author's lines" {
				script = c.script
			}
			for _, language := range []javascript.Language{javascript.LanguageAuto, javascript.LanguageJavaScript} {
				result, err := engine.Run(t.Context(), script, &javascript.RunOptions{Language: language})
				if err != nil {
					require.EqualError(t, err, c.want)
					continue
				}
				require.Equal(t, c.want, result.Text)
			}
		})
	}
}

// TestUsingInFiles shows the same for files, of whatever kind.
func TestUsingInFiles(t *testing.T) {
	files := afero.NewMemMapFs()
	for name, text := range map[string]string{
		"/a.mjs": "export const log = [];\nexport function f() { using a = { [Symbol.dispose]() { log.push('a') } " +
			"}; log.push('b') }\n",
		"/b.js": "exports.log = [];\nexports.f = () => { using a = { [Symbol.dispose]() { exports.log.push('a') } " +
			"}; exports.log.push('b') };\n",
		"/c.js":   "// using a = 1\n/** @type {x} */\nexports.mail = 'a@b.c';\n",
		"/bad.js": "using = 1; @ 2",
	} {
		require.NoError(t, afero.WriteFile(files, name, []byte(text), 0o600))
	}
	result := run(t,
		`const a = await import('/a.mjs'), b = require('/b.js'); a.f();
			b.f(); return [a.log, b.log, require('/c.js').mail].join()`,
		javascript.RunOptions{Files: files})
	require.Equal(t, "b,a,b,a,a@b.c", result.Text)
	_, err := engine.Run(t.Context(), `require('/bad.js')`, &javascript.RunOptions{Files: files})
	require.ErrorContains(t, err, "SyntaxError")
}
