// Each reaction of a promise starts the next one, so that there is always a job left.
// ends: time limit
(function again() {
  Promise.resolve().then(again);
})();
await new Promise(() => {});
