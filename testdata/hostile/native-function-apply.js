// A function is called with as many arguments as it may have.
// ends: time limit or exception RangeError
const args = new Array(6e4).fill(0);
for (;;) Math.max.apply(null, args);
