// All native methods that take callbacks are in one another.
// ends: exception RangeError
const methods = ['map', 'filter', 'forEach', 'some', 'every', 'find', 'findIndex', 'reduce', 'flatMap'];
const again = (n) => [0, 1][methods[n % methods.length]](() => again(n + 1));
again(0);
