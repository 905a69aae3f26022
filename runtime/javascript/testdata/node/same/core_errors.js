// Codes and messages of core modules: process, structuredClone, AbortSignal, buffer, assert, events, url; captured stacks.
'use strict';
const assert = require('assert');
const buffer = require('buffer');
const events = require('events');
const url = require('url');
const util = require('util');
const answers = {};
const T = (name, f) => {
  try { answers[name] = util.inspect(f()); } catch (e) { answers[name] = `${e.name} ${e.code} ${e.message}`; }
};
T('process.assert', () => process.assert(0));
T('process.assert message', () => process.assert(0, 'why'));
for (const mask of ['123x', 'abc', '999', {}, -1, 1.5, 2 ** 32])
  T(`umask ${util.inspect(mask)}`, () => process.umask(mask));
T('umask', () => {
  const old = process.umask(0o664);
  return [process.umask('22'), process.umask(old), process.umask() === old];
});
for (const f of [42, undefined, {}])
  T(`capture ${util.inspect(f)}`, () => process.setUncaughtExceptionCaptureCallback(f));
for (const v of [undefined, 1, {}]) T(`setSourceMapsEnabled ${util.inspect(v)}`, () => process.setSourceMapsEnabled(v));
for (const d of [
  { value: 'x' }, { get() {} }, { writable: false }, { value: 1, writable: true, enumerable: true, configurable: true },
]) {
  T(`env ${util.inspect(d)}`, () => {
    Object.defineProperty(process.env, 'core_errors', d);
    return process.env.core_errors;
  });
}
for (const before of [{ user: -1, system: 1 }, { user: 1, system: Infinity }, { user: 'a' }, 1])
  T(`cpuUsage ${util.inspect(before)}`, () => process.cpuUsage(before));
T('chdir', () => {
  try { process.chdir('/does-not-exist'); } catch (e) { return [e.code, e.syscall, e.dest, e.errno]; }
});
for (const id of ['test', 'node:test', 'fs', 'nothing', 'node:nothing'])
  T(`getBuiltinModule ${id}`, () => typeof process.getBuiltinModule(id));
T('active', () => {
  const before = process.getActiveResourcesInfo().filter((n) => n === 'Timeout' || n === 'Immediate').length;
  const timers = [
    setTimeout(() => {}, 1), setInterval(() => {}, 1), setImmediate(() => {}), setTimeout(() => {}, 1).unref(),
  ];
  const found = process.getActiveResourcesInfo().filter((n) => n === 'Timeout' ||
    n === 'Immediate').slice(before).sort().join();
  clearTimeout(timers[0]); clearInterval(timers[1]); clearImmediate(timers[2]); clearTimeout(timers[3]);
  return [
    found, process.getActiveResourcesInfo().filter((n) => n === 'Timeout' || n === 'Immediate').length === before,
  ];
});
T('config', () => { process.config.variables = 1; });

for (const [i, args] of [
  [1, ''], [1, 1], [1, null], [1, { transfer: null }], [1, { transfer: 1 }], [1, { transfer: '' }],
].entries()) T(`structuredClone ${i}`, () => structuredClone(...args));
for (const [i, v] of [undefined, 1, [undefined], [AbortSignal.abort(), 1], {}, 'ab'].entries())
  T(`AbortSignal.any ${i}`, () => AbortSignal.any(v));
for (const name of ['isUtf8', 'isAscii']) {
  T(`${name} 1`, () => buffer[name](1));
  T(`${name} detached`, () => {
    const b = new ArrayBuffer(4);
    structuredClone(b, { transfer: [b] });
    return buffer[name](b);
  });
}
T('atob', () => atob());
T('btoa', () => btoa());
T('lastIndexOf', () => new buffer.Buffer.prototype.lastIndexOf(1, 'str'));
for (const n of ['x', -1, NaN, null]) {
  T(`defaultMaxListeners ${n}`, () => { events.defaultMaxListeners = n; });
  T(`setMaxListeners ${n}`, () => { new events().setMaxListeners(n); });
}
T('TextDecoder', () => new TextDecoder('utf-8', 1));

const tracker = new assert.CallTracker();
function named() {}
const tracked = tracker.calls(named, 2);
tracked(1, 2);
T('report', () => tracker.report().map(
  ({ message, actual, expected, operator }) => [message, actual, expected, operator]));
T('verify', () => tracker.verify());
T('getCalls', () => tracker.getCalls(tracked));
T('getCalls of another', () => tracker.getCalls(named));
T('two', () => { tracker.calls(); tracker.verify(); });
T('reset', () => { tracker.reset(tracked); return tracker.getCalls(tracked).length; });
for (const n of [0, -1, 1.5, '1', null]) T(`calls ${n}`, () => tracker.calls(named, n));
T('fail', () => assert.fail('a', 'b'));
T('equal errors', () => assert.deepStrictEqual(Object.assign(new TypeError('foo'), { a: 1 }),
  Object.assign(new TypeError('foo'), { a: 2 })));
T('array key', () => { const list = [1]; list[2 ** 32] = 1; assert.deepStrictEqual(list, [1]); });
T('large', () => assert.deepStrictEqual(new Float64Array(1e4).fill(1), new Float64Array(1e4).fill(1)));

const zero = 0;
const none = [];
T('quoted', () => assert(zero));
T('quoted ok', () => assert.ok(zero > 1 && none.length === 0, undefined));
T('quoted strict', () => assert.strict(none.some((n) => n > zero)));
T('quoted text', () => assert(')' === `${zero}(` || /[)]/.test('') /* ) */));
T('quoted lines', () => {
  assert.ok(
    zero,
    undefined,
  );
});
T('not quoted', () => assert(zero, 'why'));

const first = (stack) => stack.split('\n')[0];
T('captured', () => { const e = new TypeError('m'); Error.captureStackTrace(e); return first(e.stack); });
T('captured class', () => {
  class Mine extends Error { constructor(m) { super(m); this.name = 'Mine'; Error.captureStackTrace(this, Mine); } }
  return first(new Mine('m').stack);
});
T('assertion', () => { try { assert.fail('f'); } catch (e) { return first(e.stack); } });
const proxies = [new Proxy([1, 2], {}), new Proxy({ a: 1 }, {}), new Proxy(function f() {}, {}),
  Promise.resolve([1]), Promise.resolve({ a: 1 }), Promise.reject([2])];
proxies[5].catch(() => {});
for (const [i, p] of proxies.entries()) for (const showProxy of [false, true])
  T(`proxy ${i} ${showProxy}`, () => ({ p, shown: util.inspect(p, { showProxy }) }));
T('custom', () => ({ a: { [util.inspect.custom]: () => 'A {\n  x\n}' }, b: [
  { [util.inspect.custom]: () => 5 }, { [util.inspect.custom]: () => ({ c: 1 }) },
] }));
T('like an error', () => Object.assign(Object.create(TypeError.prototype), { message: 'm', a: 1 }));

for (const text of ['http://a\r" \t\n<\'b:b@c\r\nd/e?f', ' \u00a0http://x/ \ufeff',
  'https://*', 'http://a b/', 'http://[::1]:80/x', 'http://a.b/\tc\td', 'mailto:a@b.c?d', 'x:y@z']) {
  T(`parse ${JSON.stringify(text)}`, () => ({ ...url.parse(text) }));
}
for (const [from, to] of [['mailto:local1@domain1', 'local2@domain2'], ['mailto:a@b?c', '?d'],
  ['mailto:?q', 'a@b?c'], ['http://u:p@h/x', '../y']]) T(`resolve ${from} ${to}`, () => url.resolve(from, to));
for (const text of ['/a b', '/[x]', '/a|b^c~"d', '/%', '/a\\b'])
  T(`pathToFileURL ${text}`, () => url.pathToFileURL(text).href);
for (const text of ['C:\\a b', '\\\\server\\share\\x', '\\\\?\\C:\\x', '\\\\?\\UNC\\server\\share', '\\\\x', '\\\\\\x'])
  T(`windows ${text}`, () => url.pathToFileURL(text, { windows: true }).href);
module.exports = assert.rejects(() => {}).catch((e) => {
  answers.rejects = e.message;
  return answers;
});
