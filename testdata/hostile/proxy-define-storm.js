// A trap for definitions calls the definition that it is asked for again.
// ends: exception RangeError
const proxy = new Proxy({}, {
  defineProperty(target, name, descriptor) {
    return Reflect.defineProperty(proxy, name, descriptor);
  },
});
proxy.a = 1;
