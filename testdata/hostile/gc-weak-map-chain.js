// In a WeakMap each value is the key of the next one, so that finding out what is alive takes a round for each.
// ends: time limit or memory limit
const map = new WeakMap();
let key = {};
const first = key;
for (let i = 0; ; i++) {
  const next = { i };
  map.set(key, next);
  key = next;
}
