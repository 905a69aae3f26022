// The rows of a table are a proxy that does not say what it has.
// ends: time limit
console.table(new Proxy([], {
  ownKeys() {
    for (;;) {}
  },
}));
