// Shared buffers are dropped at once, and must be given back all the same.
// ends: time limit
for (;;) new SharedArrayBuffer(1e7);
