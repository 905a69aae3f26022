// WeakMaps are kept with one entry each, whose keys are kept as well.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
const kept = [];
for (;;) {
  const key = {};
  kept.push([key, new WeakMap([[key, key]])]);
}
