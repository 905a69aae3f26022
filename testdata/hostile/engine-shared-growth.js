// A shared buffer grows far beyond what it had at first, and all of it is written.
// ends: returns 1048576 7
const buffers = [];
for (let i = 0; i < 10; i++) {
  const buffer = new SharedArrayBuffer(8, { maxByteLength: 1 << 20 });
  const other = { neighbour: new Array(100).fill({}) };
  buffer.grow(1000);
  buffer.grow(1 << 20);
  new Uint8Array(buffer).fill(7);
  buffers.push(buffer, other);
}
return buffers[0].byteLength + ' ' + new Uint8Array(buffers[0])[(1 << 20) - 1];
