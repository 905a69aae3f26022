// A with statement looks names up in an object that changes between the question and the answer.
// ends: returns ok
const run = new Function('object',
  'with (object) { name = 1; try { name(); } catch {} delete name; return typeof name; }');
let asked = 0;
const object = new Proxy({}, {
  has(target, name) {
    if (name === 'name' && asked++ % 2) delete target.name;
    return name === 'name';
  },
  get(target, name) {
    return name === Symbol.unscopables ? new Proxy({}, { get: () => (asked++, false) }) : target[name];
  },
});
for (let i = 0; i < 100; i++) {
  try {
    run(object);
  } catch {}
}
return 'ok';
