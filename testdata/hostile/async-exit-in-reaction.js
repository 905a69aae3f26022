// The function process.exit in a microtask ends the run, and what is queued behind it must not run.
// ends: exits 7
queueMicrotask(() => process.exit(7));
queueMicrotask(() => {
  for (;;) {}
});
await new Promise((resolve) => setTimeout(resolve, 1e6));
