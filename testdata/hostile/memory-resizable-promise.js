// Buffers promise never to be larger than a gigabyte, each of them.
// ends: returns 1000
const buffers = [];
for (let i = 0; i < 1000; i++) buffers.push(new ArrayBuffer(1, { maxByteLength: 2 ** 30 }));
return buffers.length;
