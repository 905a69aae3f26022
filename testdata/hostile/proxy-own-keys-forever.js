// The result is an object whose list of keys is never complete.
// ends: time limit
return new Proxy({}, {
  ownKeys() {
    for (;;) {}
  },
});
