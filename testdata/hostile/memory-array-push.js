// An array grows by one object at a time.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
const array = [];
for (;;) array.push({ a: 1 });
