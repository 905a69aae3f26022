// Typed arrays are made of objects whose lengths and offsets change while they are looked at.
// ends: returns ok
for (const type of [Uint8Array, Uint32Array, Float64Array, BigUint64Array, DataView]) {
  for (const [offset, length] of [
    [2 ** 32, 8], [8, 2 ** 31], [-8, 8], [2 ** 53 - 1, 1], [0, 2 ** 53 - 1], [4294967288, 4294967295],
  ]) {
    const buffer = new ArrayBuffer(64, { maxByteLength: 256 });
    const lie = (n) => ({
      valueOf() {
        buffer.resize(buffer.byteLength === 64 ? 256 : 1);
        return n;
      },
    });
    for (const args of [
      [buffer, offset, length], [buffer, lie(0), lie(64)], [{ length }], [{ length: lie(8), 0: lie(1) }],
    ]) {
      try {
        const made = new type(...args);
        made[0] = made[made.length - 1];
      } catch {}
    }
  }
}
return 'ok';
