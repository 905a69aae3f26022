// What a finalizer is called for makes new objects with finalizers.
// ends: time limit or memory limit
const registry = new FinalizationRegistry(() => {
  for (let i = 0; i < 10; i++) registry.register({}, i);
});
registry.register({}, 0);
for (;;) {
  let cycle = {};
  cycle.self = cycle;
  registry.register(cycle, 1);
  await 0;
}
