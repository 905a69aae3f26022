// Registries die together with their targets, callbacks and values, by counting and in cycles.
// ends: returns survived
for (let i = 0; i < 50; i++) {
  const target = {}, registry = new FinalizationRegistry(() => {});
  registry.register(target, registry);
  Object.assign(target, { registry });
  registry.target = target;

  const second = {}, callback = () => second, other = new FinalizationRegistry(callback);
  other.register(second, [callback], other);
  Object.assign(second, { other, callback });

  let key = Symbol(), map = new WeakMap();
  let last = new FinalizationRegistry(() => {});
  last.register(key, { last });
  map.set(key, last);
  last = key = map = null;

  class Listeners {
    #registry = new FinalizationRegistry(() => {});
    all = new Set();
    add(listener) {
      this.#registry.register(listener, {}, new WeakRef(listener));
      listener.from = new Set([this]);
      this.all.add(new WeakRef(listener));
    }
  }
  new Listeners().add({});
}
for (let i = 0; i < 60; i++) {
  const garbage = { block: new ArrayBuffer(1 << 19) };
  garbage.self = garbage;
  if (i % 10 === 0) await null;
}
return 'survived';
