// A getter is called to show an object, and does not come back.
// ends: time limit
console.log({
  get value() {
    for (;;) {}
  },
});
