// Filling with a number of eight bytes is no copy of memory, but a loop.
// ends: time limit
const numbers = new Float64Array(5e6);
for (let n = 0; ; n++) numbers.fill(n);
