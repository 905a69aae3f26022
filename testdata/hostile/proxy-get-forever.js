// A get trap does not come back while a native method reads.
// ends: time limit
const proxy = new Proxy([], {
  get() {
    for (;;) {}
  },
});
return [].concat(proxy);
