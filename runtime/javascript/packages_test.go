package javascript_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/javascript"
)

// TestPackages has what differs from Node. What is the same is in testdata/node/same/packages.js.
func TestPackages(t *testing.T) {
	files := filesWith(t, map[string]string{
		"/node_modules/uses/index.js": `exports.http = require('node:http');
			exports.connect = (port) => require('net').connect(port);
			exports.Own = class extends exports.http.Agent {}`,
		"/node_modules/uses/worker.mjs": `import {isMainThread, Worker} from 'worker_threads';
			export default [isMainThread, typeof Worker]`,
		"/node_modules/uses/child.js":        `module.exports = require('child_process')`,
		"/node_modules/bundled/package.json": `{"exports": {"browser": "./b.js"}}`,
		"/node_modules/bundled/b.js":         `module.exports = 'browser'`,
		"/node_modules/compiled/index.js":    `exports.__esModule = true; exports.default = 'default'; exports.n = 1`,
		"/node_modules/importer/a.mjs": `import compiled, {n} from 'compiled';
			import './b.mjs'; export default [typeof compiled, compiled.default, n].join()`,
		"/node_modules/importer/b.mjs": `import compiled from 'compiled';
			import json from './j.json'; globalThis.seen = [typeof compiled, json]`,
		"/node_modules/importer/j.json": `5`,
		"/c.cjs": `exports.before = 1; exports.d = require('./d.mjs').default;
			exports.after = 2`,
		"/d.mjs":     `import c from './c.cjs'; export default Object.keys(c)`,
		"/waits.mjs": `export const x = await 1`,
		"/twice.cjs": `module.exports = [require('./twice.mjs') === require('./twice.mjs'),
			require('./twice.mjs').count]`,
		"/twice.mjs": `globalThis.count = (globalThis.count ?? 0) + 1;
			export const count = globalThis.count; export default 0`,
	})
	for name, test := range map[string]struct{ script, want string }{
		"http in a package": {
			`const {http, Own} = require('uses');
				return [http.METHODS.length, new Own() instanceof http.Agent, http.STATUS_CODES[404]].join()`,
			"35,true,Not Found",
		},
		"what a placeholder cannot do": {
			`try { require('uses').connect(1) } catch (e) { return e.code + ': ' + e.message }`,
			"ERR_FEATURE_UNAVAILABLE_ON_PLATFORM: net.connect is not available: there is no network here",
		},
		"a placeholder, imported by name": {`return (await import('uses/worker.mjs')).default`,
			"[\n  true,\n  \"function\"\n]"},
		"the same for processes": {
			`try { require('uses/child').execSync('ls') } catch (e) { return e.message }`,
			"child_process.execSync is not available: there are no other processes and no threads here",
		},
		"the default export, for packages and for scripts": {
			`import a from 'importer/a.mjs'; import c from 'compiled'; export default [a, c, ...seen].join()`,
			"object,default,1,default,object,5",
		},
		"the same, the other way round": {
			`const c = (await import('compiled')).default; const a = (await import('importer/a.mjs')).default;
				return [a, c, ...seen].join()`,
			"object,default,1,default,object,5",
		},
		"not for the script": {`try { require('net') } catch (e) { return e.code }`,
			"MODULE_NOT_FOUND"},
		"a form for browsers only": {`return require('bundled')`, "browser"},
		"a cycle through both kinds": {`return require('/c.cjs')`,
			"{\n  \"before\": 1,\n  \"d\": [\n    \"before\"\n  ],\n  \"after\": 2\n}"},
		"an ES module runs once": {
			`await import('/twice.mjs'); return [...require('/twice.cjs'), (await import('/twice.mjs')).count].join()`,
			"true,1,1",
		},
		"one that has waited": {`await import('/waits.mjs'); try { require('/waits.mjs') } catch (e) { return e.code }`,
			"ERR_REQUIRE_ASYNC_MODULE"},
		"one that failed, tried again": {
			`fs.writeFileSync('/later.mjs', 'import {x} from "./none.mjs"; export default x');
				let first; try { require('/later.mjs') } catch (e) { first = e.code }
			 fs.writeFileSync('/none.mjs', 'export const x = 7'); return first + require('/later.mjs').default`,
			"MODULE_NOT_FOUND7",
		},
		"one that lacked an export, tried again": {
			`fs.writeFileSync('/less.mjs', 'export const y = 7');
				fs.writeFileSync('/later2.mjs', 'import {x} from "./less.mjs"; export default x');
			 let first; try { require('/later2.mjs') } catch (e) { first = e.name }
			 fs.writeFileSync('/less.mjs', 'export const x = 8');
			 	fs.writeFileSync('/later2.mjs', 'import {x} from "./less.mjs"; export default x + 1');
			 try { return first + require('/later2.mjs').default } catch (e) { return e.name }`, "SyntaxError9",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := run(t, test.script, javascript.RunOptions{Files: files})
			require.Equal(t, test.want, result.Text)
			require.Empty(t, result.Console)
		})
	}
}
