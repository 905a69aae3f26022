// A tree of calls of a depth that the stack allows has more leaves than anybody can visit.
// ends: time limit
const count = (n) => (n === 0 ? 1 : count(n - 1) + count(n - 1));
return count(1000);
