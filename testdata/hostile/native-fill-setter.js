// The method fill on an object that takes any index and keeps none costs no memory, and no end of time.
// ends: time limit
const sink = new Proxy({ length: 2 ** 53 - 1 }, { set: () => true });
Array.prototype.fill.call(sink, 0);
