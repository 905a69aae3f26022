// Setters for numbers on Object.prototype throw whenever the engine itself puts something into an array.
// ends: exception RangeError
for (let i = 0; i < 5; i++) {
  Object.defineProperty(Object.prototype, i, {
    set() {
      throw new Error('setter');
    },
    configurable: true,
  });
}
console.log({ a: { b: 1 } });
throw new RangeError('mine');
