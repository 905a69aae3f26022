// A typed array is sorted, and turned around before that each time.
// ends: time limit
const numbers = new Float64Array(1e6).map((_, i) => (i * 7919) % 1e6);
for (;;) numbers.sort().reverse();
