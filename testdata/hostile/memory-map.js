// A Map gets more and more entries.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
const map = new Map();
for (let i = 0; ; i++) map.set(i, i);
