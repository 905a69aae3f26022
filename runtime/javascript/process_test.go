package javascript_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

func TestProcess(t *testing.T) {
	for name, test := range map[string]struct{ script, want string }{
		"is small":             {`return Object.keys(process).join()`, "title,browser,version,versions,argv,env,stdout,stderr,cwd,exit,nextTick"},
		"has a directory":      {`return process.cwd()`, "/"},
		"has no environment":   {`return [process.env.NODE_ENV, process.argv.length, Object.keys(process.env).length].join()`, ",0,0"},
		"has a next tick":      {`const out = []; process.nextTick((a, b) => out.push(a + b), 'x', 'y'); out.push('first'); await 0; await 0; return out.join()`, "first,xy"},
		"takes functions only": {`try { process.nextTick('x') } catch (e) { return e.name }`, "TypeError"},
		"writes text only":     {`try { process.stdout.write(5) } catch (e) { return e.name }`, "TypeError"},
		"calls back":           {`const out = []; out.push(process.stdout.write('x', () => out.push('done')));  await 0; await 0; return out.join()`, "true,done"},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, run(t, test.script).Text) })
	}
}

func TestProcessWritesToTheConsole(t *testing.T) {
	log := func(text string) sandbox.Entry { return sandbox.Entry{Level: sandbox.LevelLog, Text: text} }
	open := func(text string) sandbox.Entry {
		return sandbox.Entry{Level: sandbox.LevelLog, Text: text, Unfinished: true}
	}
	failed := func(text string) sandbox.Entry { return sandbox.Entry{Level: sandbox.LevelError, Text: text} }
	for name, test := range map[string]struct {
		script string
		want   []sandbox.Entry
	}{
		"a line":                     {`process.stdout.write('a b\n')`, []sandbox.Entry{log("a b")}},
		"pieces of a line":           {`process.stdout.write('a'); process.stdout.write(''); process.stdout.write('é\nb')`, []sandbox.Entry{log("aé"), open("b")}},
		"several lines":              {`process.stdout.write('a\n\nb\n')`, []sandbox.Entry{log("a"), log(""), log("b")}},
		"errors":                     {`process.stderr.write('bad\n')`, []sandbox.Entry{failed("bad")}},
		"both":                       {`process.stdout.write('a'); process.stderr.write('b\n'); process.stdout.write('c')`, []sandbox.Entry{open("a"), failed("b"), open("c")}},
		"before entries of console":  {`process.stdout.write('a'); console.log('b'); process.stdout.write('c\n')`, []sandbox.Entry{open("a"), log("b"), log("c")}},
		"with what is no whole text": {`process.stdout.write('\ud83d\0\n')`, []sandbox.Entry{log("\ufffd\x00")}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, run(t, test.script).Console) })
	}
	t.Run("a line that is not ended when the run is", func(t *testing.T) {
		result, err := tryRun(t, `process.stdout.write('working...'); for (;;);`, javascript.RunOptions{Limits: sandbox.Limits{Work: 10_000_000}})
		require.Error(t, err)
		require.Equal(t, []sandbox.Entry{open("working...")}, result.Console)
	})
	t.Run("within the limit", func(t *testing.T) {
		small := javascript.RunOptions{Limits: sandbox.Limits{Output: 100}}
		result := run(t, `for (let i = 0; i < 1000; i++) process.stdout.write('x'.repeat(i % 2)); process.stdout.write('x'.repeat(1000))`, small)
		require.Equal(t, []sandbox.Entry{open(strings.Repeat("x", 75))}, result.Console)
		require.EqualValues(t, 1425, result.Truncated)
		result = run(t, `for (let i = 0; i < 1000; i++) process.stdout.write('\n')`, small)
		require.LessOrEqual(t, len(result.Console), 10)
	})
}

// TestLibrariesDoNotTakeThisForNode tries the ways in which libraries find out where they are.
func TestLibrariesDoNotTakeThisForNode(t *testing.T) {
	for name, detection := range map[string]string{
		"versions":      `typeof process === 'object' && process.versions != null && process.versions.node != null`,
		"the tag":       `Object.prototype.toString.call(typeof process !== 'undefined' ? process : 0) === '[object process]'`,
		"the text":      `process + '' === '[object process]'`,
		"the version":   `/^v\d/.test(process.version)`,
		"not a browser": `typeof process !== 'undefined' && !!process.nextTick && !process.browser`,
		"the release":   `!!process.release && process.release.name === 'node'`,
		"the platform":  `process.platform !== undefined`,
		"bindings":      `!!process.binding`,
		"global":        `typeof global !== 'undefined'`,
		"Buffer":        `typeof Buffer !== 'undefined'`,
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, "false", run(t, `return `+detection).Text) })
	}
}

func TestExit(t *testing.T) {
	before := []sandbox.Entry{{Level: sandbox.LevelLog, Text: "before"}}
	for name, test := range map[string]struct{ script, want string }{
		"ends a run":              {`console.log('before'); process.exit(0); console.log('after')`, "undefined"},
		"needs no status":         {`console.log('before'); process.exit(); console.log('after')`, "undefined"},
		"cannot be caught":        {`console.log('before'); try { process.exit(0) } catch {} finally { console.log('after') }`, "undefined"},
		"after main":              {`async function main() { console.log('before') } main().then(() => process.exit(0)); await new Promise(() => {})`, "undefined"},
		"leaves what is returned": {`console.log('before'); setTimeout(() => process.exit(0)); setTimeout(() => console.log('after'), 5); return 'result'`, "result"},
		"does not wait":           {`console.log('before'); setTimeout(() => {}, 1e6); process.exit(0)`, "undefined"},
		"takes nothing for zero":  {`console.log('before'); process.exit({})`, "undefined"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := run(t, test.script)
			require.Equal(t, test.want, result.Text)
			require.Equal(t, before, result.Console)
		})
	}
	for name, script := range map[string]string{
		"with a status":                 `console.log('before'); process.exit(3)`,
		"with a status after a result":  `console.log('before'); setTimeout(() => process.exit(3)); return 1`,
		"in the middle of an exception": `console.log('before'); try { throw 1 } finally { process.exit('3') }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := tryRun(t, script)
			exit, ok := errors.AsType[*javascript.ExitError](err)
			require.True(t, ok, err)
			require.Equal(t, 3, exit.Code)
			require.Equal(t, before, result.Console)
		})
	}
	t.Run("by a library is a failure", func(t *testing.T) {
		_, err := tryRun(t, `return 1`, javascript.RunOptions{Files: filesWith(t, map[string]string{"/lib/a.js": "process.exit(0)"}), Libraries: []string{"/lib"}})
		require.EqualError(t, err, "the script exited with status 0. Use return for a result, and throw an Error for a failure.")
	})
}
