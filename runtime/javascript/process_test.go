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
	t.Parallel()
	for name, test := range map[string]struct{ script, want string }{
		"is an emitter": {
			`const seen = []; process.on('x', (n) => seen.push(n)); process.emit('x', 5); return [seen,
				process instanceof require('events'), process === require('process'), String(process)].join()`,
			"5,true,true,[object process]",
		},
		"has a directory": {
			`try { process.chdir('/none') } catch (e) { return [process.cwd(), process.chdir('.'), e.message].join() }`,
			"/,,ENOENT: no such file or directory, chdir / -> '/none'",
		},
		"has an environment": {
			`process.env.A = 5; return [process.env.NODE_ENV, process.argv.join(' '),
				JSON.stringify(process.env), 'A' in process.env].join()`,
			`,/usr/bin/node /script.js,{"A":"5"},true`,
		},
		"has a next tick": {
			`const out = []; process.nextTick((a, b) => out.push(a + b), 'x', 'y');
				out.push('first'); await 0; await 0; return out.join()`,
			"first,xy",
		},
		"takes functions only": {`try { process.nextTick('x') } catch (e) { return e.code }`, "ERR_INVALID_ARG_TYPE"},
		"writes text and bytes": {
			`try { process.stdout.write(5) } catch (e) { return [e.code, process.stdout.write(
				Buffer.from('é').subarray(0, 1)), process.stdout.write(Buffer.from('é').subarray(1))].join() }`,
			"ERR_INVALID_ARG_TYPE,true,true",
		},
		"calls back": {
			`const out = []; out.push(process.stdout.write('x', () => out.push('done')));
				await 0; await 0; return out.join()`,
			"true,done",
		},
		"is a stream to pipe to": {
			`const {Readable} = require('stream'); const {pipeline} = require('stream/promises');
				Readable.from(['a']).pipe(process.stdout);
				await pipeline(Readable.from(['b']), process.stdout, {end: false}); return process.stdout.isTTY`,
			"false",
		},
		"has an empty input": {
			`let text = ''; for await (const chunk of process.stdin) text += chunk; return text.length`, "0",
		},
		"has times": {
			`const a = process.hrtime(), b = process.hrtime.bigint(); const d = process.hrtime(a);
				return [a.length, typeof b, d[0] >= 0, process.uptime() >= 0, process.cpuUsage().user >= 0].join()`,
			"2,bigint,true,true,true",
		},
		"has memory": {
			`const {rss} = process.memoryUsage();
				return rss > 1e6 && rss <= 64 << 20 && process.memoryUsage.rss() >= rss`,
			"true",
		},
		"has no processes": {
			`return ['kill', 'binding', 'dlopen', 'setuid'].map((n) => {
				try { process[n](1) } catch (e) { return e.code } }).join()`,
			"ERR_FEATURE_UNAVAILABLE_ON_PLATFORM,ERR_FEATURE_UNAVAILABLE_ON_PLATFORM," +
				"ERR_FEATURE_UNAVAILABLE_ON_PLATFORM,ERR_FEATURE_UNAVAILABLE_ON_PLATFORM",
		},
		"refuses exit codes": {
			`return ['x', 1.5, {}, true].map((c) => {
				try { process.exitCode = c } catch (e) { return e.code } }).join()`,
			"ERR_INVALID_ARG_TYPE,ERR_OUT_OF_RANGE,ERR_INVALID_ARG_TYPE,ERR_INVALID_ARG_TYPE",
		},
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
		"a line": {`process.stdout.write('a b\n')`, []sandbox.Entry{log("a b")}},
		"pieces of a line": {`process.stdout.write('a'); process.stdout.write(''); process.stdout.write('é\nb')`,
			[]sandbox.Entry{log("aé"), open("b")}},
		"several lines": {`process.stdout.write('a\n\nb\n')`, []sandbox.Entry{log("a"), log(""),
			log("b")}},
		"errors": {`process.stderr.write('bad\n')`, []sandbox.Entry{failed("bad")}},
		"both": {`process.stdout.write('a'); process.stderr.write('b\n'); process.stdout.write('c')`,
			[]sandbox.Entry{open("a"), failed("b"), open("c")}},
		"before entries of console": {`process.stdout.write('a'); console.log('b'); process.stdout.write('c\n')`,
			[]sandbox.Entry{open("a"), log("b"), log("c")}},
		"with what is no whole text": {`process.stdout.write('\ud83d\0\n')`, []sandbox.Entry{log("\ufffd\x00")}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, run(t, test.script).Console) })
	}
	t.Run("a line that is not ended when the run is", func(t *testing.T) {
		result, err := tryRun(t, `process.stdout.write('working...'); for (;;);`,
			javascript.RunOptions{Limits: sandbox.Limits{Work: 10_000_000}})
		require.Error(t, err)
		require.Equal(t, []sandbox.Entry{open("working...")}, result.Console)
	})
	t.Run("within the limit", func(t *testing.T) {
		small := javascript.RunOptions{Limits: sandbox.Limits{Output: 100}}
		result := run(
			t, `for (let i = 0; i < 1000; i++) process.stdout.write('x'.repeat(i % 2));
				process.stdout.write('x'.repeat(1000))`,
			small,
		)
		require.Equal(t, []sandbox.Entry{open(strings.Repeat("x", 75))}, result.Console)
		require.EqualValues(t, 1425, result.Truncated)
		result = run(t, `for (let i = 0; i < 1000; i++) process.stdout.write('\n')`, small)
		require.LessOrEqual(t, len(result.Console), 10)
	})
}

// TestZoneOfTheProcess says that the zone stays the same, to who changes it.
func TestZoneOfTheProcess(t *testing.T) {
	require.Empty(t, run(t, `process.env.TZ = 'UTC'; process.env.TZ = 'Etc/GMT'`).Console)
	result := run(t, `process.env.TZ = 'Asia/Tokyo'; return new Date(0).getHours()`)
	require.EqualValues(t, 0, result.Value)
	require.Equal(t, []sandbox.Entry{{Level: sandbox.LevelWarn, Text: "The local time is UTC, whatever " +
		"process.env.TZ says: use toLocaleString or Intl.DateTimeFormat with a timeZone, such as 'Europe/Oslo'"}},
		result.Console)
}

// TestLibrariesTakeThisForNode tries the ways in which libraries find out where they are.
func TestLibrariesTakeThisForNode(t *testing.T) {
	for name, detection := range map[string]string{
		"versions": `typeof process === 'object' && process.versions != null && process.versions.node != null`,
		"the tag": `Object.prototype.toString.call(typeof process !== 'undefined'
			? process : 0) === '[object process]'`,
		"the text":      `process + '' === '[object process]'`,
		"the version":   `/^v\d/.test(process.version)`,
		"not a browser": `typeof process !== 'undefined' && !!process.nextTick && !process.browser`,
		"the release":   `!!process.release && process.release.name === 'node'`,
		"the platform":  `process.platform !== undefined`,
		"bindings":      `!!process.binding`,
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, "true", run(t, `return `+detection).Text) })
	}
}

func TestExit(t *testing.T) {
	before := []sandbox.Entry{{Level: sandbox.LevelLog, Text: "before"}}
	for name, test := range map[string]struct{ script, want string }{
		"ends a run":      {`console.log('before'); process.exit(0); console.log('after')`, "undefined"},
		"needs no status": {`console.log('before'); process.exit(); console.log('after')`, "undefined"},
		"cannot be caught": {
			`console.log('before'); try { process.exit(0) } catch {} finally { console.log('after') }`, "undefined",
		},
		"after main": {
			`async function main() { console.log('before') } main().then(() => process.exit(0));
				await new Promise(() => {})`,
			"undefined",
		},
		"leaves what is returned": {
			`console.log('before'); setTimeout(() => process.exit(0));
				setTimeout(() => console.log('after'), 5); return 'result'`,
			"result",
		},
		"does not wait": {`console.log('before'); setTimeout(() => {}, 1e6); process.exit(0)`, "undefined"},
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
}

// How a run ends can be heard, and changed.
func TestExitListeners(t *testing.T) {
	for name, test := range map[string]struct {
		script, text string
		console      []string
		err          string
	}{
		"the end": {`process.on('exit', (c) => console.log('exit', c));
			process.on('beforeExit', (c) => console.log('before', c));
			setTimeout(() => console.log('timer'), 1); return 5`,
			"5", []string{"timer", "before 0", "exit 0"}, ""},
		"more to do before the end": {
			`let n = 0; process.on('beforeExit', () => { if (n++ < 2) setTimeout(() => console.log('more'), 1) });
				process.on('exit', () => console.log(n)); return 5`,
			"5", []string{"more", "more", "3"}, ""},
		"an exit code": {`process.exitCode = 3; process.on('exit', (c) => console.log(c)); return 5`,
			"5", []string{"3"}, "the script exited with status 3. Use return for a result, and throw an Error for a " +
				"failure."},
		"an exit code that is changed at the end": {
			`process.exitCode = 3; process.on('exit', () => { process.exitCode = 0 }); return 5`, "5", nil, "",
		},
		"an exit": {`process.on('exit', (c) => { console.log(c, process.exitCode); process.exit(4) }); process.exit(2)`,
			"", []string{"2 2"}, "the script exited with status 4. Use return for a result, and throw an Error for a " +
				"failure."},
		"an error": {`process.on('exit', (c) => console.log(c)); throw 'x'`, "", []string{"1"}, "x"},
		"an uncaught error": {`process.on('exit', (c) => console.log(c)); setTimeout(() => { throw 'x' })`,
			"undefined", []string{"1"}, "Uncaught x"},
		"what never settles": {`process.on('exit', (c) => console.log(c)); await new Promise(() => {})`, "",
			[]string{"13"}, javascript.ErrNeverSettles.Error()},
		"errors that are heard": {
			`process.on('uncaughtException', (e, origin) => console.log(e, origin)); setTimeout(() => { throw 1 });
				setTimeout(() => { throw 2 }, 2); queueMicrotask(() => { throw 3 }); throw 4`,
			"undefined", []string{"3 uncaughtException", "4 uncaughtException", "1 uncaughtException",
				"2 uncaughtException"}, ""},
		"rejections that are heard": {
			`process.on('unhandledRejection', async (e, p) => console.log(e, await p.catch((e) => e + 1)));
				Promise.reject(1); return 5`,
			"5", []string{"1 2"}, "",
		},
		"rejections as exceptions": {
			`process.on('uncaughtException', (e, origin) => console.log(e.message, origin));
				Promise.reject(new Error('r')); return 5`,
			"5", []string{"r unhandledRejection"}, "",
		},
		"an error in the listener": {`process.on('uncaughtException', () => { throw 'again' }); throw 'x'`, "", nil,
			"Uncaught again"},
		"a monitor": {`process.on('uncaughtExceptionMonitor', (e) => console.log(e)); throw 'x'`, "",
			[]string{"x"}, "x"},
		"a module's error": {`process.on('uncaughtException', (e) => console.log(e)); export default 1; throw 'x'`,
			"undefined", []string{"x"}, ""},
		"a warning": {
			`process.on('warning', (w) => console.log(w.name, w.code));
				process.emitWarning('careful', 'W', 'C1'); await 0; return 5`,
			"5", []string{"(node:1) [C1] W: careful", "W C1"}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := tryRun(t, test.script)
			if test.err == "" {
				require.NoError(t, err)
			} else {
				require.EqualError(t, err, test.err)
			}
			require.Equal(t, test.text, result.Text)
			var console []string
			for _, e := range result.Console {
				console = append(console, e.Text)
			}
			require.Equal(t, test.console, console)
		})
	}
}
