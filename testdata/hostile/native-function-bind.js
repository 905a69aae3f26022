// A bound function has tens of thousands of arguments, and is bound again.
// ends: time limit or memory limit or exception RangeError
const args = new Array(3e4).fill(0);
for (;;) Math.max.bind(null, ...args).bind(null, ...args)();
