// Async functions wait for promises that only closures over their own variables can settle, while garbage in cycles is collected.
// ends: returns 300 resumed, 44850
const waiting = [];
let resumed = 0, sum = 0;
async function station(n) {
  const gate = Promise.withResolvers();
  const parcel = { n };
  waiting.push(() => gate.resolve(parcel));
  const got = await gate.promise;
  resumed++;
  sum += got.n;
}
const stations = [];
for (let n = 0; n < 300; n++) stations.push(station(n));
stations.length = 0;
await null;
for (let i = 0; i < 60; i++) {
  const garbage = { block: new ArrayBuffer(1 << 19) };
  garbage.self = garbage;
}
for (const open of waiting) open();
for (let i = 0; i < 5; i++) await null;
return `${resumed} resumed, ${sum}`;
