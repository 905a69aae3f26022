// assert.CallTracker: whether functions are called as often as is expected.
(function (kernel, require, module, exports) {
  'use strict';
  const { ERR_INVALID_ARG_VALUE, ERR_UNAVAILABLE_DURING_EXIT } = require('internal/errors');
  const { validateUint32 } = require('internal/validators');
  const AssertionError = require('internal/assertionerror');

  class CallTracker {
    #tracked = new Map(); // {name, expected, calls, stack} by the function that stands for another one

    calls(f, expected = 1) {
      if (process._exiting) throw ERR_UNAVAILABLE_DURING_EXIT();
      if (typeof f === 'number') [f, expected] = [undefined, f];
      f ??= () => {};
      validateUint32(expected, 'expected', true);
      const record = { name: f.name || 'calls', expected, calls: [], stack: new Error() };
      const proxy = new Proxy(f, {
        __proto__: null,
        apply(target, self, args) {
          record.calls[record.calls.length] = Object.freeze({ thisArg: self, arguments: Object.freeze(args.slice()) });
          return Reflect.apply(target, self, args);
        },
      });
      this.#tracked.set(proxy, record);
      return proxy;
    }
    #of(f) {
      const record = this.#tracked.get(f);
      if (record === undefined) throw ERR_INVALID_ARG_VALUE('tracked', f, 'is not a tracked function');
      return record;
    }
    getCalls(f) { return Object.freeze(this.#of(f).calls.slice()); }
    reset(f) {
      for (const record of f === undefined ? this.#tracked.values() : [this.#of(f)]) record.calls = [];
    }
    report() {
      const wrong = [...this.#tracked.values()].filter(({ calls, expected }) => calls.length !== expected);
      return wrong.map(({ name, expected, calls, stack }) => ({
        message: `Expected the ${name} function to be executed ${expected} time(s) ` +
          `but was executed ${calls.length} time(s).`,
        actual: calls.length, expected, operator: name, stack,
      }));
    }
    verify() {
      const details = this.report();
      if (details.length === 0) return;
      const message = details.length === 1 ? details[0].message
        : 'Functions were not called the expected number of times';
      throw new AssertionError({ message, details });
    }
  }
  exports.CallTracker = CallTracker;
})
