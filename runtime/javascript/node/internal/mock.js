// The mocks of node:test: functions that remember their calls, and methods that such functions replace for a while.
(function (kernel, require, module, exports) {
  'use strict';
  const { unavailable, ERR_INVALID_ARG_VALUE } = require('internal/errors');
  const { validateFunction, validateInteger } = require('internal/validators');

  // A MockContext is the property mock of a mocked function.
  class MockContext {
    #calls = [];
    #once = new Map();
    #state;
    constructor(state) { this.#state = state; }
    get calls() { return this.#calls.slice(); }
    callCount() { return this.#calls.length; }
    mockImplementation(implementation) {
      validateFunction(implementation, 'implementation');
      this.#state.implementation = implementation;
    }
    mockImplementationOnce(implementation, onCall = this.#calls.length) {
      validateFunction(implementation, 'implementation');
      validateInteger(onCall, 'onCall', this.#calls.length);
      this.#once.set(onCall, implementation);
    }
    resetCalls() { this.#calls = []; }
    restore() {
      this.#state.implementation = this.#state.original;
      this.#once.clear();
      this.#state.putBack?.();
    }
    static called(context, call) { context.#calls.push(call); }
    static next(context) {
      const number = context.#calls.length;
      const once = context.#once.get(number);
      this.#used(context, number);
      if (once !== undefined) return once;
      const { times, original, implementation } = context.#state;
      return number < times ? implementation : original;
    }
    static #used(context, number) {
      context.#once.delete(number);
      const { times, putBack } = context.#state;
      if (number + 1 === times) putBack?.();
    }
  }

  const mocked = (original, implementation, { times = Infinity } = {}, putBack = undefined) => {
    if (times !== Infinity) validateInteger(times, 'options.times', 1);
    const context = new MockContext({ original, implementation, times, putBack });
    const record = (args, self, target, run) => {
      const call = { arguments: args, error: undefined, result: undefined, stack: new Error(), target, this: self };
      const implementation = MockContext.next(context);
      try {
        call.result = run(implementation);
        if (target !== undefined) call.this = call.result;
        return call.result;
      } catch (error) {
        call.error = error;
        throw error;
      } finally {
        MockContext.called(context, call);
      }
    };
    return new Proxy(original, {
      __proto__: null,
      get: (target, name, receiver) => (name === 'mock' ? context : Reflect.get(target, name, receiver)),
      apply: (_, self, args) => record(args, self, undefined, (f) => Reflect.apply(f, self, args)),
      construct: (_, args, target) => record(args, undefined, target, (f) => Reflect.construct(f, args, target)),
    });
  };

  const find = (object, name) => {
    for (let at = object; at !== null && at !== undefined; at = Object.getPrototypeOf(at)) {
      const descriptor = Object.getOwnPropertyDescriptor(at, name);
      if (descriptor !== undefined) return descriptor;
    }
    return undefined;
  };
  const isOptions = (value) => value !== null && typeof value === 'object';

  exports.MockTracker = class MockTracker {
    #mocks = [];
    fn(original = function () {}, implementation = original, options = {}) {
      if (isOptions(original)) [original, implementation, options] = [function () {}, undefined, original];
      else if (isOptions(implementation)) [implementation, options] = [original, implementation];
      implementation ??= original;
      validateFunction(original, 'original');
      validateFunction(implementation, 'implementation');
      const mock = mocked(original, implementation, options);
      this.#mocks.push(mock.mock);
      return mock;
    }
    method(object, name, implementation, options = {}) {
      if (isOptions(implementation)) [implementation, options] = [undefined, implementation];
      const kind = options.getter ? 'get' : options.setter ? 'set' : 'value';
      const descriptor = find(object, name);
      const original = descriptor?.[kind];
      if (typeof original !== 'function') throw ERR_INVALID_ARG_VALUE('methodName', original, 'must be a method');
      implementation ??= original;
      validateFunction(implementation, 'implementation');
      const own = Object.hasOwn(object, name);
      const putBack = () => {
        if (own) Object.defineProperty(object, name, descriptor); else delete object[name];
      };
      const mock = mocked(original, implementation, options, putBack);
      Object.defineProperty(object, name, { ...descriptor, [kind]: mock, configurable: true });
      this.#mocks.push(mock.mock);
      return mock;
    }
    getter(object, name, implementation, options = {}) {
      if (isOptions(implementation)) [implementation, options] = [undefined, implementation];
      return this.method(object, name, implementation, { ...options, getter: true });
    }
    setter(object, name, implementation, options = {}) {
      if (isOptions(implementation)) [implementation, options] = [undefined, implementation];
      return this.method(object, name, implementation, { ...options, setter: true });
    }
    restoreAll() { for (const mock of this.#mocks) mock.restore(); }
    reset() {
      this.restoreAll();
      this.#mocks = [];
    }
    get timers() { throw unavailable('mock.timers', 'pass the clock as an argument, or wait for short timers'); }
  };
})
