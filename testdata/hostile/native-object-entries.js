// Each property of a large object becomes a pair, and the pairs an object.
// ends: time limit or memory limit
let object = Object.fromEntries(Array.from({ length: 5e4 }, (_, i) => ['p' + i, i]));
for (;;) object = Object.fromEntries(Object.entries(object));
