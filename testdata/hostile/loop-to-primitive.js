// A conversion inside of a native comparison runs for ever.
// ends: time limit
const value = {
  [Symbol.toPrimitive]() {
    for (;;) {}
  },
};
return Math.max(1, value, 2);
