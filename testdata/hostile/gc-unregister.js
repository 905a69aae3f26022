// Tens of thousands of registrations have the same token, and are withdrawn and made again.
// ends: time limit or memory limit
const registry = new FinalizationRegistry(() => {});
const token = {};
const targets = Array.from({ length: 2e4 }, () => ({}));
for (;;) {
  for (let i = 0; i < targets.length; i++) registry.register(targets[i], i, token);
  registry.unregister(token);
}
