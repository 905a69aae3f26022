// timers
(function (kernel, require, module, exports) {
  'use strict';
  const { ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE } = require('internal/errors');
  const { setTimeout, clearTimeout } = globalThis;
  const maxDelay = 2 ** 31 - 1;

  Object.assign(exports, { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate, clearImmediate });
  Object.defineProperty(exports, 'promises', {
    enumerable: true, configurable: true, get: () => require('timers/promises'),
  });
  // longDelay warns of a delay that is too long.
  const longDelay = kernel.longDelay = (delay, instead = 'Timeout duration was set to 1.') => {
    require('process').emitWarning(`${delay} does not fit into a 32-bit signed integer.\n${instead}`,
      'TimeoutOverflowWarning');
  };

  // Timers of any objects, which Node has deprecated: enroll gives one its delay, active starts it and calls its method
  // _onTimeout, and unenroll stops it.
  const started = new WeakMap();
  const deprecated = (name, code, instead, f) => {
    let warned = false;
    exports[name] = { [name](...args) {
      if (!warned) {
        warned = true;
        require('process').emitWarning(`timers.${name}() is deprecated. Please use ${instead} instead.`,
          'DeprecationWarning', code);
      }
      return f(...args);
    } }[name];
  };
  const stop = (item) => {
    clearTimeout(started.get(item));
    started.delete(item);
    if (item._idleNext) item._idleNext = item._idlePrev = null;
  };
  const start = (item) => {
    const delay = item._idleTimeout;
    if (delay === undefined || delay < 0) return undefined;
    stop(item);
    item._idleStart = Math.trunc(kernel.now());
    item._idleNext = item._idlePrev = item;
    const timer = setTimeout(() => {
      stop(item);
      item._onTimeout?.();
    }, delay);
    started.set(item, timer);
    return timer;
  };
  deprecated('enroll', 'DEP0095', 'setTimeout', (item, msecs) => {
    if (typeof msecs !== 'number') throw ERR_INVALID_ARG_TYPE('msecs', 'number', msecs);
    if (!(msecs >= 0 && msecs < Infinity)) throw ERR_OUT_OF_RANGE('msecs', 'a non-negative finite number', msecs);
    if (msecs > maxDelay) longDelay(msecs, 'Timer duration was truncated to 2147483647.');
    stop(item);
    item._idleTimeout = Math.min(msecs, maxDelay);
  });
  deprecated('unenroll', 'DEP0096', 'clearTimeout', (item) => {
    clearTimeout(item);
    stop(item);
    item._idleTimeout = -1;
  });
  deprecated('active', 'DEP0126', 'timeout.refresh()', (item) => { start(item); });
  deprecated('_unrefActive', 'DEP0127', 'timeout.refresh()', (item) => { start(item)?.unref(); });
})
