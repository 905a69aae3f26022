// An array gets a clone of itself, which has a clone of what it was before.
// ends: memory limit or time limit
const array = [];
for (;;) array.push(structuredClone(array));
