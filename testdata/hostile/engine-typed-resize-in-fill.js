// A buffer shrinks while a typed array on it is filled, searched, sorted and copied.
// ends: returns ok
const methods = ['fill', 'indexOf', 'includes', 'lastIndexOf', 'at', 'with', 'copyWithin',
  'set', 'subarray', 'slice', 'join', 'toSorted', 'sort', 'map', 'find', 'reduce', 'toReversed'];
for (const type of [Uint8Array, Float64Array, BigInt64Array, Uint16Array]) {
  for (const name of methods) {
    for (const size of [0, 8, 16, 200]) {
      const buffer = new ArrayBuffer(160, { maxByteLength: 4096 });
      const array = new type(buffer);
      const evil = () => {
        buffer.resize(size);
        return 1;
      };
      const value = { valueOf: evil, toString: () => String(evil()), [Symbol.toPrimitive]: undefined,
        0: 1, get length() { return evil(); } };
      for (const args of [[value, value, value], [1, value, 100], [evil, evil], [1, 0, value]]) {
        try {
          array[name](...args);
        } catch {}
      }
    }
  }
}
return 'ok';
