// All objects that the language has are frozen, so that nothing can be kept in them.
// ends: returns 1,x
const seen = new Set();
const freeze = (object) => {
  if ((typeof object !== 'object' && typeof object !== 'function') || object === null || seen.has(object)) return;
  seen.add(object);
  for (const name of Reflect.ownKeys(object)) {
    const { value, get, set } = Reflect.getOwnPropertyDescriptor(object, name);
    freeze(value);
    freeze(get);
    freeze(set);
  }
  freeze(Object.getPrototypeOf(object));
  Object.freeze(object);
};
freeze(globalThis);
fs.writeFileSync('/a', 'x');
console.log({ a: 1 });
return [(await later(1))[0], fs.readFileSync('/a', 'utf8')].join();
