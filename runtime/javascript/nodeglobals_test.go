package javascript_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestGlobalsThatScriptsForNodeUse(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"global": {`global.x = 1; return [global === globalThis, x, Object.keys(globalThis).includes('global')].join()`,
			"true,1,false"},
		"the order": {`
			const log = [];
			setTimeout(() => log.push('timeout'), 0);
			setImmediate((a) => { log.push(a); process.nextTick(() => log.push('tick in immediate'));
				Promise.resolve().then(() => log.push('promise in immediate')) }, 'immediate');
			Promise.resolve().then(() => { log.push('promise'); process.nextTick(() => log.push('tick in promise')) });
			queueMicrotask(() => log.push('microtask'));
			process.nextTick((a, b) => { log.push(a + b); process.nextTick(() => log.push('inner tick')) }, 'ti', 'ck');
			log.push('main');
			await new Promise((resolve) => setTimeout(resolve, 5));
			return log.filter((x) => x !== 'timeout').join()`,
			"main,tick,inner tick,promise,microtask,tick in promise,immediate,tick in immediate,promise in immediate"},
		"immediates in order": {`
			const log = [];
			setImmediate(() => { log.push(1); setImmediate(() => log.push(4)) });
			const no = setImmediate(() => log.push('no'));
			setImmediate(() => log.push(2));
			setImmediate(() => { log.push(3); clearImmediate(no) });
			clearImmediate(no); clearImmediate(undefined);
			await new Promise((resolve) => setTimeout(resolve, 5));
			return log.join()`, "1,2,3,4"},
		"CustomEvent": {`
			const target = new EventTarget(), log = [];
			target.addEventListener('x',
				(e) => log.push(e.type, e.detail.n, e instanceof Event, e.cancelable, String(e)));
			target.dispatchEvent(new CustomEvent('x', { detail: { n: 5 }, cancelable: true }));
			log.push(new CustomEvent('y').detail, typeof CustomEvent);
			return log.join()`, "x,5,true,true,[object CustomEvent],,function"},
		"hexadecimal digits": {`
			const b = new Uint8Array([0, 1, 171, 255]), into = new Uint8Array(3);
			const r = into.setFromHex('0aFF77');
			return [b.toHex(), [...Uint8Array.fromHex('00fFa0')], r.read,
				r.written, [...into], new Uint8Array().toHex()].join(';')`,
			"0001abff;0,255,160;6;3;10,255,119;"},
		"base64": {`
			const of = (...bytes) => new Uint8Array(bytes);
			const into = new Uint8Array(4), r = into.setFromBase64('AQIDBAUG');
			return [of(1, 2, 3).toBase64(), of(255, 254).toBase64(),
				of(251).toBase64({ alphabet: 'base64url', omitPadding: true }),
				[...Uint8Array.fromBase64(' //4= ')], [...Uint8Array.fromBase64('-_8', { alphabet: 'base64url' })],
				[...Uint8Array.fromBase64('AQIDBA', { lastChunkHandling: 'stop-before-partial' })],
					r.read, r.written, [...into]].join(';')`,
			"AQID;//4=;-w;255,254;251,255;1,2,3;4;3;1,2,3,0"},
		"what is refused": {`
			const log = [];
			for (const f of [() => Uint8Array.fromHex('0'), () => Uint8Array.fromHex('0g'),
				() => Uint8Array.fromHex(1), () => Uint8Array.fromBase64('A'),
				() => Uint8Array.fromBase64('AQ=A'), () => Uint8Array.fromBase64('AR==',
					{ lastChunkHandling: 'strict' }), () => Uint8Array.fromBase64('A-=='),
				() => Uint8Array.prototype.toHex.call([]), () => new Uint8Array(1).toBase64({ alphabet: 'x' }),
					() => setImmediate('x'), () => new CustomEvent()]) {
				try { f(); log.push('none') } catch (e) { log.push(e.name) }
			}
			return log.join()`,
			"SyntaxError,SyntaxError,TypeError,SyntaxError,SyntaxError,SyntaxError,SyntaxError," +
				"TypeError,TypeError,TypeError,TypeError"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, run(t, c.script).Text)
		})
	}
}
