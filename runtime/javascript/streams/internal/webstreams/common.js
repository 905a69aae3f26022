// What the streams of the web platform share: hidden state, promises, queues with sizes, and strategies. The names of
// operations are those of the Streams Standard (https://streams.spec.whatwg.org/).
(function (kernel, require, module, exports) {
  'use strict';
  const { then, decorate, put } = kernel;
  const { Promise, RangeError, TypeError } = globalThis;
  const resolvePromise = Promise.resolve.bind(Promise);
  const rejectPromise = Promise.reject.bind(Promise);

  // state is the key of an object's hidden state.
  const state = Symbol('state');
  exports.state = state;
  exports.hide = (object, value) => {
    Object.defineProperty(object, state, { value, enumerable: false, writable: false, configurable: false });
    return value;
  };
  exports.of = (object, kind, name) => {
    const found = typeof object === 'object' && object !== null && Object.hasOwn(object, state)
      ? object[state] : undefined;
    if (found?.kind !== kind) {
      throw kernel.makeError('TypeError',
        `${name ?? 'a method'} is called on an object of another kind: Illegal invocation`, 'ERR_INVALID_THIS');
    }
    return found;
  };
  exports.is = (object, kind) => typeof object === 'object' && object !== null &&
    Object.hasOwn(object, state) && object[state].kind === kind;

  exports.deferred = () => {
    let resolve;
    let reject;
    const promise = new Promise((yes, no) => { resolve = yes; reject = no; });
    return { promise, resolve, reject, settled: false };
  };
  exports.resolved = (value) => resolvePromise(value);
  exports.rejected = (reason) => rejectPromise(reason);
  exports.resolvedDeferred = (value) => ({ promise: resolvePromise(value), resolve() {}, reject() {}, settled: true });
  exports.rejectedDeferred = (reason) => ({
    promise: exports.handled(rejectPromise(reason)), resolve() {}, reject() {}, settled: true,
  });
  exports.react = (promise, onFulfilled, onRejected) => then(promise, onFulfilled, onRejected);
  // handled keeps a rejection from being reported.
  exports.handled = (promise) => {
    then(promise, undefined, () => {});
    return promise;
  };

  // method returns the function of an object given by a user, or undefined. call makes a promise of what it returns.
  exports.method = (object, name, what) => {
    const f = object?.[name];
    if (f === undefined) return undefined;
    if (typeof f !== 'function') throw new TypeError(`${what}.${name} must be a function`);
    return (...args) => Reflect.apply(f, object, args);
  };
  exports.promiseCall = (f, ...args) => {
    try {
      return resolvePromise(f(...args));
    } catch (error) {
      return rejectPromise(error);
    }
  };
  // puller returns the function that asks a controller's source for more if shouldPull says so, one request at a time.
  exports.puller = (shouldPull, fail) => {
    const pullIfNeeded = (controller) => {
      if (!shouldPull(controller)) return;
      if (controller.pulling) {
        controller.pullAgain = true;
        return;
      }
      controller.pulling = true;
      const { pull, object } = controller;
      exports.react(pull === undefined ? exports.resolved() : exports.promiseCall(pull, object), () => {
        controller.pulling = false;
        if (controller.pullAgain) {
          controller.pullAgain = false;
          pullIfNeeded(controller);
        }
      }, (error) => { fail(controller, error); });
    };
    return pullIfNeeded;
  };

  exports.dictionary = (value, name) => {
    if (value === undefined || value === null) return {};
    if (typeof value !== 'object' && typeof value !== 'function') throw new TypeError(`${name} must be an object`);
    return value;
  };

  // Queues with sizes.
  exports.enqueue = (container, value, size) => {
    size = Number(size);
    if (!(size >= 0) || size === Infinity)
      throw new RangeError('The size of a chunk must be a finite number that is not negative');
    container.queue.push({ value, size });
    container.total += size;
  };
  exports.dequeue = (container) => {
    const { value, size } = container.queue.shift();
    container.total = Math.max(0, container.total - size);
    return value;
  };
  exports.resetQueue = (container) => {
    container.queue = new Queue();
    container.total = 0;
  };
  // Queue is a list with a cheap shift.
  class Queue {
    #items = [];
    #first = 0;
    get length() { return this.#items.length - this.#first; }
    push(item) { put(this.#items, this.#items.length, item); }
    peek() { return this.#items[this.#first]; }
    shift() {
      const item = this.#items[this.#first];
      this.#items[this.#first++] = undefined;
      if (this.#first > 1024 && this.#first * 2 > this.#items.length) {
        this.#items = this.#items.slice(this.#first);
        this.#first = 0;
      }
      return item;
    }
  }
  exports.Queue = Queue;

  exports.highWaterMark = (strategy, fallback) => {
    if (strategy.highWaterMark === undefined) return fallback;
    const mark = Number(strategy.highWaterMark);
    if (Number.isNaN(mark) || mark < 0) throw new RangeError('highWaterMark must be a number that is not negative');
    return mark;
  };
  exports.sizeOf = (strategy) => {
    const { size } = strategy;
    if (size === undefined) return () => 1;
    if (typeof size !== 'function') throw new TypeError('size must be a function');
    return (chunk) => size(chunk);
  };

  // publish gives a class what Web IDL requires.
  const classes = { __proto__: null };
  exports.classes = classes;
  exports.publish = (type) => {
    decorate(type.prototype, type.name);
    for (const name of Reflect.ownKeys(type)) {
      if (typeof name === 'string' && typeof type[name] === 'function')
        Object.defineProperty(type, name, { enumerable: true });
    }
    classes[type.name] = type;
    return type;
  };

  const byteLengthSize = Object.defineProperty((chunk) => chunk.byteLength, 'name', { value: 'size' });
  const countSize = Object.defineProperty(() => 1, 'name', { value: 'size' });
  const initMark = (init) => {
    if (init === null || (typeof init !== 'object' && typeof init !== 'function') || init.highWaterMark === undefined) {
      throw new TypeError('a queuing strategy needs {highWaterMark}');
    }
    return Number(init.highWaterMark);
  };
  exports.publish(class ByteLengthQueuingStrategy {
    constructor(init) { exports.hide(this, { kind: 'byteLength', mark: initMark(init) }); }
    get highWaterMark() { return exports.of(this, 'byteLength').mark; }
    get size() {
      exports.of(this, 'byteLength');
      return byteLengthSize;
    }
  });
  exports.publish(class CountQueuingStrategy {
    constructor(init) { exports.hide(this, { kind: 'count', mark: initMark(init) }); }
    get highWaterMark() { return exports.of(this, 'count').mark; }
    get size() {
      exports.of(this, 'count');
      return countSize;
    }
  });
})
