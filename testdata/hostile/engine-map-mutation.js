// Maps and Sets are changed by the callbacks that go through them, and by what they compare.
// ends: returns ok
for (const type of [Map, Set]) {
  const collection = new type(type === Map ? Array.from({ length: 100 }, (_, i) => [i, i])
    : Array.from({ length: 100 }, (_, i) => i));
  let n = 0;
  collection.forEach((value, key) => {
    if (n++ > 500) return;
    collection.delete(key);
    if (n % 7 === 0) collection.clear();
    for (let i = 0; i < 3; i++) type === Map ? collection.set(n * 10 + i, i) : collection.add(n * 10 + i);
  });
  const iterators = Array.from({ length: 10 }, () => collection.values());
  for (const iterator of iterators) {
    iterator.next();
    collection.clear();
    iterator.next();
  }
}
const shrinking = new Set([1, 2, 3]);
shrinking.union({ size: 3, has: () => true, keys: () => (shrinking.clear(), [1, 2][Symbol.iterator]()) });
shrinking.isSubsetOf({ size: 9, has: () => shrinking.clear(), keys: () => [].values() });
return 'ok';
