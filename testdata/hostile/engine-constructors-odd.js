// All constructors are called with a new.target whose prototype is a getter that throws, changes things, or is nothing.
// ends: returns ok
const types = Object.getOwnPropertyNames(globalThis).filter((name) => ![
  'halt', 'hangs', 'reportError',
].includes(name)).map((name) => globalThis[name]).filter((f) => typeof f === 'function' && f.prototype !== undefined);
const targets = [null, 1, {}, new Proxy({}, {})].map((prototype) => {
  const target = function () {};
  target.prototype = prototype;
  return target;
});
targets.push(new Proxy(function () {}, {
  get() {
    throw new Error('prototype');
  },
}));
for (const type of types) {
  for (const target of targets) {
    for (const args of [[], [8], [[1, 2]], [new ArrayBuffer(8)], [{}], ['x']]) {
      try {
        Reflect.construct(type, args, target);
      } catch {}
    }
  }
}
return 'ok';
