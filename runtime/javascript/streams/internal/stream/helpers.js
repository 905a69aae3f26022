// The helpers of Readable that are like those of arrays. Each is called with a stream as this.
(function (kernel, require, module, exports) {
  'use strict';
  const errors = require('internal/errors');
  const base = require('internal/stream/base');
  const { Readable } = require('stream');
  const { finished } = require('internal/stream/end');
  const { validateAbortSignal, validateFunction, validateInteger, validateObject } = require('internal/validators');

  const check = (f, options, name = 'fn') => {
    if (typeof f !== 'function') throw errors.ERR_INVALID_ARG_TYPE(name, ['Function', 'AsyncFunction'], f);
    checkOptions(options);
  };
  const checkOptions = (options) => {
    if (options != null) validateObject(options, 'options');
    if (options?.signal != null) validateAbortSignal(options.signal, 'options.signal');
  };
  const aborted = (signal) => new errors.AbortError(undefined, { cause: signal.reason });
  const throwIfAborted = (options) => { if (options?.signal?.aborted) throw aborted(options.signal); };

  // mapped calls f for each chunk, for some at the same time, and gives the results in order.
  const mapped = async function* (stream, f, options) {
    const concurrency = options?.concurrency != null ? Math.floor(options.concurrency) : 1;
    const limit = options?.highWaterMark != null ? Math.floor(options.highWaterMark) : concurrency - 1;
    const controller = new AbortController();
    const { signal } = controller;
    const outer = options?.signal;
    const abort = () => { controller.abort(outer.reason); };
    outer?.addEventListener('abort', abort, { once: true });
    const queue = [];
    let running = 0;
    let over = false;
    let wakeReader = null;
    let wakePump = null;
    const wake = () => {
      wakeReader?.();
      wakePump?.();
      wakeReader = wakePump = null;
    };
    const release = () => {
      running--;
      wake();
    };
    const skip = Symbol('skip');
    const pump = async () => {
      try {
        for await (const chunk of stream) {
          if (over) return;
          if (signal.aborted) throw new errors.AbortError();
          running++;
          let value;
          try {
            value = f(chunk, { signal });
            value = typeof value?.then === 'function' ? value : Promise.resolve(value);
          } catch (error) {
            value = Promise.reject(error);
          }
          value.then(release, () => {
            over = true;
            release();
          });
          queue.push(value);
          wake();
          while (!over && (queue.length >= limit + concurrency || running >= concurrency))
            await new Promise((resolve) => { wakePump = resolve; });
        }
        queue.push(skip);
      } catch (error) {
        const failed = Promise.reject(error);
        failed.catch(() => {});
        queue.push(failed);
      } finally {
        over = true;
        wake();
      }
    };
    pump();
    try {
      for (;;) {
        while (queue.length > 0) {
          const value = queue[0] === skip ? skip : await queue[0];
          if (value === skip) return;
          throwIfAborted(options);
          yield value;
          queue.shift();
          wakePump?.();
          wakePump = null;
        }
        await new Promise((resolve) => { wakeReader = resolve; });
      }
    } finally {
      over = true;
      controller.abort();
      outer?.removeEventListener('abort', abort);
      wake();
    }
  };
  const checkConcurrency = (options) => {
    if (options?.concurrency != null) validateInteger(Math.floor(options.concurrency), 'options.concurrency', 1);
    if (options?.highWaterMark != null) validateInteger(Math.floor(options.highWaterMark), 'options.highWaterMark', 0);
  };
  const map = (stream, f, options) => {
    check(f, options);
    checkConcurrency(options);
    return mapped(stream, f, options);
  };
  exports.map = function (f, options) { return Readable.from(map(this, f, options)); };

  const none = Symbol('none');
  const filter = async function* (stream, f, options) {
    const select = async (value, info) => (await f(value, info) ? [value] : none);
    for await (const value of mapped(stream, select, options)) if (value !== none) yield value[0];
  };
  exports.filter = function (f, options) {
    check(f, options);
    checkConcurrency(options);
    return Readable.from(filter(this, f, options));
  };
  exports.forEach = async function (f, options) {
    check(f, options);
    checkConcurrency(options);
    const each = async (value, info) => { await f(value, info); };
    for await (const _ of mapped(this, each, options)) void _;
  };
  exports.toArray = async function (options) {
    checkOptions(options);
    const all = [];
    for await (const value of this) {
      throwIfAborted(options);
      all.push(value);
    }
    return all;
  };
  exports.some = async function (f, options) {
    check(f, options);
    checkConcurrency(options);
    for await (const _ of filter(this, f, options)) {
      void _;
      return true;
    }
    return false;
  };
  exports.every = async function (f, options) {
    check(f, options);
    checkConcurrency(options);
    const not = async (value, info) => !(await f(value, info));
    for await (const _ of filter(this, not, options)) {
      void _;
      return false;
    }
    return true;
  };
  exports.find = async function (f, options) {
    check(f, options);
    checkConcurrency(options);
    for await (const value of filter(this, f, options)) return value;
    return undefined;
  };
  const flat = async function* (values) {
    for await (const value of values) yield* value;
  };
  exports.flatMap = function (f, options) { return Readable.from(flat(map(this, f, options))); };

  const count = (n) => {
    n = Number(n);
    if (Number.isNaN(n)) return 0;
    if (n < 0) throw errors.ERR_OUT_OF_RANGE('number', '>= 0', n);
    return n;
  };
  const take = async function* (stream, n, options) {
    throwIfAborted(options);
    for await (const value of stream) {
      throwIfAborted(options);
      if (n-- > 0) yield value;
      if (n <= 0) return;
    }
  };
  exports.take = function (n, options) {
    checkOptions(options);
    return Readable.from(take(this, count(n), options));
  };
  const drop = async function* (stream, n, options) {
    throwIfAborted(options);
    for await (const value of stream) {
      throwIfAborted(options);
      if (n-- <= 0) yield value;
    }
  };
  exports.drop = function (n, options) {
    checkOptions(options);
    return Readable.from(drop(this, count(n), options));
  };
  exports.asIndexedPairs = function (options) {
    checkOptions(options);
    let i = 0;
    return exports.map.call(this, (value) => [i++, value], options);
  };
  exports.reduce = async function (f, initial, options) {
    validateFunction(f, 'reducer');
    check(f, options, 'reducer');
    let has = arguments.length > 1;
    if (options?.signal?.aborted) {
      this.once('error', () => {});
      await finished.finished(this.destroy(aborted(options.signal)));
    }
    const controller = new AbortController();
    let empty = true;
    for await (const value of this) {
      empty = false;
      throwIfAborted(options);
      if (has) {
        initial = await f(initial, value, { signal: controller.signal });
      } else {
        initial = value;
        has = true;
      }
    }
    if (empty && !has) {
      throw Object.assign(new TypeError('Reduce of an empty stream requires an initial value'),
        { code: 'ERR_MISSING_ARGS' });
    }
    return initial;
  };
  exports.compose = function (stream, options) {
    checkOptions(options);
    if (base.isNodeStream(stream) && !base.isWritable(stream))
      throw errors.ERR_INVALID_ARG_VALUE('stream', stream, 'must be writable');
    const composed = require('internal/stream/compose').compose(this, stream);
    if (options?.signal) require('internal/stream/end').addAbortSignal(options.signal, composed);
    return composed;
  };
})
