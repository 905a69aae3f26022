// Generators of all kinds, alive only in closures over their variables, are resumed after garbage in cycles has been collected.
// ends: returns sync 5050, async 5050, arguments 5050
const AsyncFunction = (async () => {}).constructor;
globalThis.calls = { sync: [], async: [], arguments: [] };
const { calls } = globalThis;
function* sync(n) {
  const box = yield;
  const state = { n, box };
  calls.sync.push(() => (box.self.next(), state.n));
  yield;
  state.n++;
}
async function* asynchronous(n) {
  const box = yield;
  const state = { n, box };
  calls.async.push(async () => (await box.self.next(), state.n));
  yield;
  state.n++;
}
const withArguments = AsyncFunction('n', `
  const gate = Promise.withResolvers();
  calls.arguments.push(() => (gate.resolve(), arguments[0]));
  await gate.promise;
  arguments[0]++;
`);
for (let n = 0; n < 100; n++) {
  const box = { self: sync(n) };
  box.self.next();
  box.self.next(box);
  const other = { self: asynchronous(n) };
  await other.self.next();
  await other.self.next(other);
  withArguments(n + 1);
}
for (let i = 0; i < 60; i++) {
  const garbage = { block: new ArrayBuffer(1 << 19) };
  garbage.self = garbage;
}
const sums = [];
for (const [name, all] of Object.entries(calls)) {
  let sum = 0;
  for (const call of all) sum += await call();
  sums.push(name + ' ' + sum);
}
return sums.join(', ');
