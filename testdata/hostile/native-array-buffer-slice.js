// Slices of a large buffer are taken and dropped.
// ends: time limit
const buffer = new ArrayBuffer(2.5e7);
for (;;) buffer.slice(1);
