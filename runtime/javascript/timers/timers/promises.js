// timers/promises
(function (kernel, require, module, exports) {
  'use strict';
  const { AbortError, ERR_ILLEGAL_CONSTRUCTOR } = require('internal/errors');
  const { validateAbortSignal, validateBoolean, validateObject } = require('internal/validators');

  const timers = require('timers');
  const now = Symbol('now'); // the delay of setImmediate

  const check = (options) => {
    validateObject(options, 'options');
    const { signal, ref } = options;
    validateAbortSignal(signal, 'options.signal');
    if (ref !== undefined) validateBoolean(ref, 'options.ref');
    if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
    return signal;
  };
  const after = async (delay, value, options = {}) => {
    const signal = check(options);
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        timers.clearTimeout(timer);
        reject(new AbortError(undefined, { cause: signal.reason }));
      };
      const done = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve(value);
      };
      const timer = delay === now ? timers.setImmediate(done) : timers.setTimeout(done, delay);
      if (options.ref === false) timer.unref();
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  };
  exports.setTimeout = function setTimeout(delay, value, options) { return after(delay, value, options); };
  exports.setImmediate = function setImmediate(value, options) { return after(now, value, options); };
  exports.setInterval = async function* setInterval(delay, value, options = {}) {
    const signal = check(options);
    let waiting = 0;
    let wake;
    const timer = globalThis.setInterval(() => {
      waiting++;
      wake?.();
    }, delay);
    if (options.ref === false) timer.unref();
    const onAbort = () => { wake?.(); };
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      for (;;) {
        if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
        if (waiting === 0) await new Promise((resolve) => { wake = resolve; });
        for (; waiting > 0 && !signal?.aborted; waiting--) yield value;
      }
    } finally {
      clearInterval(timer);
      signal?.removeEventListener('abort', onAbort);
    }
  };
  const token = Symbol('token');
  class Scheduler {
    constructor(given) { if (given !== token) throw ERR_ILLEGAL_CONSTRUCTOR(); }
    wait(delay, options) { return after(delay, undefined, options); }
    yield() { return exports.setImmediate(); }
  }
  exports.scheduler = new Scheduler(token);
})
