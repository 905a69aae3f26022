// A finalizer is registered for each of many objects, whose values keep other objects alive.
// ends: time limit or memory limit
const registry = new FinalizationRegistry((held) => held.length);
for (;;) registry.register({}, new Array(10), {});
