// The result is an object whose then method does not come back.
// ends: time limit
return {
  then() {
    for (;;) {}
  },
};
