// Iterators are closed while they are being closed, and by native methods that fail.
// ends: returns ok
const iterator = {
  [Symbol.iterator]() {
    return this;
  },
  next: () => ({ value: 1, done: false }),
  return() {
    try {
      const [a] = iterator.returning++ < 10 ? iterator : [];
    } catch {}
    throw new Error('return');
  },
  returning: 0,
};
for (const use of [
  () => new Map(iterator), () => Array.from(iterator, () => { throw 1; }), () => { const [a] = iterator; },
    () => Object.fromEntries(iterator), () => new WeakSet(iterator), () => Promise.all.call(function () {}, iterator),
    () => { for (const x of iterator) break; },
]) {
  try {
    use();
  } catch {}
}
return 'ok';
