package javascript_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/javascript"
)

// Stacks begin with the error and have frames as V8's, with the author's lines, in every kind of file.
func TestStacksAreAsInNode(t *testing.T) {
	files := map[string]string{
		"/c.js":     "exports.f = () => {\n  return new Error('in c')\n}",
		"/e.mjs":    "export const f = () => {\n  return new Error('in e')\n}",
		"/a b/t.ts": "interface A { x: number }\n\nexport const f = (a?: A): Error => new TypeError('in t')",
		"/prepared.js": "function place() { const before = Error.prepareStackTrace; Error.prepareStackTrace = (_, " +
			"s) => s; const o = {};\nError.captureStackTrace(o); const [s] = o.stack; Error.prepareStackTrace = " +
			"before; return String(s).match(/\\/.*:\\d+/)[0] }\nexports.place = place",
		"/missing.js":   "exports.f = (o) => o.missing()",
		"/property.mjs": "export const f = (o) => o.a.b",
	}
	for name, test := range map[string]struct{ script, want string }{
		"an error": {"function f() {\n  return new Error('m')\n}\nreturn f().stack",
			"Error: m\n    at f (/script.js:2:14)\n    at <anonymous> (/script.js:4:8)"},
		"without a message": {`return new RangeError().stack`,
			"RangeError\n    at <anonymous> (/script.js:1:12)"},
		"a class": {"class MyError extends Error {\n  constructor(m) { super(m); this.name = " +
			"'Other' }\n}\nMyError.prototype.name = 'MyError';\nreturn new MyError('m').stack.split('\\n')[0]",
			"MyError: m"},
		"one that the engine makes": {"let x;\ntry { x.y } catch (e) { return e.stack }",
			"TypeError: Cannot read properties of undefined (reading 'y')\n    at <anonymous> (/script.js:2:7)"},
		"called by the language": {`return [1].map(() => new Error('m'))[0].stack`,
			"Error: m\n    at <anonymous> (/script.js:1:26)\n    at map (<anonymous>)\n    at <anonymous> " +
				"(/script.js:1:12)"},
		"a module": {"export default new Error('m').stack",
			"Error: m\n    at <anonymous> (file:///script.js:1:20)"},
		"a required file": {`return require('/c.js').f().stack.split('\n')[1]`,
			"    at <anonymous> (/c.js:2:14)"},
		"an imported file": {`return (await import('/e.mjs')).f().stack.split('\n')[1]`,
			"    at f (file:///e.mjs:2:14)"},
		"TypeScript": {`return (await import('/a b/t.ts')).f().stack.split('\n')[1]`,
			"    at f (file:///a%20b/t.ts:3:40)"},
		"a captured one": {"function f() {\n  const e = {name: 'N', message: 'm'};\n  " +
			"Error.captureStackTrace(e, f);\n  return e.stack\n}\nreturn f()",
			"N: m\n    at <anonymous> (/script.js:6:8)"},
		"no captured one": {`const e = {}; Error.captureStackTrace(e); return [Object.keys(e).length, e.stack].join()`,
			"0,Error\n    at <anonymous> (/script.js:1:39)"},
		"a limit": {"Error.stackTraceLimit = 1;\nconst f = () => new Error('m');\nreturn f().stack",
			"Error: m\n    at f (/script.js:2:21)"},
		"no frames": {"Error.stackTraceLimit = 0;\nreturn new Error('m').stack", "Error: m"},
		"an accessor as a name": {
			`class A extends Error { get name() { throw 1 } } return new A('m').stack.split('\n')[0]`, "Error: m",
		},
		"a message of several lines": {"return new Error('a\\n    at b (/c.js:1:1)').stack",
			"Error: a\n    at b (/c.js:1:1)\n    at <anonymous> (/script.js:1:12)"},
		"prepared": {"Error.prepareStackTrace = (e, frames) => frames;\nfunction f() { return [1].map(() => new " +
			"Error('m').stack)[0] }\nconst frames = f();\nError.prepareStackTrace = undefined;\nreturn " +
			"frames.map((s) => [s, s.getFileName(), s.getLineNumber(), s.getColumnNumber(), s.getFunctionName(), " +
			"s.isNative(), s.getThis(), s.isEval()].join()).slice(0, 4).join(';')",
			"/script.js:2:41,/script.js,2,41,,false,,false;map (<anonymous>),,,,map,true,,false;f " +
				"(/script.js:2:27),/script.js,2,27,f,false,,false;/script.js:3:16,/script.js,3,16,,false,,false"},
		"prepared, and thrown": {"let calls = 0;\nError.prepareStackTrace = () => { calls++; return 'prepared' " +
			"};\nconst e = new Error('m'), all = [e.stack];\n" +
			"for (const thrown of [1, 'text', {}, undefined, e]) try { throw thrown } catch (x) { all.push(x === " +
			"thrown) }\nreturn [...all, calls].join()",
			"prepared,true,true,true,true,true,1"},
		"prepared elsewhere": {"return require('/prepared.js').place()", "/prepared.js:2:25"},
		"rethrown": {"const e = new Error('m'), before = e.stack;\ntry { throw e } catch (e) { return " +
			"e.stack === before }", "true"},
		"changed": {"const e = new Error('m');\ne.stack = 'mine';\ntry { throw e } catch (e) { return e.stack }",
			"mine"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, run(t, test.script, javascript.RunOptions{Files: filesWith(t, files)}).Text)
		})
	}
	// What people and models read has names as before.
	for script, want := range map[string]string{
		"export default 1; throw new Error('m')": "Error: m\n    at <anonymous> (script.js:1:29)",
		"throw require('/c.js').f()": "Error: in c\n    at <anonymous> (/c.js:2:14)\n    " +
			"at <anonymous> (script.js:1:24)",
		"throw (await import('/a b/t.ts')).f()": "TypeError: in t\n    at f (/a b/t.ts:3:40)\n    at " +
			"<anonymous> (script.js:1:35)",
		"throw new Error('a\\n    at b (/c.js:1:1)')": "Error: a\n    at b (/c.js:1:1)\n    at <anonymous> " +
			"(script.js:1:11)",
		"const e = new Error('m'); e.message = 'new'; throw e": "Error: new\n    at <anonymous> (script.js:1:15)",
	} {
		_, err := tryRun(t, script, javascript.RunOptions{Files: filesWith(t, files)})
		require.EqualError(t, err, want)
	}
	// Explanations are in the message itself, also in files.
	for script, want := range map[string]string{
		`try { fetch('x') } catch (e) { return e.message }`: "fetch is not defined (there " +
			"is no network here: whoever runs this can allow hosts, as in --allow 'GET https://example.com/**')",
		`try { require('/missing.js').f({}) } catch (e) { return e.message }`: "o.missing is not a function",
		`try { (await import('/property.mjs')).f({}) } catch (e) { return e.message }`: "Cannot read properties of " +
			"undefined (reading 'b')",
		`try { fs.utimesSync('/a') } catch (e) { return String(e).slice(0, 48) }`: "TypeError: fs.utimesSync is not " +
			"a function (file",
	} {
		require.Equal(t, want, run(t, script, javascript.RunOptions{Files: filesWith(t, files)}).Text)
	}
}
