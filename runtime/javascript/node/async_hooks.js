// async_hooks: AsyncLocalStorage and AsyncResource. A context is a Map of storages and their stores, which never
// changes, or undefined if there are none. kernel.context is that of the code that runs: timers and what is queued keep
// it, and the engine's promises by the hook.
(function (kernel, require, module) {
  'use strict';
  const { host, apply } = kernel;
  const errors = require('internal/errors');
  const { validateFunction, validateString } = require('internal/validators');
  errors.define('ERR_INVALID_ASYNC_ID', RangeError,
    (name, value) => `Invalid ${name} value: ${require('util').inspect(value)}`);

  // The engine calls the hook with what a promise will call later; with null as this when a job begins; and with a
  // promise as this that is being rejected.
  function hook(later) {
    if (this !== undefined) {
      if (this !== null) {
        if (kernel.context !== undefined) setRejected(rejected, this, kernel.context);
      } else {
        kernel.context = undefined;
        kernel.turn = 0;
      }
      return undefined;
    }
    const { context } = kernel;
    if (context === undefined || typeof later !== 'function') return later;
    return function (...args) {
      kernel.context = context;
      return apply(later, this, args);
    };
  }
  const rejected = new WeakMap(); // the contexts of promises that have been rejected in one
  const setRejected = kernel.uncurry(WeakMap.prototype.set);
  const getRejected = kernel.uncurry(WeakMap.prototype.get);
  kernel.rejectedIn = (promise) => getRejected(rejected, promise);

  let hooked = false;
  const follow = () => {
    if (hooked) return;
    hooked = true;
    host('promise.hook', hook);
  };

  const call = (f, self, args) => {
    if (typeof f === 'function') return apply(f, self, args);
    const type = f === null ? 'null' : typeof f === 'object' ? 'an object' : `a ${typeof f}`;
    throw new TypeError(`Function.prototype.apply was called on ${String(f)}, which is ${type} and not a function`);
  };

  // change returns a context with another store, or without one.
  const change = (context, storage, has, store) => {
    const next = new Map(context);
    if (has) next.set(storage, store);
    else next.delete(storage);
    return next.size === 0 ? undefined : next;
  };

  class AsyncLocalStorage {
    #enabled = false;
    static bind(f) { return AsyncResource.bind(f); }
    static snapshot() { return AsyncLocalStorage.bind((f, ...args) => f(...args)); }
    disable() {
      if (this.#enabled) kernel.context = change(kernel.context, this, false);
      this.#enabled = false;
    }
    getStore() { return this.#enabled ? kernel.context?.get(this) : undefined; }
    enterWith(store) {
      follow();
      this.#enabled = true;
      kernel.context = change(kernel.context, this, true, store);
    }
    run(store, f, ...args) {
      if (Object.is(store, this.getStore())) return call(f, null, args);
      const before = kernel.context;
      this.enterWith(store);
      const { context } = kernel;
      try {
        return call(f, null, args);
      } finally {
        kernel.context = kernel.context === context ? before : this.#restored(before);
      }
    }
    exit(f, ...args) {
      if (!this.#enabled) return call(f, null, args);
      const before = kernel.context;
      kernel.context = change(before, this, false);
      const { context } = kernel;
      try {
        return call(f, null, args);
      } finally {
        kernel.context = kernel.context === context ? before : this.#restored(before);
      }
    }
    // restored returns the present context with what this storage, and no other, had before.
    #restored(before) { return change(kernel.context, this, before?.has(this) === true, before?.get(this)); }
  }

  // Ids tell executions apart: the script's first one has 1, resources have their own, and any other gets the next one
  // when it asks.
  let ids = 1;
  let trigger = 0; // of the resource in whose scope the code runs
  const executionAsyncId = () => {
    follow();
    if (kernel.turn === 0) {
      kernel.turn = ++ids;
      trigger = 0;
    }
    return kernel.turn;
  };
  const triggerAsyncId = () => {
    executionAsyncId();
    return trigger;
  };

  class AsyncResource {
    #id;
    #trigger;
    #context = kernel.context;
    constructor(type, options = {}) {
      validateString(type, 'type');
      const trigger = typeof options === 'number' ? options : options.triggerAsyncId ?? executionAsyncId();
      if (!Number.isSafeInteger(trigger) || trigger < -1) throw errors.ERR_INVALID_ASYNC_ID('triggerAsyncId', trigger);
      this.#id = ++ids;
      this.#trigger = trigger;
    }
    runInAsyncScope(f, self, ...args) {
      const { context, turn } = kernel;
      const before = trigger;
      kernel.context = this.#context;
      kernel.turn = this.#id;
      trigger = this.#trigger;
      try {
        return call(f, self, args);
      } finally {
        kernel.context = context;
        kernel.turn = turn;
        trigger = before;
      }
    }
    emitDestroy() { return this; }
    asyncId() { return this.#id; }
    triggerAsyncId() { return this.#trigger; }
    bind(f, self) {
      validateFunction(f, 'fn');
      const resource = this;
      const bound = self === undefined ?
        function (...args) {
          return resource.runInAsyncScope(f, this, ...args);
        } : this.runInAsyncScope.bind(this, f, self);
      Object.defineProperty(bound, 'length', { value: f.length, configurable: true });
      Object.defineProperty(bound, 'asyncResource',
        { value: this, writable: true, enumerable: true, configurable: true });
      return bound;
    }
    static bind(f, type, self) { return new AsyncResource(type || f.name || 'bound-anonymous-fn').bind(f, self); }
  }

  const absent = (name) => ({
    [name]() {
      const error = new Error(`${name} is not available: the engine tells nobody about asynchronous work. ` +
        'Use AsyncLocalStorage');
      error.code = 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM';
      throw error;
    },
  }[name]);

  module.exports = {
    AsyncLocalStorage, createHook: absent('createHook'), executionAsyncId, triggerAsyncId,
    executionAsyncResource: absent('executionAsyncResource'), AsyncResource,
  };
})
