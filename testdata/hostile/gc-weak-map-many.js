// Many WeakMaps have the same keys, so that each key that dies is removed from all of them.
// ends: time limit or memory limit
const maps = Array.from({ length: 1000 }, () => new WeakMap());
for (;;) {
  const key = {};
  for (let i = 0; i < maps.length; i++) maps[i].set(key, key);
}
