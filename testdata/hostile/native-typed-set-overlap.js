// The method set copies an array over itself, one byte further, without an end.
// ends: time limit
const bytes = new Uint8Array(3e7);
const rest = bytes.subarray(0, -1);
for (;;) bytes.set(rest, 1);
