// A timer without delay sets itself again.
// ends: time limit
setTimeout(function again() {
  setTimeout(again, 0);
}, 0);
await new Promise(() => {});
