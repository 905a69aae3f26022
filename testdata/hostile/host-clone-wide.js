// An array with a million numbers is cloned.
// ends: time limit or memory limit
const array = new Array(3e5).fill(1);
for (;;) structuredClone(array);
