package javascript_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/javascript"
)

// The stores of AsyncLocalStorage follow calls of Go functions, also from an image of the module (the second run), and
// in a module that a script loads late.
func TestContextsFollowCalls(t *testing.T) {
	later := javascript.Function{Name: "later", Async: true, Call: func(_ context.Context, args []any) (any, error) {
		return append(args, nil)[0], nil
	}}
	for range 2 {
		require.Equal(t, "1,a;2,b;true", run(t, `
			const { AsyncLocalStorage } = require('async_hooks');
			const als = new AsyncLocalStorage();
			const both = await Promise.all([['1', 'a'], ['2', 'b']].map(([store, v]) => als.run(store, async () => {
				const got = await later(v);
				return [als.getStore(), got].join();
			})));
			return [...both, als.getStore() === undefined].join(';')`,
			javascript.RunOptions{Functions: []javascript.Function{later}}).Text)
	}
	require.Equal(t, "x,,", run(t, `
		const log = [];
		const gate = Promise.withResolvers();
		const first = (async () => { await gate.promise; log.push(als.getStore()); })(); // before there is a hook
		await later();
		var als = new (require('async_' + 'hooks').AsyncLocalStorage)();
		const second = als.run('x', async () => { await later(); return als.getStore(); });
		als.run('z', gate.resolve);
		await first;
		log.unshift(await second);
		als.enterWith('y');
		als.exit(() => setTimeout(() => log.push(als.getStore())));
		await new Promise((r) => als.exit(() => setTimeout(r, 2)));
		return log.join()`, javascript.RunOptions{Functions: []javascript.Function{later}}).Text)
}

// What nobody has wrapped begins in no context, though another job has entered one.
func TestContextsDoNotLeakBetweenJobs(t *testing.T) {
	require.Equal(t, "in,,", run(t, `
		const log = [];
		let als;
		const gate = Promise.withResolvers();
		const a = gate.promise.then(() => { als = new (require('async_hooks').AsyncLocalStorage)();
			als.enterWith('in'); log.push(als.getStore()); });
		const b = gate.promise.then(() => { log.push(als.getStore()); });
		setTimeout(() => { log.push(als.getStore()); }, 1);
		gate.resolve();
		await a;
		await b;
		await new Promise((r) => setTimeout(r, 2));
		return log.join()`).Text)
}

// The hook is for the engine: scripts do not see the functions that it makes, and errors have no frames of it.
func TestContextsAreNotSeen(t *testing.T) {
	require.Equal(t, "1,f,Error: x\n    at f (/script.js:5:32)", run(t, `
		const { AsyncLocalStorage } = require('async_hooks');
		const als = new AsyncLocalStorage();
		return als.run(1, async () => {
			const f = () => { throw new Error('x') };
			const seen = [];
			await { then(resolve) { seen.push(this.then.length); resolve(); } };
			seen.push(f.name);
			await Promise.resolve().then(f).catch((e) => seen.push(e.stack));
			return seen.join();
		})`).Text)
}
