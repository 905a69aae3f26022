// An array grows at its front, and each element moves all the others.
// ends: time limit or memory limit
const array = [];
for (;;) array.unshift([1, 2, 3]);
