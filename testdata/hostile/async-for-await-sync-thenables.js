// A sync iterator in for-await yields thenables that answer with thenables.
// ends: time limit
const late = { then: (resolve) => resolve(1) };
const source = { [Symbol.iterator]: () => ({ next: () => ({ value: late, done: false }) }) };
let sum = 0;
for await (const value of source) sum += value;
