// A typed array is sorted by a comparison that says that everything is greater.
// ends: time limit
const numbers = new Uint32Array(1e6);
for (;;) numbers.sort(() => 1);
