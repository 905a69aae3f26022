// DisposableStack, AsyncDisposableStack and SuppressedError
(function (kernel, require, module, exports) {
  'use strict';
  const { defineProperty } = kernel;
  const { dispose, asyncDispose } = Symbol;
  const hide = (object, name, value) => {
    defineProperty(object, name, { __proto__: null, value, writable: true, configurable: true });
  };

  class SuppressedError extends Error {
    constructor(error, suppressed, message = undefined) {
      super(...message === undefined ? [] : [message]);
      hide(this, 'error', error);
      hide(this, 'suppressed', suppressed);
    }
  }
  // As with the other errors of the language, new is not needed.
  const Suppressed = function (error, suppressed, message) {
    return Reflect.construct(SuppressedError, [error, suppressed, message],
      new.target === undefined ? SuppressedError : new.target);
  };
  hide(SuppressedError.prototype, 'name', 'SuppressedError');
  hide(SuppressedError.prototype, 'message', '');
  defineProperty(Suppressed, 'name', { __proto__: null, value: 'SuppressedError', configurable: true });
  defineProperty(Suppressed, 'prototype', { __proto__: null, value: SuppressedError.prototype, writable: false });
  Object.setPrototypeOf(Suppressed, Error);
  hide(SuppressedError.prototype, 'constructor', Suppressed);

  // A resource is {value, method}; method is undefined for null and undefined, which are only waited for.
  const methodOf = (value, symbol) => {
    const method = value[symbol];
    if (method !== undefined && method !== null && typeof method !== 'function')
      throw new TypeError(`${String(symbol)} is not a function`);
    return method ?? undefined;
  };
  const mustBeObject = (value) => {
    if (typeof value !== 'object' && typeof value !== 'function') throw new TypeError('the value is not an object');
  };
  const mustBeFunction = (value) => {
    if (typeof value !== 'function') throw new TypeError('the argument is not a function');
  };
  // failing collects what is thrown: an error that follows another hides it.
  const failing = () => {
    let failed = false, error;
    return {
      add(thrown) {
        error = failed ? new Suppressed(thrown, error) : thrown;
        failed = true;
      },
      end() { if (failed) throw error; },
    };
  };

  const disposeAll = (resources) => {
    const failures = failing();
    while (resources.length > 0) {
      const { value, method } = resources.pop();
      try { method?.call(value); } catch (e) { failures.add(e); }
    }
    failures.end();
  };
  const disposeAllAsync = async (resources) => {
    const failures = failing();
    let waits = false, waited = false;
    while (resources.length > 0) {
      const { value, method } = resources.pop();
      if (method === undefined) {
        waits = true;
        continue;
      }
      try {
        const result = method.call(value);
        waited = true;
        await result;
      } catch (e) { failures.add(e); }
    }
    if (waits && !waited) await undefined;
    failures.end();
  };

  // both returns what the two classes have in common. find gives the method that disposes of a value.
  const both = (name, find) => {
    const states = kernel.slot(); // {resources}, which is undefined if they have been disposed of
    const of = (stack) => {
      const state = states.get(stack);
      if (state === undefined) throw new TypeError(`Method ${name} called on incompatible receiver ${String(stack)}`);
      return state;
    };
    const open = (stack) => {
      const state = of(stack);
      if (state.resources === undefined) throw new ReferenceError('Cannot add values to a disposed stack!');
      return state.resources;
    };
    return {
      of,
      begin(stack, resources = []) { states.set(stack, { resources }); },
      methods: {
        use(value) {
          const resources = open(this);
          if (value === null || value === undefined) {
            if (name !== 'DisposableStack') resources.push({ value, method: undefined });
            return value;
          }
          mustBeObject(value);
          const method = find(value);
          if (method === undefined) throw new TypeError('the value cannot be disposed of: it has no such method');
          resources.push({ value, method });
          return value;
        },
        adopt(value, onDispose) {
          const resources = open(this);
          mustBeFunction(onDispose);
          resources.push({ value: undefined, method: () => onDispose(value) });
          return value;
        },
        defer(onDispose) {
          const resources = open(this);
          mustBeFunction(onDispose);
          resources.push({ value: undefined, method: () => onDispose() });
        },
      },
    };
  };
  const finish = (type, name, methods) => {
    for (const method of Object.keys(methods)) hide(type.prototype, method, methods[method]);
    defineProperty(type.prototype, Symbol.toStringTag, { __proto__: null, value: name, configurable: true });
  };

  const sync = both('DisposableStack', (value) => methodOf(value, dispose));
  class DisposableStack {
    constructor() { sync.begin(this); }
    get disposed() { return sync.of(this).resources === undefined; }
    dispose() {
      const state = sync.of(this);
      const { resources } = state;
      state.resources = undefined;
      if (resources !== undefined) disposeAll(resources);
    }
    move() {
      const state = sync.of(this);
      if (state.resources === undefined) throw new ReferenceError('Cannot move elements from a disposed stack!');
      const stack = new DisposableStack();
      sync.of(stack).resources = state.resources;
      state.resources = undefined;
      return stack;
    }
  }
  finish(DisposableStack, 'DisposableStack', sync.methods);
  hide(DisposableStack.prototype, dispose, DisposableStack.prototype.dispose);

  const async = both('AsyncDisposableStack', (value) => {
    const method = methodOf(value, asyncDispose);
    if (method !== undefined) return method;
    const plain = methodOf(value, dispose);
    return plain === undefined ? undefined : async function () { plain.call(this); };
  });
  class AsyncDisposableStack {
    constructor() { async.begin(this); }
    get disposed() { return async.of(this).resources === undefined; }
    async disposeAsync() {
      const state = async.of(this);
      const { resources } = state;
      state.resources = undefined;
      if (resources !== undefined) await disposeAllAsync(resources);
    }
    move() {
      const state = async.of(this);
      if (state.resources === undefined) throw new ReferenceError('Cannot move elements from a disposed stack!');
      const stack = new AsyncDisposableStack();
      async.of(stack).resources = state.resources;
      state.resources = undefined;
      return stack;
    }
  }
  finish(AsyncDisposableStack, 'AsyncDisposableStack', async.methods);
  hide(AsyncDisposableStack.prototype, asyncDispose, AsyncDisposableStack.prototype.disposeAsync);

  exports.SuppressedError = Suppressed;
  exports.DisposableStack = DisposableStack;
  exports.AsyncDisposableStack = AsyncDisposableStack;
})
