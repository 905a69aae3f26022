// Finalizers throw, or do not come back.
// ends: time limit or memory limit
const registry = new FinalizationRegistry(() => {
  for (;;) {}
});
for (;;) {
  registry.register({}, 0);
  await new Promise((resolve) => setTimeout(resolve, 0));
}
