// node:stream: what streams do, in which order, and with which errors.
'use strict';
const stream = require('stream');
const { Readable, Writable, Duplex, Transform, PassThrough, pipeline, finished, addAbortSignal, compose } = stream;
const promises = require('stream/promises');
const consumers = require('stream/consumers');
const { inspect, promisify, inherits } = require('util');
const { once } = require('events');

const answers = {};
const describe = (error) => (error ? `${error.name} ${error.code} ${error.message}` : String(error));
const answer = async (name, f) => {
  try {
    answers[name] = inspect(await f(), { depth: 4, breakLength: 100 });
  } catch (error) {
    answers[name] = `throws ${describe(error)}`;
  }
};
// watch writes down the events of a stream.
const watch = (s, log, name = '') => {
  for (const type of [
    'readable', 'end', 'finish', 'close', 'drain', 'pause', 'resume', 'pipe', 'unpipe', 'prefinish',
  ]) {
    if (type !== 'readable' || s.watchReadable) s.on(type, () => log.push(`${name}${type}`));
  }
  s.on('error', (error) => log.push(`${name}error ${describe(error)}`));
  return s;
};
const closed = (s) => new Promise((resolve) => { s.on('close', resolve); });
const ticks = async (n = 20) => {
  for (let i = 0; i < n; i++) await new Promise((resolve) => { setTimeout(resolve, 1); });
};
const counter = (n, options) => {
  let i = 0;
  return new Readable({ ...options, read() { this.push(i < n ? String(i++) : null); } });
};
const collector = (options) => {
  const chunks = [];
  const w = new Writable({ ...options, write(chunk, encoding, callback) {
    chunks.push(options?.objectMode ? chunk : String(chunk));
    setTimeout(callback, 0);
  } });
  w.chunks = chunks;
  return w;
};

module.exports = (async () => {
  await answer('keys', () => Object.keys(stream).filter((k) => !/^_|destroy$/.test(k)).sort());
  await answer('defaults', () => [stream.getDefaultHighWaterMark(false), stream.getDefaultHighWaterMark(true),
    new Readable().readableHighWaterMark,
    new Writable({ objectMode: true }).writableHighWaterMark,
      new Duplex({ readableObjectMode: true }).readableHighWaterMark]);
  await answer('instanceof', () => {
    const t = new PassThrough();
    return [t instanceof Readable, t instanceof Writable, t instanceof Duplex, t instanceof Transform,
      t instanceof stream,
      new Readable() instanceof Writable, {} instanceof Writable, new Writable() instanceof Duplex];
  });
  await answer('flowing', async () => {
    const log = [];
    const r = watch(counter(3), log);
    r.on('data', (chunk) => log.push(`data ${chunk}`));
    await closed(r);
    return [log, r.readableEnded, r.destroyed, r.readableDidRead, r.closed];
  });
  await answer('paused', async () => {
    const log = [];
    const r = new Readable({ read() {} });
    r.watchReadable = true;
    watch(r, log);
    r.on('readable', () => {
      let c;
      while ((c = r.read(4)) !== null) log.push(String(c));
      log.push(`left ${r.readableLength}`);
    });
    r.push('hello world');
    r.push('!');
    r.push(null);
    await closed(r);
    return log;
  });
  await answer('read sizes', async () => {
    const r = new Readable({ read() {} });
    for (const c of ['ab', 'cde', 'f']) r.push(c);
    const got = [r.read(1), r.read(3), r.read(100), r.read(), r.read()];
    r.unshift('xy');
    got.push(r.read());
    return [got.map(String), r.readableLength, r.readableHighWaterMark];
  });
  await answer('encoding', async () => {
    const r = new Readable({ encoding: 'utf8', read() {} });
    const bytes = Buffer.from('héé€');
    for (const b of bytes) r.push(Buffer.of(b));
    r.push(null);
    const all = [];
    for await (const c of r) all.push(c);
    return [all.join(''), r.readableEncoding];
  });
  await answer('setEncoding', async () => {
    const r = Readable.from([Buffer.from('abc'), Buffer.from('def')], { objectMode: false });
    r.setEncoding('hex');
    return (await r.toArray()).join('|');
  });
  await answer('pause and resume', async () => {
    const log = [];
    const r = watch(counter(4), log);
    r.on('data', (chunk) => {
      log.push(String(chunk));
      if (String(chunk) === '1') { r.pause(); setTimeout(() => { log.push(r.isPaused()); r.resume(); }, 2); }
    });
    await closed(r);
    return log;
  });
  await answer('writes', async () => {
    const log = [];
    const w = watch(new Writable({ highWaterMark: 3, write(c, e, cb) {
      log.push(`write ${c} ${e}`);
      setTimeout(cb, 0);
    } }), log);
    const more = [w.write('a'), w.write('b', () => log.push('b done')), w.write('c'),
      w.write(new Uint8Array([100])), w.writableNeedDrain, w.writableLength];
    w.end('e', (error) => log.push(`end ${describe(error)}`));
    await closed(w);
    return [more, log, w.writableFinished, w.writableEnded, w.destroyed];
  });
  await answer('writes at once', async () => {
    const log = [];
    const w = watch(new Writable({ highWaterMark: 2, decodeStrings: false, write(c, e, cb) {
      log.push([c, e]);
      cb();
    } }), log);
    log.push(w.write('aa', 'latin1', (error) => log.push(`callback ${describe(error)}`)), w.write('b'));
    log.push('sync');
    await ticks(2);
    w.end();
    await closed(w);
    return log;
  });
  await answer('writev and cork', async () => {
    const log = [];
    const w = new Writable({ writev(chunks, cb) {
      log.push(chunks.map(({ chunk, encoding }) => `${chunk}:${encoding}`));
      cb();
    } });
    w.cork();
    w.write('a');
    w.write('b');
    log.push(w.writableCorked, w.writableLength);
    w.uncork();
    w.write('c');
    w.end();
    await closed(w);
    return log;
  });
  await answer('final', async () => {
    const log = [];
    const w = watch(new Writable({ write(c, e, cb) { cb(); }, final(cb) {
      log.push('final');
      setTimeout(cb, 1);
    }, destroy(e, cb) { log.push(`destroy ${e}`); cb(e); } }), log);
    w.end('x');
    await closed(w);
    return log;
  });
  await answer('final fails', async () => {
    const log = [];
    const w = watch(new Writable({ write(c, e, cb) { cb(); }, final(cb) { cb(new Error('no')); } }), log);
    w.end((error) => log.push(`end ${describe(error)}`));
    await closed(w);
    return log;
  });
  await answer('construct', async () => {
    const log = [];
    const w = watch(new Writable({ construct(cb) {
      log.push('construct');
      setTimeout(cb, 1);
    }, write(c, e, cb) { log.push(`write ${c}`); cb(); } }), log);
    w.write('1');
    log.push('written');
    w.end();
    await closed(w);
    const r = watch(new Readable({ construct(cb) { cb(new Error('bad')); }, read() {} }), log);
    r.resume();
    await closed(r);
    return log;
  });
  await answer('object mode', async () => {
    const t = new Transform({ objectMode: true, transform(o, e, cb) {
      cb(null, { ...o, seen: true });
    }, flush(cb) { this.push('flushed'); cb(); } });
    t.write({ a: 1 });
    t.end({ a: 2 });
    return t.toArray();
  });
  await answer('transform push and error', async () => {
    const log = [];
    const t = watch(new Transform({ transform(c, e, cb) {
      if (String(c) === 'bad') cb(new TypeError('bad'));
      else { this.push(c); this.push(c); cb(); }
    } }), log);
    t.on('data', (c) => log.push(String(c)));
    t.write('x');
    t.write('bad', (error) => log.push(`callback ${describe(error)}`));
    t.write('never', (error) => log.push(`callback ${describe(error)}`));
    await closed(t);
    return log;
  });
  await answer('split lines', async () => {
    class Lines extends Transform {
      constructor() { super({ readableObjectMode: true }); this.rest = ''; }
      _transform(chunk, encoding, cb) {
        const lines = (this.rest + chunk).split('\n');
        this.rest = lines.pop();
        for (const line of lines) this.push(line);
        cb();
      }
      _flush(cb) { if (this.rest) this.push(this.rest); cb(); }
    }
    return Readable.from(['a\nb', 'c\n', '\nd']).pipe(new Lines()).toArray();
  });
  await answer('inherits', async () => {
    function Up(options) { Transform.call(this, options); }
    inherits(Up, Transform);
    Up.prototype._transform = function (chunk, encoding, callback) { callback(null, String(chunk).toUpperCase()); };
    const up = new Up();
    up.end('shout');
    return [await consumers.text(up), up instanceof Writable];
  });
  await answer('pipe', async () => {
    const log = [];
    const r = watch(counter(5), log, 'r ');
    const w = watch(collector({ highWaterMark: 1 }), log, 'w ');
    r.pipe(w);
    await closed(w);
    return [log, w.chunks];
  });
  await answer('pipe to two', async () => {
    const r = counter(5);
    const a = collector({ highWaterMark: 2 });
    const b = collector({ highWaterMark: 1 });
    r.pipe(a);
    r.pipe(b);
    await Promise.all([closed(a), closed(b)]);
    return [a.chunks, b.chunks];
  });
  await answer('unpipe', async () => {
    const log = [];
    const r = watch(new Readable({ read() {} }), log, 'r ');
    const w = watch(collector(), log, 'w ');
    r.pipe(w);
    r.push('a');
    await ticks(3);
    r.unpipe(w);
    r.push('b');
    await ticks(3);
    return [log, w.chunks, r.readableFlowing, r.readableLength];
  });
  await answer('end: false', async () => {
    const w = collector();
    const r = counter(2);
    r.pipe(w, { end: false });
    await closed(r);
    w.end('last');
    await closed(w);
    return w.chunks;
  });
  await answer('pipe from a writable', async () => {
    const log = [];
    const w = watch(new Writable({ write() {} }), log);
    w.pipe(new PassThrough());
    await closed(w);
    return log;
  });
  await answer('destroy', async () => {
    const log = [];
    for (const error of [undefined, new Error('why')]) {
      const r = watch(counter(3), log);
      log.push(r.destroy(error) === r, r.destroyed, r.readable, r.readableAborted, r.errored === (error ?? null));
      r.destroy(new Error('again'));
      await closed(r);
      log.push(r.read(), r.push('x'));
    }
    return log;
  });
  await answer('destroy a writable', async () => {
    const log = [];
    const w = watch(new Writable({ write(c, e, cb) { setTimeout(cb, 1); } }), log);
    w.write('a', (error) => log.push(`a ${describe(error)}`));
    w.write('b', (error) => log.push(`b ${describe(error)}`));
    w.end((error) => log.push(`end ${describe(error)}`));
    w.destroy();
    await closed(w);
    await ticks(5);
    w.write('c', (error) => log.push(`c ${describe(error)}`));
    w.end((error) => log.push(`end ${describe(error)}`));
    await ticks(2);
    return [log, w.writableAborted, w.writable];
  });
  await answer('destroy with a callback', async () => {
    const log = [];
    const d = watch(new Duplex({ read() {}, write() {}, destroy(error, cb) {
      setTimeout(() => cb(new Error('other')), 0);
    } }), log);
    d.destroy();
    await closed(d);
    return log;
  });
  const bad = {
    'push after end': (s) => { s.push(null); s.push('x'); },
    'push a number': (s) => { s.push(5); },
    'write a number': (s) => { s.write(5); },
    'write null': (s) => { s.write(null); },
    'write after end': (s) => { s.end(); s.write('x', (error) => s.log.push(`callback ${describe(error)}`)); },
    'end twice': (s) => { s.end(); s.end((error) => s.log.push(`callback ${describe(error)}`)); },
    'unknown encoding': (s) => { s.write('x', 'utf-99'); },
    'default encoding': (s) => { s.setDefaultEncoding('utf-99'); },
  };
  for (const name of Object.keys(bad)) {
    await answer(name, async () => {
      const d = new PassThrough();
      d.log = [];
      watch(d, d.log);
      bad[name](d);
      d.resume();
      await ticks(4);
      return d.log;
    });
  }
  await answer('not implemented', async () => {
    const log = [];
    const r = watch(new Readable(), log);
    r.resume();
    await closed(r);
    try { new Writable().write('x'); } catch (error) { log.push(describe(error)); }
    try { new Transform().write('x'); } catch (error) { log.push(describe(error)); }
    return log;
  });
  await answer('callback twice', async () => {
    const log = [];
    const w = watch(new Writable({ write(c, e, cb) { cb(); cb(); } }), log);
    w.write('x');
    await closed(w);
    return log;
  });
  await answer('autoDestroy: false', async () => {
    const log = [];
    const r = watch(counter(1, { autoDestroy: false }), log);
    r.resume();
    await ticks(5);
    return [log, r.destroyed];
  });
  await answer('options', () => {
    const got = [];
    for (const options of [{ highWaterMark: -1 }, { highWaterMark: 'x' }, { highWaterMark: 1.5 }]) {
      try { new Readable(options); } catch (error) { got.push(describe(error)); }
    }
    try { new Duplex({ writableHighWaterMark: NaN }); } catch (error) { got.push(describe(error)); }
    return got;
  });
  await answer('for await', async () => {
    const got = [];
    const r = counter(5, { objectMode: true });
    for await (const c of r) { got.push(String(c)); if (got.length === 2) break; }
    await ticks(1);
    return [got, r.destroyed];
  });
  await answer('for await of an error', async () => {
    const r = new Readable({ read() { this.destroy(new RangeError('gone')); } });
    for await (const c of r) void c;
  });
  await answer('for await of a destroyed one', async () => {
    const r = new Readable({ read() {} });
    setTimeout(() => r.destroy(), 1);
    for await (const c of r) void c;
  });
  await answer('iterator that keeps', async () => {
    const r = Readable.from([1, 2, 3]);
    for await (const c of r.iterator({ destroyOnReturn: false })) { void c; break; }
    const rest = r.destroyed ? 'destroyed' : await r.toArray();
    return rest;
  });
  await answer('from', async () => [
    await Readable.from(['a', 'b']).toArray(), await Readable.from('text').toArray(),
    await Readable.from(Buffer.from('xy')).toArray(),
    await Readable.from((async function* () { yield 1; yield 2; })()).toArray(),
    await Readable.from(new Set([1, { a: 1 }])).toArray(),
    await Readable.from([Promise.resolve(7)]).toArray(),
  ]);
  await answer('from a failing generator',
    () => Readable.from((function* () { yield 1; throw new Error('broken'); })()).toArray());
  await answer('from null', () => Readable.from([1, null]).toArray());
  await answer('from nothing', () => Readable.from(5));
  await answer('from closes', async () => {
    const log = [];
    const r = Readable.from((async function* () { try { yield 1; yield 2; } finally { log.push('closed'); } })());
    for await (const c of r) { log.push(c); break; }
    await ticks(2);
    return log;
  });
  await answer('helpers', async () => {
    const of = () => Readable.from([1, 2, 3, 4, 5]);
    const sum = [];
    await of().forEach((x) => { sum.push(x); });
    return [
      await of().map((x) => x * 2).toArray(), await of().filter(async (x) => x % 2).toArray(),
      await of().take(2).toArray(), await of().drop(3).toArray(),
      await of().flatMap((x) => [x, x]).toArray(), await of().reduce((a, b) => a + b),
      await of().reduce((a, b) => a + b, 10), await of().some((x) => x > 4),
      await of().every((x) => x > 4), await of().find((x) => x > 3), sum,
      await of().map(async (x) => -x, { concurrency: 3 }).toArray(),
      await of().filter((x) => x > 1).map((x) => x + 1).take(2).toArray(), await of().find((x) => x > 9),
    ];
  });
  await answer('helpers: order', async () => {
    const waits = [5, 1, 3];
    return Readable.from(waits).map((n) => new Promise((resolve) => {
      setTimeout(resolve, n, n);
    }), { concurrency: 3 }).toArray();
  });
  for (const [name, f] of Object.entries({
    'map without a function': () => Readable.from([1]).map(5),
    'map with concurrency 0': () => Readable.from([1]).map((x) => x, { concurrency: 0 }),
    'take of a negative number': () => Readable.from([1]).take(-1),
    'reduce of nothing': () => Readable.from([]).reduce((a, b) => a + b),
    'map that throws': () => Readable.from([1, 2]).map((x) => { throw new Error(`at ${x}`); }).toArray(),
    'map that rejects': () => Readable.from([1, 2]).map(async (x) => { throw new Error(`at ${x}`); }).toArray(),
    'aborted toArray': () => Readable.from([1, 2]).toArray({ signal: AbortSignal.abort() }),
  })) await answer(name, f);
  await answer('pipeline', () => new Promise((resolve) => {
    const log = [];
    const w = collector();
    pipeline(counter(3), new PassThrough(), w, (error) => { log.push(describe(error), w.chunks); resolve(log); });
  }));
  await answer('pipeline of generators', async () => {
    const out = [];
    await promises.pipeline(
      async function* () { yield 'a'; yield 'b'; },
      async function* (source) { for await (const c of source) yield c.toUpperCase(); },
      async (source) => { for await (const c of source) out.push(c); },
    );
    return out;
  });
  await answer('pipeline gives a value', () => promises.pipeline([1, 2, 3], async (source) => {
    let n = 0;
    for await (const c of source) n += c;
    return n;
  }));
  await answer('pipeline of an iterable', async () => {
    const w = collector({ highWaterMark: 1 });
    await promises.pipeline(['x', 'y', 'z'], w);
    return w.chunks;
  });
  await answer('pipeline that fails', async () => {
    const r = counter(3);
    const t = new Transform({ transform(c, e, cb) { cb(new Error('inside')); } });
    const w = collector();
    let failure;
    try { await promises.pipeline(r, t, w); } catch (error) { failure = describe(error); }
    return [failure, r.destroyed, t.destroyed, w.destroyed];
  });
  await answer('pipeline whose source fails', () => promises.pipeline(async function* () {
    yield 'x';
    throw new Error('source');
  }, collector()));
  await answer('pipeline whose sink fails',
    () => promises.pipeline(counter(3), new Writable({ write(c, e, cb) { cb(new Error('sink')); } })));
  await answer('pipeline whose source closes', () => {
    const r = new Readable({ read() {} });
    setTimeout(() => r.destroy(), 1);
    return promises.pipeline(r, collector());
  });
  await answer('pipeline with a signal', () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 1);
    return promises.pipeline(new Readable({ read() {} }), collector(), { signal: controller.signal });
  });
  await answer('pipeline without a callback', () => pipeline(counter(1), collector()));
  await answer('pipeline of one', () => promises.pipeline(counter(1)));
  await answer('pipeline of nonsense', () => promises.pipeline(counter(1), 5));
  await answer('promisified', async () => {
    const w = collector();
    await promisify(pipeline)(counter(2), w);
    await promisify(finished)(w);
    return w.chunks;
  });
  await answer('finished', async () => {
    const log = [];
    const r = counter(2);
    finished(r, (error) => log.push(`finished ${describe(error)}`));
    r.resume();
    await closed(r);
    const broken = new Readable({ read() {} });
    finished(broken, (error) => log.push(describe(error)));
    broken.destroy();
    await closed(broken);
    const failing = new Writable({ write(c, e, cb) { cb(new Error('disk')); } });
    finished(failing, (error) => log.push(describe(error)));
    failing.on('error', () => {});
    failing.write('x');
    await closed(failing);
    await promises.finished(r);
    return log;
  });
  await answer('finished of nonsense', () => promises.finished({}));
  await answer('finished without callback', () => finished(new Readable()));
  await answer('finished with a signal',
    () => promises.finished(new Readable({ read() {} }), { signal: AbortSignal.abort() }));
  await answer('addAbortSignal', async () => {
    const controller = new AbortController();
    const r = addAbortSignal(controller.signal, new Readable({ read() {} }));
    setTimeout(() => controller.abort(), 1);
    for await (const c of r) void c;
  });
  await answer('signal option', async () => {
    const log = [];
    const controller = new AbortController();
    const w = watch(new Writable({ signal: controller.signal, write() {} }), log);
    controller.abort();
    await closed(w);
    return log;
  });
  await answer('half open', async () => {
    const log = [];
    const d = watch(new Duplex({ allowHalfOpen: false, read() { this.push(null); }, write(c, e, cb) { cb(); } }), log);
    d.resume();
    await closed(d);
    return log;
  });
  await answer('one sided', () => {
    const d = new Duplex({ readable: false });
    return [d.readable, d.writable, d.readableEnded, d.destroyed];
  });
  await answer('Duplex.from', async () => {
    const d = Duplex.from(async function* (source) { for await (const c of source) yield String(c).toUpperCase(); });
    d.end('abc');
    return [(await d.toArray()).map(String), (await Duplex.from(['x']).toArray()),
      await Duplex.from(Promise.resolve('p')).toArray()];
  });
  await answer('compose', async () => {
    const up = new Transform({ transform(c, e, cb) { cb(null, String(c).toUpperCase()); } });
    const twice = new Transform({ transform(c, e, cb) { cb(null, `${c}${c}`); } });
    const both = compose(up, twice);
    both.end('ab');
    return [await consumers.text(both)];
  });
  await answer('consumers', async () => [
    await consumers.text(Readable.from(['a', 'é'])),
    await consumers.json(Readable.from([Buffer.from('{"a":'), Buffer.from('1}')])),
    await consumers.buffer(Readable.from(['ab', 'c'])),
    new Uint8Array(await consumers.arrayBuffer(Readable.from(['hi']))),
  ]);
  await answer('wrong json', async () => {
    try { await consumers.json(Readable.from(['{'])); } catch (error) { return error.name; }
  });
  await answer('questions', async () => {
    const r = counter(1);
    const before = [stream.isReadable(r), stream.isErrored(r), stream.isDisturbed(r), stream.isReadable({})];
    r.resume();
    await closed(r);
    return [before, stream.isReadable(r), stream.isErrored(r), stream.isDisturbed(r)];
  });
  await answer('old streams', async () => {
    const old = new stream();
    const w = collector();
    old.readable = true;
    old.pipe(w);
    old.emit('data', 'x');
    old.emit('end');
    await closed(w);
    return w.chunks;
  });
  await answer('duplexPair', async () => {
    const [a, b] = stream.duplexPair();
    a.end('over there');
    b.end('back');
    return [await consumers.text(b), await consumers.text(a)];
  });
  await answer('wrap', async () => {
    const { EventEmitter } = require('events');
    const old = new EventEmitter();
    old.pause = old.resume = () => {};
    const r = new Readable().wrap(old);
    setTimeout(() => { old.emit('data', Buffer.from('w')); old.emit('end'); }, 1);
    return [String(await once(r, 'data'))];
  });
  await answer('a loop of backpressure', async () => {
    let pushed = 0;
    const r = new Readable({ highWaterMark: 10, read() {
      while (pushed < 100 && this.push('xxx')) pushed++;
      if (pushed >= 100) this.push(null);
      else pushed++;
    } });
    await ticks(3);
    const ahead = pushed;
    r.read(0);
    await ticks(2);
    const buffered = r.readableLength;
    let total = 0;
    for await (const c of r) total += c.length;
    return [ahead, buffered, total];
  });
  return answers;
})();
