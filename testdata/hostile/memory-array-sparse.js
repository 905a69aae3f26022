// An array with few elements, far from each other, becomes a table of properties.
// ends: memory limit
const ballast = new Uint8Array(5.5e7); // leaves less to fill
const array = [];
for (let i = 0; ; i++) array[(i * 7919 * 7919) % (2 ** 32 - 1)] = i;
