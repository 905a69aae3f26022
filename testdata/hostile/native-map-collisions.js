// Keys of a Map are numbers that a simple hash puts into few places.
// ends: time limit or memory limit
const map = new Map();
for (let i = 0; ; i++) map.set(i * 2 ** 32, i) && map.get(-i * 2 ** 32);
