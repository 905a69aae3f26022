// A native forEach visits entries that its callback has put behind the current one.
// ends: time limit
const map = new Map([['key', 0]]);
map.forEach(function visit(value, key) {
  map.delete(key);
  map.set(key, value + 1);
});
