// The numbers of a typed array are put together to one long text.
// ends: time limit or memory limit
const numbers = new Float64Array(3e5).fill(Math.PI);
for (;;) numbers.join();
