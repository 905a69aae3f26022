// A native helper is told to skip more values than there will ever be.
// ends: time limit
const zeros = { __proto__: Iterator.prototype, next: () => ({ value: 0, done: false }) };
return zeros.drop(2 ** 53 - 1).next().value;
