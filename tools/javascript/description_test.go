package javascript_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/javascript"
)

// A claim is what shows that a sentence of the description is true: code, and what its result must match. There are
// several for some sentences. A sentence that only advises has none.
type claim struct{ code, want string }

// claims has the sentences of the description, without what options put into them.
var claims = map[string][]claim{
	"Runs JavaScript or TypeScript in a sandbox, and returns the result and what the code wrote to the console": {
		{`console.log('a'); return 1`, `^=== Console output ===\n\[LOG\] a\n=== Result ===\n1$`},
		{"interface A { b: number }\nreturn ({ b: 1 } as A).b", `^1$`},
	},
	"Runs JavaScript in a sandbox, and returns the result and what the code wrote to the console": {
		{`console.log('a'); return 1`, `^=== Console output ===\n\[LOG\] a\n=== Result ===\n1$`},
		{"interface A { b: number }", `^SyntaxError: `},
	},
	"Runs TypeScript in a sandbox, and returns the result and what the code wrote to the console": {
		{`console.log('a'); return 1 as number`, `^=== Console output ===\n\[LOG\] a\n=== Result ===\n1$`},
	},
	"`fs.stat` is as in Node: call `isFile()` and `isDirectory()`; without the parentheses they are always true": {
		{`const s = await fs.stat('/data'); return [s.isFile(), s.isDirectory()].join()`, `^false,true$`},
		{`return (await fs.stat('/data')).isFile ? 1 : 2`,
			`(?s)^=== Console output ===\n\[WARN\] script(-2)?.js:1:33: isFile is a method, .*\n1$`},
	},
	"The code is the body of an async function: `return` gives the result, `await` works": {
		{`return await Promise.resolve(5)`, `^5$`},
	},
	"Code with `import` or `export` works too; if it has no `return`, its `export default` or `module.exports` is " +
		"the result": {
		{`module.exports = {a: 1}`, `^{\n  "a": 1\n}$`},
		{`import path from 'path'; return path.sep`, `^/$`},
		{`import path from 'path'; export default path.sep`, `^/$`},
		{`export const a = 1`, `^undefined$`},
	},
	"Code with `import` or `export` works too; if it has no `return`, its `module.exports` is the result": {
		{`module.exports = {a: 1}`, `^{\n  "a": 1\n}$`},
		{`import path from 'path'; return path.sep`, `^/$`},
		{`export const a = 1`, `^undefined$`},
		{`return a`, `^1$`},
	},
	"TypeScript is recognised; its types are removed, not checked": {{"const a: number = 'text' as any;\nreturn a",
		`^text$`}},
	"Types are removed, not checked": {{"const a: number = 'text';\nreturn a", `^text$`}},
	"Each call gets a fresh sandbox: nothing is kept from one call to the next but files": {
		{`globalThis.kept = 1; await fs.writeFile('/kept', '1')`, `undefined`},
		{`return typeof kept + fs.existsSync('/kept')`, `^undefinedtrue$`},
	},
	"Each call gets a fresh sandbox: nothing is kept from one call to the next": {
		{`globalThis.kept = 1`, `undefined`},
		{`return typeof kept`, `^undefined$`},
	},
	"The code runs as in a notebook: `return` gives the result, `await` works": {
		{`const five = await Promise.resolve(5); return five`, `^5$`},
		{`return five + 1; five = 6`, `^6$`},
	},
	"Top-level variables, functions, classes and imports stay from call to call, until no call has used them for 30 " +
		"days; a later declaration replaces an earlier one": {
		{`import { sep } from 'path'; let n = 1; const list = [n]; var v = 2;
			function f() { return ++n } class C { x = 4 }`,
			`^undefined$`},
		{`list.push(f(), v, new C().x, sep); return list.join()`, `^1,2,2,4,/$`},
		{`const n = 7, f = () => 8; let list = 9; class v { static x = 10 }; return [n, f(), list, v.x].join()`,
			`^7,8,9,10$`},
		{`return [n, f(), list, v.x, sep].join()`, `^7,8,9,10,/$`},
	},
	"If a call fails, variables are as they were before it": {
		{`let kept = 1; await fs.writeFile('/kept', '1')`, `^undefined\n`},
		{`kept = 2; await fs.writeFile('/kept', '2'); throw new Error('no')`,
			`^Error: no(?s:.)*\nNote: the call failed, so the session's variables are as they were before it.$`},
		{`return kept + fs.readFileSync('/kept', 'utf8')`, `^12$`},
	},
	"If a call fails, variables and files are as they were before it": {
		{`let kept = 1; await fs.writeFile('/kept', '1')`, `^undefined\n`},
		{`kept = 2; await fs.writeFile('/kept', '2'); throw new Error('no')`,
			`(?s)^Error: no.*\nNote: all changes that the call made to files were undone.$`},
		{`return kept + fs.readFileSync('/kept', 'utf8')`, `^11$`},
	},
	"If a call fails, files are as they were before it": {
		{`await fs.writeFile('/kept', '1')`, `^undefined\n`},
		{`await fs.writeFile('/kept', '2'); null.x`,
			`(?s)^TypeError: .*\nNote: all changes that the call made to files were undone.$`},
		{`return fs.readFileSync('/kept', 'utf8')`, `^1$`},
	},
	"There are no files": {
		{`return fs.existsSync('/') + fs.existsSync('/a') + require('path').join('a', 'b')`, `a/b$`},
		{`await fs.writeFile('/a', 'b')`, `^Error: E`},
		{`import '/a.js'`, `^Error: `},
	},
	"It is like Node 20: globals such as Buffer, Intl, crypto and process, and modules such as assert, events, " +
		"stream, util and zlib": {
		{`return [console.log, setTimeout, setInterval, queueMicrotask, TextEncoder,
			TextDecoder, atob, btoa, Buffer, structuredClone, URL, URLSearchParams, AbortController, EventTarget,
			crypto.getRandomValues, crypto.randomUUID, crypto.subtle.digest,
				performance.now, process.stdout.write].every((f) => typeof f === 'function')`,
			`^true$`},
		{`return new TextDecoder().decode(new TextEncoder().encode('é')) +
			atob(btoa('x')) + structuredClone([1])[0] + new URL('/a', 'http://b').href + new URLSearchParams({c: 1})`,
			`^éx1http://b/ac=1$`},
		{`return Buffer.from('68c3a9', 'hex').toString()`, `^hé$`},
		{`const { createHash } = require('crypto'), zlib = require('zlib');
			return createHash('md5').update(zlib.gunzipSync(zlib.gzipSync('a'))).digest('hex')`,
			`^0cc175b9c0f1b6a831c399e269772661$`},
		{`require('assert').strictEqual(1, 1);
			const {EventEmitter} = require('events'), {pipeline} = require('stream/promises'), util = require('util');
			return [process.version.startsWith('v20.'), process instanceof EventEmitter,
				typeof pipeline, util.format('%d', 5), new Intl.NumberFormat('de').format(1234.5)].join()`,
			`^true,true,function,5,1.234,5$`},
		{`return (await crypto.subtle.digest('SHA-256', new Uint8Array())).byteLength +
			crypto.randomUUID().length + crypto.getRandomValues(new Uint8Array(2)).length`,
			`^70$`},
	},
	"What nothing catches, in a timer or a promise, fails the run": {
		{`setTimeout(() => { throw new Error('late') }); return 1`, `^1\nUncaught Error: late`},
		{`async function main() { throw new Error('lost') } main()`, `^Uncaught \(in promise\) Error: lost`},
	},
	"`halt(message)` ends it at once": {{`try { halt('stop') } finally { console.log('after') }`,
		`^=== Console output ===\n\[ERROR\] stop\n=== Result ===\nHalted(\nNote: the call failed, .*)?$`}},
	"There is no network, no DOM, no WebAssembly and no other process": {
		{`return [typeof fetch, typeof XMLHttpRequest, typeof WebSocket,
			typeof document, typeof window, typeof WebAssembly].join()`,
			`^(undefined,?)+$`},
		{`await import('https://example.com/x.js')`, `no network`},
		{`require('child_process')`, `^Error: `},
	},
	"Files are those of the project": {{`return fs.existsSync('/etc/passwd') + fs.readdirSync('/').join()`,
		`^false.*data`}},
	"`await fs.readFile(path)` gives a Buffer, `await fs.readFile(path, 'utf8')` a string": {
		{`return (await fs.readFile('/data/sales.csv')).constructor.name +
			await fs.readFile('/data/sales.csv', 'utf8')`,
			`^Buffera,b$`},
	},
	"`await fs.writeFile(path, data)` takes a string, an ArrayBuffer or a typed array, and makes missing directories": {
		{`await fs.writeFile('/new/a/1', 'é'); await fs.writeFile('/new/b/2', new ArrayBuffer(3));
			await fs.writeFile('/new/c/3', new Uint16Array(2));
		  return fs.statSync('/new/a/1').size + fs.statSync('/new/b/2').size + fs.statSync('/new/c/3').size`, `^9\n`},
	},
	"`fs.stat(path)` gives isFile(), isDirectory(), size, mtime (a Date), readonly, isBinary and mime; " +
		"`fs.readdir(path, {withFileTypes, recursive})` gives names or entries, directories first": {
		{`const s = await fs.stat('/data/sales.csv'); return [s.isFile(),
			s.isDirectory(), s.size, s.mtime instanceof Date, s.mtime > 1e12, s.readonly, s.isBinary, s.mime].join()`,
			`^true,false,3,true,true,false,false,text/csv$`},
		{`fs.writeFileSync('/list/a', ''); fs.writeFileSync('/list/z/b', '');
			const es = await fs.readdir('/list', {withFileTypes: true});
		  return [fs.readdirSync('/list'), es.map((e) => e.name + e.isDirectory()),
		  	await fs.readdir('/list', {recursive: true})].join(';')`,
			`^z,a;ztrue,afalse;z,(a,z/b|z/b,a)\n`},
	},
	"There are also appendFile, truncate, exists, access, mkdir, copyFile, cp, rename (never overwrites), unlink, " +
		"rmdir and rm": {
		{`fs.writeFileSync('/r1', ''); fs.writeFileSync('/r2', ''); await fs.rename('/r1', '/r2')`, `^Error: EEXIST`},
		{`fs.writeFileSync('/m/1', 'abc'); await fs.appendFile('/m/1', 'd');
			await fs.truncate('/m/1', 2); await fs.access('/m/1'); await fs.mkdir('/m/d');
			await fs.copyFile('/m/1', '/m/2'); await fs.cp('/m', '/n', {recursive: true});
		  await fs.unlink('/m/2'); await fs.rmdir('/m/d'); await fs.rm('/m', {recursive: true});
		  	return (await fs.exists('/m')) + fs.readFileSync('/n/2', 'utf8')`,
			`^falseab\n`},
	},
	"All of them have a `Sync` variant and take a callback, as in Node; their errors have a code": {
		{`return ['readFile', 'writeFile', 'stat', 'readdir', 'appendFile',
			'truncate', 'exists', 'access', 'mkdir', 'copyFile', 'cp', 'rename',
			'unlink', 'rmdir', 'rm'].every((n) => typeof fs[n] === 'function' && typeof fs[n + 'Sync'] === 'function')`,
			`^true$`},
		{`return await new Promise((done) => fs.readFile('/data/sales.csv', 'utf8', (e, text) => done(e + text)))`,
			`^nulla,b$`},
		{`try { fs.statSync('/nothing') } catch (e) { return e.code }`, `^ENOENT$`},
	},
	"Paths are absolute, as in /data/sales.csv": {{`return fs.existsSync('/data/sales.csv')`, `^true$`}},
	"Everything under /memories is read-only": {
		{`return await fs.readFile('/memories/note.md', 'utf8')`, `^remember$`},
		{`await fs.writeFile('/memories/note.md', 'x')`, `^Error: EROFS`},
		{`await fs.rm('/memories', {recursive: true})`, `^Error: EROFS`},
	},
	"The result says which files were created, changed or deleted": {
		{`await fs.writeFile('/said', 'x')`, `\nFiles: created /said$`},
		{`await fs.appendFile('/said', 'y')`, `\nFiles: changed /said$`},
		{`await fs.unlink('/said')`, `\nFiles: deleted /said$`},
	},
	"`import x from '/lib/x.js'`, `await import('./y.mjs')` and `require('/data/z.json')` load files of the project " +
		"(JavaScript, TypeScript, JSON)": {
		{`import x from '/lib/x.js'; return x`, `x$`},
		{`return (await import('./y.mjs')).default`, `y$`},
		{`return require('/data/z.json').z + typeof require('fs').readFile + require('path').join('a', '..', 'b')`,
			`zfunctionb$`},
		{`import {typed} from '/typed.ts'; return typed`, `5$`},
	},
	"There are no other packages, and none can be installed": {{`require('lodash')`, `lodash`},
		{`require('child_process')`, `^Error: `}},
	"The .js and .ts files that lie in /lib itself run before the code, in the order of their names, and share its " +
		"global scope; what they export is a global named after the file (/lib/date-utils.js is dateUtils)": {
		{`return globals + dateUtils.add(1, 2)`, `^a,b3$`},
	},
	"Nothing is loaded from /lib unless the code imports it": {
		{`return typeof globals + typeof dateUtils + require('/lib/date-utils.js').add(1, 2)`, `^undefinedundefined3$`},
	},
	"Code is stopped after 60 seconds, unless another time is set for the call, and when it uses more than 64 MiB of " +
		"memory": {
		{`for (;;);`, `^time limit exceeded: the script was stopped after 1s`},
		{`const a = []; for (;;) a.push(new Uint8Array(1e6))`, `^memory limit exceeded: the script may use 64 MiB`},
	},
	"Code is stopped after 60 seconds, unless another time is set for the call, and when it uses more than 16 MiB of " +
		"memory": {
		{`const a = []; for (;;) a.push(new Uint8Array(1e6))`, `^memory limit exceeded: the script may use 16 MiB`},
	},
	"Code can call the other tools: `await tools.NAME(input)`, several at once with Promise.all, 100 times in one " +
		"run at most": {
		{`return await tools.filesystem({command: 'view', path: '/data/sales.csv'})`,
			`^Here's the content of /data/sales.csv .*\n     1\ta,b\nTool calls: filesystem 1$`},
		{`return (await Promise.all([1, 2].map(() => tools.filesystem({command: 'view', path: '/'})))).length`,
			`^2\nTool calls: filesystem 2$`},
		{`let n = 0; try { for (;; n++) await tools.filesystem({command: 'view', path: '/'}) } catch { return n }`,
			`^100\n`},
	},
	"A call gives what the tool returns, text unless another type is declared here": {
		{`return typeof await tools.filesystem({command: 'view', path: '/'})`, `^string\n`},
	},
	"A call that fails throws an Error with the name ToolError, the tool's text as its message, and a `code`": {
		{`try { await tools.filesystem({command: 'view', path: '/nothing'}) } catch (e) {
			return [e instanceof Error, e.name, e.message, e.code].join() }`,
			`^true,ToolError,The path /nothing does not exist. Please provide a valid path.,tool_error\n`},
	},
	"Return a summary instead of printing a lot, and put large results into a file": nil,
	"Return a summary instead of printing a lot":                                    nil,
}

// TestDescription checks each sentence that models are told, with different options.
func TestDescription(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	r := newRegistry(t)
	spec, _ := r.Spec(javascript.Name)
	require.Equal(t, 60.0, spec.Timeout.Seconds())
	used := map[string]bool{}
	for i, options := range []map[string]any{
		{},
		{"loadLib": false, "language": "javascript"},
		{"language": "typescript", "memory": 16},
		{"toolCalls": true, "loadLib": false},
		{"language": "auto"},
		{"session": "main"},
		{"session": "main", "rollback": true},
		{"rollback": true},
	} {
		selection := registry.Selection{Options: map[string]map[string]any{javascript.Name: options}, NoProject: i == 4}
		definitions, err := r.Definitions(tool.Anthropic, selection)
		require.NoError(t, err)
		for _, sentence := range sentences(definitions[0].Description) {
			t.Run(fmt.Sprint(options, " ", sentence), func(t *testing.T) {
				claims, ok := claims[sentence]
				require.True(t, ok, "nothing shows that this is true: %s", sentence)
				if used[sentence] && strings.HasPrefix(sentence, "Code is stopped") { // which takes a second each time
					return
				}
				used[sentence] = true
				env := newEnv(t)
				env.Selection = selection
				for name, content := range map[string]string{
					"/data/sales.csv": "a,b", "/data/z.json": `{"z": "z"}`, "/memories/note.md": "remember",
					"/y.mjs":    "export default 'y'",
					"/lib/x.js": "export default 'x'", "/typed.ts": "export const typed: number = 5",
					"/lib/date-utils.js": "module.exports = {add: (a, b) => a + b}",
					"/lib/0b.ts":         "globals += ',b' as string", "/lib/0a.js": "var globals = 'a'",
				} {
					require.NoError(t, env.Files.MkdirAll("/data", 0o755))
					require.NoError(t, env.Files.MkdirAll("/lib", 0o755))
					require.NoError(t, env.Files.MkdirAll("/memories", 0o755))
					require.NoError(t, afero.WriteFile(env.Files, name, []byte(content), 0o644))
				}
				if selection.NoProject {
					env.Files = nil
				}
				for _, c := range claims {
					env.Limits.Timeout = 0
					if strings.Contains(c.want, "after 1s") {
						env.Limits.Timeout = 1e9
					}
					require.Regexp(t, c.want, run(t, r, env, c.code).Text(), c.code)
				}
			})
		}
	}
	for sentence := range claims {
		require.True(t, used[sentence], "this is not said: %s", sentence)
	}
}

// TestDescriptionOverMCP checks that models are told the time limit that code has there.
func TestDescriptionOverMCP(t *testing.T) {
	definitions, err := newRegistry(t).Definitions(tool.MCP, registry.Selection{Mode: tool.ModeMCP})
	require.NoError(t, err)
	require.Contains(t, definitions[0].Description, "Code is stopped after 50 seconds")
}

// sentences splits a text into its sentences, without their full stops.
func sentences(text string) (list []string) {
	text = regexp.MustCompile("(?s)```.*?```").ReplaceAllString(text, "")
	for _, s := range regexp.MustCompile(`\.(\s+|$)`).Split(text, -1) {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	return list
}
