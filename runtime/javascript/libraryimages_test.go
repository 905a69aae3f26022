package javascript

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
)

// librariesOf returns what is kept of the libraries of a run, or nil.
func librariesOf(t testing.TB, engine *testEngine, options *RunOptions) *script.Libraries {
	r := engine.begin(t, *options)
	defer r.End()
	require.NoError(t, r.encodeSetup())
	set, err := r.listLibraries(options.Files, nil)
	require.NoError(t, err)
	image := engine.program.Kept(set.key)
	if image == nil {
		return nil
	}
	return &image.State().(*imageState).libraries
}

func libraryFiles(t testing.TB, files map[string]string) afero.Fs {
	fs := afero.NewMemMapFs()
	for name, text := range files {
		require.NoError(t, afero.WriteFile(fs, name, []byte(text), 0o600))
	}
	return fs
}

// TestLibrariesAreKept runs scripts three times with libraries that can be kept, or cannot. Either way every run must
// see the same.
func TestLibrariesAreKept(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	for _, test := range []struct {
		name    string
		files   map[string]string
		script  string
		want    string
		kept    bool
		differs bool // the results of runs
	}{
		{"a script", map[string]string{"/lib/a.js": `var counter = 0; function next() { return ++counter }`},
			`next(); return next()`, "2", true, false},
		{"CommonJS with packages and data", map[string]string{
			"/lib/a.js": `exports.add = require('./helpers/add.cjs').add;
				exports.data = require('../data.json'); exports.is = require('is')`,
			"/lib/helpers/add.cjs":                 `exports.add = (a, b) => a + b`,
			"/lib/node_modules/is/package.json":    `{"main": "main.js"}`,
			"/lib/node_modules/is/main.js":         `module.exports = x => x === 1`,
			"/data.json":                           `{"x": [1, 2]}`,
			"/lib/node_modules/is/node_modules/.x": ``,
		}, `return [a.add(1, 2), a.data.x.length, a.is(1), require('/lib/a.js') === a].join()`, "3,2,true,true",
			true, false},
		{"ES modules", map[string]string{"/lib/es.js": `import {b} from './b.mjs';
			export const a = b + 1; export let live = 0; export function bump() { live++ }`,
			"/lib/b.mjs": `await null; export const b = 1`},
			`es.bump(); return [es.a, es.live, (await import('/lib/b.mjs')).b].join()`, "2,1,1", true, false},
		{"TypeScript, whose errors have lines", map[string]string{"/lib/t.ts": "interface X {}\n\n/* \u00e9 */ " +
			"export function fail(x: number) { throw new Error('at ' + x) }"},
			`try { t.fail(1) } catch (e) { console.log(e) }; return 1`, "1", true, false},
		{"a global function of the host", map[string]string{"/lib/a.js": `globalThis.twice = x => host(x) + host(x)`},
			`return twice('x')`, "xxxx", true, false},
		{"a timer", map[string]string{"/lib/a.js": `globalThis.fired = 0; setTimeout(() => { fired++ }, 1)`},
			`await new Promise(r => setTimeout(r, 20)); return fired`, "1", true, false},
		{"a promise that is waiting", map[string]string{
			"/lib/a.js": `globalThis.gate = new Promise(r => { globalThis.open = r }).then(x => x + 1)`,
		}, `open(1); return await gate`, "2", true, false},
		{"the time", map[string]string{"/lib/a.js": `const at = [Date.now(), performance.now()];
			globalThis.goesOn = () => Date.now() >= at[0] && performance.now() >= at[1]`},
			`return goesOn()`, "true", true, false},
		{
			"changed prototypes", map[string]string{"/lib/a.js": `Array.prototype.last = function () {
				return this[this.length - 1] }; Object.prototype.hasOwn = 1`},
			`return [1, 2].last()`, "2", true, false,
		},

		{"randomness", map[string]string{"/lib/a.js": `globalThis.r = Math.random()`}, `return r`, "", false, true},
		{"random bytes", map[string]string{"/lib/a.js": `globalThis.r = crypto.randomUUID()`}, `return r`, "",
			false, true},
		{"something printed", map[string]string{"/lib/a.js": `console.log('hello')`}, `return 1`, "1", false, false},
		{"a piece of a line printed", map[string]string{"/lib/a.js": `process.stdout.write('hello')`}, `return 1`, "1",
			false, false},
		{"an error", map[string]string{"/lib/a.js": `throw 1`, "/lib/b.js": `var b = 1`}, `return b`, "1",
			false, false},
		{"a rejection", map[string]string{"/lib/a.js": `Promise.reject(1)`}, `return 1`, "1", false, false},
		{
			"a module that is missing",
			map[string]string{"/lib/a.js": `try { require('./nothing') } catch {}; globalThis.a = 1`},
			`return a`,
			"1",
			true,
			false,
		},
		{"a file that is read", map[string]string{"/lib/a.js": `globalThis.text = fs.readFileSync('/data.txt', 'utf8')`,
			"/data.txt": "x"}, `return text`, "x", true, false},
		{"a file that is looked for", map[string]string{"/lib/a.js": `globalThis.there = [fs.existsSync('/data.txt'),
			fs.existsSync('/no'), fs.statSync('/no', {throwIfNoEntry: false})]`,
			"/data.txt": "x"}, `return there.join()`, "true,false,", true, false},
		{"a file that is looked at", map[string]string{"/lib/a.js": `globalThis.size = fs.statSync('/data.txt').size`,
			"/data.txt": "x"}, `return size`, "1", false, false},
		{"a folder that is listed", map[string]string{"/lib/a.js": `globalThis.names = fs.readdirSync('/d')`,
			"/d/x": ""}, `return names.join()`, "x", false, false},
		{"a file that is written", map[string]string{"/lib/a.js": `fs.appendFileSync('/log.txt', 'x')`},
			`return fs.statSync('/log.txt').size`, "", false, true},
		{"a call of the host", map[string]string{"/lib/a.js": `globalThis.v = host('y')`}, `return v`, "yy",
			false, false},
		{"an asynchronous call", map[string]string{"/lib/a.js": `globalThis.v = later('y')`}, `return await v`, "yy",
			false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			engine := cachedEngine(t, sandbox.EngineOptions{})
			double := func(_ context.Context, args []any) (any, error) { return fmt.Sprint(args[0], args[0]), nil }
			options := &RunOptions{
				Files: libraryFiles(t, test.files), Libraries: []string{"/lib"}, Limits: sandbox.Limits{Time: patient},
				Functions: []Function{{Name: "host", Call: double}, {Name: "later", Async: true, Call: double}},
			}
			var first *Result
			for i := range 3 {
				result, err := engine.Run(t.Context(), test.script, options)
				require.NoError(t, err)
				if first == nil {
					first = result
				} else if test.differs {
					require.NotEqual(t, first.Text, result.Text)
				} else {
					require.Equal(t, first.Text, result.Text, "run %d", i)
					require.Equal(t, first.Console, result.Console)
				}
				if test.want != "" {
					require.Equal(t, test.want, result.Text)
				}
				images := engine.engine.Stats().Images
				require.Equal(t, test.kept, images == 1)
				if strings.HasPrefix(test.name, "TypeScript") {
					require.Contains(t, result.Console[0].Text, "/lib/t.ts:3:67")
				}
			}
		})
	}
}

// TestImagesOfPackages has scripts that load modules first.
func TestImagesOfPackages(t *testing.T) {
	packages := map[string]string{
		"/node_modules/p/package.json": `{"main": "lib/p.js"}`,
		"/node_modules/p/lib/p.js": `globalThis.loads = (globalThis.loads ?? 0) + 1;
			exports.n = require('./q').n + 1; exports.count = () => loads; exports.path = require('path')`,
		"/node_modules/p/lib/q.js":     `exports.n = 1`,
		"/node_modules/m/package.json": `{"type": "module", "exports": "./m.js"}`,
		"/node_modules/m/m.js": `import {n} from 'p'; globalThis.loadsOfM = (globalThis.loadsOfM ?? 0) + 1;
			export const m = n + 1; export let changes = 0; export const change = () => ++changes;
			export default import.meta.url`,
		"/node_modules/optional/index.js": `try { require('nowhere') } catch (error) {
			exports.failed = error.message }`,
		"/node_modules/state/index.js":  `exports.list = []`,
		"/node_modules/random/index.js": `exports.r = Math.random()`,
		"/node_modules/bytes/index.js":  `exports.r = require('crypto').randomUUID()`,
		"/node_modules/prints/index.js": `console.log('loaded'); exports.x = 1`,
		"/node_modules/timed/index.js":  `exports.at = Date.now()`,
		"/node_modules/throws/index.js": `throw new Error('on purpose')`,
		"/node_modules/waits/index.mjs": `export const x = await new Promise((r) => setTimeout(r, 1, 5))`,
		"/node_modules/reads/index.js":  `exports.text = require('fs').readFileSync('/data.txt', 'utf8')`,
		"/node_modules/parent/index.js": `exports.of = [module.parent.id, require.main === module.parent]`,
		"/own.ts":                       `export const own: number = 7`,
		"/data.txt":                     "x",
	}
	for _, test := range []struct {
		name, script, want string
		kept, differs      bool
	}{
		{"require", `const p = require('p'); return [p.n, p.count(), require('p') === p].join()`, "2,1,true",
			true, false},
		{"an import declaration", `import {m, change} from 'm'; export default [m, change(), loadsOfM, loads].join()`,
			"3,1,1,1", true, false},
		{"the same, with return", `import url, {m} from 'm'; return m + url`, "3file:///node_modules/m/m.js",
			true, false},
		{"an awaited import", `const {m} = await import('m'); return [m, require('p').count()].join()`, "3,1",
			true, false},
		{"both kinds", `const p = require('p'); const m = (await import('m')).m; return [p.count(), m].join()`, "1,3",
			true, false},
		{
			"modules that wrap a file",
			`import {m} from 'm'; import p from 'p'; return [m, p.n, (await import('m')).m].join()`,
			"3,2,3",
			true,
			false,
		},
		{"a file of the project, in TypeScript", `import {own} from './own.ts'; const x: number = own; return x`, "7",
			true, false},
		{"a package that is not installed, and not needed", `return require('optional').failed.slice(0, 27)`, "",
			false, false},
		{"the same, first", `const o = require('optional'); return o.failed.slice(0, 28)`,
			`Cannot find module "nowhere"`, true, false},
		{"what the script changes", `const {list} = require('state'); list.push(1); return list.length`, "1",
			true, false},
		{"what the script is to modules", `const p = require('parent'); return p.of.join()`, ".,true", true, false},
		{"the time", `const {at} = require('timed'); return Date.now() >= at`, "true", true, false},

		{"randomness", `const {r} = require('random'); return r`, "", false, true},
		{"random bytes", `const {r} = require('bytes'); return r`, "", false, true},
		{"something printed", `const {x} = require('prints'); return x`, "1", false, false},
		{"a file that is read", `const {text} = require('reads'); return text`, "x", true, false},
		{"a module that waits", `import {x} from 'waits/index.mjs'; return x`, "5", false, false},
		{"not first", `const x = 1 + 1; return require('p').n`, "2", false, false},
		{"built-in modules alone", `const path = require('path'); return path.sep`, "/", false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			engine := cachedEngine(t, sandbox.EngineOptions{})
			options := &RunOptions{Files: libraryFiles(t, packages), Limits: sandbox.Limits{Time: patient}}
			var first *Result
			for range 3 {
				result, err := engine.Run(t.Context(), test.script, options)
				require.NoError(t, err)
				if first == nil {
					first = result
				} else if test.differs {
					require.NotEqual(t, first.Text, result.Text)
				} else {
					require.Equal(t, first.Text, result.Text)
					require.Equal(t, first.Console, result.Console)
				}
				if test.want != "" {
					require.Equal(t, test.want, result.Text)
				}
				require.Equal(t, test.kept, engine.engine.Stats().Images == 1)
			}
		})
	}
	t.Run("a module that throws", func(t *testing.T) {
		engine := cachedEngine(t, sandbox.EngineOptions{})
		options := &RunOptions{Files: libraryFiles(t, packages), Limits: sandbox.Limits{Time: patient}}
		for range 2 {
			_, err := engine.Run(t.Context(), `const x = require('throws')`, options)
			require.ErrorContains(t, err, "on purpose")
			require.Zero(t, engine.engine.Stats().Images)
		}
	})
}

// TestPackagesThatChange changes what an image was made of: it must not be used then.
func TestPackagesThatChange(t *testing.T) {
	engine := cachedEngine(t, sandbox.EngineOptions{})
	files := libraryFiles(t, map[string]string{
		"/node_modules/p/package.json": `{"main": "p.js"}`,
		"/node_modules/p/p.js": `let more = ''; try { more = require('more') } catch (error) {
			more = error.message.length } module.exports = 'p' + require('./q.js') + more`,
		"/node_modules/p/q.js":     `module.exports = 1`,
		"/node_modules/p/other.js": `module.exports = 'other'`,
	})
	see := func(want string) {
		t.Helper()
		for range 2 {
			result, err := engine.Run(t.Context(), `const p = require('p'); return p`, &RunOptions{Files: files})
			require.NoError(t, err)
			require.Regexp(t, want, result.Text)
		}
	}
	see(`^p1\d+$`)
	require.Equal(t, 1, engine.engine.Stats().Images)
	require.NoError(t, afero.WriteFile(files, "/node_modules/p/q.js", []byte(`module.exports = 2`), 0o600))
	see(`^p2\d+$`)
	require.NoError(t, afero.WriteFile(files, "/node_modules/more/index.js", []byte(`module.exports = 'more'`), 0o600))
	see("^p2more$")
	require.NoError(t, afero.WriteFile(files, "/node_modules/p/q.js",
		[]byte(`module.exports = require('fs').readFileSync('/data.txt') + require('fs').existsSync('/there')`), 0o600))
	require.NoError(t, afero.WriteFile(files, "/data.txt", []byte("a"), 0o600))
	see("^pafalsemore$")
	require.NoError(t, afero.WriteFile(files, "/data.txt", []byte("b"), 0o600))
	see("^pbfalsemore$")
	require.NoError(t, afero.WriteFile(files, "/there", nil, 0o600))
	see("^pbtruemore$")
	require.Equal(t, 1, engine.engine.Stats().Images)
	require.NoError(t, afero.WriteFile(files, "/node_modules/p/package.json", []byte(`{"main": "other.js"}`), 0o600))
	see("^other$")
	require.NoError(t, files.RemoveAll("/node_modules/p"))
	_, err := engine.Run(t.Context(), `const p = require('p'); return p`, &RunOptions{Files: files})
	require.ErrorContains(t, err, "Cannot find module")
}

func TestLibrariesThatChange(t *testing.T) {
	engine := cachedEngine(t, sandbox.EngineOptions{})
	files := libraryFiles(t, map[string]string{"/lib/a.js": `exports.v = 1 + require('./sub/b.js')`,
		"/lib/sub/b.js": `module.exports = 100`})
	options := &RunOptions{Files: files, Libraries: []string{"/lib"}}
	stamp := time.Now().Add(-time.Hour)
	write := func(name, text string) {
		require.NoError(t, afero.WriteFile(files, name, []byte(text), 0o600))
		require.NoError(t, files.Chtimes(name, stamp, stamp)) // times and sizes tell nothing
	}
	see := func(want string) {
		t.Helper()
		for range 2 {
			result, err := engine.Run(t.Context(), `return a.v`, options)
			require.NoError(t, err)
			require.Equal(t, want, result.Text)
		}
	}
	see("101")
	write("/lib/a.js", `exports.v = 2 + require('./sub/b.js')`)
	see("102")
	write("/lib/sub/b.js", `module.exports = 200`)
	see("202")
	write("/lib/sub/b.js", `module.exports = 1000`)
	see("1002")
	require.NoError(t, files.Remove("/lib/sub/b.js"))
	require.NoError(t, afero.WriteFile(files, "/lib/sub/b.js/index.js", []byte(`module.exports = 5`), 0o600))
	see("7")
	write("/lib/z.js", `a.v = 'replaced'`)
	see("replaced")
	require.NoError(t, files.Remove("/lib/a.js"))
	require.NoError(t, files.Remove("/lib/z.js"))
	result, err := engine.Run(t.Context(), `return typeof a`, options)
	require.NoError(t, err)
	require.Equal(t, "undefined", result.Text)
}

func TestLibrariesOfOthers(t *testing.T) {
	engine := cachedEngine(t, sandbox.EngineOptions{})
	project := func(text string) *RunOptions {
		return &RunOptions{Files: libraryFiles(t, map[string]string{"/lib/a.js": text}), Libraries: []string{"/lib"}}
	}
	run := func(o *RunOptions, script string) string {
		t.Helper()
		result, err := engine.Run(t.Context(), script, o)
		require.NoError(t, err)
		return result.Text
	}
	t.Run("with the same name and size", func(t *testing.T) {
		one, two := project(`var who = 'one'`), project(`var who = 'two'`)
		for range 3 {
			require.Equal(t, "one", run(one, `return who`))
			require.Equal(t, "two", run(two, `return who`))
		}
	})
	t.Run("with the same content", func(t *testing.T) {
		one, two := project(`var list = []`), project(`var list = []`)
		for range 3 {
			require.Equal(t, "1", run(one, `return list.push('secret of one')`))
			require.Equal(t, "1", run(two, `return list.push(1)`))
		}
	})
	t.Run("with other globals and functions", func(t *testing.T) {
		o := project(`var who = name + typeof extra`)
		o.Globals = map[string]any{"name": "a"}
		require.Equal(t, "aundefined", run(o, `return who`))
		o.Globals = map[string]any{"name": "b"}
		require.Equal(t, "bundefined", run(o, `return who`))
		o.Globals = map[string]any{"name": []byte("b")}
		require.Equal(t, "98undefined", run(o, `return who`))
		o.Globals = map[string]any{"name": []byte("c")}
		require.Equal(t, "99undefined", run(o, `return who`))
		o.Functions = []Function{{Name: "extra", Call: func(context.Context, []any) (any, error) { return 1, nil }}}
		require.Equal(t, "99function", run(o, `return who`))
		o.Functions = []Function{{Name: "extra", Call: func(context.Context, []any) (any, error) { return 2, nil }}}
		require.Equal(t, "2", run(o, `return extra()`), "functions are the run's own")
		require.Equal(t, "2", run(o, `return extra()`))
	})
	t.Run("in sandboxes with random numbers of their own", func(t *testing.T) {
		o := project(`var x = 1`)
		seen := map[string]bool{}
		for range 20 {
			seen[run(o, `return Math.random() + crypto.randomUUID()`)] = true
			seen[run(o, `return Math.random()`)] = true
		}
		require.Len(t, seen, 40)
	})
	t.Run("with less memory", func(t *testing.T) {
		o := project(`var data = new Uint8Array(6e6)`)
		for range 2 {
			require.Equal(t, "6000000", run(o, `return data.length`))
		}
		o.Limits.Memory = sandbox.MinMemory
		result, err := engine.Run(t.Context(), `return 1`, o)
		require.True(t, err == nil && len(result.Console) == 1 || IsScriptFailure(err), "%v", err)
	})
	t.Run("with less work", func(t *testing.T) {
		o := project(`var data = 0; for (let i = 0; i < 100000; i++) data += i`)
		o.Limits.Work = 20_000_000
		for range 2 {
			require.Equal(t, "4999950000", run(o, `return data`))
		}
		o.Limits.Work = 100_000
		for range 2 {
			_, err := engine.Run(t.Context(), `return 1`, o)
			limit, ok := errors.AsType[*sandbox.LimitError](err)
			require.True(t, ok, "%v", err)
			require.Equal(t, sandbox.LimitWork, limit.Limit)
		}
	})
	t.Run("do not age unless they have asked for the time", func(t *testing.T) {
		engine := cachedEngine(t, sandbox.EngineOptions{})
		for text, same := range map[string]bool{`var t = 1`: true, `var t = Date.now()`: false,
			`var t = +new Date()`: false, `var t = performance.now()`: false} {
			o := project(text)
			first, err := engine.Run(t.Context(), `return t`, o)
			require.NoError(t, err)
			second, err := engine.Run(t.Context(), `return t`, o)
			require.NoError(t, err)
			require.Equal(t, first.Text, second.Text)
			loaded := librariesOf(t, engine, o)
			loaded.Made = loaded.Made.Add(-2 * script.MaxLibraryAge)
			third, err := engine.Run(t.Context(), `return typeof t`, o)
			require.NoError(t, err)
			require.Equal(t, "number", third.Text)
			require.Equal(t, same, loaded == librariesOf(t, engine, o), text)
		}
	})
}

func TestLibrariesAreBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	project := func(i int) *RunOptions {
		text := fmt.Sprintf(`var who = '%s'`, strings.Repeat("x", i))
		return &RunOptions{Files: libraryFiles(t, map[string]string{"/lib/a.js": text}), Libraries: []string{"/lib"}}
	}
	run := func(e *testEngine, i int) {
		result, err := e.Run(context.Background(), `return who.length`, project(i))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(i), result.Text)
	}
	t.Run("in bytes", func(t *testing.T) {
		const most = 8 << 20
		engine := cachedEngine(t, sandbox.EngineOptions{ImageMemory: most})
		for i := range 40 {
			run(engine, i)
			size := engine.engine.Stats().ImageMemory
			require.LessOrEqual(t, size, int64(most))
		}
		n := engine.engine.Stats().Images
		require.Greater(t, n, 2)
	})
	t.Run("in number", func(t *testing.T) {
		const most = 64 // each is an open file
		engine := cachedEngine(t, sandbox.EngineOptions{ImageMemory: 1 << 30})
		for i := range most + 5 {
			run(engine, i)
		}
		require.Equal(t, most, engine.engine.Stats().Images)
		run(engine, 0)
	})
	t.Run("by what is not used", func(t *testing.T) {
		engine := cachedEngine(t, sandbox.EngineOptions{ImageMemory: 8 << 20})
		run(engine, 0)
		keep := project(0)
		_, err := engine.Run(t.Context(), `return 1`, keep)
		require.NoError(t, err)
		kept := librariesOf(t, engine, keep)
		require.NotNil(t, kept)
		for i := 1; i < 20; i++ {
			run(engine, i)
			require.Same(t, kept, librariesOf(t, engine, keep), "found, and not made anew")
			_, err := engine.Run(t.Context(), `return 1`, keep)
			require.NoError(t, err)
		}
	})
	t.Run("and there may be room for none", func(t *testing.T) {
		engine := cachedEngine(t, sandbox.EngineOptions{ImageMemory: 1})
		run(engine, 3)
		run(engine, 3)
		require.Zero(t, engine.engine.Stats().Images)
		require.Zero(t, engine.engine.Stats().ImageMemory)
	})
	t.Run("while they are in use", func(t *testing.T) {
		engine := cachedEngine(t, sandbox.EngineOptions{ImageMemory: 6 << 20, MaxRuns: 8})
		var runs sync.WaitGroup
		for worker := range 8 {
			runs.Go(func() {
				for i := range 15 {
					run(engine, (worker*3+i)%9)
				}
			})
		}
		runs.Wait()
		size := engine.engine.Stats().ImageMemory
		require.LessOrEqual(t, size, int64(6<<20))
	})
	t.Run("and nothing is left of them", func(t *testing.T) {
		// Sandboxes of other engines come and go, but have images that are there.
		images := func() map[string]bool {
			mappings, err := os.ReadFile("/proc/self/maps")
			if err != nil {
				t.Skip("mappings are not known on this system")
			}
			found := map[string]bool{}
			for line := range strings.Lines(string(mappings)) {
				if fields := strings.Fields(line); strings.Contains(line, "memfd:toolrun") {
					found[fields[4]] = true // the inode
				}
			}
			return found
		}
		before := images()
		engine, err := newTestEngine(sandbox.EngineOptions{})
		require.NoError(t, err)
		for i := range 5 {
			run(engine, i)
			run(engine, i)
		}
		added := images()
		maps.DeleteFunc(added, func(inode string, _ bool) bool { return before[inode] })
		require.NotEmpty(t, added)
		require.NoError(t, engine.Close(context.Background()))
		for inode := range images() {
			require.NotContains(t, added, inode)
		}
	})
}

// hostileFiles change each time they are looked at, or cannot be looked at a second time.
type hostileFiles struct {
	afero.Fs
	stat func(name string, n int) error
	n    atomic.Int32
}

func (f *hostileFiles) Stat(name string) (os.FileInfo, error) {
	if err := f.stat(name, int(f.n.Add(1))); err != nil {
		return nil, err
	}
	return f.Fs.Stat(name)
}

func TestLibrariesInHostileFiles(t *testing.T) {
	engine := cachedEngine(t, sandbox.EngineOptions{})
	base := libraryFiles(t, map[string]string{"/lib/a.js": `var x = 1`})
	for name, stat := range map[string]func(string, int) error{
		"panics": func(_ string, n int) error {
			if n > 2 {
				panic("no")
			}
			return nil
		},
		"fails": func(_ string, n int) error {
			if n > 2 {
				return errors.New("no")
			}
			return nil
		},
		"ends it": func(_ string, n int) error {
			if n > 2 {
				select {}
			}
			return nil
		},
	} {
		files := &hostileFiles{Fs: base, stat: stat}
		for range 4 {
			result, err := engine.Run(t.Context(), `return typeof x`, &RunOptions{Files: files,
				Libraries: []string{"/lib"}, Limits: sandbox.Limits{Time: 20 * time.Millisecond}})
			require.NotNil(t, result, name)
			require.True(t, err == nil || IsScriptFailure(err), "%s: %v", name, err)
		}
	}
}
