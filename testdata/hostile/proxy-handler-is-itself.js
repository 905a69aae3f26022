// A proxy inherits from itself by way of its handler.
// ends: exception RangeError
const target = {};
const proxy = new Proxy(target, {});
Object.setPrototypeOf(target, proxy);
return proxy.missing;
