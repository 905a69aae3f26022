// Atomics with one thread.
'use strict';
const out = {};
const same = (label, f) => {
  try {
    const value = f();
    out[label] = JSON.stringify(value, (key, v) => typeof v === 'bigint' ? `${v}n` : v) ?? String(value);
  } catch (e) { out[label] = e.name; }
};
const types = [Int8Array, Uint8Array, Int16Array, Uint16Array, Int32Array, Uint32Array];
for (const type of types) {
  for (const name of ['add', 'sub', 'and', 'or', 'xor', 'exchange', 'store']) {
    same(`${type.name} ${name}`, () => {
      const array = new type([250, -3, 70000, 5]);
      return [0, 1, 2, 3].map((i) => Atomics[name](array, i, [7, -1, 2.9, 1e6][i])).concat(...array);
    });
  }
  same(`${type.name} compareExchange`, () => {
    const array = new type([250, -3]);
    return [Atomics.compareExchange(array, 0, 250, 1), Atomics.compareExchange(array, 1, 9, 1), ...array];
  });
  same(`${type.name} load`, () => [Atomics.load(new type([1, -1]), 1), Atomics.load(new type([1, -1]), '0')]);
}
for (const name of ['add', 'sub', 'and', 'or', 'xor', 'exchange', 'store']) {
  same(`big ${name}`, () => {
    const array = new BigInt64Array([5n, -5n]);
    return [Atomics[name](array, 0, 3n), Atomics[name](array, 1, 2n ** 63n), ...array];
  });
}
same('shared', () => Atomics.add(new Int32Array(new SharedArrayBuffer(8)), 1, 5));
same('isLockFree', () => [1, 2, 3, 4, 8].map((n) => Atomics.isLockFree(n)));
same('wait, not equal', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 1, 5));
same('wait, timed out', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0, 5));
same('wait, no time', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0, -1));
same('notify', () => Atomics.notify(new Int32Array(new SharedArrayBuffer(8)), 0, 1));
same('waitAsync, not equal', () => Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(8)), 0, 1));
same('waitAsync, no time', () => Atomics.waitAsync(new Int32Array(new SharedArrayBuffer(8)), 0, 0, 0));
same('a float', () => Atomics.add(new Float64Array(1), 0, 1));
same('clamped', () => Atomics.add(new Uint8ClampedArray(1), 0, 1));
same('no typed array', () => Atomics.load([1], 0));
same('behind the end', () => Atomics.load(new Int8Array(1), 1));
same('before the start', () => Atomics.load(new Int8Array(1), -1));
same('not shared', () => Atomics.wait(new Int32Array(1), 0, 0, 1));
same('a number for a BigInt', () => Atomics.add(new BigInt64Array(1), 0, 1));
same('shown', () => [Object.prototype.toString.call(Atomics), typeof Atomics, Atomics.add.length,
  Atomics.notify.length, Atomics.wait.length]);

module.exports = (async () => {
  const array = new Int32Array(new SharedArrayBuffer(8));
  const { async, value } = Atomics.waitAsync(array, 0, 0);
  out.notified = `${async} ${Atomics.notify(array, 0)} ${await value}`;
  const alive = setTimeout(() => {}, 1000); // waiting does not keep Node running
  out.late = await Atomics.waitAsync(array, 0, 0, 1).value;
  clearTimeout(alive);
  return out;
})();
