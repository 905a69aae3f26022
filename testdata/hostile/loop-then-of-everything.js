// Every object has a then property that does not come back when the result is resolved.
// ends: time limit
Object.defineProperty(Object.prototype, 'then', {
  get() {
    for (;;) {}
  },
});
return {};
