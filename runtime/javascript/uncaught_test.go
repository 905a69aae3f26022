package javascript_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// What nobody catches ends the run, as in Node, and what was printed and returned before is there.
func TestUncaught(t *testing.T) {
	for name, test := range map[string]struct{ script, text, err string }{
		"an error that nobody awaits": {"async function main() {\n  null.x\n}\nconsole.log('before'); main()",
			"undefined", "Uncaught (in promise) TypeError: Cannot read properties of null (reading 'x')\n    at main " +
				"(script.js:2:3)\n    at <anonymous> (script.js:4:24)"},
		"a rejection that nobody handles": {
			`console.log('before'); Promise.reject('r'); await new Promise((r) => setTimeout(r, 5));
				console.log('after')`,
			"",
			"Uncaught (in promise) r",
		},
		"a rejection after the result": {
			`console.log('before'); new Promise((_, reject) => setTimeout(reject, 1, {a: 1}));
				setTimeout(() => console.log('after'), 5); return 1`,
			"1",
			"Uncaught (in promise) {\n  \"a\": 1\n}",
		},
		"a rejection that is handled late": {
			`console.log('before'); const p = Promise.reject(1); await new Promise((r) => setTimeout(r, 1));
				p.catch(() => {}); return 2`,
			"",
			"Uncaught (in promise) 1",
		},
		"the first of several rejections": {`console.log('before'); Promise.reject(1); Promise.reject(2)`,
			"undefined", "Uncaught (in promise) 1"},
		"a throw in a timer": {
			`console.log('before'); setTimeout(() => { throw new Error('late') }, 0)`,
			"undefined",
			"Uncaught Error: late\n    at <anonymous> (script.js:1:53)",
		},
		"a throw in an interval": {
			`console.log('before'); let n = 0; setInterval(() => { if (++n > 2) throw n })`, "undefined", "Uncaught 3",
		},
		"a throw in a microtask": {
			`console.log('before'); queueMicrotask(() => { throw 'm' }); await 0; await 0; console.log('after')`,
			"",
			"Uncaught m",
		},
		"a throw in the next tick": {
			`console.log('before'); process.nextTick(() => { throw 't' }); await 0; console.log('after')`,
			"",
			"Uncaught t",
		},
		"a throw in a callback of fs": {
			`console.log('before'); fs.stat('/', () => { throw new Error('late') });
				await new Promise((r) => setTimeout(r, 1)); console.log('after')`,
			"",
			"Uncaught Error: late\n    at <anonymous> (script.js:1:55)",
		},
		"an error event that nobody hears": {
			`console.log('before'); const {EventEmitter} = require('events'); ` +
				`setTimeout(() => new EventEmitter().emit('error', 'e'), 1)`,
			"undefined",
			"Uncaught Error: Unhandled error. ('e')\n    at <anonymous> (script.js:1:102)",
		},
		"an error that is reported": {
			`console.log('before'); reportError(new TypeError('r')); console.log('after')`,
			"",
			"Uncaught TypeError: r\n    at <anonymous> (script.js:1:40)",
		},
		"an ES module's": {
			`export default 5; console.log('before'); setTimeout(() => { throw 'late' })`, "5", "Uncaught late",
		},
		"a result that is not the only thing": {
			`console.log('before'); setTimeout(() => { throw 'late' }); return {a: 1}`,
			"{\n  \"a\": 1\n}",
			"Uncaught late",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result, err := tryRun(t, test.script)
			require.EqualError(t, err, test.err)
			require.True(t, javascript.IsScriptFailure(err))
			e, _ := errors.AsType[*javascript.ScriptError](err)
			require.True(t, e.Uncaught)
			require.Equal(t, test.text, result.Text)
			require.Equal(t, []sandbox.Entry{{Level: sandbox.LevelLog, Text: "before"}}, result.Console)
		})
	}
	_, err := tryRun(t, `throw 1`)
	e, _ := errors.AsType[*javascript.ScriptError](err)
	require.False(t, e.Uncaught)
}

// The order of what waits, as in Node.
func TestTicksComeBeforeReactions(t *testing.T) {
	require.Equal(t, "1,2,3,4,5,6,7,8,9", run(t, `
		const seen = [];
		const see = (n) => () => { seen.push(n); };
		setTimeout(() => { see(7)(); Promise.resolve().then(see(9)); process.nextTick(see(8)); });
		Promise.resolve().then(() => { see(4)(); process.nextTick(see(6)); }).then(see(5));
		process.nextTick(() => { see(2)(); process.nextTick(see(3)); });
		see(1)();
		await new Promise((r) => setTimeout(r, 5));
		return seen.join()`).Text)
	// A rejection can still be handled in a tick.
	require.Equal(t, "fine", run(t,
		`const p = Promise.reject(1); Promise.resolve().then(() => process.nextTick(() => p.catch(() => {})));
			await new Promise((r) => setTimeout(r, 1)); return 'fine'`).Text)
}
