package javascript_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// What a script can do that is written as a CommonJS or ES module of its own.
func TestScriptsThatAreModules(t *testing.T) {
	files := filesWith(t, map[string]string{
		"/lib/umd.js": "(function (root, factory) { if (typeof exports === 'object' && typeof module !== " +
			"'undefined') module.exports = factory(); else root.umd = factory() })(globalThis, () => 'global')",
		"/data/main.cjs": "module.exports = [require.main === module, require.main.filename, __filename, " +
			"__dirname].join()",
	})
	for name, test := range map[string]struct{ script, want string }{
		"module.exports":          {`module.exports = {a: 1}`, "{\n  \"a\": 1\n}"},
		"exports":                 {`exports.a = 1`, "{\n  \"a\": 1\n}"},
		"what is returned counts": {`module.exports = {a: 1}; return 2`, "2"},
		"nothing is exported":     {`exports.a; module.exports`, "undefined"},
		"an export of nothing":    {`module.exports = undefined`, "undefined"},
		"the main module": {`let n = 0; function main() { n++ } if (require.main === module) main(); return n`,
			"1"},
		"which is no other's": {`return require('/data/main.cjs')`,
			"false,/script.js,/data/main.cjs,/data"},
		"its place": {
			`return [__filename, __dirname, require('path').join(__dirname, 'data', 'main.cjs')].join()`,
			"/script.js,/,/data/main.cjs",
		},
		"names of its own": {
			`const module = 1, exports = 2; let __dirname = 3; var __filename = 4;
				return module + exports + __dirname + __filename`,
			"10",
		},
		"libraries do not see these": {`return umd`, "global"},
		"exports that throw": {`Object.defineProperty(module, 'exports', {get() { throw 1 }})`,
			"undefined"},
		"exports whose keys throw": {`module.exports = new Proxy({}, {ownKeys() { throw new Error('no') }})`,
			"[a value that cannot be shown: Error: no]"},
		"an export default":                  {`export default 5`, "5"},
		"an export default that is awaited":  {`async function main() { return 5 } export default main()`, "5"},
		"an export default that is returned": {`import path from 'path'; export default path.sep`, "/"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, run(t, test.script, javascript.RunOptions{Files: files,
				Libraries: []string{"/lib"}}).Text)
		})
	}
	t.Run("an export default that fails", func(t *testing.T) {
		_, err := tryRun(t, "async function main() { throw new Error('no') }\nexport default main()")
		require.EqualError(t, err, "Error: no\n    at main (script.js:1:35)\n    at <anonymous> (script.js:2:16)")
	})
	t.Run("a function that nobody calls", func(t *testing.T) {
		result := run(t, `export default async function main() { return 1 }`)
		require.Equal(t, "[Function: main]", result.Text)
		require.Equal(t, []sandbox.Entry{{Level: sandbox.LevelWarn, Text: "The result is a function, which was not " +
			"called. To get what it returns, write: export default await main()"}}, result.Console)
		require.Empty(t, run(t, `export default class A {}`).Console)
	})
}
