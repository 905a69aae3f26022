// A text is made of hundreds of thousands of arguments.
// ends: time limit or exception RangeError
const points = new Array(5e4).fill(0x1f600);
for (;;) String.fromCodePoint(...points);
