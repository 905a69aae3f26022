// Async functions wait for a promise that nobody resolves.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
const never = new Promise(() => {});
async function wait(...args) {
  await never;
  return args;
}
for (let i = 0; ; i++) wait(i, i, i);
