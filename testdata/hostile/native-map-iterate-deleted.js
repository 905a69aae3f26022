// A Map is emptied while an iterator stands in it, and filled again behind it.
// ends: time limit or memory limit
const map = new Map();
for (;;) {
  for (let i = 0; i < 1e4; i++) map.set(i, i);
  const iterator = map.keys();
  iterator.next();
  map.clear();
  map.set('last', 1);
  iterator.next();
}
