// Methods of all built-in classes are called on objects of all the others.
// ends: returns ok
const values = [
  new Map(), new Set(), new Date(), /x/g, new Uint8Array(8), new ArrayBuffer(8),
    new DataView(new ArrayBuffer(8)), Promise.resolve(), new WeakMap(), new WeakRef({}), Symbol('x'),
    1n, [1], new Error('x'), function () {}, (function* () {})(), [].values(), new Proxy({}, {}), null, undefined,
    'text', 1.5, new URL('http://a'), new Event('x'), new AbortController().signal, Object.create(Map.prototype),
];
const prototypes = values.filter((v) => v !== null && v !== undefined).map(
  (v) => Object.getPrototypeOf(v)).filter(Boolean);
for (const prototype of prototypes) {
  for (const name of Reflect.ownKeys(prototype)) {
    const { value, get, set } = Reflect.getOwnPropertyDescriptor(prototype, name);
    for (const f of [value, get, set]) {
      if (typeof f !== 'function' || name === 'constructor') continue;
      for (const self of values) {
        try {
          f.call(self, 1, 2);
        } catch {}
      }
    }
  }
}
return 'ok';
