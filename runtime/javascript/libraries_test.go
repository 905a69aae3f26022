package javascript_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// TestLibrariesThatEnd has libraries that end, after which the others are loaded and the script runs.
func TestLibrariesThatEnd(t *testing.T) {
	halted := " (/lib/a.js called halt, which ends that library only)"
	exited := " (/lib/a.js called process.exit, which ends that library only)"
	for name, test := range map[string]struct {
		library string
		console []string // what the library has left on the console
	}{
		"halt": {`halt('enough'); console.log('after')`, []string{"enough" + halted}},
		"halt that is caught": {
			`try { halt('enough') } catch { console.log('caught') } finally { console.log('finally') }`,
			[]string{"enough" + halted},
		},
		"halt in a callback": {`[1, 2].forEach(() => halt('enough'))`, []string{"enough" + halted}},
		"halt in a job": {
			`Promise.resolve().then(() => halt('enough')); queueMicrotask(() => console.log('other'))`,
			[]string{"enough" + halted, "other"},
		},
		"halt after await": {`(async () => { await 0; halt('enough') })().catch((e) => { globalThis.kept = e })`,
			[]string{"enough" + halted}},
		"halt in nextTick": {
			`process.nextTick(() => halt('enough')); process.nextTick(() => console.log('other'))`,
			[]string{"enough" + halted, "other"},
		},
		"halt with a placeholder": {`halt('%s %d')`, []string{"%s %d" + halted}},
		"exit": {`console.log('before'); process.exit(); console.log('after')`, []string{"before",
			"exit 0" + exited}},
		"exit with a status": {`process.exit(3)`, []string{"exit 3" + exited}},
		"exitCode and exit":  {`process.exitCode = 3; process.exit()`, []string{"exit 3" + exited}},
		"exit with a listener": {`process.once('exit', (c) => console.log('exit', c)); process.exit(4)`,
			[]string{"exit 4", "exit 4" + exited}},
		"abort":           {`process.abort()`, []string{"exit 134" + exited}},
		"an ES module":    {`export const x = 1; halt('enough')`, []string{"enough" + halted}},
		"a CommonJS file": {`exports.x = 1; process.exit(1)`, []string{"exit 1" + exited}},
		"an exception":    {`throw 'x'`, []string{"x"}},
	} {
		t.Run(name, func(t *testing.T) {
			options := javascript.RunOptions{Libraries: []string{"/lib"}, Files: filesWith(t, map[string]string{
				"/lib/a.js": test.library,
				"/lib/b.js": `var later = 'loaded'; process.on('exit', (code) => console.log('end', code))`,
			})}
			for range 2 {
				result := run(
					t, `process.nextTick(() => console.log('tick')); await new Promise((r) => setTimeout(r, 1));
						return later`,
					options,
				)
				require.Equal(t, "loaded", result.Text)
				var library, script []string
				for _, e := range result.Console {
					if e.Library != "" {
						require.Equal(t, "a.js", e.Library)
						library = append(library, e.Text)
					} else {
						script = append(script, e.Text)
					}
				}
				require.Equal(t, test.console, library)
				require.Equal(t, []string{"tick", "end 0"}, script)
			}
			_, err := tryRun(t, `halt('mine')`, options)
			require.ErrorIs(t, err, javascript.ErrHalted)
		})
	}
}

// TestLibrariesWithoutEnd has libraries that use up what a run may have.
func TestLibrariesWithoutEnd(t *testing.T) {
	const floods = `const a = []; for (;;) a.push(new Array(10_000).fill(0))`
	small := sandbox.Limits{Memory: 8 << 20}
	files := func(contents map[string]string) javascript.RunOptions {
		contents["/lib/m.js"] = `var later = 'loaded'`
		return javascript.RunOptions{Files: filesWith(t, contents), Libraries: []string{"/lib"}, Limits: small}
	}
	t.Run("memory", func(t *testing.T) {
		options := files(map[string]string{"/lib/a.js": floods, "/lib/early.js": "var early = 1", "/lib/z.js": floods})
		result := run(t, `return later + early`, options)
		require.Equal(t, "loaded1", result.Text)
		require.Equal(t, []sandbox.Entry{
			{Level: sandbox.LevelError, Library: "a.js", Text: "/lib/a.js is left out: memory limit exceeded: the " +
				"script may use 8 MiB. Keep less data at a time."},
			{Level: sandbox.LevelError, Library: "z.js", Text: "/lib/z.js is left out: memory limit exceeded: the " +
				"script may use 8 MiB. Keep less data at a time."},
		}, result.Console)
	})
	for name, test := range map[string]struct {
		library string
		limits  sandbox.Limits
		limit   sandbox.Limit
	}{
		"memory after an effect":      {`console.log('x'); ` + floods, small, sandbox.LimitMemory},
		"memory with a limit on work": {floods, sandbox.Limits{Memory: 8 << 20, Work: 1 << 40}, sandbox.LimitMemory},
		"time":                        {`for (;;);`, sandbox.Limits{Time: 20 * time.Millisecond}, sandbox.LimitTime},
		"time in jobs": {`const again = () => Promise.resolve().then(again); again()`,
			sandbox.Limits{Time: 20 * time.Millisecond}, sandbox.LimitTime},
		"time in jobs after halt": {`const again = () => Promise.resolve().then(again); again(); halt()`,
			sandbox.Limits{Time: 20 * time.Millisecond}, sandbox.LimitTime},
		"time in a module": {`export const x = 1; for (;;);`, sandbox.Limits{Time: 20 * time.Millisecond},
			sandbox.LimitTime},
		"work": {`for (;;);`, sandbox.Limits{Work: 1 << 20}, sandbox.LimitWork},
	} {
		t.Run(name, func(t *testing.T) {
			options := files(map[string]string{"/lib/a.js": test.library})
			options.Limits = test.limits
			_, err := tryRun(t, `return 1`, options)
			broken, ok := errors.AsType[*javascript.LibraryError](err)
			for !ok && test.limit == sandbox.LimitTime && options.Limits.Time < time.Minute {
				options.Limits.Time *= 2 // the time was up before the library was begun
				_, err = tryRun(t, `return 1`, options)
				broken, ok = errors.AsType[*javascript.LibraryError](err)
			}
			require.True(t, ok, "%v", err)
			require.Equal(t, "/lib/a.js", broken.File)
			limit, ok := errors.AsType[*sandbox.LimitError](err)
			require.True(t, ok)
			require.Equal(t, test.limit, limit.Limit)
			require.EqualError(t, err, "/lib/a.js, which is loaded before the code, ended this run: "+limit.Error()+
				" Correct or delete /lib/a.js.")
			require.True(t, javascript.IsScriptFailure(err))
		})
	}
}
