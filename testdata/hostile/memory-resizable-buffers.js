// Buffers are made that may grow to more than there is, and then do.
// ends: memory limit or exception RangeError
const buffers = [];
for (;;) {
  const buffer = new ArrayBuffer(0, { maxByteLength: 1e6 });
  buffer.resize(1e6);
  buffers.push(buffer);
}
