// The constructor that slice, map and filter of typed arrays use gives them an array on a buffer that shrinks.
// ends: returns ok
for (const name of ['slice', 'map', 'filter', 'subarray']) {
  for (const size of [0, 1, 64]) {
    class Tricky extends Uint8Array {
      static get [Symbol.species]() {
        return function (length) {
          buffer.resize(size);
          const other = new ArrayBuffer(64, { maxByteLength: 64 });
          const made = new Uint8Array(other);
          other.resize(size);
          return made;
        };
      }
    }
    const buffer = new ArrayBuffer(64, { maxByteLength: 128 });
    try {
      new Tricky(buffer)[name](() => 1, 60);
    } catch {}
  }
}
return 'ok';
