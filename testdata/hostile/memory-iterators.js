// Iterators of iterators, by the helpers that make them.
// ends: memory limit or exception RangeError
const ballast = new Uint8Array(4.5e7); // leaves less to fill
let iterator = [1].values();
for (;;) iterator = iterator.map((x) => x).filter((x) => x);
