package javascript_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/javascript"
)

func TestExplanations(t *testing.T) {
	for name, test := range map[string]struct{ script, want string }{
		"a name":            {"const f = {};\nf(1)", "TypeError: f is not a function"},
		"on the first line": {`const f = {}; f(1)`, "TypeError: f is not a function"},
		"a method": {"const bytes = await new Uint8Array(1);\nreturn bytes.split('x').length",
			"TypeError: bytes.split is not a function"},
		"a method of a property": {"const o = {a: {}};\nreturn [o.a.b(2)]", "TypeError: o.a.b is not a function"},
		"an optional property":   {"const o = {a: {}};\no?.a.b()", "TypeError: o?.a.b is not a function"},
		"an optional call":       {"const o = {a: 1};\no.a?.()", "TypeError: o.a is not a function"},
		"a method of this": {"class A { constructor() { this.b() } }\nnew A()",
			"TypeError: this.b is not a function"},
		"a method of a result": {"[1]\n  .map((x) => x)\n  .nothing(3)",
			"TypeError: [1].map(...).nothing is not a function"},
		"after letters beyond ASCII": {"const ä = '😀'; ä.b()", "TypeError: ä.b is not a function"},
		"a class":                    {"const o = {};\nnew o.Missing()", "TypeError: o.Missing is not a constructor"},
		"an object as a class":       {"const o = {};\nnew o(1)", "TypeError: o is not a constructor"},
		"with a variable":            {"const o = {}, p = 1;\nreturn o.a(p)", "TypeError: o.a is not a function"},
		"with several": {"const o = {}, p = 1, q = 2;\nif (p) o.a(p, {b: 1}, q.r)",
			"TypeError: o.a is not a function"},
		"in a function": {"const o = {}, p = 1;\n[1].map((x) => o.a(x))",
			"TypeError: o.a is not a function"},
		"waited for": {"const o = {}, p = 1;\nconst x = await o.a(p); o.b(p)",
			"TypeError: o.a is not a function"},
		"a class with a variable": {"const o = {}, p = 1;\nnew o.Missing(p)",
			"TypeError: o.Missing is not a constructor"},
		"a call in a call": {"const o = {}, p = 1;\no.a(String(p), p)", "TypeError: o.a is not a function"},
		"a call in a call below": {"const o = {}, p = 1;\no.a(\n  String(p), p)",
			"TypeError: o.a is not a function"},
		"an item in a call": {"const o = {}, p = 'a';\nString(o[p]())", "TypeError: o[p] is not a function"},
		"an item after an argument": {"const o = {}, p = 'a';\nString(p, o['a']())",
			"TypeError: o.a is not a function"},
		"a called result": {"const o = () => 1, p = 'a';\no(p)(p)", "TypeError: o(...) is not a function"},
		"TypeScript":      {"const o: any = 5 as number;\no.a()", "TypeError: o.a is not a function"},
		"a module":        {"export const o = {};\no.a()", "TypeError: o.a is not a function"},
		"an item":         {"const o = {};\no['a']()", "TypeError: o.a is not a function"},
		"a tag":           {"const o = {};\no.a`x`", "TypeError: o.a is not a function"},
		"called by the engine": {"const o = {};\n[1].map(o.a)",
			"TypeError: the argument of map is not a function"},
		"made by the script": {"throw new TypeError('not a function')", "TypeError: not a function"},
		"of a library":       {"new Function('const f = 1; f()')()", "TypeError: not a function"},
		"a very long name": {"const o = {};\no." + strings.Repeat("a", 200) + "()",
			"TypeError: not a function"},
		"the global of another place": {`new WebAssembly.Module()`,
			"ReferenceError: WebAssembly is not defined (there is no WebAssembly here)"},
		"no network": {`await fetch('http://a')`, "ReferenceError: fetch is not defined (there is " +
			"no network here: whoever runs this can allow hosts, as in --allow 'GET https://example.com/**')"},
		"no DOM": {`document.title`,
			"ReferenceError: document is not defined (there is no DOM here)"},
		"no readers of files": {`new FileReader()`,
			"ReferenceError: FileReader is not defined (Blob has text() and arrayBuffer())"},
		"a module without its import": {`path.join('a')`,
			"ReferenceError: path is not defined (write: const path = require('path'))"},
		"a function of Node's fs": {`fs.utimesSync("/a")`, "TypeError: fs.utimesSync is not a function (files " +
			"have no owners, and nobody but the host sets modes and times)"},
		"one that does not wait": {`fs.globSync('*')`,
			"TypeError: fs.globSync is not a function (use fs.readdir(path, {recursive: true}))"},
		"one that is imported": {"import { watch } from 'node:fs'; export default watch",
			"SyntaxError: Could not find export 'watch' in module 'fs' (files cannot be watched: look at fs.stat)"},
		"one that nobody has": {`fs.eat('/a')`, "TypeError: fs.eat is not a function"},
		"hooks of asynchronous work": {`require('async_hooks').createHook({})`,
			"Error: createHook is not available: the engine tells nobody about asynchronous work. Use " +
				"AsyncLocalStorage"},
		"just a name": {`nothing`, "ReferenceError: nothing is not defined"},
		"a promise as JSON": {`JSON.parse({})`,
			"SyntaxError: \"[object Object]\" is not valid JSON (this is an object as text; is an await missing?)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tryRun(t, test.script)
			text, _, _ := strings.Cut(err.Error(), "\n")
			require.Equal(t, test.want, text)
			e, ok := errors.AsType[*javascript.ScriptError](err)
			require.True(t, ok)
			require.Equal(t, test.want, e.Name+": "+e.Message)

			// It is the same where the script itself shows the error.
			if !strings.Contains(test.script, "export ") {
				result := run(t, "await (async () => {\n"+test.script+"\n})().catch(console.error)")
				text, _, _ = strings.Cut(result.Console[0].Text, "\n")
				require.Equal(t, test.want, text)
			}
		})
	}
}

func TestExplanationsOfGoFunctions(t *testing.T) {
	few := []javascript.Function{{Name: "tools.memory", Call: echo}, {Name: "tools.git-hub", Call: echo},
		{Name: "other.x", Call: echo}}
	many := slices.Clone(few)
	for i := range 500 {
		many = append(many, javascript.Function{Name: "tools.t" + strconv.Itoa(i), Call: echo})
	}
	for _, test := range []struct {
		script    string
		functions []javascript.Function
		want      string
	}{
		{`tools.memry()`, few, "tools.memry is not a function (there are tools.memory, tools['git-hub'])"},
		{`tools.git_hub()`, few, "tools.git_hub is not a function (there are tools['git-hub'], tools.memory)"},
		{`tools.GitHub()`, many, "tools.GitHub is not a function (there are tools['git-hub'], tools.memory, " +
			"tools.t0, tools.t1, tools.t2, and 497 others)"},
		{`tools.memory.view()`, few, "tools.memory.view is not a function"},
		{`const nothing = {}; nothing.x()`, few, "nothing.x is not a function"},
	} {
		_, err := tryRun(t, test.script, javascript.RunOptions{Functions: test.functions})
		e, ok := errors.AsType[*javascript.ScriptError](err)
		require.True(t, ok, "%v", err)
		require.Equal(t, test.want, e.Message)
	}
}

func TestExplanationsOfWhatLies(t *testing.T) {
	for name, script := range map[string]string{
		"a stack that is none": `const e = new TypeError('not a function'); e.stack = {}; throw e`,
		"a stack that throws": `const e = new TypeError('not a function');
			Object.defineProperty(e, 'stack', {get() { throw 1 }}); throw e`,
		"places that are not there": `const e = new TypeError('not a function');
			e.stack = '    at f (script.js:999999999:99999999999999999999)'; throw e`,
		"a place behind a line": `const e = new TypeError('not a function');
			e.stack = '    at f (script.js:1:2000000000)'; throw e`,
		"another file": `const e = new TypeError('not a function');
			e.stack = '    at f (/etc/passwd:1:1)'; throw e`,
		"a huge stack": `const e = new TypeError('not a function'); e.stack = 'x'.repeat(1e6); throw e`,
		"a name that changes": `let n = 0; const e = new Error('not a function');
			Object.defineProperty(e, 'name', {get: () => n++ ? 'TypeError' : 1}); delete e.stack; throw e`,
		"many lines, explained often": "const e = new TypeError('not a function');" + strings.Repeat("\n", 1000) +
			"for (let i = 0; i < 100; i++) console.log(e); throw e",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tryRun(t, script)
			require.True(t, javascript.IsScriptFailure(err), err)
			require.Regexp(t, `^(TypeError: |Error: )?not a function`, err.Error())
		})
	}
}
