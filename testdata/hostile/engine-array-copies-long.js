// Copies of arrays, and keys of a proxy, whose size in bytes does not fit into 32 bits.
// ends: returns RangeError RangeError RangeError RangeError InternalError InternalError
const names = [];
const attempt = (f) => { try { f(); names.push('none'); } catch (e) { names.push(e.name); } };
const { toReversed, toSorted, toSpliced, with: replaced } = Array.prototype;
const long = { length: 2 ** 29 + 1 };
attempt(() => toReversed.call(long));
attempt(() => toSorted.call(long));
attempt(() => toSpliced.call(long, 0, 0));
attempt(() => replaced.call(long, 0, 1));
for (const length of [2 ** 29 + 1, 2 ** 32 - 1]) {
  const keys = new Proxy({}, { get: (_, key) => key === 'length' ? length : 'key' + key });
  attempt(() => Reflect.ownKeys(new Proxy({}, { ownKeys: () => keys })));
}
return names.join(' ');
