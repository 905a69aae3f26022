// Callbacks of process.nextTick call it again, so that a timer that is due never gets its turn.
// ends: time limit
setTimeout(() => process.exit(3), 0);
process.nextTick(function again() {
  Promise.resolve().then(() => process.nextTick(again));
});
await new Promise(() => {});
