// Everything of the language that code can replace is replaced by functions that look at what they get, at their this and
// at what they are given, while most of Node's modules are at work. The result has a line for each thing among it that is
// the prelude's own: its kernel, or the host's function.
'use strict';
const { apply, construct, ownKeys, defineProperty, getPrototypeOf, getOwnPropertyDescriptor: own } = Reflect;
const uncurry = (f) => (self, ...args) => apply(f, self, args);
const seen = new Set(), add = uncurry(Set.prototype.add), has = uncurry(Set.prototype.has);
const found = { __proto__: null };
let on = false, inside = false;
const look = (value, how) => {
  if (value === null || (typeof value !== 'object' && typeof value !== 'function') || has(seen, value)) return;
  add(seen, value);
  let keys;
  try {
    keys = ownKeys(value);
  } catch {
    return; // a proxy
  }
  let name = typeof value === 'function' ? own(value, 'name')?.value : '';
  for (let i = 0; i < keys.length && i < 200; i++) if (keys[i] === 'ops' || keys[i] === 'primitive') name = 'kernel';
  if (name === 'kernel' || name === 'host' || name === 'primitive') found[`${how}: ${name}`] = true;
};
const record = (how, self, args) => {
  if (!on || inside) return;
  inside = true;
  look(self, how);
  for (let i = 0; i < args.length; i++) look(args[i], how);
  inside = false;
};
const replaced = (f, how) => function replacement(...args) {
  record(how, this, args);
  return new.target ? construct(f, args, new.target === replacement ? f : new.target) : apply(f, this, args);
};
const replace = (holder, label) => {
  for (const key of ownKeys(holder)) {
    const d = own(holder, key);
    if (!d.configurable || key === 'constructor' || key === 'prototype') continue;
    for (const part of ['value', 'get', 'set']) if (typeof d[part] === 'function') d[part] = replaced(d[part], `${label}.${String(key)}`);
    defineProperty(holder, key, d);
  }
};
const roots = ['Object', 'Function', 'Array', 'String', 'Number', 'BigInt', 'Boolean', 'Symbol', 'Map', 'Set', 'WeakMap', 'WeakSet', 'WeakRef',
  'FinalizationRegistry', 'Promise', 'RegExp', 'Date', 'Error', 'TypeError', 'RangeError', 'ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'Uint8Array',
  'JSON', 'Math', 'Reflect', 'Proxy', 'Atomics', 'Iterator'];
const holders = [[getPrototypeOf(Uint8Array), 'TypedArray'], [getPrototypeOf(Uint8Array.prototype), 'TypedArray.prototype'],
  [getPrototypeOf([][Symbol.iterator]()), 'array iterators'], [getPrototypeOf(new Map()[Symbol.iterator]()), 'map iterators'],
  [getPrototypeOf((function* () {}).prototype), 'generators'], [getPrototypeOf((async function* () {}).prototype), 'async generators']];
const globals = ownKeys(globalThis);
for (const name of roots) holders.push([globalThis[name], name], [globalThis[name].prototype ?? {}, `${name}.prototype`]);
for (const [holder, label] of holders) replace(holder, label);
for (const [holder, keys] of [[Object.prototype, ['host', 'ops', 'kernel', 'require', 'exports', 'module', 'target', 'handler', 'state', '0', '1', 'next']], [Array.prototype, ['0', '1', '2']]]) {
  for (const key of keys) {
    defineProperty(holder, key, {
      __proto__: null, configurable: true,
      get() { record(`get ${key}`, this, []); },
      set(value) {
        record(`set ${key}`, this, [value]);
        defineProperty(this, key, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
      },
    });
  }
}

const failed = [];
const attempt = async (name, f) => {
  try {
    await f();
  } catch (error) {
    failed[failed.length] = `${name}: ${error?.stack}`;
  }
};
on = true;
if (globalThis.control) Object.keys({ ops: {} });
const names = 'assert assert/strict buffer console constants crypto diagnostics_channel events fs fs/promises module os path path/posix path/win32 perf_hooks process punycode querystring readline readline/promises stream stream/consumers stream/promises stream/web string_decoder sys test timers timers/promises tty url util util/types zlib'.split(' ');
const mods = { __proto__: null };
for (const name of names) await attempt(`require ${name}`, () => { mods[name] = require(`node:${name}`); });
for (const name of globals) look(globalThis[name], `global ${String(name)}`);
await attempt('crypto', () => { const c = mods.crypto; c.createHash('sha256').update('x').digest('hex'); c.createHmac('sha1', 'k').update('y').digest(); c.randomBytes(4); c.pbkdf2Sync('a', 'b', 2, 8, 'sha1'); c.scryptSync('a', 'b', 8); const ci = c.createCipheriv('aes-128-gcm', Buffer.alloc(16), Buffer.alloc(12)); ci.setAAD(Buffer.from('x')); ci.update('abc'); ci.final(); ci.getAuthTag(); });
await attempt('subtle', async () => { const k = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']); await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, k.privateKey, Buffer.from('a')); await crypto.subtle.exportKey('jwk', k.privateKey); await crypto.subtle.digest('SHA-1', Buffer.from('a')) });
await attempt('zlib', async () => { const z = mods.zlib; z.gunzipSync(z.gzipSync('abc')); z.brotliDecompressSync(z.brotliCompressSync('abc')); await new Promise((r, j) => z.createGzip().on('data', () => {}).on('end', r).on('error', j).end('xyz')); await new Promise((r, j) => z.gzip('x', (e, v) => e ? j(e) : r(v))) });
await attempt('cs', async () => { const c = new CompressionStream('gzip'); const w = c.writable.getWriter(); w.write(new Uint8Array(3)); w.close(); const r = c.readable.getReader(); while (!(await r.read()).done); });
await attempt('fs', async () => { fs.writeFileSync('/a.txt', 'hello\nworld'); fs.readFileSync('/a.txt', 'utf8'); await fs.promises.readFile('/a.txt'); await new Promise((r) => fs.createReadStream('/a.txt').on('data', () => {}).on('end', r)); await new Promise((r) => fs.createWriteStream('/b.txt').on('finish', r).end('zz')); const h = await fs.promises.open('/a.txt'); await h.read(Buffer.alloc(4), 0, 4, 0); await h.close(); fs.readdirSync('/', { withFileTypes: true }); fs.statSync('/a.txt'); for await (const l of mods.readline.createInterface({ input: fs.createReadStream('/a.txt') })); });
await attempt('intl', () => { new Intl.NumberFormat('de').format(1.5); new Intl.DateTimeFormat('de', { dateStyle: 'full' }).formatToParts(0); ['b', 'ä'].sort(new Intl.Collator('de').compare); [...new Intl.Segmenter().segment('abc')]; new Intl.PluralRules('en').select(1); new Intl.ListFormat('en').format(['a', 'b']); new Intl.RelativeTimeFormat('en').format(1, 'day'); new Intl.DisplayNames('en', { type: 'region' }).of('US'); new Intl.Locale('en').maximize(); 'I'.toLocaleLowerCase('tr'); (1).toLocaleString(); new Date(0).toLocaleString(); 'a'.localeCompare('b') });
await attempt('url', () => { const u = new URL('http://a/b?c=d'); u.searchParams.append('x', 'y'); u.pathname = '/z'; mods.url.parse('http://a/b'); new URLPattern({ pathname: '/:id' }).exec({ pathname: '/1' }) });
await attempt('text', () => { new TextDecoder().decode(new TextEncoder().encode('é')); atob(btoa('x')); Buffer.from('abc', 'base64').toString('hex'); Buffer.concat([Buffer.from('a'), Buffer.from('b')]).indexOf('b'); Buffer.alloc(3).writeInt16LE(2) });
await attempt('events', () => { const e = new mods.events(); e.on('x', () => {}); e.emit('x'); const et = new EventTarget(); et.addEventListener('a', () => {}); et.dispatchEvent(new Event('a')); AbortSignal.timeout(5); const c = new AbortController(); c.abort() });
await attempt('util', () => { mods.util.inspect({ a: new Map([[1, { b: 2 }]]), p: Promise.resolve(1), x: new Proxy({}, {}) }); mods.util.format('%s %o', 1, {}); mods.util.promisify(setTimeout); mods.util.isDeepStrictEqual({}, {}) });
await attempt('clone', async () => { structuredClone(new Map([[1, { a: new Date(), e: new Error('x'), r: /a/ }]])); const { port1, port2 } = new MessageChannel(); await new Promise((r) => { port2.onmessage = () => { port1.close(); r() }; port1.postMessage({ a: 1 }) }); const b = new Blob(['abc']); await b.text(); new FormData().append('a', 'b'); new File(['x'], 'n') });
await attempt('streams', async () => { const { Readable, pipeline, Transform } = mods.stream; await mods['stream/promises'].pipeline(Readable.from(['a', 'b']), new Transform({ transform(c, e, d) { d(null, c) } }), async function* (s) { for await (const x of s) yield x }, new mods.stream.PassThrough().resume()); const rs = new ReadableStream({ start(c) { c.enqueue('x'); c.close() } }); for await (const x of rs.pipeThrough(new TransformStream())); });
await attempt('assert', () => { try { mods.assert.deepStrictEqual({ a: 1 }, { a: 2 }) } catch {} try { mods.assert(false) } catch {} });
await attempt('errors', () => { Error.prepareStackTrace = (e, fr) => { record('prepareStackTrace', e, fr); for (const f of fr) { look(f.getThis(), 'getThis'); look(f.getFunction(), 'getFunction') } return 'x' }; try { Buffer.alloc('x') } catch (e) { e.stack } try { fs.readFileSync(5) } catch (e) { e.stack } Error.prepareStackTrace = undefined; });
await attempt('timers', async () => { await new Promise((r) => setTimeout(r, 1)); await mods['timers/promises'].setTimeout(1); await new Promise(setImmediate); await new Promise(process.nextTick); queueMicrotask(() => {}) });
await attempt('process', () => { process.hrtime.bigint(); process.memoryUsage(); process.emitWarning('w'); process.on('exit', () => {}); process.cwd(); process.uptime() });
await attempt('test', async () => { mods.test.test('x', async (t) => { t.mock.fn(); await t.test('y', () => {}) }) });
await attempt('modules', async () => { fs.writeFileSync('/m.cjs', 'exports.a = 1'); fs.writeFileSync('/m.mjs', 'export const b = 2; import "./m.cjs"'); require('/m.cjs'); await import('/m.mjs'); new mods.module('x'); mods.module.createRequire('/x.js')('/m.cjs'); module.constructor.prototype._compile?.call(new mods.module('/q.js'), 'exports.x = 1', '/q.js') });
await attempt('console', () => { console.log({ a: 1 }); console.table([{ a: 1 }]); console.group('x'); console.groupEnd(); console.dir([]); console.time('a'); console.timeEnd('a') });
await attempt('date', () => { new Date('2024-01-01').toString(); Date.parse('Jan 1 2024') });
on = false;
for (let i = 0; i < failed.length; i++) found[`failed: ${failed[i]}`] = true;
return Object.keys(found).join('\n');
