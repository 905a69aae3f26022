// async_hooks: what AsyncLocalStorage and AsyncResource carry, and where to.
'use strict';
const { AsyncLocalStorage, AsyncResource, executionAsyncId, triggerAsyncId } = require('async_hooks');
const { EventEmitter, EventEmitterAsyncResource, once } = require('events');
const { channel, tracingChannel } = require('diagnostics_channel');
const { Readable, PassThrough } = require('stream');
const { pipeline } = require('stream/promises');
const timers = require('timers/promises');
const { promisify, inspect } = require('util');

const answers = {};
const answer = async (name, f) => {
  try {
    answers[name] = inspect(await f(), { depth: 4, breakLength: 120 });
  } catch (error) {
    answers[name] = `${error.name} ${error.code} ${error.message}`;
  }
};
const als = new AsyncLocalStorage();
const other = new AsyncLocalStorage();
const get = () => als.getStore();
const both = () => [als.getStore(), other.getStore()];
const sleep = (ms) => new Promise((resolve) => { setTimeout(resolve, ms); });
// next calls back in the context of the moment, from nowhere.
const next = (schedule) => new Promise((resolve) => { schedule(() => resolve(get())); });

module.exports = (async () => {
  executionAsyncId(); // from now on promises have ids, as with a storage
  await answer('nothing yet', () => [get(), als.exit(get), als.exit((a, b) => [a, b], 1, 2)]);
  await answer('run', () => [als.run(1, get), als.run(1, (...args) => [...args, get()], 'a', 'b'),
    get(), als.run(undefined, get), als.run(null, get)]);
  await answer('run calls with this', () => als.run(1, function () { return this; }));
  await answer('nested',
    () => als.run(1, () => [get(), als.run(2, () => [get(), als.run(3, get), get()]), get(), als.exit(get), get()]));
  await answer('two storages',
    () => als.run(1, () => other.run(2, () => [both(), als.run(3, both), als.exit(both), other.exit(both), both()])));
  await answer('run that throws', () => {
    try { als.run(1, () => { throw new Error('x'); }); } catch (error) { return [error.message, get()]; }
  });
  await answer('what is no function', () => als.run(1, 5));

  for (const [name, schedule] of Object.entries({
    setTimeout: (f) => setTimeout(f, 1), setImmediate, nextTick: process.nextTick,
    queueMicrotask, then: (f) => Promise.resolve().then(f),
    catch: (f) => Promise.reject(new Error('x')).catch(f), finally: (f) => Promise.resolve().finally(f),
    'then of a promise that is pending': (f) => sleep(1).then(f),
    thenable: (f) => Promise.resolve({ then(resolve) { f(); resolve(); } }),
    'then of a thenable': (f) => Promise.resolve({ then(resolve) { setTimeout(resolve, 1); } }).then(f),
    'all': (f) => Promise.all([1, sleep(1)]).then(f), 'any': (f) => Promise.any([sleep(1)]).then(f),
    'allSettled': (f) => Promise.allSettled([sleep(1), Promise.reject(1)]).then(f),
    'race': (f) => Promise.race([sleep(1), sleep(5)]).then(f),
    'microtask in a tick': (f) => process.nextTick(() => queueMicrotask(f)),
    'timer in a timer': (f) => setTimeout(() => setTimeout(f, 1), 1),
    'tick in an immediate': (f) => setImmediate(() => process.nextTick(f)),
    'a class of promises': (f) => (class Mine extends Promise {}).resolve(1).then(f),
    'a listener': (f) => { const e = new EventEmitter(); e.on('x', f); e.emit('x'); },
    'a listener of a target': (f) => {
      const t = new EventTarget(); t.addEventListener('x', f); t.dispatchEvent(new Event('x'));
    },
    'a signal': (f) => {
      const c = new AbortController(); c.signal.addEventListener('abort', f); setTimeout(() => c.abort(), 1);
    },
    'an end of a stream': (f) => { const s = Readable.from(['a', 'b']); s.on('end', f); s.resume(); },
    'a callback of a file': (f) => require('fs').stat('/', f),
  })) {
    await answer(`carried: ${name}`, async () => {
      const found = als.run({ name }, () => next(schedule));
      const without = next(schedule);
      return [(await found)?.name, await without, get()];
    });
  }

  await answer('await', async () => {
    const log = [];
    const leaf = async (n) => {
      await null;
      log.push([n, get()]);
      await sleep(n);
      log.push([n, get()]);
      return get();
    };
    const all = await Promise.all([3, 1, 2].map((n) => als.run(`s${n}`, async () => {
      const first = await leaf(n);
      const second = await leaf(n);
      return [first, second, get(), await als.run('inner', () => leaf(1)), get(), await als.exit(() => leaf(1)), get()];
    })));
    return [all, log.length, log.filter(([n, store]) => store === `s${n}`).length, get()];
  });
  await answer('await of a promise from elsewhere', async () => {
    const gate = als.run('there', () => sleep(1));
    return als.run('here', async () => { await gate; return get(); });
  });
  await answer('a promise that is resolved elsewhere', async () => {
    let resolve;
    const waiting = als.run('here', async () => { await new Promise((r) => { resolve = r; }); return get(); });
    als.run('there', () => resolve());
    return waiting;
  });
  await answer('await of a thenable',
    () => als.run(1, async () => [await { then(resolve) { resolve(get()); } }, get()]));
  await answer('await that throws', () => als.run(1, async () => {
    try { await Promise.reject(new Error('x')); } catch { return get(); } finally { await null; }
  }));
  await answer('generators', () => als.run(1, async () => {
    const log = [];
    async function* numbers() { for (let i = 0; i < 2; i++) { await null; log.push(get()); yield i; } }
    for await (const n of numbers()) log.push([n, get()]);
    for await (const n of [sleep(1), 2]) log.push([n, get()]);
    return log;
  }));
  await answer('a generator that is asked from two contexts', async () => {
    async function* stores() { for (;;) { await sleep(1); yield get(); } }
    const it = als.run('maker', () => stores());
    return [
      (await als.run('a', () => it.next())).value, (await it.next()).value, (await als.run('b', () => it.next())).value,
    ];
  });
  await answer('arguments of handlers', () => als.run(1, () => Promise.resolve(5).then(function (...args) {
    return [args, this];
  })));
  await answer('what is no handler',
    () => als.run(1, () => Promise.resolve(5).then(1, null).then(undefined).catch('x').finally(7)));
  await answer('errors of handlers', () => als.run(1, () => Promise.resolve().then(() => {
    throw new TypeError('x');
  }).catch((e) => [e.name, e.message, get()])));
  await answer('order', async () => {
    const log = [];
    const run = (f) => als.run(1, f);
    run(() => { Promise.resolve().then(() => log.push('a')).then(() => log.push('d')); });
    Promise.resolve().then(() => log.push('b')).then(() => log.push('e'));
    run(async () => { await null; log.push('c'); await null; log.push('f'); });
    await sleep(1);
    return log.join('');
  });
  await answer('enterWith', async () => {
    const log = [];
    const entered = await (async () => {
      await null;
      als.enterWith('x');
      log.push(get());
      await sleep(1);
      log.push(get());
      als.enterWith('y');
      setTimeout(() => log.push(get()), 1);
      return get();
    })();
    log.push(get());
    await sleep(5);
    return [entered, log, get()];
  });
  await answer('enterWith in the same turn', () => {
    const log = [];
    als.run(1, () => { als.enterWith(2); log.push(get()); });
    log.push(get());
    als.run(1, () => { other.enterWith(3); });
    log.push(both());
    other.enterWith(undefined);
    log.push(both());
    return log;
  });
  await answer('an interval', async () => {
    const log = [];
    await als.run('i', () => new Promise((resolve) => {
      const id = setInterval(() => { log.push(get()); if (log.length === 3) { clearInterval(id); resolve(); } }, 1);
    }));
    return log;
  });
  await answer('timers/promises', () => als.run(1, async () => {
    const log = [await timers.setTimeout(1, 'v'), get()];
    for await (const n of timers.setInterval(1, 'i')) { log.push(n, get()); if (log.length > 5) break; }
    return log;
  }));
  await answer('promisify and once', () => als.run(1, async () => {
    const e = new EventEmitter();
    setTimeout(() => e.emit('x', 7), 1);
    const [value] = await once(e, 'x');
    return [value, get(), await promisify((f) => setImmediate(() => f(null, get())))()];
  }));
  await answer('streams', () => als.run(1, async () => {
    const seen = [];
    await pipeline(Readable.from(['a', 'b']), async function* (source) {
      for await (const c of source) { seen.push([c, get()]); yield c; }
    }, new PassThrough().resume());
    return seen;
  }));
  await answer('disable', async () => {
    const storage = new AsyncLocalStorage();
    const log = [];
    await storage.run(1, async () => {
      log.push(storage.getStore());
      storage.disable();
      log.push(storage.getStore());
      await sleep(1);
      log.push(storage.getStore());
      storage.run(2, () => log.push(storage.getStore()));
      log.push(storage.getStore());
    });
    return log;
  });

  await answer('bind and snapshot', () => {
    const bound = als.run(1, () => AsyncLocalStorage.bind((...args) => [...args, get()]));
    const snapshot = als.run(2, () => AsyncLocalStorage.snapshot());
    return [bound('a'), als.run(3, () => bound('b')), snapshot(get),
      als.run(3, () => snapshot((a) => [a, get()], 'c')), bound.length,
      AsyncLocalStorage.bind((a, b) => a + b).length, get()];
  });
  await answer('bind of no function', () => AsyncLocalStorage.bind(5));
  await answer('resources', () => {
    const r = als.run(1, () => new AsyncResource('R'));
    const bound = r.bind(function (a) { return [this?.name, a, get()]; });
    return [r.runInAsyncScope(get), r.runInAsyncScope(function (a) {
      return [this.name, a];
    }, { name: 't' }, 2), bound.call({ name: 'me' }, 3),
      r.bind(function () { return this.name; }, { name: 'fixed' }).call({ name: 'me' }),
      bound.length, get(), r.emitDestroy() === r,
      AsyncResource.bind(get)(), als.run(4, () => AsyncResource.bind(get))()];
  });
  await answer('ids of resources', () => {
    const r = new AsyncResource('R');
    const s = r.runInAsyncScope(() => new AsyncResource('S'));
    return [r.asyncId() !== s.asyncId(), s.triggerAsyncId() === r.asyncId(),
      r.runInAsyncScope(executionAsyncId) === r.asyncId(),
      s.runInAsyncScope(triggerAsyncId) === r.asyncId(), new AsyncResource('T', 42).triggerAsyncId(),
      new AsyncResource('T', { triggerAsyncId: 7 }).triggerAsyncId(),
      typeof executionAsyncId(), executionAsyncId() === executionAsyncId()];
  });
  await answer('ids of turns', async () => {
    const ids = new Set();
    await Promise.all([1, 2, 3].map((n) => new Promise((resolve) => {
      setTimeout(() => { ids.add(executionAsyncId()); resolve(); }, n);
    })));
    return [ids.size, ids.has(executionAsyncId())];
  });
  for (const [name, f] of Object.entries({
    type: () => new AsyncResource(5), trigger: () => new AsyncResource('x', 'y').asyncId() > 0,
    'trigger below': () => new AsyncResource('x', -2),
    fraction: () => new AsyncResource('x', { triggerAsyncId: 1.5 }), bind: () => new AsyncResource('x').bind('y'),
    scope: () => new AsyncResource('x').runInAsyncScope(5),
  })) await answer(`wrong ${name}`, f);
  await answer('EventEmitterAsyncResource', () => {
    const e = als.run(1, () => new EventEmitterAsyncResource({ name: 'E' }));
    const log = [];
    e.on('x', function (a) { log.push([a, get(), this === e, executionAsyncId() === e.asyncId]); });
    als.run(2, () => e.emit('x', 5));
    return [log, e.asyncResource.eventEmitter === e, typeof e.triggerAsyncId, e.emit('none')];
  });
  await answer('EventEmitterAsyncResource without a name', () => new EventEmitterAsyncResource());
  await answer('EventEmitterAsyncResource of another', () => EventEmitterAsyncResource.prototype.emit.call({}, 'x'));
  await answer('channels', () => {
    const c = channel('same:contexts');
    c.bindStore(als, (data) => ({ from: data }));
    c.bindStore(other);
    const inside = c.runStores('d', both);
    return [inside, both(), c.unbindStore(als), c.runStores('d', both)];
  });
  await answer('channels that trace', async () => {
    const t = tracingChannel('same');
    t.start.bindStore(als, (data) => data.id);
    return [
      t.traceSync(get, { id: 1 }), await t.tracePromise(async () => {
        await sleep(1);
        return get();
      }, { id: 2 }), get(),
    ];
  });
  await answer('rejections', () => new Promise((resolve) => {
    process.once('unhandledRejection', (reason) => resolve([reason.message, get()]));
    als.run('r', async () => { await null; throw new Error('nobody'); });
  }));
  return answers;
})();
