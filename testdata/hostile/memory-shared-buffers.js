// Shared buffers are not freed by the one who made them.
// ends: memory limit
const buffers = [];
for (;;) buffers.push(new SharedArrayBuffer(1e6));
