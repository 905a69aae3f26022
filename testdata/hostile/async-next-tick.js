// The same with process.nextTick, between which timers are due that never get their turn.
// ends: time limit
setTimeout(() => process.exit(3), 0);
process.nextTick(function again() {
  Promise.resolve().then(() => process.nextTick(again));
});
await new Promise(() => {});
