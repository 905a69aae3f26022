// Symbols are keys of a WeakMap, and values hold their own key.
// ends: time limit or memory limit
const map = new WeakMap();
for (;;) {
  const key = Symbol('key');
  map.set(key, { key });
}
