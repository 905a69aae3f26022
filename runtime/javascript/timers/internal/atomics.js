// Atomics. There is one thread, so every operation is atomic.
(function (kernel, require, module, exports) {
  'use strict';
  const { defineProperty, typedArrayName, host } = kernel;
  const integers = ['Int8Array', 'Uint8Array', 'Int16Array', 'Uint16Array', 'Int32Array',
    'Uint32Array', 'BigInt64Array', 'BigUint64Array'];

  const isBig = (array) => typedArrayName(array).startsWith('Big');
  const check = (array, names = integers) => {
    const name = typeof array === 'object' && array !== null ? typedArrayName(array) : undefined;
    if (name === undefined || !names.includes(name))
      throw new TypeError('[object Array] is not an integer typed array.');
  };
  const indexOf = (array, index) => {
    const { length } = array;
    const number = Number(index);
    const at = Number.isNaN(number) ? 0 : Math.trunc(number);
    if (at < 0 || at >= length) throw new RangeError('Invalid atomic access index');
    return at + 0;
  };
  const toBigInt = (value) => typeof value === 'bigint' ? value : BigInt.asIntN(64, value); // numbers are refused
  const valueFor = (array, value) => {
    if (isBig(array)) return toBigInt(value);
    const number = Number(value);
    return Number.isNaN(number) ? 0 : Math.trunc(number) + 0;
  };
  // change makes an operation that stores f(old, value) and returns the old value.
  const change = (f) => (array, index, value) => {
    check(array);
    const at = indexOf(array, index);
    const operand = valueFor(array, value);
    const old = array[at];
    array[at] = f(old, operand);
    return old;
  };

  const waiting = []; // {buffer, byte, resolve}
  const waitable = (array, index, value, timeout) => {
    check(array, ['Int32Array', 'BigInt64Array']);
    if (!(array.buffer instanceof SharedArrayBuffer))
      throw new TypeError('[object Int32Array] is not a shared typed array.');
    const at = indexOf(array, index);
    const expected = isBig(array) ? BigInt.asIntN(64, value) : value | 0;
    const limit = timeout === undefined ? NaN : Number(timeout);
    return { at, equal: array[at] === expected, limit: Number.isNaN(limit) ? Infinity : Math.max(limit, 0) };
  };

  const functions = {
    add: change((old, value) => old + value),
    and: change((old, value) => old & value),
    compareExchange(array, index, expected, replacement) {
      check(array);
      const at = indexOf(array, index);
      const wanted = new array.constructor([valueFor(array, expected)])[0];
      const value = valueFor(array, replacement);
      const old = array[at];
      if (old === wanted) array[at] = value;
      return old;
    },
    exchange: change((old, value) => value),
    isLockFree(size) { return [1, 2, 4, 8].includes(Math.trunc(Number(size))); },
    load(array, index) {
      check(array);
      return array[indexOf(array, index)];
    },
    notify(array, index, count) {
      check(array, ['Int32Array', 'BigInt64Array']);
      const at = indexOf(array, index);
      const number = count === undefined ? Infinity : Number(count);
      let left = Number.isNaN(number) ? 0 : Math.max(Math.trunc(number), 0);
      const byte = array.byteOffset + at * array.BYTES_PER_ELEMENT;
      let woken = 0;
      for (let i = 0; i < waiting.length && left > 0;) {
        const waiter = waiting[i];
        if (waiter.buffer !== array.buffer || waiter.byte !== byte) {
          i++;
          continue;
        }
        waiting.splice(i, 1);
        waiter.resolve('ok');
        woken++;
        left--;
      }
      return woken;
    },
    or: change((old, value) => old | value),
    store(array, index, value) {
      check(array);
      const at = indexOf(array, index);
      const stored = valueFor(array, value);
      array[at] = stored;
      return stored;
    },
    sub: change((old, value) => old - value),
    wait(array, index, value, timeout) {
      const { equal, limit } = waitable(array, index, value, timeout);
      if (!equal) return 'not-equal';
      if (limit === Infinity) throw new Error(
        'Atomics.wait would wait forever: there is one thread, which nothing can wake up; give a timeout');
      host('atomics.sleep', `${limit}`);
      return 'timed-out';
    },
    waitAsync(array, index, value, timeout) {
      const { at, equal, limit } = waitable(array, index, value, timeout);
      if (!equal) return { async: false, value: 'not-equal' };
      if (limit === 0) return { async: false, value: 'timed-out' };
      const waiter = { buffer: array.buffer, byte: array.byteOffset + at * array.BYTES_PER_ELEMENT };
      const promise = new Promise((resolve) => { waiter.resolve = resolve; });
      waiting.push(waiter);
      if (limit !== Infinity) {
        setTimeout(() => {
          const at = waiting.indexOf(waiter);
          if (at < 0) return;
          waiting.splice(at, 1);
          waiter.resolve('timed-out');
        }, limit);
      }
      return { async: true, value: promise };
    },
    xor: change((old, value) => old ^ value),
  };

  const Atomics = {};
  for (const name of Object.keys(functions)) {
    const f = functions[name];
    defineProperty(f, 'name', { __proto__: null, value: name, configurable: true });
    defineProperty(Atomics, name, { __proto__: null, value: f, writable: true, configurable: true });
  }
  defineProperty(Atomics, Symbol.toStringTag, { __proto__: null, value: 'Atomics', configurable: true });
  exports.Atomics = Atomics;
})
