// Memory is full when a job is queued, and the engine does not look whether that worked: the loop must not go on for ever.
// ends: memory limit
const ballast = new Uint8Array(5e7), jobs = [];
for (;;) {
  try {
    for (;;) Promise.resolve().then(() => jobs);
  } catch {}
}
