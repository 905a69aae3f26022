// A large typed array and a large array are frozen and asked whether they are.
// ends: time limit or memory limit or exception TypeError
const array = new Array(3e5).fill(0);
for (;;) Object.isFrozen(array) || Object.isSealed(Object.freeze(array.slice()));
