// Two async functions wait for each other.
// ends: never settles
const first = (async () => {
  await 0;
  await second;
})();
const second = (async () => {
  await first;
})();
await second;
