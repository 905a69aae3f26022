// A buffer grows to all that it may have, and shrinks to nothing, again and again.
// ends: time limit
const buffer = new ArrayBuffer(0, { maxByteLength: 3e7 });
for (;;) {
  buffer.resize(3e7);
  buffer.resize(0);
}
