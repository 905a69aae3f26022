// Buffers of a megabyte are kept.
// ends: memory limit
const buffers = [];
for (;;) buffers.push(new ArrayBuffer(1e6));
