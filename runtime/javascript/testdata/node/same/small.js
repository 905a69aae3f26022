// timers/promises, diagnostics_channel, events and util's functions.
'use strict';
const {
  inspect,
  promisify,
  callbackify,
  inherits,
  deprecate,
  types,
  isDeepStrictEqual,
  styleText,
  stripVTControlCharacters,
  getSystemErrorName,
  toUSVString,
} = require('util');
const EventEmitter = require('events');
const channels = require('diagnostics_channel');
const timers = require('timers/promises');

const answers = {};
const answer = async (name, f) => {
  try {
    answers[name] = inspect(await f(), { depth: 4, breakLength: 100 });
  } catch (error) {
    answers[name] = `${error.name} ${error.code} ${error.message}`;
  }
};

module.exports = (async () => {
  await answer('setTimeout', () => timers.setTimeout(1, 'value'));
  await answer('setImmediate', () => timers.setImmediate('value'));
  await answer('aborted', () => timers.setTimeout(1, 'value', { signal: AbortSignal.abort('why') }));
  await answer('aborted later', () => {
    const c = new AbortController();
    const p = timers.setTimeout(1000, 1, { signal: c.signal });
    c.abort();
    return p;
  });
  await answer('setInterval', async () => {
    const all = [];
    for await (const v of timers.setInterval(1, 'x')) {
      all.push(v);
      if (all.length === 3) break;
    }
    return all;
  });
  await answer('wrong options', () => timers.setTimeout(1, 1, 5));

  const channel = channels.channel('c');
  const seen = [];
  const subscriber = (message, name) => seen.push([message, name]);
  await answer('channel', () => {
    channel.subscribe(subscriber);
    channel.publish(1);
    const had = channel.hasSubscribers;
    const un = channel.unsubscribe(subscriber);
    channel.publish(2);
    return [seen, had, un, channel.unsubscribe(subscriber), channels.hasSubscribers('c')];
  });
  await answer('channel name', () => channels.channel(5));
  await answer('subscriber', () => channel.subscribe(5));

  for (const [name, value] of Object.entries({
    map: new Map(),
    date: new Date(0),
    regexp: /x/,
    promise: Promise.resolve(),
    proxy: new Proxy({}, {}),
    f: async () => {},
    g: function* () {},
    boxed: Object(1),
    args: (function () {
      return arguments;
    })(),
    error: new TypeError(),
    fake: Object.create(Date.prototype),
    array: new Uint8Array(),
    iterator: new Map().values(),
    symbol: Object(Symbol('x')),
  })) {
    await answer(`types ${name}`, () =>
      Object.keys(types)
        .filter((key) => key.startsWith('is') && key !== 'isEventTarget' && types[key](value))
        .sort(),
    );
  }
  await answer('promisify', () => promisify((a, done) => done(null, a + 1))(1));
  await answer('promisify fails', () => promisify((done) => done(new RangeError('no')))());
  await answer('promisify nothing', () => promisify(5));
  await answer('promisify custom', () => {
    const f = () => {};
    f[promisify.custom] = () => 'own';
    return promisify(f)();
  });
  await answer('promisify timeout', () => promisify(setTimeout)(1, 'later').then(() => 'done'));
  await answer('callbackify', () => new Promise((done) => callbackify(async (x) => x * 2)(4, (...args) => done(args))));
  await answer(
    'callbackify fails',
    () =>
      new Promise((done) =>
        callbackify(async () => {
          throw null;
        })((error) => done([error.message, error.code, error.reason])),
      ),
  );
  await answer('inherits', () => {
    function A() {}
    function B() {}
    inherits(A, B);
    return [new A() instanceof B, A.super_ === B];
  });
  await answer('inherits nothing', () => inherits(function () {}, null));
  await answer('deprecate', () => {
    const f = deprecate((a) => a + 1, 'old');
    return f.length;
  });
  await answer('deep equal', () => [
    isDeepStrictEqual({ a: [1, new Map([[1, 2]])] }, { a: [1, new Map([[1, 2]])] }),
    isDeepStrictEqual([1], ['1']),
  ]);
  await answer('styleText', () => styleText(['bold', 'underline'], 'y'));
  await answer('styleText nothing', () => styleText('nothing', 'x'));
  await answer('strip', () => stripVTControlCharacters('\u001b[31mred\u001b[39m \u001b]8;;u\u0007link'));
  await answer('system errors', () => [getSystemErrorName(-2), getSystemErrorName(-13)]);
  await answer('system error 0', () => getSystemErrorName(0));
  await answer('toUSVString', () => toUSVString('a\ud800b'));

  await answer('order', () => {
    const e = new EventEmitter();
    const log = [];
    e.on('x', () => log.push(1));
    e.prependListener('x', () => log.push(0));
    e.once('x', () => log.push(2));
    e.prependOnceListener('x', () => log.push(-1));
    return [e.emit('x'), e.emit('x'), log, e.listenerCount('x'), e.eventNames()];
  });
  await answer('while emitting', () => {
    const e = new EventEmitter();
    const log = [];
    const b = () => log.push('b');
    e.on('x', () => {
      log.push('a');
      e.off('x', b);
      e.on('x', () => log.push('c'));
    });
    e.on('x', b);
    e.emit('x');
    log.push('|');
    e.emit('x');
    return log;
  });
  await answer('newListener', () => {
    const e = new EventEmitter();
    const log = [];
    e.on('newListener', (n) => log.push(`+${n}`));
    e.on('removeListener', (n) => log.push(`-${n}`));
    const f = () => {};
    e.on('q', f);
    e.off('q', f);
    e.once('r', f);
    e.emit('r');
    e.removeAllListeners();
    return log;
  });
  await answer('error without listener', () => new EventEmitter().emit('error', { a: 1 }));
  await answer('error text', () => new EventEmitter().emit('error', 'text'));
  await answer('error itself', () => new EventEmitter().emit('error', new RangeError('own')));
  await answer('monitor', () => {
    const e = new EventEmitter();
    const log = [];
    e.on(EventEmitter.errorMonitor, (x) => log.push(x));
    try {
      e.emit('error', 5);
    } catch (error) {
      log.push(error.code);
    }
    return log;
  });
  await answer('once promise', async () => {
    const e = new EventEmitter();
    setTimeout(() => e.emit('x', 1, 2), 1);
    return EventEmitter.once(e, 'x');
  });
  await answer('once error', async () => {
    const e = new EventEmitter();
    setTimeout(() => e.emit('error', new Error('bad')), 1);
    return EventEmitter.once(e, 'x');
  });
  await answer('once target', async () => {
    const t = new EventTarget();
    setTimeout(() => t.dispatchEvent(new Event('x')), 1);
    return (await EventEmitter.once(t, 'x'))[0].type;
  });
  await answer('once aborted', () => EventEmitter.once(new EventEmitter(), 'x', { signal: AbortSignal.abort() }));
  await answer('on', async () => {
    const e = new EventEmitter();
    const all = [];
    setTimeout(() => {
      e.emit('x', 1);
      e.emit('x', 2);
      e.emit('end');
    }, 1);
    for await (const v of EventEmitter.on(e, 'x', { close: ['end'] })) all.push(v);
    return all;
  });
  await answer('listener', () => new EventEmitter().on('x', 5));
  await answer('max', () => {
    const e = new EventEmitter();
    e.setMaxListeners(3);
    return [e.getMaxListeners(), EventEmitter.defaultMaxListeners];
  });
  await answer('max wrong', () => new EventEmitter().setMaxListeners(-1));
  await answer('raw', () => {
    const e = new EventEmitter();
    const f = () => {};
    e.once('x', f);
    return [e.rawListeners('x')[0] === f, e.listeners('x')[0] === f, e.rawListeners('x')[0].listener === f];
  });
  await answer('without new', () => {
    function Old() {
      EventEmitter.call(this);
    }
    inherits(Old, EventEmitter);
    const o = new Old();
    o.on('x', () => {});
    return [o.listenerCount('x'), o instanceof EventEmitter];
  });
  await answer(
    'captured rejection',
    () =>
      new Promise((done) => {
        const e = new EventEmitter({ captureRejections: true });
        e.on('error', (error) => done(error.message));
        e.on('x', async () => {
          throw new Error('inside');
        });
        e.emit('x');
      }),
  );
  await answer('get listeners', () => {
    const t = new EventTarget();
    const f = () => {};
    t.addEventListener('x', f);
    return EventEmitter.getEventListeners(t, 'x').length;
  });
  return answers;
})();
