// A finalizer gets what was registered, and tries to bring the dead object back by way of a WeakRef.
// ends: returns nothing-reached
const reached = [];
let reference;
const registry = new FinalizationRegistry((held) => {
  if (reference.deref() !== undefined) reached.push(held);
});
(() => {
  const object = { buffer: new ArrayBuffer(1000) };
  object.self = object;
  reference = new WeakRef(object);
  registry.register(object, 'held');
})();
for (let i = 0; i < 200; i++) {
  const garbage = [new ArrayBuffer(1e6)];
  garbage.push(garbage);
  await new Promise((resolve) => queueMicrotask(resolve));
}
return reached.length === 0 ? 'nothing-reached' : reached.join();
