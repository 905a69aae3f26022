// Arrays with one element at the end of a long row of holes.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
const kept = [];
for (let i = 0; ; i++) {
  const array = new Array(1e4);
  array[9999] = i;
  kept.push(array.fill(i));
}
