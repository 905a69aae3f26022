package javascript_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIteratorHelpersAreClosed shows that iterators below a helper need not have a method return, as those of arrays
// have none, and that it is called once, without arguments, where there is one.
func TestIteratorHelpersAreClosed(t *testing.T) {
	source := `
		const twice = (x) => x * 2;
		const log = [];
		const source = () => ({
			__proto__: Iterator.prototype,
			next() { log.push('next'); return { value: 1, done: false }; },
			return(...args) { log.push('return ' + args.length); return { value: 9, done: true }; },
		});
		const ended = (helper) => { const { value, done } = helper.return(7);
			return done && value === undefined && helper.next().done; };
	`
	for _, c := range []struct{ name, script, want string }{
		{"map", `return [1, 2, 3].values().map(twice).take(1).toArray()`, `[2]`},
		{"filter", `return [1, 2, 3].values().filter(Boolean).take(2).toArray()`, `[1,2]`},
		{"drop", `return [1, 2, 3].values().drop(1).take(1).toArray()`, `[2]`},
		{"flatMap", `return [1, 2, 3].values().flatMap((x) => [x, x]).take(3).toArray()`, `[1,1,2]`},
		{"find", `return [1, 2, 3].values().map(twice).find((x) => x > 1)`, `2`},
		{"a map's entries", `return new Map([[1, 2], [3, 4]]).entries().map(([k]) => k).take(1).toArray()`, `[1]`},
		{"destructuring", `const [a] = [1, 2, 3].values().map(twice); return a`, `2`},
		{"break", `for (const x of [1, 2].values().flatMap((y) => [y])) { log.push(x); break } return log`, `[1]`},
		{"return of the source is called once", `
			for (const f of [(i) => i.map(twice), (i) => i.filter(twice), (i) => i.take(5), (i) => i.drop(2)]) {
				const helper = f(source());
				helper.next();
				log.push(ended(helper), ended(helper), ended(f(source())));
			}
			return log.join()`, "next,return 0,return 0,true,true,true,next,return 0,return " +
			"0,true,true,true,next,return 0,return 0,true,true,true," +
			"next,next,next,return 0,return 0,true,true,true"},
		{"both iterators of flatMap are closed", `
			const helper = source().flatMap(() => ({ [Symbol.iterator]: source }));
			helper.next();
			log.push(ended(helper));
			return log.join()`, "next,next,return 0,return 0,true"},
		{"an exception of the inner iterator, after which the outer one is closed", `
			const inner = { __proto__: Iterator.prototype, next: () => ({ done: false }), return() {
				throw new Error('inner') } };
			const helper = source().flatMap(() => inner);
			helper.next();
			try { helper.return() } catch (e) { log.push(e.message) }
			log.push(helper.next().done);
			return log.join()`, "next,return 0,inner,true"},
		{"an exception of the source", `
			const helper = { __proto__: source(), return() { throw new Error('source') } };
			const mapped = Iterator.prototype.map.call(helper, twice);
			try { mapped.return() } catch (e) { log.push(e.message) }
			log.push(mapped.next().done);
			return log.join()`, "source,true"},
		{"a helper that closes itself", `
			const self = { __proto__: source(), return() { try { mapped.return() } catch (e) { log.push(e.name) }
				return {} } };
			const mapped = Iterator.prototype.map.call(self, twice);
			log.push(ended(mapped));
			return log.join()`, "TypeError,true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			result := run(t, source+`const value = (() => {`+c.script+
				`})(); return typeof value === 'string' ? value : JSON.stringify(value)`)
			require.Equal(t, c.want, result.Text)
		})
	}
}

// TestAsyncLoopsCloseTheirIterators has the order in which Node does it: what a loop leaves is closed, and waited for;
// an iterator that has come to its end is not.
func TestAsyncLoopsCloseTheirIterators(t *testing.T) {
	const setup = `
		const log = [];
		const count = (n, name) => ({ [Symbol.asyncIterator]() {
			let i = 0;
			return {
				async next() { return { value: i++, done: i > n } },
				async return() { log.push(name); await null; await null; log.push(name + '!'); return {} },
			};
		} });
		`
	for _, c := range []struct{ script, want string }{
		{`for await (const x of count(2, 'a')) log.push(x)`, "0 1"},
		{`for await (const x of count(2, 'a')) { log.push(x); break }; log.push('end')`, "0 a a! end"},
		{`const f = async () => {
			for await (const x of count(2, 'a')) for await (const y of count(2, 'b')) return 'end' };
			log.push(await f())`, "b b! a a! end"},
		{`outer: for (const q of [1, 2]) for await (const x of count(2, 'a')) for (const y of new Set([1])) {
			if (q === 1) continue outer; break outer }
			log.push('end')`, "a a! a a! end"},
		{`const f = async () => { for await (const x of count(2, 'a')) try {
			return 'end' } finally { log.push('finally') } };
			log.push(await f())`, "finally a a! end"},
		{`const g = async function* () {
			for (const x of [1]) for await (const y of count(2, 'a')) { yield y; return } };
			for await (const v of g()) log.push(v)`, "0 a a!"},
		{`async function* g() { try { yield 1; yield 2 } finally { await null; log.push('finally') } };
			for await (const v of g()) break; log.push('end')`, "finally end"},
		{`const f = async () => { for await (const x of { [Symbol.asyncIterator]: () =>
			({ next: async () => ({}), return: async () => { throw Error('e') } }) }) break };
			log.push(await f().catch((e) => e.message))`, "e"},
		{`const f = async () => { for await (
			const x of { [Symbol.asyncIterator]: () => ({ next: async () => ({}), return: async () => 1 }) }) break };
			log.push(await f().catch((e) => e.name))`, "TypeError"},
		{`for await (const x of { [Symbol.asyncIterator]: () => ({ next: async () => ({ value: 1 }) }) }) break;
			log.push('end')`,
			"end"},
		{`for await (const [a, b] of [[1, 2], [3, 4]]) { if (a === 1) continue; log.push(b) }`, "4"},
	} {
		t.Run(c.script, func(t *testing.T) {
			require.Equal(t, c.want, run(t, setup+c.script+"\nreturn log.join(' ')").Text)
		})
	}
}
