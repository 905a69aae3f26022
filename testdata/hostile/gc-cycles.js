// Garbage that only a cycle collector finds is made faster than anybody could want it.
// ends: time limit
for (;;) {
  const object = { buffer: new ArrayBuffer(1e5) };
  object.self = object;
}
