// Each call spreads tens of thousands of arguments on the stack.
// ends: memory limit or exception RangeError
const again = (...args) => again(...args, 1);
again(...new Array(1e4).fill(0));
