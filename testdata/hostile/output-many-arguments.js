// One call has tens of thousands of arguments.
// ends: time limit or exception RangeError
const args = new Array(3e4).fill({ a: [1] });
for (;;) console.log(...args);
