// A get trap asks the proxy that it belongs to.
// ends: exception RangeError
const proxy = new Proxy({}, {
  get(target, name, receiver) {
    return receiver[name];
  },
});
proxy.value;
