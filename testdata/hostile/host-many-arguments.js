// A call has a hundred thousand arguments.
// ends: time limit or memory limit or exception RangeError
const args = new Array(6e4).fill('x');
for (;;) echo(...args);
