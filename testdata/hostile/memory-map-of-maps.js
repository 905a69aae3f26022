// Maps, which reserve room for entries as soon as there is one, are kept by the hundred thousand.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
let map = new Map();
for (;;) map = new Map([[map, new Map([[1, 1]])]]);
