// The reason of an unhandled rejection is an object that does not come back when it is shown.
// ends: time limit
Promise.reject({
  get reason() {
    for (;;) {}
  },
});
